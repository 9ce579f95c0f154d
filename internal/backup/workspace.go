package backup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/durable"
	"github.com/recallerhq/recaller/internal/vault/keyfile"
)

// workPrefix begins the names of the folders in which copies are made and opened: in the data folder, because they are
// not sealed. Whoever works in one has it locked. The lock ends with its process, however that ends, so a folder without
// one is nobody's any more.
const workPrefix = "backup-work-"

// partialPrefix begins the names of sealed files that are not whole yet. They are locked in the same way.
const partialPrefix = ".recaller-partial-"

// Discard removes the copies in a data folder that backups, restores and additions of keys have left that were killed.
// It never touches one that is being worked in: working says whether there is such a one.
func Discard(data string) (removed int, working bool, err error) {
	return sweep(data, workPrefix, discard)
}

// sweep removes what nobody works in and has a name that begins so.
func sweep(dir, prefix string, remove func(path string) error) (removed int, working bool, err error) {
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, recaller.Wrap(recaller.Unavailable, err, "the folder cannot be read")
	}
	var errs []error
	for _, e := range list {
		if !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		mine, err := hold(path)
		switch {
		case errors.Is(err, errHeld):
			working = true
		case errors.Is(err, fs.ErrNotExist): // somebody removed it meanwhile
		case err != nil:
			errs = append(errs, err)
		default:
			if err = errors.Join(remove(path), mine.Close()); err == nil {
				removed++
			}
			errs = append(errs, err)
		}
	}
	return removed, working, unwritten(errors.Join(errs...))
}

// errHeld says that somebody has what is to be locked.
var errHeld = errors.New("somebody works in it")

// hold locks a file or folder for this process, until what it returns is closed. It fails with errHeld where another
// has it, and with fs.ErrNotExist where it is gone by then.
func hold(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = errHeld
	}
	if err == nil {
		err = same(f, path)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// same fails with fs.ErrNotExist where a path is not what was opened any more.
func same(f *os.File, path string) error {
	is, err := f.Stat()
	if err != nil {
		return err
	}
	now, err := os.Lstat(path)
	if err == nil && !os.SameFile(is, now) {
		err = fs.ErrNotExist
	}
	return err
}

// tries is how often something is made anew because a sweep took it before it was locked.
const tries = 10

// workspace makes a folder for one run, after it has removed those that killed ones left. leave removes it.
func workspace(data string) (dir string, leave func() error, err error) {
	if err := durable.Folder(data); err != nil {
		return "", nil, unwritten(err)
	}
	if _, _, err := Discard(data); err != nil {
		return "", nil, err
	}
	for range tries {
		if dir, err = os.MkdirTemp(data, workPrefix); err != nil {
			break
		}
		mine, held := hold(dir)
		if held == nil {
			return dir, func() error { return unwritten(errors.Join(discard(dir), mine.Close())) }, nil
		}
		if err = held; !errors.Is(err, errHeld) && !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return "", nil, recaller.Wrap(recaller.Unavailable, err, "the data folder cannot be written to")
}

// keysName is the name of a key store that is unpacked.
const keysName = "keys.db"

// discard removes a folder of work, and overwrites the keys in it before.
func discard(dir string) error {
	return errors.Join(keyfile.Remove(filepath.Join(dir, keysName)), durable.DeleteAll(dir), durable.Names(filepath.Dir(dir)))
}

// partial makes a file in a folder for what is to be sealed, after it has removed those that killed runs left there. A
// file system without locks has none removed.
func partial(dir string) (f durable.File, release func() error, err error) {
	_, _, _ = sweep(dir, partialPrefix, durable.Unlink)
	for range tries {
		if f, err = durable.Temp(dir, partialPrefix+"*"); err != nil {
			break
		}
		mine, held := hold(f.Name())
		if held == nil {
			return f, mine.Close, nil
		}
		if !errors.Is(held, errHeld) && !errors.Is(held, fs.ErrNotExist) {
			return f, func() error { return nil }, nil
		}
		if err = f.Close(); err != nil {
			break
		}
		err = held
	}
	return f, nil, recaller.Wrap(recaller.Unavailable, err, "the backup cannot be written")
}
