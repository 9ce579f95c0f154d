package app

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"syscall"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/config"
	"github.com/recallerhq/recaller/internal/durable"
	"github.com/recallerhq/recaller/internal/tenant"
)

// MasterKeyFile is where the data folder keeps the key-encryption key, if it is not configured. Earlier versions kept it
// beside the wrapped keys; there it stays until somebody moves it.
func MasterKeyFile(cfg config.Config) string {
	former := pathIn(cfg, keysDir, masterFile)
	if _, err := os.Lstat(former); err == nil {
		return former
	}
	return pathIn(cfg, masterDir, masterFile)
}

// Lock takes a data folder for this process, making it if it is not there, until unlock is called. It fails with Conflict
// if another process has it.
func Lock(cfg config.Config) (unlock func() error, err error) {
	if err := durable.Folder(pathIn(cfg)); err != nil {
		return nil, recaller.Wrap(recaller.Unavailable, err, "the data folder cannot be made")
	}
	return lock(pathIn(cfg, lockFile))
}

// lock takes a data folder for this process. It fails with Conflict if another process has it: only one may have live
// state, and close what was active before it started.
func lock(path string) (unlock func() error, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, recaller.Wrap(recaller.Unavailable, err, "the data folder cannot be written to")
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(
			recaller.Wrap(recaller.Conflict, err, "the data folder is in use by another recaller process"), f.Close())
	}
	return f.Close, nil
}

// private refuses a data folder that everybody on the machine may write to: the data could be exchanged, and the keys.
func private(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return recaller.Wrap(recaller.Unavailable, err, "the data folder cannot be read")
	}
	if mode := info.Mode().Perm(); mode&0o002 != 0 && runtime.GOOS != "windows" {
		return recaller.Errorf(recaller.Unavailable,
			"the data folder %s can be written by everybody on this machine (mode %04o): run chmod 700 %s", dir, mode, dir)
	}
	return nil
}

// apiKey reads the bootstrap key. If there is none, it makes one in a file that only its owner can read.
func apiKey(path string) (key string, isNew bool, err error) {
	raw, err := os.ReadFile(path)
	if err == nil {
		key = strings.TrimSpace(string(raw))
		if key == "" {
			return "", false, recaller.Errorf(recaller.Unavailable,
				"the file of the API key is empty: delete it and a new key is made")
		}
		if len(key) < config.MinAPIKey {
			return "", false, recaller.Errorf(recaller.Unavailable,
				"the API key in %s has fewer than %d characters: delete the file and a new key is made", path, config.MinAPIKey)
		}
		return key, false, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", false, recaller.Wrap(recaller.Unavailable, err, "the file of the API key cannot be read")
	}
	key = "rk_" + string(recaller.DefaultTenant) + "_" + tenant.RandomSecret()
	if err := durable.WriteFile(path, []byte(key+"\n")); err != nil {
		return "", false, recaller.Wrap(recaller.Unavailable, err, "the file of the API key cannot be written")
	}
	return key, true, nil
}
