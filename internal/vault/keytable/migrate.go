package keytable

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/recallerhq/recaller"
)

//go:embed migration/*.sql
var migrations embed.FS

const (
	versionTable = "recaller_keys.goose_db_version"
	// migrateKey is an advisory lock: "rcl keys", as a number that no other program is likely to use.
	migrateKey = 0x7263_6c20_6b65_7973
)

// Migrate makes the schema recaller_keys in a database, or brings it up to date, forward only, and lets the role that
// the server runs as use it. ownerURL is of the role that is to own it, which must be another. Several may migrate at
// once: they wait for each other.
func Migrate(ctx context.Context, ownerURL, appRole string) error {
	cfg, err := pgx.ParseConfig(ownerURL)
	if err != nil {
		return unreadable("the URL of the key store's owner")
	}
	if cfg.User == appRole {
		return recaller.Errorf(recaller.Invalid, "the role %q would own the keys' tables and so could lift their policies: migrate as another role", appRole)
	}
	c, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return failure(err, "the key store is away")
	}
	defer func() { _ = c.Close(context.WithoutCancel(ctx)) }() // and the lock goes
	if _, err := c.Exec(ctx, `SELECT pg_advisory_lock($1)`, int64(migrateKey)); err != nil {
		return failure(err, cannotWrite)
	}
	var there, may bool
	err = c.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = $1),
		to_regnamespace('recaller_keys') IS NOT NULL OR has_database_privilege(current_database(), 'CREATE')`, appRole).Scan(&there, &may)
	switch {
	case err != nil:
		return failure(err, cannotRead)
	case !there:
		return recaller.Errorf(recaller.NotFound, "there is no role %q: let a superuser run CREATE ROLE %s LOGIN PASSWORD '…'", appRole, pgx.Identifier{appRole}.Sanitize())
	case !may:
		return recaller.Errorf(recaller.Unavailable, "the role %q may not make the schema recaller_keys: RECALLER_KEYS_OWNER_DATABASE_URL (else RECALLER_OWNER_DATABASE_URL) is to name a role that may, as the owner of the database, and not the one that the server runs as; are the two exchanged?", cfg.User)
	}
	if err := up(ctx, c, cfg); err != nil {
		return fmt.Errorf("bring the key store's schema up to date: %w", failure(err, cannotWrite))
	}
	return failure(grant(ctx, c, appRole), "the rights on the key store cannot be granted")
}

// up runs the migrations that are missing.
func up(ctx context.Context, c *pgx.Conn, cfg *pgx.ConnConfig) error {
	if _, err := c.Exec(ctx, `CREATE SCHEMA IF NOT EXISTS recaller_keys`); err != nil {
		return err
	}
	dir, err := fs.Sub(migrations, "migration")
	if err != nil {
		return err
	}
	db := stdlib.OpenDB(*cfg)
	defer func() { _ = db.Close() }() // nothing is buffered
	p, err := goose.NewProvider(goose.DialectPostgres, db, dir, goose.WithTableName(versionTable))
	if err != nil {
		return err
	}
	_, err = p.Up(ctx)
	return err
}

// grant lets a role do what the server does, and no more: it can empty nothing and take no tombstone away.
func grant(ctx context.Context, c *pgx.Conn, role string) error {
	name := pgx.Identifier{role}.Sanitize()
	for _, statement := range []string{
		`GRANT USAGE ON SCHEMA recaller_keys TO `,
		`GRANT SELECT ON recaller_keys.goose_db_version TO `,
		`GRANT SELECT, INSERT, UPDATE (destroyed, wrapped) ON recaller_keys.keys TO `,
		`GRANT SELECT, INSERT, UPDATE (value), DELETE ON recaller_keys.named TO `,
		`GRANT SELECT, INSERT ON recaller_keys.traces TO `,
		`GRANT EXECUTE ON FUNCTION recaller_keys.rewrite(TEXT) TO `,
	} {
		if _, err := c.Exec(ctx, statement+name); err != nil {
			return err
		}
	}
	return nil
}

// newest is the version of the schema that this program knows.
func newest() (version int64, err error) {
	list, err := fs.Glob(migrations, "migration/*.sql")
	return int64(len(list)), err
}
