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
			got, err := b.export(tenant, caller)
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
	got, err := b.export(keep, caller)
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

// The caller says something while he is exported. What he said before is there, and each conversation counts the turns
// that it has.
func TestACallerTalksWhileHeIsExported(t *testing.T) {
	b := newBench(t)
	caller, _ := b.tell(keep, phone, "ana-7")
	talk := sync.OnceFunc(func() {
		_, _, err := b.conversations.AddTurns(t.Context(), keep, "ana-7-live", recaller.Once{}, []conversation.TurnInput{{Speaker: recaller.User, Text: "one more thing"}})
		b.ok(err)
	})
	words := talkative{b.conversations, talk}
	s := privacy.New(privacy.Deps{Store: b.Place.Store, Words: words, Tenants: b.settings, Now: b.Clock.Now})
	got, err := s.Export(t.Context(), keep, caller)
	b.ok(err)
	turns := 0
	for c, err := range got.Conversations {
		b.ok(err)
		if c.Turns != len(c.Words) {
			t.Errorf("a conversation counts %d turns and has %d", c.Turns, len(c.Words))
		}
		turns += len(c.Words)
	}
	again, err := b.export(keep, caller)
	b.ok(err)
	after := 0
	for _, c := range again.Conversations {
		after += len(c.Words)
	}
	if after != turns+1 {
		t.Errorf("got %d turns, and %d in the export after it; want one more", turns, after)
	}
}

// talkative is who talks while his words are read.
type talkative struct {
	privacy.Words
	talk func()
}

func (s talkative) Turns(ctx context.Context, t recaller.TenantID, c recaller.Conversation) ([]recaller.Turn, error) {
	s.talk()
	return s.Words.Turns(ctx, t, c)
}

// A store that fails while conversations are read is no whole export.
func TestAnExportThatBreaksOffSaysSo(t *testing.T) {
	b := newBench(t)
	caller, _ := b.tell(keep, phone, "ana-7")
	s := privacy.New(privacy.Deps{Store: b.Place.Store, Words: mute{b.conversations}, Tenants: b.settings, Now: b.Clock.Now})
	got, err := s.Export(t.Context(), keep, caller)
	b.ok(err)
	for _, err = range got.Conversations {
		continue
	}
	b.is(err, recaller.Unavailable)
}

// mute is what cannot be read.
type mute struct{ privacy.Words }

func (mute) Turns(context.Context, recaller.TenantID, recaller.Conversation) ([]recaller.Turn, error) {
	return nil, recaller.Unavailable
}

// whole is an export that was read to its end.
type whole struct {
	privacy.Export
	Memories      []recaller.Memory
	Conversations []privacy.ExportedConversation
}

// MarshalJSON leaves out what is ranged over.
func (w whole) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{w.Caller, w.Checkpoint, w.Reminders, w.Agreements, w.Memories, w.Conversations})
}

func (b *bench) export(tenant recaller.TenantID, caller recaller.CallerID) (w whole, err error) {
	if w.Export, err = b.Export(b.Context(), tenant, caller); err != nil {
		return w, err
	}
	for m, err := range w.Export.Memories {
		b.ok(err)
		w.Memories = append(w.Memories, m)
	}
	for c, err := range w.Export.Conversations {
		b.ok(err)
		w.Conversations = append(w.Conversations, c)
	}
	return w, nil
}

func TestExportOfNobody(t *testing.T) {
	b := newBench(t)
	caller, _ := b.tell(keep, phone, "ana-7")
	for tenant, id := range map[recaller.TenantID]recaller.CallerID{keep: "nobody", archived: caller} {
		_, err := b.export(tenant, id)
		b.is(err, recaller.NotFound)
	}
}

func TestExportHasRemindersAndWhatToolsDid(t *testing.T) {
	b := newBench(t)
	caller, _ := b.tell(keep, phone, "ana-7")
	before, err := b.export(keep, caller)
	b.ok(err)
	conv := before.Conversations[0].ID
	_, err = b.memories.Store(t.Context(), keep, caller, recaller.Once{}, memory.Input{
		Type: recaller.FollowUp, Key: "dentist", Value: "Dentist",
		Call:     &recaller.ToolCall{ID: b.NewID(), Conversation: conv, Caller: caller, Tool: recaller.ToolSetReminder, At: b.Clock.Now()},
		Reminder: &recaller.Reminder{ID: recaller.ReminderID(b.NewID()), Caller: caller, Conversation: conv, DueAt: b.Clock.Now().Add(time.Hour), CreatedAt: b.Clock.Now()},
	})
	b.ok(err)
	got, err := b.export(keep, caller)
	b.ok(err)
	if len(got.Reminders) != 1 || got.Reminders[0].Status != recaller.ReminderPending {
		t.Errorf("got reminders %+v, want the one that was set", got.Reminders)
	}
	calls := got.Conversations[0].ToolCalls
	if len(calls) != 1 || calls[0].Tool != recaller.ToolSetReminder || calls[0].Result != recaller.ToolReminded {
		t.Errorf("got tool calls %+v, want the one that was made", calls)
	}
}
