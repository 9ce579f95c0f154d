//go:build !linux

package main

import "errors"

// dropCache makes the system forget what it holds in memory of the data's files; only on Linux.
func dropCache(string) error {
	return errors.New("the disk's cache can be dropped on Linux only: run with -starts 0")
}
