package postgres_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/postgres"
	"github.com/recallerhq/recaller/internal/store/postgres/postgrestest"
	"github.com/recallerhq/recaller/internal/store/storetest"
)

// An erasure on Postgres says where traces remain. After the owner has had the tables written anew, their files, and
// those of their indexes, have none. Those of the callers who stay are there.
func TestErasureLeavesNoTraceInTheTables(t *testing.T) {
	t.Parallel()
	db := postgrestest.Database(t)
	v := newVault(t)
	d := storetest.NewData(t, store.New(open(t, db.App), v))
	super := connect(t, db.Super)
	crowd := d.Crowd(45)
	gone, stay := crowd[:15], crowd[15:]
	erased, kept := traces(t, d, super, gone), traces(t, d, super, stay)
	// A transaction that still sees the erased keeps them in the files, until it ends.
	reader := connect(t, db.Super)
	run(t, reader, `BEGIN ISOLATION LEVEL REPEATABLE READ`, `SELECT 1 FROM callers`)
	for _, o := range gone {
		d.Erase(v, o)
	}
	remains, err := d.Scrub(t.Context())
	if want := []recaller.Remain{recaller.RemainRows, recaller.RemainLog, recaller.RemainStandbys}; err != nil || !slices.Equal(remains, want) {
		t.Errorf("got %v, %v; want %v", remains, err, want)
	}
	before := ask[string](t, super, `SELECT pg_relation_filepath('identities')`)
	if found, all := storetest.Found(files(t, super), erased); len(found) != len(all) || len(all) != 10 {
		t.Errorf("before: found %v of %v, want some of all ten kinds, else this test looks at the wrong bytes", found, all)
	}
	scrubbed := make(chan error, 1)
	go func() { scrubbed <- postgres.ScrubTables(t.Context(), db.Owner) }()
	until(t, super, "the first table is written anew", `SELECT pg_relation_filepath('identities') <> $1`, before)
	run(t, reader, `ROLLBACK`)
	d.OK(<-scrubbed)
	if found, all := storetest.Found(files(t, super), erased); len(found) != 0 {
		t.Errorf("after: found %v of %v", found, all)
	}
	if found, all := storetest.Found(files(t, super), kept); len(found) != len(all) {
		t.Errorf("of those who stay: found %v of %v", found, all)
	}
}

// traces are what the database can read of callers.
func traces(t *testing.T, d *storetest.Data, super *pgx.Conn, of []recaller.Opened) (list []storetest.Trace) {
	t.Helper()
	for _, o := range of {
		list = append(list, d.Tokens(o)...)
		for _, thing := range store.Things() {
			list = append(list, foundBy(t, super, thing, o.Caller.ID)...)
		}
	}
	return list
}

// foundBy are the embedding of a caller's conversation or document, and the tokens of what nobody else said.
func foundBy(t *testing.T, super *pgx.Conn, thing store.Thing, caller recaller.CallerID) (list []storetest.Trace) {
	t.Helper()
	vector := ask[[]byte](t, super, `SELECT halfvec_send(vector) FROM `+thing.Embeddings()+` WHERE caller_id = $1`, caller)
	vector = vector[4:] // its width
	for i := 0; i < len(vector); i += 2 {
		vector[i], vector[i+1] = vector[i+1], vector[i] // as the processor has it
	}
	list = append(list, storetest.Trace{Of: thing.Embeddings(), Bytes: vector})
	for _, token := range ask[[]string](t, super, `SELECT tsvector_to_array(tokens) FROM `+thing.Words()+` WHERE caller_id = $1`, caller) {
		shared := ask[int](t, super, `SELECT count(*) FROM `+thing.Words()+` WHERE tokens @@ $1::text::tsquery`, token)
		if len(token) >= 8 && shared == 1 {
			list = append(list, storetest.Trace{Of: thing.Words(), Bytes: []byte(token)})
		}
	}
	return list
}

// files are the files of all tables and indexes, as they are on disk.
func files(t *testing.T, super *pgx.Conn) []byte {
	t.Helper()
	run(t, super, `CHECKPOINT`)
	rows, err := super.Query(t.Context(), `SELECT pg_read_binary_file(pg_relation_filepath(c.oid)) FROM pg_class c
		WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'i') OR c.oid IN (SELECT reltoastrelid FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind = 'r')`)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(all...)
}

// Every table with a column that the database can read of callers is among those that are written anew.
func TestReadableTablesAreListed(t *testing.T) {
	t.Parallel()
	super := connect(t, postgrestest.Database(t).Super)
	rows, err := super.Query(t.Context(), `SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = 'public'`)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for column, class := range storetest.Classify(t, all, classes) {
		table, _, _ := strings.Cut(column, ".")
		ofCallers := slices.Contains(all, table+".caller_id")
		if (class == "token" || class == "vector") && ofCallers && !slices.Contains(want, table) {
			want = append(want, table)
		}
	}
	got := store.Readable()
	slices.Sort(got)
	slices.Sort(want)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
