package e2e

import (
	"syscall"
	"unsafe"
)

// bound sets how large files may grow for a process that runs, as a disk that is full, and has room again, would.
func bound(pid int, bytes uint64) error {
	limit := syscall.Rlimit{Cur: bytes, Max: ^uint64(0)}
	_, _, failed := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(pid), syscall.RLIMIT_FSIZE,
		uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
	if failed != 0 {
		return failed
	}
	return nil
}
