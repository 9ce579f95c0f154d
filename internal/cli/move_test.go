package cli_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/cli"
	"github.com/recallerhq/recaller/internal/pgtest"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/sqlite"
)

// P8: who outgrows the data folder moves to Postgres. All of it comes along, what was erased stays erased, and the
// folder stays as it is.
func TestAnInstallationMovesToPostgres(t *testing.T) {
	t.Parallel()
	b, db := setup(t), pgtest.Empty(t)
	for _, phone := range []string{maria, gone} {
		b.must("replay", "testdata/plumber.txt", "--phone", phone, "--at", "2026-10-02T14:05")
	}
	b.must("erase", gone, "--yes")
	putApart(t, filepath.Join(b.data, "recaller.db"))
	master, err := os.ReadFile(filepath.Join(b.data, "master", "master.key"))
	if err != nil {
		t.Fatal(err)
	}
	before := b.env
	b.env = append(before[:len(before):len(before)], "MEMORY_ENCRYPTION_KEY="+strings.TrimSpace(string(master)),
		"RECALLER_DATABASE_URL="+db.App, "RECALLER_OWNER_DATABASE_URL="+db.Owner)
	if r := b.run("move"); r.code != cli.ExitFailed || !strings.Contains(r.err, "recaller migrate") {
		t.Errorf("into a database that was not migrated: exit %d, %q", r.code, r.err)
	}
	b.must("migrate")
	want(t, "move", b.must("move"), "Moved: ", "each read back and compared", "1 tenant, 1 caller, 1 conversation")
	if r := b.run("move"); r.code != cli.ExitFailed || !strings.Contains(r.err, "an empty one") {
		t.Errorf("again: exit %d, %q", r.code, r.err)
	}
	// As if it had been cut short, and somebody had changed a row: that is found, and without it the move goes on.
	onDatabase(t, db, `DELETE FROM tenants; UPDATE turns SET body = body || '\x00'::bytea WHERE number = 2`)
	if r := b.run("move"); r.code != cli.ExitFailed || !strings.Contains(r.err, "rows of turns did not come as they are") {
		t.Errorf("with a row that was changed: exit %d, %q", r.code, r.err)
	}
	onDatabase(t, db, `DELETE FROM turns`)
	want(t, "move, to the end", b.must("move"), "Moved: ")

	want(t, "doctor", b.must("doctor"), "ok    data: policies", "none: every tenant and caller has a key")
	want(t, "the briefing", b.must("briefing", maria), "Maria Lopez", "October 2, 2026")
	want(t, "recall", b.must("recall", maria, "what noise does the boiler make"), "terrible noise")
	want(t, "search", b.must("search", "a boiler that makes noises"), "boiler")
	onDatabase(t, db, `DO $$ BEGIN
		ASSERT (SELECT tokens = array_to_tsvector('{any,aaaa,aaaax,bbbb}') AND created_at = 7 AND length = 4 FROM document_words WHERE document_id = 'd'), 'words of a document';
		ASSERT (SELECT count(*) = 2 AND bool_and(vector <=> '[0.6,0.8]' < 0.01 OR part = 1) FROM document_embeddings WHERE caller_id = ''), 'embeddings of a document';
		ASSERT (SELECT version = 3 AND created_at = 7 AND body = 'sealed' FROM personas), 'a version of the persona';
		END $$`)
	if b.run("briefing", gone).code == cli.ExitOK {
		t.Error("who was erased is known")
	}
	b.must("replay", "testdata/plumber.txt", "--phone", later) // it goes on
	b.env = before
	want(t, "the folder", b.must("briefing", maria), "Maria Lopez")
}

// putApart has a file hold what is no caller's: what a document of the tenant itself is found by, and a version of its persona.
func putApart(t *testing.T, path string) {
	t.Helper()
	e, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}()
	ids, err := store.New(e, nil).TenantIDs(t.Context())
	if err != nil || len(ids) != 1 {
		t.Fatal(ids, err)
	}
	err = e.Write(t.Context(), ids[0], "", func(tx store.Tx) error {
		if err := e.PutTokens(t.Context(), tx, store.Tokens{
			Of: store.Documents, Tenant: ids[0], ID: "d", CreatedAt: time.UnixMicro(7), Counts: map[string]int{"aaaa": 3, "bbbb": 1},
		}); err != nil {
			return err
		}
		if _, err := tx.Exec(t.Context(), `INSERT INTO personas (tenant_id, version, created_at, body) VALUES ($1, 3, 7, $2)`, ids[0], []byte("sealed")); err != nil {
			return err
		}
		return e.PutVectors(t.Context(), tx, store.Vectors{Of: store.Documents, Tenant: ids[0], ID: "d", Parts: []recaller.Embedding{
			{Model: "m", Vector: []float32{0.6, 0.8}}, {Model: "m", Vector: []float32{1, 0}},
		}})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// onDatabase runs statements as a superuser.
func onDatabase(t *testing.T, db pgtest.Database, statements string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), db.Super)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(context.Background()) }()
	if _, err := c.Exec(t.Context(), statements); err != nil {
		t.Fatal(err)
	}
}
