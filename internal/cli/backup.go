package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/app"
	"github.com/recallerhq/recaller/internal/backup"
	"github.com/recallerhq/recaller/internal/config"
)

// backupCmd is `recaller backup`.
type backupCmd struct {
	Dir  string `arg:"" name:"dir" help:"The folder for the backup"`
	Keys string `placeholder:"DIR" help:"A folder of its own for the keys (else DIR)"`
}

// Help says what it is.
func (*backupCmd) Help() string {
	return "Copies the data first and the keys second, each into one file of its own, as they are at one moment, while " +
		"the server goes on. Each file is sealed under the master key, and opened once before it counts as made. The " +
		"master key is in neither: keep a copy of it apart. Keep the keys apart from the data, and briefly: with an " +
		"old copy of them, what was erased since can be read again. It needs as much free room in the data folder as " +
		"the database has. With Postgres, use pg_dump (docs/operations.md)."
}

// Examples are lines to try.
func (*backupCmd) Examples() []string {
	return []string{"recaller backup /mnt/backup", "recaller backup /mnt/backup --keys /mnt/keys"}
}

// onSQLite returns the settings and the folder of an installation on SQLite.
func (s *session) onSQLite(verb string) (config.Config, backup.Folder, error) {
	cfg, err := s.config()
	if err != nil {
		return cfg, backup.Folder{}, err
	}
	if s.globals.Server != "" {
		return cfg, backup.Folder{}, usagef("%s works on the data folder itself; --data names it", verb)
	}
	if cfg.Databases.Postgres() {
		return cfg, backup.Folder{}, &failure{
			code: ExitFailed, msg: verb + " is for the data folder; the data is on Postgres",
			hint: "pg_dump makes its backups, and pg_restore puts them back: see docs/operations.md",
		}
	}
	f := filesOf(cfg)
	return cfg, backup.Folder{Data: cfg.Data, Database: f.database, Keys: f.keyStore, Archive: f.archive}, nil
}

// Run backs up.
func (c *backupCmd) Run(ctx context.Context, s *session) error {
	cfg, folder, err := s.onSQLite("backup")
	if err != nil {
		return err
	}
	if _, err := os.Stat(folder.Database); err != nil {
		return &failure{code: ExitFailed, msg: "there is no data in " + cfg.Data, hint: "--data names the data folder"}
	}
	ring, from, err := masterRing(cfg)
	if err != nil {
		return err
	}
	keys := c.Keys
	if keys == "" {
		keys = c.Dir
	}
	made, err := backup.Make(ctx, folder, ring, c.Dir, keys, s.version, s.now())
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s %s\n", s.out.Good("Data "), made.Data)
	fmt.Fprintf(s.out, "%s %s\n", s.out.Good("Keys "), made.Keys)
	fmt.Fprintf(s.out, "Both were opened: %s, %s, %s\n", count(int(made.Manifest.Rows["tenants"]), "tenant"),
		count(int(made.Manifest.Rows["callers"]), "caller"), count(int(made.Manifest.Rows["conversations"]), "conversation"))
	s.noteQuarantined(made.Quarantined)
	s.notef("the master key (%s, key %s) is in neither: keep a copy of it apart from both", from, ring.Current())
	return nil
}

// noteQuarantined says how many keys are missing.
func (s *session) noteQuarantined(list []recaller.KeyMissing) {
	if len(list) > 0 {
		s.notef("%s %s missing: `recaller doctor` names whose, and `recaller keys add` puts them back",
			s.err.Warn("warning:"), count(len(list), "key"))
	}
}

// restoreCmd is `recaller restore`.
type restoreCmd struct {
	From string `arg:"" name:"from" help:"The folder of the backup (its newest), or a file of the data"`
	Keys string `placeholder:"PATH" help:"The folder or file of the keys (else where the data is)"`
}

// Help says what it is.
func (*restoreCmd) Help() string {
	return "Opens all of the backup before anything is put in its place. The data folder must have no data: move it " +
		"away first. A key store that is there stays, so that what was erased since the backup stays erased; take " +
		"it away as well where it is lost. The master key must be there, as MEMORY_ENCRYPTION_KEY or as its file. A " +
		"backup of an earlier version is brought up to date."
}

// Examples are lines to try.
func (*restoreCmd) Examples() []string {
	return []string{"recaller restore /mnt/backup --data /var/lib/recaller", "recaller restore /mnt/backup --keys /mnt/keys"}
}

// Run restores.
func (c *restoreCmd) Run(ctx context.Context, s *session) (err error) {
	cfg, folder, err := s.onSQLite("restore")
	if err != nil {
		return err
	}
	pair, err := backup.Find(c.From, c.Keys)
	if err != nil {
		return err
	}
	ring, err := masterFor(cfg)
	if err != nil {
		return err
	}
	unlock, err := app.Lock(cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	done, err := backup.Restore(ctx, pair, ring, folder)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s the data of %s: %s, %s, %s\n", s.out.Good("Restored:"),
		done.Manifest.MadeAt.Format("2 Jan 2006 15:04:05 MST"), count(int(done.Manifest.Rows["tenants"]), "tenant"),
		count(int(done.Manifest.Rows["callers"]), "caller"), count(int(done.Manifest.Rows["conversations"]), "conversation"))
	if done.KeptKeys {
		s.notef("the key store that was there stays")
	}
	s.noteQuarantined(done.Quarantined)
	return nil
}
