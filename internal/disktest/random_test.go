package disktest_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

// whole is n where each n-th moment or call is to be tried, as `make disk` has it, and 0 where a sample of them will do.
func whole() int { return int(setting("RECALLER_DISK", 0)) }

// setting reads a number of the run; where it is none the run ends, because another would not be what was asked for.
func setting(name string, otherwise uint64) uint64 {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		panic(name + ": expected a number, such as 20")
	}
	return n
}

// random is seeded by RECALLER_DISK_SEED, or by the time where all is tried, and says by what.
func random(t *testing.T) *rand.Rand {
	t.Helper()
	seed := uint64(1)
	if whole() > 0 {
		seed = uint64(time.Now().UnixNano())
	}
	seed = setting("RECALLER_DISK_SEED", seed)
	t.Logf("RECALLER_DISK_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, seed))
}
