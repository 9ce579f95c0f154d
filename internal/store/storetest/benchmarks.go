package storetest

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// Quantiles reports the slowest of all but the given shares.
func Quantiles(b *testing.B, all []time.Duration, shares ...float64) {
	b.Helper()
	slices.Sort(all)
	for _, q := range shares {
		b.ReportMetric(float64(all[int(float64(len(all)-1)*q)].Microseconds())/1000, fmt.Sprintf("p%v-ms", q*100))
	}
}

// each measures what is done again and again, and returns how long it took each time.
func each(b *testing.B, do func(i int)) []time.Duration {
	var took []time.Duration
	for i := range b.N {
		began := time.Now()
		do(i)
		took = append(took, time.Since(began))
	}
	return took
}

// inCalls has something done in all calls at once, time after time; prepare makes ready what is done the n-th time in
// one of them.
func inCalls(b *testing.B, what string, calls []recaller.Opened, prepare func(o recaller.Opened, n int) (do func() error)) {
	var left atomic.Int64
	left.Store(int64(b.N))
	took := make([][]time.Duration, len(calls))
	b.ResetTimer()
	var wg sync.WaitGroup
	for i, o := range calls {
		wg.Go(func() {
			for n := 0; left.Add(-1) >= 0; n++ {
				do := prepare(o, n)
				began := time.Now()
				if err := do(); err != nil {
					b.Error(err)
					return
				}
				took[i] = append(took[i], time.Since(began))
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), what+"/s")
	Quantiles(b, slices.Concat(took...), 0.5, 0.99)
}

// BenchmarkAppendTurns has 64 calls going on at once, each turn acknowledged when it is on disk.
func BenchmarkAppendTurns(b *testing.B, d *Data) {
	inCalls(b, "turns", d.Calls(64), func(o recaller.Opened, _ int) func() error {
		in := d.Appending(o, 1)
		return func() error { _, err := d.AppendTurns(d.ctx, "t", in); return err }
	})
}

// BenchmarkStoreMemory has 50 agents store memories at once, each time in another store: alone, and with what a tool
// call brings along. One is new and the next supersedes it, in turn.
func BenchmarkStoreMemory(b *testing.B, open func(b *testing.B) *Data) {
	for _, bench := range []struct {
		name string
		with func(*Data, recaller.Opened, *recaller.Storing)
	}{
		{"alone", func(*Data, recaller.Opened, *recaller.Storing) {}},
		{"call", func(d *Data, o recaller.Opened, in *recaller.Storing) {
			in.Call = &recaller.ToolCall{ID: d.ID("call"), Conversation: o.Conversation.ID, Tool: recaller.ToolStoreMemory, At: d.Now}
		}},
		{"call and reminder", func(d *Data, o recaller.Opened, in *recaller.Storing) {
			in.Call = &recaller.ToolCall{ID: d.ID("call"), Conversation: o.Conversation.ID, Tool: recaller.ToolSetReminder, At: d.Now}
			in.Reminder = &recaller.Reminder{ID: recaller.ReminderID(d.ID("reminder")), DueAt: d.Now.AddDate(0, 0, 1)}
		}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			d := open(b)
			inCalls(b, "memories", d.Calls(50), func(o recaller.Opened, n int) func() error {
				in := recaller.Storing{Memory: d.Memory(o.Caller.ID, fmt.Sprint("key_", n/2), fmt.Sprint("has three grandchildren, the eldest is Tom ", n))}
				in.Memory.Source = recaller.SourceConversation
				bench.with(d, o, &in)
				return func() error { _, err := d.StoreMemory(d.ctx, "t", in); return err }
			})
		})
	}
}

// BenchmarkExtraction writes what was found in a conversation with a caller who has 200 memories or a few more: five
// that are new.
func BenchmarkExtraction(b *testing.B, d *Data) {
	const callers = 20
	for _, o := range d.Calls(callers) {
		d.Remember(o.Caller.ID, 200)
	}
	var took []time.Duration
	b.ResetTimer()
	for i := range b.N {
		b.StopTimer()
		in := d.found(d.Call(fmt.Sprintf("+1555%07d", i%callers)))
		b.StartTimer()
		began := time.Now()
		_, err := d.WriteStep(d.ctx, "t", in)
		d.OK(err)
		took = append(took, time.Since(began))
	}
	Quantiles(b, took, 0.5, 0.99)
}

// found ends a call, in which five things were found that are new.
func (d *Data) found(o recaller.Opened) recaller.StepResult {
	d.Helper()
	_, err := d.CloseConversation(d.ctx, "t", recaller.Closing{
		Conversation: o.Conversation.ID, Status: recaller.Completed, EndedAt: d.Now,
		Steps: planned(),
		Job:   &recaller.Job{ID: d.ID("job"), Kind: "wrapup", Subject: string(o.Conversation.ID), RunAt: d.Now},
	})
	d.OK(err)
	out := recaller.StepResult{Conversation: o.Conversation.ID, Caller: o.Caller.ID, Step: recaller.StepExtract, Remembers: true, State: recaller.StepDone, At: d.Now}
	for range 5 {
		m := d.Memory(o.Caller.ID, d.ID("found"), "keeps bees")
		m.Source, m.Confidence = recaller.SourceExtraction, 0
		out.Memories = append(out.Memories, m)
	}
	return out
}

// BenchmarkSnapshot reads what a briefing needs of a caller with 50 memories and 3 conversations: as the store keeps it,
// where it keeps anything; after a write about the caller, warm; and with nothing in memory yet. cold opens the same database anew, and returns what makes a store on it that knows no key.
func BenchmarkSnapshot(b *testing.B, d *Data, cold func(b *testing.B) func() *store.Store) {
	var who []recaller.CallerID
	for range 3 {
		who = nil
		for _, o := range d.Calls(20) {
			d.Say(o, 20)
			d.End(o)
			who = append(who, o.Caller.ID)
		}
	}
	for _, c := range who {
		d.Remember(c, 50)
	}
	read := func(b *testing.B, s *store.Store, c recaller.CallerID) {
		ctx, cancel := context.WithTimeout(d.ctx, time.Second) // as a call has
		defer cancel()
		snap, err := s.Snapshot(ctx, "t", c)
		if err != nil || len(snap.Memories) != 50 || len(snap.History) != 3 {
			b.Fatal(len(snap.Memories), len(snap.History), err)
		}
	}
	b.Run("kept", func(b *testing.B) {
		Quantiles(b, each(b, func(i int) { read(b, d.Store, who[i%len(who)]) }), 0.99)
	})
	b.Run("warm", func(b *testing.B) {
		var took []time.Duration
		for i := range b.N {
			c := who[i%len(who)]
			b.StopTimer()
			d.OK(d.WithCaller(d.ctx, "t", c, func(store.Tx) error { return nil })) // nothing is kept then
			b.StartTimer()
			began := time.Now()
			read(b, d.Store, c)
			took = append(took, time.Since(began))
		}
		Quantiles(b, took, 0.99)
	})
	b.Run("cold", func(b *testing.B) {
		anew := cold(b)
		Quantiles(b, each(b, func(i int) { read(b, anew(), who[i%len(who)]) }), 0.99)
	})
}

// BenchmarkCorpus10k reads all of a caller with 10,000 turns, as the index of recall does when it is built.
func BenchmarkCorpus10k(b *testing.B, d *Data) {
	var caller recaller.CallerID
	for range 50 {
		o := d.Call("+15550000000")
		d.Say(o, 200)
		d.End(o)
		caller = o.Caller.ID
	}
	d.Remember(caller, 50)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		c, err := d.Corpus(d.ctx, "t", caller)
		if err != nil || len(c.Turns) != 50 {
			b.Fatal(len(c.Turns), err)
		}
	}
}

// BenchmarkOpenConversation starts conversations, one after another: a known caller, and somebody new.
func BenchmarkOpenConversation(b *testing.B, d *Data) {
	d.Call("+15550000000")
	b.Run("known", func(b *testing.B) {
		Quantiles(b, each(b, func(int) { d.Call("+15550000000") }), 0.99)
	})
	b.Run("new", func(b *testing.B) {
		Quantiles(b, each(b, func(int) { d.Call(fmt.Sprintf("+1666%07d", d.ids.Add(1))) }), 0.99)
	})
}

// BenchmarkOpen opens a database that is there.
func BenchmarkOpen[E io.Closer](b *testing.B, open func() (E, error)) {
	for range b.N {
		e, err := open()
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := e.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
