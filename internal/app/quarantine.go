package app

import (
	"context"
	"errors"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/config"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/postgres"
	"github.com/recallerhq/recaller/internal/store/sqlite"
	"github.com/recallerhq/recaller/internal/vault"
)

// maxNamed is how many of the quarantined the log names.
const maxNamed = 20

// quarantined logs whose keys are missing, because the keys are older than the data. It looks once, at the start.
func (a *App) quarantined(ctx context.Context) {
	list, err := a.store.Quarantined(ctx)
	if err != nil && ctx.Err() == nil {
		a.log.Error("look for missing keys", "err", err)
	}
	for _, k := range list[:min(len(list), maxNamed)] {
		a.log.Error("quarantined, because its key is missing", "tenant", k.Tenant, "caller", k.Caller)
	}
	if len(list) > 0 {
		a.log.Error("keys are missing: the key store is older than the data", "keys", len(list))
	}
}

// Quarantined lists whose keys are missing from the key store of an installation, whether a server runs or not. It
// writes nothing.
func Quarantined(ctx context.Context, cfg config.Config, ring *vault.Ring, keys vault.KeyStore) ([]recaller.KeyMissing, error) {
	v := vault.New(ring, keys, vault.Options{})
	engine, err := openReading(ctx, cfg, v)
	if err != nil {
		return nil, err
	}
	list, err := store.New(engine, v).Quarantined(ctx)
	return list, errors.Join(err, engine.Close())
}

// openReading opens the data for reading, beside a server that may have it. It fails with NotStarted before the first
// start on Postgres.
func openReading(ctx context.Context, cfg config.Config, v *vault.Vault) (store.Engine, error) {
	if cfg.Databases.Postgres() {
		return postgres.Open(ctx, cfg.Databases.Data.Reveal(), makesNone{v}, postgres.Options{Connections: 1})
	}
	return sqlite.OpenReading(ctx, pathIn(cfg, databaseFile))
}

// makesNone has the secret of the wall, and makes none: who only looks writes nothing.
type makesNone struct{ *vault.Vault }

// MakeWallSecret implements postgres.Secrets.
func (makesNone) MakeWallSecret(context.Context) ([]byte, error) { return nil, postgres.ErrUnarmed }

// NotStarted reports whether err says that no server has been started yet since the tables were made.
func NotStarted(err error) bool { return errors.Is(err, postgres.ErrUnarmed) }
