// Package asked reads which conversations a search describes: "frustrated customers" are those of a negative mood,
// "text messages last week" those of a channel and a time. It tells a description from the matter searched for: in
// "cancelled flight refund" no outcome is described.
//
// It is pure. Package search decides what becomes of a description.
package asked

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/recallerhq/recaller/internal/recall/token"
	"github.com/recallerhq/recaller/internal/when"
)

// Field is what of a conversation is described.
type Field string

// The fields.
const (
	Sentiment Field = "sentiment"
	Outcome   Field = "outcome"
	Channel   Field = "channel"
	Time      Field = "time"
)

// Description is one description that a query holds.
type Description struct {
	Words      string // of the query
	Field      Field
	Value      string // a label or a channel; empty for a time
	From       time.Time
	Until      time.Time // exclusive; zero: open
	start, end int       // in the query
}

// Covers reports whether a byte of the query is part of the description.
func (d Description) Covers(at int) bool { return d.start <= at && at < d.end }

//go:embed words.txt
var words string

// told is what a word can tell: roles in a query, and values of fields.
type told struct {
	roles  []string
	fields map[Field]string
}

var table = sync.OnceValue(func() map[string]*told {
	all := map[string]*told{}
	for line := range strings.Lines(words) {
		head, list, ok := strings.Cut(line, ":")
		what, value, _ := strings.Cut(head, " ")
		if !ok || what == "#" {
			continue
		}
		for _, w := range strings.Fields(list) {
			t := all[w]
			if t == nil {
				t = &told{fields: map[Field]string{}}
				all[w] = t
			}
			if what == "role" {
				t.roles = append(t.roles, value)
			} else {
				t.fields[Field(what)] = value
			}
		}
	}
	return all
})

// The roles.
const (
	who   = "who"
	talk  = "talk"
	feels = "feels"
	by    = "by"
	made  = "made"
)

// query is a query, word by word.
type query struct {
	text  string
	words []word
}

type word struct {
	folded     string
	start, end int
	*told
}

func (q query) has(i int, roles ...string) bool {
	return i >= 0 && i < len(q.words) &&
		slices.ContainsFunc(roles, func(r string) bool { return slices.Contains(q.words[i].roles, r) })
}

// maxWords bounds the work. Later words describe nothing.
const maxWords = 64

// Read returns what a query describes, in its order, at most one description for each field. now is the time of the
// search, in the zone in which its days begin.
func Read(text string, now time.Time) []Description {
	q := query{text: text}
	nothing := &told{}
	var s token.Scanner
	for s.Reset(text); s.Next() && len(q.words) < maxWords; {
		w := word{folded: string(s.Bytes()), start: s.Start(), told: nothing}
		w.end = w.start
		for w.end < len(text) && text[w.end] != ' ' {
			w.end++
		}
		if t := table()[w.folded]; t != nil {
			w.told = t
		}
		q.words = append(q.words, w)
	}
	var out []Description
	take := func(d Description, ok bool) {
		if ok && !slices.ContainsFunc(out, func(o Description) bool { return o.Field == d.Field }) {
			out = append(out, d)
		}
	}
	for i := range q.words {
		take(q.mood(i))
		take(q.outcome(i))
		take(q.channel(i))
	}
	take(q.time(now))
	slices.SortFunc(out, func(a, b Description) int { return a.start - b.start })
	return out
}

// of makes a description of the words from i to j.
func (q query) of(i, j int, f Field) Description {
	d := Description{Field: f, Value: q.words[i].fields[f], start: q.words[i].start, end: q.words[j].end}
	if d.Value == "" {
		d.Value = q.words[j].fields[f]
	}
	d.Words = strings.TrimRight(q.text[d.start:d.end], ".,;:!?")
	return d
}

// mood: "angry callers", "callers angry about it", "who were angry", and a query of nothing else.
func (q query) mood(i int) (Description, bool) {
	if q.words[i].fields[Sentiment] == "" {
		return Description{}, false
	}
	beside := q.has(i+1, who, talk) || q.has(i-1, who)
	felt := q.has(i-1, feels) &&
		slices.ContainsFunc(q.words[:i], func(w word) bool { return slices.Contains(w.roles, who) })
	return q.of(i, i, Sentiment), beside || felt || len(q.words) == 1
}

// outcome: "unresolved calls", "callers who cancelled", where nothing but a time follows, and a query of nothing else.
func (q query) outcome(i int) (Description, bool) {
	value := q.words[i].fields[Outcome]
	if value == "" {
		return Description{}, false
	}
	beside := q.has(i+1, talk)
	did := i == len(q.words)-1 && i > 0 && (q.has(i-1, who) || q.words[i-1].folded == "who" && q.has(i-2, who))
	return q.of(i, i, Outcome), beside || did || len(q.words) == 1
}

// channel: "text messages about", "by telegram", "web chats".
func (q query) channel(i int) (Description, bool) {
	d := Description{}
	if q.words[i].folded == "web" && i+1 < len(q.words) &&
		(q.words[i+1].folded == "chat" || q.words[i+1].folded == "chats") {
		d = q.of(i, i+1, Channel)
		d.Value = "web-chat"
		return d, true
	}
	if q.words[i].fields[Channel] == "" {
		return d, false
	}
	d = q.of(i, i, Channel)
	if q.has(i+1, talk) {
		return q.of(i, i+1, Channel), true
	}
	over := q.has(i-1, by) || q.has(i-2, by) && q.words[i-1].folded == "the"
	return d, over || len(q.words) == 1 && d.Value != "voice"
}

// time: "last week", "yesterday", "three days ago", "since Monday". A date counts only after a word for the
// conversation ("calls in March"), because it may belong to the matter ("a wedding in March").
func (q query) time(now time.Time) (Description, bool) {
	for _, f := range when.FindWith(q.text, now, when.Options{Lean: when.Behind}) {
		of := strings.ContainsAny(f.Phrase, "'’") || strings.HasPrefix(q.text[f.End:], "'") ||
			strings.HasPrefix(q.text[f.End:], "’")
		if of || !f.Known() || f.Clock || !f.At.Before(now) { // "last week's invoice" is an invoice
			continue
		}
		i := slices.IndexFunc(q.words, func(w word) bool { return w.start >= f.Start })
		if i < 0 {
			continue
		}
		d := Description{
			Words: strings.TrimSpace(f.Phrase), Field: Time, From: f.At, Until: f.Until, start: f.Start, end: f.End,
		}
		if before := i - 1; before >= 0 {
			switch q.words[before].folded {
			case "since", "seit", "desde", "depuis", "dal", "after":
				d.Until, d.start = time.Time{}, q.words[before].start
				d.Words = strings.TrimSpace(q.text[d.start:d.end])
				return d, true
			case "for", "to", "until", "from", "before", "by", "of":
				continue
			}
		}
		if behind(d.Words) || q.has(i-1, made) {
			return d, true
		}
	}
	return Description{}, false
}

// behind reports whether a phrase tells a time by how far back it lies.
func behind(phrase string) bool {
	var s token.Scanner
	for s.Reset(phrase); s.Next(); {
		switch string(s.Bytes()) {
		case "last", "yesterday", "ago", "today", "past", "previous", "this", "gestern", "heute", "letzte", "letzten",
			"letzter", "letztes", "vor",
			"ayer", "hoy", "pasada", "pasado", "hier", "derniere", "dernier", "ieri", "scorsa", "scorso", "ontem",
			"hoje", "passada", "passado":
			return true
		}
	}
	return false
}
