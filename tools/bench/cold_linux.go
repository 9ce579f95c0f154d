package main

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// dropCache makes the system forget what it holds in memory of the data's files, so that they are read from the disk.
func dropCache(data string) error {
	const dontNeed = 4 // POSIX_FADV_DONTNEED
	var errs []error
	for _, name := range []string{databaseFile, databaseFile + "-wal", keysFile, keysFile + "-wal"} {
		f, err := os.Open(filepath.Join(data, name))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		errs = append(errs, f.Sync()) // what is not on the disk yet cannot be forgotten
		if _, _, e := syscall.Syscall6(syscall.SYS_FADVISE64, f.Fd(), 0, 0, dontNeed, 0, 0); e != 0 {
			errs = append(errs, e)
		}
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}
