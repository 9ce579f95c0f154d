package extract

import (
	"slices"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/token"
	"github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// Reversals returns what the caller says of memories that holds no more: "I ended up pulling out of the half marathon",
// "we sold the van". Each has the key of the memory that it takes back, so that it is kept as its dispute.
func Reversals(r reading.Reading, known []recaller.Memory) []Candidate {
	x := newExtractor(r)
	if x.lang == nil {
		return nil
	}
	var out []Candidate
	for i := range r.Turns {
		if !x.own[i] {
			continue
		}
		for k, p := range x.pieces(i) {
			if p.bar || !x.lang.gaveUp(p.w) {
				continue
			}
			for _, m := range known {
				if m.CreatedAt.Before(r.Turns[i].At) && x.lang.names(p.w, m) && !slices.ContainsFunc(out, func(c Candidate) bool { return c.Key == m.Key }) {
					c := x.candidate(draft{asked: -1, turn: i, from: k, to: k + 1, about: about{kind: m.Type}, sure: p.sure})
					c.Key, c.Other = m.Key, ""
					out = append(out, c)
				}
			}
		}
	}
	return out
}

// gaveUp reports whether words say that something of the caller's has come to an end.
func (l *tongue) gaveUp(w []string) bool {
	if !has(w, l.self) && !has(w, l.own) {
		return false
	}
	for i := range w {
		if reversals.At(w, i) > 0 && !l.denial[at(w, i-1)] {
			return true
		}
	}
	return false
}

// reversals are ways of saying that something has come to an end, by their first words.
var reversals = speech.PhrasesOf(`pulled out|pulling out|pull out of|dropped out|gave up|given up|giving up|quit|called off|fell through|sold|got rid of|no
		longer|any more|anymore|broke up|split up|stopped taking|stopped using|stopped going|stopped doing|stopped working at|have stopped|verkauft|aufgehört|aufgegeben|nicht
		mehr|vendimos|vendí|dejé|dejado|ya no`)

// names reports whether words name what a memory is about: by a word of its own quotation that says something.
func (l *tongue) names(w []string, m recaller.Memory) bool {
	said := speech.Words(m.Value)
	return slices.ContainsFunc(w, func(v string) bool {
		plain := len([]rune(v)) < 4 || token.Stop(v) || l.language.Stop(v) || l.small[v] || l.prelude[v] || l.lasting[v] || reversals[v] != nil ||
			speech.IsNumber(v) && v != "half"
		return !plain && slices.ContainsFunc(said, func(s speech.Word) bool { return s.Text == v || s.Text == v+"s" || s.Text+"s" == v })
	})
}
