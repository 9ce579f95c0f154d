package sqlite_test

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/sqlite"
	"github.com/recallerhq/recaller/internal/store/storetest"
)

// crowd is a database of a tenant with many conversations or documents.
type crowd struct {
	testing.TB
	storetest.Population
	path string
	e    *sqlite.Engine
}

func (c *crowd) ok(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

func newCrowd(b *testing.B, of store.Thing, width int) *crowd {
	b.Helper()
	c := &crowd{TB: b, Population: storetest.Population{Of: of, Tenant: "t", Model: "m", Width: width, Size: 100_000, Seed: 1}}
	if width == 256 {
		c.Words = 150
	}
	c.path = filepath.Join(b.TempDir(), "recaller.db")
	c.e = open(b, c.path, sqlite.Options{})
	c.Fill(b.Context(), b, c.e)
	return c
}

func (c *crowd) read(ctx context.Context, fn func(store.Tx) error) error {
	return c.e.Read(ctx, "t", "", fn)
}

func (c *crowd) similar(i int, among store.Among) []store.Near {
	c.Helper()
	found, err := c.e.Similar(c.Context(), c.read, store.Nearest{Among: among, Tenant: "t", Embedding: recaller.Embedding{Model: "m", Vector: c.Vector(c.Size + i)}, Limit: 50})
	c.ok(err)
	return found
}

// all is everything of a population.
func (c *crowd) all() store.Among { return storetest.Filters(&c.Population)["all"] }

// BenchmarkSimilar searches 100,000 conversations, and as many documents, by vectors: the first time, which reads them
// all, then warm.
func BenchmarkSimilar(b *testing.B) {
	for _, thing := range store.Things() {
		for _, width := range []int{256, 1536} {
			b.Run(fmt.Sprint(thing, "/", width), func(b *testing.B) {
				c := newCrowd(b, thing, width)
				b.Run("cold", c.benchmarkCold)
				b.Run("recall", func(b *testing.B) {
					b.ReportMetric(c.Recall(10, 50, func(i int) []store.Near { return c.similar(i, c.all())[:10] }), "recall@10")
					b.ReportMetric(c.Recall(50, 50, func(i int) []store.Near { return c.similar(i, c.all()) }), "recall@50")
				})
				for name, among := range storetest.Filters(&c.Population) {
					c.similar(0, among)
					b.Run(name, func(b *testing.B) {
						measure(b, func(i int) int { return len(c.similar(i, among)) })
					})
				}
			})
		}
	}
}

func (c *crowd) benchmarkCold(b *testing.B) {
	warm := c.e
	defer func() { c.e = warm }()
	for i := range b.N {
		b.StopTimer()
		c.e = open(b, c.path, sqlite.Options{})
		before := heap()
		b.StartTimer()
		c.similar(i, c.all())
		b.StopTimer()
		b.ReportMetric(float64(heap()-before)/(1<<20), "MiB")
		b.StartTimer()
	}
}

// measure tells how long searches take, how much of the processor, and how many they find.
func measure(b *testing.B, search func(i int) int) {
	b.Helper()
	var took []time.Duration
	n, cpu := 0, processor()
	for i := range b.N {
		began := time.Now()
		n = search(i)
		took = append(took, time.Since(began))
	}
	b.ReportMetric(float64(n), "found")
	b.ReportMetric(float64((processor()-cpu).Microseconds())/1000/float64(b.N), "cpu-ms")
	storetest.Quantiles(b, took, 0.5, 0.99)
}

// processor is the time that the process has had on all cores: what is left of a measurement on a machine that others
// use too.
func processor() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// BenchmarkMatching searches the same by words.
func BenchmarkMatching(b *testing.B) {
	for _, thing := range store.Things() {
		b.Run(string(thing), func(b *testing.B) {
			c := newCrowd(b, thing, 256)
			for name, tokens := range storetest.Queries() {
				for which, among := range storetest.Filters(&c.Population) {
					b.Run(name+"/"+which, func(b *testing.B) {
						measure(b, func(int) int {
							found, err := c.e.Matching(b.Context(), c.read, store.Matching{Among: among, Tenant: "t", Tokens: tokens, Limit: 50})
							c.ok(err)
							return len(found)
						})
					})
				}
			}
		})
	}
}

// BenchmarkErasure erases one caller after the other among 100,000 conversations with words and embeddings, traces and
// all. Beside each somebody writes without a pause: wait-ms is the longest that a write of theirs took.
func BenchmarkErasure(b *testing.B) {
	c := newCrowd(b, store.Conversations, 256)
	s := store.New(c.e, nil)
	begun := time.Now()
	_, err := s.Scrub(b.Context()) // the first time all that was moved while the file grew is cleaned
	c.ok(err)
	b.Logf("the first time: %v", time.Since(begun))
	var longest atomic.Int64
	ctx, stop := context.WithCancel(b.Context())
	var beside sync.WaitGroup
	beside.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			begun := time.Now()
			c.ok(storetest.PutJob(c.e, fmt.Sprint("beside-", i)))
			longest.Store(max(longest.Load(), int64(time.Since(begun))))
		}
	})
	for i := 0; b.Loop(); i++ {
		_, err := s.EraseRows(b.Context(), "t", c.Caller(i*7919%c.Size))
		c.ok(err)
		remains, err := s.Scrub(b.Context())
		c.ok(err)
		if len(remains) > 0 {
			b.Fatalf("there remains %v", remains)
		}
	}
	stop()
	beside.Wait()
	b.ReportMetric(float64(longest.Load())/1e6, "wait-ms")
}
