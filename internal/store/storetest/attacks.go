package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/vault"
)

// These stories are of somebody who writes the database and has no key. What he changes is refused and named, and the
// rest is served.

// raws runs statements as such a one; the tenant is t1.
func (b *bench) raws(statements ...string) {
	b.Helper()
	b.ok(b.Engine.Write(b.ctx, "t1", "", func(tx store.Tx) error {
		for _, s := range statements {
			n, err := tx.Exec(b.ctx, s)
			if err == nil && n == 0 {
				err = fmt.Errorf("nothing was changed by %s", s)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}))
}

// noted returns the rows that a read leaves out.
func (b *bench) noted(read func(ctx context.Context) error) []string {
	b.Helper()
	ctx, damage := recaller.WithDamage(b.ctx)
	b.ok(read(ctx))
	var out []string
	for _, row := range damage.Rows() {
		out = append(out, row.Table+" "+row.ID)
	}
	slices.Sort(out)
	return out
}

// keysForged changes API keys: no change makes a key that opens anything, and the others stay.
func keysForged(b *bench) {
	key := recaller.APIKey{ID: "reader", Tenant: "t1", Scope: recaller.ScopeRead, Label: "reader", CreatedAt: b.now}
	b.ok(b.Store.CreateKey(b.ctx, key, []byte("hash of the reader")))
	hash := func(id string) spot { return spot{"t1", "api_keys", "hash", "id = '" + id + "'"} }
	for _, c := range []struct{ what, do, undo, hash string }{
		{"a scope is raised", `scope = 'admin'`, `scope = 'read'`, "hash of the reader"},
		{"a hash is exchanged", `scope = scope`, `scope = scope`, "mine"},
		{"an age is made up", `created_at = created_at + 1`, `created_at = created_at - 1`, "hash of the reader"},
		{"an id is exchanged", `id = 'another'`, `id = 'reader'`, "hash of the reader"},
	} {
		id := "reader"
		if c.do == `id = 'another'` {
			id = "another"
		}
		b.raws(`UPDATE api_keys SET ` + c.do + ` WHERE tenant_id = 't1' AND id = 'reader'`)
		b.putRaw(hash(id), []byte(c.hash))
		left := b.noted(func(ctx context.Context) error {
			_, err := b.Store.KeyByHash(ctx, "t1", []byte(c.hash))
			WantKind(b, c.what, err, recaller.NotFound)
			list, err := b.Store.Keys(ctx, "t1")
			eq(b, c.what+": the keys that are left", len(list), 1)
			return err
		})
		eq(b, c.what, fmt.Sprint(left), "[api_keys "+id+"]")
		b.putRaw(hash(id), []byte("hash of the reader"))
		b.raws(`UPDATE api_keys SET ` + c.undo + ` WHERE tenant_id = 't1' AND id = '` + id + `'`)
	}
	b.raws(`INSERT INTO api_keys (tenant_id, id, hash, scope, label, created_at)
		SELECT tenant_id, 'made up', 'mine', 'admin', label, created_at FROM api_keys WHERE tenant_id = 't1' AND id = 'reader'`)
	b.putRaw(hash("made up"), []byte("mine"))
	_, err := b.Store.KeyByHash(b.ctx, "t1", []byte("mine"))
	WantKind(b, "a key is made up", err, recaller.NotFound)
	found, err := b.Store.KeyByHash(b.ctx, "t1", []byte("hash of the reader"))
	b.ok(err)
	eq(b, "the key is as it was made", found.Scope, recaller.ScopeRead)

	label := b.raw(spot{"t1", "api_keys", "label", "id = 'reader'"})
	b.ok(b.Store.DeleteKey(b.ctx, "t1", "reader"))
	b.ok(b.Engine.Write(b.ctx, "t1", "", func(tx store.Tx) error {
		_, err := tx.Exec(b.ctx, `INSERT INTO api_keys (tenant_id, id, hash, scope, label, created_at) VALUES ('t1', 'reader', $1, 'read', $2, $3)`,
			[]byte("hash of the reader"), label, key.CreatedAt.UnixMicro())
		return err
	}))
	left := b.noted(func(ctx context.Context) error {
		_, err := b.Store.KeyByHash(ctx, "t1", []byte("hash of the reader"))
		WantKind(b, "a deleted key is put back as it was", err, recaller.NotFound)
		return nil
	})
	eq(b, "a deleted key is put back as it was", fmt.Sprint(left), "[api_keys reader]")
	b.ok(b.Store.DeleteKey(b.ctx, "t1", "reader"))
	key.CreatedAt = b.later(time.Second)
	b.ok(b.Store.CreateKey(b.ctx, key, []byte("hash of the reader")))
	_, err = b.Store.KeyByHash(b.ctx, "t1", []byte("hash of the reader"))
	b.ok(err)
}

// turnsForged changes turns of one call: each that is changed is left out and named, and the others are read.
func turnsForged(b *bench) {
	o := b.open("t1", opening{external: "CA1"})
	said := b.say("t1", o, "user: one", "assistant: two", "user: three", "assistant: four")
	other := b.open("t1", opening{external: "CA2"})
	b.say("t1", other, "user: elsewhere")
	conv := string(o.Conversation.ID)
	in := ` WHERE tenant_id = 't1' AND conversation_id = '` + conv + `' AND number = `
	name := func(n int) string { return "turns " + string(said.Turns[n].ID) }
	gone := func(n int) string { return fmt.Sprintf("turns %s.%d", conv, n) }
	read := func(ctx context.Context) (n int) {
		turns, err := b.Store.Turns(ctx, "t1", o.Conversation)
		b.ok(err)
		c, err := b.Store.Corpus(ctx, "t1", o.Caller.ID)
		b.ok(err)
		eq(b, "turns of the corpus", len(c.Turns[o.Conversation.ID]), len(turns))
		eq(b, "turns of the other call", len(c.Turns[other.Conversation.ID]), 1)
		return len(turns)
	}
	swap := func(table string) []string {
		return []string{
			`UPDATE ` + table + ` SET number = 99` + in + `1`, `UPDATE ` + table + ` SET number = 1` + in + `2`,
			`UPDATE ` + table + ` SET number = 2` + in + `99`,
		}
	}
	for _, ended := range []bool{false, true} {
		if ended {
			b.close(o, recaller.Completed)
		}
		for _, c := range []struct {
			what     string
			do, undo []string
			left     int
			named    []string
		}{
			{"a speaker is exchanged", []string{`UPDATE turns SET speaker = 'user'` + in + `1`}, []string{`UPDATE turns SET speaker = 'assistant'` + in + `1`}, 3, []string{name(1)}},
			{"it was said at another time", []string{`UPDATE turns SET at = at + 1` + in + `1`}, []string{`UPDATE turns SET at = at - 1` + in + `1`}, 3, []string{name(1)}},
			{"two are exchanged", swap("turns"), swap("turns"), 2, []string{name(1), name(2)}},
			{"one is moved to another call", []string{`UPDATE turns SET conversation_id = '` + string(other.Conversation.ID) + `', number = 0 - number - 1` + in + `1`}, []string{`UPDATE turns SET conversation_id = '` + conv + `', number = 1 WHERE tenant_id = 't1' AND number = -2`}, 3, []string{gone(1), name(1)}},
			{"the counts are lowered", []string{`UPDATE conversations SET turns = 3 WHERE tenant_id = 't1' AND id = '` + conv + `'`}, []string{`UPDATE conversations SET turns = 4 WHERE tenant_id = 't1' AND id = '` + conv + `'`}, 4, []string{"conversations " + conv}},
		} {
			b.raws(c.do...)
			left := b.noted(func(ctx context.Context) error {
				if c.what == "the counts are lowered" { // the corpus has nothing of a conversation that is not what was written
					turns, err := b.Store.Turns(ctx, "t1", o.Conversation)
					eq(b, c.what, len(turns), c.left)
					return err
				}
				eq(b, c.what, read(ctx), c.left)
				return nil
			})
			slices.Sort(c.named)
			eq(b, c.what+", named", fmt.Sprint(left), fmt.Sprint(c.named))
			b.raws(c.undo...)
		}
		eq(b, "all is as it was", fmt.Sprint(b.noted(func(ctx context.Context) error {
			eq(b, "turns", read(ctx), 4)
			return nil
		})), "[]")
	}
	b.raws(`DELETE FROM turns`+in+`1`, `DELETE FROM turns`+in+`3`)
	eq(b, "two are taken away, the last of them too", fmt.Sprint(b.noted(func(ctx context.Context) error {
		eq(b, "turns", read(ctx), 2)
		return nil
	})), fmt.Sprint([]string{gone(1), gone(3)}))
	b.raws(`DELETE FROM turns WHERE tenant_id = 't1' AND conversation_id = '` + conv + `'`)
	eq(b, "all are taken away", len(b.noted(func(ctx context.Context) error { read(ctx); return nil })), 4)
}

// wordsAfterForgery has a call go on whose counts somebody changed: nothing that is said is lost, and what was done is
// told for good.
func wordsAfterForgery(b *bench) {
	o := b.open("t1", opening{})
	b.say("t1", o, "user: one", "assistant: two", "user: three")
	at := ` WHERE tenant_id = 't1' AND conversation_id = '` + string(o.Conversation.ID) + `' AND number = 2`
	b.raws(`DELETE FROM turns`+at, `UPDATE conversations SET turns = 2, user_turns = 1 WHERE tenant_id = 't1' AND id = '`+string(o.Conversation.ID)+`'`)
	after := b.say("t1", o, "assistant: four")
	eq(b, "the number of what is said next", after.Turns[0].Number, 2)
	b.say("t1", o, "user: five")
	b.close(o, recaller.Completed)
	var said []recaller.Turn
	left := b.noted(func(ctx context.Context) (err error) {
		said, err = b.Store.Turns(ctx, "t1", o.Conversation)
		return err
	})
	eq(b, "turns", len(said), 4)
	eq(b, "named", fmt.Sprint(left), "[conversations "+string(o.Conversation.ID)+"]")
}

// conversationsForged changes what conversations show.
func conversationsForged(b *bench) {
	o, going := b.open("t1", opening{external: "CA1"}), b.open("t1", opening{external: "CA2"})
	for _, c := range []recaller.Opened{o, going} {
		b.say("t1", c, "user: one", "assistant: two")
	}
	b.close(o, recaller.Completed)
	for _, c := range []struct {
		of       recaller.Opened
		do, undo string
	}{
		{o, `status = 'active'`, `status = 'completed'`},
		{o, `status = 'failed'`, `status = 'completed'`},
		{o, `turns = 1`, `turns = 2`},
		{o, `user_turns = 0`, `user_turns = 1`},
		{o, `duration = 1`, `duration = 90000000`},
		{o, `started_at = started_at - 1`, `started_at = started_at + 1`},
		{o, `ended_at = ended_at - 1`, `ended_at = ended_at + 1`},
		{o, `direction = 'outbound'`, `direction = 'inbound'`},
		{going, `status = 'completed'`, `status = 'active'`},
		{going, `turns = 1`, `turns = 2`},
		{going, `user_turns = 2`, `user_turns = 1`},
		{going, `last_activity_at = last_activity_at + 1`, `last_activity_at = last_activity_at - 1`},
		{going, `channel = 'sms'`, `channel = 'voice'`},
		{going, `reminder = TRUE`, `reminder = FALSE`},
	} {
		id := string(c.of.Conversation.ID)
		at := ` WHERE tenant_id = 't1' AND id = '` + id + `'`
		b.raws(`UPDATE conversations SET ` + c.do + at)
		// A call goes on whose counts are not what was written, so that nothing is lost that is said next.
		goesOn := strings.HasPrefix(c.undo, "turns = 2") || strings.HasPrefix(c.undo, "user_turns") || strings.HasPrefix(c.undo, "last_activity")
		goesOn = goesOn && c.of.Conversation.ID == going.Conversation.ID
		corpus := 1
		if goesOn {
			corpus = 2
		} else {
			_, err := b.Store.Conversation(b.ctx, "t1", id)
			WantKind(b, c.do, err, recaller.Internal)
		}
		left := b.noted(func(ctx context.Context) error {
			list, _, err := b.Store.Conversations(ctx, "t1", recaller.ConversationFilter{})
			eq(b, c.do+": listed", len(list), 2)
			all, cerr := b.Store.Corpus(ctx, "t1", o.Caller.ID)
			b.ok(cerr)
			eq(b, c.do+": conversations of the corpus", len(all.Conversations), corpus)
			_, serr := b.Store.Snapshot(ctx, "t1", o.Caller.ID)
			b.ok(serr)
			return err
		})
		eq(b, c.do, fmt.Sprint(left), "[conversations "+id+"]")
		b.raws(`UPDATE conversations SET ` + c.undo + at)
	}
	at := ` WHERE tenant_id = 't1' AND id = '`
	b.raws(`UPDATE conversations SET external_token = 'x'` + at + string(o.Conversation.ID) + `'`)
	token, err := b.Vault.Blind(b.ctx, "t1", "conversation.external_id", "CA1")
	b.ok(err)
	b.putRaw(spot{"t1", "conversations", "external_token", "id = '" + string(going.Conversation.ID) + "'"}, token)
	_, err = b.Store.Conversation(b.ctx, "t1", "CA1")
	WantKind(b, "an external id leads to another call", err, recaller.Internal)
}

// memoriesForged changes what memories show.
func memoriesForged(b *bench) {
	o := b.open("t1", opening{})
	pet := b.remember("t1", o.Caller.ID, "pet", "Rex").Memory
	tea := b.remember("t1", o.Caller.ID, "tea", "Assam").Memory
	b.remember("t1", o.Caller.ID, "tea", "Oolong")
	for _, c := range []struct {
		version  int
		do, undo string
	}{
		{2, `status = 'forgotten'`, `status = 'active'`},
		{2, `type = 'preference'`, `type = 'fact'`},
		{2, `confidence = 0.1`, `confidence = 0.9`},
		{2, `source = 'conversation'`, `source = 'api'`},
		{2, `privacy_scope = 'shared'`, `privacy_scope = 'line_only'`},
		{2, `due_at = 1`, `due_at = NULL`},
		{2, `conversation_id = 'another'`, `conversation_id = ''`},
		{2, `created_at = created_at - 1`, `created_at = created_at + 1`},
		{2, `confirmed_at = confirmed_at - 1`, `confirmed_at = confirmed_at + 1`},
		{1, `closed_at = closed_at + 1`, `closed_at = closed_at - 1`},
		{1, `closed_reason = 'expired'`, `closed_reason = 'updated'`},
	} {
		at := fmt.Sprintf(` WHERE tenant_id = 't1' AND id = '%s' AND version = %d`, tea.ID, c.version)
		b.raws(`UPDATE memories SET ` + c.do + at)
		left := b.noted(func(ctx context.Context) error {
			list, err := b.Store.MemoryHistory(ctx, "t1", tea.ID)
			eq(b, c.do+": versions that are left", len(list), 1)
			return err
		})
		eq(b, c.do, fmt.Sprint(left), fmt.Sprintf("[memories %s.%d]", tea.ID, c.version))
		b.raws(`UPDATE memories SET ` + c.undo + at)
	}
	list, err := b.Store.MemoryHistory(b.ctx, "t1", tea.ID)
	b.ok(err)
	eq(b, "all is as it was", len(list), 2)

	b.raws(fmt.Sprintf(`UPDATE memories SET key_token = 'x' WHERE tenant_id = 't1' AND id = '%s' AND version = 2`, tea.ID),
		fmt.Sprintf(`UPDATE memories SET key_token = (SELECT m.key_token FROM memories m WHERE m.tenant_id = 't1'
			AND m.id = '%s' AND m.version = 1) WHERE tenant_id = 't1' AND id = '%s'`, tea.ID, pet.ID))
	_, err = b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{Memory: b.memory(o.Caller.ID, "tea", "Earl Grey")})
	WantKind(b, "a memory has the token of another's key", err, recaller.Internal)
}

// memoriesRolledBack puts rows of memories back as they once were, and takes others away.
func memoriesRolledBack(b *bench) {
	o := b.open("t1", opening{})
	b.say("t1", o, "user: my brother is called Tom", "user: I like tea")
	keep := b.remember("t1", o.Caller.ID, "pet", "Rex").Memory
	tea := b.remember("t1", o.Caller.ID, "tea", "Assam").Memory
	secret := b.remember("t1", o.Caller.ID, "brother", "Tom").Memory
	old := b.versions(tea.ID)
	was := b.versions(secret.ID)
	b.remember("t1", o.Caller.ID, "tea", "Oolong")
	b.forget(secret.ID)
	active := func(ctx context.Context) (values []string) {
		list, _, err := b.Store.ActiveMemories(ctx, "t1", o.Caller.ID, -1)
		b.ok(err)
		for _, m := range list {
			values = append(values, m.Value)
		}
		slices.Sort(values)
		return values
	}
	eq(b, "as it is", fmt.Sprint(active(b.ctx)), "[Oolong Rex]")

	undo := b.rolled(tea.ID, old)
	left := b.noted(func(ctx context.Context) error {
		eq(b, "a memory is rolled back", fmt.Sprint(active(ctx)), "[Rex]")
		return nil
	})
	eq(b, "named", fmt.Sprint(left), fmt.Sprintf("[memories %s.1 memories %s.2]", tea.ID, tea.ID))
	undo()

	for what, attack := range map[string]func() (undo func()){
		"what was forgotten is put back":   func() func() { return b.rolled(secret.ID, was) },
		"what was forgotten is taken away": func() func() { return b.rolled(secret.ID, nil) },
	} {
		undo := attack()
		_, err := b.Store.Snapshot(b.ctx, "t1", o.Caller.ID)
		WantKind(b, what, err, recaller.Unavailable)
		_, err = b.Store.Corpus(b.ctx, "t1", o.Caller.ID)
		WantKind(b, what, err, recaller.Unavailable)
		_, err = b.Store.Forgotten(b.ctx, "t1", o.Caller.ID)
		WantKind(b, what, err, recaller.Unavailable)
		eq(b, what+": what is known", fmt.Sprint(active(b.ctx)), "[Oolong Rex]")
		undo()
	}

	undo = b.rolled(keep.ID, nil)
	left = b.noted(func(ctx context.Context) error {
		eq(b, "a memory is taken away", fmt.Sprint(active(ctx)), "[Oolong]")
		_, err := b.Store.Snapshot(ctx, "t1", o.Caller.ID)
		return err
	})
	eq(b, "named", fmt.Sprint(left), fmt.Sprintf("[memories %s.1]", keep.ID))
	undo()
	eq(b, "all is as it was", fmt.Sprint(b.noted(func(ctx context.Context) error {
		_, err := b.Store.Corpus(ctx, "t1", o.Caller.ID)
		return err
	}), active(b.ctx)), "[] [Oolong Rex]")

	b.putRaw(spot{"t1", "callers", "register", "id = '" + string(o.Caller.ID) + "'"}, []byte("x"))
	left = b.noted(func(ctx context.Context) error {
		eq(b, "the list itself is damaged", fmt.Sprint(active(ctx)), "[Oolong Rex]")
		_, err := b.Store.Forgotten(ctx, "t1", o.Caller.ID)
		WantKind(b, "what was forgotten", err, recaller.Unavailable)
		return nil
	})
	eq(b, "named", fmt.Sprint(left), fmt.Sprintf("[callers %s]", o.Caller.ID))
	b.remember("t1", o.Caller.ID, "city", "Ely")
	left = b.noted(func(ctx context.Context) error {
		eq(b, "it goes on", fmt.Sprint(active(ctx)), "[Ely Oolong Rex]")
		return nil
	})
	eq(b, "named for good", fmt.Sprint(left), fmt.Sprintf("[callers %s]", o.Caller.ID))
}

// versions are the rows of a memory, as they are now.
func (b *bench) versions(id recaller.MemoryID) (rows [][]any) {
	b.Helper()
	b.ok(b.Engine.Read(b.ctx, "t1", "", func(tx store.Tx) error {
		return tx.QueryAll(b.ctx, store.Query{
			SQL:  `SELECT id, version, status, closed_at, closed_reason, body FROM memories WHERE tenant_id = $1 AND id = $2`,
			Args: []any{"t1", id},
			Row: func(scan func(...any) error) error {
				var id, status, reason string
				var version int
				var closed *int64
				var body []byte
				err := scan(&id, &version, &status, &closed, &reason, &body)
				rows = append(rows, []any{"t1", id, version, status, closed, reason, slices.Clone(body)})
				return err
			},
		})
	}))
	return rows
}

// rolled puts the versions of a memory back to what they were; those that were not there are taken away, which is done
// by giving them another id and caller. undo puts all back.
func (b *bench) rolled(id recaller.MemoryID, old [][]any) (undo func()) {
	b.Helper()
	now, hidden := b.versions(id), string(id)+" hidden"
	var caller string
	put := func(rows [][]any) {
		b.ok(b.Engine.Write(b.ctx, "t1", "", func(tx store.Tx) error {
			if _, err := tx.Exec(b.ctx, `UPDATE memories SET id = $3, caller_id = 'nobody ' || CAST(version AS TEXT) WHERE tenant_id = $1 AND id = $2`, "t1", id, hidden); err != nil {
				return err
			}
			for _, row := range rows {
				_, err := tx.Exec(b.ctx, `UPDATE memories SET id = $2, status = $4, closed_at = $5, closed_reason = $6, body = $7, caller_id = $8
					WHERE tenant_id = $1 AND id = $9 AND version = $3`, append(row, caller, hidden)...)
				if err != nil {
					return err
				}
			}
			return nil
		}))
	}
	b.ok(b.Engine.Read(b.ctx, "t1", "", func(tx store.Tx) error {
		return tx.QueryRow(b.ctx, `SELECT caller_id FROM memories WHERE tenant_id = $1 AND id = $2 LIMIT 1`, []any{"t1", id}, &caller)
	}))
	put(old)
	return func() { put(now) }
}

// unboundRefused puts a value back that was sealed before rows were bound: where all are bound it is refused.
func unboundRefused(b *bench) {
	o := b.open("t1", opening{})
	said := b.say("t1", o, "user: one")
	scope, id := vault.Scope{Tenant: "t1", Caller: o.Caller.ID}, string(said.Turns[0].ID)
	old, err := b.Vault.Seal(b.ctx, scope, vault.Place{Table: "turns.body", Record: id}, []byte("\x00of old"))
	b.ok(err)
	b.putRaw(spot{"t1", "turns", "body", "id = '" + id + "'"}, old)
	read := func(ctx context.Context) error { _, err := b.Store.Turns(ctx, "t1", o.Conversation); return err }
	eq(b, "an old value among bound ones", fmt.Sprint(b.noted(read)), "[turns "+id+"]")
	b.Store.AcceptUnbound(true)
	eq(b, "while there may be old ones", fmt.Sprint(b.noted(read)), "[]")
	did, err := b.Store.Bind(b.ctx)
	b.ok(err)
	eq(b, "bound", did, store.Bound{Rows: 1})
	eq(b, "once it is bound", fmt.Sprint(b.noted(read)), "[]")
	b.raws(`UPDATE turns SET speaker = 'assistant' WHERE tenant_id = 't1' AND id = '` + id + `'`)
	eq(b, "and then changed", fmt.Sprint(b.noted(read)), "[turns "+id+"]")
	all, err := b.Store.AllBound(b.ctx)
	b.ok(err)
	eq(b, "the data are marked", all, true)
}
