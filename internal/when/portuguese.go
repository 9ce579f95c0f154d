package when

import (
	_ "embed"
	"strings"
)

// The words of days, dates and hours, by those of English.
//
//go:embed words/portuguese.txt
var portugueseWords string

func newPortuguese() *tongue {
	t := &tongue{
		words:   Pairs(portugueseWords),
		small:   set("portuguese small"),
		behind:  set("portuguese behind"),
		torn:    set("portuguese torn"),
		ahead:   set("portuguese ahead"),
		helpers: map[string]bool{},
	}
	for i, w := range strings.Fields(`duas três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezasseis dezassete dezoito
		dezanove vinte`) {
		t.words[w] = digits(i + 2)
	}
	t.words["dois"], t.words["trinta"], t.words["uma"] = "2", "30", "1"
	return t
}

// joined puts what Portuguese says in two parts together: "vinte e cinco", "meio-dia".
func (p *parser) joined() {
	if p.lang != portuguese {
		return
	}
	tok, said := p.tok[:0], p.said[:0]
	for i := 0; i < len(p.tok); i++ {
		t := p.tok[i]
		k := i + 1
		if p.is(k, "-") {
			k++
		}
		if t.w == "meio" && k < len(p.tok) && p.said[k] == "dia" {
			t.w, t.end = "noon", p.tok[k].end
			if n := len(said); n > 0 && said[n-1] == "ao" {
				tok[n-1].w = "at"
			}
			tok, said, i = append(tok, t), append(said, "meio"), k
			continue
		}
		if (t.val == 20 || t.val == 30) && p.is(i+1, "and") && i+2 < len(p.tok) && p.tok[i+2].kind == number && p.tok[i+2].val < 10 {
			t.val, t.end = t.val+p.tok[i+2].val, p.tok[i+2].end
			t.w = digits(t.val)
			tok, said, i = append(tok, t), append(said, p.said[i]), i+2
			continue
		}
		tok, said = append(tok, t), append(said, p.said[i])
	}
	p.tok, p.said = tok, said
}
