// Package backup makes copies of an installation on SQLite while it serves, restores them, puts back keys that are
// missing, and moves an installation to Postgres.
//
// What may be relied on: the data is copied first and the keys second, so that no copy of the data is without its keys;
// each is one file, sealed by a key of its own that the key-encryption key wraps; a copy is opened, as a restore would,
// before it counts as made. The key-encryption key is in neither.
//
// It is not for Postgres's own backups: pg_dump makes them (docs/operations.md).
package backup

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/durable"
	"github.com/recallerhq/recaller/internal/store/sqlite"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/keyfile"
)

// Folder is where an installation on SQLite has its files.
type Folder struct {
	Data     string // the folder itself
	Database string
	Keys     string // the key store
	Archive  string
}

// The files of a backup: a prefix, when it was made, and an ending.
const (
	dataPrefix = "recaller-data-"
	keysPrefix = "recaller-keys-"
	ending     = ".sealed"
	stamp      = "20060102T150405.000000Z"
)

// The kinds of sealed streams.
const (
	kindData = "backup of the data"
	kindKeys = "backup of the keys"
)

// Pair is a backup.
type Pair struct {
	Data, Keys  string // paths
	Manifest    Manifest
	Quarantined []recaller.KeyMissing // whose keys the installation lacks, and the backup too
}

// Manifest says what is in a backup of the data.
type Manifest struct {
	Format int              `json:"format"`
	MadeAt time.Time        `json:"made_at"`
	By     string           `json:"by"` // the version of the program
	Rows   map[string]int64 `json:"rows"`
	Files  int              `json:"archive_files"`
}

const format = 1

// Make backs up an installation, which may be serving, into a folder for the data and one for the keys; they may be the
// same. It returns what it made once that opens.
func Make(
	ctx context.Context, of Folder, ring *vault.Ring, dataDir, keysDir, version string, now time.Time,
) (p Pair, err error) {
	for _, dir := range []string{dataDir, keysDir} {
		if err := target(of, dir); err != nil {
			return p, err
		}
	}
	tmp, leave, err := workspace(of.Data)
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, leave()) }()
	copied := filepath.Join(tmp, databaseName)
	if err := sqlite.Copy(ctx, of.Database, copied); err != nil {
		return p, err
	}
	m := Manifest{Format: format, MadeAt: now.UTC(), By: version}
	if m.Rows, err = sqlite.Counts(ctx, copied); err != nil {
		return p, err
	}
	at := now.UTC().Format(stamp) + ending
	p.Data, p.Keys = filepath.Join(dataDir, dataPrefix+at), filepath.Join(keysDir, keysPrefix+at)
	if err := writeSealed(p.Data, ring, kindData, pack{&m, copied, of.Archive}.write); err != nil {
		return p, err
	}
	if err := durable.Unlink(copied); err != nil {
		return p, err
	}
	keys, err := keyfile.Copy(ctx, of.Keys) // after the data: it has the keys of all that is in there
	if err != nil {
		return p, errors.Join(err, durable.Delete(p.Data))
	}
	if err := writeSealed(p.Keys, ring, kindKeys, whole(keys)); err != nil {
		return p, errors.Join(err, durable.Delete(p.Data))
	}
	opened, err := unpack(ctx, p, ring, tmp, "")
	if err != nil {
		return p, errors.Join(err, durable.Delete(p.Data), durable.Delete(p.Keys))
	}
	p.Manifest, p.Quarantined = opened.manifest, opened.quarantined
	return p, nil
}

// target makes a folder for a backup, and refuses one that a backup of the data folder would hold, or that is lost with
// it.
func target(of Folder, dir string) error {
	if err := durable.Folder(dir); err != nil {
		return recaller.Wrap(recaller.Unavailable, err, "the folder for the backup cannot be made")
	}
	within, err := inside(of.Data, dir)
	if err != nil {
		return err
	}
	if within {
		return recaller.Errorf(recaller.Invalid, "the folder for the backup is in the data folder: it would be lost with it")
	}
	return nil
}

// inside reports whether dir is a folder, or in it.
func inside(folder, dir string) (bool, error) {
	var paths []string
	for _, p := range []string{folder, dir} {
		abs, err := filepath.Abs(p)
		if err == nil {
			abs, err = filepath.EvalSymlinks(abs)
		}
		if err != nil {
			return false, err
		}
		paths = append(paths, abs)
	}
	rel, err := filepath.Rel(paths[0], paths[1])
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)), nil
}

// Find returns the newest backup in a folder for the data and one for the keys. Each may be named as a file instead.
func Find(data, keys string) (p Pair, err error) {
	if p.Data, err = newest(data, dataPrefix); err != nil {
		return p, err
	}
	if keys == "" {
		keys = filepath.Dir(p.Data)
	}
	p.Keys, err = newest(keys, keysPrefix)
	return p, err
}

// newest returns the newest file with a prefix in a folder, or the path itself where it is a file.
func newest(path, prefix string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", recaller.Wrap(recaller.NotFound, err, "there is no backup at %s", path)
	}
	if !info.IsDir() {
		return path, nil
	}
	list, err := filepath.Glob(filepath.Join(path, prefix+"*"+ending))
	if err != nil || len(list) == 0 {
		return "", errors.Join(err, recaller.Errorf(recaller.NotFound, "there is no file %s*%s in %s", prefix, ending, path))
	}
	return slices.Max(list), nil
}
