package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/recallerhq/recaller"
)

// mapped gives a driver's error its kind: the only place that knows SQLite's codes. Errors that have a kind stay.
func mapped(err error) error {
	var known *recaller.Error
	var driver *sqlite.Error
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return recaller.Wrap(recaller.Timeout, err, "the store did not answer in time")
	case errors.Is(err, sql.ErrConnDone):
		return recaller.Wrap(recaller.Unavailable, err, "the store is closed")
	case errors.As(err, &driver) && unwritable(driver.Code()):
		return recaller.Wrap(recaller.Full, err, "the disk takes no writes: it is full, broken, or bounded")
	case errors.As(err, &driver) && damaged(driver.Code()):
		return recaller.Wrap(recaller.Internal, err, "the database is damaged: restore it from a backup")
	case errors.As(err, &driver):
		return recaller.Wrap(kind(driver.Code()), err, "%s", message(kind(driver.Code())))
	}
	return recaller.Wrap(recaller.Internal, err, "the store failed")
}

// unread is mapped for an error of goose: to it a table that it could not look for is not there, and it tries to make it
// again.
func unread(err error) error {
	var driver *sqlite.Error
	if errors.As(err, &driver) && driver.Code() == lib.SQLITE_ERROR {
		return recaller.Wrap(recaller.Unavailable, err, "the schema cannot be read")
	}
	return mapped(err)
}

// unwritten is an error of a file that is written beside SQLite.
func unwritten(err error) error {
	return recaller.Wrap(recaller.Full, err, "the disk takes no writes: it is full, broken, or bounded")
}

func damaged(code int) bool {
	return code&0xff == lib.SQLITE_CORRUPT || code&0xff == lib.SQLITE_NOTADB
}

// unwritable reports whether a write failed for another reason than lack of room. As with a full disk, reads go on.
func unwritable(code int) bool {
	return code == lib.SQLITE_IOERR_WRITE || code == lib.SQLITE_IOERR_FSYNC ||
		code == lib.SQLITE_IOERR_DIR_FSYNC || code == lib.SQLITE_IOERR_TRUNCATE || code == lib.SQLITE_IOERR_SHMSIZE ||
		code == lib.SQLITE_IOERR_SHMOPEN
}

func kind(code int) recaller.Kind {
	switch code & 0xff { // the low byte is the primary code
	case lib.SQLITE_CONSTRAINT:
		return recaller.Conflict
	case lib.SQLITE_FULL:
		return recaller.Full
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED, lib.SQLITE_IOERR, lib.SQLITE_CANTOPEN, lib.SQLITE_READONLY, lib.SQLITE_NOMEM:
		return recaller.Unavailable
	case lib.SQLITE_INTERRUPT:
		return recaller.Timeout
	}
	return recaller.Internal
}

func message(k recaller.Kind) string {
	switch k {
	case recaller.Conflict:
		return "it is there already"
	case recaller.Full:
		return "the disk is full: nothing can be written until there is room"
	case recaller.Unavailable:
		return "the store is away"
	case recaller.Timeout:
		return "the store did not answer in time"
	default:
		return "the store failed"
	}
}
