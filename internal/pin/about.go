package pin

import (
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/wrapup/quote"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// line is a sentence that is about a topic.
type line struct {
	Quote
	words    []spoken
	said     []string
	caller   bool
	question bool
	named    bool // it has a term of the topic
	ahead    bool // it names a day to come for sure
	days     []time.Time
	settles  bool
	opens    bool
	vows     bool
}

// lines returns the sentences of a conversation that are about a topic, in order: those that name it, those that go on
// about it with a pronoun, and the first that the other side says to that.
func (r *reader) lines(t talk, topic Topic) []line {
	var out []line
	open := false // the turn before ends with the topic
	read := reading.Of(t.Turns, t.StartedAt, r.opts.DayFirst)
	for i, turn := range read.Turns {
		if !turn.Heard() || turn.Text == "" || len(strings.Fields(turn.Text)) > aloud(turn) || confided.In(speech.Words(turn.Text)) {
			open = false
			continue
		}
		on, reply := open, open
		open = false
		for _, s := range turn.Sentences {
			l := r.line(t, turn, s, topic)
			if len(l.words) == 0 || l.Text == "" || pleasant.In(bareWords(l.words)) && !(l.named && l.caller) {
				continue
			}
			on = l.named || on && (reply || l.carriesOn())
			if !on {
				open = open && !(l.caller && l.turnsAway()) // what is said to it is of something else
				continue
			}
			no := refused(read, i)
			reply, open = false, open || l.named || l.caller || no
			if no && !l.caller { // what the caller contests is not so
				continue
			}
			if l.settles = !no && r.settles(l, topic, out); !l.settles {
				l.opens = openings.In(bareWords(l.words))
			}
			out = append(out, l)
		}
	}
	return out
}

// aloud is how many words of a turn count: an essay or a list of an agent's is about no topic of the caller's.
func aloud(t reading.Turn) int {
	if t.Caller() {
		return longest
	}
	return speech.Aloud
}

// carriesOn reports whether a sentence begins with a pronoun, and so goes on about what the one before it names.
func (l line) carriesOn() bool {
	for i, w := range l.said[:min(2, len(l.said))] {
		if pronouns[w] && !(determiners[w] && i+1 < len(l.words) && l.words[i].tight && capitalised(l.words[i+1].raw)) { // "die Rechnung"
			return true
		}
	}
	return false
}

// turnsAway reports whether a sentence goes on to another matter: "The roof leaks though."
func (l line) turnsAway() bool {
	return aways[l.said[0]] || aways[l.said[len(l.said)-1]]
}

func (r *reader) line(t talk, turn reading.Turn, s speech.Sentence, topic Topic) line {
	l := line{
		Quote: Quote{
			Conversation: t.ID, Turn: turn.Number, Speaker: turn.Speaker, Text: quote.Of(turn, s.Start, s.End), At: turn.At,
		},
		words: r.words(s.Text, t.lang), caller: turn.Caller(), question: s.Question,
	}
	for _, w := range l.words {
		l.said = append(l.said, w.Text)
		l.named = l.named || topic.has(w.term)
	}
	for _, d := range turn.Dates {
		if d.Start >= s.Start && d.End <= s.End && d.Exact() && !d.Retracted && d.At.After(turn.At) {
			l.ahead, l.days = true, append(l.days, d.At)
		}
	}
	ws := bareWords(l.words)
	l.vows = !s.Question && vows.In(ws) && !doing.In(ws) && !slices.ContainsFunc(l.said, func(w string) bool { return w == "if" || w == "wenn" || w == "si" })
	return l
}

// has reports whether a term is one of the topic's.
func (t Topic) has(term string) bool {
	return term != "" && (slices.Contains(t.Lead, term) || slices.Contains(t.With, term) ||
		slices.ContainsFunc(t.Also, func(lead []string) bool { return slices.Contains(lead, term) }))
}

func bareWords(ws []spoken) []speech.Word {
	out := make([]speech.Word, len(ws))
	for i, w := range ws {
		out[i] = w.Word
	}
	return out
}

// refused reports whether what follows a turn objects to it.
func refused(read reading.Reading, i int) bool {
	if i+1 >= len(read.Turns) {
		return false
	}
	ws := speech.Words(read.Turns[i+1].Text)
	return len(ws) > 0 && (speech.Denial(ws[0].Text) || speech.Objection(ws[0].Text))
}

// settles reports whether a sentence says that the topic is over. Where it names the topic only by a pronoun, the
// caller says it, and nothing was planned before in the conversation: else it is the call that is done.
func (r *reader) settles(l line, topic Topic, before []line) bool {
	if l.question {
		return false
	}
	ws := bareWords(l.words)
	planned := slices.ContainsFunc(before, func(b line) bool { return b.ahead || b.vows })
	byPronoun := l.caller && !planned
	for i := range ws {
		n := ends.At(l.said, i)
		if n == 0 && overs[ws[i].Text] && linked(ws, i) >= 0 {
			n = 1
		}
		if n == 0 && i > 1 && overs[ws[i].Text] && ws[i-1].Text == "all" && !l.words[i-2].tight { // "…, all done."
			n = 1
		}
		if e := events.At(l.said, i); e > 0 && i > 0 && slices.Contains(topic.Lead, l.words[i-1].term) && !l.hedged(i, i+e) {
			return true
		}
		if n > 0 && trouble.In(ws[i+n:]) {
			return false
		}
		if n > 0 && !l.hedged(i, i+n) && r.subject(l, i, topic, byPronoun) {
			return true
		}
		if n = quits.At(l.said, i); n > 0 && l.caller && !l.hedged(i, i+n) && r.object(l, i, i+n, topic, byPronoun) {
			return true
		}
	}
	return false
}

// linked returns the place of the word that links a matter to its end, or -1.
func linked(ws []speech.Word, i int) int {
	j := i - 1
	for j >= 0 && between[ws[j].Text] {
		j--
	}
	switch {
	case j >= 0 && (links[ws[j].Text] || strings.HasSuffix(ws[j].Text, "'s")):
		return j
	case j < 0 && i > 0 && (ws[0].Text == "all" || ws[0].Text == "finally"): // "All sorted."
		return 0
	}
	return -1
}

// hedged reports whether the words before a place, or right behind another, take back what stands between.
func (l line) hedged(from, to int) bool {
	hedge := func(w string) bool { return hedges[w] || strings.HasSuffix(w, "n't") || strings.HasSuffix(w, "'ll") }
	start := max(0, from-8)
	for i := start; i < from; i++ {
		if clauses[l.said[i]] || !l.words[i].tight {
			start = i + 1
		}
	}
	if slices.ContainsFunc(l.said[min(start, from):from], hedge) {
		return true
	}
	for i := to; i < min(len(l.said), to+4); i++ {
		if reserves[l.said[i]] {
			return true
		}
		if !l.words[i].tight {
			break
		}
	}
	return false
}

// subject reports whether the words before a place name the topic, and not only a part of it ("the papers for the
// Dubai move are done").
func (r *reader) subject(l line, end int, topic Topic, pronoun bool) bool {
	i := end - 1
	for i >= 0 && (between[l.said[i]] || links[l.said[i]] && !pronouns[l.said[i]]) {
		i--
	}
	if i < 0 || pronouns[l.said[i]] {
		return pronoun && (i < 0 || end-i <= 4)
	}
	for n := 0; i >= 0 && n < 4; i, n = i-1, n+1 {
		if topic.has(l.words[i].term) {
			for i > 0 && !determiners[l.said[i-1]] && l.words[i-1].term != "" {
				i--
			}
			for i > 0 && determiners[l.said[i-1]] {
				i--
			}
			return i == 0 || !parts[l.said[i-1]]
		}
		if determiners[l.said[i]] {
			break
		}
	}
	return false
}

// object reports whether the words behind a place name the topic, or nothing else.
func (r *reader) object(l line, from, to int, topic Topic, pronoun bool) bool {
	if from > 0 && !slices.ContainsFunc(l.said[max(0, from-4):from], func(w string) bool { return selves[w] }) {
		return false
	}
	lasts := lasting.In(bareWords(l.words))
	if needing.At(l.said, from) > 0 && !lasts && l.said[from] != "cancelled" && l.said[from] != "canceled" && l.said[from] != "moved" {
		return false
	}
	rest := l.words[to:min(len(l.words), to+6)]
	for i, w := range rest {
		if topic.has(w.term) {
			return true
		}
		if i > 0 && apart[w.Text] && !arrivals[l.said[from]] && !slices.ContainsFunc(rest[:i], func(b spoken) bool { return b.term == "" && !determiners[b.Text] }) {
			break
		}
	}
	return pronoun && (len(rest) == 0 || pronouns[rest[0].Text] || determiners[rest[0].Text] && len(rest) == 1)
}

// worth is how well a sentence says where a topic stands.
func (l line) worth(place, of int) float64 {
	v := 2 * float64(place) / float64(max(of, 1))
	for _, add := range []struct {
		is bool
		by float64
	}{
		{l.named, 2},
		{l.named && l.caller, 1},
		{l.settles, 5},
		{l.ahead, 2},
		{l.vows, 1},
		{l.opens && l.caller, 1},
		{!l.named && !l.caller && !l.ahead, -2},
		{l.question, -3},
		{l.question && !l.caller, -3},
		{len(l.said) < 4, -2},
		{len(l.said) >= 6, 1},
		{len(l.said) > 40, -2},
	} {
		if add.is {
			v += add.by
		}
	}
	return v
}

// best returns the n sentences that say best where a topic stands, in the order in which they were said.
func best(list []line, n int) []Quote {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	value := func(i int) float64 { return list[i].worth(i, len(list)) }
	slices.SortStableFunc(order, func(a, b int) int {
		switch va, vb := value(a), value(b); {
		case va > vb:
			return -1
		case va < vb:
			return 1
		}
		return 0
	})
	order = differing(order, list, n)
	for len(order) > 1 && value(order[len(order)-1]) < 2 {
		order = order[:len(order)-1]
	}
	slices.Sort(order)
	var out []Quote
	for _, i := range order {
		out = append(out, list[i].Quote)
	}
	return out
}

// differing returns the first n of an order of sentences that do not say the same.
func differing(order []int, list []line, n int) (out []int) {
	for _, i := range order {
		if len(out) < n && !slices.ContainsFunc(out, func(j int) bool { return list[i].same(list[j]) }) {
			out = append(out, i)
		}
	}
	return out
}

// same reports whether two sentences share most of their words.
func (l line) same(o line) bool {
	a, b := l.terms(), o.terms()
	shared := 0
	for t := range a {
		if b[t] {
			shared++
		}
	}
	return shared > 0 && 5*shared >= 3*max(len(a), len(b))
}

func (l line) terms() map[string]bool {
	out := map[string]bool{}
	for _, w := range l.words {
		if w.term != "" {
			out[w.term] = true
		}
	}
	return out
}

// callers returns the sentences in which the caller names the topic.
func callers(list []line) []line {
	return slices.DeleteFunc(slices.Clone(list), func(l line) bool { return l.Speaker != recaller.User || !l.named })
}
