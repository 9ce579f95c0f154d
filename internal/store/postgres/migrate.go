package postgres

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/recallerhq/recaller"
)

//go:embed migration/*.sql
var migrations embed.FS

// Migrate makes the schema in a database or brings it up to date, forward only. It lets appRole use the schema: the
// role that the server runs as. url is of the role that owns the tables, which must be another. Several may migrate at
// once: they wait for each other. url must reach the server itself, or a pooler in session mode.
func Migrate(ctx context.Context, url, appRole string) error {
	return migrateTo(ctx, url, appRole, 0)
}

// migrateTo stops after the given version; 0: the newest.
func migrateTo(ctx context.Context, url, appRole string, version int64) error {
	pool, err := poolConfig(url, Options{})
	if err != nil {
		return recaller.Errorf(recaller.Invalid, "the owner's database URL cannot be read: want postgres://USER:PASSWORD@HOST:PORT/DATABASE")
	}
	cfg := pool.ConnConfig
	if cfg.User == appRole {
		return recaller.Errorf(recaller.Invalid, "the role %q would own the tables and so could lift their policies: migrate as another role", appRole)
	}
	c, err := pgx.ConnectConfig(ctx, cfg.Copy())
	if err != nil {
		return mapped(err)
	}
	defer func() { _ = c.Close(context.WithoutCancel(ctx)) }() // and with it the lock
	if err := fit(ctx, c, appRole); err != nil {
		return err
	}
	if err := lock(ctx, c); err != nil {
		return err
	}
	if _, err := c.Exec(ctx, `CREATE EXTENSION IF NOT EXISTS vector`); err != nil {
		return recaller.Wrap(recaller.Unavailable, mapped(err), "the extension vector (pgvector %s or newer) cannot be made in this database: install it, and let a superuser run CREATE EXTENSION vector", oldestVector)
	}
	if err := raise(ctx, cfg, version); err != nil {
		return err
	}
	return grant(ctx, c, appRole)
}

// fit refuses what would go wrong half-way.
func fit(ctx context.Context, c *pgx.Conn, appRole string) error {
	server, err := lookServer(ctx, c)
	if err != nil {
		return mapped(err)
	}
	if server.Problem != "" {
		return recaller.Errorf(recaller.Unavailable, "%s", server.Problem)
	}
	var role, owner string
	var there, schema, create, exchanged, keys bool
	err = c.QueryRow(ctx, `SELECT current_user, $1::text, EXISTS (SELECT 1 FROM pg_roles WHERE rolname = $1),
		current_schema() IS NOT DISTINCT FROM 'public', has_schema_privilege('public', 'CREATE') AND (has_database_privilege(current_database(), 'CREATE') OR to_regnamespace('recaller_wall') IS NOT NULL),
		EXISTS (SELECT 1 FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace JOIN pg_roles r ON r.oid = t.relowner
			WHERE n.nspname = 'public' AND t.relname = 'goose_db_version' AND r.rolname = $1),
		`+keysAlone, appRole).Scan(&owner, &role, &there, &schema, &create, &exchanged, &keys)
	switch {
	case err != nil:
		return mapped(err)
	case !there:
		return recaller.Errorf(recaller.NotFound, "there is no role %q: let a superuser run CREATE ROLE %s LOGIN PASSWORD '…'", role, pgx.Identifier{role}.Sanitize())
	case owner == role:
		return recaller.Errorf(recaller.Invalid, "the role %q would own the tables and so could lift their policies: migrate as another role", role)
	case exchanged:
		return recaller.Errorf(recaller.Invalid, "the role %q, which the server is to run as, owns the tables already: RECALLER_DATABASE_URL and RECALLER_OWNER_DATABASE_URL are exchanged", role)
	case keys:
		return recaller.Errorf(recaller.Invalid, "%s: RECALLER_OWNER_DATABASE_URL and RECALLER_KEYS_OWNER_DATABASE_URL are exchanged", keysHere)
	case !schema:
		return recaller.Errorf(recaller.Invalid, "the tables belong in the schema public, which does not come first in the search_path of the role %q", owner)
	case !create:
		return recaller.Errorf(recaller.Forbidden, "the role %q may not make tables and schemas: RECALLER_OWNER_DATABASE_URL is to name a role that may, as the owner of the database, and RECALLER_DATABASE_URL another, which the server runs as; are the two exchanged?", owner)
	}
	return nil
}

// keysAlone asks whether a database has the keys of an installation and no data: then it is the wrong one.
const (
	keysAlone = `to_regnamespace('recaller_keys') IS NOT NULL AND to_regclass('public.goose_db_version') IS NULL`
	keysHere  = "this database has the keys of an installation and no data"
)

// migrateKey is the advisory lock of migrations.
const migrateKey = 0x7265_6361_6c6d_6967

// lock waits until nobody else migrates. It asks again and again, because a statement that waits would hold up another
// process's CREATE INDEX CONCURRENTLY.
func lock(ctx context.Context, c *pgx.Conn) error {
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for {
		var mine bool
		if err := c.QueryRow(ctx, `SELECT pg_try_advisory_lock($1)`, int64(migrateKey)).Scan(&mine); mine || err != nil {
			return mapped(err)
		}
		select {
		case <-ctx.Done():
			return recaller.Wrap(recaller.Timeout, ctx.Err(), "another process is migrating the database")
		case <-again.C:
		}
	}
}

// raise brings the schema to a version; 0: the newest.
func raise(ctx context.Context, cfg *pgx.ConnConfig, version int64) error {
	db := stdlib.OpenDB(*cfg)
	defer func() { _ = db.Close() }() // nothing is buffered
	p, err := provider(db)
	if err != nil {
		return mapped(err)
	}
	has, knows, err := p.GetVersions(ctx)
	if err == nil && has > knows {
		return recaller.Errorf(recaller.Unavailable, "the database has schema %d, made by a newer Recaller; this one knows %d", has, knows)
	}
	switch {
	case err != nil:
	case version == 0:
		_, err = p.Up(ctx)
	default:
		_, err = p.UpTo(ctx, version)
	}
	if err != nil {
		return fmt.Errorf("bring the schema up to date: %w", mapped(err))
	}
	return nil
}

func provider(db *sql.DB) (*goose.Provider, error) {
	dir, err := fs.Sub(migrations, "migration")
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, db, dir)
}

// grant lets a role use the tables, and no more.
func grant(ctx context.Context, c *pgx.Conn, role string) error {
	name := pgx.Identifier{role}.Sanitize()
	statements := []string{
		`GRANT USAGE ON SCHEMA public TO ` + name,
		`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ` + name,
		`REVOKE INSERT, UPDATE, DELETE ON goose_db_version FROM ` + name,
	}
	var walled bool
	if err := c.QueryRow(ctx, `SELECT to_regnamespace('recaller_wall') IS NOT NULL`).Scan(&walled); err != nil {
		return mapped(err)
	}
	if walled {
		statements = append(statements, `GRANT USAGE ON SCHEMA recaller_wall TO `+name,
			`GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA recaller_wall TO `+name,
			`REVOKE ALL ON FUNCTION recaller_wall.seal FROM `+name)
	}
	for _, statement := range statements {
		if _, err := c.Exec(ctx, statement); err != nil {
			return mapped(err)
		}
	}
	return nil
}

// migrationTexts are the migrations, one after the other.
func migrationTexts() (string, error) {
	list, err := fs.Glob(migrations, "migration/*.sql")
	var all strings.Builder
	for _, name := range list {
		var text []byte
		if text, err = migrations.ReadFile(name); err != nil {
			break
		}
		all.Write(text)
	}
	return all.String(), err
}

// ForgetSecret has the database forget the secret of the wall, as the role that owns it: the next start of a server sets
// that of the key store, or a new one where the key store has none.
func ForgetSecret(ctx context.Context, url string) error {
	pool, err := poolConfig(url, Options{})
	if err != nil {
		return err
	}
	c, err := pgx.ConnectConfig(ctx, pool.ConnConfig)
	if err != nil {
		return mapped(err)
	}
	defer func() { _ = c.Close(context.WithoutCancel(ctx)) }()
	_, err = c.Exec(ctx, `DELETE FROM recaller_wall.secret`)
	return mapped(err)
}
