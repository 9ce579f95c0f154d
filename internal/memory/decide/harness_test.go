package decide

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

// world is what there is to see of one caller: the newest and all other versions of his memories.
type world struct {
	versions []recaller.Memory
	caller   Caller
}

// run asks a rule until it decides, and returns that with what it had to see, in order.
func (w world) run(t *testing.T, rule func(Known) (Decision, error)) (d Decision, looked string, err error) {
	t.Helper()
	known, looks := Known{}, []string{}
	for {
		d, err = rule(known)
		if err != nil || d.Ask == (Question{}) {
			return d, strings.Join(looks, " "), err
		}
		if _, again := known[d.Ask]; again {
			t.Fatalf("asked twice for %+v", d.Ask)
		}
		known[d.Ask] = w.look(d.Ask)
		looks = append(looks, lookNames[d.Ask.Look])
	}
}

var lookNames = map[Look]string{
	Keyed: "keyed", Newest: "newest", Exact: "exact", Past: "past", Closed: "closed", Gone: "gone", Name: "name",
}

func (w world) look(q Question) (a Answer) {
	if q.Look == Name {
		return Answer{Caller: w.caller}
	}
	gone := map[recaller.MemoryID]bool{}
	for _, m := range w.versions {
		gone[m.ID] = m.Status == recaller.MemoryForgotten || m.Status != recaller.MemoryActive && gone[m.ID]
	}
	for _, m := range w.versions { // newest first
		switch key := BareKey(m.Key) == BareKey(q.Key); q.Look {
		case Keyed:
			key = key && m.Status == recaller.MemoryActive
			a.add(key, m)
		case Newest:
			a.add(m.ID == q.ID && len(a.Memories) == 0, m)
		case Exact:
			a.add(m.ID == q.ID && m.Version == q.Version, m)
		case Past:
			a.add(m.ID == q.ID && m.Status == recaller.MemorySuperseded, m)
		case Closed:
			a.add(key && m.Status != recaller.MemoryActive && m.Provenance.Conversation == q.Conversation &&
				m.ClosedAt.UnixMicro() >= q.Since && len(a.Memories) == 0, m)
		case Gone:
			a.add(gone[m.ID], m)
		}
	}
	return a
}

func (a *Answer) add(ok bool, m recaller.Memory) {
	if ok {
		a.Memories = append(a.Memories, m)
	}
}

// days are times: at(3) is three days after the first.
func at(day int) time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).AddDate(0, 0, day) }

// mem is an active memory of the first day; change makes another of it.
func mem(id, key, value string, change ...func(*recaller.Memory)) recaller.Memory {
	m := recaller.Memory{
		ID: recaller.MemoryID(id), Caller: "ana", Version: 1, Type: recaller.Fact, Key: key, Value: value, Confidence: 0.8,
		PrivacyScope: recaller.Shared, Status: recaller.MemoryActive, CreatedAt: at(0), ConfirmedAt: at(0),
	}
	for _, c := range change {
		c(&m)
	}
	return m
}

func version(n int) func(*recaller.Memory) { return func(m *recaller.Memory) { m.Version = n } }

func on(day int) func(*recaller.Memory) {
	return func(m *recaller.Memory) { m.CreatedAt, m.ConfirmedAt = at(day), at(day) }
}

func interim(m *recaller.Memory) { m.Interim = true }

func in(conv string) func(*recaller.Memory) {
	return func(m *recaller.Memory) { m.Provenance.Conversation = recaller.ConversationID(conv) }
}

func also(keys ...string) func(*recaller.Memory) {
	return func(m *recaller.Memory) { m.Aliases = keys }
}

func due(day int) func(*recaller.Memory) {
	return func(m *recaller.Memory) { d := at(day); m.DueAt = &d }
}

func closed(status recaller.MemoryStatus, day int) func(*recaller.Memory) {
	return func(m *recaller.Memory) { m.Status, m.ClosedAt, m.ClosedReason = status, at(day), "updated" }
}

func forgotten(day int, with string) func(*recaller.Memory) {
	return func(m *recaller.Memory) {
		closed(recaller.MemoryForgotten, day)(m)
		m.Forgetting = &recaller.Forgetting{At: at(day), With: recaller.MemoryID(with)}
	}
}

func disputed(value string, day int) func(*recaller.Memory) {
	return func(m *recaller.Memory) { m.Dispute = &recaller.Dispute{Value: value, At: at(day)} }
}

// told is a decision in words: the action, and each write.
func told(d Decision, err error) string {
	if err != nil {
		return string(recaller.KindOf(err))
	}
	out := []string{string(d.Action)}
	for _, w := range d.Writes {
		do := map[Do]string{Insert: "+", Update: "~", Remove: "-"}[w.Do]
		m := w.Memory
		line := fmt.Sprintf("%s%s.%d %s %s=%s", do, m.ID, m.Version, m.Status, m.Key, m.Value)
		if m.ClosedReason != "" {
			line += " (" + m.ClosedReason + ")"
		}
		if m.Interim {
			line += " interim"
		}
		if m.Dispute != nil {
			line += " or " + m.Dispute.Value
		}
		if len(m.Aliases) > 0 {
			line += " also " + strings.Join(m.Aliases, ",")
		}
		out = append(out, line)
	}
	return strings.Join(out, "; ")
}

// check compares what a rule decided, and what it had to see for that.
func check(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %s\nwant %s", what, got, want)
	}
}
