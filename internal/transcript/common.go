package transcript

import (
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// FakePhone returns a number for somebody who has none in a file. It is always the same for a name, whatever its case,
// and nobody's, because no plan has the area code 555. "Patricia Brown" is +15554280038 for ever. Two names share a
// number once in ten million pairs.
func FakePhone(name string) string {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(strings.ToLower(strings.Join(strings.Fields(name), " ")))) // never fails
	return fmt.Sprintf("+1555%07d", hash.Sum64()%10_000_000)
}

// add appends a turn under the next number.
func (c *Conversation) add(t recaller.Turn) {
	t.Number = len(c.Turns)
	c.Turns = append(c.Turns, t)
}

// withDefaults fills in the labels that a file left out: a completed inbound call.
func (c Conversation) withDefaults() Conversation {
	if c.Channel == "" {
		c.Channel = recaller.ChannelVoice
	}
	if c.Direction == "" {
		c.Direction = recaller.Inbound
	}
	if c.Status == "" {
		c.Status = recaller.Completed
	}
	return c
}

// unique counts external ids, so that one Parse gives none twice.
type unique map[string]int

// take returns id the first time, and id with a suffix that tells it from the others after that: "s1", "s1#2", "s1#3".
// No id stays no id.
func (u unique) take(id string) string {
	if id == "" {
		return ""
	}
	for {
		u[id]++
		if u[id] == 1 {
			return id
		}
		next := fmt.Sprintf("%s#%d", id, u[id])
		if u[next] == 0 {
			u[next]++
			return next
		}
	}
}

// timeOr reads a time as people and programs write it, in UTC if it has no zone. An empty text gives the fallback.
func timeOr(s string, fallback time.Time) (t time.Time, ok bool) {
	s = strings.TrimSpace(s)
	if s == "" {
		return fallback, true
	}
	for _, layout := range []string{
		time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05",
		"2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02", "2006/01/02 (Mon) 15:04",
	} {
		if t, err := time.Parse(layout, s); err == nil && t.Year() >= 1900 {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// sideOf returns the side that a speaker's label means, by its last telling word: "Caller", "customer 2", "AI Agent",
// "Customer service agent", "Dr. Patel". It is empty if no word tells.
func sideOf(label string) recaller.Speaker {
	words := strings.FieldsFunc(strings.ToLower(label), func(r rune) bool { return !('a' <= r && r <= 'z') })
	for i := len(words) - 1; i >= 0; i-- {
		if side, ok := sides[words[i]]; ok {
			return side
		}
	}
	return ""
}

// sides are the words for who speaks.
var sides = map[string]recaller.Speaker{
	"user": recaller.User, "caller": recaller.User, "customer": recaller.User, "patient": recaller.User,
	"human": recaller.User, "client": recaller.User, "guest": recaller.User, "visitor": recaller.User,

	"assistant": recaller.Assistant, "agent": recaller.Assistant, "bot": recaller.Assistant, "doctor": recaller.Assistant,
	"dr": recaller.Assistant, "ai": recaller.Assistant, "operator": recaller.Assistant,
	"representative": recaller.Assistant, "rep": recaller.Assistant, "receptionist": recaller.Assistant,
	"clerk": recaller.Assistant, "advisor": recaller.Assistant, "adviser": recaller.Assistant,
	"model": recaller.Assistant, "nurse": recaller.Assistant,
}

// isRole reports whether a label is nothing but a word for a side, and so no name.
func isRole(label string) bool {
	_, ok := sides[strings.ToLower(strings.TrimRight(label, " 0123456789#"))]
	return ok
}

// seconds turns a number of seconds into a duration; out of range it is zero.
func seconds(s float64) time.Duration {
	if !(s >= 0 && s < 1e6) {
		return 0
	}
	return time.Duration(s * float64(time.Second)).Round(time.Millisecond)
}
