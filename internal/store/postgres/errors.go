package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/recallerhq/recaller"
)

// mapped gives a driver's error its kind. Errors that have a kind stay. Only mapped, and tx.mapped, which also sees the
// connection, know Postgres's codes.
//
// A deadlock and a serialization failure are Unavailable: a transaction runs once, so whoever asked for it may ask
// again. Neither is expected. A read changes nothing, so no change of another's makes it fail. A write sees what is
// committed (READ COMMITTED), locks its caller first, and writes identities in sorted order.
func mapped(err error) error {
	var known *recaller.Error
	var server *pgconn.PgError
	var connect *pgconn.ConnectError
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case errors.As(err, &server):
		k := kind(server.Code)
		return recaller.Wrap(k, failed{server.Code, server.TableName, server.ConstraintName}, "%s", message(k, server.Code))
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return recaller.Wrap(recaller.Timeout, err, "%s", message(recaller.Timeout, ""))
	case errors.As(err, &connect):
		return away(err)
	}
	return recaller.Wrap(recaller.Internal, bare{err}, "%s", message(recaller.Internal, ""))
}

// away is the error of a connection that broke, or that could not be made.
func away(err error) error {
	return recaller.Wrap(recaller.Unavailable, err, "%s", message(recaller.Unavailable, ""))
}

func closed() error { return recaller.Errorf(recaller.Unavailable, "the store is closed") }

// failed is what is told of a server's error. Its message and details are not: they may quote values.
type failed struct{ code, table, constraint string }

func (f failed) Error() string {
	text := "SQLSTATE " + f.code
	if f.table != "" {
		text += ", table " + f.table
	}
	if f.constraint != "" {
		text += ", constraint " + f.constraint
	}
	return text
}

// bare tells only the type of a driver's error, because its text may quote values.
type bare struct{ err error }

func (b bare) Error() string { return fmt.Sprintf("%T", b.err) }

// Codes of which more is told than their class (Postgres documentation, appendix A).
const (
	changedResult = "0A000" // feature_not_supported: a prepared statement whose result another schema has changed
	standby       = "25006" // read_only_sql_transaction
	idled         = "25P03" // idle_in_transaction_session_timeout
	notThere      = "3D000" // invalid_catalog_name
	noClaim       = "RC001" // ours: recaller_wall.enter
)

// kind tells the kind of an SQLSTATE.
func kind(code string) recaller.Kind {
	switch code {
	case "23505", "23P01": // unique_violation, exclusion_violation
		return recaller.Conflict
	// A byte that is no text (NUL), a character that the encoding lacks, a key that is too long for an index.
	case "22021", "22P05", "54000":
		return recaller.Invalid
	case "53100": // disk_full
		return recaller.Full
	case "57014", "55P03", idled: // query_canceled, lock_not_available
		return recaller.Timeout
	case standby, changedResult, noClaim: // on another connection it works, or at the next start
		return recaller.Unavailable
	}
	switch code[:min(2, len(code))] {
	// Connection, resources, operator, system, rollback, authorisation, catalog.
	case "08", "53", "57", "58", "40", "28", "3D":
		return recaller.Unavailable
	}
	return recaller.Internal
}

// stale reports whether a failure concerns all connections of the pool, so that they should be made anew. They lead to
// a server that is no longer the primary, or hold statements prepared for another schema.
func stale(err error) bool {
	var server *pgconn.PgError
	return errors.As(err, &server) && (server.Code == standby || server.Code == changedResult)
}

func message(k recaller.Kind, code string) string {
	switch {
	case k == recaller.Conflict:
		return "it is there already"
	case k == recaller.Invalid:
		return "text that cannot be stored: it has a zero byte, is no UTF-8, or is too long for a key"
	case k == recaller.Full:
		return "the disk is full: nothing can be written until there is room"
	case k == recaller.Unavailable && code == notThere:
		return "the server has no such database"
	case k == recaller.Unavailable && len(code) == 5 && code[:2] == "28":
		return "the server refuses the database user, or its password"
	case code == noClaim:
		return "the database does not take this server's claims: the secret of its wall was changed; start the server anew"
	case k == recaller.Unavailable:
		return "the store is away"
	case k == recaller.Timeout:
		return "the store did not answer in time"
	default:
		return "the store failed"
	}
}
