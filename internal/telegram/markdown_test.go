package telegram

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-telegram/bot/models"
)

// told writes a rich text with its entities in angle brackets.
func (r rich) told() string {
	units := utf16.Encode([]rune(r.text))
	open, shut := map[int]string{}, map[int]string{}
	for _, e := range r.entities {
		open[e.Offset] += "<" + string(e.Type) + ">"
		shut[e.Offset+e.Length] = "</" + string(e.Type) + ">" + shut[e.Offset+e.Length]
	}
	var b strings.Builder
	for i := range units {
		b.WriteString(shut[i] + open[i])
		if i > 0 && utf16.IsSurrogate(rune(units[i])) && units[i] >= 0xdc00 {
			b.WriteRune(utf16.DecodeRune(rune(units[i-1]), rune(units[i])))
		} else if !utf16.IsSurrogate(rune(units[i])) {
			b.WriteRune(rune(units[i]))
		}
	}
	return b.String() + shut[len(units)]
}

func TestMarkdownIsShownAsTelegramShowsIt(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain":                               "plain",
		"a **bold** and *slanted* ~~gone~~":   "a <bold>bold</bold> and <italic>slanted</italic> <strikethrough>gone</strikethrough>",
		"👍 **yes**":                           "👍 <bold>yes</bold>",
		"# Title\n\nText":                     "<bold>Title</bold>\n\nText",
		"```go\nx := 1\n  y\n```":             "<pre>x := 1\n  y</pre>",
		"```\nnever closed *a*":               "<pre>never closed *a*</pre>",
		"`a_b*c`":                             "<code>a_b*c</code>",
		"snake_case_name and 2 * 3 * 4":       "snake_case_name and 2 * 3 * 4",
		"not **closed":                        "not **closed",
		"[here](https://x.test/a_b)":          "<text_link>here</text_link>",
		"[here](javascript:x)":                "here (javascript:x)",
		"- one\n- two\n  - deep":              "• one\n• two\n  • deep",
		"2. b\n3. c":                          "2. b\n3. c",
		"> said\n\nthen":                      "<blockquote>said</blockquote>\n\nthen",
		"one\ntwo":                            "one\ntwo",
		"a &amp; b \\* c <b>d</b>":            "a & b * c <b>d</b>",
		"| a | b |\n|---|---|\n| 1 | **2** |": "<pre>a | b\n1 | 2</pre>",
		"***":                                 "———",
		"":                                    "",
	} {
		if got := read(in).told(); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestLongRepliesArePartedWhereTheyMayBe(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"at the end of a sentence":  {"One two. Three four. Five six seven.", "One two. Three four.|Five six seven."},
		"at the end of a paragraph": {"One two three.\n\nFour five. Six seven eight.", "One two three.|Four five. Six seven|eight."},
		"at the end of a word":      {"aaaaaaaaaaaa bbbbbbbbbbbb ccccc", "aaaaaaaaaaaa|bbbbbbbbbbbb ccccc"},
		"within a long word":        {strings.Repeat("x", 45), strings.Repeat("x", 20) + "|" + strings.Repeat("x", 20) + "|xxxxx"},
		"never within a character":  {"x" + strings.Repeat("👍", 12), "x" + strings.Repeat("👍", 9) + "|👍👍👍"},
		"code is code in both":      {"```\nline 1\nline 2\nline 3\nline 4\n```", "<pre>line 1\nline 2</pre>|<pre>line 3\nline 4</pre>"},
		"code begins a part":        {"Fourteen units\n```\nten units!\n```", "Fourteen units|<pre>ten units!</pre>"},
		"bold goes on":              {"**aaaaaaaaaaaa bbbbbbbbbbbb**", "<bold>aaaaaaaaaaaa</bold>|<bold>bbbbbbbbbbbb</bold>"},
	} {
		var got []string
		for _, p := range read(c.in).split(20) {
			got = append(got, p.told())
		}
		if s := strings.Join(got, "|"); s != c.want {
			t.Errorf("%s: got %q, want %q", name, s, c.want)
		}
	}
}

// sound reports what Telegram would refuse in a part, or what would be shown wrong.
func (r rich) wrong(limit int) string {
	n := len(utf16.Encode([]rune(r.text)))
	switch {
	case n == 0 || n > limit || !utf8.ValidString(r.text) || strings.TrimSpace(r.text) == "":
		return fmt.Sprintf("a text of %d units", n)
	}
	for _, e := range r.entities {
		if e.Offset < 0 || e.Length <= 0 || e.Offset+e.Length > n {
			return fmt.Sprintf("an entity at %d of %d in %d units", e.Offset, e.Length, n)
		}
		if e.Type == models.MessageEntityTypeTextLink && e.URL == "" {
			return "a link to nowhere"
		}
	}
	return ""
}

func letters(s string) string { return strings.Join(strings.Fields(s), "") }

// Whatever a model writes, Telegram takes every part, and nothing of the text is lost between them.
func FuzzReplies(f *testing.F) {
	for _, s := range []string{
		"a **b** _c_ `d` ```\ne\n```", "- x\n  1. y\n> z", "👍👨‍👩‍👧 [l](https://a.b) | c |\n|---|", "&#x1F600; \x00\xff\\*", strings.Repeat("> ", 40) + "x",
		strings.Repeat("word. ", 40), "```\n" + strings.Repeat("code line\n", 20), "# **_~~`x`~~_**",
	} {
		f.Add(s, 20)
	}
	f.Fuzz(func(t *testing.T, md string, limit int) {
		limit = 2 + (limit%200+200)%200
		whole := read(md)
		var all strings.Builder
		for _, p := range whole.split(limit) {
			if why := p.wrong(limit); why != "" {
				t.Fatalf("%q at %d: %s", md, limit, why)
			}
			all.WriteString(p.text)
		}
		if got, want := letters(all.String()), letters(whole.text); got != want {
			t.Fatalf("%q at %d: the parts say %q, want %q", md, limit, got, want)
		}
	})
}
