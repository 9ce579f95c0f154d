package wrapup

import (
	"context"
	"slices"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory/likeness"
	"github.com/recallerhq/recaller/internal/wrapup/extract"
	"github.com/recallerhq/recaller/internal/wrapup/name"
	"github.com/recallerhq/recaller/internal/wrapup/summary"
)

// NothingKept is what the rules' summary says if no words are kept, because the rules could only quote them.
const NothingKept = "No words of this conversation are kept."

// rules write a wrap-up without a model. They have an answer for any words. They fail only if what is known cannot be
// read.
type rules struct{ *Service }

func (r rules) summarise(ctx context.Context, w work) (recaller.StepResult, error) {
	sum := summary.Write(w.reading(), summary.Options{
		Typed: w.conv.Channel.Text(), Broken: w.conv.Status == recaller.Failed, Acts: w.agreed,
	})
	if lastsWithProcess(w) {
		sum = recaller.Summary{Brief: NothingKept, By: By}
	}
	name, err := callerName(w)
	if err != nil {
		return recaller.StepResult{}, err
	}
	left, err := r.unfinished(ctx, w)
	return recaller.StepResult{State: recaller.StepDone, By: By, Summary: &sum, Name: name, Unfinished: left}, err
}

// callerName returns the caller's name as he said it, or "". It is kept from every conversation, however short (P12).
func callerName(w work) (string, error) {
	said, turn, ok := name.Said(w.naming())
	if !ok || w.gone.Retold(recaller.Memory{
		Type: recaller.Fact, Key: "caller_name", Value: said, CreatedAt: w.said([]int{turn}),
		Provenance: recaller.Provenance{Conversation: w.conv.ID, Turns: []int{turn}},
	}) {
		return "", nil
	}
	k, err := w.known()
	if err != nil || k.named(w.conv) {
		return "", err
	}
	return said, nil
}

func (r rules) extract(_ context.Context, w work) (recaller.StepResult, error) {
	k, err := w.known()
	if err != nil {
		return recaller.StepResult{}, err
	}
	return recaller.StepResult{State: recaller.StepDone, By: By, Memories: r.find(w, k)}, nil
}

// find looks for memories, given what is known.
func (r rules) find(w work, k known) []recaller.Memory {
	if lastsWithProcess(w) { // they are quotations
		return nil
	}
	s := &sieve{work: w, known: k, own: w.turns, newID: r.NewID}
	for _, c := range w.found() {
		if m := memory(w, r.NewID(), c); s.rename(&m, c.Other) {
			s.add(m)
		}
	}
	for _, c := range extract.Reversals(w.reading(), k.active) {
		s.add(memory(w, r.NewID(), c))
	}
	return surest(s.kept)
}

// rename gives a memory its other key if its own is taken by something else: two things of which one may have several
// do not contradict. It reports false if both keys are taken.
func (s *sieve) rename(m *recaller.Memory, other string) bool {
	old, known := s.activeAs(m.Key)
	if !known || other == "" || other == m.Key || s.carries(m.Provenance.Turns, old.Value) {
		return true
	}
	m.Key = other
	_, known = s.activeAs(other)
	return !known
}

// activeAs returns the active memory that has a key.
func (s *sieve) activeAs(key string) (recaller.Memory, bool) {
	id, known := likeness.Same(s.active, key)
	if !known {
		return recaller.Memory{}, false
	}
	return s.active[slices.IndexFunc(s.active, func(k recaller.Memory) bool { return k.ID == id })], true
}

// memory returns what is stored of something that was found in the words, whoever found it.
func memory(w work, id string, c extract.Candidate) recaller.Memory {
	return recaller.Memory{
		ID: recaller.MemoryID(id), Caller: w.conv.Caller, Type: c.Type, Key: c.Key, Value: c.Value,
		Confidence: c.Confidence, Source: recaller.SourceExtraction, PrivacyScope: recaller.LineOnly,
		DueAt: c.DueAt, DueDay: c.DueDay,
		Provenance: recaller.Provenance{Conversation: w.conv.ID, Turns: c.Turns, Thread: w.conv.Thread},
		// A fact is as old as its words, also when a past conversation is imported.
		CreatedAt: w.said(c.Turns), ConfirmedAt: w.said(c.Turns),
	}
}
