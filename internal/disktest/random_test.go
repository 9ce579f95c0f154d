package disktest_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

// whole is n where each n-th moment or call is to be tried, as `make disk` has it, and 0 where a sample of them will do.
func whole() int {
	n, _ := strconv.Atoi(os.Getenv("RECALLER_DISK")) // not set: a sample
	return n
}

// random is seeded by RECALLER_DISK_SEED, or by the time where all is tried, and says by what.
func random(t *testing.T) *rand.Rand {
	t.Helper()
	seed := uint64(1)
	if whole() > 0 {
		seed = uint64(time.Now().UnixNano())
	}
	if given, err := strconv.ParseUint(os.Getenv("RECALLER_DISK_SEED"), 10, 64); err == nil {
		seed = given
	}
	t.Logf("RECALLER_DISK_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, seed))
}
