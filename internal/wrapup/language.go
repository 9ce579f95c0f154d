package wrapup

import (
	"strings"
	"unicode"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/token"
)

// foreign complains of a summary that is in none of the languages of its conversation. The look is rough: if either
// language is in doubt, there is no complaint.
func foreign(s recaller.Summary, turns []recaller.Turn) *complaint {
	lines := []string{s.Brief, s.Next}
	for _, list := range [][]string{s.Topics, s.Decisions, s.Actions, s.Facts} {
		lines = append(lines, list...)
	}
	told := strings.Join(lines, "\n")
	got := language(told)
	if got == token.Unknown && latin(told) {
		return nil
	}
	var caller, all strings.Builder
	for _, t := range turns {
		if t.Speaker == recaller.User {
			caller.WriteString(t.Text + "\n")
		}
		all.WriteString(t.Text + "\n")
	}
	want := language(caller.String())
	spoken := language(all.String()) == got
	if got == token.Unknown { // all that is known of it is its script
		spoken = !latin(all.String())
	}
	if want == token.Unknown || want == got || spoken {
		return nil
	}
	return &complaint{ReasonLanguage, "An earlier answer was in another language than the conversation. Write in the " +
		"language that the caller speaks, whose BCP 47 tag is " + want.String() + "; only the names of the fields " +
		"stay English."}
}

// latin reports whether at least half of a text's letters are Latin. It is true of a text without letters.
func latin(text string) bool {
	letters, others := 0, 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			letters++
			if !unicode.Is(unicode.Latin, r) {
				others++
			}
		}
	}
	return 2*others <= letters
}

// leastTokens is how many words a text must have for its language to be told.
const leastTokens = 6

// language returns the language of a text, or Unknown if that is in doubt. It does not tell Danish and Norwegian apart.
func language(text string) token.Language {
	var d token.Detector
	d.Add(text)
	switch l := d.Language(); {
	case d.Tokens() < leastTokens:
		return token.Unknown
	case l == token.Danish:
		return token.Norwegian
	default:
		return l
	}
}
