package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
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
