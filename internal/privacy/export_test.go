package privacy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/memory"
	"github.com/recallerhq/recaller/internal/privacy"
)

func TestExportHasEverythingThatWasToldAndNobodyElses(t *testing.T) {
	for _, tenant := range tenants {
		t.Run(string(tenant), func(t *testing.T) {
			b := newBench(t)
			caller, told := b.tell(tenant, phone, "ana-7")
			b.tell(tenant, "+12025550199", "bob-8")
			got, err := b.Export(t.Context(), tenant, caller)
			b.ok(err)
			raw, err := json.Marshal(got)
			b.ok(err)
			staging := string(got.Checkpoint.StagingData)
			for _, word := range told {
				if !bytes.Contains(raw, []byte(word)) && !strings.Contains(staging, word) {
					t.Errorf("the export lacks %q", word)
				}
			}
			for _, word := range []string{"+12025550199", "bob-8"} {
				if bytes.Contains(raw, []byte(word)) {
					t.Errorf("the export holds another caller's %q", word)
				}
			}
			if len(got.Memories) != 3 || len(got.Conversations) != 2 || !got.ExportedAt.Equal(b.Clock.Now()) || got.Caller.ID != caller {
				t.Errorf("got %d memory versions and %d conversations, want 3 and 2", len(got.Memories), len(got.Conversations))
			}
		})
	}
}

func TestExportOfMoreThanAPage(t *testing.T) {
	b := newBench(t)
	caller, _ := b.tell(keep, phone, "ana-7")
	for i := range 205 {
		_, err := b.memories.Store(t.Context(), keep, caller, recaller.Once{}, memory.Input{Type: recaller.Fact, Key: fmt.Sprint("key ", i), Value: "v"})
		b.ok(err)
		_, err = b.conversations.Import(t.Context(), keep, conversation.Import{
			Start: conversation.Start{Caller: conversation.CallerRef{Phone: phone}}, StartedAt: b.Clock.Now(), NoWrapup: true,
			Turns: []conversation.TurnInput{{Speaker: recaller.User, Text: fmt.Sprint("call ", i)}},
		})
		b.ok(err)
	}
	got, err := b.Export(t.Context(), keep, caller)
	b.ok(err)
	keys, said := map[string]bool{}, map[string]bool{}
	for _, m := range got.Memories {
		keys[m.Key] = true
	}
	for _, c := range got.Conversations {
		for _, turn := range c.Words {
			said[turn.Text] = true
		}
	}
	if len(keys) != 207 || len(said) != 207 {
		t.Errorf("got %d keys and %d different words, want 207 of each", len(keys), len(said))
	}
}

// The caller says something while he is exported: the export is of before or after, not of neither.
func TestExportIsOfOneMoment(t *testing.T) {
	b := newBench(t)
	caller, _ := b.tell(keep, phone, "ana-7")
	first, err := b.Export(t.Context(), keep, caller)
	b.ok(err)
	talk := sync.OnceFunc(func() {
		_, _, err := b.conversations.AddTurns(t.Context(), keep, "ana-7-live", recaller.Once{}, []conversation.TurnInput{{Speaker: recaller.User, Text: "one more thing"}})
		b.ok(err)
	})
	s := privacy.New(privacy.Deps{Store: talkative{b.Place.Store, talk}, Words: b.conversations, Tenants: b.settings, Now: b.Clock.Now})
	got, err := s.Export(t.Context(), keep, caller)
	b.ok(err)
	if got.Caller.ContentVersion != first.Caller.ContentVersion+1 || got.Conversations[0].Turns != 3 || len(got.Conversations[0].Words) != 3 {
		t.Errorf("got version %d with %d turns counted, %d there; want them to agree", got.Caller.ContentVersion, got.Conversations[0].Turns, len(got.Conversations[0].Words))
	}
}

// talkative is a store whose caller talks while his memories are read.
type talkative struct {
	privacy.Store
	talk func()
}

func (s talkative) Memories(ctx context.Context, t recaller.TenantID, c recaller.CallerID, f recaller.MemoryFilter) ([]recaller.Memory, string, error) {
	s.talk()
	return s.Store.Memories(ctx, t, c, f)
}

func TestExportOfNobody(t *testing.T) {
	b := newBench(t)
	caller, _ := b.tell(keep, phone, "ana-7")
	for tenant, id := range map[recaller.TenantID]recaller.CallerID{keep: "nobody", archived: caller} {
		_, err := b.Export(t.Context(), tenant, id)
		b.is(err, recaller.NotFound)
	}
}

func TestExportHasRemindersAndWhatToolsDid(t *testing.T) {
	b := newBench(t)
	caller, _ := b.tell(keep, phone, "ana-7")
	before, err := b.Export(t.Context(), keep, caller)
	b.ok(err)
	conv := before.Conversations[0].ID
	_, err = b.memories.Store(t.Context(), keep, caller, recaller.Once{}, memory.Input{
		Type: recaller.FollowUp, Key: "dentist", Value: "Dentist",
		Call:     &recaller.ToolCall{ID: b.NewID(), Conversation: conv, Caller: caller, Tool: recaller.ToolSetReminder, At: b.Clock.Now()},
		Reminder: &recaller.Reminder{ID: recaller.ReminderID(b.NewID()), Caller: caller, Conversation: conv, DueAt: b.Clock.Now().Add(time.Hour), CreatedAt: b.Clock.Now()},
	})
	b.ok(err)
	got, err := b.Export(t.Context(), keep, caller)
	b.ok(err)
	if len(got.Reminders) != 1 || got.Reminders[0].Status != recaller.ReminderPending {
		t.Errorf("got reminders %+v, want the one that was set", got.Reminders)
	}
	calls := got.Conversations[0].ToolCalls
	if len(calls) != 1 || calls[0].Tool != recaller.ToolSetReminder || calls[0].Result != recaller.ToolReminded {
		t.Errorf("got tool calls %+v, want the one that was made", calls)
	}
}
