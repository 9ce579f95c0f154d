// Package durable writes the files that the product keeps beside SQLite, so that a power cut takes nothing that was
// acknowledged: what is in a file is on the disk when Sync has returned, and its name when the folder is synced too.
//
// What may be relied on: a function here that makes, renames or removes a name returns when that is on the disk, as far
// as the system tells. Tests can watch each step, and have it fail: the simulated disk (internal/disktest) lays the
// steps beside those of SQLite.
//
// It is not for files that may be lost: temporary ones, or what the command line writes for somebody to read.
package durable

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
)

// Kind is what a step does.
type Kind uint8

// The kinds of steps.
const (
	Written     Kind = iota + 1 // Data at Offset of the file Path
	Truncated                   // the file Path to Offset bytes
	Synced                      // the file Path
	Created                     // the empty file Path
	FolderMade                  // the folder Path
	Removed                     // the name Path
	Renamed                     // Path to To
	Linked                      // the file Path got To as a second name
	NamesSynced                 // the names in the folder Path
)

// Step is one thing that is asked of the file system.
type Step struct {
	Kind     Kind
	Path, To string
	Offset   int64
	Data     []byte
}

// Watcher sees each step.
type Watcher struct {
	Before func(Step) error // where it fails, the step is not made, and fails so
	After  func(Step)       // told of those that were made
}

var watcher atomic.Pointer[Watcher]

// Watch has a watcher see each step until stop is called. It is for tests, and for one at a time.
func Watch(w Watcher) (stop func()) {
	watcher.Store(&w)
	return func() { watcher.Store(nil) }
}

// step makes a step.
func step(s Step, do func() error) error {
	w := watcher.Load()
	if w == nil {
		return do()
	}
	if err := w.Before(s); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	w.After(s)
	return nil
}

// File is a file that is being written.
type File struct{ f *os.File } // not embedded: io.Copy would go past Write

// Name returns the path that the file was opened by.
func (f File) Name() string { return f.f.Name() }

// Stat tells of the file.
func (f File) Stat() (fs.FileInfo, error) { return f.f.Stat() }

// Read implements io.Reader.
func (f File) Read(p []byte) (int, error) { return f.f.Read(p) }

// Seek implements io.Seeker.
func (f File) Seek(offset int64, whence int) (int64, error) { return f.f.Seek(offset, whence) }

// Close closes the file. What was not synced may be lost.
func (f File) Close() error { return f.f.Close() }

// New makes a file that only its owner may read. It fails with fs.ErrExist where there is one. Its name is not durable
// before its folder is synced.
func New(path string) (f File, err error) {
	err = step(Step{Kind: Created, Path: path}, func() error {
		f.f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		return err
	})
	return f, err
}

// Temp makes a file for its owner alone, with a name of its own, in a folder. See os.CreateTemp.
func Temp(dir, pattern string) (File, error) {
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return File{}, err
	}
	if err := step(Step{Kind: Created, Path: f.Name()}, func() error { return nil }); err != nil {
		return File{}, errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	return File{f}, nil
}

// Open opens a file for reading and writing.
func Open(path string) (File, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	return File{f}, err
}

// WriteAt writes at an offset.
func (f File) WriteAt(data []byte, offset int64) (n int, err error) {
	err = step(Step{Kind: Written, Path: f.Name(), Offset: offset, Data: data}, func() error {
		n, err = f.f.WriteAt(data, offset)
		return err
	})
	return n, err
}

// Write writes at the end of what was written.
func (f File) Write(data []byte) (n int, err error) {
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, err
	}
	err = step(Step{Kind: Written, Path: f.Name(), Offset: at, Data: data}, func() error {
		n, err = f.f.Write(data)
		return err
	})
	return n, err
}

// Truncate cuts the file.
func (f File) Truncate(size int64) error {
	return step(Step{Kind: Truncated, Path: f.Name(), Offset: size}, func() error { return f.f.Truncate(size) })
}

// Sync returns when what was written is on the disk.
func (f File) Sync() error {
	return step(Step{Kind: Synced, Path: f.Name()}, f.f.Sync)
}

// SyncFile has what anybody wrote to a file put on the disk. A file that is not there has nothing to lose.
func SyncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(File{f}.Sync(), f.Close())
}

// Folder makes a folder for its owner alone, and those above it that are missing, durably.
func Folder(path string) error {
	path = filepath.Clean(path)
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		return nil
	}
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return os.MkdirAll(path, 0o700) // it tells what is in the way
	}
	above := filepath.Dir(path)
	if above != path {
		if err := Folder(above); err != nil {
			return err
		}
	}
	err = step(Step{Kind: FolderMade, Path: path}, func() error { return os.Mkdir(path, 0o700) })
	if err != nil && !errors.Is(err, fs.ErrExist) { // somebody else may have been first
		return err
	}
	return Names(above)
}

// Names makes the names in a folder durable. Of a folder that may not be read that cannot be had.
func Names(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // folders cannot be synced there
	}
	return step(Step{Kind: NamesSynced, Path: dir}, func() error {
		d, err := os.Open(dir)
		if errors.Is(err, fs.ErrPermission) {
			return nil
		}
		if err != nil {
			return err
		}
		return errors.Join(d.Sync(), d.Close())
	})
}

// Rename gives a file or folder another name, in the place of a file that has it.
func Rename(from, to string) error {
	if err := step(Step{Kind: Renamed, Path: from, To: to}, func() error { return os.Rename(from, to) }); err != nil {
		return err
	}
	if above := filepath.Dir(from); above != filepath.Dir(to) {
		if err := Names(above); err != nil {
			return err
		}
	}
	return Names(filepath.Dir(to))
}

// Link gives a file a second name. It fails with fs.ErrExist where the name is taken.
func Link(from, to string) error {
	if err := step(Step{Kind: Linked, Path: from, To: to}, func() error { return os.Link(from, to) }); err != nil {
		return err
	}
	return Names(filepath.Dir(to))
}

// Unlink removes a file, or an empty folder. It may come back before its folder is synced.
func Unlink(path string) error {
	return step(Step{Kind: Removed, Path: path}, func() error { return os.Remove(path) })
}

// Delete removes a file, or an empty folder. Its folder is synced where that is still there.
func Delete(path string) error {
	if err := Unlink(path); err != nil {
		return err
	}
	err := Names(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// DeleteAll removes a folder with all that is in it.
func DeleteAll(path string) error {
	return step(Step{Kind: Removed, Path: path}, func() error { return os.RemoveAll(path) })
}

// WriteFile makes a file that is whole or not there, for its owner alone, in the place of one that has the name.
func WriteFile(path string, content []byte) error {
	f, err := Temp(filepath.Dir(path), ".partial-*")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = Rename(f.Name(), path)
	}
	if err != nil {
		_ = Unlink(f.Name()) // the first error tells more
	}
	return err
}
