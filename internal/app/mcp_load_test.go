//go:build measure

package app

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory"
)

// How long read_agent_memory takes over HTTP with many checkpoints held: RECALLER_MCP_HELD=1000000, or as many as are
// written in RECALLER_MCP_FILL (10m). They stay in the folder RECALLER_MCP_DATA, if it is given: another run reads them
// again. `make mcp-load` runs it; the figure is in docs/benchmarks.md.
func TestReadingAmongManyCheckpoints(t *testing.T) {
	held, err := strconv.Atoi(os.Getenv("RECALLER_MCP_HELD"))
	if err != nil {
		t.Fatal("make mcp-load runs it")
	}
	dir := cmp.Or(os.Getenv("RECALLER_MCP_DATA"), t.TempDir())
	h := build(t, dir, Options{}, "RECALLER_RATE_LIMIT=0")
	held = h.filled(filepath.Join(dir, "filled"), held)
	const reads = 20000
	var read, idle []time.Duration
	random := rand.New(rand.NewPCG(1, 2))
	for range reads {
		n := random.IntN(held)
		took, got := h.timed(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_agent_memory",`+
			`"arguments":{"phoneNumber":%q}}}`, numberOf(n)))
		if !strings.Contains(got, fmt.Sprintf("House %d ", n)) {
			t.Fatalf("got %s for caller %d", got, n)
		}
		read = append(read, took)
		took, _ = h.timed(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		idle = append(idle, took)
	}
	t.Logf("%d checkpoints held, %d reads: %s; a ping between each two, which reads nothing: %s", held, reads, quantiles(read), quantiles(idle))
	if p99 := read[reads*99/100]; p99 > 5*time.Millisecond {
		t.Errorf("p99 is %v, want at most 5ms", p99)
	}
}

// timed sends one message and returns how long the answer took.
func (h *house) timed(body string) (time.Duration, string) {
	began := time.Now()
	_, _, got := h.post(body, nil)
	return time.Since(began), got
}

// quantiles sorts times and tells them.
func quantiles(took []time.Duration) string {
	slices.Sort(took)
	n := len(took)
	return fmt.Sprintf("p50 %v, p90 %v, p99 %v, slowest %v", took[n/2], took[n*9/10], took[n*99/100], took[n-1])
}

func numberOf(n int) string { return fmt.Sprintf("+1555%07d", n) }

// filled fills the folder up, and returns how many checkpoints it has. A note in it says how many a run before left.
func (h *house) filled(note string, held int) int {
	h.t.Helper()
	has := 0
	if text, err := os.ReadFile(note); err == nil {
		if has, err = strconv.Atoi(string(text)); err != nil {
			h.t.Fatal(err)
		}
	}
	if has >= held {
		return has
	}
	has = h.fill(has, held)
	if err := os.WriteFile(note, []byte(strconv.Itoa(has)), 0o600); err != nil {
		h.t.Fatal(err)
	}
	return has
}

// fill saves checkpoints, each of another caller, up to so many, and returns how many there are when its time is up.
func (h *house) fill(from, held int) int {
	h.t.Helper()
	most, err := time.ParseDuration(os.Getenv("RECALLER_MCP_FILL"))
	if err != nil {
		most = 10 * time.Minute
	}
	var next, done atomic.Int64
	next.Store(int64(from))
	done.Store(int64(from))
	var writers sync.WaitGroup
	until, callers := time.Now().Add(most), h.app.callers(nil)
	for range 256 {
		writers.Go(func() {
			for time.Now().Before(until) {
				n := int(next.Add(1)) - 1
				if n >= held {
					return
				}
				who, err := callers.Introduce(h.t.Context(), recaller.DefaultTenant, numberOf(n))
				if err == nil {
					_, _, err = h.app.memories.PutCheckpoint(h.t.Context(), recaller.DefaultTenant, who.ID, memory.CheckpointInput{
						Intent: "job_creation", Summary: fmt.Sprintf("House %d has a leak under the sink", n),
						StagingData: []byte(`{"address": "742 Evergreen Terrace", "issue": "leaking pipes", "contactName": "John Smith"}`),
					})
				}
				if err != nil {
					h.t.Error(err)
					return
				}
				done.Add(1)
			}
		})
	}
	writers.Wait()
	return int(done.Load())
}
