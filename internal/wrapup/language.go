package wrapup

import (
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/token"
)

// foreign complains of a summary that is in none of the languages of its conversation. It is a rough look: where either
// side leaves a doubt there is no complaint.
func foreign(s recaller.Summary, turns []recaller.Turn) *complaint {
	lines := []string{s.Brief, s.Next}
	for _, list := range [][]string{s.Topics, s.Decisions, s.Actions, s.Facts} {
		lines = append(lines, list...)
	}
	got := language(strings.Join(lines, "\n"))
	if got == token.Unknown {
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
	if want == token.Unknown || want == got || language(all.String()) == got {
		return nil
	}
	return &complaint{ReasonLanguage, "An earlier answer was in another language than the conversation. Write in the " +
		"language that the caller speaks, whose BCP 47 tag is " + want.String() + "; only the names of the fields " +
		"stay English."}
}

// leastTokens is how many words tell a language.
const leastTokens = 6

// language tells the language of a text; Unknown where that is in doubt. Danish and Norwegian are not told apart.
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
