package sqlite

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/storetest"
)

// shelf is an engine with conversations of several tenants, for tests of what is held in memory.
type shelf struct {
	*testing.T
	e   *Engine
	rng *rand.Rand
}

func newShelf(t *testing.T, opts Options) *shelf {
	t.Helper()
	e, err := Open(t.Context(), filepath.Join(t.TempDir(), "recaller.db"), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return &shelf{T: t, e: e, rng: rand.New(rand.NewPCG(7, 7))}
}

func (s *shelf) write(fn func(context.Context, store.Tx) error) {
	s.Helper()
	if err := s.e.Write(s.Context(), "t", "", func(tx store.Tx) error { return fn(s.Context(), tx) }); err != nil {
		s.Fatal(err)
	}
}

// put makes an ended conversation with a vector.
func (s *shelf) put(tenant recaller.TenantID, id int, v []float32) {
	s.Helper()
	s.write(func(ctx context.Context, tx store.Tx) error { return s.insert(ctx, tx, tenant, id, v) })
}

func (s *shelf) insert(ctx context.Context, tx store.Tx, tenant recaller.TenantID, id int, v []float32) error {
	conv := fmt.Sprint("conv-", id)
	_, err := tx.Exec(ctx, `INSERT INTO conversations (tenant_id, id, caller_id, channel, direction, status, reminder, imported, started_at, last_activity_at, body)
		VALUES ($1, $2, 'c', 'voice', 'inbound', 'completed', FALSE, FALSE, 0, 0, x'00') ON CONFLICT DO NOTHING`, tenant, conv)
	if err != nil {
		return err
	}
	return s.e.PutVectors(ctx, tx, store.Vectors{Of: store.Conversations, Tenant: tenant, ID: conv, Caller: "c", Parts: []recaller.Embedding{{Model: "m", Vector: v}}})
}

func (s *shelf) similar(tenant recaller.TenantID, v []float32, limit int) []store.Near {
	s.Helper()
	found, err := s.e.Similar(s.Context(), func(ctx context.Context, fn func(store.Tx) error) error { return s.e.Read(ctx, tenant, "", fn) },
		store.Nearest{Among: store.AmongConversations(recaller.SearchFilter{}), Tenant: tenant, Embedding: recaller.Embedding{Model: "m", Vector: v}, Limit: limit})
	if err != nil {
		s.Fatal(err)
	}
	return found
}

func TestVectorsAreReadWhenTheyAreFirstSearched(t *testing.T) {
	t.Parallel()
	s := newShelf(t, Options{})
	v := direction(s.rng, 16)
	s.put("t", 1, v)
	if len(s.e.matrices.held) > 0 {
		t.Error("a matrix is held before the first search")
	}
	s.similar("t", v, 1)
	if len(s.e.matrices.held) != 1 || s.e.matrices.total == 0 {
		t.Errorf("got %d matrices of %d bytes after it, want one", len(s.e.matrices.held), s.e.matrices.total)
	}
}

// TestWhatIsGoneLeavesTheMatrix has vectors replaced and erased behind the matrix's back.
func TestWhatIsGoneLeavesTheMatrix(t *testing.T) {
	t.Parallel()
	s := newShelf(t, Options{})
	const many = 2*chunkRows + 100
	east, west := make([]float32, 8), make([]float32, 8)
	east[0], west[0] = 1, -1
	all := func(fn func(ctx context.Context, tx store.Tx, i int) error) {
		t.Helper()
		s.write(func(ctx context.Context, tx store.Tx) error {
			for i := range many {
				if err := fn(ctx, tx, i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	all(func(ctx context.Context, tx store.Tx, i int) error {
		v := direction(s.rng, 8)
		v[0] += 3 // all are about east
		return s.insert(ctx, tx, "t", i, v)
	})
	s.similar("t", east, 10)
	m := s.e.matrices.of(kindOfVector{store.Conversations, "t", "m", 8})
	before := m.memory()
	all(func(ctx context.Context, tx store.Tx, i int) error {
		switch {
		case i >= many-5:
			return nil
		case i%2 == 1:
			return s.insert(ctx, tx, "t", i, west)
		}
		_, err := tx.Exec(ctx, `DELETE FROM conversation_embeddings WHERE tenant_id = 't' AND conversation_id = $1`, fmt.Sprint("conv-", i))
		return err
	})
	found := s.similar("t", east, 20)
	for i, n := range found {
		if i < 5 != (n.Score > 0) {
			t.Errorf("place %d: %s with %v, want five that point east before all others", i, n.ID, n.Score)
		}
	}
	if len(found) != 20 {
		t.Errorf("found %d, want 20", len(found))
	}
	if len(m.slots) > many/2+5 {
		t.Errorf("the matrix holds %d vectors, of which %d are left", len(m.slots), many/2+2)
	}
	all(func(ctx context.Context, tx store.Tx, i int) error { return s.insert(ctx, tx, "t", i, east) })
	if got := len(s.similar("t", east, 1000)); got != 1000 || m.memory() > before {
		t.Errorf("found %d, with %d bytes, want 1000 with the %d of before", got, m.memory(), before)
	}
}

// TestMatricesShareTheirMemory has more tenants search than there is memory for, and one who has more vectors than
// that.
func TestMatricesShareTheirMemory(t *testing.T) {
	t.Parallel()
	s := newShelf(t, Options{VectorBytes: 3 * memoryOf(64, 8)})
	nearest := map[recaller.TenantID][]float32{}
	for i := range 6 {
		tenant := recaller.TenantID(fmt.Sprint("t", i))
		rows := 5
		if i == 2 {
			rows = 100
		}
		for n := range rows {
			nearest[tenant] = direction(s.rng, 64)
			s.put(tenant, n, nearest[tenant])
		}
	}
	for range 3 {
		for tenant, v := range nearest {
			want := "conv-4"
			if tenant == "t2" {
				want = "conv-99"
			}
			if found := s.similar(tenant, v, 2); len(found) != 2 || found[0].ID != want {
				t.Errorf("%s: got %v, want %s first", tenant, found, want)
			}
			if s.e.matrices.total > s.e.matrices.limit {
				t.Errorf("%d bytes are held, of %d", s.e.matrices.total, s.e.matrices.limit)
			}
		}
	}
	if n := len(s.e.matrices.held); n == 0 || n == 6 || n != s.e.matrices.order.Len() {
		t.Errorf("%d of 6 matrices are held", n)
	}
}

// filled is a matrix of a population's vectors, each pulled towards one direction as much as lean says: of many
// embedders all vectors point one way, more or less.
func filled(t testing.TB, p *storetest.Population, lean float32) (*matrix, func(i int) query) {
	t.Helper()
	m := newMatrix(kindOfVector{store.Conversations, "t", "m", p.Width})
	mean := p.Vector(-1)
	vector := func(i int) []float32 {
		v := p.Vector(i)
		for k := range v {
			v[k] += lean * mean[k]
		}
		return v
	}
	for i := range p.Size {
		if err := m.put(int64(i+1), []byte(p.ID(i)), 0, encode(vector(i))); err != nil {
			t.Fatal(err)
		}
	}
	return m, func(i int) query { return newQuery(vector(p.Size + i)) }
}

// missed is how many of the nearest that a scan of all rows finds are not found by sketches.
func missed(t testing.TB, m *matrix, q query, limit int) (n int) {
	t.Helper()
	exact := best[int64]{limit: limit}
	for _, c := range m.chunks {
		c.scan(&q, nil, 0, &exact)
	}
	found, _, err := m.nearest(t.Context(), q, limit)
	if err != nil || len(found) != limit {
		t.Fatalf("found %d, %v", len(found), err)
	}
	for _, e := range exact.sorted() {
		if !slices.ContainsFunc(found, func(f scored[int64]) bool { return f.key == e.key }) {
			n++
		}
	}
	return n
}

// TestSketchesLoseLittle compares the nearest that sketches lead to with those among all.
func TestSketchesLoseLittle(t *testing.T) {
	t.Parallel()
	p := &storetest.Population{Tenant: "t", Model: "m", Width: sketched, Size: 3 * atLeast, Seed: 1}
	m, query := filled(t, p, 1)
	lost := 0
	for i := range 20 {
		lost += missed(t, m, query(i), 20)
	}
	if lost > 4 {
		t.Errorf("of the 400 nearest %d were missed", lost)
	}
}

// BenchmarkSketches tells how many of the fifty nearest among 100,000 are missed.
func BenchmarkSketches(b *testing.B) {
	for _, width := range []int{512, 768, 1536} {
		for _, lean := range []float32{0, 1, 2} {
			b.Run(fmt.Sprint(width, "/leaning ", lean), func(b *testing.B) {
				p := &storetest.Population{Tenant: "t", Model: "m", Width: width, Size: 100_000, Seed: 1}
				m, query := filled(b, p, lean)
				lost := 0
				b.ResetTimer()
				for i := range b.N {
					lost += missed(b, m, query(i), 50)
				}
				b.ReportMetric(float64(lost)/float64(b.N), "missed-of-50")
			})
		}
	}
}

// What is gone from the database is gone from memory after a scrubbing, without anybody searching for it.
func TestScrubbingSweepsVectors(t *testing.T) {
	s := newShelf(t, Options{})
	for id := range 3 {
		s.put("t", id, []float32{1, float32(id), 2})
	}
	s.similar("t", []float32{1, 2, 3}, 3)
	s.write(func(ctx context.Context, tx store.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM conversation_embeddings WHERE conversation_id = 'conv-1'`)
		return err
	})
	if _, err := s.e.Scrub(t.Context()); err != nil {
		t.Fatal(err)
	}
	m := s.e.matrices.of(kindOfVector{store.Conversations, "t", "m", 3})
	if len(m.slots) != 2 || len(m.empty) != 1 || m.chunks[0].words[m.empty[0]] != 0 {
		t.Errorf("%d vectors are held, %d slots are empty, the first with %x; want 2, and 1 of zeros", len(m.slots), len(m.empty), m.chunks[0].words)
	}
	if found := s.similar("t", []float32{1, 2, 3}, 3); len(found) != 2 {
		t.Errorf("found %d, want the 2 that are left", len(found))
	}
}
