package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/app"
	"github.com/recallerhq/recaller/internal/config"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/keyfile"
)

// keysCmd is `recaller keys`.
type keysCmd struct {
	Status keysStatusCmd `cmd:"" help:"Show which master key seals what, without showing any key"`
	Add    keysAddCmd    `cmd:"" help:"Put missing keys back from a backup of the keys"`
	Rotate keysRotateCmd `cmd:"" help:"Wrap every data key anew under a new master key"`
}

// Help says what it is.
func (*keysCmd) Help() string {
	return "Everything people said is sealed with a data key of each caller; the data keys are wrapped by one master " +
		"key, MEMORY_ENCRYPTION_KEY or the key file in the data folder. Who loses it loses everything. Keep a copy " +
		"apart from the data."
}

// keysStatusCmd is `recaller keys status`.
type keysStatusCmd struct {
	JSON bool `name:"json" help:"Print it as JSON"`
}

// Examples are lines to try.
func (*keysStatusCmd) Examples() []string { return []string{"recaller keys status"} }

// keysStatus is what can be known of the keys without any key.
type keysStatus struct {
	Master string         `json:"master_key_id"`
	From   string         `json:"from"`
	Keys   int            `json:"data_keys"`
	Under  map[string]int `json:"data_keys_by_master_key_id"`
}

// Run prints the status.
func (c *keysStatusCmd) Run(ctx context.Context, s *session) error {
	cfg, err := s.config()
	if err != nil {
		return err
	}
	ring, from, err := masterRing(cfg)
	if err != nil {
		return err
	}
	status := keysStatus{Master: ring.Current(), From: from}
	err = withKeyStore(ctx, cfg, func(store vault.KeyStore) error {
		keys := vault.New(ring, store, vault.Options{})
		var err error
		if status.Under, err = keys.Census(ctx); err != nil {
			return err
		}
		return keys.Check(ctx)
	})
	if err != nil {
		return err
	}
	for _, n := range status.Under {
		status.Keys += n
	}
	if c.JSON {
		return s.json(status)
	}
	fmt.Fprintf(s.out, "Master key   %s, from %s\n", s.out.Bold(status.Master), from)
	fmt.Fprintf(s.out, "Data keys    %d\n", status.Keys)
	for _, id := range slices.Sorted(maps.Keys(status.Under)) {
		note := ""
		if id != status.Master {
			note = s.out.Warn("  `recaller keys rotate` moves them")
		}
		fmt.Fprintf(s.out, "  under %s  %d%s\n", id, status.Under[id], note)
	}
	fmt.Fprintf(s.out, "Check        %s\n", s.out.Good("the key opens the data"))
	return nil
}

// masterRing returns the master keys, and where the present one is kept. It never makes one.
func masterRing(cfg config.Config) (ring *vault.Ring, from string, err error) {
	previous := make([]string, len(cfg.PreviousEncryptionKeys))
	for i, key := range cfg.PreviousEncryptionKeys {
		previous[i] = key.Reveal()
	}
	if cfg.EncryptionKey.Set() {
		ring, err = vault.NewRing(cfg.EncryptionKey.Reveal(), previous...)
		return ring, "MEMORY_ENCRYPTION_KEY", err
	}
	if cfg.Databases.Postgres() {
		return nil, "", &failure{
			code: ExitFailed, msg: "MEMORY_ENCRYPTION_KEY is not set",
			hint: "with Postgres it is required: set it to the key that the server has",
		}
	}
	path := filesOf(cfg).masterKey
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, "", noKeyYet(cfg)
	}
	current, _, err := keyfile.LoadOrCreateMaster(path, path)
	if err != nil {
		return nil, "", err
	}
	next, pending, err := keyfile.PendingMaster(path)
	if err != nil {
		return nil, "", err
	}
	if pending { // a rotation is under way, or was interrupted
		current, previous = next, append([]string{current}, previous...)
	}
	ring, err = vault.NewRing(current, previous...)
	return ring, path, err
}

// masterFor returns the master keys for a folder whose data is about to come.
func masterFor(cfg config.Config) (*vault.Ring, error) {
	ring, _, err := masterRing(cfg)
	var f *failure
	if errors.As(err, &f) {
		return nil, &failure{
			code: ExitFailed, msg: "the master key is not there",
			hint: "set MEMORY_ENCRYPTION_KEY, or put its file at " + filesOf(cfg).masterKey + ", readable by its owner only",
		}
	}
	return ring, err
}

func noKeyYet(cfg config.Config) error {
	return &failure{
		code: ExitFailed, msg: "there is no key yet in " + cfg.Data,
		hint: "the first `recaller serve` makes one; --data names another folder",
	}
}

// withKeyStore opens the store of wrapped keys while use runs. The store must exist, and on Postgres it must belong to
// the data. A server may have it open too.
func withKeyStore(ctx context.Context, cfg config.Config, use func(vault.KeyStore) error) error {
	if cfg.Databases.Postgres() {
		store, err := app.OpenKeys(ctx, cfg)
		if err != nil {
			return err
		}
		return errors.Join(use(store), store.Close())
	}
	path := filesOf(cfg).keyStore
	if _, err := os.Stat(path); err != nil {
		return &failure{
			code: ExitFailed, msg: "there is no key store in " + cfg.Data, hint: "--data names the data folder",
		}
	}
	store, err := keyfile.Open(path) //nolint:contextcheck // it takes none: opening waits for nobody
	if err != nil {
		return err
	}
	return errors.Join(use(store), store.Close())
}

// keysRotateCmd is `recaller keys rotate`.
type keysRotateCmd struct{}

// Help says what it is.
func (*keysRotateCmd) Help() string {
	return "It may run while a server does, which goes on answering. Where the data folder keeps the master key, it " +
		"makes a new one, wraps every data key under it, proves that each opens, and only then puts it in the old " +
		"one's place. Where MEMORY_ENCRYPTION_KEY holds it, set that to the new key and " +
		"MEMORY_ENCRYPTION_KEY_PREVIOUS to the old one, restart the server, and then run this. It can be " +
		"stopped and run again at any time."
}

// Examples are lines to try.
func (*keysRotateCmd) Examples() []string {
	return []string{
		"recaller keys rotate",
		"# with keys of your own: openssl rand -hex 32 makes one",
		"MEMORY_ENCRYPTION_KEY=$NEW MEMORY_ENCRYPTION_KEY_PREVIOUS=$OLD recaller keys rotate",
	}
}

// lookEvery is how often to ask how far a rotation is.
const lookEvery = 100 * time.Millisecond

// Run rotates, and waits until it is done.
func (c *keysRotateCmd) Run(ctx context.Context, s *session) error {
	cfg, err := s.config()
	if err != nil {
		return err
	}
	if s.globals.Server == "" && !cfg.EncryptionKey.Set() {
		if _, err := os.Stat(filesOf(cfg).masterKey); errors.Is(err, fs.ErrNotExist) {
			return noKeyYet(cfg)
		}
	}
	api, err := s.api(ctx)
	if err != nil {
		return err
	}
	status, err := api.RotateEncryption(ctx)
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for err == nil && status.Rotating != nil && status.Rotating.Running {
		s.verbosef("%d of %d data keys", status.Rotating.Done, status.Rotating.Total)
		select {
		case <-tick.C:
			status, err = api.Encryption(ctx)
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	if err != nil {
		return err
	}
	if r := status.Rotating; r == nil || r.Failed {
		return &failure{
			code: ExitFailed, msg: "the rotation stopped before it was through",
			hint: "the server's log says why; run it again to go on",
		}
	}
	s.rotated(cfg, status)
	return nil
}

// rotated says what was done, and what remains to be done.
func (s *session) rotated(cfg config.Config, status client.Encryption) {
	fmt.Fprintf(s.out, "%s %s wrapped under master key %s\n", s.out.Good("Rotated:"),
		count(status.DataKeys, "data key"), s.out.Bold(status.MasterKeyID))
	switch {
	case status.From == "environment":
		s.notef("MEMORY_ENCRYPTION_KEY_PREVIOUS is no longer needed")
	case s.globals.Server == "":
		s.notef("%s holds the new key; keep a copy of it apart from the data, and destroy copies of the old one",
			filesOf(cfg).masterKey)
	default:
		s.notef("the server's key file holds the new key; keep a copy of it apart from the data, and destroy copies " +
			"of the old one")
	}
}
