package forgotten

import (
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory/likeness"
)

// Request is a caller's wish in words that something he told be forgotten.
type Request struct {
	At    time.Time
	Turns []int // the one that asks, and the agent's answer if it confirms

	names  []phrase // what it names
	points int      // the turn that it points back to if it names nothing; -1: none
}

// phrase is what a few words name.
type phrase struct {
	stems []string
	own   bool // it is the caller's own: "my number"
	shown bool // it is the one that was just spoken of: "that number"
	often bool // the caller said it in many turns
}

// Requests returns what the caller asks in a conversation to have forgotten, in order. These are no requests: "Forget
// it" for no, errands ("remove the old sink"), questions whether it was done, and forgetting that nobody asks for
// ("don't forget the keys").
func Requests(turns []recaller.Turn) []Request {
	var out []Request
	for i, t := range turns {
		if t.Speaker != recaller.User {
			continue
		}
		said := flat(t.Text)
		asks := said.asks()
		how := noAsk
		for _, a := range asks {
			how = max(how, a.how)
		}
		if how == noAsk {
			continue
		}
		r := Request{At: t.At, Turns: []int{t.Number}, names: said.phrases(asks), points: -1}
		plain := how == surely
		if i+1 < len(turns) && turns[i+1].Speaker == recaller.Assistant {
			answer := flat(turns[i+1].Text)
			if confirms := answer.any(promises) || words(turns[i+1].Text).asks(); confirms {
				plain = true
				r.Turns = append(r.Turns, turns[i+1].Number)
				r.names = append(r.names, answer.abouts(nil)...)
			}
		}
		if !plain {
			continue
		}
		if len(r.names) == 0 {
			r.points = said.pointsTo(asks[0], turns[:i+1])
		}
		out = append(out, r)
	}
	return out
}

// pointsTo returns the turn that a request without a name points back to: the one that asks, if it tells something
// first, else the last in which the caller told anything; -1 if it means another time ("when I first rang").
func (l line) pointsTo(a ask, turns []recaller.Turn) int {
	if l.any(others) {
		return -1
	}
	asks := turns[len(turns)-1]
	if l.named(0, a.at) != nil {
		return asks.Number
	}
	for i := len(turns) - 2; i >= 0 && turns[i].Number >= asks.Number-reach; i-- {
		if t := turns[i]; t.Speaker == recaller.User && flat(t.Text).named(0, len(t.Text)) != nil &&
			!words(t.Text).asks() {
			return t.Number
		}
	}
	return -1
}

// reach is how many turns back "forget that" points.
const reach = 4

// Named returns the phrases of a request that single something out, as recaller.Forgetting keeps them.
func (r Request) Named() []string {
	var out []string
	for _, p := range r.names {
		if !p.often && (!p.isName() || p.own) {
			out = append(out, strings.Join(p.stems, " "))
		}
	}
	return out
}

// OwnName reports whether a request is about the caller's own name: "forget my name". called is that name, if it is
// known.
func (r Request) OwnName(called string) bool {
	own := words(called).content()
	return slices.ContainsFunc(r.names, func(p phrase) bool {
		return p.ofOwnName() &&
			!slices.ContainsFunc(p.stems, func(stem string) bool {
				return !naming[stem] && !slices.Contains(own, stem)
			})
	})
}

// OfOwnName reports whether a request may be OwnName, whatever the name is.
func (r Request) OfOwnName() bool { return slices.ContainsFunc(r.names, phrase.ofOwnName) }

func (p phrase) ofOwnName() bool {
	return p.own && slices.ContainsFunc(p.stems, func(stem string) bool { return naming[stem] })
}

// Unkept returns a memory made of a turn, to be forgotten with it, because no other memory holds what it says.
func Unkept(conv recaller.ConversationID, t recaller.Turn, id string) recaller.Memory {
	return recaller.Memory{
		ID: recaller.MemoryID(id), Type: recaller.History, Key: "taken_back_" + strings.ToLower(id), Value: t.Text,
		Confidence: t.Confidence, Provenance: recaller.Provenance{Conversation: conv, Turns: []int{t.Number}},
		CreatedAt: t.At,
	}
}

// Means returns the caller's active memories that a request in a conversation is about: all that it names, or those of
// the turn that it points to. What was said after it is not meant.
func (r Request) Means(conv recaller.ConversationID, active []recaller.Memory) []recaller.Memory {
	var named, wider []recaller.Memory
	for _, m := range active {
		switch {
		case !r.before(conv, m):
		case r.points >= 0:
			if names(m.Provenance, conv, r.points) {
				named = append(named, m)
			}
		case slices.ContainsFunc(r.names, func(p phrase) bool { return p.of(m) }):
			named = append(named, m)
		case slices.ContainsFunc(r.names, func(p phrase) bool { return p.kin(m) }):
			wider = append(wider, m)
		}
	}
	if len(named) > 0 {
		return named
	}
	return wider
}

func (r Request) before(conv recaller.ConversationID, m recaller.Memory) bool {
	if m.Provenance.Conversation == conv && len(m.Provenance.Turns) > 0 {
		return last(m.Provenance) <= r.Turns[0]
	}
	return m.CreatedAt.Before(r.At)
}

// phrases returns what the words of a request name: the object of the verb, what was told about, and what follows "I
// told you".
func (l line) phrases(asks []ask) []phrase {
	var out []phrase
	add := func(from, to int) {
		if p := l.phrase(from, to); len(p.stems) > 0 {
			out = append(out, p)
		}
	}
	for _, a := range asks {
		switch start := l.ahead(a.from); {
		case a.from > a.at && !l.is(start, spoken) && !l.selfTold(start):
			if conjunctions[l.at(start)] && start+2 < len(l) && subjects[l.at(start+1)] && !l[start+1].comma &&
				l.within(start, start+5, denied) < 0 {
				start += 2 // "forget that I have diabetes"
			}
			add(start, min(a.to, start+6))
		case a.from < a.at && l.data(a.from, a.to, owners):
			add(l.within(a.from, a.to, owners), a.at)
		}
	}
	out = append(out, l.abouts(asks)...)
	for i := range l {
		switch {
		case things[l.at(i)] || l.begins(i):
			add(l.opening(i), i)
		case telling[l.at(i)] && tellers[l.at(i-1)] && !l.begins(i-1): // else what follows is whom he gave it to
			add(l.behindTelling(i), i+7)
		}
	}
	return out
}

// abouts returns the phrases after "about" and the like, if they are of words that were told, or must be forgotten.
func (l line) abouts(asks []ask) []phrase {
	var out []phrase
	for i := range l {
		if !l.is(i, abouts) && !(l.at(i) == "of" || l.at(i) == "de") {
			continue
		}
		from, _ := l.bounds(i)
		near := max(from, i-3)
		if l.is(i, abouts) {
			near = max(from, i-10)
		}
		told := l.within(near, i, telling) >= 0 ||
			l.is(i, abouts) && l.within(from, i, spoken) >= 0 && l.within(i, i+7, telling) >= 0 ||
			l.is(i, abouts) &&
				(l.within(near, i, things) >= 0 || l.is(i, sayings) || l.within(near, i, promises) >= 0)
		if !told &&
			!slices.ContainsFunc(asks, func(a ask) bool { return a.at >= near && a.at <= i && l.is(i, abouts) }) {
			continue
		}
		if p := l.phrase(i+1, i+8); len(p.stems) > 0 {
			out = append(out, p)
		}
	}
	return out
}

// behindTelling returns where what was told begins after "I told you": "my door code".
func (l line) behindTelling(i int) int {
	for i++; hearers[l.at(i)] || conjunctions[l.at(i)]; i++ {
	}
	return i
}

// begins reports whether an "I told you" begins that belongs to what precedes it: "that number I gave you".
func (l line) begins(i int) bool {
	return tellers[l.at(i)] && (telling[l.at(i+1)] || telling[l.at(i+2)]) && l.opening(i) < i-1
}

// opening returns where a short phrase before a word begins, with "that" or "the"; the word itself if none does.
func (l line) opening(i int) int {
	for k := i - 1; k >= max(0, i-4); k-- {
		if pointers[l[k].text] || owners[l[k].text] || l[k].text == "the" {
			return k
		}
	}
	return i
}

// phrase returns what the words from one on name, up to the next clause.
func (l line) phrase(from, to int) phrase {
	p := phrase{stems: l.named(from, l.clause(from, to))}
	first, _ := l.bounds(max(from, 0))
	lead := max(first, from-1)
	p.own = l.within(lead, min(to, from+2), owners) >= 0
	p.shown = l.within(lead, min(to, from+1), pointers) >= 0
	return p
}

// clause returns where the clause that begins at a word ends, at the latest at to.
func (l line) clause(from, to int) int {
	for i := max(from, 0); i < min(to, len(l)); i++ {
		if l[i].text == "" || ends[l[i].text] && i > from {
			return i
		}
	}
	return min(to, len(l))
}

// named returns the stems in a stretch that name what was told.
func (l line) named(from, to int) []string {
	var out []string
	for i := max(from, 0); i < min(to, len(l)); i++ {
		w := l[i]
		if w.stem != "" && !hollow[w.text] && !courtesy[w.text] && !slices.Contains(out, w.stem) {
			out = append(out, w.stem)
		}
	}
	return out
}

// in reports whether a text is plainly about something that a request names.
func (r Request) in(t text) bool {
	return slices.ContainsFunc(r.names, func(p phrase) bool { return p.in(t) })
}

// tells reports whether a memory plainly says what a request names.
func (r Request) tells(m recaller.Memory) bool {
	said := words(strings.ReplaceAll(m.Key, "_", " ") + ". " + m.Value)
	return slices.ContainsFunc(r.names, func(p phrase) bool {
		return p.in(said) || p.isName() && p.own && likeness.OfName(m.Key)
	})
}
