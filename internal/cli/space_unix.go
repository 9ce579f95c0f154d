//go:build linux || darwin || freebsd

package cli

import "syscall"

// freeSpace tells how many bytes this user may still write to the disk that holds path.
func freeSpace(path string) (bytes uint64, known bool) {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(path, &stat); err != nil {
		return 0, false
	}
	return uint64(max(0, stat.Bavail)) * uint64(stat.Bsize), true
}
