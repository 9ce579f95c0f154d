package search

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/wrapup/label"
)

// The bounds of a query.
const (
	MaxQuery     = 1000 // characters
	DefaultLimit = 10
	MaxLimit     = 50
	maxLabel     = 100 // characters of an intent or outcome
)

// DegradedEmbedder is what a result says that was found by words alone.
const DegradedEmbedder = "embedder unavailable"

// Query asks for a tenant's conversations.
type Query struct {
	Text   string // 1 to MaxQuery characters
	Filter recaller.SearchFilter
	Limit  int // 1 to MaxLimit; 0: DefaultLimit
}

// Result is what a search came up with.
type Result struct {
	Found    []recaller.Found // best first
	Degraded string           // why it is less than it could be; empty: it is not
	Took     time.Duration
}

// Search finds a tenant's ended conversations by what they were about, best first (P7). While the embedder is away it answers by
// words alone, and says so. Nothing of a caller who is being erased is found. A field that is wrong is Invalid and named.
func (s *Service) Search(ctx context.Context, tenant recaller.TenantID, q Query) (r Result, err error) {
	began := s.Now()
	defer func() { s.Metrics.searched(r, err, r.Took) }()
	if q, err = q.checked(); err != nil {
		return Result{}, err
	}
	terms := termsOf(q.Text)
	candidates, degraded, err := s.candidates(ctx, tenant, q, terms)
	if err == nil {
		r.Found, err = s.open(ctx, tenant, candidates, q.Limit, terms)
	}
	if r.Took = s.Now().Sub(began); err != nil {
		return Result{Took: r.Took}, err
	}
	r.Degraded = degraded
	return r, nil
}

// checked returns the query with its defaults, if it is sound.
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

// pool is how many conversations each leg comes up with, for a page of so many: what stands low in one leg may stand high in both.
func pool(limit int) int { return max(100, 4*limit) }

// candidates are what both legs come up with, best first; the leg of meanings may be missing. Both are asked at once.
func (s *Service) candidates(ctx context.Context, tenant recaller.TenantID, q Query, terms []string) (ranked []candidate, degraded string, err error) {
	var matching []recaller.Near
	var matchErr error
	var wg sync.WaitGroup
	if len(terms) > 0 {
		wg.Go(func() {
			matching, matchErr = s.Store.Matching(ctx, tenant, terms, q.Filter, pool(q.Limit))
		})
	}
	e, similar, err := s.similar(ctx, tenant, q)
	wg.Wait()
	var f *EmbedError
	if errors.As(err, &f) {
		degraded, err = DegradedEmbedder, nil
	}
	if err = errors.Join(err, matchErr); err != nil {
		return nil, "", err
	}
	cosines := make(map[recaller.ConversationID]float64, len(similar))
	for _, n := range similar {
		cosines[n.Conversation] = n.Score
	}
	if others := missing(matching, cosines); degraded == "" && len(others) > 0 {
		more, err := s.Store.Similarities(ctx, tenant, e, others)
		if err != nil {
			return nil, "", err
		}
		for id, cosine := range more {
			cosines[id] = cosine
		}
	}
	return fuse(matching, cosines), degraded, nil
}

// similar embeds the query and ranks by it. Its error is a *EmbedError where the embedder failed.
func (s *Service) similar(ctx context.Context, tenant recaller.TenantID, q Query) (recaller.Embedding, []recaller.Near, error) {
	e, err := s.embed(ctx, q.Text, queryPatience)
	if err != nil {
		return e, nil, err
	}
	list, err := s.Store.Similar(ctx, tenant, e, q.Filter, pool(q.Limit))
	return e, list, err
}

// missing are those of a leg whose cosine is not known yet.
func missing(list []recaller.Near, cosines map[recaller.ConversationID]float64) []recaller.ConversationID {
	var out []recaller.ConversationID
	for _, n := range list {
		if _, known := cosines[n.Conversation]; !known {
			out = append(out, n.Conversation)
		}
	}
	return out
}

// readers bounds how many conversations' words are read at once for one search.
const readers = 4

// open makes a page of the best candidates: those that are gone meanwhile are passed over, and the next take their place.
func (s *Service) open(ctx context.Context, tenant recaller.TenantID, ranked []candidate, limit int, terms []string) ([]recaller.Found, error) {
	var page []recaller.Found
	for len(ranked) > 0 && len(page) < limit {
		n := min(len(ranked), limit-len(page))
		found, err := s.read(ctx, tenant, ranked[:n], terms)
		if err != nil {
			return nil, err
		}
		page, ranked = append(page, found...), ranked[n:]
	}
	return page, nil
}

// read opens conversations with what was said in them, in the candidates' order.
func (s *Service) read(ctx context.Context, tenant recaller.TenantID, ranked []candidate, terms []string) ([]recaller.Found, error) {
	ids := make([]recaller.ConversationID, len(ranked))
	for i, c := range ranked {
		ids[i] = c.id
	}
	convs, err := s.Store.ConversationsByID(ctx, tenant, ids)
	if err != nil {
		return nil, err
	}
	byID := make(map[recaller.ConversationID]recaller.Conversation, len(convs))
	for _, c := range convs {
		byID[c.ID] = c
	}
	found := make([]recaller.Found, len(ranked))
	errs := make([]error, len(ranked))
	slots := make(chan struct{}, readers)
	var wg sync.WaitGroup
	for i, c := range ranked {
		conv, there := byID[c.id]
		if !there {
			continue
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			gone, turns, err := s.words(ctx, tenant, conv)
			switch kind := recaller.KindOf(err); {
			case kind == recaller.NotFound: // its caller was erased between the two reads
				return
			case kind == recaller.Unavailable, kind == recaller.Timeout:
				errs[i] = err
				return
			case err != nil: // a damaged conversation is found without its words; of one that hides some nothing can be told
				s.Log.Error("the words of a conversation cannot be read", "tenant", tenant, "conversation", conv.ID, "err", err)
				if conv.Turns > 0 && !gone.Empty() {
					return
				}
			}
			shown := gone.Turns(conv.ID, turns)
			if conv = gone.Conversation(conv, turns); !gone.Empty() && conv.Summary == nil && len(shown) == 0 { // all of it was forgotten
				return
			}
			found[i] = recaller.Found{Conversation: conv, Excerpt: excerpt(shown, terms), Similarity: c.cosine, Score: c.score}
		})
	}
	wg.Wait()
	gone := func(f recaller.Found) bool { return f.Conversation.ID == "" }
	return slices.DeleteFunc(found, gone), errors.Join(errs...)
}

// words reads what was said in a conversation, and what of it was forgotten.
func (s *Service) words(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) (gone forgotten.View, turns []recaller.Turn, err error) {
	versions, err := s.Store.Forgotten(ctx, tenant, conv.Caller)
	if recaller.KindOf(err) == recaller.NotFound {
		return gone, nil, err
	}
	if err != nil { // nothing is shown while nobody knows what is hidden
		return gone, nil, recaller.Wrap(recaller.Unavailable, err, "what was forgotten cannot be read")
	}
	turns, err = s.Words.Turns(ctx, tenant, conv)
	return forgotten.New(versions), turns, err
}
