package tool

import (
	"context"
	"slices"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/memory"
)

// lookedThrough is how many conversations are looked through for what was said, the last ones first.
const lookedThrough = 50

// spoken is a turn of one of the caller's conversations.
type spoken struct {
	recaller.Turn
	conv recaller.ConversationID
}

// forgetSaid forgets what no memory holds, but the caller said, in this conversation or before: the turns that told it are hidden.
// Where turns of several matters may be meant, they are told, and nothing is changed.
func (s *Service) forgetSaid(ctx context.Context, x exchange, how recaller.Forgetting) (Result, error) {
	ref, err := x.args.needed("key")
	if err != nil {
		return Result{}, err
	}
	asked := forgotten.Spoken(ref, how.At, how.Asked.Turns)
	how.Named = asked.Named()
	said, err := s.said(ctx, x, asked)
	if err != nil {
		return Result{}, err
	}
	turns := make([]recaller.Turn, len(said))
	for i, t := range said {
		turns[i] = t.Turn
	}
	meant, clear := asked.OneMatter(ref, turns)
	switch {
	case len(said) == 0:
		return Result{}, recaller.Errorf(recaller.NotFound, "the caller has no such memory, and said nothing of it: nothing was changed")
	case !clear:
		return Result{}, &memory.SeveralError{Candidates: candidates(turns)}
	}
	var unkept []recaller.Memory
	for _, t := range said {
		if !slices.ContainsFunc(meant, func(m recaller.Turn) bool { return m.ID == t.ID }) {
			continue
		}
		m := forgotten.Unkept(t.conv, t.Turn, s.NewID())
		m.Caller = x.conv.Caller
		unkept = append(unkept, m)
	}
	return s.forgetUnkept(ctx, x, how, unkept)
}

func (s *Service) forgetUnkept(ctx context.Context, x exchange, how recaller.Forgetting, unkept []recaller.Memory) (Result, error) {
	w, err := s.Memories.ForgetUnkept(ctx, x.call.Tenant, unkept, memory.Change{Once: x.call.Once, Forgetting: how, Call: x.recorded()})
	return Result{MemoryID: w.Memory.ID, Action: w.Action}, err
}

// said are the turns in which the caller told what is asked for, and that are not forgotten yet.
func (s *Service) said(ctx context.Context, x exchange, asked forgotten.Request) ([]spoken, error) {
	if len(asked.Named()) == 0 {
		return nil, nil
	}
	versions, err := s.Store.Forgotten(ctx, x.call.Tenant, x.conv.Caller)
	if err != nil {
		return nil, err
	}
	gone := forgotten.New(versions)
	convs, _, err := s.Store.Conversations(ctx, x.call.Tenant, recaller.ConversationFilter{Caller: x.conv.Caller, Page: recaller.Page{Limit: lookedThrough}})
	if err != nil {
		return nil, err
	}
	var out []spoken
	for _, conv := range convs {
		turns, err := s.Words.Turns(ctx, x.call.Tenant, conv)
		if err != nil {
			return nil, err
		}
		for _, t := range asked.Tellings(turns, conv.ID == x.conv.ID) {
			if !gone.Hides(conv.ID, t) {
				out = append(out, spoken{t, conv.ID})
			}
		}
	}
	return out, nil
}

// How many turns are told that may be meant, and how much of each.
const (
	maxCandidates = 8
	maxQuoted     = 200
)

// candidates are turns that may be meant, each under the words that name it.
func candidates(turns []recaller.Turn) []recaller.Memory {
	var out []recaller.Memory
	for _, t := range turns[:min(len(turns), maxCandidates)] {
		quote := t.Text
		if len(quote) > maxQuoted {
			end := maxQuoted
			for !utf8.RuneStart(quote[end]) {
				end--
			}
			quote = quote[:end]
		}
		out = append(out, recaller.Memory{Key: quote, Value: quote})
	}
	return out
}
