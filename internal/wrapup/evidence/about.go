package evidence

import "strings"

// relatives are the people and animals around a caller, as stems, each with the one that it is another word for.
var relatives = sameAs(`daughter|son|wife|husband|spouse|partner|mother mum mom mam|father dad|sister|brother|aunt|
	uncle|cousin|niec|nephew|grandson|granddaught|grandchild|grandmoth grandma gran nan|grandfath grandpa grandad|
	child kid|boyfriend|girlfriend|fianc|friend|neighbour neighbor|boss manag|colleagu coworker|landlord|tenant|carer|
	dog puppi|cat kitten|hors|rabbit|parrot|hamster`)

// sameAs has the words of groups, each with the first of its group.
func sameAs(groups string) map[string]string {
	out := map[string]string{}
	for group := range strings.SplitSeq(groups, "|") {
		words := strings.Fields(group)
		for _, w := range words {
			out[w] = words[0]
		}
	}
	return out
}

// related is the one that a word names: "daughter's" is daughter; "" for none.
func related(w word) string {
	if to, ok := relatives[w.term]; ok {
		return to
	}
	return relatives[plainStem(w.tok)]
}

// plainStem takes a possessive off a folded token.
func plainStem(tok string) string {
	if n := len(tok); n > 2 && tok[n-1] == 's' {
		return tok[:n-1]
	}
	return tok
}

// relation is the last relative that words name; "" for none.
func relation(ws []word) string {
	out := ""
	for _, w := range ws {
		if r := related(w); r != "" {
			out = r
		}
	}
	return out
}

// whose is whom the word at i is told of: the nearest relative before it in its sentence, else one that it is said to
// be ("Max is my son"); "" for the speaker, or nobody named.
func whose(ws []word, i int) string {
	for k := i; k >= 0; k-- {
		if r := related(ws[k]); r != "" && k < i {
			return r
		}
		if ws[k].first {
			break
		}
		if k < i && speaker(ws[k].tok) { // "my son is fine, I moved to Leeds"
			break
		}
	}
	if i+1 < len(ws) && (ws[i+1].tok == "is" || ws[i+1].tok == "my" || ws[i+1].tok == "the") {
		for k := i + 1; k < len(ws) && k < i+4 && !ws[k].first; k++ {
			if r := related(ws[k]); r != "" {
				return r
			}
		}
	}
	return ""
}

func speaker(tok string) bool { return tok == "i" || tok == "im" || tok == "ive" || tok == "we" }

// about reports whether a value was said of whom it tells: each of its names, and the last of its other words, at least
// once.
func (p *pool) about(ws []word, c claim, of string) bool {
	for i, part := range c.parts {
		last := i == len(c.parts)-1
		if part.pair || part.kind == number || part.kind == ordinary && !last || related(ws[part.at]) != "" || calendar(part.term) {
			continue
		}
		want := whose(ws, part.at)
		if want == "" {
			want = of
		}
		if !p.saidOf(part, want) {
			return false
		}
	}
	return true
}

// saidOf reports whether a part was said of somebody; "": of the caller, or of nobody that is named.
func (p *pool) saidOf(part part, want string) bool {
	found, before := false, ""
	for _, u := range p.units {
		if u.question != nil {
			if u.answer == yes && u.question.way(part, p.foreign) != 0 {
				return true
			}
			if r := relation(u.question.words); r != "" {
				before = r
			}
		}
		for i, w := range u.own.words {
			if w.tok != part.tok && (part.kind == name || w.term == "" || w.term != part.term) {
				if r := related(w); r != "" {
					before = r
				}
				continue
			}
			found = true
			got := whose(u.own.words, i)
			if got == want || want != "" && got == "" && before == want {
				return true
			}
		}
	}
	return !found // it was said in another form, which tells nothing
}
