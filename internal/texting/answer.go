package texting

import (
	"context"
	"errors"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/agent"
	"github.com/recallerhq/recaller/internal/exchange"
)

// Run does a job of kind recaller.JobText: it answers a text, or confirms a command. An error means that the job must run
// again.
func (s *Service) Run(ctx context.Context, j recaller.Job) error {
	o, ok := orderOf(j.Subject)
	if !ok {
		s.Log.ErrorContext(ctx, "a job about a text is none", "tenant", j.Tenant)
		return nil
	}
	th, err := s.Store.Thread(ctx, j.Tenant, string(o.thread))
	if errors.Is(err, recaller.NotFound) { // its caller was erased
		return nil
	}
	if err != nil {
		return err
	}
	t, err := s.Tenants.Tenant(ctx, j.Tenant)
	if err != nil {
		return err
	}
	if o.what != toAnswer {
		return s.confirm(ctx, t, th, o)
	}
	if !s.answers(t, th, o.carrier) { // he stopped meanwhile, or the tenant has it otherwise
		s.Metrics.answer(answerUnwanted)
		return nil
	}
	return s.answer(ctx, t, th, o, j.Attempts)
}

// keptWithin is at how many tries of its job, a minute from the first to the last, a text must be kept: the job is left
// before it.
const keptWithin = 7

// answer has a text answered, and sends the answer.
func (s *Service) answer(ctx context.Context, t recaller.Tenant, th recaller.Thread, o order, tries int) error {
	in := asking(o)
	got, err := s.Exchanges.Answer(ctx, t.ID, in)
	switch {
	case errors.Is(err, recaller.NotFound) && tries < keptWithin:
		return recaller.Errorf(recaller.Unavailable, "the text is not kept yet")
	case errors.Is(err, recaller.NotFound): // it was forgotten, or lies long back
		s.Metrics.answer(answerGone)
		return nil
	case errors.Is(err, agent.ErrNoModel):
		s.Log.ErrorContext(ctx, "a text has no agent to answer it", "tenant", t.ID, "thread", th.ID, "err", err)
		s.Metrics.answer(answerFailed)
		return nil
	case errors.Is(err, recaller.Invalid): // the model has no answer to this, and would have none later
		got, err = s.Exchanges.Apologise(ctx, t.ID, in, recaller.Invalid)
	}
	switch {
	case err != nil:
		return err
	case got.TooMany: // two machines answer each other
		s.Log.WarnContext(ctx, "an exchange of texts is not answered any more for a while", "tenant", t.ID, "thread", th.ID)
		s.Metrics.answer(answerTooMany)
		return nil
	case got.Newer: // the job of what is newer answers both
		s.Metrics.answer(answerTogether)
		return nil
	}
	if th, err = s.Store.Thread(ctx, t.ID, string(th.ID)); err != nil || th.Stopping.Stopped() {
		return err // he stopped while the model thought
	}
	return s.out(ctx, t.ID, th, o, got.Text)
}

func asking(o order) exchange.Asking {
	return exchange.Asking{Thread: o.thread, ID: o.mark, Patience: patience, Most: mostAnHour}
}

// out sends an answer. What would be refused again is not tried again.
func (s *Service) out(
	ctx context.Context, tenant recaller.TenantID, th recaller.Thread, o order, text string,
) error {
	err := s.deliver(ctx, tenant, th, o, text)
	switch {
	case err == nil:
		s.Metrics.answer(answerSent)
		return nil
	case errors.Is(err, recaller.ErrOptedOut):
		s.Metrics.answer(answerStopped)
	case errors.Is(err, recaller.Invalid):
		s.Metrics.answer(answerRefused)
		s.Log.WarnContext(ctx, "a text was refused by the carrier", "tenant", tenant, "thread", th.ID, "carrier", string(o.carrier), "err", err)
	default:
		return err
	}
	if o.what != toAnswer {
		return nil
	}
	return s.undelivered(ctx, tenant, string(th.ID), o.mark)
}

// GiveUp ends a job of which every try failed. Where the model did not answer, he is told so once.
func (s *Service) GiveUp(ctx context.Context, j recaller.Job, cause error) error {
	o, ok := orderOf(j.Subject)
	if !ok {
		return nil
	}
	s.Metrics.answer(answerFailed)
	s.Log.WarnContext(ctx, "a text is given up", "tenant", j.Tenant, "thread", o.thread, "what", string(o.what),
		"kind", string(recaller.KindOf(cause)))
	if o.what != toAnswer {
		return nil
	}
	t, err := s.Tenants.Tenant(ctx, j.Tenant)
	if err != nil {
		return err
	}
	th, err := s.Store.Thread(ctx, j.Tenant, string(o.thread))
	if errors.Is(err, recaller.NotFound) || err == nil && !s.answers(t, th, o.carrier) {
		return nil
	}
	if err != nil {
		return err
	}
	got, err := s.Exchanges.Apologise(ctx, j.Tenant, asking(o), recaller.Unavailable)
	if errors.Is(err, recaller.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := s.deliver(ctx, j.Tenant, th, o, got.Text); err != nil { // the carrier is away, too
		s.Log.WarnContext(ctx, "an answer is kept, and could not be sent",
			"tenant", j.Tenant, "thread", th.ID, "kind", string(recaller.KindOf(err)))
		return s.undelivered(ctx, j.Tenant, string(th.ID), o.mark)
	}
	return nil
}
