package conversation

import (
	"context"
	"iter"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
)

// This file reads long conversations, of whose words there is never more in memory than a page.

// longTurns is from how many turns on a conversation is read page by page.
const longTurns = 1000

// Ranged are words that one ranges over, under a context. An error ends them.
type Ranged func(ctx context.Context) iter.Seq2[recaller.Turn, error]

// GetLong is Get, or with all GetAll, of a conversation with its turns, for who can take them one by one: those of a long
// one are in words and not in the record. Else words is nil.
func (s *Service) GetLong(
	ctx context.Context, tenant recaller.TenantID, ref string, all bool,
) (rec Record, words Ranged, err error) {
	e := s.Ledger.get(tenant, ref)
	conv, long, err := s.long(ctx, tenant, ref, e)
	if err != nil {
		return Record{}, nil, err
	}
	if !long {
		rec, err = s.get(ctx, tenant, ref, wanted{turns: true, forgotten: all})
		return rec, nil, err
	}
	rec.Conversation = conv
	if rec.Steps, err = s.Store.Steps(ctx, tenant, conv); err != nil {
		return Record{}, nil, err
	}
	hidden := map[int]bool{}
	if !all {
		if rec.Conversation, err = s.sifted(ctx, tenant, conv, hidden); err != nil {
			return Record{}, nil, err
		}
	}
	if e != nil {
		for n := range hidden {
			rec.hidden = append(rec.hidden, n)
		}
		rec.Live = e.glance(s.Now()).without(rec.hidden)
	}
	return rec, func(ctx context.Context) iter.Seq2[recaller.Turn, error] {
		return blank(s.EachTurn(ctx, tenant, conv), hidden)
	}, nil
}

// long finds a conversation whose words are read page by page: one of which the store has all that was said.
func (s *Service) long(
	ctx context.Context, tenant recaller.TenantID, ref string, e *entry,
) (conv recaller.Conversation, long bool, err error) {
	if e != nil {
		if conv, st := e.view(); st.away() || conv.Turns < longTurns || e.ephemeral() {
			return conv, false, nil
		}
		conv, err = within(ctx, s, s.Patience, func(ctx context.Context) (recaller.Conversation, error) {
			return s.Store.Conversation(ctx, tenant, ref)
		})
		if away(err) && ctx.Err() == nil { // it is told from memory, as far as it can be
			return conv, false, nil
		}
		return conv, conv.Turns >= longTurns, err
	}
	conv, err = s.Store.Conversation(ctx, tenant, ref)
	return conv, conv.Turns >= longTurns, err
}

// sifted returns a conversation without what was forgotten, for which it looks through all words. It puts the numbers of
// the turns that must not be told into hidden.
func (s *Service) sifted(
	ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, hidden map[int]bool,
) (recaller.Conversation, error) {
	gone, err := s.forgotten(ctx, tenant, conv)
	if err != nil || gone.Empty() {
		return conv, err
	}
	conv.Summary, err = s.summary(ctx, tenant, conv, gone, true, func(n int) { hidden[n] = true })
	return conv, err
}

// summary returns what of a conversation's summary may be told. It reads the words only if the summary quotes some, or
// all turns that must not be told are to be found: then it tells hide.
func (s *Service) summary(
	ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, gone forgotten.View,
	all bool, hide func(number int),
) (*recaller.Summary, error) {
	if gone.Empty() {
		return conv.Summary, nil
	}
	sieve := gone.Sieve(conv)
	if !all && !sieve.Quotes() {
		return sieve.Summary(), nil
	}
	for t, err := range s.EachTurn(ctx, tenant, conv) {
		switch {
		case err != nil:
			return nil, err
		case !all:
			sieve.Quote(t)
		case sieve.Read(t):
			hide(t.Number)
		}
	}
	return sieve.Summary(), nil
}

// blank ranges over turns, those that are hidden without their words.
func blank(turns iter.Seq2[recaller.Turn, error], hidden map[int]bool) iter.Seq2[recaller.Turn, error] {
	return func(yield func(recaller.Turn, error) bool) {
		for t, err := range turns {
			if hidden[t.Number] {
				t.Text = ""
			}
			if !yield(t, err) {
				return
			}
		}
	}
}

// forgotten returns what was forgotten of a conversation's caller. A conversation that this process leads learns of it.
func (s *Service) forgotten(
	ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation,
) (forgotten.View, error) {
	versions, err := s.Store.Forgotten(ctx, tenant, conv.Caller)
	if err != nil {
		return forgotten.View{}, err
	}
	gone := forgotten.New(versions)
	if e := s.Ledger.get(tenant, string(conv.ID)); e != nil {
		e.mu.Lock()
		e.heard.gone = gone
		e.mu.Unlock()
	}
	return gone, nil
}
