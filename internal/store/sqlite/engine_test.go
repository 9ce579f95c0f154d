package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/sqlite"
	"github.com/recallerhq/recaller/internal/store/storetest"
)

func TestEngine(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, connections int32) storetest.Engine {
		path := filepath.Join(t.TempDir(), "x.db")
		return storetest.Engine{
			Engine:  closed(t, sqlite.Open, path, sqlite.Options{Readers: int(connections)}),
			Endless: `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n`,
			Breaks:  []string{`RELEASE one`, `ROLLBACK`, `COMMIT`}, // the first is the savepoint in its batch
			Stopped: func(*testing.T) {},
			Closed: func(t *testing.T) {
				for _, name := range []string{path + "-wal", path + "-shm"} {
					if _, err := os.Stat(name); err == nil {
						t.Errorf("%s is left: a connection was not closed", filepath.Base(name))
					}
				}
				if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
					t.Errorf("the file's mode is %v, want owner only (%v)", info.Mode(), err)
				}
			},
		}
	})
}

// TestParameters holds the numbering of parameters: SQLite takes $1 for a name, and names by the order they appear.
func TestParameters(t *testing.T) {
	t.Parallel()
	e := open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Options{})
	ctx := context.Background()
	err := e.Read(ctx, "t", "", func(tx store.Tx) error {
		var got string
		for query, want := range map[string]string{
			`SELECT $1 || $2 || $3`:                                    "abc",
			`SELECT $3 || $1 || $2`:                                    "cab",
			`SELECT $2 || $2 || $3`:                                    "bbc",
			`SELECT $3 || (SELECT $1 || $3) || $2`:                     "cacb",
			`SELECT $11 || $1 || $10`:                                  "kaj",
			`SELECT $3 FROM (SELECT 1) WHERE ($2, $1) > ($1, $3)`:      "c",
			`SELECT CASE WHEN $2 = 'b' THEN $11 ELSE $1 END`:           "k",
			`SELECT $2 WHERE $1 IN ($3, $2, $1) AND '$3' = '$' || '3'`: "b",
		} {
			args := []any{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"}
			if err := tx.QueryRow(ctx, query, args, &got); err != nil {
				return fmt.Errorf("%s: %w", query, err)
			}
			if got != want {
				t.Errorf("%s: got %q, want %q", query, got, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	e, err := sqlite.Open(context.Background(), path, sqlite.Options{MaxPages: 130})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var acknowledged, refused int
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			for n := range 40 {
				err := storetest.PutJob(e, fmt.Sprint(i, "-", n, strings.Repeat("x", 500)))
				mu.Lock()
				if err == nil {
					acknowledged++
				} else {
					refused++
					storetest.WantKind(t, "no room", err, recaller.Full)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if acknowledged == 0 || refused == 0 {
		t.Fatalf("%d writes were acknowledged and %d refused: both were wanted", acknowledged, refused)
	}
	if got := storetest.Jobs(t, e); got != acknowledged {
		t.Errorf("got %d rows, want the %d that were acknowledged", got, acknowledged)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = open(t, path, sqlite.Options{})
	if got := storetest.Jobs(t, e); got != acknowledged {
		t.Errorf("with room: got %d rows, want %d", got, acknowledged)
	}
	if err := storetest.PutJob(e, "more"); err != nil {
		t.Errorf("with room: %v", err)
	}
	if err := e.Check(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestDamagedFile(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "x.db")
	if err := os.WriteFile(path, bytes.Repeat([]byte("no database "), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := sqlite.Open(ctx, path, sqlite.Options{})
	storetest.WantKind(t, "no database", err, recaller.Internal)
	if err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("got %v, want it to say that the database is damaged", err)
	}

	path = filepath.Join(t.TempDir(), "y.db")
	raw := manyPages(t, path)
	for i := len(raw) - 6*4096; i < len(raw); i++ {
		raw[i] = 0xa5
	}
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	e := open(t, path, sqlite.Options{})
	storetest.WantKind(t, "check", e.Check(ctx), recaller.Internal)
}

func TestNewerSchemaIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	e, err := sqlite.Open(context.Background(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	foreign(t, path, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)`)
	_, err = sqlite.Open(context.Background(), path, sqlite.Options{})
	storetest.WantKind(t, "newer", err, recaller.Unavailable)
}

// foreign runs statements on a connection that is not the engine's, and keeps it open.
func foreign(t *testing.T, path string, statements ...string) *sql.Conn {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(c.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	for _, s := range statements {
		if _, err := c.ExecContext(context.Background(), s); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func TestBusyFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	e := open(t, path, sqlite.Options{Patience: 20 * time.Millisecond})
	c := foreign(t, path, `PRAGMA journal_mode = WAL`, `BEGIN IMMEDIATE`)
	storetest.WantKind(t, "locked", storetest.PutJob(e, "x"), recaller.Unavailable)
	if got := storetest.Jobs(t, e); got != 0 {
		t.Errorf("got %d rows, want none; reads go on", got)
	}
	if _, err := c.ExecContext(context.Background(), `ROLLBACK`); err != nil {
		t.Fatal(err)
	}
	if err := storetest.PutJob(e, "x"); err != nil {
		t.Errorf("unlocked: %v", err)
	}
}
