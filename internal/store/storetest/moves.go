package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/vault"
)

// secondNumber is that of the callers in these stories who are not the one with the usual number.
const secondNumber = "+493012340099"

// other is a caller of another number who leaves a row of every kind but threads.
func (b *bench) other(name string) recaller.Opened {
	b.Helper()
	o := b.open("t1", opening{name: name, identities: []recaller.Identity{
		{Kind: recaller.IdentityPhone, Value: secondNumber}, {Kind: recaller.IdentityExternal, Value: "crm-" + name},
	}})
	b.say("t1", o, "user: my boiler is a Vaillant", "assistant: noted")
	boiler := b.memory(o.Caller.ID, "boiler", "Vaillant")
	boiler.Provenance = recaller.Provenance{Conversation: o.Conversation.ID, Turns: []int{0}}
	_, err := b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{
		Memory: boiler, Call: b.toolCall(o, recaller.ToolStoreMemory), Reminder: b.reminder(b.now.AddDate(0, 0, 3)),
	})
	b.ok(err)
	b.close(o, recaller.Completed)
	b.agreed("t1", o, "on Friday at ten")
	b.index("t1", o.Conversation, toward(0), "boiler")
	b.ok(b.Store.PutTurnVectors(b.ctx, "t1", o.Caller.ID, []recaller.TurnVectors{turnVectors(o.Conversation, "m", 0, 1)}))
	return o
}

var counters = regexp.MustCompile(`"(ContentVersion|Version)": \d+`)

// stands is all that is told of a caller, without the counter of his changes.
func (b *bench) stands(caller recaller.CallerID) string {
	b.Helper()
	ctx, damage := recaller.WithDamage(b.ctx)
	s := store.New(b.Engine, b.Vault)
	snap, err := s.Snapshot(ctx, "t1", caller)
	b.ok(err)
	corpus, err := s.Corpus(ctx, "t1", caller)
	b.ok(err)
	forgotten, err := s.Forgotten(ctx, "t1", caller)
	b.ok(err)
	papers, _, err := s.Documents(ctx, "t1", recaller.DocumentFilter{Caller: caller})
	b.ok(err)
	chats, _, err := s.Threads(ctx, "t1", recaller.ThreadFilter{Caller: caller})
	b.ok(err)
	reminders, _, err := s.Reminders(ctx, "t1", recaller.ReminderFilter{Caller: caller})
	b.ok(err)
	acts, err := s.Acts(ctx, "t1", caller)
	b.ok(err)
	vectors, err := s.TurnVectors(ctx, "t1", caller, "m")
	b.ok(err)
	list := []any{snap, corpus.Conversations, corpus.Turns, corpus.Memories, forgotten, papers, chats, reminders, acts, vectors}
	for _, c := range corpus.Conversations {
		steps, err := s.Steps(ctx, "t1", c)
		b.ok(err)
		calls, err := s.ToolCalls(ctx, "t1", c.ID)
		b.ok(err)
		list = append(list, steps, calls)
	}
	raw, err := json.MarshalIndent(list, "", " ")
	b.ok(err)
	b.own(string(raw))
	if rows := damage.Rows(); len(rows) > 0 {
		b.Fatalf("%s: damaged rows: %v", caller, rows)
	}
	return counters.ReplaceAllString(string(raw), "")
}

// rowsOf counts a caller's rows, table by table.
func (b *bench) rowsOf(caller recaller.CallerID) map[string]int {
	b.Helper()
	out := map[string]int{}
	b.ok(b.Engine.Read(b.ctx, "t1", "", func(tx store.Tx) error {
		for _, table := range b.CallerTables() {
			var n int
			if err := tx.QueryRow(b.ctx, `SELECT count(*) FROM `+table+` WHERE tenant_id = $1 AND caller_id = $2`, []any{"t1", caller}, &n); err != nil {
				return err
			}
			if n > 0 {
				out[table] = n
			}
		}
		return nil
	}))
	return out
}

func (b *bench) merge(from, to recaller.CallerID) recaller.Moved {
	b.Helper()
	out, err := b.Store.Merge(b.ctx, "t1", recaller.Merging{ID: recaller.MoveID(b.id("move")), From: from, To: to, At: b.later(time.Minute)})
	b.ok(err)
	b.own(out)
	return out
}

func (b *bench) unmove(id recaller.MoveID) recaller.Moved {
	b.Helper()
	out, err := b.Store.UndoMove(b.ctx, "t1", recaller.Unmoving{ID: id, At: b.later(time.Minute)})
	b.ok(err)
	b.own(out)
	return out
}

// callersMerged: all that was one caller's is the other's, and an undo gives it back as it was.
func callersMerged(b *bench) {
	ann, karl := b.full(), b.other("Karl")
	from, to := karl.Caller.ID, ann.Caller.ID
	heard := b.announced(true)
	beforeFrom, beforeTo := b.stands(from), b.stands(to)
	had, has := b.rowsOf(from), b.rowsOf(to)
	out := b.merge(from, to)
	eq(b, "conversations, memories", fmt.Sprint(out.Move.Conversations, out.Move.Memories), "1 1")
	eq(b, "told of both", len(out.Changes), 2)
	eq(b, "events", typesOf(heard.take()), "[caller.merged]")
	if left := b.rowsOf(from); len(left) > 0 {
		b.Errorf("rows are left with him: %v", left)
	}
	for table, n := range b.rowsOf(to) {
		want := has[table] + had[table]
		if table == "moves" {
			want = 1
		}
		if table == "recall_segments" { // made anew
			continue
		}
		eq(b, "rows in "+table, n, want)
	}
	corpus, err := b.Store.Corpus(b.ctx, "t1", to)
	b.ok(err)
	eq(b, "his words", corpus.Turns[karl.Conversation.ID][0].Text, "my boiler is a Vaillant")
	b.stands(to) // nothing is damaged
	none, err := b.Store.Corpus(b.ctx, "t1", from)
	b.ok(err)
	eq(b, "nothing is left to search", len(none.Conversations)+len(none.Turns)+len(none.Memories), 0)
	for _, id := range karl.Caller.Identities {
		c, err := b.Store.CallerByIdentity(b.ctx, "t1", id)
		b.ok(err)
		eq(b, "his number leads to the other", c.ID, to)
	}
	empty, err := b.Store.Caller(b.ctx, "t1", from)
	b.ok(err)
	eq(b, "he says whom he was merged into", empty.MergedInto, to)
	eq(b, "statistics", fmt.Sprint(out.Caller.Conversations, out.Caller.TotalDuration, empty.Conversations), "2 3m0s 0")
	list, _, err := b.Store.Callers(b.ctx, "t1", recaller.Page{})
	b.ok(err)
	eq(b, "he is not listed", len(list), 1)
	_, err = b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{Memory: b.memory(from, "a", "b")})
	b.fails(err, recaller.NotFound)

	b.unmove(out.Move.ID)
	eq(b, "the one", b.stands(from), beforeFrom)
	eq(b, "the other", b.stands(to), beforeTo)
	eq(b, "his rows", fmt.Sprint(b.rowsOf(from)), fmt.Sprint(had))
	_, err = b.Store.UndoMove(b.ctx, "t1", recaller.Unmoving{ID: out.Move.ID, At: b.now})
	b.fails(err, recaller.NotFound)
	b.noiseUntouched()
}

// keysOfMerged: of two values for one key the later one stands, and an undo gives both back.
func keysOfMerged(b *bench) {
	ann, karl := b.open("t1", opening{}), b.other("Karl")
	b.close(ann, recaller.Completed)
	from, to := karl.Caller.ID, ann.Caller.ID
	b.remember("t1", to, "city", "Berlin")
	b.remember("t1", from, "city", "Bremen") // later
	b.remember("t1", from, "tea", "Assam")
	b.remember("t1", to, "tea", "Oolong") // later
	b.remember("t1", to, "pet", "Rex")
	b.remember("t1", from, "pet", "rex ")
	gone := b.remember("t1", from, "secret", "the treasure").Memory
	b.forget(gone.ID)
	before := b.stands(from) + b.stands(to)
	keys := func(caller recaller.CallerID) string {
		var out []string
		for _, m := range b.active(caller) {
			out = append(out, m.Key+"="+m.Value)
		}
		slices.Sort(out)
		return strings.Join(out, " ")
	}
	wasFrom, wasTo := keys(from), keys(to)
	out := b.merge(from, to)
	eq(b, "what stands", keys(to), "boiler=Vaillant city=Bremen pet=rex  tea=Oolong")
	eq(b, "gave way", out.Move.Superseded, 3)
	forgotten, err := b.Store.Forgotten(b.ctx, "t1", to)
	b.ok(err)
	eq(b, "what was forgotten stays so", len(forgotten) > 0, true)
	after := b.remember("t1", to, "car", "a Fiat").Memory
	b.unmove(out.Move.ID)
	eq(b, "his", keys(from), wasFrom)
	eq(b, "what came after stays", keys(to), strings.TrimSpace("car=a Fiat "+wasTo))
	b.forget(after.ID)
	eq(b, "as before", len(before) > 0, true)
	b.stands(from)
	b.stands(to)
}

// mergedAndGone: who erases a caller erases what came to him, and nothing can be undone then.
func mergedAndGone(b *bench) {
	ann, karl := b.full(), b.other("Karl")
	from, to := karl.Caller.ID, ann.Caller.ID
	out := b.merge(from, to)
	list, err := b.Store.MergedInto(b.ctx, "t1", to)
	b.ok(err)
	eq(b, "whose keys go too", fmt.Sprint(list), fmt.Sprint([]recaller.CallerID{from}))
	b.ok(b.Store.BeginErasure(b.ctx, "t1", to, b.eraseJob(to)))
	_, err = b.Store.UndoMove(b.ctx, "t1", recaller.Unmoving{ID: out.Move.ID, At: b.now})
	b.fails(err, recaller.NotFound)
	_, err = b.Vault.Destroy(b.ctx, vault.Scope{Tenant: "t1", Caller: to})
	b.ok(err)
	_, err = b.Store.EraseRows(b.ctx, "t1", to)
	b.ok(err)
	eq(b, "nothing is left", len(b.rowsOf(to)), 0)
	_, err = b.Store.Conversation(b.ctx, "t1", string(karl.Conversation.ID))
	b.fails(err, recaller.NotFound)
}

// moveRefused: when nothing is moved.
func moveRefused(b *bench) {
	ann, karl := b.full(), b.other("Karl")
	from, to := karl.Caller.ID, ann.Caller.ID
	merge := func(from, to recaller.CallerID) error {
		_, err := b.Store.Merge(b.ctx, "t1", recaller.Merging{ID: recaller.MoveID(b.id("move")), From: from, To: to, At: b.now})
		return err
	}
	b.fails(merge(from, from), recaller.Invalid)
	b.fails(merge("nobody", to), recaller.NotFound)
	b.fails(merge(from, "nobody"), recaller.NotFound)
	b.fails(merge(from, b.noise.opened.Caller.ID), recaller.NotFound)
	live := b.open("t1", opening{identities: karl.Caller.Identities})
	b.fails(merge(from, to), recaller.Conflict)
	b.close(live, recaller.Completed)
	jobs := b.claimDue(b.now)
	b.fails(merge(from, to), recaller.Conflict) // it is being written up
	for _, j := range jobs {
		b.ok(b.Store.RetryJob(b.ctx, j, b.now, ""))
	}
	split := func(ids ...recaller.ConversationID) error {
		_, err := b.Store.Split(b.ctx, "t1", recaller.Splitting{ID: recaller.MoveID(b.id("move")), From: from, NewCaller: recaller.CallerID(b.id("caller")), Conversations: ids, At: b.now})
		return err
	}
	b.fails(split(), recaller.Invalid)
	b.fails(split("nothing"), recaller.Invalid)
	b.fails(split(ann.Conversation.ID), recaller.Invalid)

	before := b.stands(from) + b.stands(to)
	once := recaller.Once{Token: b.id("once"), Request: "x"}
	in := recaller.Merging{Once: once, ID: "m-once", From: from, To: to, At: b.now}
	first, err := b.Store.Merge(b.ctx, "t1", in)
	b.ok(err)
	in.ID = "m-again"
	again, err := b.Store.Merge(b.ctx, "t1", in)
	b.ok(err)
	eq(b, "a repeat", fmt.Sprint(again.Existing, again.Move.ID, again.Caller.ID), fmt.Sprint(true, first.Move.ID, to))
	b.fails(merge(from, to), recaller.Conflict)
	b.fails(merge(to, from), recaller.Conflict)
	_, err = b.Store.UndoMove(b.ctx, "t1", recaller.Unmoving{ID: "m-once", At: b.now.Add(recaller.MoveUndoable + time.Second)})
	b.fails(err, recaller.NotFound)
	b.unmove("m-once")
	eq(b, "as before", b.stands(from)+b.stands(to), before)
}

// movesUndoneInOrder: a move that others stand on is undone after them.
func movesUndoneInOrder(b *bench) {
	ann, karl := b.full(), b.other("Karl")
	eve := b.open("t1", opening{identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: "+15551239999"}}, name: "Eve"})
	b.say("t1", eve, "user: I am Eve")
	b.close(eve, recaller.Completed)
	before := b.stands(karl.Caller.ID) + b.stands(ann.Caller.ID) + b.stands(eve.Caller.ID)
	first, second := b.merge(karl.Caller.ID, ann.Caller.ID), b.merge(ann.Caller.ID, eve.Caller.ID)
	corpus, err := b.Store.Corpus(b.ctx, "t1", eve.Caller.ID)
	b.ok(err)
	eq(b, "all are one", len(corpus.Conversations), 3)
	_, err = b.Store.UndoMove(b.ctx, "t1", recaller.Unmoving{ID: first.Move.ID, At: b.now})
	b.fails(err, recaller.Conflict)
	b.unmove(second.Move.ID)
	b.unmove(first.Move.ID)
	eq(b, "as before", b.stands(karl.Caller.ID)+b.stands(ann.Caller.ID)+b.stands(eve.Caller.ID), before)
}

// callersSplit: what belongs to some conversations goes to somebody new, the rest stays, and an undo gives it back.
func callersSplit(b *bench) {
	karl := b.other("Karl")
	from := karl.Caller.ID
	b.later(time.Hour)
	anna := b.open("t1", opening{identities: karl.Caller.Identities})
	b.say("t1", anna, "user: this is Anna, our treasure is under the oak", "assistant: noted", "user: and the boiler is a Viessmann")
	told := func(key, value string) recaller.Memory {
		m := b.memory(from, key, value)
		m.Provenance = recaller.Provenance{Conversation: anna.Conversation.ID, Turns: []int{0}}
		out, err := b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{Memory: m})
		b.ok(err)
		return out.Memory
	}
	told("allergy", "nuts")
	told("boiler", "Viessmann") // over his
	secret := b.remember("t1", from, "treasure", "under the oak").Memory
	b.forget(secret.ID)
	paper := b.paper(from, "Her session", "session")
	paper.Origin, paper.Conversation = recaller.DocumentSession, anna.Conversation.ID
	b.file("t1", paper)
	topic := b.paper(from, "The boiler")
	topic.Origin, topic.Pinned = recaller.DocumentPin, true
	topic.State = []byte(`{"talks":["` + string(karl.Conversation.ID) + `","` + string(anna.Conversation.ID) + `"]}`)
	b.file("t1", topic)
	b.close(anna, recaller.Completed)
	before := b.stands(from)

	out, err := b.Store.Split(b.ctx, "t1", recaller.Splitting{
		ID: "split", From: from, NewCaller: "caller-anna", Name: "Anna", At: b.later(time.Minute),
		Conversations: []recaller.ConversationID{anna.Conversation.ID, anna.Conversation.ID}, // one that is named twice is one
	})
	b.ok(err)
	eq(b, "her name and number", out.Caller.Name+out.Caller.Phone(), "Anna"+secondNumber)
	eq(b, "which she shares", out.Caller.Identities[0].Shared, true)
	ring, err := b.Store.CallerByIdentity(b.ctx, "t1", karl.Caller.Identities[0])
	b.ok(err)
	eq(b, "a ring is taken for him", ring.ID, from)
	hers, his := b.stands("caller-anna"), b.stands(from)
	for _, w := range []string{"this is Anna", "nuts", "Viessmann", "Her session"} {
		eq(b, "hers: "+w, strings.Contains(hers, w), true)
		eq(b, "not his: "+w, strings.Contains(his, w), false)
	}
	for _, w := range []string{"Vaillant", "on Friday at ten"} {
		eq(b, "his: "+w, strings.Contains(his, w), true)
		eq(b, "not hers: "+w, strings.Contains(hers, w), false)
	}
	var boiler []string
	for _, m := range b.active(from) {
		boiler = append(boiler, m.Key+"="+m.Value)
	}
	eq(b, "what he had said of the boiler is his again", fmt.Sprint(boiler), "[boiler=Vaillant]")
	for _, c := range []recaller.CallerID{from, "caller-anna"} {
		forgotten, err := b.Store.Forgotten(b.ctx, "t1", c)
		b.ok(err)
		eq(b, "what was forgotten hides words on both sides", forgotten[0].Value, "under the oak")
	}
	eq(b, "statistics", fmt.Sprint(out.Caller.Conversations, b.caller(from).Conversations), "1 1")

	b.unmove("split")
	eq(b, "as before", b.stands(from), before)
	eq(b, "she was nobody", b.caller("caller-anna").MergedInto, from)
	eq(b, "her number", len(b.caller("caller-anna").Identities), 0)
	b.noiseUntouched()
}

func (b *bench) caller(id recaller.CallerID) recaller.Caller {
	b.Helper()
	c, err := b.Store.Caller(b.ctx, "t1", id)
	b.ok(err)
	return c
}

// movesForged: who writes the database without the key moves nothing, and leads nobody to another.
func movesForged(b *bench) {
	ann, karl := b.full(), b.other("Karl")
	from, to := karl.Caller.ID, ann.Caller.ID
	before := b.stands(from) + b.stands(to)
	out := b.merge(from, to)
	// A record is made up of one that is right.
	for what, set := range map[string]string{
		"another caller": `from_id = 'caller-x'`, "more time": `until = until + 1`, "another kind": `kind = 'split'`,
		"another day": `at = at - 1`, "another's": `caller_id = '` + string(from) + `'`,
	} {
		b.raws(`INSERT INTO moves (tenant_id, id, caller_id, from_id, kind, at, until, body) SELECT tenant_id, 'was', caller_id, from_id, kind, at, until, body FROM moves WHERE tenant_id = 't1' AND id = '` + string(out.Move.ID) + `'`)
		b.raws(`UPDATE moves SET ` + set + ` WHERE tenant_id = 't1' AND id = '` + string(out.Move.ID) + `'`)
		_, err := b.Store.UndoMove(b.ctx, "t1", recaller.Unmoving{ID: out.Move.ID, At: b.now})
		eq(b, what+" is refused", recaller.IsDamaged(err), true)
		_, err = b.Store.UndoMove(b.ctx, "t1", recaller.Unmoving{ID: "was", At: b.now}) // under another id
		eq(b, what+", its copy", recaller.IsDamaged(err), true)
		b.raws(`DELETE FROM moves WHERE tenant_id = 't1' AND id = '`+string(out.Move.ID)+`'`,
			`UPDATE moves SET id = '`+string(out.Move.ID)+`' WHERE tenant_id = 't1' AND id = 'was'`)
	}
	b.unmove(out.Move.ID)
	eq(b, "as before", b.stands(from)+b.stands(to), before)

	// Nobody is merged by a column: he is as he was, and his erasure takes nobody along.
	b.raws(`UPDATE callers SET merged_into = '` + string(to) + `' WHERE tenant_id = 't1' AND id = '` + string(from) + `'`)
	eq(b, "he is as he was", b.caller(from).MergedInto, "")
	list, err := b.Store.MergedInto(b.ctx, "t1", to)
	b.ok(err)
	eq(b, "nobody goes with the other", len(list), 0)
	b.raws(`UPDATE callers SET merged_into = '' WHERE tenant_id = 't1' AND id = '` + string(from) + `'`)

	// Nobody is known by a number because of a row: what it has sealed opens for whom it was made, and as what it was made.
	b.raws(`UPDATE identities SET kind = 'also phone ` + string(to) + `', caller_id = '` + string(to) + `' WHERE tenant_id = 't1' AND caller_id = '` + string(from) + `' AND kind = 'phone'`)
	left := b.noted(func(ctx context.Context) error { _, err := b.Store.Caller(ctx, "t1", to); return err })
	eq(b, "named", fmt.Sprint(left), "[identities "+string(to)+".phone]")
	b.raws(`UPDATE identities SET kind = 'also phone ` + string(from) + `', caller_id = '` + string(from) + `' WHERE tenant_id = 't1' AND caller_id = '` + string(to) + `' AND kind = 'also phone ` + string(to) + `'`)
	left = b.noted(func(ctx context.Context) error { _, err := b.Store.Caller(ctx, "t1", from); return err })
	eq(b, "nor as another sort", fmt.Sprint(left), "[identities "+string(from)+".phone]")
}

func typesOf(events []recaller.Event) string {
	var out []recaller.EventType
	for _, e := range events {
		out = append(out, e.Type)
	}
	return fmt.Sprint(out)
}

// moveOfNoise merges a caller of the second tenant's into the other.
func (b *bench) moveOfNoise() recaller.MoveID {
	b.Helper()
	c, err := b.Store.Introduce(b.ctx, "t2", recaller.Introducing{
		Identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: secondNumber}}, NewCaller: "caller-noise", At: b.now,
	})
	b.ok(err)
	out, err := b.Store.Merge(b.ctx, "t2", recaller.Merging{ID: "move-noise", From: c.ID, To: b.noise.opened.Caller.ID, At: b.now})
	b.ok(err)
	b.noise.version = out.Caller.ContentVersion
	return out.Move.ID
}

// moveReaches reach for the second tenant's callers and moves.
func (b *bench) moveReaches(own recaller.Opened, theirs recaller.MoveID) []reach {
	s, ctx := b.Store, b.ctx
	their := b.noise.opened
	merge := func(from, to recaller.CallerID) func() (int, error) {
		return func() (int, error) {
			_, err := s.Merge(ctx, "t1", recaller.Merging{ID: "m-reach", From: from, To: to, At: b.now})
			return 0, err
		}
	}
	return []reach{
		{"Merge", merge(their.Caller.ID, own.Caller.ID), recaller.NotFound},
		{"Merge", merge(own.Caller.ID, their.Caller.ID), recaller.NotFound},
		{"Split", func() (int, error) {
			_, err := s.Split(ctx, "t1", recaller.Splitting{ID: "m-reach", From: own.Caller.ID, NewCaller: "caller-reach", Conversations: []recaller.ConversationID{their.Conversation.ID}, At: b.now})
			return 0, err
		}, recaller.Invalid},
		{"UndoMove", func() (int, error) {
			_, err := s.UndoMove(ctx, "t1", recaller.Unmoving{ID: theirs, At: b.now})
			return 0, err
		}, recaller.NotFound},
		{"MovedTalks", func() (int, error) { l, err := s.MovedTalks(ctx, "t1", theirs); return len(l), err }, recaller.NotFound},
		{"Release", func() (int, error) {
			_, _, err := s.Release(ctx, "t1", recaller.Releasing{Caller: their.Caller.ID, Identity: their.Caller.Identities[0], At: b.now})
			return 0, err
		}, recaller.NotFound},
		{"HandOver", func() (int, error) {
			_, err := s.HandOver(ctx, "t1", recaller.Handing{Conversation: their.Conversation.ID, From: own.Caller.ID, To: "caller-reach", NewCaller: true, At: b.now})
			return 0, err
		}, recaller.NotFound},
		{"HandOver", func() (int, error) {
			_, err := s.HandOver(ctx, "t1", recaller.Handing{Conversation: own.Conversation.ID, From: own.Caller.ID, To: their.Caller.ID, At: b.now})
			return 0, err
		}, recaller.NotFound},
		{"Household", func() (int, error) {
			l, err := s.Household(ctx, "t1", their.Caller)
			return len(slices.DeleteFunc(l, func(c recaller.Caller) bool { return c.ID == own.Caller.ID })), err
		}, ""},
		{"Move", func() (int, error) { _, err := s.Move(ctx, "t1", theirs); return 0, err }, recaller.NotFound},
		{"Moves", func() (int, error) { l, err := s.Moves(ctx, "t1", their.Caller.ID, b.now); return len(l), err }, ""},
		{"MergedInto", func() (int, error) { l, err := s.MergedInto(ctx, "t1", their.Caller.ID); return len(l), err }, ""},
	}
}

// handedOver: from a turn on a call is somebody else's; what was said before, and what came of it, stays with the first.
func handedOver(b *bench) {
	karl := b.open("t1", opening{name: "Karl", external: "CA1"})
	b.say("t1", karl, "user: my boiler is a Vaillant", "assistant: noted", "user: here is Anna")
	boiler := b.memory(karl.Caller.ID, "boiler", "Vaillant")
	boiler.Provenance = recaller.Provenance{Conversation: karl.Conversation.ID, Turns: []int{0}}
	_, err := b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{
		Memory: boiler, Call: b.toolCall(karl, recaller.ToolStoreMemory), Reminder: b.reminder(b.now.AddDate(0, 0, 3)),
	})
	b.ok(err)
	heard := b.announced(true)
	in := recaller.Handing{
		Conversation: karl.Conversation.ID, From: karl.Caller.ID, To: "caller-anna", NewCaller: true, Name: "Anna", NameSource: recaller.NameSaid,
		Turns: 3, Cut: 2, Users: 1, Past: "past", Reason: "someone else", At: b.later(time.Second), Trust: recaller.TrustClaimed, Words: true,
		Steps: planned(), Job: &recaller.Job{ID: "j-past", Kind: "wrapup", Subject: "past", RunAt: b.now},
	}
	late := in
	late.Turns = 2
	_, err = b.Store.HandOver(b.ctx, "t1", late)
	b.fails(err, recaller.Conflict)
	eq(b, "nothing was written", b.rows("callers", "t1"), 1)
	out, err := b.Store.HandOver(b.ctx, "t1", in)
	b.ok(err)
	eq(b, "events", typesOf(heard.take()), "[conversation.ended caller.created]")
	c, err := b.Store.Conversation(b.ctx, "t1", "CA1")
	b.ok(err)
	eq(b, "it goes on as hers", fmt.Sprint(c.ID, c.Caller, c.Turns, c.Status, c.BegunAs, c.Continues), fmt.Sprint(karl.Conversation.ID, "caller-anna", 1, recaller.Active, karl.Caller.ID, "past"))
	past, err := b.Store.Conversation(b.ctx, "t1", "past")
	b.ok(err)
	eq(b, "what he said has ended", fmt.Sprint(past.Caller, past.Turns, past.Status, past.EndReason), fmt.Sprint(karl.Caller.ID, 2, recaller.Completed, "someone else"))
	his, hers := b.stands(karl.Caller.ID), b.stands("caller-anna")
	for word, of := range map[string]string{"my boiler is": his, "here is Anna": hers, "Vaillant": his} {
		eq(b, word, strings.Contains(of, word), true)
		eq(b, word+" is told once", strings.Contains(his, word) && strings.Contains(hers, word), false)
	}
	eq(b, "what came of it points to what he said", b.active(karl.Caller.ID)[0].Provenance.Conversation, "past")
	eq(b, "the tool's record too", b.calls(recaller.Opened{Conversation: past, Caller: karl.Caller}) != "", true)
	anna := recaller.Opened{Caller: out.Caller, Conversation: c}
	b.say("t1", anna, "assistant: hello Anna", "user: I keep a parrot")
	turns, err := b.Store.Turns(b.ctx, "t1", b.close(anna, recaller.Completed).Conversation)
	b.ok(err)
	eq(b, "her words", fmt.Sprint(len(turns), turns[0].Text, turns[2].Number), "3here is Anna2")
	people, err := b.Store.Household(b.ctx, "t1", b.caller(karl.Caller.ID))
	b.ok(err)
	eq(b, "who uses his number", fmt.Sprint(len(people), people[0].ID, people[0].Name), "1caller-annaAnna")
	snap, err := b.Store.Snapshot(b.ctx, "t1", karl.Caller.ID)
	b.ok(err)
	eq(b, "an agent is told", snap.People[0].Name, "Anna")

	b.later(time.Minute)
	next := b.open("t1", opening{external: "CA2"})
	eq(b, "a ring is taken for him", next.Caller.ID, karl.Caller.ID)
	b.say("t1", next, "assistant: hello Karl")
	back, err := b.Store.HandOver(b.ctx, "t1", recaller.Handing{
		Conversation: next.Conversation.ID, From: karl.Caller.ID, To: "caller-anna", Turns: 1, At: b.later(time.Second), Trust: recaller.TrustClaimed, Words: true,
	})
	b.ok(err)
	eq(b, "a greeting goes along", fmt.Sprint(back.Past == nil, back.Conversation.Turns), "true 1")
	b.stands(karl.Caller.ID)
	b.stands("caller-anna")

	recycled, err := b.Store.HandOver(b.ctx, "t1", recaller.Handing{
		Conversation: next.Conversation.ID, From: "caller-anna", To: karl.Caller.ID, Turns: 1, At: b.later(time.Second), Trust: recaller.TrustClaimed, Words: true,
	})
	b.ok(err)
	eq(b, "and back", recycled.Caller.ID, karl.Caller.ID)
	owner, err := b.Store.HandOver(b.ctx, "t1", recaller.Handing{
		Conversation: next.Conversation.ID, From: karl.Caller.ID, To: "caller-new", NewCaller: true, Recycled: true, Turns: 1, At: b.later(time.Second), Trust: recaller.TrustClaimed, Words: true,
	})
	b.ok(err)
	eq(b, "the number is the new owner's", fmt.Sprint(owner.Caller.Phone(), owner.Caller.Identities[0].Shared, b.caller(karl.Caller.ID).Phone()), number+"false")
	b.noiseUntouched()
}
