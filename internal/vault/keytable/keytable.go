// Package keytable keeps wrapped data keys in Postgres, for installations whose data are there: in a schema of its own,
// recaller_keys, beside the data or in another database (RECALLER_KEYS_DATABASE_URL). The schema is made by Migrate, as
// a role that owns it; the server runs as another, for which a transaction shows the keys of one tenant only.
//
// # What is left of a destroyed key
//
// Postgres writes a row anew when it changes and leaves the former one in the table's page, where it stays, even after
// a vacuum, until something happens to be written over it. So the keys are in 64 small tables ("parts"), and a part of
// which a key was destroyed is written anew into a new file; the old one goes, with all that was ever in it. Who looks
// up a key of that part waits that long: milliseconds (docs/adr/0011). Indexes, tables of large values, and statistics
// hold no wrapped key at any time. When DestroyKey has returned, then:
//
//   - No query finds the wrapped key, whoever asks, but in a transaction that began before.
//   - No file of a table or an index holds it after the next checkpoint (within five minutes, unless configured
//     otherwise): until then the disk may have pages as they were. Where a transaction is open that is older than the
//     destruction (a dump, a report, one that was prepared and forgotten, a replication slot's; of another database
//     of the server one that writes), DestroyKey waits two seconds for it; then a copy stays in the part's file,
//     marked, until that transaction has ended and a process that runs, or the next one that starts, has written the
//     part anew. Inspect tells.
//   - The write-ahead log holds it, from when the key was made or its part was written anew, until its segments were
//     reused and overwritten, which nobody bounds on a quiet server: wal_recycle = off deletes them at the checkpoint
//     instead. Archived segments, base backups and standbys' logs hold it for as long as they are kept.
//   - What a file system or a disk keeps of deleted files is out of reach.
//
// A base backup and the log are of a whole server: for an erasure that reaches into those of the data, the keys belong
// on another server, backed up apart and briefly. Another schema or database keeps them out of dumps only (pg_dump
// --exclude-schema=recaller_keys). A server that logs the parameters of statements (log_statement,
// log_min_duration_statement with log_parameter_max_length not 0) logs wrapped keys.
//
// It is not for any other data, nor for a distributed database: keys are few, and what is said above is of Postgres's
// own tables.
package keytable

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/recallerhq/recaller"
)

const (
	connections = 8                // of one process, unless the URL says pool_max_conns
	patience    = 10 * time.Second // for one answer of the server
)

// Keys is a vault.KeyStore on Postgres. It is safe for concurrent use, also by many processes on many machines.
type Keys struct {
	pool *pgxpool.Pool
	wake chan struct{} // tells the tidier that there is work
	end  context.CancelFunc
	done chan struct{} // closed when the tidier has returned
	once sync.Once
}

// Open connects to a database that Migrate has prepared. It fails with Unavailable where the server cannot be reached,
// where the schema is not this program's, and where the role could see past the policies; the message says what to do.
func Open(ctx context.Context, url string) (*Keys, error) {
	cfg, err := poolConfig(url)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, failure(err, "the key store cannot be opened")
	}
	if err := usable(ctx, pool); err != nil {
		pool.Close()
		return nil, err
	}
	k := &Keys{pool: pool, wake: make(chan struct{}, 1), done: make(chan struct{})}
	tidying, end := context.WithCancel(context.WithoutCancel(ctx))
	k.end = end
	go k.tidy(tidying)
	k.wakeTidier() // a crash may have come between a destruction and the writing anew
	return k, nil
}

// Close waits for what was begun and closes the connections. Everything fails with Unavailable afterwards.
func (k *Keys) Close() error {
	k.once.Do(func() {
		k.end()
		<-k.done
		k.pool.Close()
	})
	return nil
}

// usable refuses a database that a server must not run on.
func usable(ctx context.Context, pool *pgxpool.Pool) error {
	c, err := pool.Acquire(ctx)
	if err != nil {
		return failure(err, "the key store cannot be opened")
	}
	defer c.Release()
	findings, err := inspect(ctx, c.Conn(), looks())
	if err != nil {
		return err
	}
	for _, f := range findings {
		if f.Problem != "" {
			return recaller.Errorf(recaller.Unavailable, "%s", f.Problem)
		}
	}
	return nil
}

func poolConfig(url string) (*pgxpool.Config, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil { // pgx's error shows the URL, password and all
		return nil, unreadable("the key store's database URL")
	}
	bare, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, unreadable("the key store's database URL")
	}
	if bare.RuntimeParams["pool_max_conns"] == "" { // pgx leaves what it does not know to the server; pgxpool takes it out
		cfg.MaxConns = connections
	}
	if cfg.MaxConns > 1 && cfg.MinConns == 0 {
		cfg.MinConns = 2 // so that a call after a quiet night need not wait for one
	}
	if cfg.ConnConfig.ConnectTimeout == 0 {
		cfg.ConnConfig.ConnectTimeout = 5 * time.Second
	}
	// A key is looked up while somebody waits at the telephone: no round trip is spent on asking whether a connection
	// still stands. What can be repeated is, on a new one.
	cfg.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false }
	cfg.ConnConfig.RuntimeParams["application_name"] = "recaller keys"
	return cfg, nil
}

func unreadable(what string) error {
	return recaller.Errorf(recaller.Invalid, "%s cannot be read: want postgres://USER:PASSWORD@HOST:PORT/DATABASE", what)
}

// door is what a transaction is let to see.
type door struct {
	tenant recaller.TenantID
	system bool
}

func (d door) queue(b *pgx.Batch) {
	name := ""
	if d.system {
		name = "system"
	}
	b.Queue(enter, string(d.tenant), name)
}

// run sends statements in one round trip and one transaction, which is durable when it returns.
func (k *Keys) run(ctx context.Context, d door, queue func(*pgx.Batch)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var b pgx.Batch // no BEGIN: statements sent together are one transaction
	d.queue(&b)
	queue(&b)
	return k.pool.SendBatch(ctx, &b).Close()
}

// repeat is run for what may be done twice without a second effect: where a connection turns out to be broken, as all
// are after the server was started anew, it tries once more on a new one.
func (k *Keys) repeat(ctx context.Context, d door, queue func(*pgx.Batch)) error {
	err := k.run(ctx, d, queue)
	if !broken(err) || ctx.Err() != nil {
		return err
	}
	k.pool.Reset()
	return k.run(ctx, d, queue)
}

// broken reports whether a connection failed, as against a statement or an attempt to connect.
func broken(err error) bool {
	var server *pgconn.PgError
	var connect *pgconn.ConnectError
	switch {
	case err == nil, errors.As(err, &connect), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return false
	case errors.As(err, &server):
		return server.Code[:min(2, len(server.Code))] == "57" && server.Code != "57014" // the server is being stopped
	}
	return true
}
