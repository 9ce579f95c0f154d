package search

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/search/rank"
	"github.com/recallerhq/recaller/internal/wrapup/label"
)

// The bounds of a query.
const (
	MaxQuery     = 1000 // characters
	DefaultLimit = 10
	MaxLimit     = 50
	maxLabel     = 100 // characters of an intent or outcome
)

// DegradedEmbedder is Result.Degraded if words alone were searched.
const DegradedEmbedder = "embedder unavailable"

// Query asks for a tenant's conversations.
type Query struct {
	Text   string // 1 to MaxQuery characters
	Filter recaller.SearchFilter
	Limit  int // 1 to MaxLimit; 0: DefaultLimit
}

// Result is what a search found.
type Result struct {
	Found      []recaller.Found // best first
	Understood []Understood     // what the query says of the conversations wanted, in its order
	Degraded   string           // why it may be incomplete; empty: it is not
	Unreadable int              // conversations that fit, of callers whose key is missing
	Took       time.Duration
}

// Search finds a tenant's ended conversations by what they were about, best first (P7). The store finds candidates by
// words and vectors, and package rank orders them by what was said in them. A conversation for which nothing of the
// query speaks is left out. Words that describe conversations rather than their matter become filters, which Understood
// tells; a filter of the request itself takes precedence.
//
// While the embedder is away, Search goes by words alone, and says so. It finds nothing of a caller who is being
// erased. A wrong field is Invalid, and named.
func (s *Service) Search(ctx context.Context, tenant recaller.TenantID, q Query) (r Result, err error) {
	began := s.Now()
	defer func() { s.Metrics.searched(r, err, r.Took) }()
	if q, err = q.checked(); err != nil {
		return Result{}, err
	}
	r, err = s.answer(ctx, tenant, q)
	if r.Took = s.Now().Sub(began); err != nil {
		return Result{Took: r.Took}, err
	}
	return r, nil
}

// answer answers a valid query. If descriptions leave nothing, it tries again without them as filters: they only lift
// what fits them, and their words are searched for too.
func (s *Service) answer(ctx context.Context, tenant recaller.TenantID, q Query) (r Result, err error) {
	meant, err := s.understand(ctx, tenant, q)
	if err != nil {
		return r, err
	}
	wanted := want{Query: q, understood: meant, read: rank.Read(q.Text, covering(meant))}
	wanted.onlyDescribed = len(meant) > 0 && describesOnly(q.Text, meant)
	wanted.Filter = narrowed(q.Filter, meant)
	r, err = s.find(ctx, tenant, wanted)
	if err != nil || len(r.Found) > 0 || len(meant) == 0 {
		return r, err
	}
	for i := range meant {
		meant[i].Applied = false
	}
	return s.find(ctx, tenant, want{Query: q, understood: meant, read: rank.Read(q.Text, nil)})
}

// checked returns the query with its defaults, or what is wrong with it.
func (q Query) checked() (Query, error) {
	q.Text = strings.TrimSpace(q.Text)
	f := q.Filter
	switch n := utf8.RuneCountInString(q.Text); {
	case n == 0:
		return q, recaller.InvalidField("query", "must say what to look for")
	case n > MaxQuery:
		return q, recaller.InvalidField("query", "must have at most %d characters", MaxQuery)
	case q.Limit < 0 || q.Limit > MaxLimit:
		return q, recaller.InvalidField("limit", "must be between 1 and %d", MaxLimit)
	case f.Channel != "" && !f.Channel.Valid():
		return q, recaller.InvalidField("channel", "must be one of %v", recaller.Channels())
	case f.Sentiment != "" && !slices.Contains(sentiments(), f.Sentiment):
		return q, recaller.InvalidField("sentiment", "must be one of %v", sentiments())
	case utf8.RuneCountInString(f.Intent) > maxLabel:
		return q, recaller.InvalidField("intent", "must have at most %d characters", maxLabel)
	case utf8.RuneCountInString(f.Outcome) > maxLabel:
		return q, recaller.InvalidField("outcome", "must have at most %d characters", maxLabel)
	case !f.After.IsZero() && !f.Before.IsZero() && !f.After.Before(f.Before):
		return q, recaller.InvalidField("before", "must be later than after")
	}
	if q.Limit == 0 {
		q.Limit = DefaultLimit
	}
	return q, nil
}

func sentiments() []string { return []string{label.Positive, label.Neutral, label.Negative} }
