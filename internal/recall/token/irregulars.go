package token

import (
	_ "embed"
	"strings"
)

//go:embed irregulars.txt
var irregularText string

// irregulars has, by language, the plain form of words whose forms no stemmer brings together. It is not changed
// after it is made.
var irregulars = func() (t [languages]map[string]string) {
	for l := range languages {
		lines := strings.Split(irregularForms(l), "\n")
		t[l] = make(map[string]string, 4*len(lines))
		for _, line := range lines {
			forms := strings.Fields(line)
			for _, f := range forms {
				if l == German {
					f = transcribed(f)
				}
				t[l][f] = forms[0]
			}
		}
	}
	return t
}()

// irregularForms returns lines of folded words, each the plain form and then those it stands for: the verbs that are
// said most, and the short forms of family. A noun stands with its plural, or neither does; a verb's form that is a
// noun which people ask about (wine and came, bed and read) is left out. No form is a stop word: those are dropped
// before.
func irregularForms(l Language) string {
	_, from, _ := strings.Cut("\n"+irregularText, "\n== "+l.String()+"\n")
	lines, _, _ := strings.Cut(from, "\n== ")
	return strings.TrimSpace(lines)
}
