package app

import (
	"context"
	"net/url"
	"slices"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/config"
	"github.com/recallerhq/recaller/internal/store/postgres"
	"github.com/recallerhq/recaller/internal/vault/keytable"
)

// Migrate makes the schemas of data and keys on Postgres, or brings them up to date. It connects as the roles that own
// them, and lets the roles that the server runs as use them. Repeating it changes nothing. It fails with Invalid for
// SQLite, where the server does this itself.
func Migrate(ctx context.Context, cfg config.Config) error {
	db := cfg.Databases
	switch {
	case !db.Postgres():
		return recaller.InvalidField("RECALLER_DATABASE_URL",
			"is not set: with SQLite the server brings its schema up to date itself")
	case !db.Owner.Set():
		return recaller.InvalidField("RECALLER_OWNER_DATABASE_URL",
			"is required: the database as the role that is to own the tables, which is not the one that the server runs as")
	case !db.KeyStoreOwner().Set():
		return recaller.InvalidField("RECALLER_KEYS_OWNER_DATABASE_URL", "is required with RECALLER_KEYS_DATABASE_URL")
	}
	role, err := roleOf("RECALLER_DATABASE_URL", db.Data)
	if err != nil {
		return err
	}
	keysRole, err := roleOf("RECALLER_KEYS_DATABASE_URL", db.KeyStore())
	if err != nil {
		return err
	}
	if err := postgres.Migrate(ctx, db.Owner.Reveal(), role); err != nil {
		return err
	}
	return keytable.Migrate(ctx, db.KeyStoreOwner().Reveal(), keysRole)
}

// Scrub has the tables on Postgres written anew whose files may hold traces of erased callers (postgres.ScrubTables).
func Scrub(ctx context.Context, cfg config.Config) error {
	return postgres.ScrubTables(ctx, cfg.Databases.Owner.Reveal())
}

// ForgetSecret has the database forget the secret of its wall (postgres.ForgetSecret).
func ForgetSecret(ctx context.Context, cfg config.Config) error {
	return postgres.ForgetSecret(ctx, cfg.Databases.Owner.Reveal())
}

// roleOf returns the role that a URL connects as.
func roleOf(setting string, s config.Secret) (string, error) {
	u, err := url.Parse(s.Reveal())
	if err != nil || u.User.Username() == "" {
		return "", recaller.InvalidField(setting,
			"must name the role that the server runs as: postgres://USER:PASSWORD@HOST/DATABASE")
	}
	return u.User.Username(), nil
}

// Finding is one thing that Inspect looked at.
type Finding struct {
	Name    string // "server", "policies" …; with "keys: " in front for the key store
	Found   string
	Problem string // what is wrong and what to do; empty: nothing is wrong
}

// Inspect looks at the databases on Postgres as the roles that the server runs as. It fails if they cannot be reached.
func Inspect(ctx context.Context, cfg config.Config) ([]Finding, error) {
	data, err := postgres.Inspect(ctx, cfg.Databases.Data.Reveal())
	if err != nil {
		return nil, err
	}
	var list []Finding
	for _, f := range data {
		list = append(list, Finding(f))
	}
	keys, err := keytable.Inspect(ctx, cfg.Databases.KeyStore().Reveal())
	if err != nil {
		return list, err
	}
	for _, f := range keys {
		list = append(list, Finding{"keys: " + f.Name, f.Found, f.Problem})
	}
	if slices.ContainsFunc(list, func(f Finding) bool { return f.Problem != "" }) {
		return list, nil
	}
	return append(list, inspectKeys(ctx, cfg)), nil
}

// inspectKeys checks that the key store has the keys of the data.
func inspectKeys(ctx context.Context, cfg config.Config) Finding {
	f := Finding{Name: "keys: of the data", Found: "there"}
	keys, err := OpenKeys(ctx, cfg)
	if err == nil {
		err = keys.Close()
	}
	if err != nil {
		f.Found, f.Problem = "missing", err.Error()
	}
	return f
}
