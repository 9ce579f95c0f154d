package pin

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/token"
	"github.com/recallerhq/recaller/internal/speech"
)

// MostPinned is how many topics of a caller are pinned at once: those that were spoken of last. quiet is how long one
// may not be spoken of.
const (
	MostPinned = 8
	quiet      = 365 * 24 * time.Hour
)

// source says in a document where it comes from.
const source = "pin"

// Of returns the topic of a document, with what a client has decided about it since it was written. It returns false if
// the document is of no topic.
func Of(d recaller.Document) (Topic, bool) {
	var t Topic
	if len(d.State) == 0 || json.Unmarshal(d.State, &t) != nil || len(t.Lead) == 0 {
		return Topic{}, false
	}
	if d.Pinned != t.Pinned {
		t.Pinned, t.Hand = d.Pinned, HandOff
		if d.Pinned {
			t.Hand = HandOn
		}
	}
	return t, true
}

// Onto returns a document with what is known of the topic. The words of one that is a client's stay.
func (t Topic) Onto(d recaller.Document, now time.Time) recaller.Document {
	d.Pinned = t.Pinned
	d.State, _ = json.Marshal(t) // it has nothing that JSON cannot hold
	if d.Origin != recaller.DocumentPin {
		return d
	}
	content := t.Content()
	if d.Title != t.Title || d.Content != content {
		d.Title, d.Content, d.UpdatedAt = t.Title, content, now
	}
	d.Source = source
	return d
}

// Choose decides which topics are pinned, as of a time: those that are open and were spoken of last, unless a client
// decided otherwise.
func Choose(topics []Topic, now time.Time) {
	order := make([]int, len(topics))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return topics[b].Latest.Compare(topics[a].Latest) })
	room := MostPinned
	for _, i := range order {
		t := &topics[i]
		t.Pinned = t.Hand == HandOn || t.Hand == "" && !t.Settled && now.Sub(t.Latest) < quiet && room > 0
		if t.Pinned {
			room--
		}
	}
}

// Without returns a topic without the quotations that must not be told. One of which nothing is left, or whose title
// must not be told, is empty.
func (t Topic) Without(hides func(Quote) bool) Topic {
	some := false // of what it was worded from is hidden
	hidden := func(q Quote) bool {
		gone := q.Text == "" || hides(q)
		some = some || gone
		return gone
	}
	if hides(Quote{Speaker: recaller.User, Text: t.Title, At: t.First}) {
		return Topic{}
	}
	t.Now = slices.DeleteFunc(slices.Clone(t.Now), hidden)
	t.Actions = slices.DeleteFunc(slices.Clone(t.Actions), hidden)
	t.History = slices.DeleteFunc(slices.Clone(t.History), func(c Change) bool { return hidden(c.Quote) })
	if len(t.Now) == 0 && len(t.History) > 0 {
		t.Now = []Quote{t.History[len(t.History)-1].Quote}
	}
	if len(t.Now) == 0 {
		return Topic{}
	}
	if hidden(t.About) {
		t.About = t.Now[0]
		if len(t.History) > 0 {
			t.About = t.History[0].Quote
		}
	}
	if some && !t.named() { // what called it so is hidden
		return Topic{}
	}
	if w := t.Worded; some || w != nil && hides(Quote{Speaker: recaller.User, Text: w.Text, At: t.First}) {
		t.Worded = nil
	}
	return t
}

// named reports whether what a topic quotes has a word of its title.
func (t Topic) named() bool {
	quotes := slices.Concat([]Quote{t.About}, t.Now, t.Actions)
	for _, c := range t.History {
		quotes = append(quotes, c.Quote)
	}
	title := map[string]bool{}
	for _, w := range speech.Words(t.Title) {
		title[token.Term(w.Text)] = true
	}
	delete(title, "")
	return slices.ContainsFunc(quotes, func(q Quote) bool {
		return slices.ContainsFunc(speech.Words(q.Text), func(w speech.Word) bool { return title[token.Term(w.Text)] })
	})
}

// Empty reports whether there is nothing to tell of a topic.
func (t Topic) Empty() bool { return len(t.Lead) == 0 }

// Turns returns what a topic quotes as turns of one conversation, in the order in which it was said: what a model words
// it from.
func (t Topic) Turns() []recaller.Turn {
	quotes := append([]Quote{t.About}, t.Now...)
	quotes = append(quotes, t.Actions...)
	for _, c := range t.History {
		quotes = append(quotes, c.Quote)
	}
	slices.SortStableFunc(quotes, func(a, b Quote) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Turn, b.Turn)) })
	quotes = slices.CompactFunc(quotes, Quote.is)
	out := make([]recaller.Turn, len(quotes))
	for i, q := range quotes {
		out[i] = recaller.Turn{Number: i, Speaker: q.Speaker, Text: trimMarks(q.Text), At: q.At, Confidence: 1}
	}
	return out
}
