package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/jackc/pgx/v5"

	"github.com/recallerhq/recaller/internal/store/postgres"
	"github.com/recallerhq/recaller/internal/vault/keytable"
)

// The database that a run on Postgres makes, with roles as docs/scaling.md has them.
const (
	benchDatabase = "recaller_bench"
	benchOwner    = "recaller_bench_owner"
	benchApp      = "recaller_bench_app"
	benchPassword = "bench"
	// benchKey is the key-encryption key of that database.
	benchKey = "0b5f2d8c3e9147a6b1c0d4e7f8a9236c5d1e0f7a8b9c2d3e4f5061728394a5b6"
)

// database is where a run on Postgres keeps its data.
type database struct {
	super, owner, app string // URLs
	name              string // of this database among those of all servers and times
}

// prepare makes database, roles and schema, where they are not there.
func prepare(ctx context.Context, super string) (*database, error) {
	u, err := url.Parse(super)
	if err != nil {
		return nil, errors.New("-postgres: want postgres://USER@HOST/postgres, of a superuser")
	}
	as := func(user string) string {
		v := *u
		v.Path = "/" + benchDatabase
		if user != "" {
			v.User = url.UserPassword(user, benchPassword)
		}
		return v.String()
	}
	d := &database{super: as(""), owner: as(benchOwner), app: as(benchApp)}
	err = asked(ctx, super, func(c *pgx.Conn) error {
		for _, role := range []string{benchOwner, benchApp} {
			if err := unless(ctx, c, `SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = $1)`, role,
				`CREATE ROLE `+role+` LOGIN PASSWORD '`+benchPassword+`'`); err != nil {
				return err
			}
		}
		return unless(ctx, c, `SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)`, benchDatabase,
			`CREATE DATABASE `+benchDatabase+` OWNER `+benchOwner)
	})
	if err != nil {
		return nil, err
	}
	err = asked(ctx, d.super, func(c *pgx.Conn) error {
		if _, err := c.Exec(ctx, `CREATE EXTENSION IF NOT EXISTS vector`); err != nil {
			return err
		}
		return c.QueryRow(ctx, `SELECT format('Postgres (server %s, database %s)', system_identifier, oid)
			FROM pg_control_system(), pg_database WHERE datname = current_database()`).Scan(&d.name)
	})
	if err != nil {
		return nil, err
	}
	return d, errors.Join(postgres.Migrate(ctx, d.owner, benchApp), keytable.Migrate(ctx, d.owner, benchApp))
}

func asked(ctx context.Context, url string, do func(*pgx.Conn) error) error {
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("connect to Postgres: %w", err)
	}
	return errors.Join(do(c), c.Close(context.WithoutCancel(ctx)))
}

// unless runs a statement where a question is answered with no.
func unless(ctx context.Context, c *pgx.Conn, question, name, statement string) error {
	var there bool
	if err := c.QueryRow(ctx, question, name).Scan(&there); err != nil || there {
		return err
	}
	_, err := c.Exec(ctx, statement)
	return err
}

// settled brings statistics up to date after a fill, as autovacuum would by and by.
func (d *database) settled(ctx context.Context) error {
	return asked(ctx, d.super, func(c *pgx.Conn) error {
		_, err := c.Exec(ctx, `VACUUM ANALYZE`)
		return err
	})
}

// used reports whether the database has callers.
func (d *database) used(ctx context.Context) (used bool, err error) {
	err = asked(ctx, d.super, func(c *pgx.Conn) error {
		return c.QueryRow(ctx, `SELECT EXISTS (SELECT FROM callers)`).Scan(&used)
	})
	return used, err
}

// sizes are how many bytes the database has on disk, and the keys in it.
func (d *database) sizes(ctx context.Context) (data, keys int64, err error) {
	err = asked(ctx, d.super, func(c *pgx.Conn) error {
		return c.QueryRow(ctx, `SELECT pg_database_size(current_database()) - keys, keys FROM (
			SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint AS keys
			FROM pg_class WHERE relnamespace = 'recaller_keys'::regnamespace AND relkind = 'r') AS k`).Scan(&data, &keys)
	})
	return data, keys, err
}
