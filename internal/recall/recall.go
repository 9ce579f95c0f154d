// Package recall searches what is held of one caller, by words, by meaning and by time: turns of both speakers,
// memories, conversation summaries, and texts of any other kind that is registered (spec B7). Beside them it searches
// the tenant's own texts of these kinds.
//
// Each caller has an index, which is built on demand and kept in a cache of bounded size. The writes of this process
// keep it current. Each search compares it with the caller's content version, which takes one cheap read. So whatever
// was acknowledged can be found. The same holds of the tenant's own texts.
//
// A kind of texts is one Kind in Options.Kinds. Its row says how it is ranked and told; nothing else knows its name.
//
// It is not for searching over callers (search). It keeps nothing that the store does not hold.
package recall

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/index"
	"github.com/recallerhq/recaller/internal/recall/kind"
)

// Source is where recall reads from; the store implements it.
type Source interface {
	// ContentVersion returns the caller's content version, by one cheap read. It fails with NotFound for an unknown
	// caller.
	ContentVersion(ctx context.Context, t recaller.TenantID, c recaller.CallerID) (int64, error)
	// Corpus returns all that may be searched of a caller. It is one snapshot, with every write whose version
	// ContentVersion has returned. Recall owns the slices from then on: nobody may write to them.
	Corpus(ctx context.Context, t recaller.TenantID, c recaller.CallerID) (recaller.Corpus, error)
}

// Long is what a Source can do for callers of whom more is held than should be in memory. If a Source is not a Long,
// the index of every caller is held whole.
type Long interface {
	// Outline returns the outline of a caller who said more than so many turns; false if he said fewer.
	Outline(ctx context.Context, t recaller.TenantID, c recaller.CallerID, turns int) (recaller.Outline, bool, error)
	// Words reads turns and conversations of a caller. It leaves out what is not there, and what cannot be read, which it
	// names.
	Words(
		ctx context.Context, t recaller.TenantID, c recaller.CallerID,
		turns []recaller.TurnRange, conversations []recaller.ConversationID,
	) (recaller.Words, error)
}

// Segments keeps the segments of long callers' indexes, sealed as turns are. It is a cache: losing one costs time only.
type Segments interface {
	// Segments gives take those kept segments of a caller that are wanted and can be read. It returns the names of all
	// others. Several goroutines call take at once. A body is valid until take returns.
	Segments(
		ctx context.Context, t recaller.TenantID, c recaller.CallerID,
		wanted func(name string) bool, take func(name string, body []byte),
	) (others []string, err error)
	// PutSegment keeps a segment, and drops the others.
	PutSegment(
		ctx context.Context, t recaller.TenantID, c recaller.CallerID, name string, body []byte, others []string,
	) error
}

// Options are the settings of a Service; zero values mean the defaults.
type Options struct {
	MaxBytes int64    // about how many bytes all indexes may take, except those of long callers; default 64 MiB
	MaxLong  int64    // about how many bytes the indexes of long callers may take; default 256 MiB
	Longer   int      // a caller with more turns is long: his index has segments (docs/recall.md); default 50,000
	Segment  int      // about how many turns a segment holds; default 16,000, at most half of index.MostInSegment
	Segments Segments // keeps segments; nil: each process makes its own
	// Reached waits until the service was told of a version that is in the store. It returns false if ctx ends first. nil:
	// a search does not wait.
	Reached  func(ctx context.Context, t recaller.TenantID, c recaller.CallerID, version int64) bool
	Patience time.Duration // how long a search waits in Reached before it reads everything anew; default 25 ms
	// Wait is how long a search waits for the index of a long caller before it looks at his newest words alone; default 10 s.
	Wait    time.Duration
	Weights index.Weights // default index.DefaultWeights
	// Now is the clock for a query's "yesterday", if the query does not say when it is asked. Without either, such words
	// say nothing.
	Now func() time.Time
	Log *slog.Logger // told which rows of long callers are damaged; nil: no log

	// Hidden returns every version of what a caller marked as private, and what says the same. It is asked with each index
	// that is made, and after a change of what it may have returned. nil: nobody marks anything.
	Hidden func(ctx context.Context, t recaller.TenantID, c recaller.CallerID) ([]recaller.Memory, error)

	Kinds []Kind // of texts, beside the built-in kinds, each with its source

	Meaning  Meaning       // the configured embedder, if it serves recall; nil: only what is built in
	Dialogue bool          // without Meaning: the built-in model reads English turns, each with what it answers
	Vectors  Vectors       // keeps the vectors of turns; nil: they are made anew with each index
	Embedder time.Duration // how long a query waits for its vector; default 400 ms
}

const (
	defaultMaxBytes = 64 << 20
	defaultMaxLong  = 256 << 20
	defaultLonger   = 50_000
	defaultSegment  = 16_000
	defaultPatience = 25 * time.Millisecond
	defaultWait     = 10 * time.Second
	defaultEmbedder = 400 * time.Millisecond
)

// The bounds of a Query.
const (
	DefaultLimit  = 10
	MaxLimit      = 100
	MaxQueryBytes = 8 << 10
	MaxNeighbours = 10
)

// Query is what to look for in one caller's words.
//
// With AsOf, a search finds what was known at that time: the turns that had been said, the summaries of conversations
// that had ended, and each memory in the version that stood then. A summary is found even if it was written later,
// because it says nothing new. What was forgotten since is not found, unless Forgotten asks for it. A time in the
// future is the same as now, except for words such as "yesterday" in the query, which count from it.
type Query struct {
	Text    string             // what to look for, in any words
	Limit   int                // at most how many hits; 0 means DefaultLimit, at most MaxLimit
	Kinds   []recaller.HitKind // only these; empty means all but those that must be named (kind.Kind)
	AsOf    time.Time          // zero means now
	Now     time.Time          // when it is asked, in the caller's zone; zero: AsOf, or else the Service's clock
	Explain bool               // fill Hit.Why
	// Exclude is a conversation whose turns and summary are not found, such as the live one.
	Exclude recaller.ConversationID
	// Written leaves out the turns and summaries of voice calls. Memories from them are found.
	Written bool
	// Forgotten also finds what was forgotten, as it stood before. It reads everything anew, so it is for audits and not
	// for calls.
	Forgotten bool
	// Private also finds what the caller marked as private, and what says the same (B1). It is for whoever is known to be the
	// caller, and for the application itself.
	Private    bool
	Neighbours int // turns before and after a hit that come with it; 0 means 1, negative means none
	// Embed has the embedder compare too, if there is one. It takes as long as the embedder takes to answer, so it is not
	// for a briefing.
	Embed bool
	// Weak fills the first places of a short history (a few hundred turns, memories and summaries) with hits that hardly
	// fit. They are marked. So whoever asks sees the best there is.
	Weak bool
}

// Result is what a search found.
type Result struct {
	Hits    []recaller.Hit // best first
	Version int64          // the content version that was searched
	Built   bool           // the index was built for this search
	// Degraded says why hits may be missing; empty: none are.
	Degraded string
}

// Service searches. It is safe for concurrent use.
type Service struct {
	src      Source
	long     Long  // src, if it is a Long; else nil
	house    House // src, if it is a House and there are kinds of texts; else nil
	kinds    []Kind
	homeless sync.Map    // tenants (recaller.TenantID) that had no texts of their own when last asked
	rows     []kind.Kind // of kinds
	table    kind.Table
	longer   int
	segment  int
	kept     Segments
	weights  index.Weights
	patience time.Duration
	wait     time.Duration
	reached  func(context.Context, recaller.TenantID, recaller.CallerID, int64) bool
	now      func() time.Time
	hidden   func(context.Context, recaller.TenantID, recaller.CallerID) ([]recaller.Memory, error)
	log      *slog.Logger
	cache    cache
	pool     index.Pool

	meaning       Meaning
	dialogue      bool // meaning is the built-in model
	vectors       Vectors
	modelPatience time.Duration
	slots         chan struct{}   // holds a token for each caller whose turns are being embedded
	longSlot      chan struct{}   // holds a token while the built-in model reads a history that is not short
	builder       chan struct{}   // holds a token while a part of a long caller's index is being made: see turn
	closed        context.Context // ends with Close
	close         context.CancelFunc
	filling       sync.WaitGroup
}

// New returns a Service over src.
func New(src Source, opts Options) *Service {
	if opts.MaxBytes == 0 {
		opts.MaxBytes = defaultMaxBytes
	}
	if opts.Patience == 0 {
		opts.Patience = defaultPatience
	}
	if opts.Wait == 0 {
		opts.Wait = defaultWait
	}
	if opts.Weights == (index.Weights{}) {
		opts.Weights = index.DefaultWeights()
	}
	if opts.MaxLong == 0 {
		opts.MaxLong = defaultMaxLong
	}
	if opts.Longer == 0 {
		opts.Longer = defaultLonger
	}
	if opts.Segment == 0 {
		opts.Segment = defaultSegment
	}
	if opts.Embedder == 0 {
		opts.Embedder = defaultEmbedder
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	s := &Service{
		src: src, kinds: opts.Kinds, log: opts.Log, weights: opts.Weights, patience: opts.Patience, reached: opts.Reached, now: opts.Now, hidden: opts.Hidden,
		wait: opts.Wait, cache: newCache(opts.MaxBytes, opts.MaxLong), longer: opts.Longer,
		segment: min(opts.Segment, index.MostInSegment/2), builder: make(chan struct{}, 1), kept: opts.Segments,
		meaning: opts.Meaning, vectors: opts.Vectors, modelPatience: opts.Embedder,
		slots: make(chan struct{}, fillers), longSlot: make(chan struct{}, 1),
	}
	if s.meaning == nil && opts.Dialogue {
		s.meaning, s.dialogue = builtIn{}, true
	}
	s.long, _ = src.(Long)
	for _, of := range opts.Kinds {
		s.rows = append(s.rows, of.Kind)
	}
	s.table = kind.NewTable(s.rows...)
	if len(opts.Kinds) > 0 {
		s.house, _ = src.(House)
	}
	s.closed, s.close = context.WithCancel(context.Background())
	return s
}

// clock returns the time by Options.Now; zero if there is none.
func (s *Service) clock() time.Time {
	if s.now == nil {
		return time.Time{}
	}
	return s.now()
}

// Recall returns what fits the query best among the words of one caller and his tenant's own texts, best first. It
// searches every write that was acknowledged before the call. It fails with Invalid for a wrong query, with Unavailable
// if the source's snapshot stays behind its own version, and otherwise with the source's error (NotFound for an unknown
// caller). It does not fail for want of the tenant's own texts: the result is degraded. So is that of a long caller whose
// index takes longer to make than one waits: it is of his newest words.
func (s *Service) Recall(ctx context.Context, t recaller.TenantID, c recaller.CallerID, q Query) (Result, error) {
	if q.Private || s.hidden == nil {
		return s.whole(ctx, t, c, q)
	}
	return s.discreet(ctx, t, c, q)
}

// whole is Recall of all that there is.
func (s *Service) whole(ctx context.Context, t recaller.TenantID, c recaller.CallerID, q Query) (Result, error) {
	iq, err := s.checked(q)
	if err != nil {
		return Result{}, err
	}
	if iq.Now.IsZero() && s.now != nil {
		iq.Now = s.now()
	}
	if q.Forgotten {
		return s.all(ctx, t, c, iq)
	}
	k := key{tenant: t, caller: c}
	asked := s.ask(ctx, q)
	var house *entry
	var missing string
	var beside sync.WaitGroup
	beside.Go(func() { house, missing = s.beside(ctx, t) }) // over a network it is a round trip of its own
	version, err := s.src.ContentVersion(ctx, t, c)
	beside.Wait()
	if err != nil {
		if recaller.KindOf(err) == recaller.NotFound {
			s.cache.drop(k)
		}
		return Result{}, err
	}
	built := false
	e := s.cache.get(k) // used to the end, even if it leaves the cache meanwhile
	degraded := cmp.Or(missing, asked.take(&iq))
	for range maxBuilds {
		s.compare(ctx, e, q, &iq)
		res, ok, err := s.search(ctx, e, house, version, iq)
		if err != nil {
			return Result{}, err
		}
		if ok {
			s.fill(e)
			res.Built, res.Degraded = built, degraded
			return res, nil
		}
		switch err := s.build(ctx, e); {
		case errors.Is(err, errUnderWay):
			return s.newest(ctx, e, house, iq)
		case err != nil:
			return Result{}, err
		}
		built = true
	}
	return Result{}, recaller.Errorf(recaller.Unavailable, "what is held of the caller could not be read up to date")
}

// all searches everything of a caller, and what was forgotten too. It uses an index of its own, outside the cache.
func (s *Service) all(ctx context.Context, t recaller.TenantID, c recaller.CallerID, q index.Query) (Result, error) {
	e := newEntry(key{tenant: t, caller: c})
	if kept := s.cache.peek(e.key); kept != nil {
		e.segments = kept.segmentsThere()
	}
	o, err := s.outline(ctx, e.key)
	if err != nil {
		return Result{}, err
	}
	if e.ix, e.version, err = s.made(ctx, e, o, withForgotten); err != nil {
		return Result{}, err
	}
	house, degraded := s.beside(ctx, t)
	res, _, err := s.search(ctx, e, house, 0, q)
	res.Built, res.Degraded = true, degraded
	return res, err
}

// withForgotten adds to the memories of a corpus what was forgotten, as it stood before.
func withForgotten(corpus *recaller.Corpus) {
	for _, m := range corpus.Forgotten {
		if m.Status == recaller.MemoryForgotten {
			m.Status = recaller.MemoryActive
		}
		corpus.Memories = append(corpus.Memories, m)
	}
	slices.SortStableFunc(corpus.Memories, func(a, b recaller.Memory) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Version, b.Version))
	})
	corpus.Forgotten = nil
}

// maxBuilds bounds how often one search reads everything anew. It does so only if what was read, by itself or by a
// search that began before, was older than the version that it must have.
const maxBuilds = 4

// Apply takes a committed change into the caller's index, if there is one, or into the tenant's. Changes come in
// order. If one is missing, the next search reads everything anew. A change that the index has is ignored. Recall
// owns the change's slices from then on: nobody may write to them.
func (s *Service) Apply(c recaller.Change) {
	k := key{tenant: c.Tenant, caller: c.Caller}
	if e := s.cache.peek(k); e != nil {
		e.apply(c, mostOwn*s.segment)
		s.cache.resize(k, e)
	}
}

// mostOwn is how many segments' worth may lie in no segment before new segments are made of it.
const mostOwn = 3

// Hold takes held turns into the caller's index, if there is one: they were answered while the store is away. The
// change has no version. Once the turns are committed, the next search reads everything anew.
func (s *Service) Hold(c recaller.Change) {
	k := key{tenant: c.Tenant, caller: c.Caller}
	if e := s.cache.peek(k); e != nil {
		e.hold(c)
		s.cache.resize(k, e)
	}
}

// Drop drops all that is in memory of a caller; of the empty caller, the tenant's own texts. It also has a search
// that is under way keep nothing of what it has read.
func (s *Service) Drop(t recaller.TenantID, c recaller.CallerID) {
	s.cache.drop(key{tenant: t, caller: c})
}

// Anew has the next search read a caller's words anew, if they were indexed at a version before the given one. Version
// 0 means any version. An empty caller means the tenant's own texts; with version 0, all callers of the tenant too.
func (s *Service) Anew(t recaller.TenantID, c recaller.CallerID, version int64) {
	k := key{tenant: t, caller: c}
	switch e := s.cache.peek(k); {
	case version == 0 && k.house():
		s.cache.dropAll(t)
	case version == 0:
		s.cache.drop(k)
	case e != nil:
		e.missed(version)
	}
}

// Stats returns how many indexes are held, and about how many bytes they take.
func (s *Service) Stats() (indexes int, bytes int64) { return s.cache.stats() }

// checked returns the query as the index takes it, or what is wrong with it.
func (s *Service) checked(q Query) (index.Query, error) {
	switch {
	case strings.TrimSpace(q.Text) == "":
		return index.Query{}, recaller.InvalidField("query", "must not be empty")
	case len(q.Text) > MaxQueryBytes:
		return index.Query{}, recaller.InvalidField("query", "must be at most %d bytes", MaxQueryBytes)
	case q.Limit < 0 || q.Limit > MaxLimit:
		return index.Query{}, recaller.InvalidField("limit", "must be between 1 and %d", MaxLimit)
	case q.Neighbours > MaxNeighbours:
		return index.Query{}, recaller.InvalidField("neighbours", "must be at most %d", MaxNeighbours)
	}
	kinds, err := s.asked(q.Kinds)
	if err != nil {
		return index.Query{}, err
	}
	iq := index.Query{
		Text: q.Text, Limit: q.Limit, Kinds: kinds, AsOf: q.AsOf, Now: q.Now, Explain: q.Explain,
		Neighbours: q.Neighbours, Exclude: q.Exclude, Written: q.Written, Weak: q.Weak,
	}
	if iq.Now.IsZero() {
		iq.Now = q.AsOf
	}
	if iq.Limit == 0 {
		iq.Limit = DefaultLimit
	}
	switch {
	case iq.Neighbours == 0:
		iq.Neighbours = 1
	case iq.Neighbours < 0:
		iq.Neighbours = 0
	}
	return iq, nil
}
