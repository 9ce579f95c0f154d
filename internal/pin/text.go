package pin

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
)

const day = "2 January 2006"

// Content writes a topic as a document: what it is about, where it stands, what is open, and what changed when.
func (t Topic) Content() string {
	var b strings.Builder
	if t.Worded != nil {
		fmt.Fprintf(&b, "**In short:** %s\n\n", t.Worded.Text)
	}
	fmt.Fprintf(&b, "**About:** %s\n\n**Status:** %s\n\n### Current state\n", t.About.told(), t.Status())
	for _, q := range t.Now {
		fmt.Fprintf(&b, "- %s\n", q.told())
	}
	if len(t.Actions) > 0 {
		b.WriteString("\n### Open actions\n")
		for _, q := range t.Actions {
			fmt.Fprintf(&b, "- [ ] %s\n", q.told())
		}
	}
	b.WriteString("\n### History\n")
	for i := len(t.History) - 1; i >= 0; i-- {
		c := t.History[i]
		mark := ""
		if c.Kind != "" {
			mark = string(c.Kind) + ": "
		}
		fmt.Fprintf(&b, "- %s%s\n", mark, c.told())
	}
	if t.Earlier > 0 {
		fmt.Fprintf(&b, "- and %d earlier, since %s\n", t.Earlier, t.First.Format(day))
	}
	return b.String()
}

// Brief tells the topic of a document in a few sentences of at most so many bytes: what it is about, where it stands,
// what is open. Each is told whole, or not at all. It returns false if the document is of no topic. It reads no more of
// the topic than it tells: every briefing of the caller waits for it.
func Brief(d recaller.Document, most int) (text string, ok bool) {
	var t struct {
		Lead    []string `json:"lead"`
		About   Quote    `json:"about"`
		Worded  *Words   `json:"worded"`
		Now     []Quote  `json:"now"`
		Actions []Quote  `json:"actions"`
	}
	if len(d.State) == 0 || json.Unmarshal(d.State, &t) != nil || len(t.Lead) == 0 {
		return "", false
	}
	return Topic{Lead: t.Lead, About: t.About, Worded: t.Worded, Now: t.Now, Actions: t.Actions}.brief(most), true
}

func (t Topic) brief(most int) string {
	var b strings.Builder
	add := func(label string, q Quote) {
		if said := " " + label + q.told(); b.Len()+len(said) <= most {
			b.WriteString(said)
		}
	}
	if t.Worded != nil && len(t.Worded.Text) <= most {
		b.WriteString(t.Worded.Text)
	} else if !t.About.is(t.Now[0]) {
		add("About: ", t.About)
	}
	for _, q := range t.Now {
		add("Now: ", q)
	}
	for _, q := range t.Actions {
		if !slices.ContainsFunc(t.Now, q.is) {
			add("Open: ", q)
		}
	}
	return strings.TrimSpace(b.String())
}

// Status says in a few words whether a topic is open, since when, and how often it came up.
func (t Topic) Status() string {
	state := "open"
	if t.Settled {
		state = "settled"
	}
	return fmt.Sprintf("%s; first spoken of on %s, last on %s, in %d conversations",
		state, t.First.Format(day), t.Latest.Format(day), t.Seen)
}

// is reports whether two quotations are of the same words.
func (q Quote) is(o Quote) bool {
	return q.Conversation == o.Conversation && q.Turn == o.Turn && q.Text == o.Text
}

func (q Quote) told() string {
	who := "caller"
	if q.Speaker == recaller.Assistant {
		who = "agent"
	}
	return q.At.Format(day) + ", " + who + ": " + q.Text
}

// short holds quotations to their bound, at the end of a word.
func short(list []Quote) []Quote {
	for i := range list {
		list[i].Text = cut(list[i].Text, mostQuote)
	}
	return list
}

func cut(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	body := []rune(trimMarks(text))
	kept := string(body[:most-3])
	if i := strings.LastIndexByte(kept, ' '); i > 0 {
		kept = kept[:i]
	}
	if open := strings.LastIndexByte(kept, '['); open > strings.LastIndexByte(kept, ']') { // never half a day
		kept = kept[:open]
	}
	return "“" + strings.TrimRight(kept, " ,;:–-") + "…”"
}

func trimMarks(text string) string { return strings.TrimSuffix(strings.TrimPrefix(text, "“"), "”") }
