package name

import (
	"strings"
	"testing"
)

// What a list holds must be what the words of a turn are read as, or it never matches.
func TestEveryWordOfAListIsRead(t *testing.T) {
	for name, list := range map[string]map[string]bool{
		"firstNames": firstNames, "firms": firms, "houses": houses, "sent": sent, "common": common, "particles": particles, "relations": relations, "titles": titles, "leads": leads,
		"greetings": greetings, "connectives": connectives, "ofOthers": ofOthers, "comesBack": comesBack, "articles": articles, "places": places,
		"selves": selves, "reported": reported, "nameWords": nameWords, "lastWords": lastWords, "firstWords": firstWords, "placing": placing,
		"requests": requests, "contractions": contractions, "whoWords": whoWords, "hesitations": hesitations, "denials": denials, "affirmatives": affirmatives,
	} {
		for w := range list {
			if got := wordsOf(w); len(got) != 1 || got[0].low != w {
				t.Errorf("%s: %q is read as %v", name, w, got)
			}
		}
	}
	for name, list := range map[string][][]string{
		"sureForms": sureForms, "openForms": openForms, "selfForms": selfForms, "wishing": wishing, "endForms": endForms, "greeted": greeted,
		"outlying": outlying, "employing": employing, "asking": asking, "guessing": guessing, "thatIsMe": thatIsMe,
	} {
		for _, p := range list {
			said := strings.Join(p, " ")
			if end := behind(wordsOf(said), 0, list); end != len(p) { // a shorter one before it hides it
				t.Errorf("%s: %q does not find itself", name, said)
			}
		}
	}
}
