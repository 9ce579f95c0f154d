package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// Copy writes a copy of the database file at path to another, as it is at one moment, while others read and write it. The
// copy has no free pages, so nothing of what was deleted.
func Copy(ctx context.Context, path, to string) error {
	if err := create(to); err != nil { // for the owner alone; VACUUM INTO takes an empty file
		return recaller.Wrap(recaller.Unavailable, err, "the copy cannot be made")
	}
	db, err := bare(path)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, `VACUUM INTO ?`, to)
	return errors.Join(mapped(err), mapped(db.Close()))
}

// Counts returns how many rows each table of a database file has, whatever its schema.
func Counts(ctx context.Context, path string) (map[string]int64, error) {
	db, err := bare(path)
	if err != nil {
		return nil, err
	}
	out, err := counts(ctx, db)
	return out, errors.Join(mapped(err), mapped(db.Close()))
}

func counts(ctx context.Context, db *sql.DB) (map[string]int64, error) {
	names, err := tables(ctx, db)
	if err != nil {
		return nil, err
	}
	out := map[string]int64{}
	for _, name := range names {
		var n int64
		quoted := `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		if err := db.QueryRowContext(ctx, `SELECT count(*) FROM `+quoted).Scan(&n); err != nil {
			return nil, mapped(err)
		}
		out[name] = n
	}
	return out, nil
}

func tables(ctx context.Context, db *sql.DB) (names []string, err error) {
	rows, err := db.QueryContext(ctx, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
	if err != nil {
		return nil, mapped(err)
	}
	defer func() { err = errors.Join(err, mapped(rows.Err()), mapped(rows.Close())) }()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, mapped(err)
		}
		names = append(names, name)
	}
	return names, nil
}

// bare opens a database file as it is.
func bare(path string) (*sql.DB, error) {
	name, _, _ := strings.Cut(dsn(path, Options{}), "?")
	db, err := sql.Open("sqlite", name+"?_pragma="+patience(5*time.Second))
	if err != nil {
		return nil, mapped(err)
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// EachTokens passes the blind tokens of every one of some things of a database file, for another engine to take.
func EachTokens(ctx context.Context, path string, of store.Thing, fn func(store.Tokens) error) (err error) {
	db, err := bare(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, mapped(db.Close())) }()
	if _, err := db.ExecContext(ctx, `CREATE VIRTUAL TABLE temp.said USING fts5vocab(main, `+tokensOf(of)+`, instance)`); err != nil {
		return mapped(err)
	}
	created := `0`
	if of == store.Documents {
		created = `w.created_at`
	}
	//nolint:gosec // names of tables
	query := fmt.Sprintf(`SELECT w.tenant_id, w.%s, w.caller_id, %s, s.term, count(*)
		FROM temp.said s JOIN %s w ON w.id = s.doc GROUP BY s.doc, s.term ORDER BY s.doc`, of.Key(), created, of.Words())
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return mapped(err)
	}
	defer func() { err = errors.Join(err, mapped(rows.Err()), mapped(rows.Close())) }()
	var t store.Tokens
	for rows.Next() {
		next := store.Tokens{Of: of}
		var at int64
		var token string
		var n int
		if err := rows.Scan(&next.Tenant, &next.ID, &next.Caller, &at, &token, &n); err != nil {
			return mapped(err)
		}
		if next.Tenant != t.Tenant || next.ID != t.ID {
			if t.Counts != nil {
				if err := fn(t); err != nil {
					return err
				}
			}
			t, t.CreatedAt, t.Counts = next, time.UnixMicro(at), map[string]int{}
		}
		t.Counts[token] = n
	}
	if t.Counts == nil {
		return nil
	}
	return fn(t)
}

// Unpacked returns the numbers of a vector of so many as it is stored, for another engine to take; false if it is not one.
func Unpacked(stored []byte, width int) ([]float32, bool) {
	r, ok := decode(stored, make([]uint64, words(width)))
	if !ok {
		return nil, false
	}
	out := make([]float32, width)
	for i := range out {
		out[i] = r.scale * float32(int(stored[vectorHead+i])-zero)
	}
	return out, true
}
