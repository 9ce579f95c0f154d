//go:build !linux

package worktest

import "time"

var start = time.Now() //nolint:forbidigo // what it measures is time

// spent is the time that has passed.
func spent() time.Duration { return time.Since(start) } //nolint:forbidigo // what it measures is time
