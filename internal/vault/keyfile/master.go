package keyfile

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/durable"
	"github.com/recallerhq/recaller/internal/vault"
)

const masterDigits = 64

// LoadOrCreateMaster returns the master key kept in the file at path, as 64 hexadecimal digits, and whether it was made
// just now. It makes one, for the owner's eyes only, if there is none; but where one of the witnesses exists (files of
// data that were sealed under the key that is missing), it refuses with Unavailable, because a new key would not open
// them. A key file that others may read, or that is not a key, is refused; none is ever overwritten. When it returns a
// new key, that is on the disk.
func LoadOrCreateMaster(path string, witnesses ...string) (key string, created bool, err error) {
	key, err = loadMaster(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, false, err
	}
	for _, w := range witnesses {
		if _, err := os.Stat(w); !errors.Is(err, fs.ErrNotExist) {
			return "", false, recaller.Errorf(recaller.Unavailable,
				"the key file %s is missing, but there is data that needs it (%s): put the file back, or set MEMORY_ENCRYPTION_KEY", path, w)
		}
	}
	if err := createMaster(path, vault.NewKey()); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", false, recaller.Wrap(recaller.Unavailable, err, "the key file cannot be made")
	} else if err == nil {
		created = true
	}
	key, err = loadMaster(path) // ours, or that of a process that was first
	return key, created, err
}

func loadMaster(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", recaller.Wrap(recaller.Unavailable, err, "the key file cannot be read")
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", recaller.Wrap(recaller.Unavailable, err, "the key file cannot be read")
	}
	if !info.Mode().IsRegular() {
		return "", recaller.Errorf(recaller.Unavailable, "%s is not a file; expected a key file", path)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return "", recaller.Errorf(recaller.Unavailable,
			"the key file %s can be used by others (mode %04o): make sure that nobody has read it, then run chmod 600 on it", path, info.Mode().Perm())
	}
	text := make([]byte, masterDigits+3)
	n, err := file.Read(text)
	if err != nil && n > 0 {
		return "", recaller.Wrap(recaller.Unavailable, err, "the key file cannot be read")
	}
	key := strings.TrimRight(string(text[:n]), "\r\n")
	if _, err := hex.DecodeString(key); err != nil || len(key) != masterDigits {
		return "", recaller.Errorf(recaller.Unavailable, "the key file %s does not hold 64 hexadecimal digits: put the right file back", path)
	}
	return key, nil
}

// createMaster writes a key file that is either whole or not there, and fails with fs.ErrExist rather than overwrite
// one.
func createMaster(path, key string) error {
	dir := filepath.Dir(path)
	if err := durable.Folder(dir); err != nil {
		return err
	}
	if info, err := os.Stat(dir); err != nil {
		return err
	} else if runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0 {
		return recaller.Errorf(recaller.Unavailable, "the folder %s can be written by others (mode %04o): run chmod 700 on it", dir, info.Mode().Perm())
	}
	tmp, err := durable.Temp(dir, ".master-*")
	if err != nil {
		return err
	}
	defer func() { _ = durable.Delete(tmp.Name()) }() // a second name of the key, or a try that failed
	_, err = tmp.Write([]byte(key + "\n"))
	if err := errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return durable.Link(tmp.Name(), path) // unlike Rename, it fails if path exists
}
