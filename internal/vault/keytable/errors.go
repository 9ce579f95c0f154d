package keytable

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/recallerhq/recaller"
)

// failure is the one spot where the driver's errors become ours: Timeout, or Unavailable. The cause never quotes a
// value.
func failure(err error, msg string) error {
	var own *recaller.Error
	var server *pgconn.PgError
	var connect *pgconn.ConnectError
	switch {
	case err == nil || errors.As(err, &own):
		return err
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return recaller.Wrap(recaller.Timeout, bare{err}, "the key store did not answer in time")
	case errors.As(err, &connect):
		return recaller.Wrap(recaller.Unavailable, err, "the key store is away")
	case !errors.As(err, &server):
		return recaller.Wrap(recaller.Unavailable, bare{err}, "%s", msg)
	}
	cause := failed{server.Code, server.TableName}
	switch server.Code {
	case "57014": // query_canceled
		return recaller.Wrap(recaller.Timeout, cause, "the key store did not answer in time")
	case "53100": // disk_full
		return recaller.Wrap(recaller.Unavailable, cause, "the disk of the key store is full")
	}
	return recaller.Wrap(recaller.Unavailable, cause, "%s", msg)
}

// failed is what is told of an error of the server: its message and details may quote values.
type failed struct{ code, table string }

func (f failed) Error() string {
	text := "SQLSTATE " + f.code
	if f.table != "" {
		text += ", table " + f.table
	}
	return text
}

// bare is what is told of an error of the driver, which may quote values as well: what it is.
type bare struct{ err error }

func (b bare) Error() string { return fmt.Sprintf("%T", b.err) }
