// Package name reads a caller's own name out of a conversation as he gave it: introductions ("hi, it's Kirsty. Abernathy."), answers
// to a question for it, with what he spelled, and the name that he says yes to. Somebody else's name, the agent's, and one that
// only the agent said are none of his (P12). English, German and Spanish, with capitals or as recognisers write.
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

// Said returns the caller's own name, the Number of the turn that gave it, and whether there was one. The fullest form that he
// gave counts; what he asks to be called stands in for a name. Turns that were cut off or hardly heard give none.
func Said(turns []recaller.Turn) (name string, turn int, ok bool) {
	r := reader{agents: agents(turns)}
	for _, t := range turns {
		if t.Interrupted || t.Confidence > 0 && t.Confidence < 0.5 {
			r.asked = question{}
			continue
		}
		ws := wordsOf(t.Text)
		if t.Speaker == recaller.Assistant {
			r.asked = ask(ws, r.heard == 0)
			r.address(ws, t.Text)
			continue
		}
		r.turn, r.cased = t.Number, strings.ContainsFunc(t.Text, unicode.IsUpper)
		r.hear(ws)
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
	wish    []word          // what the caller asks to be called
	wished  int             // the turn that asked
}

// hear reads one turn of the caller.
func (r *reader) hear(ws []word) {
	r.learned = false
	if g := r.asked.guess; len(g) > 0 && affirms(ws) && (r.asked.plain || contains(g, r.got) && len(r.got) > 0) {
		r.take(g, false)
	}
	for len(ws) > 0 {
		end := slices.IndexFunc(ws, word.ends) + 1
		if end == 0 {
			end = len(ws)
		}
		if ws[end-1].pause != '?' {
			r.sentence(ws[:end], ws[end:])
		}
		ws = ws[end:]
	}
}

// sentence looks for a name in one sentence; rest is what follows it in the turn.
func (r *reader) sentence(s, rest []word) {
	if r.wishes(s) || r.more(s) {
		return
	}
	if i, ok := introduced(s); ok {
		if parts, next := r.read(s, i); r.whole(parts, s, next, true) {
			r.take(parts, true)
		}
		return
	}
	i := r.lead(s)
	if r.learned && (is(s, i, "die") || is(s, i, "der")) {
		i++
	}
	if i >= len(s) {
		return
	}
	from, weak := opened(s, i)
	parts, next := r.read(s, from)
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
	if parts, next := r.read(s, i); len(parts) > 1 && next == len(s) {
		r.take(parts, false)
	}
}

// bare reports whether a name stands for itself: "Hi. Darnell Quigley." as the first that a caller says, or spelled right after.
func (r *reader) bare(parts, s []word, next int, rest []word) bool {
	if !r.cased || len(parts) < 2 && !(firstNames[parts[0].low] && is(s, next, "again")) {
		return false
	}
	if len(rest) > 0 && rest[0].spelled != "" {
		return slices.ContainsFunc(parts, func(p word) bool { return near(p.low, rest[0].spelled) })
	}
	if next < len(s) && requests[s[next].low] {
		return false // it is what he asks for
	}
	return r.heard == 0 && (next >= len(s) || s[next-1].pause != 0 || s[next].low == "again")
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
	if len(s) != 1 || len(r.got) != 1 || !r.cased || !s[0].nameLike(true) || near(s[0].low, r.got[0].low) || r.agents[s[0].low] {
		return false
	}
	r.join(s[:1])
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
	if r.surname() {
		r.got = slices.Concat(half, r.got)
		return
	}
	r.got, r.joined = slices.Concat(r.got, half), len(r.got) == 1
}

// surname reports whether what is known is a surname alone: the agent called the caller Mr or Mrs by it.
func (r *reader) surname() bool {
	return len(r.got) == 1 && r.titled(r.got[0])
}

func (r *reader) titled(w word) bool {
	return slices.ContainsFunc(r.called, func(a address) bool { return a.titled && near(a.low, w.low) })
}

func respelled(letters string) word { return word{low: letters, text: letters} }

// take weighs a name against the one that is known: a fuller one completes it, a part of it adds nothing, and another one
// counts where the caller says that it is his name.
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
	for i, w := range s {
		from := 0
		switch {
		case is(s, i, "call", "me") && (i == 0 || before(s, i, "please just can and to or but could you") && !is(s, i-2, "did")):
			from = i + 2
		case is(s, i, "i", "go", "by"), is(s, i, "i", "am", "called"):
			from = i + 3
		case w.low == "i'm" && is(s, i+1, "called"):
			from = i + 2
		case is(s, i, "i", "prefer", "to", "be", "called"):
			from = i + 5
		default:
			continue
		}
		if from >= len(s) || !s[from].nameLike(r.cased) || !r.cased && !firstNames[s[from].low] && !last(s, from+1) {
			continue
		}
		r.wish, r.wished = []word{s[from]}, r.turn
		return true
	}
	return false
}

// match looks for the full name where the caller said that by which the agent calls him: "teodora vance friday the …", "Ms Vance".
func (r *reader) match(turns []recaller.Turn) {
	for _, t := range turns {
		if t.Speaker == recaller.Assistant || t.Interrupted || t.Confidence > 0 && t.Confidence < 0.5 {
			continue
		}
		ws := wordsOf(t.Text)
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
	return i > 0 && slices.Contains(strings.Fields(list), ws[i-1].low)
}

// last reports whether nothing follows before i: the words end, or pause.
func last(ws []word, i int) bool { return i >= len(ws) || i > 0 && ws[i-1].pause != 0 }

func isNumber(w word) bool { return speech.IsNumber(w.low) }
