package storetest

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/vault"
)

// full leaves a row of every kind about a caller of the first tenant.
func (b *bench) full() recaller.Opened {
	b.Helper()
	o := b.open("t1", opening{external: "CA1", name: "Bob", once: recaller.Once{Token: b.id("once"), Request: "x"}})
	b.say("t1", o, "user: one", "assistant: two")
	b.remember("t1", o.Caller.ID, "tea", "Assam")
	_, err := b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{
		Memory: b.memory(o.Caller.ID, "tea", "Darjeeling"), Call: b.toolCall(o, recaller.ToolStoreMemory), Reminder: b.reminder(b.now.AddDate(0, 0, 1)),
	})
	b.ok(err)
	b.indexPaper("t1", b.file("t1", b.paper(o.Caller.ID, "Paper", "a", "b")), toward(0), "tea")
	_, _, err = b.Store.CreateThread(b.ctx, "t1", recaller.ThreadCreating{Thread: b.thread(o.Caller.ID, "the chat")})
	b.ok(err)
	_, err = b.Store.PutCheckpoint(b.ctx, "t1", recaller.Checkpoint{ID: "cp-1", Caller: o.Caller.ID, Summary: "half done", StagingData: []byte(`{}`), LastActivity: b.now, CreatedAt: b.now})
	b.ok(err)
	closed := b.close(o, recaller.Completed)
	b.announced(false, recaller.EventConversationWrittenUp)
	b.ok(b.Store.WrittenUp(b.ctx, "t1", closed.Conversation, recaller.Job{}, b.now))
	b.announced(false)
	b.agreed("t1", o, "tomorrow at nine")
	b.index("t1", o.Conversation, toward(0), "tea")
	b.ok(b.Store.PutTurnVectors(b.ctx, "t1", o.Caller.ID, []recaller.TurnVectors{turnVectors(o.Conversation, "m", 0, 1)}))
	b.ok(b.Store.PutSegment(b.ctx, "t1", o.Caller.ID, "segment", []byte("words"), nil))
	return o
}

func (b *bench) eraseJob(caller recaller.CallerID) recaller.Job {
	return recaller.Job{ID: b.id("job"), Tenant: "t1", Kind: "erase", Subject: string(caller), RunAt: b.now}
}

func erased(b *bench) {
	o := b.full()
	caller, conv := o.Caller.ID, o.Conversation
	set, _, err := b.Store.Reminders(b.ctx, "t1", recaller.ReminderFilter{})
	b.ok(err)
	memory, err := b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{Memory: b.memory(caller, "pet", "Rex")})
	b.ok(err)
	active := b.open("t1", opening{external: "CA2"})
	job := b.eraseJob(caller)
	b.fails(b.Store.BeginErasure(b.ctx, "t1", "nobody", job), recaller.NotFound)
	papersOf := recaller.DocumentFilter{Tags: []string{"a"}}
	paper, _, err := b.Store.Documents(b.ctx, "t1", papersOf)
	b.ok(err)
	b.ok(b.Store.BeginErasure(b.ctx, "t1", caller, job))
	b.ok(b.Store.BeginErasure(b.ctx, "t1", caller, job)) // a client that asks twice

	// The key is not destroyed yet, the rows are all there: still nobody sees the caller, and nothing is added.
	hidden := func() {
		b.Helper()
		_, err := b.Store.Caller(b.ctx, "t1", caller)
		b.fails(err, recaller.NotFound)
		_, err = b.Store.CallerByIdentity(b.ctx, "t1", recaller.Identity{Kind: recaller.IdentityPhone, Value: number})
		b.fails(err, recaller.NotFound)
		_, err = b.Store.ContentVersion(b.ctx, "t1", caller)
		b.fails(err, recaller.NotFound)
		ctx, damage := recaller.WithDamage(b.ctx)
		_, err = b.Store.Snapshot(ctx, "t1", caller)
		b.fails(err, recaller.NotFound)
		eq(b, "rows that are taken for damaged", len(damage.Rows()), 0)
		_, err = b.Store.Corpus(b.ctx, "t1", caller)
		b.fails(err, recaller.NotFound)
		_, err = b.Store.Conversation(b.ctx, "t1", string(conv.ID))
		b.fails(err, recaller.NotFound)
		_, err = b.Store.Conversation(b.ctx, "t1", "CA1")
		b.fails(err, recaller.NotFound)
		_, _, err = b.Store.Memories(b.ctx, "t1", caller, recaller.MemoryFilter{})
		b.fails(err, recaller.NotFound)
		_, err = b.Store.MemoryHistory(b.ctx, "t1", memory.Memory.ID)
		b.fails(err, recaller.NotFound)
		_, err = b.Store.MemoryByID(b.ctx, "t1", memory.Memory.ID)
		b.fails(err, recaller.NotFound)
		_, err = b.Store.Acts(b.ctx, "t1", caller)
		b.fails(err, recaller.NotFound)
		_, err = b.Store.SnapshotAt(b.ctx, "t1", caller, b.now)
		b.fails(err, recaller.NotFound)
		_, _, err = b.Store.ActiveMemories(b.ctx, "t1", caller, -1)
		b.fails(err, recaller.NotFound)
		_, err = b.Store.Reminder(b.ctx, "t1", set[0].ID)
		b.fails(err, recaller.NotFound)
		calls, err := b.Store.ToolCalls(b.ctx, "t1", conv.ID)
		b.ok(err)
		eq(b, "calls of tools", len(calls), 0)
		for _, caller := range []recaller.CallerID{"", caller} {
			list, _, err := b.Store.Reminders(b.ctx, "t1", recaller.ReminderFilter{Caller: caller})
			b.ok(err)
			eq(b, "reminders", len(list), 0)
		}
		_, err = b.Store.Checkpoint(b.ctx, "t1", caller)
		b.fails(err, recaller.NotFound)
		_, err = b.Store.Document(b.ctx, "t1", paper[0].ID)
		b.fails(err, recaller.NotFound)
		papers, _, err := b.Store.Documents(b.ctx, "t1", papersOf)
		b.ok(err)
		eq(b, "documents", len(papers), 0)
		turns, err := b.Store.Turns(b.ctx, "t1", conv)
		if recaller.KindOf(err) != recaller.NotFound {
			b.ok(err)
		}
		eq(b, "turns", len(turns), 0)
		for _, caller := range []recaller.CallerID{"", caller} {
			list, _, err := b.Store.Conversations(b.ctx, "t1", recaller.ConversationFilter{Caller: caller})
			b.ok(err)
			eq(b, "conversations", len(list), 0)
		}
		list, _, err := b.Store.Callers(b.ctx, "t1", recaller.Page{})
		b.ok(err)
		eq(b, "callers", len(list), 0)
		b.refused(active, memory.Memory)
		b.refusedReminder(set[0])
		b.fails(b.Store.AddCost(b.ctx, "t1", conv, recaller.StepExtract, recaller.Cost{Calls: 1}), recaller.NotFound)
	}
	hidden()
	_, err = b.Vault.Destroy(b.ctx, vault.Scope{Tenant: "t1", Caller: caller})
	b.ok(err)
	hidden()
	out, err := b.Store.EraseRows(b.ctx, "t1", caller)
	b.ok(err)
	eq(b, "rows", fmt.Sprint(out.Rows), "map[agreements:1 callers:1 checkpoints:1 conversations:2 document_embeddings:1 document_tags:2 document_word_indexes:1 documents:1 embeddings:1 identities:1 jobs:3 memory_versions:3 recall_segments:1 reminders:1 request_marks:1 threads:1 tool_calls:1 turn_vectors:1 turns:2 webhook_deliveries:1 word_indexes:1 wrapup_steps:4]")
	hidden()
	again, err := b.Store.EraseRows(b.ctx, "t1", caller)
	b.ok(err)
	eq(b, "nothing is left", fmt.Sprint(again.Rows), "map[]")
	b.receipt(job)

	c, err := b.Store.CallerByIdentity(b.ctx, "t2", recaller.Identity{Kind: recaller.IdentityPhone, Value: number})
	b.ok(err)
	eq(b, "the second tenant's caller is still there", c.ID, b.noise.opened.Caller.ID)
	eq(b, "and if he rings again he is new", b.open("t1", opening{external: "CA1"}).FirstTime, true)
}

// refused tries every write about a caller who is being erased.
func (b *bench) refused(o recaller.Opened, m recaller.Memory) {
	b.Helper()
	caller := o.Caller.ID
	_, err := b.Store.AppendTurns(b.ctx, "t1", recaller.Appending{Conversation: o.Conversation.ID, Caller: caller, Turns: b.turns("user: late"), At: b.now})
	b.fails(err, recaller.NotFound)
	_, err = b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{Memory: b.memory(caller, "late", "words")})
	b.fails(err, recaller.NotFound)
	value := "late"
	_, err = b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: m.ID, Patch: recaller.MemoryPatch{Value: &value, At: b.now}})
	b.fails(err, recaller.NotFound)
	_, err = b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: m.ID, Forget: true, Patch: recaller.MemoryPatch{Reason: "forgotten", At: b.now}})
	b.fails(err, recaller.NotFound)
	_, err = b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{Memory: b.memory(caller, m.Key, m.Value), Mode: recaller.IfAbsent, Reminder: b.reminder(b.now)})
	b.fails(err, recaller.NotFound)
	_, err = b.Store.UndoMemory(b.ctx, "t1", recaller.Undoing{ID: m.ID, At: b.now})
	b.fails(err, recaller.NotFound)
	failed := b.toolCall(o, recaller.ToolForgetMemory)
	failed.Caller, failed.Result = caller, string(recaller.NotFound)
	b.fails(b.Store.RecordToolCall(b.ctx, "t1", *failed), recaller.NotFound)
	_, err = b.Store.FileDocument(b.ctx, "t1", recaller.Filing{Document: b.paper(caller, "late")})
	b.fails(err, recaller.NotFound)
	_, err = b.Store.PutCheckpoint(b.ctx, "t1", recaller.Checkpoint{ID: "late", Caller: caller, Summary: "x", StagingData: []byte(`{}`)})
	b.fails(err, recaller.NotFound)
	_, err = b.Store.CloseConversation(b.ctx, "t1", b.closing(o, recaller.Completed))
	b.fails(err, recaller.NotFound)
	_, _, err = b.Store.UpdateCaller(b.ctx, "t1", caller, recaller.CallerPatch{Name: &value, NameSource: recaller.NameSet})
	b.fails(err, recaller.NotFound)
	_, err = b.Store.WriteStep(b.ctx, "t1", recaller.StepResult{
		Conversation: o.Conversation.ID, Caller: caller, Step: recaller.StepExtract, Remembers: true, State: recaller.StepDone, At: b.now,
		Memories: []recaller.Memory{b.memory(caller, "late", "words")},
	})
	if err != nil { // an active conversation has no steps: nothing to do is right, too
		b.fails(err, recaller.NotFound)
	}
}

// refusedReminder tries every write about a reminder of a caller who is being erased.
func (b *bench) refusedReminder(r recaller.Reminder) {
	b.Helper()
	b.fails(b.Store.TryReminder(b.ctx, "t1", r.ID, "timeout", b.now), recaller.NotFound)
	_, err := b.Store.CloseReminder(b.ctx, "t1", r.ID, recaller.ReminderDelivered, "", b.now)
	b.fails(err, recaller.NotFound)
	_, err = b.Store.ReviveReminder(b.ctx, "t1", r.ID, recaller.Job{ID: b.id("job"), Kind: recaller.JobReminder, Subject: string(r.ID), RunAt: b.now}, b.now)
	b.fails(err, recaller.NotFound)
}

// receipt ends an erasure, twice, and reads its receipt.
func (b *bench) receipt(job recaller.Job) {
	b.Helper()
	caller := recaller.CallerID(job.Subject)
	_, err := b.Store.Receipt(b.ctx, "t1", caller)
	b.fails(err, recaller.NotFound)
	r := recaller.Receipt{ID: "r-1", Tenant: "t1", Caller: caller, ErasedAt: b.now, Erased: map[string]int{"turns": 2}, KeyFingerprint: "f", Signature: []byte{1}, PublicKey: []byte{2}}
	b.ok(b.Store.PutReceipt(b.ctx, r, job))
	late := r
	late.ID = "r-2"
	b.ok(b.Store.PutReceipt(b.ctx, late, job))
	got, err := b.Store.Receipt(b.ctx, "t1", caller)
	b.ok(err)
	eq(b, "the first receipt stays", got.ID, r.ID)
	eq(b, "as it was signed", fmt.Sprint(got), fmt.Sprint(r))
	eq(b, "jobs", b.jobCount(), 0)
}

// erasedTwice has one number erased again before the rows of its first caller are gone.
func erasedTwice(b *bench) {
	var callers []recaller.CallerID
	for i := range 3 {
		o := b.open("t1", opening{external: "CA1"})
		eq(b, fmt.Sprint("somebody new ", i), o.FirstTime, true)
		b.say("t1", o, "user: hello")
		b.ok(b.Store.BeginErasure(b.ctx, "t1", o.Caller.ID, b.eraseJob(o.Caller.ID)))
		callers = append(callers, o.Caller.ID)
	}
	for _, caller := range callers {
		_, err := b.Vault.Destroy(b.ctx, vault.Scope{Tenant: "t1", Caller: caller})
		b.ok(err)
		out, err := b.Store.EraseRows(b.ctx, "t1", caller)
		b.ok(err)
		eq(b, "his own rows", fmt.Sprint(out.Rows), "map[callers:1 conversations:1 identities:1 turns:1]")
		b.ok(b.Store.PutReceipt(b.ctx, recaller.Receipt{ID: recaller.ReceiptID("r-" + caller), Tenant: "t1", Caller: caller, ErasedAt: b.now}, b.eraseJob(caller)))
	}
	eq(b, "jobs", b.jobCount(), 0)
}

// erasedWhileCalling erases a caller again and again while his number keeps ringing.
func erasedWhileCalling(b *bench) {
	const rings = 30
	requests := make([]recaller.Opening, rings)
	for i := range requests {
		requests[i] = b.request(opening{})
	}
	var wg sync.WaitGroup
	opened := make(chan recaller.CallerID, rings)
	wg.Go(func() {
		defer close(opened)
		for _, r := range requests {
			o, err := b.Store.OpenConversation(b.ctx, "t1", r)
			if err != nil {
				b.Error(err)
				return
			}
			opened <- o.Caller.ID
		}
	})
	for caller := range opened {
		err := b.Store.BeginErasure(b.ctx, "t1", caller, b.eraseJob(caller))
		if recaller.KindOf(err) == recaller.NotFound {
			continue // erased already
		}
		b.ok(err)
		_, err = b.Vault.Destroy(b.ctx, vault.Scope{Tenant: "t1", Caller: caller})
		b.ok(err)
		_, err = b.Store.EraseRows(b.ctx, "t1", caller)
		b.ok(err)
	}
	wg.Wait()
	eq(b, "conversations that are left", b.rows("conversations", "t1"), 0)
}

func erasedTables(b *bench) {
	o := b.full()
	b.merge(b.other("Karl").Caller.ID, o.Caller.ID)
	tables := b.CallerTables()
	eq(b, "there are tables", len(tables) > 5, true)
	count := func() map[string]int {
		rows := map[string]int{}
		b.ok(b.Engine.Read(b.ctx, "t1", "", func(tx store.Tx) error {
			for _, t := range tables {
				var n int
				if err := tx.QueryRow(b.ctx, `SELECT count(*) FROM `+t+` WHERE tenant_id = $1 AND caller_id = $2`, []any{"t1", o.Caller.ID}, &n); err != nil {
					return err
				}
				rows[t] = n
			}
			return nil
		}))
		return rows
	}
	total := 1 // of table callers itself
	for table, n := range count() {
		if n == 0 {
			b.Errorf("table %s has a caller_id, but the story leaves no row in it", table)
		}
		total += n
	}
	job := b.eraseJob(o.Caller.ID)
	b.ok(b.Store.BeginErasure(b.ctx, "t1", o.Caller.ID, job))
	out, err := b.Store.EraseRows(b.ctx, "t1", o.Caller.ID)
	b.ok(err)
	for table, n := range count() {
		eq(b, "rows left in "+table, n, 0)
	}
	erased := 0
	for _, n := range out.Rows {
		erased += n
	}
	eq(b, "the receipt counts them all", erased, total)
	eq(b, "callers but who was merged", b.rows("callers", "t1"), 1)
}

// rows counts a tenant's rows of a table, below the doors.
func (b *bench) rows(table string, tenant recaller.TenantID) (n int) {
	b.Helper()
	b.ok(b.Engine.Read(b.ctx, tenant, "", func(tx store.Tx) error {
		return tx.QueryRow(b.ctx, `SELECT count(*) FROM `+table+` WHERE tenant_id = $1`, []any{tenant}, &n)
	}))
	return n
}

// groupCommit has writes that fail beside writes that do not.
func groupCommit(b *bench) {
	o := b.open("t1", opening{})
	const writers = 32
	batches := make([][]recaller.Turn, writers)
	for i := range batches {
		batches[i] = b.turns(fmt.Sprint("user: turn ", i))
	}
	refuse := recaller.Errorf(recaller.Conflict, "no")
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			var err error
			switch i % 4 {
			case 0: // fails after it wrote
				err = b.Store.WithTenant(b.ctx, "t1", store.Writing, func(tx store.Tx) error {
					if _, err := tx.Exec(b.ctx, `UPDATE callers SET conversations = 1000 WHERE tenant_id = $1 AND id = $2`, "t1", o.Caller.ID); err != nil {
						return err
					}
					return refuse
				})
			case 1: // a unique key that is there already
				err = b.Store.CreateKey(b.ctx, recaller.APIKey{ID: recaller.KeyID(fmt.Sprint("k", i)), Tenant: "t1", CreatedAt: time.Unix(0, 0)}, []byte("hash of t1"))
			default:
				_, err = b.Store.AppendTurns(b.ctx, "t1", recaller.Appending{Conversation: o.Conversation.ID, Caller: o.Caller.ID, Turns: batches[i], At: b.now})
			}
			if i%4 < 2 != (recaller.KindOf(err) == recaller.Conflict) || (i%4 >= 2 && err != nil) {
				b.Errorf("write %d: got %v", i, err)
			}
		})
	}
	wg.Wait()
	turns, err := b.Store.Turns(b.ctx, "t1", o.Conversation)
	b.ok(err)
	eq(b, "the others stand", len(turns), writers/2)
	c, err := b.Store.Caller(b.ctx, "t1", o.Caller.ID)
	b.ok(err)
	eq(b, "what failed left nothing", c.Conversations, 0)
	keys, err := b.Store.Keys(b.ctx, "t1")
	b.ok(err)
	eq(b, "keys", len(keys), 1)
}

// lostReminder looks for a reminder whose caller's key is destroyed, before another one in the list.
func (b *bench) lostReminder(lost, kept recaller.Reminder) {
	b.Helper()
	first, cursor, err := b.Store.Reminders(b.ctx, "t1", recaller.ReminderFilter{Page: recaller.Page{Limit: 1}})
	b.ok(err)
	rest, _, err := b.Store.Reminders(b.ctx, "t1", recaller.ReminderFilter{Page: recaller.Page{Limit: 1, Cursor: cursor}})
	b.ok(err)
	eq(b, "a page of reminders that is empty", len(first), 0)
	eq(b, "leads on", fmt.Sprint(len(rest), rest[0].ID), fmt.Sprint(1, kept.ID))
	_, err = b.Store.Reminder(b.ctx, "t1", lost.ID)
	b.fails(err, recaller.NotFound)
	b.refusedReminder(lost)
}

// pagesOfErased has a backup of the data restored beside today's keys: rows of a caller come back whose key is
// destroyed.
func pagesOfErased(b *bench) {
	old := []recaller.Conversation{b.finished("t1", "+15551230001"), b.finished("t1", "+15551230002")}
	gone := b.finished("t1", "+15551230003")
	b.later(time.Minute)
	kept := b.remind(b.remember("t1", old[0].Caller, "call", "call him").Memory.ID, b.now.AddDate(0, 0, 2))
	lost := b.remind(b.remember("t1", gone.Caller, "call", "call her").Memory.ID, b.now.AddDate(0, 0, 3)) // listed first
	_, err := b.Store.PutCheckpoint(b.ctx, "t1", recaller.Checkpoint{ID: "cp", Caller: gone.Caller, Summary: "x", StagingData: []byte(`{}`)})
	b.ok(err)
	_, err = b.Vault.Destroy(b.ctx, vault.Scope{Tenant: "t1", Caller: gone.Caller})
	b.ok(err)
	b.lostReminder(lost, kept)
	b.fails(b.Store.DeleteCheckpoint(b.ctx, "t1", gone.Caller), recaller.NotFound)
	var conversations, callers []string
	for page, more := (recaller.Page{Limit: 1}), true; more; more = page.Cursor != "" {
		list, next, err := b.Store.Conversations(b.ctx, "t1", recaller.ConversationFilter{Page: page})
		b.ok(err)
		for _, c := range list {
			conversations = append(conversations, string(c.ID))
		}
		page.Cursor = next
	}
	for page, more := (recaller.Page{Limit: 1}), true; more; more = page.Cursor != "" {
		list, next, err := b.Store.Callers(b.ctx, "t1", page)
		b.ok(err)
		for _, c := range list {
			callers = append(callers, string(c.ID))
		}
		page.Cursor = next
	}
	for _, c := range old {
		eq(b, "listed", slices.Contains(conversations, string(c.ID)), true)
		eq(b, "its caller, too", slices.Contains(callers, string(c.Caller)), true)
	}
	eq(b, "the erased one is listed", slices.Contains(conversations, string(gone.ID)) || slices.Contains(callers, string(gone.Caller)), false)
	found, more, err := b.Store.Unembedded(b.ctx, "t1", recaller.Embeddable{Model: "m-1", Step: recaller.StepEmbed, After: old[1].ID, Limit: 1})
	b.ok(err)
	eq(b, "a page of those to be embedded that is empty leads on", fmt.Sprint(len(found), more), fmt.Sprint(0, gone.ID))
}
