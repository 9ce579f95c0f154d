package keyfile

import (
	"context"
	"database/sql"
	"errors"
	"os"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/durable"
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

// Remove removes a copy of a key store that was opened. It is overwritten before, in place and down to the disk.
func Remove(path string) error {
	var errs []error
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(name)
		if err != nil {
			continue // it is not there
		}
		errs = append(errs, overwrite(name, info.Size()), durable.Delete(name))
	}
	return errors.Join(errs...)
}

func overwrite(name string, size int64) error {
	file, err := durable.Open(name)
	if err != nil {
		return err
	}
	_, err = file.WriteAt(make([]byte, size), 0)
	return errors.Join(err, file.Sync(), file.Close())
}
