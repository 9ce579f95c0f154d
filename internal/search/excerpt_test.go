package search

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
)

func turnsOf(lines ...string) []recaller.Turn {
	out := make([]recaller.Turn, len(lines))
	for i, l := range lines {
		out[i] = recaller.Turn{Number: i, Text: l}
	}
	return out
}

func TestExcerpt(t *testing.T) {
	t.Parallel()
	filler := strings.TrimSpace(strings.Repeat("so it went on and on ", 30))
	for name, tt := range map[string]struct {
		query string
		turns []recaller.Turn
		want  string
	}{
		"no words":                  {"wedding", nil, ""},
		"the turn that fits":        {"weddings", turnsOf("Hello.", "About our wedding.", filler), "About our wedding."},
		"with the answer":           {"wedding", turnsOf("Hello.", "About our wedding.", "Congratulations!"), "About our wedding.\nCongratulations!"},
		"most of the query's words": {"wedding in June", turnsOf("A wedding.", "The wedding is in June.", "June."), "The wedding is in June.\nJune."},
		"the rarer word":            {"golf wedding", turnsOf("Golf?", "Golf.", "Golf!", "A wedding."), "A wedding."},
		"the earlier of equals":     {"wedding", turnsOf("A wedding.", filler, "A wedding."), "A wedding."},
		"the beginning":             {"zebra", turnsOf("", "Hello.", "Hi."), "Hello.\nHi."},
		"of stop words":             {"who is it", turnsOf("Hello."), "Hello."},
		"cut on both sides":         {"wedding", turnsOf(filler + " the wedding " + filler), "…went on and on so it went on and on so it went on and on so it went on and on so it went on and on so it went on and on so it went on and on the wedding so it went on and on so it went on and on so it went on and on so it went on and on so it went on and on so it went on and on so it went on and…"},
		"line breaks of a turn":     {"wedding", turnsOf("A\n\n wedding\tparty"), "A wedding party"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := make(stemmer).excerpt(tt.turns, make(stemmer).termsOf(tt.query), nil); got != tt.want {
				t.Errorf("got\n%q\nwant\n%q", got, tt.want)
			}
		})
	}
}

func TestTheBeginningIsCountedInCharacters(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		turns []recaller.Turn
		n     int
		want  string
	}{
		"nothing":           {nil, 5, ""},
		"shorter":           {turnsOf("ab", "c"), 9, "ab\nc"},
		"in a turn":         {turnsOf("äöü", "äöü"), 5, "äöü\nä"},
		"at a turn's end":   {turnsOf("abc", "d"), 3, "abc"},
		"at a line's break": {turnsOf("abc", "d"), 4, "abc\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := beginning(tt.turns, tt.n); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// An excerpt is bounded, whole in its characters, and made of words that were said.
func FuzzExcerpt(f *testing.F) {
	f.Add("wedding", "Hello.", "Our wedding is in June.")
	f.Add("会議", strings.Repeat("明日の会議", 200), "")
	f.Add("x", strings.Repeat("x", 2000), "\xff\xfe wedding")
	f.Add("a\u2028b", "\u00a0 \u2003", strings.Repeat("ab ", 400))
	f.Fuzz(func(t *testing.T, query, one, two string) {
		got := make(stemmer).excerpt(turnsOf(one, two), make(stemmer).termsOf(query), nil)
		if n := utf8.RuneCountInString(got); n > excerptLength {
			t.Errorf("%d characters", n)
		}
		if utf8.ValidString(one) && utf8.ValidString(two) && !utf8.ValidString(got) {
			t.Errorf("not UTF-8: %q", got)
		}
		said := strings.Join(strings.Fields(one+" "+two), " ")
		for line := range strings.SplitSeq(got, "\n") {
			if plain := strings.Trim(line, ellipsis); !strings.Contains(said, plain) {
				t.Errorf("%q was not said", plain)
			}
		}
	})
}
