package sqlite_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/sqlite"
	"github.com/recallerhq/recaller/internal/store/storetest"
	"github.com/recallerhq/recaller/internal/vault"
)

// crowded is a data folder with callers of whom the database can read something.
type crowded struct {
	*storetest.Data
	t     *testing.T
	path  string
	vault *vault.Vault
}

func newCrowded(t *testing.T) crowded {
	t.Helper()
	dir := t.TempDir()
	c := crowded{t: t, path: filepath.Join(dir, "recaller.db"), vault: openVault(t, filepath.Join(dir, "keys.db"), vault.NewKey())}
	c.Data = storetest.NewData(t, store.New(open(t, c.path, sqlite.Options{}), c.vault))
	return c
}

// Of callers who are erased no file has a byte that told of them: neither of their embeddings nor of the blind tokens
// that they, their memories, requests and words were found by. Those of the callers who stay are there.
func TestErasureLeavesNoTraceInTheFiles(t *testing.T) {
	t.Parallel()
	c := newCrowded(t)
	crowd := c.Crowd(120)
	gone, stay := crowd[:len(crowd)/3], crowd[len(crowd)/3:]
	erased, kept := c.traces(gone), c.traces(stay)
	c.wantSome("before", erased)
	for _, o := range gone {
		c.Erase(c.vault, o)
	}
	remains, err := c.Scrub(t.Context())
	if err != nil || len(remains) != 0 {
		t.Errorf("got %v, %v; want nothing to remain", remains, err)
	}
	if info, err := os.Stat(c.path + "-wal"); err != nil || info.Size() != 0 {
		t.Errorf("the log: got %v, %v; want it empty", info, err)
	}
	c.wantNone("after", erased)
	c.wantSome("of those who stay", kept)
	c.OK(c.Check(t.Context()))
	found, err := c.Matching(t.Context(), "t", []string{"garden"}, recaller.SearchFilter{}, 200)
	if err != nil || len(found) != len(stay) {
		t.Errorf("found %d by a word, %v; want the %d who stay", len(found), err, len(stay))
	}
	c.OK(c.Close())
	c.wantNone("closed", erased)
}

// traces are what the database can read of callers.
func (c crowded) traces(of []recaller.Opened) (list []storetest.Trace) {
	c.t.Helper()
	db, err := sql.Open("sqlite", c.path)
	c.OK(err)
	defer func() { c.OK(db.Close()) }()
	db.SetMaxOpenConns(1)
	for _, o := range of {
		list = append(list, c.Tokens(o)...)
	}
	for _, thing := range store.Things() {
		_, err = db.ExecContext(context.Background(), `CREATE VIRTUAL TABLE temp.`+thing.Table()+` USING fts5vocab(main, `+string(thing)+`_tokens, 'instance')`)
		c.OK(err)
		list = append(list, c.read(db, thing.Embeddings(), `SELECT caller_id, vector FROM `+thing.Embeddings(), of)...)
		// Of a term the first digits may be those of the term before it, which are not written again.
		list = append(list, c.read(db, thing.Words(), `SELECT min(w.caller_id), substr(s.term, 3) FROM temp.`+thing.Table()+` s
			JOIN `+thing.Words()+` w ON w.id = s.doc GROUP BY s.term HAVING count(DISTINCT s.doc) = 1`, of)...)
	}
	return list
}

// read reads the traces of callers.
func (c crowded) read(db *sql.DB, column, query string, of []recaller.Opened) (list []storetest.Trace) {
	c.t.Helper()
	rows, err := db.QueryContext(context.Background(), query)
	c.OK(err)
	defer func() { c.OK(rows.Close()) }()
	for rows.Next() {
		trace := storetest.Trace{Of: column}
		var caller recaller.CallerID
		c.OK(rows.Scan(&caller, &trace.Bytes))
		if slices.ContainsFunc(of, func(o recaller.Opened) bool { return o.Caller.ID == caller }) {
			list = append(list, trace)
		}
	}
	c.OK(rows.Err())
	return list
}

// counted counts the traces that are in the database's files, by what they are of.
func (c crowded) counted(traces []storetest.Trace) (found, all map[string]int) {
	c.t.Helper()
	files, err := filepath.Glob(c.path + "*")
	c.OK(err)
	var raw []byte
	for _, f := range files {
		content, err := os.ReadFile(f)
		c.OK(err)
		raw = append(raw, content...)
	}
	return storetest.Found(raw, traces)
}

func (c crowded) wantNone(when string, traces []storetest.Trace) {
	c.t.Helper()
	if found, all := c.counted(traces); len(found) != 0 {
		c.t.Errorf("%s: found %v of %v", when, found, all)
	}
}

// wantSome wants most traces of each kind to be there: else the test looks for the wrong bytes.
func (c crowded) wantSome(when string, traces []storetest.Trace) {
	c.t.Helper()
	found, all := c.counted(traces)
	for of, n := range all {
		if found[of] < n*4/5 {
			c.t.Errorf("%s: found only %d of %d %s", when, found[of], n, of)
		}
	}
	if len(all) != 10 {
		c.t.Errorf("%s: there are traces of %v, want ten kinds", when, all)
	}
}

// A reader that does not end keeps the log from being emptied: the receipt is to say so, and nobody waits for ever. The
// next time nothing remains.
func TestAReaderInTheWayOfErasureIsTold(t *testing.T) {
	t.Parallel()
	c := newCrowded(t)
	o := c.Call("+15550000001")
	c.Erase(c.vault, o)
	reading, end, ended := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		ended <- c.WithTenant(context.Background(), "t", store.Reading, func(tx store.Tx) error {
			var n int
			err := tx.QueryRow(context.Background(), `SELECT count(*) FROM callers`, nil, &n)
			close(reading)
			<-end
			return err
		})
	}()
	<-reading
	c.Call("+15550000002") // the reader needs the log, for the database has this by then
	remains, err := c.Scrub(t.Context())
	if err != nil || !slices.Equal(remains, []recaller.Remain{recaller.RemainLog}) {
		t.Errorf("got %v, %v; want the log to remain", remains, err)
	}
	close(end)
	c.OK(<-ended)
	if remains, err = c.Scrub(t.Context()); err != nil || len(remains) != 0 {
		t.Errorf("afterwards: got %v, %v; want nothing to remain", remains, err)
	}
}

// Whoever does not wait to the end, or comes when the store is closed, is told so; many who ask at once share a round.
func TestScrubbingIsShared(t *testing.T) {
	t.Parallel()
	c := newCrowded(t)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := c.Scrub(gone)
	storetest.WantKind(t, "nobody waits", err, recaller.Timeout)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if remains, err := c.Scrub(t.Context()); err != nil || len(remains) != 0 {
				t.Errorf("got %v, %v", remains, err)
			}
		})
	}
	all.Wait()
	c.OK(c.Close())
	_, err = c.Scrub(t.Context())
	storetest.WantKind(t, "closed", err, recaller.Unavailable)
}
