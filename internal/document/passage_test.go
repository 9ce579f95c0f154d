package document

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
)

func cutUp(content string) (out []string) {
	for _, p := range passages(recaller.Document{ID: "d", Title: "Handbook", Content: content}) {
		out = append(out, p.Title+": "+p.Text)
	}
	return out
}

func TestPassages(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("A sentence of seven words stands here. ", 12) // 468 bytes
	for name, tt := range map[string]struct {
		content string
		want    []string
	}{
		"short ones together":      {"One.\n\nTwo.\nThree.", []string{"Handbook: One.\nTwo.\nThree."}},
		"each under its heading":   {"Intro.\n# Hours\nNine to five.\n\n## Sundays ##\nClosed.", []string{"Handbook: Intro.", "Handbook, Hours: Nine to five.", "Handbook, Sundays: Closed."}},
		"a heading like the title": {"# Handbook\nAll of it.", []string{"Handbook: All of it."}},
		"a mark is no heading":     {"#hashtag\n#7 is the number", []string{"Handbook: #hashtag\n#7 is the number"}},
		"headings without words":   {"# One\n# Two\nText.", []string{"Handbook, Two: Text."}},
		"paragraphs that are long": {long + "\n\n" + long + "\n\n" + long, []string{"Handbook: " + strings.TrimSpace(long) + "\n" + strings.TrimSpace(long), "Handbook: " + strings.TrimSpace(long)}},
		"nothing but headings":     {"# One", nil},
	} {
		if diff := cmp.Diff(tt.want, cutUp(tt.content)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Whatever a document says, its passages have all of its words in their order, but for headings, and none is long.
func FuzzPassages(f *testing.F) {
	for _, s := range []string{"", "a", "# a\nb", strings.Repeat("ä", 5000), "a\n\n\n\nb\n#  \n#######", strings.Repeat("word ", 4000)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, content string) {
		content = strings.ToValidUTF8(content, "?") // others are refused
		var want strings.Builder
		for line := range strings.SplitSeq(content, "\n") {
			if _, ok := headed(line); !ok {
				want.WriteString(strings.Join(strings.Fields(line), ""))
			}
		}
		var got strings.Builder
		for i, p := range passages(recaller.Document{ID: "d", Title: "t", Content: content}) {
			if p.Part != i || !utf8.ValidString(p.Text) || len(p.Text) > 4*passage {
				t.Fatalf("passage %d: part %d, %d bytes", i, p.Part, len(p.Text))
			}
			got.WriteString(strings.Join(strings.Fields(p.Text), ""))
		}
		if got.String() != want.String() {
			t.Errorf("got %q, want %q", got.String(), want.String())
		}
	})
}
