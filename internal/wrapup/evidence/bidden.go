package evidence

import (
	"slices"
	"strings"
)

// offered reports whether a part was only one of several things that the agent gave to choose from: "chocolate or
// lemon?".
func offered(p part, list []sentence) bool {
	found := false
	for _, s := range list {
		if s.way(p, foreign(s.words)) == 0 {
			continue
		}
		if s.caller || !slices.ContainsFunc(s.words, choice) {
			return false
		}
		found = true
	}
	return found
}

func choice(w word) bool { return w.tok == "or" || w.tok == "oder" }

// bidden reports whether a part tells as done what was only asked for or planned: "knocked on the door", of "knock on
// the door".
func bidden(p part, list []sentence) bool {
	if !strings.HasSuffix(p.tok, "ed") || len(p.tok) < 5 {
		return false
	}
	found := false
	for _, s := range list {
		for i, w := range s.words {
			if w.term == "" || w.term != p.term {
				continue
			}
			if w.tok == p.tok || !s.bids(i) && !s.ahead(i) {
				return false
			}
			found = true
		}
	}
	return found
}

// turned reports whether a line tells as the caller's own wish to do what the caller only bade the agent to do: "wants
// to call the cell", of "call the cell".
func (t talk) turned(ws []word) bool {
	for i := 2; i < len(ws); i++ {
		if verb := ws[i].tok; ws[i-1].tok == "to" && wishes(ws[i-2].tok) && turnedTo(verb) && t.onlyBids(verb) {
			return true
		}
	}
	return false
}

// onlyBids reports whether the caller said a verb, and each time to bid the agent.
func (t talk) onlyBids(verb string) bool {
	found := false
	for _, turn := range t.turns {
		for _, s := range turn {
			for i, w := range s.words {
				if !s.caller || w.tok != verb {
					continue
				}
				if !s.bids(i) {
					return false
				}
				found = true
			}
		}
	}
	return found
}

func wishes(tok string) bool {
	return slices.Contains([]string{"wants", "want", "wanted", "needs", "needed", "wishes", "wished", "plans", "likes", "like"}, tok)
}

// turnedTo reports the verbs of what one side does towards another, so that it matters which.
func turnedTo(tok string) bool {
	switch tok {
	case "call", "phone", "ring", "text", "email", "mail", "send", "bring", "deliver", "visit", "knock", "tell", "remind", "notify":
		return true
	}
	return false
}

// bids reports whether a word is what its speaker bids the other to do: it begins the sentence, or stands after
// "please" or "you".
func (s *sentence) bids(i int) bool {
	if i == 0 {
		return true
	}
	switch s.words[i-1].tok {
	case "please", "just", "you", "kindly", "so", "okay", "ok", "then":
		return true
	}
	return false
}
