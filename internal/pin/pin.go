// Package pin finds the topics that a caller comes back to, and keeps what is known of each up to date (spec V8): what
// it is about, where it stands, what is still to be done, and what changed when. It goes by rules, and every sentence
// that a topic shows is a quotation with the day on which it was said (B16).
//
// A topic has a specific thing that the caller himself speaks of in several conversations: a name or a rare noun ("the
// boiler", "Dubai"), or two less rare ones in one breath ("kitchen renovation"). Words that a business hears all day,
// people, times and amounts make none. To miss a topic is better than to pin nonsense.
//
// Only the conversation that has just ended is read for topics that exist. Earlier ones are looked at for what may
// become a topic with it. The package is pure, and does not store, tell or word anything anew.
package pin

import (
	"cmp"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
)

// Conversation is one that ended, with its words as far as they are kept. What must not be told has no text.
type Conversation struct {
	ID        recaller.ConversationID
	StartedAt time.Time // in the caller's zone
	Turns     []recaller.Turn
	Acts      []recaller.Act // what was agreed on in it about times; only of the newest
}

// Options say how topics are found.
type Options struct {
	After    int      // how many conversations make a topic of what they share; below 1: none are made
	DayFirst bool     // 5/12 is 5 December
	Own      []string // texts of the business about itself, and names: their words make no topic
}

// Topic is what is known of one topic. It is kept as JSON.
type Topic struct {
	Title string `json:"title"`
	// Lead are the terms that it is recognised by: one that is enough, or two that must come together. With are others
	// that come with them: two of them are enough as well.
	Lead []string `json:"lead"`
	With []string `json:"with,omitempty"`
	// Also are the leads of topics that were merged into this one.
	Also    [][]string                `json:"also,omitempty"`
	Seen    int                       `json:"seen"` // in how many conversations
	Last    []recaller.ConversationID `json:"last"` // the latest of them
	First   time.Time                 `json:"first"`
	Latest  time.Time                 `json:"latest"`
	Settled bool                      `json:"settled,omitempty"`
	About   Quote                     `json:"about"`
	Worded  *Words                    `json:"worded,omitempty"` // what a model says of it as it stands; nil: nothing
	Now     []Quote                   `json:"now"`
	Actions []Quote                   `json:"actions,omitempty"`
	History []Change                  `json:"history"`           // oldest first
	Earlier int                       `json:"earlier,omitempty"` // changes that are not listed any more
	Agreed  []recaller.Stretch        `json:"agreed,omitempty"`  // the times that were agreed on, as long as they lie ahead
	Pinned  bool                      `json:"pinned,omitempty"`  // whether its document was made a pinned one
	Hand    Hand                      `json:"hand,omitempty"`    // what a client made of that since
	Merged  []recaller.DocumentID     `json:"merged,omitempty"`  // of the topics that were merged into this one
}

// Hand says what a client decided about a topic's document. Empty: nothing.
type Hand string

// What a client may decide: that it is pinned, or not, whatever becomes of the topic.
const (
	HandOn  Hand = "on"
	HandOff Hand = "off"
)

// Quote is something that was said, with who said it and when.
type Quote struct {
	Conversation recaller.ConversationID `json:"conversation"`
	Turn         int                     `json:"turn"`
	Speaker      recaller.Speaker        `json:"speaker"`
	Text         string                  `json:"text"` // a quotation, with its marks
	At           time.Time               `json:"at"`   // in the caller's zone
}

// Words are what a model says of a topic, after a conversation.
type Words struct {
	Text         string                  `json:"text"`
	By           string                  `json:"by"` // the model's name
	Conversation recaller.ConversationID `json:"conversation"`
}

// Change is what one conversation changed of a topic.
type Change struct {
	Kind ChangeKind `json:"kind,omitempty"`
	Quote
}

// ChangeKind says what a conversation did to a topic. Empty: it was spoken of.
type ChangeKind string

// The kinds of changes that are told as such.
const (
	Settled  ChangeKind = "settled"
	Reopened ChangeKind = "reopened"
)

// Bounds of a topic, and of what is looked at.
const (
	MostTopics  = 24 // of one caller that are kept up to date
	mostNew     = 2  // topics that one conversation makes
	mostNow     = 2
	mostActions = 3
	mostHistory = 8
	mostLast    = 6
	mostQuote   = 220 // characters
	actionsLast = 90 * 24 * time.Hour
)

// Read returns the topics as they are after a conversation: those that were known, changed where it touches them, and
// those that it makes. changed tells of each whether it is another now; new ones are. earlier are conversations before
// it, in any order. A conversation that a topic has seen does not change it again.
func Read(c Conversation, earlier []Conversation, known []Topic, opts Options) (topics []Topic, changed []bool) {
	r := newReader(opts)
	now := r.read(c)
	topics, changed = slices.Clone(known), make([]bool, len(known))
	for i := range topics {
		if !slices.Contains(topics[i].Last, c.ID) && !c.StartedAt.Before(topics[i].Latest) {
			topics[i], changed[i] = r.update(topics[i], now)
		}
	}
	for _, t := range r.find(now, earlier, topics) {
		topics, changed = append(topics, t), append(changed, true)
	}
	return topics, changed
}

// Merge returns a topic with what is known of another: later conversations about either are about it.
func Merge(into, from Topic) Topic {
	into.Also = append(append(slices.Clone(into.Also), from.Lead), from.Also...)
	into.Merged = union(into.Merged, from.Merged)
	into.With = union(into.With, from.With)
	into.Seen += from.Seen
	for _, id := range from.Last {
		if slices.Contains(into.Last, id) {
			into.Seen--
		}
	}
	into.Last, into.Worded = union(into.Last, from.Last), nil
	if from.First.Before(into.First) {
		into.First, into.About = from.First, from.About
	}
	if from.Latest.After(into.Latest) {
		into.Latest, into.Now, into.Settled = from.Latest, from.Now, from.Settled
	}
	into.Actions = newest(append(slices.Clone(into.Actions), from.Actions...), mostActions)
	into.History = append(slices.Clone(into.History), from.History...)
	slices.SortStableFunc(into.History, func(a, b Change) int { return a.At.Compare(b.At) })
	into.Earlier += from.Earlier
	into.Agreed = append(slices.Clone(into.Agreed), from.Agreed...)
	return into.bounded()
}

// bounded holds a topic to its bounds. Of the history the latest changes stay.
func (t Topic) bounded() Topic {
	if n := len(t.History) - mostHistory; n > 0 {
		t.History, t.Earlier = slices.Clone(t.History[n:]), t.Earlier+n
	}
	if n := len(t.Last) - mostLast; n > 0 {
		t.Last = slices.Clone(t.Last[n:])
	}
	return t
}

// newest returns the n quotes that were said last, latest first.
func newest(list []Quote, n int) []Quote {
	slices.SortStableFunc(list, func(a, b Quote) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Turn, b.Turn)) })
	return list[:min(n, len(list))]
}

func union[T comparable](a, b []T) []T {
	out := slices.Clone(a)
	for _, x := range b {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}
