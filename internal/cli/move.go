package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/recallerhq/recaller/internal/app"
	"github.com/recallerhq/recaller/internal/backup"
)

// moveCmd is `recaller move`.
type moveCmd struct{}

// Help says what it is.
func (*moveCmd) Help() string {
	return "Copies the data folder's database and keys to the Postgres of RECALLER_DATABASE_URL, which must be migrated " +
		"and empty, with the server stopped. Every row is read back and compared, and the keys open the copy. The " +
		"data folder stays as it is. Set MEMORY_ENCRYPTION_KEY to its master key. It can be run again where it was " +
		"cut short. Archived transcripts stay files of the data folder, which the server goes on using."
}

// Examples are lines to try.
func (*moveCmd) Examples() []string {
	return []string{
		"MEMORY_ENCRYPTION_KEY=$(cat data/master/master.key) RECALLER_DATABASE_URL=postgres://recaller:…@db/recaller recaller move",
	}
}

// Run moves.
func (*moveCmd) Run(ctx context.Context, s *session) (err error) {
	cfg, err := s.config()
	if err != nil {
		return err
	}
	if s.globals.Server != "" {
		return usagef("move works on the data folder itself; --data names it")
	}
	if !cfg.Databases.Postgres() {
		return &failure{code: ExitFailed, msg: "RECALLER_DATABASE_URL is not set", hint: "it says where to move to"}
	}
	f := filesOf(cfg)
	for _, path := range []string{f.database, f.keyStore} {
		if _, err := os.Stat(path); err != nil {
			return &failure{code: ExitFailed, msg: path + " is not there", hint: "--data names the data folder to move"}
		}
	}
	ring, _, err := masterRing(cfg)
	if err != nil {
		return err
	}
	unlock, err := app.Lock(cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	from := backup.Folder{Data: cfg.Data, Database: f.database, Keys: f.keyStore, Archive: f.archive}
	done, err := backup.Move(ctx, from, ring, cfg.Databases)
	if err != nil {
		return err
	}
	var rows int64
	for _, n := range done.Rows {
		rows += n
	}
	fmt.Fprintf(s.out, "%s %s of %s and %s, each read back and compared: %s, %s, %s\n", s.out.Good("Moved:"),
		count(int(rows), "row"), count(len(done.Rows), "table"), count(done.Keys, "key"),
		count(int(done.Rows["tenants"]), "tenant"), count(int(done.Rows["callers"]), "caller"),
		count(int(done.Rows["conversations"]), "conversation"))
	s.noteQuarantined(done.Quarantined)
	s.notef("serve with RECALLER_DATABASE_URL from now on; %s and %s are used no more: keep them until you are sure, then destroy them",
		f.database, f.keyStore)
	return nil
}
