package postgres_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/recallerhq/recaller"
)

// An import of many rows has the planner know of them, without the owner's doing, and before autovacuum comes.
func TestAnImportRefreshesStatistics(t *testing.T) {
	t.Parallel()
	d := newData(t)
	super := connect(t, d.db.Super)
	const known = `SELECT greatest(reltuples, 0)::int FROM pg_class WHERE oid = $1::text::regclass`
	in := d.Opening("+15550000001")
	c := &in.Conversation
	c.Status, c.Imported, c.EndedAt, c.LastActivityAt = recaller.Completed, true, c.StartedAt.Add(time.Minute), c.StartedAt.Add(time.Minute)
	past := recaller.Importing{Opening: in}
	past.Turns = make([]recaller.Turn, 10_000)
	for i := range past.Turns {
		past.Turns[i] = recaller.Turn{ID: recaller.TurnID(fmt.Sprint("turn-", i)), Speaker: recaller.User, Text: "x", At: in.Conversation.StartedAt}
	}
	if _, err := d.ImportConversation(t.Context(), "t", past); err != nil {
		t.Fatal(err)
	}
	if n := ask[int](t, super, known, "turns"); n != len(past.Turns) {
		t.Errorf("the planner knows of %d turns, want the %d that were imported", n, len(past.Turns))
	}
	if n := ask[int](t, super, `SELECT count(*) FROM pg_stats WHERE tablename = 'turns' AND attname = 'conversation_id'`); n != 1 {
		t.Error("nothing is known of what the turns' columns hold")
	}
	as(t, connect(t, d.db.App), "t", func(tx pgx.Tx) {
		_, err := tx.Exec(t.Context(), `SELECT recaller_wall.analyze('secret')`)
		var raised *pgconn.PgError
		if !errors.As(err, &raised) || raised.Code != "P0001" {
			t.Errorf("got %v for a table that is none of ours, want it refused", err)
		}
	})
}
