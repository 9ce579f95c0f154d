package token

import (
	_ "embed"
	"strings"
)

//go:embed irregulars.txt
var irregularText string

// irregulars has, by language, the plain form of words whose forms no stemmer brings together. It is never changed.
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

// irregularForms returns lines of folded words: the plain form, and then its other forms. They are the verbs that are
// said most, and the short forms of family. A noun is there with its plural, or not at all. A verb's form that is also
// a noun which people ask about (wine and came, bed and read) is left out. No form is a stop word, because those are
// dropped before.
func irregularForms(l Language) string {
	_, from, _ := strings.Cut("\n"+irregularText, "\n== "+l.String()+"\n")
	lines, _, _ := strings.Cut(from, "\n== ")
	return strings.TrimSpace(lines)
}
