// Package store is where everything is stored. It holds the SQL, written once for every database, one file per entity.
// It seals what people said and what identifies them before a database sees it (spec 2.2). It is the wall between
// tenants: SQL runs only inside the doors WithTenant, WithCaller and WithSystem (design decision 6).
//
// It is not for rules. What a write does to a memory is decided by memory/decide, and what a conversation may do by the
// use cases. What truly differs between databases is in the sub-packages, behind Engine. storetest holds every store to
// the same behaviour.
package store

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

// Engine is one database. Implementations are safe for concurrent use.
type Engine interface {
	// Read runs fn on one snapshot of the tenant's rows: those of one caller and of nobody, or of all callers with an
	// empty one. Only Postgres keeps callers apart; on every store a query names whose rows it is about.
	Read(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, fn func(Tx) error) error
	// Write runs fn in one commit, durable when Write returns nil. An error of fn undoes all of it. fn runs once. It
	// must not block, must not use anything but its Tx, and must return whatever went wrong in it. Writes about one
	// caller take turns: from its first statement on, fn sees all that the others have written, and it reaches no other
	// caller's rows. With an empty caller a write takes no turn, and reaches all of them.
	Write(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, fn func(Tx) error) error
	// ReadSystem and WriteSystem are the same for the tables that belong to no single tenant: tenants and jobs.
	ReadSystem(ctx context.Context, fn func(Tx) error) error
	WriteSystem(ctx context.Context, fn func(Tx) error) error
	// Writes counts the writes about a caller together with those of his tenant that are across callers; with an empty
	// caller, all of the tenant's. Between two equal counts nothing was written that a read about the caller shows. The
	// count is not known while such a write is under way, and never on a database to which others write. Writes of jobs
	// (WriteSystem) are not counted.
	Writes(tenant recaller.TenantID, caller recaller.CallerID) (n uint64, known bool)
	Index
	// Scrub removes from the database's files what deleted rows have left there, as far as it can be removed at once,
	// and says where something remains.
	Scrub(ctx context.Context) ([]recaller.Remain, error)
	// Refresh brings up to date what the database knows of its tables to plan queries, after many rows were written.
	Refresh(ctx context.Context) error
	// Check looks for damage in the whole database, so it may take long.
	Check(ctx context.Context) error
	// Close waits for what runs, and closes.
	Close() error
}

// Tx is a transaction. Errors carry a recaller.Kind: unique keys that clash are a Conflict.
type Tx interface {
	// Exec runs a statement and returns how many rows it changed.
	Exec(ctx context.Context, query string, args ...any) (int64, error)
	// Query returns rows; the caller closes them.
	Query(ctx context.Context, query string, args ...any) (Rows, error)
	// QueryRow scans the first row, or returns NotFound.
	QueryRow(ctx context.Context, query string, args []any, dest ...any) error
	// QueryAll runs queries, or other statements, in order and passes the rows of each to its Row. Over a network all of
	// them take one round trip, so those that come after one that fails may not be run.
	QueryAll(ctx context.Context, queries ...Query) error
	// ExecAll runs one statement for each list of arguments. Over a network all of them take one round trip.
	ExecAll(ctx context.Context, query string, args [][]any) error
}

// Query is one of several that are run together.
type Query struct {
	SQL  string
	Args []any
	Row  func(scan func(dest ...any) error) error // run for each row; must not use the transaction
	// Turn says of the first statement of a write about a caller that it updates his row. By that the write takes its
	// turn, and the row needs no lock before.
	Turn bool
	// Last says of the last statement of a read that nothing is asked after it: over a network the transaction ends in
	// the same round trip.
	Last bool
	// Brief says of a read that it finds few rows, by an index: it ends in a moment. SQLite does not watch meanwhile
	// whether the context ends, which would cost as much as the read.
	Brief bool
	// Needless says, from the rows of the queries before, that the answer is known or empty. SQLite does not ask then; over
	// a network, where all of them are on their way at once, it is asked all the same. nil: it is always asked.
	Needless func() bool
}

// Borrowed is a column of bytes that Row scans without a copy, to open it at once. The bytes are the database's: they
// are valid until Row returns.
type Borrowed []byte

// Rows is a cursor over the result of a query.
type Rows interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
	Close() error
}

// Mode says whether a door is opened for reading or writing.
type Mode int

// The modes.
const (
	Reading Mode = iota
	Writing
)

// Store implements what the use cases ask for. It is safe for concurrent use.
type Store struct {
	engine  Engine
	vault   *vault.Vault
	history limits
	heads   heads
	bulk    bulk
	kept    kept
	unbound atomic.Bool // see AcceptUnbound
	damage  func(recaller.TenantID, recaller.DamagedRow)
	herald  Herald
}

// OnDamage has fn told of each row that a read leaves out because it is damaged. Call it before anything is read.
func (s *Store) OnDamage(fn func(recaller.TenantID, recaller.DamagedRow)) { s.damage = fn }

// note tells of a damaged row, for an error that names one, and otherwise of the row that is given.
func (s *Store) note(ctx context.Context, tenant recaller.TenantID, err error, row recaller.DamagedRow) {
	var named recaller.DamagedRow
	if errors.As(err, &named) {
		row = named
	}
	recaller.NoteDamage(ctx, row)
	if s.damage != nil {
		s.damage(tenant, row)
	}
}

// New returns a store on an engine whose schema is current.
func New(engine Engine, v *vault.Vault) *Store { return &Store{engine: engine, vault: v} }

// WithTenant is the door to one tenant's rows across callers: to find out whose something is, for lists and searches, and
// for what belongs to no caller. SQL about a tenant runs only here, in OfCaller and in WithCaller. A write that depends on
// what is stored of one caller goes through WithCaller.
func (s *Store) WithTenant(ctx context.Context, tenant recaller.TenantID, mode Mode, fn func(Tx) error) error {
	if mode == Reading {
		return s.read(ctx, tenant, "", fn)
	}
	if tenant == "" {
		return errNoTenant()
	}
	return s.write(ctx, tenant, "", fn)
}

// write runs a write, and lets go what is kept of whom it may be about, whatever became of it.
func (s *Store) write(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, fn func(Tx) error,
) error {
	defer s.kept.drop(tenant, caller)
	return s.engine.Write(ctx, tenant, caller, fn)
}

// OfCaller is the door for reading about one caller: no other caller's rows are there.
func (s *Store) OfCaller(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, fn func(Tx) error,
) error {
	if caller == "" {
		return errNoCaller()
	}
	return s.read(ctx, tenant, caller, fn)
}

// ask is read for what is asked all at once. What is asked about one caller is found by an index.
func (s *Store) ask(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, queries ...Query,
) error {
	for i := range queries {
		queries[i].Brief = queries[i].Brief || caller != ""
	}
	queries[len(queries)-1].Last = true
	return s.read(ctx, tenant, caller, func(tx Tx) error { return tx.QueryAll(ctx, queries...) })
}

// read is OfCaller, or with an empty caller WithTenant, for a list that may be of one caller.
func (s *Store) read(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, fn func(Tx) error,
) error {
	if tenant == "" {
		return errNoTenant()
	}
	return s.engine.Read(ctx, tenant, caller, fn)
}

// WithCaller is the door for writing about one caller: no other caller's rows are there. Writes about one caller take
// turns, whichever process they are in.
func (s *Store) WithCaller(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, fn func(Tx) error,
) error {
	if tenant == "" {
		return errNoTenant()
	}
	if caller == "" {
		return errNoCaller()
	}
	return s.write(ctx, tenant, caller, fn)
}

func errNoTenant() error { return recaller.Errorf(recaller.Internal, "the tenant door needs a tenant") }

func errNoCaller() error {
	return recaller.Errorf(recaller.Internal, "the caller's door needs a caller")
}

// WithSystem is the door to the rows that list work across tenants: tenants and jobs. They hold no content.
func (s *Store) WithSystem(ctx context.Context, mode Mode, fn func(Tx) error) error {
	if mode == Writing {
		return s.engine.WriteSystem(ctx, fn)
	}
	return s.engine.ReadSystem(ctx, fn)
}

// Check looks for damage in the database. It may take long.
func (s *Store) Check(ctx context.Context) error { return s.engine.Check(ctx) }

// Probe writes something small, and takes it back in the same commit. It fails with Full if there is no room.
func (s *Store) Probe(ctx context.Context) error {
	return s.WithSystem(ctx, Writing, func(tx Tx) error {
		args := []any{"probe", "probe", "probe"}
		if _, err := tx.Exec(ctx, `INSERT INTO jobs (tenant_id, kind, subject, id, caller_id, run_at)
			VALUES ($1, $2, $3, '', '', 0) ON CONFLICT (tenant_id, kind, subject) DO NOTHING`, args...); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `DELETE FROM jobs WHERE tenant_id = $1 AND kind = $2 AND subject = $3`, args...)
		return err
	})
}

// Close closes the database.
func (s *Store) Close() error { return s.engine.Close() }

// each runs fn for every row of a query.
func each(ctx context.Context, tx Tx, query string, args []any, fn func(Rows) error) error {
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // what matters is in Err
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
