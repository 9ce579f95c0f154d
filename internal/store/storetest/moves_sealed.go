package storetest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// notMoved are sealed columns of callers whose values do not go along with a move, and why.
var notMoved = map[string]string{
	"recall_segments.body": "made anew",
	"conversations.head":   "only one that goes on has it, and that is not moved",
	"moves.body":           "the record of an earlier move stays where it was written",
}

// sealedOf returns the sealed values of a caller's rows, by table.column.
func (b *bench) sealedOf(caller recaller.CallerID) map[string][]string {
	b.Helper()
	out, tables := map[string][]string{}, b.CallerTables()
	b.ok(b.Engine.Read(b.ctx, "t1", "", func(tx store.Tx) error {
		for _, column := range SealedColumns() {
			table, name, _ := strings.Cut(column, ".")
			if !slices.Contains(tables, table) {
				continue
			}
			out[column] = nil
			err := tx.QueryAll(b.ctx, store.Query{
				SQL:  `SELECT ` + name + ` FROM ` + table + ` WHERE tenant_id = $1 AND caller_id = $2`,
				Args: []any{"t1", caller}, Row: func(scan func(...any) error) error {
					var value []byte
					if err := scan(&value); err != nil {
						return err
					}
					if len(value) > 0 {
						out[column] = append(out[column], string(value))
					}
					return nil
				},
			})
			if err != nil {
				return fmt.Errorf("%s: %w", column, err)
			}
		}
		return nil
	}))
	return out
}

// sealedAnew: every sealed value of a caller who is merged is sealed for the other. A column that a move forgets would
// be the other's, and open for nobody.
func sealedAnew(b *bench) {
	ann, karl := b.full(), b.other("Karl")
	from, to := ann.Caller.ID, karl.Caller.ID
	due := b.now.AddDate(0, 0, 1)
	told, err := b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{
		Memory: b.memory(from, "dentist", "the dentist"), Reminder: &recaller.Reminder{ID: "with words", DueAt: due, Text: "to the dentist"},
	})
	b.ok(err)
	b.step(b.remind(told.Memory.ID, due).ID, due, recaller.ErrandWrite{Errand: recaller.Errand{
		Due: due, Means: recaller.MeansRing, State: recaller.ErrandWaiting, Begun: due, Since: due, Next: due.Add(time.Hour), To: number,
	}})
	paper := b.file("t1", b.paper(from, "Delivered", "a"))
	paper.Delivery = recaller.Delivery{State: recaller.DeliveryDone, Remote: "over there"}
	b.ok(b.Store.MarkDelivery(b.ctx, "t1", paper, paper.Version))
	before := b.sealedOf(from)
	b.merge(from, to)
	after := b.sealedOf(to)
	for column := range before {
		if notMoved[column] != "" {
			continue
		}
		if len(before[column]) == 0 {
			b.Errorf("the story has nothing in %s: it cannot tell whether a move takes it along", column)
		}
		for _, value := range before[column] {
			if slices.Contains(after[column], value) {
				b.Errorf("%s goes to another caller as it was sealed: store/move*.go forgets it", column)
			}
		}
	}
}

// notSplit are sealed columns of which a split leaves nothing with the new caller, and why.
var notSplit = map[string]string{
	"recall_segments.body": "made anew",
	"conversations.head":   "only one that goes on has it, and that is not moved",
}

// notHanded are those of which a hand-over leaves nothing: all but who the other is, and the conversation with its words.
func notHanded(column string) bool {
	return !slices.Contains([]string{"callers.body", "callers.register", "identities.value", "conversations.body", "conversations.head", "turns.body"}, column)
}

// everything is what comes of a conversation: each thing that is kept by its id, or with words of it.
func (b *bench) everything(o recaller.Opened) {
	b.Helper()
	of := func(key, value string) recaller.Memory {
		m := b.memory(o.Caller.ID, key, value)
		m.Provenance = recaller.Provenance{Conversation: o.Conversation.ID, Turns: []int{0}}
		return m
	}
	due := b.now.AddDate(0, 0, 1)
	told, err := b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{
		Memory: of("dentist", "the dentist"), Call: b.toolCall(o, recaller.ToolSetReminder),
		Reminder: &recaller.Reminder{ID: "with words", Conversation: o.Conversation.ID, DueAt: due, Text: "to the dentist"},
	})
	b.ok(err)
	b.step(b.remind(told.Memory.ID, due).ID, due, recaller.ErrandWrite{Conversation: o.Conversation.ID, Errand: recaller.Errand{
		Due: due, Means: recaller.MeansRing, State: recaller.ErrandWaiting, Begun: due, Since: due, Next: due.Add(time.Hour), To: number,
	}})
	paper := b.paper(o.Caller.ID, "What was said", "a", "b")
	paper.Origin, paper.Conversation = recaller.DocumentSession, o.Conversation.ID
	paper = b.file("t1", paper)
	b.indexPaper("t1", paper, toward(0), "tea")
	paper.Delivery = recaller.Delivery{State: recaller.DeliveryDone, Remote: "over there"}
	b.ok(b.Store.MarkDelivery(b.ctx, "t1", paper, paper.Version))
	_, err = b.Store.PutCheckpoint(b.ctx, "t1", recaller.Checkpoint{
		ID: "cp", Caller: o.Caller.ID, Source: recaller.CheckpointFound, Conversation: o.Conversation.ID, Summary: "half done", StagingData: []byte(`{}`), LastActivity: b.now, CreatedAt: b.now,
	})
	b.ok(err)
	b.agreed("t1", o, "tomorrow at nine")
	b.index("t1", o.Conversation, toward(0), "tea")
	b.ok(b.Store.PutTurnVectors(b.ctx, "t1", o.Caller.ID, []recaller.TurnVectors{turnVectors(o.Conversation, "m", 0, 1)}))
	b.ok(b.Store.PutSegment(b.ctx, "t1", o.Caller.ID, "segment", []byte("words"), nil))
}

// undamaged wants every sealed value to open with the key of whose it is.
func (b *bench) undamaged() {
	b.Helper()
	ctx, damage := recaller.WithDamage(b.ctx)
	_, err := b.Store.Examine(ctx)
	b.ok(err)
	eq(b, "damaged rows", fmt.Sprint(damage.Rows()), "[]")
}

// naming counts the rows of a caller that name a conversation, by table.column.
func (b *bench) naming(caller recaller.CallerID, conv recaller.ConversationID) string {
	b.Helper()
	var out []string
	tables := b.CallerTables()
	b.ok(b.Engine.Read(b.ctx, "t1", "", func(tx store.Tx) error {
		for _, column := range strings.Fields(classes) {
			table, name, _ := strings.Cut(column, ".")
			if !slices.Contains(tables, table) || name != "conversation_id" && name != "reached_in" && column != "jobs.subject" {
				continue
			}
			var n int
			err := tx.QueryRow(b.ctx, `SELECT count(*) FROM `+table+` WHERE tenant_id = $1 AND caller_id = $2 AND `+name+` = $3`, []any{"t1", caller, conv}, &n)
			if err != nil {
				return fmt.Errorf("%s: %w", column, err)
			}
			if n > 0 {
				out = append(out, fmt.Sprint(column, " ", n))
			}
		}
		return nil
	}))
	return strings.Join(out, ", ")
}

// splitSealedAnew: all that came of a conversation goes with it to the new caller, sealed for them; what is the first's alone,
// as the id of a visitor and a PIN, stays.
func splitSealedAnew(b *bench) {
	visitor := recaller.Identity{Kind: recaller.IdentityExternal, Value: recaller.VisitorPrefix + "x"}
	both := []recaller.Identity{{Kind: recaller.IdentityPhone, Value: number}, visitor}
	karl := b.open("t1", opening{identities: both, name: "Karl"})
	from := karl.Caller.ID
	b.say("t1", karl, "user: my boiler leaks")
	b.close(karl, recaller.Completed)
	b.remember("t1", from, "boiler", "Vaillant")
	_, _, err := b.Store.SetPIN(b.ctx, "t1", from, []byte(strings.Repeat("h", 48)))
	b.ok(err)
	chat, _, err := b.Store.CreateThread(b.ctx, "t1", recaller.ThreadCreating{Thread: b.thread(from, "the chat")})
	b.ok(err)
	stretch := recaller.Opened{Caller: karl.Caller, Conversation: b.stretch(chat, 1)}
	b.close(stretch, recaller.Completed)
	b.later(time.Hour)
	anna := b.open("t1", opening{identities: both, external: "CA2"})
	b.say("t1", anna, "user: this is Anna", "assistant: hello")
	b.announced(false, recaller.EventTypes()...)
	closed := b.close(anna, recaller.Completed)
	b.everything(anna)
	b.announced(false)
	before, named := b.sealedOf(from), b.naming(from, closed.Conversation.ID)
	b.undamaged()
	_, err = b.Store.Split(b.ctx, "t1", recaller.Splitting{
		ID: "split", From: from, NewCaller: "caller-anna", Name: "Anna", At: b.later(time.Minute),
		Conversations: []recaller.ConversationID{anna.Conversation.ID, stretch.Conversation.ID},
	})
	b.ok(err)
	after := b.sealedOf("caller-anna")
	for column, values := range before {
		switch {
		case notSplit[column] != "", column == "moves.body":
		case len(values) == 0:
			b.Errorf("the story has nothing in %s: it cannot tell whether a split takes it along", column)
		case len(after[column]) == 0:
			b.Errorf("%s does not go along: store/move*.go forgets it", column)
		}
		for _, value := range values {
			if slices.Contains(after[column], value) {
				b.Errorf("%s goes to another caller as it was sealed: store/move*.go forgets it", column)
			}
		}
	}
	eq(b, "all that names it goes along", b.naming("caller-anna", closed.Conversation.ID), named)
	eq(b, "nothing of his names it", b.naming(from, closed.Conversation.ID), "")
	his, hers := b.caller(from), b.caller("caller-anna")
	eq(b, "his PIN, and the visitor's id", fmt.Sprint(his.HasPIN, hers.HasPIN, len(his.Identities), len(hers.Identities)), "true false 2 1")
	b.undamaged()
	b.unmove("split")
	b.undamaged()
	eq(b, "all is back", b.naming(from, closed.Conversation.ID), named)
}

// handedSealedAnew: who speaks now has the conversation and the words from then on, and nothing else. All that came of it is
// the first's, and names what was said until then.
func handedSealedAnew(b *bench) {
	visitor := recaller.Identity{Kind: recaller.IdentityExternal, Value: recaller.VisitorPrefix + "x"}
	karl := b.open("t1", opening{identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: number}, visitor}, name: "Karl", external: "CA1"})
	from, conv := karl.Caller.ID, karl.Conversation.ID
	b.announced(false, recaller.EventTypes()...)
	b.say("t1", karl, "user: my boiler is a Vaillant", "assistant: noted")
	closing := b.closing(karl, recaller.Failed)
	closing.Cut = true
	_, err := b.Store.CloseConversation(b.ctx, "t1", closing) // it was broken off and written up, and goes on
	b.ok(err)
	b.everything(karl)
	again := b.request(opening{external: "CA1"})
	again.Resume, again.Conversation.StartedAt = true, b.later(time.Minute)
	_, err = b.Store.OpenConversation(b.ctx, "t1", again)
	b.ok(err)
	b.say("t1", karl, "user: here is Anna")
	b.announced(false)
	_, _, err = b.Store.SetPIN(b.ctx, "t1", from, []byte(strings.Repeat("h", 48)))
	b.ok(err)
	before := b.sealedOf(from)
	b.undamaged()
	_, err = b.Store.HandOver(b.ctx, "t1", recaller.Handing{
		Conversation: conv, From: from, To: "caller-anna", NewCaller: true, Name: "Anna", NameSource: recaller.NameSaid, Words: true,
		Turns: 3, Cut: 2, Users: 1, Past: "past", Reason: "someone else", At: b.later(time.Second), Trust: recaller.TrustClaimed,
		Steps: planned(), Job: &recaller.Job{ID: "j-past", Kind: "wrapup", Subject: "past", RunAt: b.now},
	})
	b.ok(err)
	his, hers := b.sealedOf(from), b.sealedOf("caller-anna")
	for column, values := range before {
		for _, value := range values {
			if slices.Contains(hers[column], value) {
				b.Errorf("%s is another's as it was sealed", column)
			}
		}
		if notHanded(column) && len(hers[column]) > 0 {
			b.Errorf("%s of his is hers", column)
		}
		if !notHanded(column) && len(hers[column]) == 0 {
			b.Errorf("she has nothing in %s", column)
		}
		if len(his[column]) < len(values) && !slices.Contains([]string{"conversations.head", "turns.body", "turn_vectors.body", "recall_segments.body", "acts.body"}, column) {
			b.Errorf("%s: of %d there are %d left", column, len(values), len(his[column]))
		}
	}
	kept, err := b.Store.Checkpoint(b.ctx, "t1", from)
	b.ok(err)
	eq(b, "his checkpoint is found in what was said until then", kept.Conversation, "past")
	eq(b, "nothing of his names what is hers", b.naming(from, conv), "")
	eq(b, "nor of hers what is his", b.naming("caller-anna", "past"), "")
	for _, column := range []string{"memories.conversation_id 1", "reminders.conversation_id 1", "reminders.reached_in 1", "documents.conversation_id 1", "tool_calls.conversation_id 1", "dispatches.conversation_id"} {
		eq(b, column+" names what was said until then", strings.Contains(b.naming(from, "past"), column), true)
	}
	first, second := b.caller(from), b.caller("caller-anna")
	eq(b, "his PIN, and the visitor's id", fmt.Sprint(first.HasPIN, second.HasPIN, len(first.Identities), len(second.Identities)), "true false 2 1")
	b.undamaged()
}
