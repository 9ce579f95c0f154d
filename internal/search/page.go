package search

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/index"
	"github.com/recallerhq/recaller/internal/search/rank"
)

// placed is a conversation with its rank.
type placed struct {
	rank.Ranked
	shown
}

// readers is how many conversations are read at once if the store does not keep their words.
const readers = 4

// page makes a page of the best. It passes over those that are gone meanwhile; the next ones take their place.
func (s *Service) page(ctx context.Context, tenant recaller.TenantID, w want, all []placed) ([]recaller.Found, error) {
	var page []placed
	for left := all; len(left) > 0 && len(page) < w.Limit; {
		n := min(len(left), w.Limit-len(page))
		some, err := s.complete(ctx, tenant, left[:n])
		if err != nil {
			return nil, err
		}
		page, left = append(page, some...), left[n:]
	}
	quoted := s.quotations(w, page)
	found := make([]recaller.Found, len(page))
	stems := stemmer{}
	for i, p := range page {
		found[i] = recaller.Found{
			Conversation: p.Conversation, Similarity: p.cosine, Score: p.Score, Why: why(p, all),
			Excerpt: stems.excerpt(p.turns, w.read.Stems(), quoted[p.Conversation.ID]),
		}
	}
	return found, nil
}

// complete reads the words that the store does not keep, in the conversations' order.
func (s *Service) complete(ctx context.Context, tenant recaller.TenantID, some []placed) ([]placed, error) {
	out := slices.Clone(some)
	errs := make([]error, len(out))
	slots := make(chan struct{}, readers)
	var wg sync.WaitGroup
	for i := range out {
		if !out[i].unread {
			continue
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			errs[i] = s.fetch(ctx, tenant, &out[i])
		})
	}
	wg.Wait()
	gone := func(p placed) bool { return p.Conversation.ID == "" }
	return slices.DeleteFunc(out, gone), errors.Join(errs...)
}

// fetch reads a conversation's words from wherever they are kept. It clears the id of one that may not be shown.
func (s *Service) fetch(ctx context.Context, tenant recaller.TenantID, p *placed) error {
	turns, err := s.Words.Turns(ctx, tenant, p.Conversation)
	switch kind := recaller.KindOf(err); {
	case kind == recaller.NotFound: // its caller was erased between the two reads
		p.shown = shown{}
		return nil
	case kind == recaller.Unavailable, kind == recaller.Timeout:
		return err
	case err != nil: // a damaged conversation is found without its words; of one that hides some nothing can be told
		s.Log.Error("the words of a conversation cannot be read", "tenant", tenant, "conversation", p.Conversation.ID,
			"err", err)
		if !p.gone.Empty() {
			p.shown = shown{}
		}
		return nil
	}
	p.turns = p.gone.Turns(p.Conversation.ID, turns)
	p.Conversation = p.gone.Conversation(p.Conversation, turns)
	if !p.gone.Empty() && p.Summary == nil && len(p.turns) == 0 { // it is wholly forgotten
		p.shown = shown{}
	}
	return nil
}

// quotable is how many turns of a page are searched for quotations.
const quotable = 2000

// quotations finds for each conversation of a page the turn that fits the query best, by recall's ranking. There is
// none if no turn fits.
func (s *Service) quotations(w want, page []placed) map[recaller.ConversationID]*int {
	c := recaller.Corpus{Turns: map[recaller.ConversationID][]recaller.Turn{}}
	turns := 0
	for _, p := range page {
		if turns += len(p.turns); turns > quotable {
			break
		}
		c.Conversations = append(c.Conversations,
			recaller.Conversation{ID: p.Conversation.ID, StartedAt: p.StartedAt, Channel: p.Channel})
		c.Turns[p.Conversation.ID] = p.turns
	}
	weights := index.DefaultWeights()
	weights.Recency, weights.Repeat, weights.Spent = 0, 1, 1
	hits := index.Build(c, weights).Search(index.Query{Text: w.read.Text(), Limit: max(1, turns), Kinds: []recaller.HitKind{recaller.HitTurn}}, &s.pool)
	out := make(map[recaller.ConversationID]*int, len(page))
	for _, h := range hits {
		if _, known := out[h.Conversation]; !known {
			at := slices.IndexFunc(c.Turns[h.Conversation], func(t recaller.Turn) bool { return t.Number == h.Turn })
			out[h.Conversation] = &at
		}
	}
	return out
}

// why explains a conversation's score.
func why(p placed, all []placed) *recaller.Why {
	out := &recaller.Why{Terms: make([]recaller.TermWhy, len(p.Terms))}
	for i, t := range p.Terms {
		out.Terms[i] = recaller.TermWhy{Term: t.Stem, Weight: t.Weight}
	}
	rest := p.Score
	for l, v := range p.Legs {
		if v == 0 {
			continue
		}
		rest -= v
		part := recaller.PartWhy{Name: rank.Leg(l).String(), Value: v, Rank: 1}
		for _, o := range all {
			if o.Legs[l] > v {
				part.Rank++
			}
		}
		out.Parts = append(out.Parts, part)
	}
	if rest > lifted/2 { // from descriptions that are no filters
		out.Parts = append(out.Parts, recaller.PartWhy{Name: "described", Value: rest, Rank: 1})
	}
	slices.SortStableFunc(out.Parts, func(a, b recaller.PartWhy) int { return cmp.Compare(b.Value, a.Value) })
	return out
}
