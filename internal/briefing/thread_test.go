package briefing

import (
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

// remembers is what a proxy puts into a prompt of somebody else's, who has the thread's last messages.
func remembers(snap recaller.Snapshot, t Thread, hits ...recaller.Hit) string {
	t.MemoryOnly()
	req := Request{Query: t.Message, MaxTokens: 4000, Thread: &t}
	return compose(material{snap: snap, found: ranked(hits...)}, now, req, newZones()).Text
}

func TestWhoHasTheLastMessagesIsNotToldThem(t *testing.T) {
	t.Parallel()
	own := recaller.Conversation{ID: "own", Thread: "chat", Channel: recaller.ChannelAPI, StartedAt: ago(time.Hour), Turns: 12}
	hits := []recaller.Hit{
		said("own", 3, recaller.User, time.Hour, "The terrace shall be of larch."),
		said("own", 8, recaller.User, time.Hour, "The terrace is to be done by May."),
		said("other", 11, recaller.User, 3*day, "The terrace was too windy."),
	}
	for _, c := range []struct {
		name string
		snap recaller.Snapshot
	}{
		{"it is open", recaller.Snapshot{Open: []recaller.BrokenOff{{Conversation: own}}}},
		{"it was ended since", recaller.Snapshot{History: []recaller.Conversation{own}}},
	} {
		got := remembers(c.snap, Thread{ID: "chat", Message: "What did we say of the terrace?"}, hits...)
		if !strings.Contains(got, `User: "The terrace shall be of larch."`) || !strings.Contains(got, "windy") || strings.Contains(got, "by May") {
			t.Errorf("%s: want what is older than the last %d messages, got\n%s", c.name, LatestTold, got)
		}
	}
}

func TestAThreadIsNotSummedUpWithWhatWasForgottenSince(t *testing.T) {
	t.Parallel()
	sum := &recaller.ThreadSummary{Text: "The user plans a terrace.", At: ago(day)}
	gone := recaller.Memory{ID: "m", Status: recaller.MemoryForgotten, ClosedAt: ago(time.Hour)}
	before := gone
	before.ClosedAt = ago(2 * day)
	for _, c := range []struct {
		name      string
		forgotten []recaller.Memory
		want      bool
	}{{"nothing", nil, true}, {"before", []recaller.Memory{before}, true}, {"since", []recaller.Memory{gone}, false}} {
		got := remembers(recaller.Snapshot{Forgotten: c.forgotten}, Thread{ID: "chat", Summary: sum, Message: "Hello"})
		if strings.Contains(got, sum.Text) != c.want {
			t.Errorf("%s was forgotten: want the summary told: %v, got\n%s", c.name, c.want, got)
		}
	}
}
