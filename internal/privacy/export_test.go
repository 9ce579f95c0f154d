package privacy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"runtime"
	"slices"
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
		words := b.words(c)
		if c.Turns != len(words) {
			t.Errorf("a conversation counts %d turns and has %d", c.Turns, len(words))
		}
		turns += len(words)
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

func (s talkative) EachTurn(ctx context.Context, t recaller.TenantID, c recaller.Conversation) iter.Seq2[recaller.Turn, error] {
	s.talk()
	return s.Words.EachTurn(ctx, t, c)
}

// An export holds a page of a conversation, however long that is.
func TestAnExportOfALongConversationTakesLittleMemory(t *testing.T) {
	for _, tenant := range []recaller.TenantID{keep, archived} {
		t.Run(string(tenant), func(t *testing.T) {
			b := newBench(t)
			const turns, size = 2000, 2500
			caller := b.talk(tenant, turns, strings.Repeat("word ", size/5))
			got, err := b.Export(t.Context(), tenant, caller)
			b.ok(err)
			before, n := heap(), 0
			for c, err := range got.Conversations {
				b.ok(err)
				for turn, err := range c.Words {
					b.ok(err)
					if turn.Number != n {
						t.Fatalf("got turn %d, want %d", turn.Number, n)
					}
					if n++; n%(turns/4) != 0 {
						continue
					}
					if held := heap() - before; held > turns*size/4 {
						t.Errorf("at turn %d %d bytes are held of %d", n, held, turns*size)
					}
				}
			}
			if n != turns {
				t.Errorf("got %d turns, want %d", n, turns)
			}
		})
	}
}

// talk imports a conversation of many turns, and returns whose it is.
func (b *bench) talk(tenant recaller.TenantID, turns int, text string) recaller.CallerID {
	b.Helper()
	said := slices.Repeat([]conversation.TurnInput{{Speaker: recaller.User, Text: text}}, turns)
	done, err := b.conversations.Import(b.Context(), tenant, conversation.Import{
		Start: conversation.Start{Caller: conversation.CallerRef{Phone: phone}}, StartedAt: b.Clock.Now(), NoWrapup: true, Turns: said,
	})
	b.ok(err)
	return done.Caller.ID
}

// heap is how much memory is in use.
func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// A store that fails while conversations are read is no whole export.
func TestAnExportThatBreaksOffSaysSo(t *testing.T) {
	b := newBench(t)
	caller, _ := b.tell(keep, phone, "ana-7")
	s := privacy.New(privacy.Deps{Store: b.Place.Store, Words: mute{b.conversations}, Tenants: b.settings, Now: b.Clock.Now})
	got, err := s.Export(t.Context(), keep, caller)
	b.ok(err)
	for c, err := range got.Conversations {
		b.ok(err)
		for _, err := range c.Words {
			b.is(err, recaller.Unavailable)
			return
		}
	}
	t.Error("the words could be read")
}

// mute is what cannot be read.
type mute struct{ privacy.Words }

func (mute) EachTurn(context.Context, recaller.TenantID, recaller.Conversation) iter.Seq2[recaller.Turn, error] {
	return func(yield func(recaller.Turn, error) bool) { yield(recaller.Turn{}, recaller.Unavailable) }
}

// whole is an export that was read to its end.
type whole struct {
	privacy.Export
	Reminders     []recaller.Reminder
	Memories      []recaller.Memory
	Documents     []recaller.Document
	Conversations []exported
}

type exported struct {
	privacy.ExportedConversation
	Words []recaller.Turn
}

// words reads the words of an exported conversation to their end.
func (b *bench) words(c privacy.ExportedConversation) (list []recaller.Turn) {
	for t, err := range c.Words {
		b.ok(err)
		list = append(list, t)
	}
	return list
}

// MarshalJSON leaves out what is ranged over.
func (w whole) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{w.Caller, w.Checkpoint, w.Reminders, w.Agreements, w.Memories, w.Documents, w.Conversations})
}

func (b *bench) export(tenant recaller.TenantID, caller recaller.CallerID) (w whole, err error) {
	if w.Export, err = b.Export(b.Context(), tenant, caller); err != nil {
		return w, err
	}
	for r, err := range w.Export.Reminders {
		b.ok(err)
		w.Reminders = append(w.Reminders, r)
	}
	for m, err := range w.Export.Memories {
		b.ok(err)
		w.Memories = append(w.Memories, m)
	}
	for d, err := range w.Export.Documents {
		b.ok(err)
		w.Documents = append(w.Documents, d)
	}
	for c, err := range w.Export.Conversations {
		b.ok(err)
		w.Conversations = append(w.Conversations, exported{c, b.words(c)})
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
