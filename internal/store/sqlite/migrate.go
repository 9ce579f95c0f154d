package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

//go:embed migration/*.sql
var migrations embed.FS

// migrate brings the schema up to date: forward only. Where it is, nothing but its version is read.
func migrate(ctx context.Context, db *sql.DB) error {
	knows, err := store.Newest(migrations)
	if err != nil {
		return err
	}
	if has, err := version(ctx, db); err == nil && has == knows {
		return nil // goose would read every migration, which takes longer than all else that a start does here
	}
	p, err := provider(db)
	if err != nil {
		return err
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("bring the schema up to date: %w", unread(err))
	}
	has, err := version(ctx, db)
	if err == nil && has > knows {
		return recaller.Errorf(recaller.Unavailable, "the database has schema %d, made by a newer Recaller; this one knows %d", has, knows)
	}
	return mapped(err)
}

const versionQuery = `SELECT max(version_id) FROM goose_db_version`

// version reads the number of the schema's last migration. An empty database has none, which is an error.
func version(ctx context.Context, db *sql.DB) (has int64, err error) {
	err = db.QueryRowContext(ctx, versionQuery).Scan(&has)
	return has, err
}

func provider(db *sql.DB) (*goose.Provider, error) {
	dir, err := fs.Sub(migrations, "migration")
	if err != nil {
		return nil, err
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, db, dir)
	return p, mapped(err)
}
