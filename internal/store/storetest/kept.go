package storetest

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/vault"
)

// keptOf is what a store may keep of a caller: what he is told from, and a thread of his by each of its names.
type keptOf struct {
	snap    recaller.Snapshot
	version int64
	threads []recaller.Thread
	failed  string
}

// readAll reads all that a store may keep of a caller.
func (b *bench) readAll(s *store.Store, caller recaller.CallerID, refs ...string) (out keptOf) {
	var err error
	var failed []string
	kinds := func(err error) { failed = append(failed, string(recaller.KindOf(err))) }
	if out.snap, err = s.Snapshot(b.ctx, "t1", caller); err != nil {
		kinds(err)
	}
	if out.version, err = s.ContentVersion(b.ctx, "t1", caller); err != nil {
		kinds(err)
	}
	for _, ref := range refs {
		t, err := s.Thread(b.ctx, "t1", ref)
		if err != nil {
			kinds(err)
		}
		out.threads = append(out.threads, t)
	}
	out.failed = strings.Join(failed, ", ")
	return out
}

// asStored fails if the store tells of a caller what is not, or not any more, in the database. A store that was just made
// has kept nothing.
func (b *bench) asStored(what string, caller recaller.CallerID, refs ...string) {
	b.Helper()
	for i := range 2 { // what is read is kept, and told again
		got, want := b.readAll(b.Store, caller, refs...), b.readAll(store.New(b.Engine, b.Vault), caller, refs...)
		if !reflect.DeepEqual(got, want) {
			b.Fatalf("%s, read %d: got\n%+v\nwant\n%+v", what, i, got, want)
		}
		b.own(fmt.Sprint(got))
	}
}

// keptAnew writes all that a snapshot or a thread shows, and looks each time whether the store tells what is stored.
func keptAnew(b *bench) {
	o := b.open("t1", opening{external: "CA1", name: "Bob"})
	caller := o.Caller.ID
	in := b.thread(caller, "zq-external")
	t, _, err := b.Store.CreateThread(b.ctx, "t1", recaller.ThreadCreating{Thread: in})
	b.ok(err)
	refs := []string{"zq-external", string(t.ID), "zq-moved"}
	b.asStored("at first", caller, refs...)
	for _, w := range b.writesOf(o, t) {
		w.do()
		b.asStored(w.what, caller, refs...)
	}
}

// write is one that changes what is told of a caller.
type write struct {
	what string
	do   func()
}

func (b *bench) writesOf(o recaller.Opened, t recaller.Thread) []write {
	caller := o.Caller.ID
	tea, paper := recaller.Memory{}, recaller.Document{}
	var live recaller.Conversation
	return append(b.tenantWrites(), []write{
		{"words", func() { b.say("t1", o, "user: one", "assistant: two") }},
		{"a memory", func() { tea = b.remember("t1", caller, "tea", "Assam").Memory }},
		{"the memory changes", func() { b.remember("t1", caller, "tea", "Darjeeling") }},
		{"it has a reminder", func() { b.remind(tea.ID, b.now.AddDate(0, 0, 1)) }},
		{"it is forgotten", func() { b.forget(tea.ID) }},
		{"it comes back", func() { _, err := b.undo(tea.ID, 0); b.ok(err) }},
		{"a checkpoint", func() {
			_, err := b.Store.PutCheckpoint(b.ctx, "t1", recaller.Checkpoint{ID: "cp", Caller: caller, Summary: "half done", StagingData: []byte(`{}`), LastActivity: b.now, CreatedAt: b.now})
			b.ok(err)
		}},
		{"no checkpoint", func() { b.ok(b.Store.DeleteCheckpoint(b.ctx, "t1", caller)) }},
		{"a name", func() {
			name := "Robert"
			_, _, err := b.Store.UpdateCaller(b.ctx, "t1", caller, recaller.CallerPatch{Name: &name, NameSource: recaller.NameSet})
			b.ok(err)
		}},
		{"the end of a call", func() { b.close(o, recaller.Failed) }},
		{"what was agreed", func() { b.agreed("t1", o, "tomorrow at nine") }},
		{"a pinned document", func() {
			d := b.paper(caller, "Paper")
			d.Pinned = true
			paper = b.file("t1", d)
		}},
		{"no document", func() { _, err := b.Store.DeleteDocument(b.ctx, "t1", paper.ID); b.ok(err) }},
		{"a stretch of the thread", func() { live = b.stretch(t, 2) }},
		{"steps of it", func() {
			b.ok(b.Store.OpenSteps(b.ctx, "t1", live, recaller.StepExtract))
		}},
		{"a title", func() {
			title := "The lake"
			_, err := b.Store.ChangeThread(b.ctx, "t1", t.ID, recaller.ThreadPatch{Title: &title})
			b.ok(err)
		}},
		{"a summary of the thread", func() {
			sum := &recaller.ThreadSummary{Text: "Zwiebel", By: recaller.ByRules, Exchanges: 2, At: b.now}
			_, err := b.Store.ChangeThread(b.ctx, "t1", t.ID, recaller.ThreadPatch{Summary: sum})
			b.ok(err)
		}},
		{"another external id", func() {
			moved := "zq-moved"
			_, err := b.Store.ChangeThread(b.ctx, "t1", t.ID, recaller.ThreadPatch{ExternalID: &moved})
			b.ok(err)
		}},
		{"a thread of somebody else's under the one that is free", func() {
			other := b.open("t1", opening{identities: []recaller.Identity{{Kind: recaller.IdentityExternal, Value: "zq-caller"}}}).Caller.ID
			_, _, err := b.Store.CreateThread(b.ctx, "t1", recaller.ThreadCreating{Thread: b.thread(other, "zq-external")})
			b.ok(err)
		}},
		{"a row is damaged", func() {
			b.raws(`UPDATE memories SET confidence = 0.5 WHERE tenant_id = 't1' AND id = '` + string(tea.ID) + `'`)
		}},
	}...)
}

// tenantWrites change what is told of every caller.
func (b *bench) tenantWrites() []write {
	return []write{
		{"settings", func() { b.ok(b.change("t1", func(t *recaller.Tenant) { t.HistoryLimit = 7 })) }},
		{"a persona", func() { b.persona("t1", "calm") }},
	}
}

// keptGone erases a caller, step by step: nothing is told of him from the first one on.
func keptGone(b *bench) {
	o := b.full()
	caller, job := o.Caller.ID, b.eraseJob(o.Caller.ID)
	b.asStored("at first", caller, "the chat")
	b.ok(b.Store.BeginErasure(b.ctx, "t1", caller, job))
	gone := func(what string) {
		b.Helper()
		b.asStored(what, caller, "the chat")
		eq(b, what, b.readAll(b.Store, caller, "the chat").failed, "not found, not found, not found")
	}
	gone("hidden")
	_, err := b.Vault.Destroy(b.ctx, vault.Scope{Tenant: "t1", Caller: caller})
	b.ok(err)
	gone("without a key")
	_, err = b.Store.EraseRows(b.ctx, "t1", caller)
	b.ok(err)
	gone("without rows")
}

// keptUnderKey destroys a key while what it sealed is still stored: nothing is told from memory.
func keptUnderKey(b *bench) {
	o := b.full()
	b.asStored("at first", o.Caller.ID, "the chat")
	_, err := b.Vault.Destroy(b.ctx, vault.Scope{Tenant: "t1", Caller: o.Caller.ID})
	b.ok(err)
	got := b.readAll(b.Store, o.Caller.ID, "the chat")
	eq(b, "memories that are told", len(got.snap.Memories), 0)
	eq(b, "names that are told", got.threads[0].Title+got.snap.Caller.Name, "")
}

// keptApart changes what a reader was given: the next one is given what is stored.
func keptApart(b *bench) {
	o := b.full()
	b.open("t1", opening{external: "CA3"})
	first := b.readAll(b.Store, o.Caller.ID, "the chat")
	for range 2 {
		s := b.readAll(b.Store, o.Caller.ID, "the chat").snap
		s.Caller.Identities[0].Value, s.Checkpoint.Summary, s.Memories[0].Value = "x", "x", "x"
		s.History[0].ID, s.Open[0].Conversation.ID, s.Acts[0].Conversation, s.Reminders[0].Text = "x", "x", "x", "x"
		s.Memories = append(s.Memories[:0], recaller.Memory{})
		if got := b.readAll(b.Store, o.Caller.ID, "the chat"); !reflect.DeepEqual(got, first) {
			b.Fatalf("got\n%+v\nwant\n%+v", got, first)
		}
	}
}

// keptWhileWritten has many read what others write: whoever reads after a write was answered is told of it.
func keptWhileWritten(b *bench) {
	o := b.open("t1", opening{external: "CA1", name: "Bob"})
	stop := make(chan struct{})
	var readers, writers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if _, err := b.Store.Snapshot(b.ctx, "t1", o.Caller.ID); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	memories := make([]recaller.Memory, 2)
	for i := range memories {
		memories[i] = b.memory(o.Caller.ID, fmt.Sprint("count ", i), "")
	}
	for i, m := range memories {
		writers.Go(func() {
			for n := range 25 {
				m.ID, m.Value = recaller.MemoryID(fmt.Sprint("counted-", i, "-", n)), fmt.Sprint(n)
				m.ConfirmedAt = m.ConfirmedAt.Add(time.Second)
				if _, err := b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{Memory: m}); err != nil {
					b.Error(err)
					return
				}
				s, err := b.Store.Snapshot(b.ctx, "t1", o.Caller.ID)
				if err != nil {
					b.Error(err)
					return
				}
				for _, told := range s.Memories {
					if told.Key == m.Key && told.Value != m.Value {
						b.Errorf("got %s, want %s: the write was answered", told.Value, m.Value)
					}
				}
			}
		})
	}
	writers.Wait()
	close(stop)
	readers.Wait()
}

// counting is an engine whose reads are counted.
type counting struct {
	store.Engine
	reads atomic.Int64
}

func (c *counting) Read(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, fn func(store.Tx) error,
) error {
	c.reads.Add(1)
	return c.Engine.Read(ctx, tenant, caller, fn)
}

// keptAtAll counts what is asked of the database: what is kept is not read again, and nothing is kept where others write.
func keptAtAll(b *bench) {
	o := b.full()
	asked := &counting{Engine: b.Engine}
	s := store.New(asked, b.Vault)
	_, keeps := b.Engine.Writes("t1", o.Caller.ID)
	anew := func() bool {
		before := asked.reads.Load()
		b.readAll(s, o.Caller.ID, "the chat")
		return asked.reads.Load() > before
	}
	eq(b, "read at first", anew(), true)
	eq(b, "read again", anew(), !keeps)
	b.remember("t1", o.Caller.ID, "pet", "Rex")
	eq(b, "read after a write", anew(), true)
	b.remember("t1", o.Caller.ID, "pet", "Max")
	b.ok(s.Ahead(b.ctx, "t1", "the chat"))
	eq(b, "read though it was read ahead", anew(), !keeps)
	was, _ := b.Engine.Writes("t1", o.Caller.ID)
	b.open("t1", opening{identities: []recaller.Identity{{Kind: recaller.IdentityExternal, Value: "zq-other"}}})
	if is, _ := b.Engine.Writes("t1", o.Caller.ID); is == was { // else the two share a counter
		eq(b, "read after a write about another", anew(), !keeps)
	}
}
