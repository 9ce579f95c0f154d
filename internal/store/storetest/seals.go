package storetest

import (
	"context"
	"fmt"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// spot is where one sealed value is kept.
type spot struct {
	tenant        recaller.TenantID
	table, column string
	where         string // which row of the tenant's, as SQL
}

func (s spot) condition() string {
	if s.table == "tenants" {
		return "id = $1"
	}
	return "tenant_id = $1 AND " + s.where
}

func (b *bench) raw(s spot) (value []byte) {
	b.Helper()
	b.ok(b.Engine.Read(b.ctx, s.tenant, "", func(tx store.Tx) error {
		return tx.QueryRow(b.ctx, `SELECT `+s.column+` FROM `+s.table+` WHERE `+s.condition(), []any{s.tenant}, &value)
	}))
	if len(value) == 0 {
		b.Fatalf("%v is empty", s)
	}
	return value
}

func (b *bench) putRaw(s spot, value []byte) {
	b.Helper()
	b.ok(b.Engine.Write(b.ctx, s.tenant, "", func(tx store.Tx) error {
		n, err := tx.Exec(b.ctx, `UPDATE `+s.table+` SET `+s.column+` = $2 WHERE `+s.condition(), s.tenant, value)
		if err == nil && n != 1 {
			err = fmt.Errorf("%d rows of %s changed", n, s.table)
		}
		return err
	}))
}

// moved copies sealed values to places that are not theirs: as an operator with write access to the database might.
func moved(b *bench) {
	ann := b.full()
	second := b.open("t1", opening{external: "CA2", identities: []recaller.Identity{
		{Kind: recaller.IdentityPhone, Value: number}, {Kind: recaller.IdentityExternal, Value: "crm-1"},
	}})
	b.say("t1", second, "user: three")
	other := b.remember("t1", ann.Caller.ID, "pet", "Rex").Memory
	tea := b.remember("t1", ann.Caller.ID, "tea", "Oolong").Memory
	bob := b.open("t1", opening{identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: "+15551239999"}}, name: "Bob"})
	b.say("t1", bob, "user: four")
	his := b.remember("t1", bob.Caller.ID, "tea", "Earl Grey").Memory
	_, err := b.Store.PutCheckpoint(b.ctx, "t1", recaller.Checkpoint{ID: "cp-2", Caller: bob.Caller.ID, Summary: "x", StagingData: []byte(`{}`)})
	b.ok(err)
	b.ok(b.Store.CreateKey(b.ctx, recaller.APIKey{ID: "k2", Tenant: "t1", Scope: recaller.ScopeRead, Label: "reader", CreatedAt: b.now}, []byte("second")))
	b.close(second, recaller.Completed)
	for _, o := range []recaller.Opened{ann, second} {
		_, err := b.Store.WriteStep(b.ctx, "t1", recaller.StepResult{
			Conversation: o.Conversation.ID, Caller: o.Caller.ID, Step: recaller.StepSummarise,
			State: recaller.StepDone, At: b.now, Summary: &recaller.Summary{Brief: "brief"},
		})
		b.ok(err)
	}

	at := func(tenant recaller.TenantID, table, column, where string, args ...any) spot {
		return spot{tenant, table, column, fmt.Sprintf(where, args...)}
	}
	row := func(tenant recaller.TenantID, table, column string, id any) spot {
		return at(tenant, table, column, "id = '%v'", id)
	}
	ofCaller := func(tenant recaller.TenantID, table, column string, c recaller.CallerID) spot {
		return at(tenant, table, column, "caller_id = '%v'", c)
	}
	version := func(m recaller.MemoryID, v int) spot {
		return at("t1", "memories", "body", "id = '%v' AND version = %d", m, v)
	}
	turn := func(tenant recaller.TenantID, conv recaller.ConversationID, n int) spot {
		return at(tenant, "turns", "body", "conversation_id = '%v' AND number = %d", conv, n)
	}
	phone := at("t1", "identities", "value", "caller_id = '%v' AND kind = 'phone'", ann.Caller.ID)
	noise := b.noise.opened
	noted := func(read func(ctx context.Context) error) func() error {
		return func() error {
			ctx, damage := recaller.WithDamage(b.ctx)
			err := read(ctx)
			if rows := damage.Rows(); len(rows) > 0 {
				return rows[0]
			}
			return err
		}
	}
	turns := noted(func(ctx context.Context) error { _, err := b.Store.Turns(ctx, "t1", ann.Conversation); return err })
	history := noted(func(ctx context.Context) error { _, err := b.Store.MemoryHistory(ctx, "t1", tea.ID); return err })
	caller := noted(func(ctx context.Context) error { _, err := b.Store.Caller(ctx, "t1", ann.Caller.ID); return err })
	conversation := noted(func(ctx context.Context) error {
		_, err := b.Store.Conversation(ctx, "t1", string(ann.Conversation.ID))
		return err
	})
	checkpoint := noted(func(ctx context.Context) error { _, err := b.Store.Checkpoint(ctx, "t1", ann.Caller.ID); return err })
	tenant := noted(func(ctx context.Context) error { _, err := b.Store.Tenant(ctx, "t1"); return err })
	keys := noted(func(ctx context.Context) error { _, err := b.Store.Keys(ctx, "t1"); return err })

	for _, c := range []struct {
		what     string
		from, to spot
		read     func() error
	}{
		{"caller to caller", row("t1", "callers", "body", bob.Caller.ID), row("t1", "callers", "body", ann.Caller.ID), caller},
		{"caller to tenant", row("t2", "callers", "body", noise.Caller.ID), row("t1", "callers", "body", ann.Caller.ID), caller},
		{"identity to identity", at("t1", "identities", "value", "caller_id = '%v' AND kind = 'external_id'", ann.Caller.ID), phone, caller},
		{"identity to caller", ofCaller("t1", "identities", "value", bob.Caller.ID), phone, caller},
		{"identity to tenant", ofCaller("t2", "identities", "value", noise.Caller.ID), phone, caller},
		{"conversation to conversation", row("t1", "conversations", "body", second.Conversation.ID), row("t1", "conversations", "body", ann.Conversation.ID), conversation},
		{"conversation to caller", row("t1", "conversations", "body", bob.Conversation.ID), row("t1", "conversations", "body", ann.Conversation.ID), conversation},
		{"conversation to tenant", row("t2", "conversations", "body", noise.Conversation.ID), row("t1", "conversations", "body", ann.Conversation.ID), conversation},
		{"summary to conversation", row("t1", "conversations", "summary", second.Conversation.ID), row("t1", "conversations", "summary", ann.Conversation.ID), conversation},
		{"body to summary", row("t1", "conversations", "body", ann.Conversation.ID), row("t1", "conversations", "summary", ann.Conversation.ID), conversation},
		{"turn to turn", turn("t1", ann.Conversation.ID, 1), turn("t1", ann.Conversation.ID, 0), turns},
		{"turn to conversation", turn("t1", second.Conversation.ID, 0), turn("t1", ann.Conversation.ID, 0), turns},
		{"turn to caller", turn("t1", bob.Conversation.ID, 0), turn("t1", ann.Conversation.ID, 0), turns},
		{"turn to tenant", turn("t2", noise.Conversation.ID, 0), turn("t1", ann.Conversation.ID, 0), turns},
		{"memory to version", version(tea.ID, 1), version(tea.ID, 2), history},
		{"memory to memory", version(other.ID, 1), version(tea.ID, 1), history},
		{"memory to caller", version(his.ID, 1), version(tea.ID, 1), history},
		{"memory to tenant", row("t2", "memories", "body", b.noise.memory.ID), version(tea.ID, 1), history},
		{"checkpoint to caller", ofCaller("t1", "checkpoints", "body", bob.Caller.ID), ofCaller("t1", "checkpoints", "body", ann.Caller.ID), checkpoint},
		{"checkpoint to tenant", ofCaller("t2", "checkpoints", "body", noise.Caller.ID), ofCaller("t1", "checkpoints", "body", ann.Caller.ID), checkpoint},
		{"tenant to tenant", at("t2", "tenants", "body", ""), at("t1", "tenants", "body", ""), tenant},
		{"label to key", row("t1", "api_keys", "label", "k2"), row("t1", "api_keys", "label", "key-t1"), keys},
		{"label to tenant", row("t2", "api_keys", "label", "key-t2"), row("t1", "api_keys", "label", "key-t1"), keys},
	} {
		b.ok(c.read())
		own := b.raw(c.to)
		b.putRaw(c.to, b.raw(c.from))
		if err := c.read(); recaller.KindOf(err) != recaller.Internal || err == nil {
			b.Errorf("%s: got %v, want an error of kind %q", c.what, err, recaller.Internal)
		}
		b.putRaw(c.to, own)
	}
	b.ok(caller())
}
