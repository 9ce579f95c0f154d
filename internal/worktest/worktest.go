// Package worktest bounds the work that a text can ask of a reader: time per byte at 64 kB may be three times that at
// 1 kB, whatever word is said over and over. A reader that looks back, or ahead, to the end of the text at some word
// costs seconds by that word alone. It is for tests only.
package worktest

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// The bound.
const (
	small   = 1 << 10
	most    = 3                      // times as long for each byte of a large text
	nothing = 2 * time.Millisecond   // a large text may take this long, whatever a small one takes
	tries   = 4                      // a machine with other work measures too much, never too little
	share   = 100 * time.Millisecond // of processor time for a package's sample of words
)

// variable of the environment says how long a package's words are tried instead: "10m" tries all of them (make work).
const variable = "RECALLER_WORK"

// Linear repeats each word alone, and words together, and fails where read takes more time than the bound. It tries a
// sample of the words, as many as a tenth of a second allows. The words are those that the sources in dirs hold.
func Linear(t *testing.T, read func(text string), dirs ...string) {
	t.Helper()
	known := known(t, dirs)
	units := make([]string, 0, 3*len(known))
	for i, w := range known {
		next := known[(i*7+1)%len(known)]
		units = append(units, w+" ", w+", ", w+" "+next+". ")
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(units), func(i, j int) { units[i], units[j] = units[j], units[i] })
	limit, took := share, time.Duration(0)
	if said, err := time.ParseDuration(os.Getenv(variable)); err == nil { //nolint:forbidigo // a setting of tests
		limit = said
	}
	for i, unit := range units {
		if took > limit {
			t.Logf("%d of %d repetitions tried; %s=10m tries all", i, len(units), variable)
			return
		}
		took += Check(t, unit, read)
	}
}

// Fuzz has the fuzzer put together what is repeated, of the words that the sources in dirs hold and of what stands
// between words.
func Fuzz(f *testing.F, read func(text string), dirs ...string) {
	f.Helper()
	known := known(f, dirs)
	f.Add([]byte{0, 1, 0})
	f.Fuzz(func(t *testing.T, picks []byte) {
		if unit := unit(known, picks); unit != "" {
			Check(t, unit, read)
		}
	})
}

// between is what may stand after a word.
var between = []string{" ", " ", " ", ", ", ". ", "? ", "\n", "", "-", ": \"", "\n\n", "; "}

// unit reads three bytes a word: which, and what follows it.
func unit(known []string, picks []byte) string {
	var b strings.Builder
	for ; len(picks) >= 3 && b.Len() < small/4; picks = picks[3:] {
		b.WriteString(known[int(binary.BigEndian.Uint16(picks))%len(known)])
		b.WriteString(between[int(picks[2])%len(between)])
	}
	return b.String()
}

// Check fails the test where reading a unit over and over takes more time than the bound. It returns what that took.
func Check(t testing.TB, unit string, read func(text string)) (took time.Duration) {
	t.Helper()
	few, many := repeated(unit, small), repeated(unit, large)
	var short, long []time.Duration
	for range tries {
		long = append(long, cost(read, many, 1))
		took += long[len(long)-1]
		if long[len(long)-1] <= nothing {
			return took
		}
		for range 3 {
			short = append(short, cost(read, few, 2))
			took += 2 * short[len(short)-1]
		}
		bound := max(most*median(short)*large/small, nothing)
		if slices.Min(long) <= bound {
			return took
		}
	}
	t.Errorf("%q, over and over: %d kB take %v, %d kB take %v: %.1f times as long for each byte, want at most %d",
		unit, small>>10, median(short), large>>10, slices.Min(long),
		float64(slices.Min(long))/float64(median(short))*small/large, most)
	return took
}

func repeated(unit string, size int) string {
	return strings.Repeat(unit, max(1, size/len(unit)))
}

// cost is the processor time of one reading, the mean of n.
func cost(read func(string), text string, n int) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := spent()
	for range n {
		read(text)
	}
	return (spent() - began) / time.Duration(n)
}

func median(ds []time.Duration) time.Duration {
	ds = slices.Sorted(slices.Values(ds))
	return ds[len(ds)/2]
}
