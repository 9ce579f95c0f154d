package cli

import (
	"context"
	"fmt"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/app"
	"github.com/recallerhq/recaller/internal/backup"
	"github.com/recallerhq/recaller/internal/vault"
)

// keysAddCmd is `recaller keys add`.
type keysAddCmd struct {
	From string `arg:"" name:"from" help:"A backup of the keys (its folder: the newest), or a postgres:// URL of a key store"`
}

// Help says what it is.
func (*keysAddCmd) Help() string {
	return "Callers and tenants whose keys are missing are quarantined; `recaller doctor` names them. This looks for " +
		"their keys in a backup of the keys, proves that each opens, and puts it back. It adds no other key, and " +
		"changes none that opens. It may run while a server does, which goes on with them at once. For Postgres, " +
		"restore the dump of the keys into a database of its own, and give its URL."
}

// Examples are lines to try.
func (*keysAddCmd) Examples() []string {
	return []string{"recaller keys add /mnt/keys", "recaller keys add /mnt/keys/recaller-keys-20261127T031500.000000Z.sealed"}
}

// Run adds what is missing.
func (c *keysAddCmd) Run(ctx context.Context, s *session) error {
	cfg, err := s.config()
	if err != nil {
		return err
	}
	ring, _, err := masterRing(cfg)
	if err != nil {
		return err
	}
	var missing, left []recaller.KeyMissing
	err = withKeyStore(ctx, cfg, func(keys vault.KeyStore) error {
		if missing, err = app.Quarantined(ctx, cfg, ring, keys); err != nil {
			return err
		}
		// Where none is missing the backup is opened all the same: a wrong one is told.
		if err := backup.AddKeys(ctx, cfg.Data, c.From, ring, keys, missing); err != nil {
			return err
		}
		left, err = app.Quarantined(ctx, cfg, ring, keys)
		return err
	})
	if err != nil {
		return err
	}
	if len(missing) == 0 {
		fmt.Fprintln(s.out, "No key is missing.")
		return nil
	}
	fmt.Fprintf(s.out, "%s %s\n", s.out.Good("Put back:"), count(len(missing)-len(left), "key"))
	if len(left) > 0 {
		return &failure{
			code: ExitFailed, msg: count(len(left), "key") + " not in this backup",
			hint: "try a newer one; `recaller doctor` names whose they are",
		}
	}
	return nil
}
