package disktest

import (
	"fmt"
	"sync/atomic"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// memory decides which of the allocations of SQLite fail.
var memory struct {
	methods lib.Tsqlite3_mem_methods // the real ones
	on      atomic.Bool
	count   atomic.Int64
	failAt  atomic.Int64
	forever atomic.Bool
}

// FailMemory has the n-th allocation of SQLite from now on fail, of all databases of this process, and those after it
// too, if forever. stop ends that, and tells how many there were.
func FailMemory(n int, forever bool) (stop func() (allocations int)) {
	memory.count.Store(0)
	memory.failAt.Store(int64(n))
	memory.forever.Store(forever)
	memory.on.Store(true)
	return func() int {
		memory.on.Store(false)
		return int(memory.count.Load())
	}
}

func refused() bool {
	if !memory.on.Load() {
		return false
	}
	n, at := memory.count.Add(1), memory.failAt.Load()
	return n == at || memory.forever.Load() && n > at
}

// takeMemory puts ours in front of SQLite's allocator. SQLite must not have begun.
func takeMemory(tls *libc.TLS) error {
	m := alloc[lib.Tsqlite3_mem_methods](tls)
	if err := configure(tls, lib.SQLITE_CONFIG_GETMALLOC, m); err != nil {
		return err
	}
	memory.methods = *at[lib.Tsqlite3_mem_methods](m)
	at[lib.Tsqlite3_mem_methods](m).FxMalloc = pointer(xMalloc)
	at[lib.Tsqlite3_mem_methods](m).FxRealloc = pointer(xRealloc)
	return configure(tls, lib.SQLITE_CONFIG_MALLOC, m)
}

func configure(tls *libc.TLS, option int32, value uintptr) error {
	args := alloc[uintptr](tls)
	defer libc.Xfree(tls, args)
	if rc := lib.Xsqlite3_config(tls, option, libc.VaList(args, value)); rc != lib.SQLITE_OK {
		return fmt.Errorf("SQLite's memory cannot be watched: %d", rc)
	}
	return nil
}

func xMalloc(tls *libc.TLS, size int32) uintptr {
	if refused() {
		return 0
	}
	return function[func(*libc.TLS, int32) uintptr](memory.methods.FxMalloc)(tls, size)
}

func xRealloc(tls *libc.TLS, old uintptr, size int32) uintptr {
	if refused() {
		return 0
	}
	return function[func(*libc.TLS, uintptr, int32) uintptr](memory.methods.FxRealloc)(tls, old, size)
}
