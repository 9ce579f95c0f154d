package postgres_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// TestTheSecretIsInNoPlan has the role that serves ask the server to print how it plans. What a function of the owner
// does is planned in the session of whoever calls it, so a secret that were a constant there, as the value of an
// IMMUTABLE function is, would be told.
func TestTheSecretIsInNoPlan(t *testing.T) {
	t.Parallel()
	db, all := divided(t)
	super := connect(t, db.Super)
	var told strings.Builder
	cfg, err := pgx.ParseConfig(db.App)
	if err != nil {
		t.Fatal(err)
	}
	cfg.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { told.WriteString(n.Message + n.Detail) }
	c, err := pgx.ConnectConfig(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(t.Context()) }()
	shows := func(bytes []byte) bool { // as plans are printed: each byte as a number with a sign, broken into lines anywhere
		as := ""
		for _, b := range bytes {
			as += fmt.Sprint(int8(b))
		}
		printed := strings.ToLower(strings.Join(strings.Fields(told.String()), ""))
		return strings.Contains(printed, as) || strings.Contains(printed, fmt.Sprintf("%x", bytes))
	}
	run(t, c, `SET client_min_messages = debug5`, `SET debug_print_plan = on`, `SET debug_print_rewritten = on`, `SET debug_print_parse = on`,
		`SET plan_cache_mode = force_custom_plan`, `SELECT '\x0102030405060708090a0b0c'::bytea`)
	if !shows([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}) {
		t.Fatal("a constant is not seen in its plan")
	}
	as(t, c, "t1", func(tx pgx.Tx) {
		for _, tb := range all {
			touched(t, tx, `SELECT * FROM `+tb.name)
		}
		touched(t, tx, `SELECT recaller_wall.armed(), recaller_wall.holds('{t2}')`)
	})
	for _, name := range []string{"inner_pad", "outer_pad", "seal_pad"} {
		if shows(ask[[]byte](t, super, `SELECT `+name+` FROM recaller_wall.secret`)) {
			t.Errorf("%s is told by a plan", name)
		}
	}
}
