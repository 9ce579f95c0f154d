package sqlite_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/sqlite"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/keyfile"
)

// data is a data folder with one tenant.
type data struct {
	testing.TB
	*store.Store
	dir string
	key string
	ctx context.Context
	now time.Time
	ids atomic.Int64
}

func newData(t testing.TB) *data {
	t.Helper()
	d := &data{TB: t, dir: t.TempDir(), key: vault.NewKey(), ctx: context.Background(), now: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)}
	d.Store = store.New(open(t, filepath.Join(d.dir, "recaller.db"), sqlite.Options{}), openVault(t, filepath.Join(d.dir, "keys.db"), d.key))
	d.ok(d.CreateTenant(d.ctx, recaller.Tenant{ID: "t", Name: "T", CreatedAt: d.now}.WithDefaults(), recaller.APIKey{ID: "k", Tenant: "t"}, []byte("hash")))
	return d
}

func (d *data) ok(err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}

func (d *data) id(kind string) string { return fmt.Sprintf("%s-%08d", kind, d.ids.Add(1)) }

func (d *data) opening(number string) recaller.Opening {
	return recaller.Opening{
		Identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: number}}, NewCaller: recaller.CallerID(d.id("caller")),
		Name: "Maud", NameSource: recaller.NameGiven,
		Conversation: recaller.Conversation{
			ID: recaller.ConversationID(d.id("conv")), Channel: recaller.ChannelVoice, Direction: recaller.Inbound,
			Status: recaller.Active, StartedAt: d.now, LastActivityAt: d.now,
		},
	}
}

func (d *data) call(number string) recaller.Opened {
	d.Helper()
	o, err := d.OpenConversation(d.ctx, "t", d.opening(number))
	d.ok(err)
	return o
}

func (d *data) appending(o recaller.Opened, n int) recaller.Appending {
	turns := make([]recaller.Turn, n)
	for i := range turns {
		turns[i] = recaller.Turn{
			ID: recaller.TurnID(d.id("turn")), Speaker: recaller.User, At: d.now, Confidence: 1,
			Text: "I would like to move my appointment from Tuesday to Thursday, if that is possible at all",
		}
	}
	return recaller.Appending{Conversation: o.Conversation.ID, Caller: o.Caller.ID, Turns: turns, At: d.now}
}

func (d *data) remember(caller recaller.CallerID, n int) {
	d.Helper()
	for i := range n {
		m := recaller.Memory{
			ID: recaller.MemoryID(d.id("memory")), Caller: caller, Type: recaller.Fact, Key: fmt.Sprint("key_", i), Value: "has three grandchildren, the eldest is Tom",
			Confidence: 0.9, Source: recaller.SourceAPI, PrivacyScope: recaller.LineOnly, CreatedAt: d.now, ConfirmedAt: d.now,
		}
		_, err := d.StoreMemory(d.ctx, "t", recaller.Storing{Memory: m})
		d.ok(err)
	}
}

func (d *data) end(o recaller.Opened) {
	d.Helper()
	_, err := d.CloseConversation(d.ctx, "t", recaller.Closing{Conversation: o.Conversation.ID, Status: recaller.Completed, EndedAt: d.now, Duration: time.Minute})
	d.ok(err)
	_, err = d.WriteStep(d.ctx, "t", recaller.StepResult{
		Conversation: o.Conversation.ID, Caller: o.Caller.ID, Step: recaller.StepSummarise, State: recaller.StepDone, At: d.now,
		Summary: &recaller.Summary{Brief: strings.Repeat("She moved her appointment. ", 4), Topics: []string{"appointments", "opening hours"}},
	})
	d.ok(err)
}

// quantile reports the slowest of all but the given share.
func quantile(b *testing.B, all []time.Duration, q float64) {
	slices.Sort(all)
	b.ReportMetric(float64(all[int(float64(len(all)-1)*q)].Microseconds())/1000, fmt.Sprintf("p%v-ms", q*100))
}

// BenchmarkAppendTurns has 64 calls going on at once, each turn acknowledged when it is on disk.
func BenchmarkAppendTurns(b *testing.B) {
	const callers = 64
	d := newData(b)
	var calls []recaller.Opened
	for i := range callers {
		calls = append(calls, d.call(fmt.Sprintf("+1555%07d", i)))
	}
	var left atomic.Int64
	left.Store(int64(b.N))
	took := make([][]time.Duration, callers)
	b.ResetTimer()
	var wg sync.WaitGroup
	for i, o := range calls {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				began := time.Now()
				if _, err := d.AppendTurns(d.ctx, "t", d.appending(o, 1)); err != nil {
					b.Error(err)
					return
				}
				took[i] = append(took[i], time.Since(began))
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "turns/s")
	quantile(b, slices.Concat(took...), 0.5)
	quantile(b, slices.Concat(took...), 0.99)
}

// BenchmarkStoreMemory has 50 agents store memories at once: alone, and with what a tool call brings along. One is new
// and the next supersedes it, in turn.
func BenchmarkStoreMemory(b *testing.B) {
	for _, bench := range []struct {
		name string
		with func(*data, recaller.Opened, *recaller.Storing)
	}{
		{"alone", func(*data, recaller.Opened, *recaller.Storing) {}},
		{"call", func(d *data, o recaller.Opened, in *recaller.Storing) {
			in.Call = &recaller.ToolCall{ID: d.id("call"), Conversation: o.Conversation.ID, Tool: recaller.ToolStoreMemory, At: d.now}
		}},
		{"call and reminder", func(d *data, o recaller.Opened, in *recaller.Storing) {
			in.Call = &recaller.ToolCall{ID: d.id("call"), Conversation: o.Conversation.ID, Tool: recaller.ToolSetReminder, At: d.now}
			in.Reminder = &recaller.Reminder{ID: recaller.ReminderID(d.id("reminder")), DueAt: d.now.AddDate(0, 0, 1)}
		}},
	} {
		b.Run(bench.name, func(b *testing.B) { storeMemories(b, 50, bench.with) })
	}
}

func storeMemories(b *testing.B, agents int, with func(*data, recaller.Opened, *recaller.Storing)) {
	d := newData(b)
	var calls []recaller.Opened
	for i := range agents {
		calls = append(calls, d.call(fmt.Sprintf("+1555%07d", i)))
	}
	var left atomic.Int64
	left.Store(int64(b.N))
	took := make([][]time.Duration, agents)
	b.ResetTimer()
	var wg sync.WaitGroup
	for i, o := range calls {
		wg.Go(func() {
			for n := 0; left.Add(-1) >= 0; n++ {
				in := recaller.Storing{Memory: recaller.Memory{
					ID: recaller.MemoryID(d.id("memory")), Caller: o.Caller.ID, Type: recaller.Fact, Key: fmt.Sprint("key_", n/2),
					Value: fmt.Sprint("has three grandchildren, the eldest is Tom ", n), Confidence: 0.9, Source: recaller.SourceConversation,
					PrivacyScope: recaller.LineOnly, CreatedAt: d.now, ConfirmedAt: d.now,
				}}
				with(d, o, &in)
				began := time.Now()
				if _, err := d.StoreMemory(d.ctx, "t", in); err != nil {
					b.Error(err)
					return
				}
				took[i] = append(took[i], time.Since(began))
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "memories/s")
	quantile(b, slices.Concat(took...), 0.5)
	quantile(b, slices.Concat(took...), 0.99)
}

// BenchmarkExtraction writes what was found in a conversation with a caller who has 200 memories or a few more: five that
// are new.
func BenchmarkExtraction(b *testing.B) {
	d := newData(b)
	const callers = 20
	for i := range callers {
		d.remember(d.call(fmt.Sprintf("+1555%07d", i)).Caller.ID, 200)
	}
	var took []time.Duration
	b.ResetTimer()
	for i := range b.N {
		b.StopTimer()
		o := d.call(fmt.Sprintf("+1555%07d", i%callers))
		_, err := d.CloseConversation(d.ctx, "t", recaller.Closing{
			Conversation: o.Conversation.ID, Status: recaller.Completed, EndedAt: d.now,
			Job: &recaller.Job{ID: d.id("job"), Kind: "wrapup", Subject: string(o.Conversation.ID), RunAt: d.now},
		})
		d.ok(err)
		in := recaller.StepResult{Conversation: o.Conversation.ID, Caller: o.Caller.ID, Step: recaller.StepExtract, State: recaller.StepDone, At: d.now}
		for range 5 {
			in.Memories = append(in.Memories, recaller.Memory{
				ID: recaller.MemoryID(d.id("memory")), Caller: o.Caller.ID, Type: recaller.Fact, Key: d.id("found"), Value: "keeps bees",
				Source: recaller.SourceExtraction, PrivacyScope: recaller.LineOnly, CreatedAt: d.now, ConfirmedAt: d.now,
			})
		}
		b.StartTimer()
		began := time.Now()
		_, err = d.WriteStep(d.ctx, "t", in)
		d.ok(err)
		took = append(took, time.Since(began))
	}
	quantile(b, took, 0.5)
	quantile(b, took, 0.99)
}

// BenchmarkSnapshot reads what a briefing needs of a caller with 50 memories and 3 conversations: with the caller's key
// in memory, and with all keys and the database's pages to be read first.
func BenchmarkSnapshot(b *testing.B) {
	d := newData(b)
	var who []recaller.CallerID
	for i := range 20 {
		number := fmt.Sprintf("+1555%07d", i)
		for range 3 {
			o := d.call(number)
			_, err := d.AppendTurns(d.ctx, "t", d.appending(o, 20))
			d.ok(err)
			d.end(o)
			who = append(who, o.Caller.ID)
		}
		who = slices.Compact(who)
		d.remember(who[len(who)-1], 50)
	}
	read := func(b *testing.B, s *store.Store, c recaller.CallerID) {
		ctx, cancel := context.WithTimeout(d.ctx, time.Second) // as a call has
		defer cancel()
		snap, err := s.Snapshot(ctx, "t", c)
		if err != nil || len(snap.Memories) != 50 || len(snap.History) != 3 {
			b.Fatal(len(snap.Memories), len(snap.History), err)
		}
	}
	b.Run("warm", func(b *testing.B) {
		var took []time.Duration
		for i := range b.N {
			began := time.Now()
			read(b, d.Store, who[i%len(who)])
			took = append(took, time.Since(began))
		}
		quantile(b, took, 0.99)
	})
	b.Run("cold", func(b *testing.B) {
		keys, err := keyfile.Open(filepath.Join(d.dir, "keys.db"))
		d.ok(err)
		defer keys.Close()
		ring, err := vault.NewRing(d.key)
		d.ok(err)
		e, err := sqlite.Open(d.ctx, filepath.Join(d.dir, "recaller.db"), sqlite.Options{})
		d.ok(err)
		defer e.Close()
		var took []time.Duration
		for i := range b.N {
			s := store.New(e, vault.New(ring, keys, vault.Options{}))
			began := time.Now()
			read(b, s, who[i%len(who)])
			took = append(took, time.Since(began))
		}
		quantile(b, took, 0.99)
	})
}

// BenchmarkCorpus10k reads all of a caller with 10,000 turns, as the index of recall does when it is built.
func BenchmarkCorpus10k(b *testing.B) {
	d := newData(b)
	var caller recaller.CallerID
	for range 50 {
		o := d.call("+15550000000")
		_, err := d.AppendTurns(d.ctx, "t", d.appending(o, 200))
		d.ok(err)
		d.end(o)
		caller = o.Caller.ID
	}
	d.remember(caller, 50)
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
func BenchmarkOpenConversation(b *testing.B) {
	d := newData(b)
	d.call("+15550000000")
	b.Run("known", func(b *testing.B) {
		var took []time.Duration
		for range b.N {
			began := time.Now()
			d.call("+15550000000")
			took = append(took, time.Since(began))
		}
		quantile(b, took, 0.99)
	})
	b.Run("new", func(b *testing.B) {
		var took []time.Duration
		for range b.N {
			number := fmt.Sprintf("+1666%07d", d.ids.Add(1))
			began := time.Now()
			d.call(number)
			took = append(took, time.Since(began))
		}
		quantile(b, took, 0.99)
	})
}

// BenchmarkOpen opens a database that is there.
func BenchmarkOpen(b *testing.B) {
	d := newData(b)
	for range b.N {
		e, err := sqlite.Open(d.ctx, filepath.Join(d.dir, "recaller.db"), sqlite.Options{})
		d.ok(err)
		b.StopTimer()
		d.ok(e.Close())
		b.StartTimer()
	}
}
