package disktest

import (
	"path/filepath"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"

	"github.com/recallerhq/recaller/internal/durable"
)

// The types of the methods that SQLite calls on a file.
type (
	plain    = func(*libc.TLS, uintptr) int32
	transfer = func(*libc.TLS, uintptr, uintptr, int32, int64) int32
	sized    = func(*libc.TLS, uintptr, int64) int32
	numbered = func(*libc.TLS, uintptr, int32) int32
	answered = func(*libc.TLS, uintptr, uintptr) int32
	control  = func(*libc.TLS, uintptr, int32, uintptr) int32
	shmMap   = func(*libc.TLS, uintptr, int32, int32, int32, uintptr) int32
	shmLock  = func(*libc.TLS, uintptr, int32, int32, int32) int32
	barrier  = func(*libc.TLS, uintptr)
)

// ioMethods are version 2: without memory-mapped reading, which nobody turned on.
func ioMethods() lib.Tsqlite3_io_methods {
	return lib.Tsqlite3_io_methods{
		FiVersion: 2,
		FxClose:   pointer(xClose), FxRead: pointer(xRead), FxWrite: pointer(xWrite), FxTruncate: pointer(xTruncate),
		FxSync: pointer(xSync), FxFileSize: pointer(xFileSize), FxLock: pointer(xLock), FxUnlock: pointer(xUnlock),
		FxCheckReservedLock: pointer(xCheckReservedLock), FxFileControl: pointer(xFileControl),
		FxSectorSize: pointer(xSectorSize), FxDeviceCharacteristics: pointer(xDeviceCharacteristics),
		FxShmMap: pointer(xShmMap), FxShmLock: pointer(xShmLock), FxShmBarrier: pointer(xShmBarrier),
		FxShmUnmap: pointer(xShmUnmap),
	}
}

// passed is the file behind one of ours, with its methods.
func passed(f uintptr) (uintptr, *lib.Tsqlite3_io_methods) {
	r := realFile(f)
	return r, at[lib.Tsqlite3_io_methods](at[lib.Tsqlite3_file](r).FpMethods)
}

func bytesAt(p uintptr, n int32) []byte { return unsafe.Slice(at[byte](p), n) } //nolint:gosec // SQLite's memory

func xClose(tls *libc.TLS, f uintptr) int32 {
	r, m := passed(f)
	handles.Delete(at[file](f).handle)
	return function[plain](m.FxClose)(tls, r)
}

func xRead(tls *libc.TLS, f, to uintptr, n int32, offset int64) int32 {
	r, m := passed(f)
	if fault := of(f).call(callRead); fault != nil {
		return fault.code()
	}
	return function[transfer](m.FxRead)(tls, r, to, n, offset)
}

func xWrite(tls *libc.TLS, f, from uintptr, n int32, offset int64) int32 {
	r, m := passed(f)
	o := of(f)
	fault := o.call(callWrite)
	if fault != nil && !fault.Short {
		return fault.code()
	}
	if fault != nil { // as much as there was room for
		n /= 2
	}
	o.note(durable.Step{Kind: durable.Written, Offset: offset, Data: bytesAt(from, n)})
	rc := function[transfer](m.FxWrite)(tls, r, from, n, offset)
	if fault != nil {
		return fault.code()
	}
	return rc
}

func xTruncate(tls *libc.TLS, f uintptr, size int64) int32 {
	r, m := passed(f)
	o := of(f)
	if fault := o.call(callTruncate); fault != nil {
		return fault.code()
	}
	o.note(durable.Step{Kind: durable.Truncated, Offset: size})
	return function[sized](m.FxTruncate)(tls, r, size)
}

// xSync of a watched file is noted and not passed on: it would wait for the real disk.
func xSync(tls *libc.TLS, f uintptr, flags int32) int32 {
	r, m := passed(f)
	o := of(f)
	if fault := o.call(callSync); fault != nil {
		o.note(durable.Step{Kind: dropped})
		return fault.code()
	}
	if o.disk == nil {
		return function[numbered](m.FxSync)(tls, r, flags)
	}
	o.note(durable.Step{Kind: durable.Synced})
	if o.newName {
		o.newName = false
		o.disk.namesOf(o.path)
	}
	return lib.SQLITE_OK
}

func (o *opened) note(s durable.Step) {
	if o.disk == nil {
		return
	}
	s.Path = o.path
	o.disk.note(s)
}

// namesOf notes that the folder of a file is synced.
func (d *Disk) namesOf(path string) {
	d.note(durable.Step{Kind: durable.NamesSynced, Path: filepath.Dir(path)})
}

func xFileSize(tls *libc.TLS, f, out uintptr) int32 {
	r, m := passed(f)
	if fault := of(f).call(callSize); fault != nil {
		return fault.code()
	}
	return function[answered](m.FxFileSize)(tls, r, out)
}

func xLock(tls *libc.TLS, f uintptr, lock int32) int32 {
	r, m := passed(f)
	if fault := of(f).call(callLock); fault != nil {
		return fault.code()
	}
	return function[numbered](m.FxLock)(tls, r, lock)
}

func xUnlock(tls *libc.TLS, f uintptr, lock int32) int32 {
	r, m := passed(f)
	return function[numbered](m.FxUnlock)(tls, r, lock)
}

func xCheckReservedLock(tls *libc.TLS, f, out uintptr) int32 {
	r, m := passed(f)
	return function[answered](m.FxCheckReservedLock)(tls, r, out)
}

func xFileControl(tls *libc.TLS, f uintptr, op int32, arg uintptr) int32 {
	r, m := passed(f)
	return function[control](m.FxFileControl)(tls, r, op, arg)
}

func xSectorSize(tls *libc.TLS, f uintptr) int32 {
	r, m := passed(f)
	return function[plain](m.FxSectorSize)(tls, r)
}

func xDeviceCharacteristics(tls *libc.TLS, f uintptr) int32 {
	r, m := passed(f)
	return function[plain](m.FxDeviceCharacteristics)(tls, r)
}

func xShmMap(tls *libc.TLS, f uintptr, region, size, extend int32, out uintptr) int32 {
	r, m := passed(f)
	if fault := of(f).call(callShmMap); fault != nil {
		*at[uintptr](out) = 0
		return fault.code()
	}
	return function[shmMap](m.FxShmMap)(tls, r, region, size, extend, out)
}

// xShmLock fails where a lock is taken. To give one back cannot fail: the real one does not look whether it did.
func xShmLock(tls *libc.TLS, f uintptr, offset, n, flags int32) int32 {
	r, m := passed(f)
	if flags&lib.SQLITE_SHM_LOCK != 0 {
		if fault := of(f).call(callShmLock); fault != nil {
			return fault.code()
		}
	}
	return function[shmLock](m.FxShmLock)(tls, r, offset, n, flags)
}

func xShmBarrier(tls *libc.TLS, f uintptr) {
	r, m := passed(f)
	function[barrier](m.FxShmBarrier)(tls, r)
}

func xShmUnmap(tls *libc.TLS, f uintptr, del int32) int32 {
	r, m := passed(f)
	return function[numbered](m.FxShmUnmap)(tls, r, del)
}
