package postgres_test

import (
	"fmt"
	"testing"

	"github.com/recallerhq/recaller/internal/pgtest"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/postgres"
	"github.com/recallerhq/recaller/internal/store/storetest"
)

// upgraded is a database as it was left at schema 2, and the store that an upgrade makes of it.
func upgraded(t *testing.T) (*storetest.Old, *store.Store) {
	t.Helper()
	db, v := pgtest.Empty(t), newVault(t)
	if err := postgres.MigrateTo(t.Context(), db.Owner, db.AppRole(), 2); err != nil {
		t.Fatal(err)
	}
	c := connect(t, db.Owner)
	run(t, c, `SELECT set_config('recaller.tenant', 't', FALSE)`) // the policies bind the owner, too
	o := storetest.NewOld(t, v, func(statement string, args ...any) error {
		_, err := c.Exec(t.Context(), statement, args...)
		return err
	})
	o.Fill()
	o.Insert(`INSERT INTO tool_calls (tenant_id, conversation_id, id, caller_id, tool, result, memory_id, version, at) VALUES ('t', 'conv-1', 'call-0', 'c-1', 'store_memory', 'created', 'm-1', 1, $1)`, o.At(1))
	o.Insert(`INSERT INTO reminders (tenant_id, id, caller_id, memory_id, conversation_id, due_at, status, attempts, reason, created_at) VALUES ('t', 'r-0', 'c-1', 'm-1', 'conv-1', $1, 'pending', 2, 'timeout', $2)`, o.At(48), o.At(1))
	o.Insert(`INSERT INTO jobs (tenant_id, kind, subject, id, caller_id, run_at) VALUES ('t', 'reminder', 'r-0', 'r-0', 'c-1', $1)`, o.At(48))
	o.OK(postgres.Migrate(t.Context(), db.Owner, db.AppRole()))
	s := store.New(open(t, db.App), v)
	s.AcceptUnbound(true)
	return o, s
}

func TestUpgradeKeepsAllOfSchema2(t *testing.T) {
	t.Parallel()
	o, s := upgraded(t)
	calls, list := o.Kept(s)
	o.Same("tool calls and reminders", fmt.Sprint(len(calls), calls[0].Memory, len(list), list[0].Status, list[0].Attempts, list[0].Reason), "1m-11pending2timeout")
}

func TestUpgradedDataGoesOn(t *testing.T) {
	t.Parallel()
	o, s := upgraded(t)
	o.GoesOn(s, map[string]int{"tool_calls": 1, "reminders": 1, "jobs": 1})
}

func TestUpgradedDataIsBound(t *testing.T) {
	t.Parallel()
	o, s := upgraded(t)
	o.IsBound(s)
}
