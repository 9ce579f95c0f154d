package recall_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/postgres"
	"github.com/recallerhq/recaller/internal/store/postgres/postgrestest"
	"github.com/recallerhq/recaller/internal/store/sqlite"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/vaulttest"
)

const millionTurns = 1_000_000

// made is a source whose words are made when they are read, so that nothing but the index is in memory.
type made struct {
	turns int
	words []string // as often as they are said
}

func newMade(turns int) *made {
	t := newTalker()
	m := &made{turns: turns}
	for range 1 << 17 {
		m.words = append(m.words, t.words[t.zipf.Uint64()])
	}
	return m
}

// say makes n words, the same for the same seed.
func (m *made) say(seed, n int) string {
	rng := rand.NewPCG(uint64(seed), uint64(n))
	var b strings.Builder
	for range n {
		b.WriteString(m.words[rng.Uint64()%uint64(len(m.words))])
		b.WriteByte(' ')
	}
	return b.String()
}

func (m *made) turn(i int) recaller.Turn {
	t := recaller.Turn{ID: recaller.TurnID(fmt.Sprintf("turn-%026d", i)), Number: i % benchConversation, Speaker: recaller.User, At: day(1).Add(time.Duration(i) * time.Minute)}
	if i%2 == 1 {
		t.Speaker = recaller.Assistant
	}
	t.Text = m.say(i, 2+i*7919%(2*benchWordsPerTurn-3))
	return t
}

func (m *made) conversation(i int) recaller.Conversation {
	at := day(1).Add(time.Duration(i*benchConversation) * time.Minute)
	return recaller.Conversation{ID: recaller.ConversationID(fmt.Sprintf("conversation-%013d", i)), StartedAt: at, EndedAt: at.Add(50 * time.Minute), Status: recaller.Completed, Turns: benchConversation}
}

func (m *made) ContentVersion(context.Context, recaller.TenantID, recaller.CallerID) (int64, error) {
	return 1, nil
}

func (m *made) Corpus(ctx context.Context, t recaller.TenantID, c recaller.CallerID) (recaller.Corpus, error) {
	o, _, err := m.Outline(ctx, t, c, 0)
	o.Corpus.Turns = make(map[recaller.ConversationID][]recaller.Turn)
	for i := range o.Conversations {
		o.Conversations[i].Summary = &recaller.Summary{Brief: m.say(-i-1, 30)}
		for n := range benchConversation {
			o.Corpus.Turns[o.Conversations[i].ID] = append(o.Corpus.Turns[o.Conversations[i].ID], m.turn(i*benchConversation+n))
		}
	}
	return o.Corpus, err
}

func (m *made) Outline(_ context.Context, _ recaller.TenantID, _ recaller.CallerID, more int) (recaller.Outline, bool, error) {
	o := recaller.Outline{Corpus: recaller.Corpus{Version: 1}}
	for i := range m.turns / benchConversation {
		o.Conversations, o.Marks = append(o.Conversations, m.conversation(i)), append(o.Marks, "")
	}
	for i := range 500 {
		o.Memories = append(o.Memories, recaller.Memory{ID: recaller.MemoryID(fmt.Sprint("m", i)), Key: "key", Value: m.say(1<<40+i, 6), Status: recaller.MemoryActive, CreatedAt: day(1)})
	}
	return o, m.turns > more, nil
}

func (m *made) Words(_ context.Context, _ recaller.TenantID, _ recaller.CallerID, turns []recaller.TurnRange, convs []recaller.ConversationID) (recaller.Words, error) {
	out := recaller.Words{Turns: make(map[recaller.ConversationID][]recaller.Turn)}
	place := func(id recaller.ConversationID) int {
		n, _ := strconv.Atoi(strings.TrimPrefix(string(id), "conversation-"))
		return n
	}
	for _, r := range turns {
		for n := r.From; n < min(r.To, benchConversation); n++ {
			out.Turns[r.Conversation] = append(out.Turns[r.Conversation], m.turn(place(r.Conversation)*benchConversation+n))
		}
	}
	for _, id := range convs {
		c := m.conversation(place(id))
		c.Summary = &recaller.Summary{Brief: m.say(-place(id)-1, 30)}
		out.Conversations = append(out.Conversations, c)
	}
	return out, nil
}

// BenchmarkRecallMillion searches among the turns of one caller who said a million of them, but for the reading of
// texts.
func BenchmarkRecallMillion(b *testing.B) {
	m := newMade(millionTurns)
	s := recall.New(m, recall.Options{})
	queries := make([]string, 512)
	for i := range queries {
		queries[i] = "What did I say about " + m.say(1<<50+i, 3+i%10)
	}
	hits := 0
	ask := func(i int) {
		res, err := s.Recall(b.Context(), "acme", "ann", recall.Query{Text: queries[i%len(queries)]})
		if err != nil {
			b.Fatal(err)
		}
		hits += len(res.Hits)
	}
	before := heap()
	began := time.Now()
	ask(0)
	first, held := time.Since(began), heap()-before
	var took []time.Duration
	i, cpu := 0, processor()
	for b.Loop() {
		began := time.Now()
		ask(i)
		took = append(took, time.Since(began))
		i++
	}
	b.ReportMetric(float64(processor()-cpu)/float64(i)/float64(time.Millisecond), "cpu-ms/op")
	b.ReportMetric(first.Seconds(), "s-first")
	b.ReportMetric(float64(held)/(1<<20), "MiB-held")
	_, bytes := s.Stats()
	b.ReportMetric(float64(bytes)/(1<<20), "MiB-counted")
	b.ReportMetric(float64(resident())/(1<<20), "MiB-RSS")
	b.ReportMetric(float64(hits)/float64(i+1), "hits/op")
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100])/float64(time.Millisecond), "p99-ms")
	b.ReportMetric(float64(took[len(took)/2])/float64(time.Millisecond), "p50-ms")
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// resident is the process's memory; 0 where the system does not tell.
func resident() (bytes int64) {
	raw, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	if f := strings.Fields(string(raw)); len(f) > 1 {
		bytes, _ = strconv.ParseInt(f[1], 10, 64)
	}
	return bytes * int64(os.Getpagesize())
}

// processor is how long the process has had a processor; other things may run on the machine.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkRecallMillionStored is BenchmarkRecallMillion over a real store, reading included; cold is the first search
// of a process, which finds segments that another one kept.
func BenchmarkRecallMillionStored(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) {
		e, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "recaller.db"), sqlite.Options{})
		if err != nil {
			b.Fatal(err)
		}
		millionStored(b, e)
	})
	b.Run("postgres", func(b *testing.B) {
		e, err := postgres.Open(b.Context(), postgrestest.Database(b).App, postgrestest.Secrets(), postgres.Options{Connections: 4})
		if err != nil {
			b.Fatal(err)
		}
		millionStored(b, e)
	})
}

func millionStored(b *testing.B, e store.Engine) {
	ring, err := vault.NewRing(vault.NewKey())
	if err != nil {
		b.Fatal(err)
	}
	st := store.New(e, vault.New(ring, vaulttest.NewMemory(), vault.Options{}))
	m := newMade(millionTurns)
	caller := m.fill(b, st)
	ask := func(s *recall.Service, q string) time.Duration {
		began := time.Now()
		if res, err := s.Recall(b.Context(), "acme", caller, recall.Query{Text: q}); err != nil || len(res.Hits) == 0 {
			b.Fatal(len(res.Hits), err)
		}
		return time.Since(began)
	}
	open := func() *recall.Service { return recall.New(st, recall.Options{Segments: st}) }
	before := heap()
	first := ask(open(), "the first of all")
	var cold []time.Duration
	for range 9 {
		cold = append(cold, ask(open(), "the first since"))
	}
	slices.Sort(cold)
	s := open()
	ask(s, "once")
	held := heap() - before
	queries := make([]string, 512)
	for i := range queries {
		queries[i] = "What did I say about " + m.say(1<<50+i, 3+i%10)
	}
	var took []time.Duration
	cpu := processor()
	for b.Loop() {
		took = append(took, ask(s, queries[len(took)%len(queries)]))
	}
	b.ReportMetric(float64(processor()-cpu)/float64(len(took))/float64(time.Millisecond), "cpu-ms/op")
	slices.Sort(took)
	b.ReportMetric(first.Seconds(), "s-first")
	b.ReportMetric(float64(cold[len(cold)/2].Milliseconds()), "cold-p50-ms")
	b.ReportMetric(float64(cold[len(cold)-1].Milliseconds()), "cold-max-ms")
	b.ReportMetric(float64(held)/(1<<20), "MiB-held")
	b.ReportMetric(float64(resident())/(1<<20), "MiB-RSS")
	b.ReportMetric(float64(took[len(took)*99/100])/float64(time.Millisecond), "p99-ms")
	b.ReportMetric(float64(took[len(took)/2])/float64(time.Millisecond), "p50-ms")
}

// fill stores what was made, as conversations that were imported.
func (m *made) fill(b *testing.B, st *store.Store) (caller recaller.CallerID) {
	tenant := recaller.Tenant{ID: "acme", Name: "Acme", CreatedAt: day(1)}.WithDefaults()
	if err := st.CreateTenant(b.Context(), tenant, recaller.APIKey{ID: "key", Tenant: "acme", Scope: recaller.ScopeAdmin, CreatedAt: day(1)}, []byte("hash")); err != nil {
		b.Fatal(err)
	}
	for i := range m.turns / benchConversation {
		c := m.conversation(i)
		c.Channel, c.Direction, c.LastActivityAt, c.Imported = recaller.ChannelVoice, recaller.Inbound, c.EndedAt, true
		turns := make([]recaller.Turn, benchConversation)
		for n := range turns {
			turns[n] = m.turn(i*benchConversation + n)
		}
		o, err := st.ImportConversation(b.Context(), "acme", recaller.Importing{
			Opening: recaller.Opening{Identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: "+15551230001"}}, NewCaller: "ann", Conversation: c}, Turns: turns,
		})
		if err != nil {
			b.Fatal(err)
		}
		caller = o.Caller.ID
	}
	return caller
}
