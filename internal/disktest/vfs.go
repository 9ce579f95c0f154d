package disktest

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	lib "modernc.org/sqlite/lib"

	"github.com/recallerhq/recaller/internal/durable"
)

// at reads what is at an address outside of Go's memory.
func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) } //nolint:gosec // SQLite's memory

// pointer is a function as SQLite's machine code takes it.
func pointer[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) } //nolint:gosec // as the driver does it

// function is such a pointer as a function of Go.
func function[F any](p uintptr) F { return *(*F)(unsafe.Pointer(&struct{ uintptr }{p})) } //nolint:gosec // and back

// The VFS that is in front of the real ones, and the methods of its files.
var (
	once       sync.Once
	registered error
	methods    uintptr
	behind     sync.Map // from the address of ours to that of the real one
)

// register puts the simulated disk in front of SQLite's default VFS, and of the one that keeps the index of the log in
// memory.
func register() error {
	once.Do(func() {
		tls := libc.NewTLS()
		if registered = takeMemory(tls); registered != nil {
			return
		}
		methods = alloc[lib.Tsqlite3_io_methods](tls)
		*at[lib.Tsqlite3_io_methods](methods) = ioMethods()
		for _, name := range []string{"unix-excl", ""} {
			if registered = front(tls, name); registered != nil {
				return
			}
		}
	})
	return registered
}

func alloc[T any](tls *libc.TLS) uintptr {
	var zero T
	return libc.Xcalloc(tls, 1, types.Size_t(unsafe.Sizeof(zero)))
}

// front registers ours under the name of a real VFS; "" is the default.
func front(tls *libc.TLS, name string) error {
	var cname uintptr
	if name != "" {
		var err error
		if cname, err = libc.CString(name); err != nil {
			return err
		}
	}
	real := lib.Xsqlite3_vfs_find(tls, cname)
	ours := alloc[lib.Tsqlite3_vfs](tls)
	v := at[lib.Tsqlite3_vfs](ours)
	*v = *at[lib.Tsqlite3_vfs](real)
	v.FszOsFile += int32(unsafe.Sizeof(file{}))
	v.FxOpen, v.FxDelete, v.FxAccess = pointer(xOpen), pointer(xDelete), pointer(xAccess)
	if name == "" {
		if v.FzName, registered = libc.CString("disktest"); registered != nil {
			return registered
		}
	}
	behind.Store(ours, real)
	if rc := lib.Xsqlite3_vfs_register(tls, ours, libc.BoolInt32(name == "")); rc != lib.SQLITE_OK {
		return fmt.Errorf("the simulated disk cannot be registered: %d", rc)
	}
	return nil
}

// file is one of SQLite's files; the real one is behind it in memory.
type file struct {
	lib.Tsqlite3_file
	handle uintptr
}

// realFile is the address of the file behind one of ours.
func realFile(f uintptr) uintptr { return f + unsafe.Sizeof(file{}) }

// opened is what is known of a file.
type opened struct {
	disk    *Disk
	path    string
	newName bool // the first sync makes the name durable too
}

var (
	handles sync.Map // from file.handle to *opened
	last    atomic.Uintptr
)

func of(f uintptr) *opened {
	o, ok := handles.Load(at[file](f).handle)
	if !ok {
		return &opened{}
	}
	return o.(*opened)
}

func real(vfs uintptr) (uintptr, *lib.Tsqlite3_vfs) {
	r, _ := behind.Load(vfs)
	return r.(uintptr), at[lib.Tsqlite3_vfs](r.(uintptr))
}

func xOpen(tls *libc.TLS, vfs, name, f uintptr, flags int32, out uintptr) int32 {
	r, v := real(vfs)
	at[file](f).FpMethods = 0
	o := &opened{}
	if name != 0 {
		o.path = libc.GoString(name)
		o.disk = diskOf(o.path)
	}
	if fault := o.call(callOpen); fault != nil {
		return fault.code()
	}
	_, err := os.Stat(o.path)
	made := o.disk != nil && os.IsNotExist(err)
	type open = func(*libc.TLS, uintptr, uintptr, uintptr, int32, uintptr) int32
	rc := function[open](v.FxOpen)(tls, r, name, realFile(f), flags, out)
	if rc != lib.SQLITE_OK {
		return rc
	}
	if made {
		o.disk.note(durable.Step{Kind: durable.Created, Path: o.path})
	}
	// As the real one does: of a database it does not sync the folder.
	o.newName = flags&lib.SQLITE_OPEN_CREATE != 0 &&
		flags&(lib.SQLITE_OPEN_WAL|lib.SQLITE_OPEN_MAIN_JOURNAL|lib.SQLITE_OPEN_SUPER_JOURNAL) != 0
	at[file](f).FpMethods = methods
	at[file](f).handle = last.Add(1)
	handles.Store(at[file](f).handle, o)
	return rc
}

func xDelete(tls *libc.TLS, vfs, name uintptr, syncDir int32) int32 {
	r, v := real(vfs)
	o := &opened{path: libc.GoString(name)}
	o.disk = diskOf(o.path)
	if fault := o.call(callDelete); fault != nil {
		return fault.code()
	}
	type del = func(*libc.TLS, uintptr, uintptr, int32) int32
	rc := function[del](v.FxDelete)(tls, r, name, 0)
	if rc == lib.SQLITE_OK && o.disk != nil {
		o.disk.note(durable.Step{Kind: durable.Removed, Path: o.path})
		if syncDir != 0 {
			o.disk.namesOf(o.path)
		}
	}
	return rc
}

func xAccess(tls *libc.TLS, vfs, name uintptr, flags int32, out uintptr) int32 {
	r, v := real(vfs)
	o := &opened{path: libc.GoString(name)}
	o.disk = diskOf(o.path)
	if fault := o.call(callAccess); fault != nil {
		return fault.code()
	}
	type access = func(*libc.TLS, uintptr, uintptr, int32, uintptr) int32
	return function[access](v.FxAccess)(tls, r, name, flags, out)
}
