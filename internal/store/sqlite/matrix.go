package sqlite

import (
	"container/list"
	"context"
	"database/sql"
	"hash/maphash"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/vector"
)

// matrix holds the vectors of one tenant's things by one model in memory, so that a search compares them all. Before each search
// it reads what was written since. A vector that is gone stays until a search comes upon it, or Scrub sweeps it out, but is
// never answered.
// Safe for concurrent use.
type matrix struct {
	kind   kindOfVector
	refill chan struct{} // held by who reads from the database; a channel, so that waiting ends with the context

	mu     sync.RWMutex // guards what follows
	seed   maphash.Seed
	chunks []*chunk
	slots  map[uint64]int // of the hash of a part of a thing
	empty  []int          // slots whose vectors are gone
	seq    int64          // what was written up to here has been read
}

// kindOfVector is what vectors must share to be compared.
type kindOfVector struct {
	of     store.Thing
	tenant recaller.TenantID
	model  string
	width  int
}

// chunk is a block of rows of a matrix. Several cores scan a matrix chunk by chunk.
type chunk struct {
	words    []uint64
	sketches []uint64
	heads    []head
}

// head is what a matrix knows of a row.
type head struct {
	seq   int64  // 0: the slot is empty
	key   uint64 // the hash of the part
	scale float32
	sum   int32
}

const chunkRows = 1024

// memoryOf estimates how many bytes a matrix takes.
func memoryOf(width, rows int) int64 {
	const itself, headAndSlot = 1 << 10, 24 + 28
	return itself + int64(rows)*int64(8*words(width)+8*sketchWords(words(width))+headAndSlot)
}

func newMatrix(kind kindOfVector) *matrix {
	return &matrix{kind: kind, refill: make(chan struct{}, 1), seed: maphash.MakeSeed(), slots: map[uint64]int{}}
}

// catchUp reads what was written since. If a new matrix would take more than limit bytes, it reads nothing and returns
// false.
func (m *matrix) catchUp(ctx context.Context, read store.Door, limit int64) (fits bool, err error) {
	select {
	case m.refill <- struct{}{}:
	case <-ctx.Done():
		return false, mapped(ctx.Err())
	}
	defer func() { <-m.refill }()
	err = read(ctx, func(tx store.Tx) error {
		kind := []any{m.kind.tenant, m.kind.model, m.kind.width}
		m.mu.RLock()
		seq := m.seq
		m.mu.RUnlock()
		if seq == 0 {
			var rows int
			if err := tx.QueryRow(ctx, `SELECT count(*) FROM `+m.kind.of.Embeddings()+` WHERE tenant_id = $1
				AND model = $2 AND width = $3`,
				kind, &rows); err != nil {
				return err
			}
			if memoryOf(m.kind.width, rows) > limit {
				return nil
			}
		}
		fits = true
		var id, raw sql.RawBytes
		var part int64
		return tx.QueryAll(ctx, store.Query{
			SQL: `SELECT seq, ` + m.kind.of.Key() + `, part, vector FROM ` + m.kind.of.Embeddings() + ` WHERE tenant_id = $1
				AND model = $2 AND width = $3 AND seq > $4 ORDER BY seq`,
			Args: append(kind, seq),
			Row: func(scan func(...any) error) error {
				var seq int64
				if err := scan(&seq, &id, &part, &raw); err != nil {
					return err
				}
				return m.put(seq, id, part, raw)
			},
		})
	})
	return fits, err
}

// put takes up a vector, in place of the last one of the same part of the thing.
func (m *matrix) put(seq int64, id []byte, part int64, raw []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := maphash.Bytes(m.seed, id) + maphash.Comparable(m.seed, part)
	slot, known := m.slots[key]
	if !known {
		slot = m.slot()
		m.slots[key] = slot
	}
	c, at, n := m.chunks[slot/chunkRows], slot%chunkRows, words(m.kind.width)
	r, ok := decode(raw, c.words[at*n:(at+1)*n])
	if !ok {
		return unreadable()
	}
	c.heads[at] = head{seq: seq, key: key, scale: r.scale, sum: r.sum}
	sketch(r.words, c.sketches[at*sketchWords(n):(at+1)*sketchWords(n)])
	m.seq = seq
	return nil
}

// slot finds room for a row.
func (m *matrix) slot() int {
	if n := len(m.empty); n > 0 {
		slot := m.empty[n-1]
		m.empty = m.empty[:n-1]
		return slot
	}
	if len(m.chunks) == 0 || len(m.chunks[len(m.chunks)-1].heads) == chunkRows {
		c := &chunk{}
		if len(m.chunks) > 0 { // many tenants do not fill the first one
			n := words(m.kind.width)
			c.words, c.sketches = make([]uint64, 0, chunkRows*n), make([]uint64, 0, chunkRows*sketchWords(n))
			c.heads = make([]head, 0, chunkRows)
		}
		m.chunks = append(m.chunks, c)
	}
	last := m.chunks[len(m.chunks)-1]
	n := words(m.kind.width)
	last.words = append(last.words, make([]uint64, n)...)
	last.sketches = append(last.sketches, make([]uint64, sketchWords(n))...)
	last.heads = append(last.heads, head{})
	return (len(m.chunks)-1)*chunkRows + len(last.heads) - 1
}

// drop forgets vectors that are gone from the database.
func (m *matrix) drop(seqs []int64) {
	gone := make(map[int64]bool, len(seqs))
	for _, seq := range seqs {
		gone[seq] = true
	}
	m.dropIf(func(seq int64) bool { return gone[seq] })
}

func (m *matrix) dropIf(gone func(seq int64) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, c := range m.chunks {
		for at, h := range c.heads {
			if h.seq == 0 || !gone(h.seq) {
				continue
			}
			delete(m.slots, h.key)
			m.empty = append(m.empty, i*chunkRows+at)
			n := words(m.kind.width)
			c.heads[at] = head{}
			clear(c.words[at*n : (at+1)*n])
			clear(c.sketches[at*sketchWords(n) : (at+1)*sketchWords(n)])
		}
	}
}

// sweep forgets the vectors that the database has no more.
func (m *matrix) sweep(ctx context.Context, read store.Door) error {
	select {
	case m.refill <- struct{}{}:
	case <-ctx.Done():
		return mapped(ctx.Err())
	}
	defer func() { <-m.refill }()
	there := map[int64]bool{}
	err := read(ctx, func(tx store.Tx) error {
		return tx.QueryAll(ctx, store.Query{
			SQL:  `SELECT seq FROM ` + m.kind.of.Embeddings() + ` WHERE tenant_id = $1 AND model = $2 AND width = $3`,
			Args: []any{m.kind.tenant, m.kind.model, m.kind.width},
			Row: func(scan func(...any) error) error {
				var seq int64
				err := scan(&seq)
				there[seq] = true
				return err
			},
		})
	})
	if err != nil {
		return err
	}
	m.dropIf(func(seq int64) bool { return !there[seq] })
	return nil
}

// memory is how much the matrix takes, about.
func (m *matrix) memory() int64 {
	m.mu.RLock()
	defer m.mu.RUnlock()
	rows := 0
	for _, c := range m.chunks {
		rows += cap(c.heads)
	}
	return memoryOf(m.kind.width, rows)
}

// Wide vectors are compared in two passes: all by their sketches, one bit for a number, and then the one in ten whose
// sketches differ least. It takes a third of the time. A hundred searches for the fifty nearest among 100,000 missed
// none. Where all vectors lean far to one side, two of them missed one at 768 numbers, one in seven did at 512, and
// none at 1536 (BenchmarkSketches). Narrow vectors, of which sketches tell less, are all compared.
const (
	sketched = 512  // numbers
	oneIn    = 10   // of the rows
	atLeast  = 4096 // rows
)

// nearest scans all rows for those nearest to q, on all cores. all tells that there are no others.
func (m *matrix) nearest(ctx context.Context, q query, limit int) (found []scored[int64], all bool, err error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	// Of each chunk's rows, those count whose sketches differ by so many bits at most.
	reach := make([]int, len(m.chunks))
	differ := make([][]uint16, len(m.chunks))
	rows := max(len(m.slots)/oneIn, atLeast, 8*limit)
	if m.kind.width >= sketched && rows < len(m.slots) {
		err = m.each(ctx, func(_ int, i int) { differ[i] = m.chunks[i].differ(&q) })
		cut := closest(differ, rows)
		for i := range reach {
			reach[i] = cut
		}
	}
	tops := make([]best[int64], runtime.GOMAXPROCS(0))
	for i := range tops {
		tops[i].limit = limit
	}
	if err == nil {
		err = m.each(ctx, func(worker, i int) { m.chunks[i].scan(&q, differ[i], reach[i], &tops[worker]) })
	}
	merged := best[int64]{limit: limit}
	for _, top := range tops {
		merged.list = append(merged.list, top.list...)
	}
	found = merged.sorted()
	return found, len(found) == len(m.slots), err
}

// each runs fn for all chunks, on all cores.
func (m *matrix) each(ctx context.Context, fn func(worker, chunk int)) error {
	var next atomic.Int64
	work := func(worker int) {
		for ctx.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= len(m.chunks) {
				return
			}
			fn(worker, i)
		}
	}
	var wg sync.WaitGroup
	for worker := 1; worker < min(runtime.GOMAXPROCS(0), len(m.chunks)); worker++ {
		wg.Go(func() { work(worker) })
	}
	work(0)
	wg.Wait()
	return mapped(ctx.Err())
}

// differ counts for each row in how many bits its sketch differs from the query's.
func (c *chunk) differ(q *query) []uint16 {
	out, n := make([]uint16, len(c.heads)), len(q.sketch)
	for at := range out {
		bitsApart := 0
		for i, s := range c.sketches[at*n : (at+1)*n] {
			bitsApart += bits.OnesCount64(s ^ q.sketch[i])
		}
		out[at] = uint16(bitsApart)
	}
	return out
}

// closest returns within how many bits so many rows are.
func closest(differ [][]uint16, rows int) int {
	var histogram [maxWidth + 64]int
	for _, part := range differ {
		for _, d := range part {
			histogram[d]++
		}
	}
	cut := 0
	for ; cut < len(histogram)-1 && rows > histogram[cut]; cut++ {
		rows -= histogram[cut]
	}
	return cut
}

// scan compares rows; where differ is given, those within reach.
func (c *chunk) scan(q *query, differ []uint16, reach int, top *best[int64]) {
	n := len(q.words)
	if q.fine != nil && differ == nil {
		c.scanAll(q, top)
		return
	}
	for at := range c.heads {
		h := &c.heads[at]
		if h.seq == 0 || differ != nil && int(differ[at]) > reach {
			continue
		}
		top.add(h.seq, float64(q.cosine(row{h.scale, h.sum, c.words[at*n : (at+1)*n]})))
	}
}

// scanAll compares all rows, by machine code.
func (c *chunk) scanAll(q *query, top *best[int64]) {
	var products [chunkRows]int32
	vector.FineProducts(products[:len(c.heads)], q.fine, c.words)
	for at := range c.heads {
		if h := &c.heads[at]; h.seq != 0 {
			top.add(h.seq, float64(q.finely(products[at], h.scale)))
		}
	}
}

// matrices are the matrices that are held in memory, of the tenants that searched last. Safe for concurrent use.
type matrices struct {
	limit int64 // bytes, of all together

	mu    sync.Mutex // guards what follows
	held  map[kindOfVector]*list.Element
	order list.List // of *holding; the one that was used last comes last
	total int64
}

type holding struct {
	*matrix
	bytes int64 // of total
}

// of returns the matrix of a kind; one that is not held has yet to be read.
func (s *matrices) of(kind kindOfVector) *matrix {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.held[kind]; e != nil {
		s.order.MoveToBack(e)
		return e.Value.(*holding).matrix
	}
	if s.held == nil {
		s.held = map[kindOfVector]*list.Element{}
	}
	h := &holding{matrix: newMatrix(kind)}
	s.held[kind] = s.order.PushBack(h)
	return h.matrix
}

// sweep forgets the vectors that the database has no more, in all matrices.
func (s *matrices) sweep(ctx context.Context, read store.Door) error {
	s.mu.Lock()
	var held []*matrix
	for e := s.order.Front(); e != nil; e = e.Next() {
		held = append(held, e.Value.(*holding).matrix)
	}
	s.mu.Unlock()
	for _, m := range held {
		if err := m.sweep(ctx, read); err != nil {
			return err
		}
	}
	return nil
}

// weigh counts what a matrix takes by now, and lets go of what was used longest ago until the rest is within the limit.
func (s *matrices) weigh(m *matrix) {
	bytes := m.memory()
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.held[m.kind]; e != nil && e.Value.(*holding).matrix == m {
		h := e.Value.(*holding)
		s.total += bytes - h.bytes
		h.bytes = bytes
	}
	for s.total > s.limit {
		h := s.order.Remove(s.order.Front()).(*holding)
		delete(s.held, h.kind)
		s.total -= h.bytes
	}
}
