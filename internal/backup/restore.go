package backup

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/durable"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/sqlite"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/keyfile"
)

// Restored says what a restore did.
type Restored struct {
	Manifest    Manifest
	KeptKeys    bool                  // the folder had a key store, which is newer than that of a backup, and kept it
	Quarantined []recaller.KeyMissing // whose keys are missing
}

// Restore puts a backup into a folder without data, which nobody else may use meanwhile. It opens everything before
// anything is put in its place. A key store that is there stays: what was erased since the backup stays erased.
func Restore(ctx context.Context, p Pair, ring *vault.Ring, to Folder) (out Restored, err error) {
	for _, path := range []string{to.Database, to.Archive} {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			return out, recaller.Errorf(recaller.Conflict, "%s is there: move it away first", path)
		}
	}
	kept := to.Keys
	if _, err := os.Stat(kept); errors.Is(err, fs.ErrNotExist) {
		kept = ""
	}
	tmp, leave, err := workspace(to.Data)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, leave()) }()
	opened, err := unpack(ctx, p, ring, tmp, kept)
	if err != nil {
		return out, err
	}
	if kept == "" {
		if err := durable.Folder(filepath.Dir(to.Keys)); err != nil {
			return out, unwritten(err)
		}
		if err := durable.Rename(opened.keys, to.Keys); err != nil {
			return out, unwritten(err)
		}
	}
	if opened.manifest.Files > 0 {
		if err := durable.Rename(filepath.Join(tmp, archiveName), to.Archive); err != nil {
			return out, unwritten(err)
		}
	}
	err = durable.Rename(filepath.Join(tmp, databaseName), to.Database) // last: with it there is an installation
	return Restored{opened.manifest, kept != "", opened.quarantined}, unwritten(err)
}

// opened is a backup that was unpacked and opened.
type opened struct {
	manifest    Manifest
	keys        string // the path of the key store
	quarantined []recaller.KeyMissing
}

// unpack writes a backup into a folder and opens all of it. With keys, a key store that is there already, it leaves those
// of the backup alone.
func unpack(ctx context.Context, p Pair, ring *vault.Ring, dir, keys string) (o opened, err error) {
	o.keys = keys
	if keys == "" {
		o.keys = filepath.Join(dir, keysName)
		if err := fromSealed(p.Keys, ring, kindKeys, func(r io.Reader) error { return writeFile(o.keys, r) }); err != nil {
			return o, err
		}
	}
	err = fromSealed(p.Data, ring, kindData, func(r io.Reader) error {
		o.manifest, err = extract(r, dir)
		return err
	})
	if err != nil {
		return o, err
	}
	return o, o.prove(ctx, ring, filepath.Join(dir, databaseName))
}

// fromSealed reads a sealed file.
func fromSealed(path string, ring *vault.Ring, kind string, use func(io.Reader) error) error {
	f, err := os.Open(path)
	if err != nil {
		return recaller.Wrap(recaller.NotFound, err, "the backup cannot be read")
	}
	plain, err := ring.OpenStream(f, kind)
	if err == nil {
		err = use(plain)
	}
	err = errors.Join(err, f.Close())
	return recaller.Wrap(recaller.KindOf(err), err, "%s", filepath.Base(path))
}

// prove opens the database and the keys: every page is sound, every table has as many rows as when it was copied, the
// master key opens the keys, and every tenant opens. It names those whose keys are missing.
func (o *opened) prove(ctx context.Context, ring *vault.Ring, database string) (err error) {
	rows, err := sqlite.Counts(ctx, database)
	if err != nil {
		return err
	}
	if !maps.Equal(rows, o.manifest.Rows) {
		return recaller.Errorf(recaller.Internal, "the backup does not have the rows that were copied")
	}
	keys, err := keyfile.Open(o.keys) //nolint:contextcheck // opening waits for nobody
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, keys.Close()) }()
	v := vault.New(ring, keys, vault.Options{})
	if err := v.Check(ctx); err != nil {
		return err
	}
	engine, err := sqlite.Open(ctx, database, sqlite.Options{Readers: 2}) // brings an older one up to date
	if err != nil {
		return err
	}
	s := store.New(engine, v)
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := errors.Join(s.AsMarked(ctx), s.Check(ctx)); err != nil {
		return err
	}
	if err := tenantsOpen(ctx, s); err != nil {
		return err
	}
	o.quarantined, err = s.Quarantined(ctx)
	return err
}

// tenantsOpen opens the settings of every tenant.
func tenantsOpen(ctx context.Context, s *store.Store) error {
	for page := (recaller.Page{}); ; {
		_, next, err := s.Tenants(ctx, page)
		if err != nil || next == "" {
			return err
		}
		page.Cursor = next
	}
}
