package forgotten

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/token"
)

// Summary returns a conversation's summary without the lines that tell what was forgotten: those that quote only hidden
// turns, and those that carry a value from before the forgetting. said are the turns, as far as they are known. It is
// nil if no line is left.
func (v View) Summary(conv recaller.Conversation, said []recaller.Turn) *recaller.Summary {
	if v.Empty() || conv.Summary == nil {
		return conv.Summary
	}
	f := v.filter(conv, said)
	s := *conv.Summary
	s.Brief, s.Next = f.brief(s.Brief), f.line(s.Next)
	for _, lines := range []*[]string{&s.Topics, &s.Decisions, &s.Actions, &s.Facts} {
		*lines = f.lines(*lines)
	}
	if s.Brief == "" && s.Next == "" && len(s.Topics)+len(s.Decisions)+len(s.Actions)+len(s.Facts) == 0 {
		return nil
	}
	return &s
}

// Conversation returns a conversation with that Summary.
func (v View) Conversation(conv recaller.Conversation, said []recaller.Turn) recaller.Conversation {
	conv.Summary = v.Summary(conv, said)
	return conv
}

// Text returns a text without the lines that tell of what was forgotten after it was written. One whose title tells of
// that, or of which no line is left, has no words. said are the turns of its conversation, as far as they are known.
func (v View) Text(t recaller.Text, said []recaller.Turn) recaller.Text {
	if v.Empty() {
		return t
	}
	f := v.filter(recaller.Conversation{ID: t.Conversation, StartedAt: t.At}, said)
	if f.line(t.Title) != t.Title {
		t.Title, t.Text = "", ""
	}
	t.Text = strings.Join(f.lines(strings.Split(t.Text, "\n")), "\n")
	return t
}

// filter decides which lines about one conversation stay.
type filter struct {
	things        []thing  // that count for it
	hidden, shown []string // its turns as runs of words, with a space on both sides
}

func (v View) filter(conv recaller.Conversation, said []recaller.Turn) filter {
	var f filter
	for _, t := range v.things {
		if conv.ID == t.asked.Conversation || !conv.StartedAt.After(t.at) {
			f.things = append(f.things, t)
		}
	}
	for _, turn := range said {
		if v.Hides(conv.ID, turn) {
			f.hidden = append(f.hidden, run(turn.Text))
		} else {
			f.shown = append(f.shown, run(turn.Text))
		}
	}
	return f
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
	if line == "" || len(f.things) == 0 {
		return line
	}
	if quotes := quoted(line); len(quotes) > 0 && len(f.hidden)+len(f.shown) > 0 {
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
			if words == " " || among(f.shown, words) {
				continue
			}
			if among(f.hidden, words) || f.tells(piece) {
				return ""
			}
		}
	}
	if f.tells(rest) {
		return ""
	}
	return line
}

func among(runs []string, words string) bool {
	return slices.ContainsFunc(runs, func(r string) bool { return strings.Contains(r, words) })
}

func (f filter) tells(s string) bool {
	said := words(s)
	return slices.ContainsFunc(f.things, func(t thing) bool {
		return t.carriedBy(said) || t.request.in(said)
	})
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

// Snapshot removes from the material of a briefing all that must not be told.
func Snapshot(snap *recaller.Snapshot) {
	v := New(snap.Forgotten)
	if v.Empty() {
		return
	}
	for i, conv := range snap.History {
		snap.History[i] = v.Conversation(conv, snap.Said[conv.ID])
	}
	if b := snap.BrokenOff; b != nil {
		kept := v.brokenOff(*b, snap.Said[b.Conversation.ID])
		snap.BrokenOff = &kept
	}
	for i, b := range snap.Open {
		snap.Open[i] = v.brokenOff(b, nil)
	}
	for i, d := range snap.Pinned {
		snap.Pinned[i] = v.Document(d, nil)
	}
	if c := snap.Checkpoint; c != nil {
		kept := v.Checkpoint(*c)
		snap.Checkpoint = &kept
	}
}

// Agreements returns the agreements without those of their words that must not be told. What was cancelled or moved in
// such words stays so, and the new time stands without words. What was settled anew is left out if its day was named in
// hidden words.
func (v View) Agreements(list []recaller.Agreement) []recaller.Agreement {
	if v.Empty() {
		return list
	}
	var out []recaller.Agreement
	for _, g := range list {
		said := v.sayings(g.By)
		dated := func(s recaller.Saying) bool { return strings.Contains(s.Text, "[") }
		count := func(of []recaller.Saying) (n int) {
			for _, s := range of {
				if dated(s) {
					n++
				}
			}
			return n
		}
		shown := len(said) == len(g.By.Said) || count(said) > 0 && count(said) == count(g.By.Said)
		moves := slices.ContainsFunc(list, func(o recaller.Agreement) bool {
			return o.State == recaller.AgreementMoved && sameAct(o.Ended, g.By)
		})
		if !shown && !moves {
			continue
		}
		g.By.Said = said
		if g.Ended != nil {
			ended := *g.Ended
			ended.Said = v.sayings(ended)
			g.Ended = &ended
		}
		out = append(out, g)
	}
	return out
}

func sameAct(a *recaller.Act, b recaller.Act) bool {
	return a != nil && a.Conversation == b.Conversation && a.SaidAt.Equal(b.SaidAt) && a.At.Equal(b.At) &&
		a.Kind == b.Kind
}

// sayings returns those of an act's words that may be told.
func (v View) sayings(a recaller.Act) []recaller.Saying {
	return slices.DeleteFunc(slices.Clone(a.Said), func(s recaller.Saying) bool {
		return v.Hides(a.Conversation, recaller.Turn{Number: s.Turn, Speaker: s.Speaker, Text: s.Text, At: a.SaidAt})
	})
}

// brokenOff returns a conversation that broke off without what was forgotten of it. all are its turns, where they are
// known.
func (v View) brokenOff(b recaller.BrokenOff, all []recaller.Turn) recaller.BrokenOff {
	if len(all) == 0 {
		all = b.Turns
	}
	return recaller.BrokenOff{
		Conversation: v.Conversation(b.Conversation, all), Turns: v.Turns(b.Conversation.ID, b.Turns),
	}
}

// Checkpoint returns a checkpoint without what was forgotten since it was saved.
func (v View) Checkpoint(c recaller.Checkpoint) recaller.Checkpoint {
	if v.Empty() {
		return c
	}
	f := v.filter(recaller.Conversation{ID: c.Conversation, StartedAt: c.LastActivity}, nil)
	c.Intent, c.Summary = f.line(c.Intent), f.quotations(c.Summary)
	var staging map[string]any
	dec := json.NewDecoder(bytes.NewReader(c.StagingData))
	dec.UseNumber()
	if len(f.things) > 0 && dec.Decode(&staging) == nil {
		if kept, err := json.Marshal(f.value(staging)); err == nil {
			c.StagingData = kept
		}
	}
	return c
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
