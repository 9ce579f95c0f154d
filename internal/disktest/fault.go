package disktest

import (
	"syscall"

	lib "modernc.org/sqlite/lib"

	"github.com/recallerhq/recaller/internal/durable"
)

// call is a kind of call that can fail.
type call int

const (
	callRead call = iota
	callWrite
	callTruncate
	callSync
	callOpen
	callDelete
	callAccess
	callSize
	callLock
	callShmMap
	callShmLock
	callName // of a folder: made, renamed, removed, synced
	calls
)

func callOf(k durable.Kind) call {
	switch k {
	case durable.Written:
		return callWrite
	case durable.Truncated:
		return callTruncate
	case durable.Synced:
		return callSync
	case durable.Created:
		return callOpen
	default:
		return callName
	}
}

// Fault fails the call of a number: the first is 1.
type Fault struct {
	At      int
	Forever bool // that call and all after it, until the fault is taken away
	Full    bool // the disk is full: only what needs room fails. At then counts nothing else
	Short   bool // only writes fail, and count: half of one is made
	Syncs   bool // only syncs fail, and count. What was written before one is never on the disk, unless it is written again

	met  bool // it came to pass
	what call // the call that failed
	path string
}

// Fail has the calls counted anew, and one of them failed. nil ends that.
func (d *Disk) Fail(f *Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fault, d.calls = f, 0
}

// Calls is how many calls there were, since Fail, that could have had the fault.
func (d *Disk) Calls() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls
}

// Met reports whether a fault came to pass, and where. It is for when the fault was taken away.
func (f *Fault) Met() (met bool, where string) { return f.met, names[f.what] + " of " + f.path }

var names = [calls]string{
	"read", "write", "truncation", "sync", "opening", "removal", "look", "size", "lock", "index of the log", "lock of the index", "name",
}

// call counts a call, and returns the fault that it is to have.
func (d *Disk) call(c call, path string) *Fault {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.fault
	if f == nil || f.Full && !needsRoom(c) || f.Short && c != callWrite || f.Syncs && c != callSync {
		return nil
	}
	d.calls++
	if d.calls != f.At && !(f.Forever && d.calls > f.At) {
		return nil
	}
	if !f.met {
		f.met, f.what, f.path = true, c, d.relative(path)
	}
	return &Fault{Full: f.Full, Short: f.Short, what: c}
}

func (o *opened) call(c call) *Fault {
	if o.disk == nil {
		return nil
	}
	return o.disk.call(c, o.path)
}

func needsRoom(c call) bool { return c == callWrite || c == callShmMap || c == callName }

// code is the fault as a VFS tells it.
func (f *Fault) code() int32 {
	if f.Full && f.what == callWrite {
		return lib.SQLITE_FULL
	}
	return [calls]int32{
		callRead: lib.SQLITE_IOERR_READ, callWrite: lib.SQLITE_IOERR_WRITE, callTruncate: lib.SQLITE_IOERR_TRUNCATE,
		callSync: lib.SQLITE_IOERR_FSYNC, callOpen: lib.SQLITE_CANTOPEN, callDelete: lib.SQLITE_IOERR_DELETE,
		callAccess: lib.SQLITE_IOERR_ACCESS, callSize: lib.SQLITE_IOERR_FSTAT, callLock: lib.SQLITE_IOERR_LOCK,
		callShmMap: lib.SQLITE_IOERR_SHMSIZE, callShmLock: lib.SQLITE_IOERR_SHMLOCK,
	}[f.what]
}

// errno is the fault as the system tells it.
func (f *Fault) errno() error {
	if f.Full {
		return syscall.ENOSPC
	}
	return syscall.EIO
}
