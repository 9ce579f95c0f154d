package app

import (
	"context"
	"log/slog"
	"sync"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/httpapi"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/keyfile"
)

// masterKeys are the key-encryption keys in force, and where they are kept.
type masterKeys struct {
	path     string // of the key file; empty: the configuration holds the key
	current  string
	previous []string // these only open
	pending  bool     // a rotation to current has begun and not ended
}

// masterKeys reads the keys from the configuration, or else from the data folder.
func (a *App) masterKeys() (masterKeys, error) {
	m := masterKeys{current: a.cfg.EncryptionKey.Reveal()}
	for _, k := range a.cfg.PreviousEncryptionKeys {
		m.previous = append(m.previous, k.Reveal())
	}
	if m.current != "" {
		return m, nil
	}
	if a.cfg.Databases.Postgres() {
		return m, recaller.InvalidField("MEMORY_ENCRYPTION_KEY",
			"is required with Postgres: 64 hexadecimal digits, the same for every server; `openssl rand -hex 32` makes one")
	}
	m.path = MasterKeyFile(a.cfg)
	var err error
	if m.current, _, err = keyfile.LoadOrCreateMaster(
		m.path, a.path(keysDir, keysFile), a.path(databaseFile),
	); err != nil {
		return m, err
	}
	next, pending, err := keyfile.PendingMaster(m.path)
	if pending {
		m = m.followedBy(next)
	}
	return m, err
}

func (m masterKeys) ring() (*vault.Ring, error) { return vault.NewRing(m.current, m.previous...) }

// followedBy returns the keys with next as the current one, and the one before among the previous.
func (m masterKeys) followedBy(next string) masterKeys {
	m.previous = append([]string{m.current}, m.previous...)
	m.current, m.pending = next, true
	return m
}

// encryption tells about the key-encryption key, and rotates it while the server goes on.
type encryption struct {
	vault *vault.Vault
	run   func(func(context.Context)) bool // in the background, until the App is closed
	log   *slog.Logger

	mu    sync.Mutex // guards what follows
	keys  masterKeys
	state httpapi.Rotation
}

// Status returns which key wraps, and how far a rotation is.
func (e *encryption) Status(ctx context.Context) (httpapi.Encryption, error) {
	under, err := e.vault.Census(ctx)
	if err != nil {
		return httpapi.Encryption{}, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	out := httpapi.Encryption{MasterKeyID: e.vault.Current(), From: "environment", Under: under, Rotation: e.state}
	if e.keys.path != "" {
		out.From = "file"
	}
	for _, n := range under {
		out.DataKeys += n
	}
	return out, nil
}

// Rotate begins to wrap every data key anew. If the data folder keeps the key-encryption key, Rotate makes a new one;
// otherwise it uses the configured one. If a rotation is under way, it changes nothing. It fails with Conflict if there
// is no key to rotate to.
func (e *encryption) Rotate(ctx context.Context) (httpapi.Encryption, error) {
	if err := e.begin(ctx); err != nil {
		return httpapi.Encryption{}, err
	}
	return e.Status(ctx)
}

func (e *encryption) begin(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.state.Running {
		return nil
	}
	switch {
	case e.keys.pending: // one was cut short or failed: go on with its key
	case e.keys.path != "":
		if err := e.adopt(ctx); err != nil {
			return err
		}
	case len(e.keys.previous) == 0:
		return recaller.Errorf(recaller.Conflict,
			"MEMORY_ENCRYPTION_KEY holds the key: set it to the new one and MEMORY_ENCRYPTION_KEY_PREVIOUS to the old one, restart, then rotate")
	}
	e.start()
	return nil
}

// adopt makes the next key, and wraps under it from now on. The lock is held.
func (e *encryption) adopt(ctx context.Context) error {
	next, err := keyfile.NextMaster(e.keys.path)
	if err != nil {
		return err
	}
	keys := e.keys.followedBy(next)
	ring, err := keys.ring()
	if err != nil {
		return err
	}
	if err := e.vault.Adopt(ctx, ring); err != nil {
		return err
	}
	e.keys = keys
	return nil
}

// resume goes on with a rotation that an earlier process began. It does nothing if there is none.
func (e *encryption) resume() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.keys.pending && !e.state.Running {
		e.start()
	}
}

// start rotates in the background. The lock is held.
func (e *encryption) start() {
	e.state = httpapi.Rotation{Running: true}
	e.state.Running = e.run(func(ctx context.Context) {
		err := e.rotate(ctx)
		e.mu.Lock()
		defer e.mu.Unlock()
		e.state.Running, e.state.Failed = false, err != nil
		switch {
		case err == nil:
			e.log.Info("key rotation done", "master_key", e.vault.Current(), "data_keys", e.state.Done)
		case ctx.Err() != nil:
			e.log.Info("key rotation interrupted", "data_keys", e.state.Done)
		default:
			e.log.Error("key rotation", "err", err)
		}
	})
}

// rotate wraps and proves every data key, and then drops the old key-encryption key.
func (e *encryption) rotate(ctx context.Context) error {
	err := e.vault.Rotate(ctx, func(done, total int) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.state.Done, e.state.Total = done, total
	})
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.keys.pending {
		return nil
	}
	if err := keyfile.PromoteMaster(e.keys.path); err != nil {
		return err
	}
	e.keys.pending = false
	return nil
}
