package app

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/config"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/postgres"
	"github.com/recallerhq/recaller/internal/store/sqlite"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/keyfile"
	"github.com/recallerhq/recaller/internal/vault/keytable"
)

// openStore opens keys and database, in the data folder or on Postgres.
func (a *App) openStore(ctx context.Context) error {
	master, err := a.masterKeys()
	if err != nil {
		return err
	}
	ring, err := master.ring()
	if err != nil {
		return err
	}
	if err := a.claim(ctx); err != nil {
		return err
	}
	keys, err := a.openKeys(ctx)
	if err != nil {
		return err
	}
	a.vault = vault.New(ring, keys, vault.Options{})
	if err := a.vault.Check(ctx); err != nil {
		return err
	}
	if err := sameInstallation(ctx, a.cfg, keys); err != nil {
		return err
	}
	a.encryption = &encryption{vault: a.vault, keys: master, log: a.log, run: func(fn func(context.Context)) bool {
		return a.loops.run(context.WithoutCancel(ctx), fn)
	}}
	engine, err := a.openEngine(ctx)
	if err != nil {
		return err
	}
	engine = claimed{engine, a.taken}
	if a.opts.Wrap != nil {
		engine = a.opts.Wrap(engine)
	}
	a.room = &room{Engine: engine}
	a.store = store.New(a.room, a.vault)
	a.store.OnDamage(a.damaged())
	a.closers = append(a.closers, a.store.Close)
	bound, err := a.store.AllBound(ctx)
	if err != nil {
		return err
	}
	a.store.AcceptUnbound(!bound)
	return a.keysFit(ctx, keys)
}

// keysFit refuses data that the keys of the key store do not open.
func (a *App) keysFit(ctx context.Context, keys vault.KeyStore) error {
	oldest, err := keysOf(ctx, a.cfg, a.store, keys)
	if err != nil || oldest == "" {
		return err
	}
	if _, err := a.store.Tenant(ctx, oldest); recaller.IsKeyMissing(err) {
		return nil // its key is damaged: it is quarantined
	} else if recaller.IsDamaged(err) {
		if opens, oerr := a.store.Opens(ctx); opens || oerr != nil {
			return oerr // its settings are damaged, which costs itself
		}
		return recaller.Wrap(recaller.Unavailable, err,
			"%s is another installation's, or the data is damaged: tenant %s does not open; %s",
			keyStore(a.cfg), oldest, keysBack(a.cfg))
	} else if err != nil {
		return err
	}
	return nil
}

// keysOf refuses data whose keys are lost: no tenant has one. New keys would only hide that nothing opens, and be in the
// way when the lost ones are put back. Where some are missing, those whom they belong to are quarantined, and the others
// work. It returns the oldest tenant that has a key, or empty if there is no data yet.
func keysOf(
	ctx context.Context, cfg config.Config, data *store.Store, keys vault.KeyStore,
) (oldest recaller.TenantID, err error) {
	ids, err := data.TenantIDs(ctx)
	if err != nil || len(ids) == 0 {
		return "", err
	}
	for _, id := range ids {
		_, found, err := keys.Key(ctx, vault.Scope{Tenant: id})
		if found || err != nil {
			return id, err
		}
	}
	return "", recaller.Errorf(recaller.Unavailable,
		"%s lacks the key of tenant %s, which there is data of: %s", keyStore(cfg), ids[0], keysBack(cfg))
}

// keyStore names the key store, for people.
func keyStore(cfg config.Config) string {
	switch {
	case !cfg.Databases.Postgres():
		return "the key store " + filepath.Join(cfg.Data, keysDir, keysFile)
	case cfg.Databases.Keys.Set():
		return "the key store in the database of RECALLER_KEYS_DATABASE_URL"
	default:
		return "the key store in the database of RECALLER_DATABASE_URL, schema recaller_keys,"
	}
}

// keysBack says how to get lost keys back, for people.
func keysBack(cfg config.Config) string {
	if !cfg.Databases.Postgres() {
		return "put it back from its backup"
	}
	return "restore the keys from their backup, or set RECALLER_KEYS_DATABASE_URL to the database that has them"
}

// claim takes a database on Postgres for this process. It does for the database what lock does for the data folder.
func (a *App) claim(ctx context.Context) error {
	if !a.cfg.Databases.Postgres() {
		return nil
	}
	claim, err := postgres.Hold(ctx, a.cfg.Databases.Data.Reveal(), a.claimTold)
	if err != nil {
		return err
	}
	a.closers = append(a.closers, claim.Release)
	return nil
}

// claimTold is told when the claim is lost, stands again, or is another process's.
func (a *App) claimTold(err error) {
	switch {
	case err == nil:
		a.log.Info("the claim to the database stands again")
	case errors.Is(err, recaller.Conflict):
		close(a.taken) // Serve says so
	default:
		a.log.Warn("the connection that claims the database is lost, claiming it again", "err", err)
	}
}

// isTaken fails with Unavailable once another process has the database.
func isTaken(taken <-chan struct{}) error {
	select {
	case <-taken:
		return recaller.Errorf(recaller.Unavailable,
			"another recaller process has taken the database while it was away: this one serves it no more")
	default:
		return nil
	}
}

// claimed is an engine that writes nothing once another process has its database.
type claimed struct {
	store.Engine
	taken <-chan struct{}
}

// Write implements store.Engine.
func (c claimed) Write(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, fn func(store.Tx) error,
) error {
	if err := isTaken(c.taken); err != nil {
		return err
	}
	return c.Engine.Write(ctx, tenant, caller, fn)
}

// WriteSystem implements store.Engine.
func (c claimed) WriteSystem(ctx context.Context, fn func(store.Tx) error) error {
	if err := isTaken(c.taken); err != nil {
		return err
	}
	return c.Engine.WriteSystem(ctx, fn)
}

func (a *App) openEngine(ctx context.Context) (store.Engine, error) {
	if a.cfg.Databases.Postgres() {
		return postgres.Open(ctx, a.cfg.Databases.Data.Reveal(), a.vault, a.opts.Postgres)
	}
	engine, err := sqlite.Open(ctx, a.path(databaseFile), a.opts.Store)
	if err != nil {
		return nil, err
	}
	if engine.Alone() {
		a.log.Error("the disk is full: the database is read, and written once there is room; no other process can open it meanwhile")
	}
	return engine, nil
}

// OpenKeys opens the key store of an installation on Postgres. It fails with Unavailable if the key store is not the
// data's.
func OpenKeys(ctx context.Context, cfg config.Config) (*keytable.Keys, error) {
	if err := postgres.Ready(ctx, cfg.Databases.Data.Reveal()); err != nil {
		return nil, err
	}
	keys, err := keytable.Open(ctx, cfg.Databases.KeyStore().Reveal())
	if err != nil {
		return nil, err
	}
	if err := sameInstallation(ctx, cfg, keys); err != nil {
		return nil, errors.Join(err, keys.Close())
	}
	return keys, nil
}

// sameInstallation refuses a key store that is not the data's, before anything is put into either. With SQLite there is
// no such look: the data are read first.
func sameInstallation(ctx context.Context, cfg config.Config, keys vault.KeyStore) error {
	if !cfg.Databases.Postgres() {
		return nil
	}
	var print []byte
	fits, err := postgres.Belongs(ctx, cfg.Databases.Data.Reveal(), func() (_ []byte, err error) {
		print, err = vault.WallPrint(ctx, keys)
		return print, err
	}, func() ([]recaller.TenantID, error) { return someTenants(ctx, keys) })
	const right = "where these are the right keys and only the secret of the wall is missing, stop the servers and run " +
		"`recaller migrate --wall`"
	switch {
	case err != nil:
		return err
	case fits == postgres.LacksKeys:
		return recaller.Errorf(recaller.Unavailable, "%s lacks the keys of the data: %s", keyStore(cfg), keysBack(cfg))
	case fits == postgres.OtherSecret && print == nil:
		return recaller.Errorf(recaller.Unavailable,
			"%s lacks the keys of the data and the secret of its wall: %s; %s", keyStore(cfg), keysBack(cfg), right)
	case fits == postgres.OtherSecret:
		return recaller.Errorf(recaller.Unavailable,
			"%s is another installation's, with another secret of the wall than the data has: %s; %s",
			keyStore(cfg), keysBack(cfg), right)
	}
	return nil
}

// someTenants lists tenants whose keys a key store has.
func someTenants(ctx context.Context, keys vault.KeyStore) (ids []recaller.TenantID, err error) {
	const enough = 1000
	var after vault.Scope
	for len(ids) < enough {
		page, err := keys.Keys(ctx, after, 1)
		if err != nil || len(page) == 0 {
			return ids, err
		}
		id := page[0].Scope.Tenant
		ids, after = append(ids, id), vault.Scope{Tenant: id, Caller: "\U0010FFFF"} // past its callers
	}
	return ids, nil
}

// openKeys opens the store of wrapped keys.
func (a *App) openKeys(ctx context.Context) (vault.KeyStore, error) {
	if a.cfg.Databases.Postgres() {
		keys, err := keytable.Open(ctx, a.cfg.Databases.KeyStore().Reveal())
		if err != nil { // where the data are not ready either, that comes first
			return nil, cmp.Or(postgres.Ready(ctx, a.cfg.Databases.Data.Reveal()), err)
		}
		a.closers = append(a.closers, keys.Close)
		return keys, nil
	}
	if err := a.keysAreThere(); err != nil {
		return nil, err
	}
	//nolint:contextcheck // opening takes milliseconds, and half-open is no state
	keys, err := keyfile.Open(a.path(keysDir, keysFile))
	if err != nil {
		return nil, err
	}
	a.closers = append(a.closers, keys.Close)
	return keys, nil
}

// keysAreThere refuses data whose key store is lost. A new key store would only hide that nothing opens.
func (a *App) keysAreThere() error {
	_, missing := os.Stat(a.path(keysDir, keysFile))
	if _, err := os.Stat(a.path(databaseFile)); err == nil && errors.Is(missing, fs.ErrNotExist) {
		return recaller.Errorf(recaller.Unavailable,
			"the key store %s is missing, but there is data that needs it (%s): put it back from its backup",
			a.path(keysDir, keysFile), a.path(databaseFile))
	}
	return nil
}
