package term_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/recallerhq/recaller/internal/cli/term"
)

func plainOut() (term.Out, *bytes.Buffer) {
	var b bytes.Buffer
	return term.New(&b, func(string) string { return "" }), &b
}

func TestNothingIsColouredThatNobodyWatches(t *testing.T) {
	t.Parallel()
	out, _ := plainOut()
	if got := out.Bold("a") + out.Bad("b") + out.Dim("c"); got != "abc" {
		t.Errorf("got %q", got)
	}
	if out.Terminal {
		t.Error("a buffer is taken for a terminal")
	}
}

func TestCleanTakesOutWhatATerminalWouldObey(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"plain":                     "plain",
		"\x1b[2Jgone":               "[2Jgone",
		"two\nlines\tand\r a tab":   "two lines and a tab",
		"\u202egnihton\u202c":       "gnihton",
		"c1 \u009b31m":              "c1 31m",
		"Grüße, 你好":                 "Grüße, 你好",
		"bad \xff byte":             "bad byte",
		"sep\u2028arated  by space": "sep arated by space",
	} {
		if got := term.Clean(raw); got != want {
			t.Errorf("Clean(%q) = %q, want %q", raw, got, want)
		}
	}
	if got := term.CleanLines("a\n  b\x1b"); got != "a\n  b" {
		t.Errorf("CleanLines: got %q", got)
	}
}

func TestShortCutsAtASpace(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text  string
		width int
		want  string
	}{
		{"short", 10, "short"},
		{"the quick brown fox", 12, "the quick…"},
		{"incomprehensibilities", 8, "incompr…"},
		{"ééééé", 4, "ééé…"},
	} {
		if got := term.Short(test.text, test.width); got != test.want {
			t.Errorf("Short(%q, %d) = %q, want %q", test.text, test.width, got, test.want)
		}
	}
}

func TestWrapKeepsLinesAndIndents(t *testing.T) {
	t.Parallel()
	got := term.Wrap("one two three\n  - four five six", 9, "  ")
	want := "one two\n  three\n  - four\n    five\n    six"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTablesAlign(t *testing.T) {
	t.Parallel()
	out, b := plainOut()
	out.Table([]term.Column{{Title: "WHO"}, {Title: "N", Right: true}, {Title: "TEXT", Most: 8}}, [][]string{
		{"Zoë", "1", "short"},
		{"Maximilian", "20", "rather too long\x1b[0m"},
		{"-"},
	})
	want := "WHO          N  TEXT\nZoë          1  short\nMaximilian  20  rather…\n-\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestProgressIsSilentWhereNobodyWatches(t *testing.T) {
	t.Parallel()
	out, b := plainOut()
	bar := out.Progress("Working", 10)
	bar.Step()
	bar.Done()
	if b.Len() != 0 {
		t.Errorf("it wrote %q", b.String())
	}
}

func FuzzClean(f *testing.F) {
	f.Add("\x1b]0;title\x07")
	f.Add("\xff\xfe")
	f.Fuzz(func(t *testing.T, raw string) {
		got := term.Clean(raw)
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\x1b\x07\r\n\u009b") {
			t.Errorf("Clean(%q) = %q", raw, got)
		}
		if term.Clean(got) != got {
			t.Errorf("cleaning %q twice changes it", raw)
		}
		for _, line := range strings.Split(term.Wrap(got, 20, ""), "\n") {
			if utf8.RuneCountInString(line) > 20 && strings.ContainsRune(strings.TrimSpace(line), ' ') {
				t.Errorf("%q is longer than 20", line)
			}
		}
	})
}
