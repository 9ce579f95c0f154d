// Package recall searches what is held of one caller: turns of both speakers, memories and conversation summaries (spec
// B7): by words, by meaning and by time. An index per caller is built on demand, kept in a size-bounded cache, checked
// with one cheap read against the caller's content version and kept current by the writes of this process, so that
// whatever was acknowledged can be found.
//
// It is not for searching over callers (that is the database's work), and it keeps nothing that the store does not
// hold.
package recall

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/index"
)

// Source is where recall reads from; the store implements it.
type Source interface {
	// ContentVersion returns the version of what is held of a caller: one cheap read. NotFound for an unknown caller.
	ContentVersion(ctx context.Context, t recaller.TenantID, c recaller.CallerID) (int64, error)
	// Corpus returns all that may be searched of a caller, as one snapshot that includes every write whose version
	// ContentVersion has told. Recall takes the slices over: nobody writes to them afterwards.
	Corpus(ctx context.Context, t recaller.TenantID, c recaller.CallerID) (recaller.Corpus, error)
}

// Long is what a Source can do beside for callers of whom more is held than should be in memory. Of a Source that
// cannot, all of every caller is held.
type Long interface {
	// Outline tells what is held of a caller who said more than so many turns; false for another one.
	Outline(ctx context.Context, t recaller.TenantID, c recaller.CallerID, turns int) (recaller.Outline, bool, error)
	// Words reads turns and conversations of a caller. What is not there is left out, and so is what cannot be read, which
	// is named.
	Words(ctx context.Context, t recaller.TenantID, c recaller.CallerID, turns []recaller.TurnRange, conversations []recaller.ConversationID) (recaller.Words, error)
}

// Segments keeps the segments of long callers' indexes, sealed as the turns are. It is a cache.
type Segments interface {
	// Segments gives those that are kept of a caller to take, as far as they are wanted and can be read, and returns the
	// names of all others. take is run by several goroutines at once; a body holds until it returns.
	Segments(ctx context.Context, t recaller.TenantID, c recaller.CallerID, wanted func(name string) bool, take func(name string, body []byte)) (others []string, err error)
	// PutSegment keeps one, and lets others go.
	PutSegment(ctx context.Context, t recaller.TenantID, c recaller.CallerID, name string, body []byte, others []string) error
}

// Options are the settings of a Service; zero values mean the defaults.
type Options struct {
	MaxBytes int64    // about how much memory all indexes may take together, but for those of long callers; default 64 MiB
	MaxLong  int64    // the same of the indexes of long callers; default 256 MiB
	Longer   int      // a caller of more turns is long: most of his index lies in segments (docs/recall.md); default 50,000
	Segment  int      // about how many turns a segment holds; default 16,000, at most half of index.MostInSegment
	Segments Segments // keeps segments; nil: each process makes its own
	// Reached waits until the service was told of a version that is in the store; false: ctx ended before. nil: nobody
	// knows.
	Reached  func(ctx context.Context, t recaller.TenantID, c recaller.CallerID, version int64) bool
	Patience time.Duration // how long a search waits for that, before it reads everything anew; default 25 ms
	Weights  index.Weights // default index.DefaultWeights
	// Now is the clock by which a query's "yesterday" is read where the query does not say when it is asked. Without it
	// such words of such queries say nothing.
	Now func() time.Time
	Log *slog.Logger // told which rows of long callers are damaged; nil: nobody is

	Meaning  Meaning       // the configured embedder, where it serves recall; nil: the built-in table alone
	Dialogue bool          // without one: the built-in model reads turns in English, each with what it answers
	Vectors  Vectors       // keeps what either makes of turns; nil: they are made anew with each index
	Embedder time.Duration // how long a query waits for its vector; default 400 ms
}

const (
	defaultMaxBytes = 64 << 20
	defaultMaxLong  = 256 << 20
	defaultLonger   = 50_000
	defaultSegment  = 16_000
	defaultPatience = 25 * time.Millisecond
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
// As of an earlier time it finds the turns that had been said by then, the summaries of conversations that had ended
// (whenever they were written: they say nothing that had not been said), and each memory in the version that stood
// then. What was forgotten since is not found, whenever one looks from. A time to come is as good as now, but for the
// query's own words of time: its "yesterday" is the day before it.
type Query struct {
	Text    string             // in the words of whoever asks
	Limit   int                // at most how many hits; 0 means DefaultLimit, at most MaxLimit
	Kinds   []recaller.HitKind // only these; empty means all
	AsOf    time.Time          // zero means now; else what was known then
	Now     time.Time          // when it is asked, in the caller's zone; zero means AsOf, else the Service's clock
	Explain bool               // fill Hit.Why
	// Exclude is a conversation whose words and summary are not found, such as the live one.
	Exclude recaller.ConversationID
	// Written leaves out what was said in voice calls, and their summaries. Memories of them are found.
	Written bool
	// Forgotten finds what was forgotten too, as it stood before. It reads everything anew, so it is for who audits, not
	// for a call.
	Forgotten  bool
	Neighbours int // turns before and after a hit that come with it; 0 means 1, negative means none
	// Embed has the configured embedder compare too, if there is one, which takes as long as it takes to answer. It is not
	// for a briefing.
	Embed bool
	// Weak fills the first places of a short history (a few hundred turns, memories and summaries) with what hardly fits,
	// marked, so that whoever asks sees the best there is.
	Weak bool
}

// Result is what a search found.
type Result struct {
	Hits    []recaller.Hit // best first
	Version int64          // the content version that was searched
	Built   bool           // the index was built for this search
	// Degraded is why less may have been found than there is; empty: nothing was amiss.
	Degraded string
}

// Service searches. It is safe for concurrent use.
type Service struct {
	src      Source
	long     Long // nil: it cannot
	longer   int
	segment  int
	kept     Segments
	weights  index.Weights
	patience time.Duration
	reached  func(context.Context, recaller.TenantID, recaller.CallerID, int64) bool
	now      func() time.Time
	log      *slog.Logger
	cache    cache
	pool     index.Pool

	meaning       Meaning
	dialogue      bool // meaning is the built-in one
	vectors       Vectors
	modelPatience time.Duration
	slots         chan struct{}   // holds one entry for each caller whose turns are being embedded
	longSlot      chan struct{}   // the same of those whose long history the built-in model reads, which takes minutes of a core
	builder       chan struct{}   // holds an entry while the index of a long caller is being built
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
		src: src, log: opts.Log, weights: opts.Weights, patience: opts.Patience, reached: opts.Reached, now: opts.Now, cache: newCache(opts.MaxBytes, opts.MaxLong),
		longer: opts.Longer, segment: min(opts.Segment, index.MostInSegment/2), builder: make(chan struct{}, 1), kept: opts.Segments,
		meaning: opts.Meaning, vectors: opts.Vectors, modelPatience: opts.Embedder, slots: make(chan struct{}, fillers), longSlot: make(chan struct{}, 1),
	}
	if s.meaning == nil && opts.Dialogue {
		s.meaning, s.dialogue = builtIn{}, true
	}
	s.long, _ = src.(Long)
	s.closed, s.close = context.WithCancel(context.Background())
	return s
}

// clock is the time; zero where nobody tells.
func (s *Service) clock() time.Time {
	if s.now == nil {
		return time.Time{}
	}
	return s.now()
}

// Recall returns what fits the query best among the words of one caller of one tenant, best first. Every write that
// was acknowledged before the call is searched. Errors are Invalid for a wrong query, and what the source answers
// (NotFound for an unknown caller); Unavailable where the source's snapshot stays behind its own version.
func (s *Service) Recall(ctx context.Context, t recaller.TenantID, c recaller.CallerID, q Query) (Result, error) {
	iq, err := q.checked()
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
	version, err := s.src.ContentVersion(ctx, t, c)
	if err != nil {
		if recaller.KindOf(err) == recaller.NotFound {
			s.cache.drop(k)
		}
		return Result{}, err
	}
	built := false
	e := s.cache.get(k) // kept to the end, though it may leave the cache meanwhile
	degraded := asked.take(&iq)
	for range maxBuilds {
		s.compare(ctx, e, q, &iq)
		res, ok, err := s.search(ctx, e, version, iq)
		if err != nil {
			return Result{}, err
		}
		if ok {
			s.fill(e)
			res.Built, res.Degraded = built, degraded
			return res, nil
		}
		if err := s.build(ctx, e); err != nil {
			return Result{}, err
		}
		built = true
	}
	return Result{}, recaller.Errorf(recaller.Unavailable, "what is held of the caller could not be read up to date")
}

// all searches everything that is held of a caller, what was forgotten too, in an index that nobody else sees.
func (s *Service) all(ctx context.Context, t recaller.TenantID, c recaller.CallerID, q index.Query) (Result, error) {
	e := &entry{key: key{tenant: t, caller: c}}
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
	res, _, err := s.search(ctx, e, 0, q)
	res.Built = true
	return res, err
}

// withForgotten puts among the memories what was forgotten, as it stood before.
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

// maxBuilds bounds how often one search reads everything anew: each time only because what was read, by itself or by
// a search that began before it, was older than it must be.
const maxBuilds = 4

// Apply takes a committed write of this process into the caller's index, if there is one. Changes come in order; where
// one is missing, the next search reads everything anew, and one that the index has is passed over. The change's slices
// are taken over: nobody writes to them afterwards.
func (s *Service) Apply(c recaller.Change) {
	k := key{tenant: c.Tenant, caller: c.Caller}
	if e := s.cache.peek(k); e != nil {
		e.apply(c, mostOwn*s.segment)
		s.cache.resize(k, e)
	}
}

// mostOwn is of how many segments' size what lies in no segment may grow to before segments are made of it.
const mostOwn = 3

// Hold takes turns into the caller's index, if there is one, that were answered though the store, which is away, does
// not have them yet: the change has no version. When they are committed, the next search reads everything anew.
func (s *Service) Hold(c recaller.Change) {
	k := key{tenant: c.Tenant, caller: c.Caller}
	if e := s.cache.peek(k); e != nil {
		e.hold(c)
		s.cache.resize(k, e)
	}
}

// Drop drops all that is held in memory of a caller. What a search that is under way has read is not kept either.
func (s *Service) Drop(t recaller.TenantID, c recaller.CallerID) {
	s.cache.drop(key{tenant: t, caller: c})
}

// Anew has the next search read anew what is indexed of a caller before a version; 0: whatever it is of. Without a
// caller it does so for all of a tenant's.
func (s *Service) Anew(t recaller.TenantID, c recaller.CallerID, version int64) {
	k := key{tenant: t, caller: c}
	switch e := s.cache.peek(k); {
	case c == "":
		s.cache.dropAll(t)
	case version == 0:
		s.cache.drop(k)
	case e != nil:
		e.missed(version)
	}
}

// Stats tells how many callers' indexes are held, and about how many bytes they take.
func (s *Service) Stats() (indexes int, bytes int64) { return s.cache.stats() }

// checked returns the query in the index's terms, or what is wrong with it.
func (q Query) checked() (index.Query, error) {
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
	known := []recaller.HitKind{recaller.HitTurn, recaller.HitMemory, recaller.HitSummary, recaller.HitDocument}
	for _, k := range q.Kinds {
		if !slices.Contains(known, k) {
			return index.Query{}, recaller.InvalidField("kinds", "must be among turn, memory, summary, document")
		}
	}
	iq := index.Query{Text: q.Text, Limit: q.Limit, Kinds: q.Kinds, AsOf: q.AsOf, Now: q.Now, Explain: q.Explain, Neighbours: q.Neighbours, Exclude: q.Exclude, Written: q.Written, Weak: q.Weak}
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
