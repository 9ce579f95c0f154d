package cli

import (
	"context"
	"fmt"

	"github.com/recallerhq/recaller/internal/app"
)

// migrateCmd is `recaller migrate`.
type migrateCmd struct {
	Wall  bool `help:"Then have the database forget the secret of the wall; the next start of the server sets that of the key store"`
	Scrub bool `help:"Then write the tables anew whose files may hold traces of erased callers; each is locked meanwhile"`
}

// Help says what it is.
func (*migrateCmd) Help() string {
	return "Makes the tables on Postgres, or brings them up to date, as the role of RECALLER_OWNER_DATABASE_URL, and " +
		"lets the role of RECALLER_DATABASE_URL use them, under policies that it cannot lift. Run it before the " +
		"first start and with every new version; several may run at once, and repeating it changes nothing. With " +
		"SQLite the server does this by itself. --scrub takes away what receipts call dead_rows: blind tokens and " +
		"embeddings of erased callers that Postgres keeps in the files of tables until those are written anew. --wall is " +
		"for a key store that lost the secret by which the server proves to the database for which tenant it asks, and " +
		"for data that were restored beside keys made anew: stop the servers first."
}

// Examples are lines to try.
func (*migrateCmd) Examples() []string {
	return []string{
		"RECALLER_OWNER_DATABASE_URL=postgres://owner:…@db/recaller " +
			"RECALLER_DATABASE_URL=postgres://recaller:…@db/recaller recaller migrate",
		"recaller migrate --scrub",
		"recaller migrate --wall",
	}
}

// Run migrates.
func (c *migrateCmd) Run(ctx context.Context, s *session) error {
	cfg, err := s.config()
	if err != nil {
		return err
	}
	if err := app.Migrate(ctx, cfg); err != nil {
		return err
	}
	if c.Wall {
		if err := app.ForgetSecret(ctx, cfg); err != nil {
			return err
		}
		fmt.Fprintf(s.out, "%s the secret of the wall: start the server, which sets it\n", s.out.Good("Forgotten:"))
	}
	list, err := app.Inspect(ctx, cfg)
	if err != nil {
		return err
	}
	for _, f := range list {
		if f.Problem != "" {
			return failf("%s", f.Problem)
		}
		s.verbosef("%s: %s", f.Name, f.Found)
	}
	fmt.Fprintf(s.out, "%s the tables are there, up to date, and behind their policies\n", s.out.Good("Migrated:"))
	if !c.Scrub {
		return nil
	}
	if err := app.Scrub(ctx, cfg); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s the tables' files hold nothing of erased callers; the write-ahead log, standbys and backups "+
		"may, until they are gone\n", s.out.Good("Scrubbed:"))
	return nil
}
