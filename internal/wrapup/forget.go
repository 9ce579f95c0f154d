package wrapup

import (
	"context"
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/memory/likeness"
)

// forget puts into the result of a step what the caller asked for in words to have forgotten, in any conversation however short:
// his memories that say it, and where he told it and nothing was kept, the turns themselves.
func (s *Service) forget(ctx context.Context, w work, r *recaller.StepResult) error {
	if len(w.asked) == 0 {
		return nil
	}
	k, err := w.known()
	if err != nil {
		return err
	}
	for _, asked := range w.asked {
		for _, m := range asked.Means(w.conv.ID, k.active) {
			s.close(w, r, asked, m, forgotten.Same(m, k.active))
		}
	}
	return s.forgetTurns(ctx, w, k, r)
}

// close adds a memory to those that a step forgets, once.
func (s *Service) close(w work, r *recaller.StepResult, asked forgotten.Request, m recaller.Memory, also []recaller.MemoryID) {
	if slices.ContainsFunc(r.Forget, func(c recaller.Changing) bool { return c.ID == m.ID }) {
		return
	}
	c := recaller.Changing{
		ID: m.ID, Forget: true, Patch: recaller.MemoryPatch{At: s.Now()}, Also: also,
		Forgetting: recaller.Forgetting{At: asked.At, Asked: recaller.Provenance{Conversation: w.conv.ID, Turns: asked.Turns}},
	}
	if likeness.OfName(m.Key) {
		c.Name = m.Value
	}
	r.Forget = append(r.Forget, c)
}

// forgetTurns hides what the caller told in his own words and asked to have forgotten, though no memory was made of it.
func (s *Service) forgetTurns(ctx context.Context, w work, k known, r *recaller.StepResult) error {
	gone, err := s.Store.Forgotten(ctx, w.tenant.ID, w.conv.Caller)
	if err != nil {
		return err
	}
	past, _, err := s.Store.Conversations(ctx, w.tenant.ID, recaller.ConversationFilter{Caller: w.conv.Caller, Page: recaller.Page{Limit: lookedThrough}})
	if err != nil {
		return err
	}
	view := forgotten.New(gone)
	for _, conv := range past {
		if conv.StartedAt.After(w.conv.StartedAt) || conv.Status == recaller.Active {
			continue
		}
		turns, err := s.Words.Turns(ctx, w.tenant.ID, conv)
		if err != nil {
			return err
		}
		for _, t := range turns {
			asked := slices.IndexFunc(w.asked, func(a forgotten.Request) bool { return a.Tells(t, conv.ID == w.conv.ID) })
			if asked >= 0 && !view.Hides(conv.ID, t) {
				s.forgetTurn(w, r, w.asked[asked], conv, t, k)
			}
		}
	}
	return nil
}

// forgetTurn hides one turn: with the memory of it that was meant, else with all that were made of it, else with one that is made
// to be closed.
func (s *Service) forgetTurn(w work, r *recaller.StepResult, asked forgotten.Request, conv recaller.Conversation, t recaller.Turn, k known) {
	var made []recaller.Memory
	for _, m := range k.active {
		if m.Provenance.Conversation == conv.ID && slices.Contains(m.Provenance.Turns, t.Number) {
			made = append(made, m)
		}
	}
	meant := func(m recaller.Memory) bool {
		return slices.ContainsFunc(r.Forget, func(c recaller.Changing) bool { return c.ID == m.ID })
	}
	switch {
	case slices.ContainsFunc(made, meant):
	case len(made) > 0:
		for _, m := range made {
			s.close(w, r, asked, m, forgotten.Same(m, k.active))
		}
	default:
		m := unkept(conv, t, s.NewID())
		r.Unkept = append(r.Unkept, m)
		s.close(w, r, asked, m, nil)
	}
}

// lookedThrough is how many conversations are looked through for words that are to be forgotten, the last ones first.
const lookedThrough = 50

// unkept is the memory that stands for a turn of which nothing is to be told.
func unkept(conv recaller.Conversation, t recaller.Turn, id string) recaller.Memory {
	return recaller.Memory{
		ID: recaller.MemoryID(id), Caller: conv.Caller, Type: recaller.History, Key: "taken_back_" + strings.ToLower(id), Value: t.Text,
		Confidence: t.Confidence, Source: recaller.SourceExtraction, PrivacyScope: recaller.LineOnly,
		Provenance: recaller.Provenance{Conversation: conv.ID, Turns: []int{t.Number}}, CreatedAt: t.At, ConfirmedAt: t.At,
	}
}

// takenBack reports whether the caller asked later in the conversation to have forgotten what was found in it.
func (w work) takenBack(m recaller.Memory) bool {
	return slices.ContainsFunc(w.asked, func(r forgotten.Request) bool {
		return len(r.Means(w.conv.ID, []recaller.Memory{m})) > 0
	})
}
