package cli

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/recallerhq/recaller/internal/config"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/keyfile"
)

// keysCmd is `recaller keys`.
type keysCmd struct {
	Status keysStatusCmd `cmd:"" help:"Show which master key seals what, without showing any key"`
	Rotate keysRotateCmd `cmd:"" help:"Wrap every data key anew under a new master key"`
}

// Help says what it is.
func (*keysCmd) Help() string {
	return "Everything people said is sealed with a data key of each caller; the data keys are wrapped by one master key, MEMORY_ENCRYPTION_KEY or the key file in the data folder. Who loses it loses everything. Keep a copy apart from the data."
}

// keysStatusCmd is `recaller keys status`.
type keysStatusCmd struct {
	JSON bool `name:"json" help:"Print it as JSON"`
}

// Examples are lines to try.
func (*keysStatusCmd) Examples() []string { return []string{"recaller keys status"} }

// keysStatus is what there is to know of the keys without knowing one.
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
	master, from, err := masterKey(cfg)
	if err != nil {
		return err
	}
	ring, err := ringOf(master, cfg.PreviousEncryptionKeys)
	if err != nil {
		return err
	}
	status := keysStatus{Master: ring.Current(), From: from, Under: map[string]int{}}
	err = withKeyStore(ctx, cfg, func(store *keyfile.File) error {
		if err := countKeys(ctx, store, &status); err != nil {
			return err
		}
		return vault.New(ring, store, vault.Options{}).Check(ctx)
	})
	if err != nil {
		return err
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

const keyPage = 500

// countKeys counts the data keys under each master key. A wrapped key begins with a version byte and the id of the key
// that wrapped it (package vault, Formats).
func countKeys(ctx context.Context, store vault.KeyStore, status *keysStatus) error {
	var after vault.Scope
	for {
		page, err := store.Keys(ctx, after, keyPage)
		if err != nil {
			return err
		}
		for _, key := range page {
			status.Keys++
			if len(key.Wrapped) >= 5 {
				status.Under[hex.EncodeToString(key.Wrapped[1:5])]++
			}
		}
		if len(page) < keyPage {
			return nil
		}
		after = page[len(page)-1].Scope
	}
}

// masterKey returns the master key and where it is kept. It never makes one.
func masterKey(cfg config.Config) (key, from string, err error) {
	if cfg.EncryptionKey.Set() {
		return cfg.EncryptionKey.Reveal(), "MEMORY_ENCRYPTION_KEY", nil
	}
	path := filesOf(cfg).masterKey
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", "", &failure{code: ExitFailed, msg: "there is no key yet in " + cfg.Data, hint: "the first `recaller serve` makes one; --data names another folder"}
	}
	key, _, err = keyfile.LoadOrCreateMaster(path, path)
	return key, path, err
}

func ringOf(master string, previous []config.Secret) (*vault.Ring, error) {
	old := make([]string, len(previous))
	for i, key := range previous {
		old[i] = key.Reveal()
	}
	return vault.NewRing(master, old...)
}

// withKeyStore opens the store of wrapped keys, which has to be there, for as long as use takes. A server may have it
// open too.
func withKeyStore(_ context.Context, cfg config.Config, use func(*keyfile.File) error) error {
	path := filesOf(cfg).keyStore
	if _, err := os.Stat(path); err != nil {
		return &failure{code: ExitFailed, msg: "there is no key store in " + cfg.Data, hint: "--data names the data folder"}
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
	return "Where the data folder keeps the master key, it makes a new one, wraps every data key under it, and puts it in the old one's place; stop the server first. Where MEMORY_ENCRYPTION_KEY holds it, set that to the new key and MEMORY_ENCRYPTION_KEY_PREVIOUS to the old one, restart every server, and then run this; they may go on serving. It can be stopped and run again at any time."
}

// Examples are lines to try.
func (*keysRotateCmd) Examples() []string {
	return []string{
		"recaller keys rotate",
		"# with keys of your own: openssl rand -hex 32 makes one",
		"MEMORY_ENCRYPTION_KEY=$NEW MEMORY_ENCRYPTION_KEY_PREVIOUS=$OLD recaller keys rotate",
	}
}

// Run rotates.
func (c *keysRotateCmd) Run(ctx context.Context, s *session) error {
	cfg, err := s.config()
	if err != nil {
		return err
	}
	if cfg.EncryptionKey.Set() && len(cfg.PreviousEncryptionKeys) == 0 {
		return usagef("MEMORY_ENCRYPTION_KEY is the new key: set MEMORY_ENCRYPTION_KEY_PREVIOUS to the one before it")
	}
	if cfg.EncryptionKey.Set() {
		return c.rotateConfigured(ctx, s, cfg)
	}
	return c.rotateFile(ctx, s, cfg)
}

// rotateConfigured rewraps under the configured key. Servers that have both keys go on meanwhile: the key store is made for that.
func (c *keysRotateCmd) rotateConfigured(ctx context.Context, s *session, cfg config.Config) error {
	ring, err := ringOf(cfg.EncryptionKey.Reveal(), cfg.PreviousEncryptionKeys)
	if err != nil {
		return err
	}
	err = withKeyStore(ctx, cfg, func(store *keyfile.File) error {
		return s.rotate(ctx, vault.New(ring, store, vault.Options{}), ring.Current())
	})
	if err != nil {
		return err
	}
	s.notef("MEMORY_ENCRYPTION_KEY_PREVIOUS is no longer needed")
	return nil
}

// rotateFile replaces the key file. The new key is on the disk before it wraps anything, and in its place only when it
// wraps everything: whenever this is cut short, running it again goes on.
func (c *keysRotateCmd) rotateFile(ctx context.Context, s *session, cfg config.Config) error {
	old, path, err := masterKey(cfg)
	if err != nil {
		return err
	}
	next := path + ".new"
	fresh, _, err := keyfile.LoadOrCreateMaster(next)
	if err != nil {
		return err
	}
	ring, err := vault.NewRing(fresh, old)
	if err != nil {
		return err
	}
	// Opened with both keys, the data folder is locked: no server can go on wrapping under the old one.
	cfg.EncryptionKey = config.NewSecret(fresh)
	cfg.PreviousEncryptionKeys = append([]config.Secret{config.NewSecret(old)}, cfg.PreviousEncryptionKeys...)
	server, err := s.openEngine(ctx, cfg, s.quietLog())
	if err != nil {
		return hinted(err, "stop the server first: it would go on using the old key")
	}
	if err := errors.Join(s.rotate(ctx, server.Vault(), ring.Current()), server.Close(context.WithoutCancel(ctx))); err != nil {
		return err
	}
	if err := replaceFile(next, path); err != nil {
		return err
	}
	s.notef("%s holds the new key; keep a copy of it apart from the data, and destroy copies of the old one", path)
	return nil
}

// rotate wraps every data key anew under the vault's current key.
func (s *session) rotate(ctx context.Context, keys *vault.Vault, master string) error {
	done := 0
	err := keys.Rotate(ctx, func(n, total int) {
		done = n
		s.verbosef("%d of %d data keys", n, total)
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s %d data keys are wrapped under master key %s\n", s.out.Good("Rotated:"), done, s.out.Bold(master))
	return nil
}

// replaceFile puts a file in the place of another, durably.
func replaceFile(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return fmt.Errorf("put the new key in its place: %w", err)
	}
	folder, err := os.Open(filepath.Dir(to))
	if err != nil {
		return fmt.Errorf("put the new key in its place: %w", err)
	}
	defer folder.Close()
	if err := folder.Sync(); err != nil {
		return fmt.Errorf("put the new key in its place: %w", err)
	}
	return nil
}
