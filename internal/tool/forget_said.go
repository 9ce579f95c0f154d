package tool

import (
	"context"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/memory"
)

// pageOfPast is how many conversations are listed at a time.
const pageOfPast = 50

// forgetSaid forgets what no memory holds, but the caller said, now or before: it hides the turns that told it. If
// turns about several matters may be meant, the error lists them, and nothing changes. A turn that the call quotes goes
// alone.
func (s *Service) forgetSaid(ctx context.Context, x exchange, how recaller.Forgetting) (Result, error) {
	ref, err := x.args.Needed("key")
	if err != nil {
		return Result{}, err
	}
	asked := forgotten.Spoken(ref, how.At, how.Asked.Turns)
	how.Named = asked.Named()
	said, err := s.said(ctx, x, asked)
	if err != nil {
		return Result{}, err
	}
	if chosen := forgotten.Quoted(ref, said); len(chosen) > 0 {
		said, how.Named = chosen, nil // a quotation names no matter, so the other turns stay
	} else if len(said) > 0 && !asked.OneMatter(said) {
		return Result{}, &memory.SeveralError{Candidates: candidates(said)}
	}
	if len(said) == 0 {
		return Result{}, recaller.Errorf(recaller.NotFound,
			"the caller has no such memory, and said nothing of it: nothing was changed")
	}
	var unkept []recaller.Memory
	for _, t := range said {
		m := forgotten.Unkept(t.Conversation, t.Turn, s.NewID())
		m.Caller = x.conv.Caller
		unkept = append(unkept, m)
	}
	return s.forgetUnkept(ctx, x, how, unkept)
}

func (s *Service) forgetUnkept(
	ctx context.Context, x exchange, how recaller.Forgetting, unkept []recaller.Memory,
) (Result, error) {
	w, err := s.Memories.ForgetUnkept(ctx, x.call.Tenant, unkept,
		memory.Change{Once: x.call.Once, Forgetting: how, Call: x.recorded()})
	return Result{MemoryID: w.Memory.ID, Action: w.Action}, err
}

// said returns the turns, not forgotten yet, in which the caller told what is asked for. It reads one conversation
// after another, and passes over one that cannot be read.
func (s *Service) said(ctx context.Context, x exchange, asked forgotten.Request) ([]forgotten.Told, error) {
	if len(asked.Named()) == 0 {
		return nil, nil
	}
	versions, err := s.Store.Forgotten(ctx, x.call.Tenant, x.conv.Caller)
	if err != nil {
		return nil, err
	}
	if !x.rights.Tells(recaller.TellAll) {
		private, err := s.Store.Private(ctx, x.call.Tenant, x.conv.Caller)
		if err != nil {
			return nil, err
		}
		versions = append(versions, forgotten.AsIf(private)...)
	}
	gone, search := forgotten.New(versions), asked.Search()
	page := recaller.Page{Limit: pageOfPast}
	for {
		convs, next, err := s.Store.Conversations(ctx, x.call.Tenant,
			recaller.ConversationFilter{Caller: x.conv.Caller, Page: page})
		if err != nil {
			return nil, err
		}
		for _, conv := range convs {
			turns, err := s.Words.Turns(ctx, x.call.Tenant, conv)
			if err != nil && ctx.Err() != nil {
				return nil, err
			}
			if err != nil {
				s.Log.WarnContext(ctx, "a conversation could not be searched for what is to be forgotten",
					"conversation", conv.ID, "err", err)
				continue
			}
			search.Read(conv.ID, gone.Blank(conv.ID, turns), conv.ID == x.conv.ID)
		}
		if next == "" {
			return search.Told(false), nil
		}
		page.Cursor = next
	}
}

// How many candidates are listed, and how much of each.
const (
	maxCandidates = 8
	maxQuoted     = 200
)

// candidates returns the turns that may be meant, each under the words that name it.
func candidates(turns []forgotten.Told) []recaller.Memory {
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
