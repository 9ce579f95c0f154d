package postgres_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/recallerhq/recaller/internal/store/postgres/postgrestest"
	"github.com/recallerhq/recaller/internal/store/storetest"
)

// classes are those of the columns that are Postgres's own.
const classes = `
count:   conversation_words.length
token:   conversation_words.tokens
count:   document_words.length
token:   document_words.tokens
`

func TestEveryColumnIsClassified(t *testing.T) {
	t.Parallel()
	rows, err := connect(t, postgrestest.Database(t).Super).Query(t.Context(), `SELECT table_name || '.' || column_name, data_type FROM information_schema.columns WHERE table_schema = 'public'`)
	if err != nil {
		t.Fatal(err)
	}
	var column, typ string
	var all, bytea []string
	if _, err := pgx.ForEachRow(rows, []any{&column, &typ}, func() error {
		all = append(all, column)
		if typ == "bytea" {
			bytea = append(bytea, column)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for column, class := range storetest.Classify(t, all, classes) {
		if class == "sealed" && !slices.Contains(bytea, column) {
			t.Errorf("%s is sealed, but of another type than bytea", column)
		}
	}
}

// TestNothingReadableIsInTheDatabase reads all of the database as a superuser, as a dump does, and what the planner
// knows of it.
func TestNothingReadableIsInTheDatabase(t *testing.T) {
	t.Parallel()
	d := newData(t)
	o := d.PutSecrets()
	super := connect(t, d.db.Super)
	run(t, super, `ANALYZE`)
	readable := false
	for _, tb := range append(tables(t, super), table{name: "goose_db_version"}, table{name: "pg_stats"}, table{name: "pg_stat_activity"}) {
		rows, err := super.Query(t.Context(), `SELECT r::text FROM `+tb.name+` r`)
		if err != nil {
			t.Fatal(err)
		}
		all, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(all, "\n")
		if text == "" {
			t.Errorf("%s has no rows: nothing was looked for there", tb.name)
		}
		readable = readable || strings.Contains(text, string(o.Conversation.ID))
		storetest.NoSecrets(t, tb.name, text)
	}
	if !readable {
		t.Error("not even an id was found: this test looks at the wrong things")
	}
}
