package errand

import (
	"context"
	"errors"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/errand/steps"
)

// asking bounds a question to the carrier and writing down its answer, which is done even while the process stops: once an
// errand is marked, nobody else goes on with it.
const asking = 20 * time.Second

// Run does a job of kind recaller.JobErrand: it goes on with an errand. An error means that the job must run again.
func (s *Service) Run(ctx context.Context, j recaller.Job) error {
	r, err := s.Store.Reminder(ctx, j.Tenant, recaller.ReminderID(j.Subject))
	if errors.Is(err, recaller.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if r.Status != recaller.ReminderPending || !begun(r) || r.Errand.State.Over() || r.ErrandJob().ID != j.ID {
		return nil
	}
	t, err := s.Tenants.Tenant(ctx, j.Tenant)
	if err != nil {
		return err
	}
	m, err := s.about(ctx, t, r)
	if errors.Is(err, recaller.NotFound) && !r.Errand.State.Busy() {
		return s.cancel(ctx, j.Tenant, r)
	}
	if err != nil && !errors.Is(err, recaller.NotFound) {
		return err
	}
	switch r.Errand.State {
	case recaller.ErrandWaiting:
		return s.goOn(ctx, t, r, m)
	case recaller.ErrandDialling:
		return s.findRing(ctx, t, r)
	case recaller.ErrandTexting:
		return s.findText(ctx, t, r, m)
	default:
		return s.ask(ctx, t, r)
	}
}

// GiveUp ends an errand whose job failed too often: neither store nor carrier say how it stands.
func (s *Service) GiveUp(ctx context.Context, j recaller.Job, _ error) error {
	r, err := s.Store.Reminder(ctx, j.Tenant, recaller.ReminderID(j.Subject))
	if gone(err) || err == nil && (r.Status != recaller.ReminderPending || !begun(r)) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.fail(ctx, j.Tenant, r, recaller.ErrandLate)
}

func (s *Service) cancel(ctx context.Context, tenant recaller.TenantID, r recaller.Reminder) error {
	if _, err := s.Store.CloseReminder(ctx, tenant, r.ID, recaller.ReminderCancelled, "", s.Now()); err != nil && !gone(err) {
		return err
	}
	return nil
}

// goOn does what is next with an errand that waits.
func (s *Service) goOn(ctx context.Context, t recaller.Tenant, r recaller.Reminder, m matter) error {
	now := s.Now()
	moment := steps.Moment{
		Errand: *r.Errand, Tenant: t, Means: steps.MeansOf(t, r), Number: m.number, Zone: m.zone, Overtaken: overtakes(r), Now: now,
	}
	if s.Carrier == nil {
		moment.Means = recaller.MeansNone
	}
	if r.Errand.Means.Texts() {
		out, err := s.Chats.OptedOut(ctx, t.ID, t.Outbound.From, m.number)
		if err != nil {
			return err
		}
		moment.OptedOut = out
	}
	switch plan := steps.Next(moment); plan.Act {
	case steps.Wait:
		return s.wait(ctx, t.ID, r, plan)
	case steps.Fail:
		return s.fail(ctx, t.ID, r, plan.Reason)
	case steps.Ring:
		return s.ring(ctx, t, r, m)
	default:
		return s.text(ctx, t, r, m)
	}
}

// as changes an errand that still stands as it was seen.
func (s *Service) as(
	ctx context.Context, tenant recaller.TenantID, seen recaller.Reminder, make func(recaller.Errand) recaller.Errand,
) (recaller.Reminder, error) {
	return s.change(ctx, tenant, seen, func(e recaller.Errand) (recaller.Errand, bool) {
		if e.State != seen.Errand.State || e.Rings != seen.Errand.Rings || e.Call != seen.Errand.Call {
			return e, false
		}
		return make(e), true
	})
}

func (s *Service) wait(ctx context.Context, tenant recaller.TenantID, r recaller.Reminder, p steps.Plan) error {
	_, err := s.as(ctx, tenant, r, func(e recaller.Errand) recaller.Errand { return steps.Waits(e, p.At, p.Reason, s.Now()) })
	return err
}

func (s *Service) fail(ctx context.Context, tenant recaller.TenantID, r recaller.Reminder, reason string) error {
	_, err := s.as(ctx, tenant, r, func(e recaller.Errand) recaller.Errand { return steps.Failed(e, reason, s.Now()) })
	return err
}

// ring marks a ring, has the carrier ring, and notes what it says.
func (s *Service) ring(ctx context.Context, t recaller.Tenant, r recaller.Reminder, m matter) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), asking)
	defer cancel()
	marked, plan, err := s.mark(ctx, t, r, m.number)
	if err != nil || plan.Act != steps.Ring {
		return err
	}
	ref := "?" + Ref{r.ID, r.DueAt, marked.Errand.Rings}.query()
	call, err := s.Carrier.Ring(ctx, recaller.PhoneRing{
		Carrier: recaller.CarrierTwilio, From: marked.Errand.From, To: marked.Errand.To, AnswerAt: s.Voice + ref, StatusTo: s.Ended + ref,
		Ringing: steps.Ringing, Detect: detection(t.Outbound.Voicemail),
	})
	return s.rung(ctx, t, marked, call, err)
}

// detection is how the carrier is asked whether a machine answers.
func detection(v recaller.Voicemail) string {
	switch v {
	case recaller.VoicemailIgnore:
		return ""
	case recaller.VoicemailMessage:
		return "DetectMessageEnd"
	}
	return "Enable"
}

// mark marks that a ring is asked for. The plan says whether it may be.
func (s *Service) mark(
	ctx context.Context, t recaller.Tenant, seen recaller.Reminder, number string,
) (out recaller.Reminder, plan steps.Plan, err error) {
	s.marking.Lock()
	defer s.marking.Unlock()
	now := s.Now()
	busy, err := s.Store.BusyErrands(ctx, t.ID)
	if err != nil {
		return out, plan, err
	}
	out, err = s.Store.ChangeErrand(ctx, t.ID, seen.ID, now, func(r recaller.Reminder, beside besideFunc) (outcome, error) {
		plan = steps.Plan{}
		if !begun(r) || r.Errand.Step != seen.Errand.Step {
			return nil, nil
		}
		stands, err := beside(now)
		if err != nil {
			return nil, err
		}
		stands.Busy = busy
		e, p := steps.Dial(*r.Errand, t, number, stands, now)
		switch plan = p; p.Act {
		case steps.Wait:
			e = steps.Waits(e, p.At, p.Reason, now)
		case steps.Fail:
			e = steps.Failed(e, p.Reason, now)
		}
		return s.write(r, e, now), nil
	})
	if gone(err) {
		return out, steps.Plan{}, nil
	}
	if err == nil && plan.Act != "" {
		s.wrote(t.ID, out)
	}
	return out, plan, err
}

// rung notes what the carrier said to a ring that was asked for.
func (s *Service) rung(
	ctx context.Context, t recaller.Tenant, r recaller.Reminder, call string, failed error,
) error {
	make := func(e recaller.Errand) recaller.Errand { return steps.Rung(e, call, s.Now()) }
	switch kind := recaller.KindOf(failed); {
	case failed == nil:
	case kind == recaller.Timeout: // it may ring: it is looked for
		return nil
	case kind == recaller.Invalid || errors.Is(failed, recaller.ErrOptedOut):
		make = func(e recaller.Errand) recaller.Errand { return steps.InVain(e, t, recaller.ErrandRefused, s.Now()) }
	default:
		s.Log.WarnContext(ctx, "the carrier does not ring", "tenant", string(t.ID), "reminder", string(r.ID), "err", failed)
		make = func(e recaller.Errand) recaller.Errand { return steps.Retreats(e, s.Now()) }
	}
	_, err := s.as(ctx, t.ID, r, make)
	return err
}

// findRing asks the carrier for a ring of which it is not known whether it came about.
func (s *Service) findRing(ctx context.Context, t recaller.Tenant, r recaller.Reminder) error {
	e := *r.Errand
	calls, err := s.carrierCalls(ctx, e)
	now := s.Now()
	if err != nil && now.Sub(e.Since) < steps.Patience {
		return s.later(ctx, t.ID, r, now.Add(steps.Away))
	}
	switch {
	case len(calls) == 0 && now.Sub(e.Since) < steps.Sure:
		return s.later(ctx, t.ID, r, now.Add(steps.Doubt))
	case len(calls) == 0:
		return s.wait(ctx, t.ID, r, steps.Plan{At: now, Reason: recaller.ErrandCarrier})
	}
	_, err = s.as(ctx, t.ID, r, func(e recaller.Errand) recaller.Errand {
		if e = steps.Rung(e, calls[0].ID, now); calls[0].Over() {
			e = steps.Ended(e, t, calls[0].Status, now)
		}
		return e
	})
	return err
}

// clocks is how far a carrier's clock may be behind ours.
const clocks = 10 * time.Second

func (s *Service) carrierCalls(ctx context.Context, e recaller.Errand) ([]recaller.PhoneCall, error) {
	if s.Carrier == nil {
		return nil, recaller.Errorf(recaller.Unavailable, "there is no carrier")
	}
	if e.State == recaller.ErrandTexting {
		return s.Carrier.Sent(ctx, e.From, e.To, e.Since.Add(-clocks))
	}
	return s.Carrier.Calls(ctx, e.From, e.To, e.Since.Add(-clocks))
}

// later has an errand looked at again at a time.
func (s *Service) later(ctx context.Context, tenant recaller.TenantID, r recaller.Reminder, at time.Time) error {
	_, err := s.as(ctx, tenant, r, func(e recaller.Errand) recaller.Errand { e.Next = at; return e })
	return err
}

// ask asks the carrier how a call stands of which nothing was heard for a while.
func (s *Service) ask(ctx context.Context, t recaller.Tenant, r recaller.Reminder) error {
	now := s.Now()
	call := recaller.PhoneCall{Status: "completed"}
	if now.Sub(r.Errand.Since) < steps.Longest {
		var err error
		if s.Carrier != nil {
			call, err = s.Carrier.Call(ctx, r.Errand.Call)
		}
		if err != nil || !call.Over() {
			return s.later(ctx, t.ID, r, now.Add(steps.Silence))
		}
	}
	_, err := s.as(ctx, t.ID, r, func(e recaller.Errand) recaller.Errand { return steps.Ended(e, t, call.Status, now) })
	return err
}
