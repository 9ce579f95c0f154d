package forgotten

import (
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/pin"
)

// Document returns a document without what tells of what was forgotten after it was written: see Text. That of a topic is
// told anew from the quotations that stay. said are the turns of its conversation, as far as they are known.
func (v View) Document(d recaller.Document, said []recaller.Turn) recaller.Document {
	if v.Empty() {
		return d
	}
	t, ok := pin.Of(d)
	if !ok || d.Origin != recaller.DocumentPin {
		of := recaller.Conversation{ID: d.Conversation, StartedAt: d.CreatedAt}
		f := v.filtered(of, said, append(strings.Split(d.Content, "\n"), d.Title)...)
		if d.Content = f.paper(d.Content); f.line(d.Title) != d.Title {
			d.Title, d.Content = "", ""
		}
		return d
	}
	t = t.Without(func(q pin.Quote) bool {
		return v.Hides(q.Conversation, recaller.Turn{Number: q.Turn, Speaker: q.Speaker, Text: q.Text, At: q.At})
	})
	if t.Empty() {
		d.Title, d.Content, d.State = "", "", nil
		return d
	}
	return t.Onto(d, d.UpdatedAt)
}

// headings is how many levels of headings there are.
const headings = 6

// paper leaves lines out of a text, and keeps its form: empty lines stay between what is left, and a heading goes with
// the last of the lines that stood below it.
func (f filter) paper(text string) string {
	lines := strings.Split(text, "\n")
	var had, has [headings + 1]bool // by level, of the section that is read, from its end on
	var kept []string               // the last line first
	for _, line := range slices.Backward(lines) {
		left, level := f.line(line), level(line)
		switch {
		case strings.TrimSpace(line) == "":
			if len(kept) > 0 && kept[len(kept)-1] != "" {
				kept = append(kept, "")
			}
			continue
		case level == 0:
			for i := range had {
				had[i], has[i] = true, has[i] || left != ""
			}
		case left != line || had[level] && !has[level]: // what a heading tells goes with it
			left = ""
		}
		if level > 0 {
			for i := level; i <= headings; i++ {
				had[i], has[i] = false, false
			}
		}
		if left != "" {
			kept = append(kept, left)
		}
	}
	slices.Reverse(kept)
	return strings.TrimSpace(strings.Join(kept, "\n"))
}

// level returns the level of a heading in Markdown; 0: the line is none.
func level(line string) int {
	rest := strings.TrimLeft(line, "#")
	if n := len(line) - len(rest); n <= headings && strings.HasPrefix(rest, " ") {
		return n
	}
	return 0
}
