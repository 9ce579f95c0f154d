package keyfile

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"

	"github.com/recallerhq/recaller"
)

// Copy returns the key store at path as the bytes of a file, as it is at one moment, while others use it. It writes
// nothing: wrapped keys that are destroyed later leave no trace of it on the disk.
func Copy(ctx context.Context, path string) (file []byte, err error) {
	if _, err := os.Stat(path); err != nil {
		return nil, recaller.Wrap(recaller.Unavailable, err, "the key store is not there")
	}
	db, err := sql.Open("sqlite", dsn(path, "", "query_only(1)"))
	if err != nil {
		return nil, failure(err, "the key store cannot be read")
	}
	db.SetMaxOpenConns(1)
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, failure(errors.Join(err, db.Close()), "the key store cannot be read")
	}
	err = conn.Raw(func(c any) error {
		from, ok := c.(interface{ Serialize() ([]byte, error) })
		if !ok {
			return errors.New("the driver cannot serialize")
		}
		file, err = from.Serialize()
		return err
	})
	return file, failure(errors.Join(err, conn.Close(), db.Close()), "the key store cannot be read")
}

// Remove removes a copy of a key store that was opened, and overwrites it before.
func Remove(path string) error {
	var errs []error
	for _, file := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(file)
		if err != nil {
			continue // it is not there
		}
		errs = append(errs, os.WriteFile(file, make([]byte, info.Size()), 0o600), os.Remove(file))
	}
	return errors.Join(append(errs, syncDir(filepath.Dir(path)))...)
}
