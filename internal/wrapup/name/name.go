// Package name reads a caller's own name out of a conversation as he gave it: introductions ("hi, it's Kirsty.
// Abernathy."), answers to a question for it, with what he spelled, and the name that he says yes to. Somebody else's
// name, the agent's, and one that only the agent said are none of his (P12). English, German and Spanish, with capitals
// or as recognisers write.
//
// It is pure, and not for whether a stored name may be replaced.
package name

import (
	"slices"
	"strings"
	"unicode"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/speech"
)

// talk is how many words of a turn that is longer than one says are read: of the agent's the last, to which one
// answers, of the caller's the first, and of one with line breaks, which is written or pasted, only what tells a name
// for sure. Lists and headings look like names.
const talk = 25

// Said returns the caller's own name, the Number of the turn that gave it, and whether there was one. The fullest form
// that he gave counts; what he asks to be called stands in for a name. Turns that were cut off or hardly heard give
// none.
func Said(turns []recaller.Turn) (name string, turn int, ok bool) {
	r := reader{agents: agents(turns)}
	for _, t := range turns {
		if !t.Heard() {
			r.asked, r.told = question{}, nil
			continue
		}
		ws := wordsOf(t.Text)
		if t.Speaker == recaller.Assistant {
			if r.essay = len(ws) > speech.Aloud; r.essay {
				ws = ws[len(ws)-talk:]
			} else {
				r.address(ws, t.Text)
			}
			r.asked, r.told = ask(ws, r.heard == 0), ws
			continue
		}
		r.turn, r.cased = t.Number, strings.ContainsFunc(t.Text, unicode.IsUpper)
		r.hear(ws, strings.Contains(strings.TrimSpace(t.Text), "\n"))
		r.heard++
	}
	r.match(turns)
	if len(r.got) == 0 {
		r.got, r.at = r.wish, r.wished
	}
	if len(r.got) == 0 {
		return "", 0, false
	}
	if r.joined && (r.titled(r.got[0]) && !r.titled(r.got[1]) || firstNames[r.got[1].low] && !firstNames[r.got[0].low]) { // the surname came first
		slices.Reverse(r.got)
	}
	return written(r.got), r.at, true
}

// reader goes through one conversation.
type reader struct {
	agents  map[string]bool // names that agents gave themselves
	called  []address       // names that the agent called the caller by
	asked   question        // what the agent asked last
	heard   int             // turns of the caller so far
	turn    int             // the one being read
	cased   bool            // whether it is written with capitals
	got     []word          // the name so far
	at      int             // the turn that gave it
	family  bool            // it is what the agent asked for as the surname
	joined  bool            // of two halves, in the order in which they were said
	learned bool            // the turn being read gave it
	asks    bool            // the sentence being read ends as a question
	told    []word          // the agent's last turn, or its end
	essay   bool            // it was longer
	wish    []word          // what the caller asks to be called
	wished  int             // the turn that asked
}

// hear reads one turn of the caller.
func (r *reader) hear(ws []word, pasted bool) {
	r.learned = false
	if g := r.asked.guess; len(g) > 0 && affirms(ws) && (r.asked.plain || contains(g, r.got) && len(r.got) > 0) {
		r.take(g, false)
	}
	for all := len(ws); len(ws) > 0; {
		end := slices.IndexFunc(ws, word.ends) + 1
		if end == 0 {
			end = len(ws)
		}
		r.asks = ws[end-1].pause == '?'
		if s := stated(ws[:end]); !pasted && (all <= speech.Aloud || all-len(ws) < talk && end <= speech.Aloud) {
			r.sentence(s, ws[end:])
		} else {
			r.introduces(s)
		}
		ws = ws[end:]
	}
}

// introduces looks for a name in a sentence that tells it for sure.
func (r *reader) introduces(s []word) bool {
	i, ok := introduced(s)
	if !ok {
		return false
	}
	if parts, next := r.read(s, i); r.whole(parts, s, next, true) {
		r.take(parts, true)
	}
	return true
}

// stated returns what a sentence tells before it asks of the speaker's own: "it's Bev Tranter, is my car ready?"
func stated(s []word) []word {
	asks, own, end := s[len(s)-1].pause == '?', some(s, selves), len(s)
	for asks && end > 0 && (s[end-1].pause != ',' || !own) {
		end--
	}
	return s[:end]
}

// sentence looks for a name in one sentence; rest is what follows it in the turn.
func (r *reader) sentence(s, rest []word) {
	if r.wishes(s) || r.more(s) {
		return
	}
	if r.introduces(s) {
		return
	}
	i := r.lead(s)
	if i >= len(s) {
		return
	}
	from, weak := opened(s, i)
	if k := from + 1; (weak || r.learned) && before(s, k, "der die") && k < len(s) && (firstNames[s[k].low] || titles[s[k].low]) {
		from = k // "hier ist der Milan"
	}
	parts, next := r.read(s, from)
	if civilAt(s, from) || civil(parts) {
		return
	}
	if len(parts) == 0 && r.asked.kind != "" && from < len(s) && s[from].spelled != "" && !r.learned {
		parts, next = []word{respelled(s[from].spelled)}, from+1
	}
	if len(parts) == 2 && !r.cased && r.asked.kind == "" && weak && !follows(s, next) {
		parts, next = parts[:1], next-1 // "it's jun battery never came"
	}
	if len(parts) == 0 {
		r.tail(s)
		return
	}
	switch {
	case contains(r.got, parts):
		r.learned = true // said again: what follows may complete it
	case r.learned && len(parts) > len(r.got) && contains(parts, r.got) && next >= len(s):
		r.take(parts, false)
	case len(r.asked.guess) > 0 && near(parts[0].low, r.asked.guess[0].low):
		r.take(parts, false)
	case r.asked.others && behind(s, i, selfForms) == 0:
	case closed(s, next) > 0 && (r.cased || len(parts) > 1 || firstNames[parts[0].low] || s[next].low != "here"):
		if full, _ := r.read(s, closed(s, next)); len(full) > len(parts) && contains(full, parts) { // "Huber hier, Resi Huber"
			parts = full
		}
		r.take(parts, false)
	case weak && unlikely(parts[0].low) && !(r.cased && last(s, next)): // "it's howling again"
	case is(s, i, "ich", "bin") && r.asked.kind == "" && !titles[s[from].low] && lone(parts): // "Ich bin Rentnerin", "zu Hause"
	case ofKin(s, next), is(rest, 0, "that's") && ofKin(rest, 1): // "Ruby, my daughter"
	case r.asks && weak && behind(s, i, selfForms) == 0 && (!firstNames[parts[0].low] || before(s, next+1, "isn't wasn't is innit")):
	case r.asked.kind != "" && !r.learned && r.whole(parts, s, next, true):
		r.take(parts, true)
	case weak && r.whole(parts, s, next, false):
		r.take(parts, false)
	case !weak && r.bare(parts, s, next, rest):
		r.take(parts, false)
	}
}

// tail reads the answer that comes last, behind other words: "Same as before, Ewa Nowicka."
func (r *reader) tail(s []word) {
	i := len(s) - 1
	for i > 0 && s[i-1].pause != ',' {
		i--
	}
	asked := r.asked.kind != "" && !r.asked.others && !r.learned
	if i == 0 || !asked || !r.cased || some(s[:i], relations) || r.agents[s[i].low] {
		return
	}
	if parts, next := r.read(s, i); len(parts) > 1 && next == len(s) && !civil(parts) {
		r.take(parts, false)
	}
}

// bare reports whether a name stands for itself: "Hi. Darnell Quigley." as the first that a caller says, or spelled
// right after.
func (r *reader) bare(parts, s []word, next int, rest []word) bool {
	known := firstNames[parts[0].low]
	if r.essay {
		return false
	}
	if !r.cased { // "good evening keron baptiste i have a lesson"
		return r.heard == 0 && len(parts) == 2 && next > 2 && known && follows(s, next)
	}
	greeted := len(parts) == 1 && next > 1 && (titles[s[next-2].low] || leads[s[next-2].low]) && ofFirm(s, next)
	if r.heard == 0 && employed(s, next) && (known || r.asked.kind != "" || greeted) { // "Guten Tag, Fessler vom Gasthof Adler"
		return !slices.ContainsFunc(parts, func(p word) bool { return trade(p) || sent[p.low] })
	}
	if len(parts) < 2 && !(known && is(s, next, "again")) || !known && (r.asks || places[parts[len(parts)-1].low] || some(r.told, placing)) {
		return false
	}
	if len(rest) > 0 && rest[0].spelled != "" {
		return slices.ContainsFunc(parts, func(p word) bool { return near(p.low, rest[0].spelled) })
	}
	if next < len(s) && requests[s[next].low] {
		return false // it is what he asks for
	}
	if next >= len(s) { // or he corrects the agent: "for Yolanda Pertuz", "Yolanda Pertuz-Klein"
		return r.heard == 0 || len(parts) > 1 && r.began(parts[0]) && r.began(parts[1]) && !contains(r.told, parts)
	}
	return r.heard == 0 && (s[next-1].pause != 0 || s[next].low == "again" || s[next].low == "from" && (known || len(parts) == 2 && !slices.ContainsFunc(parts, trade)) || behind(s, next, outlying) > 0)
}

// trade reports whether a word is none of a person's name by its ending or its sense: "Fairview Plumbing from Leeds".
func trade(w word) bool { return unlikely(w.low) || firms[w.low] }

// began reports whether a word of the agent's is this one, or its beginning.
func (r *reader) began(w word) bool {
	return slices.ContainsFunc(r.told, func(o word) bool { return len(o.low) > 2 && strings.HasPrefix(w.low, o.low) })
}

// more reads what completes a name that the turn has just given: letters, or the other half, standing alone.
func (r *reader) more(s []word) bool {
	if !r.learned {
		return false
	}
	if i := slices.IndexFunc(s, func(w word) bool { return w.spelled != "" }); i >= 0 && i <= 1 {
		r.spell(s[i].spelled)
		return true
	}
	k := len(s) - 1
	first := k > 0 && k < 5 && some(s[:k], firstWords) // "First name Kavitha."
	if k < 0 || k > 0 && !first || len(r.got) != 1 || !r.cased && !first || !s[k].nameLike(r.cased) ||
		near(s[k].low, r.got[0].low) || r.agents[s[k].low] || civil(s[k:]) {
		return false
	}
	if first {
		r.got = slices.Concat(s[k:], r.got)
	} else {
		r.join(s[k:])
	}
	return true
}

// spell puts letters in the place of the word that they spell, or takes them for the surname that was missing.
func (r *reader) spell(letters string) {
	for i, w := range r.got {
		if near(w.low, letters) {
			r.got[i] = respelled(letters)
			return
		}
	}
	if len(r.got) == 1 && !strings.HasPrefix(r.got[0].low, letters) && !strings.HasSuffix(r.got[0].low, letters) {
		r.join([]word{respelled(letters)})
	}
}

// join adds the half of a name that was missing: before a surname, behind anything else.
func (r *reader) join(half []word) {
	if len(r.got) == 1 && r.titled(r.got[0]) { // a surname alone
		r.got = slices.Concat(half, r.got)
		return
	}
	r.got, r.joined = slices.Concat(r.got, half), len(r.got) == 1
}

func (r *reader) titled(w word) bool {
	return slices.ContainsFunc(r.called, func(a address) bool { return a.titled && near(a.low, w.low) })
}

func respelled(letters string) word { return word{low: letters, text: letters} }

// take weighs a name against the one that is known: a fuller one completes it, a part of it adds nothing, and another
// one counts where the caller says that it is his name.
func (r *reader) take(parts []word, sure bool) {
	first, last := r.asked.kind == "first", r.asked.kind == "last"
	switch {
	case len(r.got) == 0, contains(parts, r.got):
		r.got, r.joined = slices.Clone(parts), false
	case contains(r.got, parts):
	case len(parts) == 1 && len(r.got) == 1 && !near(r.got[0].low, parts[0].low) &&
		(last || r.asked.kind == "full" && firstNames[r.got[0].low] && !firstNames[parts[0].low]):
		r.got = slices.Concat(r.got, parts)
	case len(parts) == 1 && first && (r.family || !slices.ContainsFunc(r.got, func(w word) bool { return firstNames[w.low] })):
		r.got = slices.Concat(parts, r.got)
	case sure:
		r.got, r.joined = slices.Clone(parts), false
	default:
		return
	}
	r.at, r.learned, r.family = r.turn, true, last && len(r.got) == 1
}

// contains reports whether a name has every word of another, in whatever order.
func contains(name, part []word) bool {
	for _, p := range part {
		if !slices.ContainsFunc(name, func(w word) bool { return w.low == p.low || len(name) == len(part) && near(w.low, p.low) }) {
			return false
		}
	}
	return true
}

// wishes reads what the caller asks to be called.
func (r *reader) wishes(s []word) bool {
	for i := range s {
		from := behind(s, i, wishing)
		if is(s, i, "call", "me") && (i == 0 || before(s, i, "please just can and to or but could you") && !is(s, i-2, "did")) {
			from = i + 2
		}
		if from == 0 || from >= len(s) || !s[from].nameLike(r.cased) || !r.cased && !firstNames[s[from].low] && !last(s, from+1) {
			continue
		}
		r.wish, r.wished = []word{s[from]}, r.turn
		return true
	}
	return false
}

// match looks for the full name where the caller said that by which the agent calls him: "teodora vance friday the …",
// "Ms Vance".
func (r *reader) match(turns []recaller.Turn) {
	for _, t := range turns {
		if t.Speaker == recaller.Assistant || !t.Heard() {
			continue
		}
		ws := wordsOf(t.Text)
		if len(ws) > speech.Aloud {
			ws = ws[:talk]
		}
		r.turn, r.cased = t.Number, strings.ContainsFunc(t.Text, unicode.IsUpper)
		for i, w := range ws {
			j := slices.IndexFunc(r.called, func(a address) bool { return a.low == w.low })
			if j < 0 || r.agents[w.low] || some(ws[max(0, i-4):i], relations) {
				continue
			}
			if full := r.around(ws, i, r.called[j].titled); len(full) > 0 && len(r.got) < 2 && contains(full, r.got) {
				r.take(full, false)
			}
		}
	}
}

// around returns the name with the word at i in it and one beside it, nil if there is none.
func (r *reader) around(ws []word, i int, titled bool) []word {
	beside := func(k int) bool {
		return k >= 0 && k < len(ws) && ws[k].nameLike(r.cased) && !unlikely(ws[k].low) && !r.agents[ws[k].low]
	}
	switch {
	case titled && beside(i-1) && ws[i-1].pause == 0:
		return []word{ws[i-1], ws[i]}
	case titled && ws[i].pause == ',' && beside(i+1) && last(ws, i+2):
		return []word{ws[i+1], ws[i]}
	case ws[i].pause == 0 && beside(i+1) && (r.cased || firstNames[ws[i].low]):
		return []word{ws[i], ws[i+1]}
	}
	return nil
}

func some(ws []word, list map[string]bool) bool {
	return slices.ContainsFunc(ws, func(w word) bool { return list[w.low] })
}

// ofKin reports whether "my daughter" stands at i for herself.
func ofKin(ws []word, i int) bool {
	return before(ws, i+1, "my mein meine mi") && i+1 < len(ws) && relations[ws[i+1].low] &&
		(ws[i+1].pause != 0 || i+2 < len(ws) && ofOthers[ws[i+2].low])
}

// is reports whether the words from i on are the given ones.
func is(ws []word, i int, want ...string) bool {
	if i < 0 || i+len(want) > len(ws) {
		return false
	}
	for k, w := range want {
		if ws[i+k].low != w {
			return false
		}
	}
	return true
}

func before(ws []word, i int, list string) bool {
	return i > 0 && i <= len(ws) && slices.Contains(strings.Fields(list), ws[i-1].low)
}

// last reports whether nothing follows before i: the words end, or pause.
func last(ws []word, i int) bool { return i >= len(ws) || i > 0 && ws[i-1].pause != 0 }
