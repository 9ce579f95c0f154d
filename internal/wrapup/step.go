package wrapup

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/agreement"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/identity"
	"github.com/recallerhq/recaller/internal/wrapup/extract"
	"github.com/recallerhq/recaller/internal/wrapup/label"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// work is a conversation with what its wrap-up needs to know.
type work struct {
	tenant   recaller.Tenant
	caller   recaller.Caller
	conv     recaller.Conversation
	turns    []recaller.Turn // those that say what was forgotten have no words
	gone     forgotten.View
	asked    []forgotten.Request // what the caller asks to have forgotten
	zone     *time.Location
	dayFirst bool
	reading  func() reading.Reading     // the words, with their sentences and dates; read once
	agreed   func() []recaller.Act      // what was agreed on about times; looked for once
	found    func() []extract.Candidate // what the rules find that the caller said of himself; looked for once
	known    func() (known, error)      // what is known of him already; read once
	packs    func() ([]label.Pack, error)
}

// about returns a conversation without its words.
func (s *Service) about(ctx context.Context, tenantID recaller.TenantID, conv recaller.Conversation) (w work, err error) {
	w.conv = conv
	if w.tenant, err = s.Tenants.Tenant(ctx, tenantID); err != nil {
		return w, err
	}
	if w.caller, err = s.Store.Caller(ctx, tenantID, conv.Caller); err != nil {
		return w, err
	}
	w.zone, w.dayFirst = identity.ZoneIn(w.conv, w.caller, w.tenant), identity.DayFirst(w.caller, w.tenant)
	return w, nil
}

func (s *Service) read(ctx context.Context, tenantID recaller.TenantID, conv recaller.Conversation) (work, error) {
	w, err := s.about(ctx, tenantID, conv)
	if err != nil {
		return w, err
	}
	if w.turns, err = s.Words.Turns(ctx, tenantID, conv); err != nil {
		return w, err
	}
	gone, err := s.Store.Forgotten(ctx, tenantID, conv.Caller)
	if err != nil {
		return w, err
	}
	w.gone = forgotten.New(gone)
	w.turns = w.gone.Blank(conv.ID, w.turns)
	w.asked = forgotten.Requests(w.turns)
	w.reading = sync.OnceValue(func() reading.Reading { return reading.Of(w.turns, w.startedAt(), w.dayFirst) })
	w.agreed = sync.OnceValue(func() []recaller.Act { return agreement.Find(w.reading()) })
	w.found = sync.OnceValue(func() []extract.Candidate {
		return extract.Memories(w.reading())
	})
	w.known = sync.OnceValues(func() (known, error) { return s.known(ctx, w) })
	w.packs = func() ([]label.Pack, error) { return s.Tenants.Packs(ctx, w.tenant) }
	return w, nil
}

// startedAt returns when the conversation began, in the caller's zone.
func (w work) startedAt() time.Time { return w.conv.StartedAt.In(w.zone) }

// said returns when the last of the turns was said. Without turns that is when the conversation began.
func (w work) said(turns []int) time.Time {
	if len(turns) > 0 {
		if t, ok := w.turn(turns[len(turns)-1]); ok {
			return t.At
		}
	}
	return w.conv.StartedAt
}

// turn returns the turn with a number. It returns false if there is none.
func (w work) turn(n int) (recaller.Turn, bool) {
	if n < 0 || n >= len(w.turns) {
		return recaller.Turn{}, false
	}
	return w.turns[n], true
}

// do has a step done, if it is still to be done, and writes what it left.
func (s *Service) do(ctx context.Context, w work, st step, by part) error {
	open, err := s.Store.TryStep(ctx, w.tenant.ID, w.conv, st.name)
	if err != nil || !open {
		return err
	}
	began := s.Now()
	r, err := st.result(ctx, w, by)
	if err != nil {
		return err
	}
	r.Step, r.Remembers = st.name, st.remembers
	written, err := s.write(ctx, w, r)
	if err != nil || written.Already {
		return err
	}
	s.observe(w, r, written, s.Now().Sub(began))
	return nil
}

// result does the work of a step, if its conditions hold.
func (st step) result(ctx context.Context, w work, by part) (recaller.StepResult, error) {
	if st.unless != nil {
		if why := st.unless(w); why != "" {
			return recaller.StepResult{State: recaller.StepSkipped, Reason: why}, nil
		}
	}
	return by(ctx, w)
}

// analyse labels a conversation from closed sets. The rules always do it, because a label outside of the sets would be
// of no use.
func analyse(_ context.Context, w work) (recaller.StepResult, error) {
	packs, err := w.packs()
	if errors.Is(err, recaller.Invalid) { // a later version checked the settings, and knew more packs
		return recaller.StepResult{State: recaller.StepFailed, Reason: "a keyword pack is not known"}, nil
	}
	if err != nil {
		return recaller.StepResult{}, err
	}
	a := label.Analyse(w.turns, w.agreed(), w.conv.Status == recaller.Failed, packs)
	return recaller.StepResult{State: recaller.StepDone, By: By, Analysis: &a}, nil
}

// acts returns what was agreed on about times, whoever writes the summary. For a tenant whose words are not kept it
// returns only when and by whom.
func acts(w work) []recaller.Act {
	found := w.agreed()
	if w.tenant.Retention != recaller.Ephemeral {
		return found
	}
	out := slices.Clone(found)
	for k := range out {
		out[k].Said = slices.Clone(out[k].Said)
		for i := range out[k].Said {
			out[k].Said[i].Text = ""
		}
	}
	return out
}

// wordless tells that the words which a step needs are gone.
func wordless(w work) string {
	if len(w.turns) == 0 && w.conv.Turns > 0 {
		return "the words are gone"
	}
	return ""
}

// unremembered tells why nothing of a conversation is remembered (W9).
func unremembered(w work) string {
	switch why := wordless(w); {
	case why != "" || w.conv.Channel.Text():
		return why
	case w.conv.Reminder:
		return "a reminder call"
	case len(w.turns) == 0:
		return "never connected"
	case w.conv.Duration < MinVoice:
		return "shorter than 30 seconds"
	}
	return ""
}

// write writes what a step left, and tells the feed of it.
func (s *Service) write(ctx context.Context, w work, r recaller.StepResult) (recaller.StepWritten, error) {
	r.Conversation, r.Caller, r.At, r.Turns = w.conv.ID, w.conv.Caller, s.Now(), w.conv.Turns
	if r.Summary != nil {
		r.Acts = acts(w)
	}
	if r.Unfinished != nil {
		r.Unfinished = kept(w, r)
	}
	written, err := s.commit(ctx, w, r)
	for tries := 1; recaller.KindOf(err) == recaller.Conflict && tries < mostTries; tries++ {
		written, err = s.commit(ctx, w, r) // something was forgotten just now
	}
	if err != nil || written.Already {
		return written, err
	}
	for _, c := range written.Changes {
		s.Changed(c)
	}
	return written, nil
}

// mostTries is how often a result is checked against what was forgotten. After that it waits for the next try.
const mostTries = 3

// commit writes a result, but leaves out what was forgotten meanwhile.
func (s *Service) commit(ctx context.Context, w work, r recaller.StepResult) (recaller.StepWritten, error) {
	if err := s.again(ctx, w, &r); err != nil {
		return recaller.StepWritten{}, err
	}
	if r.Remembers {
		if err := s.forget(ctx, w, &r); err != nil {
			return recaller.StepWritten{}, err
		}
	}
	return s.Store.WriteStep(ctx, w.tenant.ID, r)
}

func (s *Service) observe(w work, r recaller.StepResult, written recaller.StepWritten, took time.Duration) {
	stored := 0
	for _, m := range written.Stored {
		if m.Action == recaller.MemoryCreated {
			stored++
		}
	}
	s.Metrics.steps.WithLabelValues(string(r.Step), string(r.State)).Inc()
	s.Metrics.seconds.WithLabelValues(string(r.Step)).Observe(took.Seconds())
	if r.State == recaller.StepDone && r.Reason != "" {
		s.Metrics.fallbacks.WithLabelValues(r.Reason).Inc()
	}
	if r.Remembers && r.State == recaller.StepDone {
		s.Metrics.extracted.Observe(float64(len(r.Memories)))
		s.Metrics.stored.Add(float64(stored))
		s.Metrics.unsupported.Add(float64(r.Dropped))
	}
	s.Log.Info("wrap-up step", "tenant", w.tenant.ID, "conversation", w.conv.ID, "step", r.Step, "state", r.State,
		"by", r.By, "prompt", r.Prompt, "reason", r.Reason, "turns", len(w.turns), "extracted", len(r.Memories),
		"stored", stored, "dropped", r.Dropped, "dur_ms", took.Milliseconds())
}
