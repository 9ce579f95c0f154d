//go:build !linux

package e2e

import "errors"

// bound is for Linux: elsewhere the disk of a soak is never full.
func bound(int, uint64) error { return errors.ErrUnsupported }
