package worktest

import (
	"time"

	"golang.org/x/sys/unix"
)

// spent is the processor time of this thread: what else the machine does is not in it.
func spent() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts); err != nil {
		panic(err)
	}
	return time.Duration(ts.Nano())
}
