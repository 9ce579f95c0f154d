package forgotten

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/token"
)

// filter decides which lines about one conversation stay.
type filter struct {
	view   View
	conv   recaller.Conversation
	any    bool               // something counts for it
	quotes bool               // the lines quote something
	pieces map[string]*quoter // what the lines quote, as runs of words
	said   bool               // some of its turns are known
}

// quoter says in what turns the words of a quotation stand.
type quoter struct{ shown, hidden bool }

// filter returns one for lines of which the quotations are those of the judged texts. It knows no turn yet.
func (v View) filter(conv recaller.Conversation, judged ...string) filter {
	f := filter{view: v, conv: conv, pieces: map[string]*quoter{}}
	f.any = slices.ContainsFunc(v.things, func(t thing) bool { return f.counts(&t) })
	for _, text := range judged {
		for _, q := range quoted(text) {
			f.quotes = true
			for piece := range strings.SplitSeq(unmarked(q), "…") {
				if words := run(piece); words != " " {
					f.pieces[words] = &quoter{}
				}
			}
		}
	}
	return f
}

// filtered is filter, with the turns that are known.
func (v View) filtered(conv recaller.Conversation, said []recaller.Turn, judged ...string) filter {
	f := v.filter(conv, judged...)
	for _, turn := range said {
		f.read(turn, func() bool { return v.Hides(conv.ID, turn) })
	}
	return f
}

// read takes note of what a turn says of the quotations. It asks whether the turn is hidden only if it says any.
func (f *filter) read(turn recaller.Turn, hides func() bool) {
	f.said = true
	if len(f.pieces) == 0 || !f.any {
		return
	}
	words, hides := run(turn.Text), sync.OnceValue(hides)
	for piece, in := range f.pieces {
		if known := in.shown && in.hidden; !known && strings.Contains(words, piece) {
			in.shown, in.hidden = in.shown || !hides(), in.hidden || hides()
		}
	}
}

func (f filter) lines(list []string) []string {
	var out []string
	for _, line := range list {
		if line = f.line(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// line returns a line without the sentences that must not be told. A line with quotations stays or goes whole.
func (f filter) line(line string) string {
	if line == "" || !f.any {
		return line
	}
	if quotes := quoted(line); len(quotes) > 0 && f.said {
		return f.quoting(line, quotes)
	}
	if !f.tells(line) {
		return line
	}
	if rest := strings.Join(slices.DeleteFunc(sentences(line), f.tells), " "); rest != "" && !f.tells(rest) {
		return rest
	}
	return ""
}

// brief returns a brief without what must not be told. If it consists of quotations, those that may be told stay,
// except a question whose answer goes.
func (f filter) brief(text string) string {
	whole := f.line(text)
	quotes := quoted(text)
	if whole != "" || len(quotes) < 2 {
		return whole
	}
	var kept []string
	from := 0
	for _, q := range quotes {
		at := from + strings.Index(text[from:], q)
		label := strings.TrimSpace(text[from:at])
		from = at + len(q)
		if label != "Agent:" && label != "Caller:" { // the rules did not write it
			return ""
		}
		if one := label + " " + q; f.line(one) != "" {
			kept = append(kept, one)
		} else if n := len(kept) - 1; n >= 0 && strings.HasSuffix(kept[n], "?”") {
			kept = kept[:n]
		}
	}
	return strings.Join(kept, " ")
}

// quotations returns a text of labelled quotations without those that must not be told. Of another text it returns what
// line does.
func (f filter) quotations(text string) string {
	var kept []string
	from := 0
	for _, q := range quoted(text) {
		at := from + strings.Index(text[from:], q)
		label := strings.TrimSpace(text[from:at])
		if label != "Agent:" && label != "Caller:" {
			return f.line(text)
		}
		if from = at + len(q); !f.tells(q) {
			kept = append(kept, label+" "+q)
		}
	}
	if from == 0 || strings.TrimSpace(text[from:]) != "" {
		return f.line(text)
	}
	return strings.Join(kept, " ")
}

// quoting judges a line by its quotations. Those of hidden turns are never told. Those of others are, if nothing beside
// them carries what was forgotten.
func (f filter) quoting(line string, quotes []string) string {
	rest := line
	for _, q := range quotes {
		rest = strings.ReplaceAll(rest, q, "")
		for piece := range strings.SplitSeq(unmarked(q), "…") {
			words := run(piece)
			in := f.pieces[words]
			if words == " " || in != nil && in.shown {
				continue
			}
			if in != nil && in.hidden || f.tells(piece) {
				return ""
			}
		}
	}
	if f.tells(rest) {
		return ""
	}
	return line
}

// counts reports whether a thing counts for the conversation.
func (f filter) counts(t *thing) bool {
	return f.conv.ID == t.asked.Conversation || !f.conv.StartedAt.After(t.at)
}

func (f filter) tells(s string) bool {
	if !f.any {
		return false
	}
	said, x := words(s), f.view.index()
	return x.carries(said, f.counts) || x.named(said, f.counts)
}

// quoted returns the quotations in a line, with their marks.
func quoted(line string) []string {
	var out []string
	for {
		from := strings.Index(line, "“")
		if from < 0 {
			return out
		}
		end := strings.Index(line[from:], "”")
		if end < 0 {
			return out
		}
		end += from + len("”")
		out = append(out, line[from:end])
		line = line[end:]
	}
}

// unmarked returns a quotation without its marks, and without what stands in brackets beside the words.
func unmarked(quote string) string {
	quote = strings.Trim(quote, "“”")
	for {
		from := strings.IndexByte(quote, '[')
		end := strings.IndexByte(quote, ']')
		if from < 0 || end < from {
			return quote
		}
		quote = quote[:from] + quote[end+1:]
	}
}

// run returns a text as its folded words, with a space around each.
func run(text string) string {
	var b strings.Builder
	b.WriteByte(' ')
	var scan token.Scanner
	for scan.Reset(text); scan.Next(); {
		b.Write(scan.Bytes())
		b.WriteByte(' ')
	}
	return b.String()
}

// sentences cuts a line after whatever ends a sentence.
func sentences(line string) []string {
	var out []string
	from := 0
	for i, r := range line {
		if strings.ContainsRune(".!?;", r) && (i+1 == len(line) || line[i+1] == ' ') {
			out = append(out, strings.TrimSpace(line[from:i+1]))
			from = i + 1
		}
	}
	if rest := strings.TrimSpace(line[from:]); rest != "" {
		out = append(out, rest)
	}
	return out
}

// value returns a JSON value without the texts that must not be told; nil if it is one.
func (f filter) value(v any) any {
	switch v := v.(type) {
	case string:
		if f.tells(v) {
			return nil
		}
	case json.Number:
		if f.tells(v.String()) {
			return nil
		}
	case []any:
		for i := range v {
			v[i] = f.value(v[i])
		}
		return slices.DeleteFunc(v, func(x any) bool { return x == nil })
	case map[string]any:
		for key, of := range v {
			if v[key] = f.value(of); of != nil && v[key] == nil {
				delete(v, key)
			}
		}
	}
	return v
}
