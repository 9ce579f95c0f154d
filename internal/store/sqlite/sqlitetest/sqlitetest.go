// Package sqlitetest gives tests SQLite files that have the store's schema, so that not each of them makes it anew.
//
// It is for tests only; those of the migrations themselves open an empty folder.
package sqlitetest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"

	"github.com/recallerhq/recaller/internal/store/sqlite"
)

// Open opens the database at path, putting one there with the current schema and nothing in it if there is none.
func Open(ctx context.Context, path string, opts sqlite.Options) (*sqlite.Engine, error) {
	if err := put(path); err != nil {
		return nil, err
	}
	return sqlite.Open(ctx, path, opts)
}

// put writes an empty database with the schema to path, unless a file is there.
func put(path string) error {
	empty, err := template()
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = file.Write(empty)
	return errors.Join(err, file.Close())
}

// template is the bytes of such a database; it is made once in a process.
var template = sync.OnceValues(func() (bytes []byte, err error) {
	dir, err := os.MkdirTemp("", "recaller-schema-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "recaller.db")
	e, err := sqlite.Open(context.Background(), path, sqlite.Options{Readers: 1})
	if err != nil {
		return nil, err
	}
	if err := e.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})
