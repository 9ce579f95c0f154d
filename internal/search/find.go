package search

import (
	"context"
	"errors"
	"sync"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/search/rank"
)

// want is a query as it was read.
type want struct {
	Query
	read          rank.Query
	understood    []Understood
	onlyDescribed bool // it names no matter: whatever fits its filters is wanted
}

// candidates is how many conversations each leg of the first step finds, and mostRanked how many of both the second
// step reads. It must be more than a page.
const (
	candidates = 100
	mostRanked = 100
)

// lifted is what a conversation's score gains for each description that it fits and that is no filter.
const lifted = 1.5

// find answers a query in two steps.
func (s *Service) find(ctx context.Context, tenant recaller.TenantID, w want) (Result, error) {
	chosen, degraded, err := s.candidates(ctx, tenant, w)
	if err != nil {
		return Result{}, err
	}
	talks, locked, err := s.talks(ctx, tenant, chosen[:min(len(chosen), mostRanked)])
	if err != nil {
		return Result{}, err
	}
	all := make([]rank.Talk, len(talks))
	for i, t := range talks {
		all[i] = t.ranked()
	}
	s.compare(w.read, all)
	var page []placed
	for _, r := range w.read.Rank(all) {
		near := r.Near() || w.onlyDescribed || s.maker() == rank.Configured && talks[r.Talk].cosine > 0
		for _, u := range w.understood {
			if !u.Applied && u.fits(talks[r.Talk].Conversation) {
				r.Score += lifted
			}
		}
		if near {
			page = append(page, placed{r, talks[r.Talk]})
		}
	}
	found, err := s.page(ctx, tenant, w, page)
	return Result{Found: found, Understood: w.understood, Degraded: degraded, Unreadable: locked}, err
}

// candidates returns what both legs find, best first. It asks both at once, and does without the embedder if that
// fails.
func (s *Service) candidates(
	ctx context.Context, tenant recaller.TenantID, w want,
) (ranked []candidate, degraded string, err error) {
	var matching []recaller.Near
	var matchErr error
	var wg sync.WaitGroup
	if terms := w.read.Stems(); len(terms) > 0 {
		wg.Go(func() {
			matching, matchErr = s.Store.Matching(ctx, tenant, terms, w.Filter, candidates)
		})
	}
	e, similar, err := s.similar(ctx, tenant, w)
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
	return fuse(matching, cosines, w.onlyDescribed), degraded, nil
}

// similar embeds the query and ranks by it. If the embedder fails, the error is a *EmbedError.
func (s *Service) similar(
	ctx context.Context, tenant recaller.TenantID, w want,
) (recaller.Embedding, []recaller.Near, error) {
	e, err := s.asked(ctx, w.read.Text(), w.read.Known())
	if err != nil {
		return e, nil, err
	}
	list, err := s.Store.Similar(ctx, tenant, e, w.Filter, candidates)
	return e, list, err
}

// missing returns the conversations in list without a known cosine.
func missing(list []recaller.Near, cosines map[recaller.ConversationID]float64) []recaller.ConversationID {
	var out []recaller.ConversationID
	for _, n := range list {
		if _, known := cosines[n.Conversation]; !known {
			out = append(out, n.Conversation)
		}
	}
	return out
}

// shown is a conversation as a result may show it, with what of it may be found.
type shown struct {
	recaller.Conversation
	turns  []recaller.Turn
	gone   forgotten.View
	cosine float64
	unread bool // its words are kept elsewhere, or there are too many
}

// talks reads the candidates at one moment. It leaves out those that are wholly forgotten. It also leaves out those
// with damaged words if anything of the caller is forgotten, because nobody can tell what to hide, and counts those that
// are locked.
func (s *Service) talks(
	ctx context.Context, tenant recaller.TenantID, chosen []candidate,
) (out []shown, locked int, err error) {
	ids := make([]recaller.ConversationID, len(chosen))
	cosines := make(map[recaller.ConversationID]float64, len(chosen))
	for i, c := range chosen {
		ids[i], cosines[c.id] = c.id, c.cosine
	}
	all, err := s.Store.Talks(ctx, tenant, ids)
	if err != nil {
		return nil, 0, err
	}
	for _, t := range all {
		if t.Locked {
			locked++
			continue
		}
		if t.Damaged {
			s.Log.Error("the words of a conversation cannot be read", "tenant", tenant,
				"conversation", t.Conversation.ID)
			if len(t.Forgotten) > 0 {
				continue
			}
		}
		one, ok := show(t)
		one.cosine = cosines[t.Conversation.ID]
		if ok {
			out = append(out, one)
		}
	}
	return out, locked, nil
}

// show returns what of a conversation may be shown; false if it is wholly forgotten.
func show(t recaller.Talk) (shown, bool) {
	out := shown{gone: forgotten.New(t.Forgotten), unread: t.Conversation.Turns > 0 && len(t.Turns) == 0 && !t.Damaged}
	out.turns = out.gone.Turns(t.Conversation.ID, t.Turns)
	out.Conversation = t.Conversation
	if out.unread && !out.gone.Empty() { // only the words tell which lines of the summary are forgotten
		return out, true
	}
	out.Conversation = out.gone.Conversation(t.Conversation, t.Turns)
	return out, out.gone.Empty() || out.Summary != nil || len(out.turns) > 0
}

// ranked returns the conversation in the form that rank takes.
func (c shown) ranked() rank.Talk {
	t := rank.Talk{Said: said(c.turns), Cosine: c.cosine}
	if !c.unread || c.gone.Empty() {
		t.Written = written(c.Summary)
	}
	return t
}
