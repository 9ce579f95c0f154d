package errand

import (
	"context"
	"errors"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/errand/steps"
)

// Answer is what is to be done with a call that somebody picked up.
type Answer struct {
	// HangUp: there is nothing to say any more, or a machine took the call.
	HangUp bool
	// Text is spoken, and then the call ends; empty: an agent talks, and begins with Opening.
	Text, Opening string
	Language      string // of both
	Machine       bool   // nobody is there: no conversation begins
}

// Answered says what to do with a call of an errand's that somebody picked up. by is who, in Twilio's word (AnsweredBy in
// twilio.com/docs/voice/answering-machine-detection): human, machine_start, machine_end_beep, machine_end_silence,
// machine_end_other, fax, unknown; empty where nobody asked. agent says that one can talk. The same call may ask again.
func (s *Service) Answered(
	ctx context.Context, t recaller.Tenant, f Ref, call, by string, agent bool,
) (a Answer, err error) {
	machine := strings.HasPrefix(by, "machine") || by == "fax"
	reason := ""
	if machine {
		reason = recaller.ErrandMachine
		if t.Outbound.Voicemail == recaller.VoicemailMessage && strings.HasPrefix(by, "machine_end") {
			reason = recaller.ErrandMessage
		}
	}
	r, err := s.Store.Reminder(ctx, t.ID, f.Reminder)
	if gone(err) || err == nil && r.Status != recaller.ReminderPending {
		return Answer{HangUp: true}, nil
	}
	if err != nil {
		return a, err
	}
	m, err := s.about(ctx, t, r)
	if errors.Is(err, recaller.NotFound) { // it was forgotten while it rang
		return Answer{HangUp: true}, s.cancel(ctx, t.ID, r)
	}
	if err != nil {
		return a, err
	}
	out, err := s.of(ctx, t.ID, f, func(e recaller.Errand) recaller.Errand {
		e = steps.Answered(e, call, s.Now())
		e.Reason = reason
		return e
	})
	if err != nil {
		return a, err
	}
	talks := out.Status == recaller.ReminderPending && ofRing(out, f) && out.Errand.State == recaller.ErrandTalking
	if !talks || out.Errand.Call != call {
		return Answer{HangUp: true}, nil
	}
	return s.say(m, by, reason, agent), nil
}

// say is what is said to whoever picked up. What to remind of is told to a person only.
func (s *Service) say(m matter, by, reason string, agent bool) (a Answer) {
	a.Machine = reason != ""
	switch {
	case reason == recaller.ErrandMachine:
		a.HangUp = true
	case reason == recaller.ErrandMessage:
		a.Text, a.Language = m.Neutral()
	case agent:
		a.Opening, a.Language = m.Opening()
	case m.private || by == "unknown":
		a.Text, a.Language = m.Neutral()
	default:
		a.Text, a.Language = m.Spoken()
	}
	return a
}

// ofRing reports whether an errand is at a ring.
func ofRing(r recaller.Reminder, f Ref) bool {
	return begun(r) && r.DueAt.Equal(f.Due) && r.Errand.Rings == f.Ring
}

// of changes the errand of a ring that the carrier tells of, if it still waits for that.
func (s *Service) of(
	ctx context.Context, tenant recaller.TenantID, f Ref, make func(recaller.Errand) recaller.Errand,
) (recaller.Reminder, error) {
	r := recaller.Reminder{ID: f.Reminder, DueAt: f.Due}
	return s.change(ctx, tenant, r, func(e recaller.Errand) (recaller.Errand, bool) {
		if e.Rings != f.Ring || !e.State.Busy() {
			return e, false
		}
		return make(e), true
	})
}

// Begun notes the conversation of a call that was picked up: its briefing says why the caller is rung. What is said in it
// by us is kept as a turn; empty: nothing.
func (s *Service) Begun(
	ctx context.Context, tenant recaller.TenantID, f Ref, conv recaller.ConversationID, said string,
) error {
	if said != "" {
		if err := s.Say(ctx, tenant, conv, said); err != nil {
			s.Log.WarnContext(ctx, "what was said about a reminder is not kept", "tenant", string(tenant), "err", err)
		}
	}
	_, err := s.Store.ChangeErrand(ctx, tenant, f.Reminder, s.Now(), func(r recaller.Reminder, _ besideFunc) (outcome, error) {
		if !ofRing(r, f) || r.Errand.State.Over() {
			return nil, nil
		}
		return &recaller.ErrandWrite{Errand: *r.Errand, Conversation: conv}, nil
	})
	if gone(err) {
		return nil
	}
	return err
}

// Over notes that a call of an errand's is over, in the carrier's word.
func (s *Service) Over(ctx context.Context, t recaller.Tenant, f Ref, call, status string) error {
	if !(recaller.PhoneCall{Status: status}).Over() {
		return nil
	}
	_, err := s.of(ctx, t.ID, f, func(e recaller.Errand) recaller.Errand {
		if e.Call == "" {
			e.Call = call
		}
		return steps.Ended(e, t, status, s.Now())
	})
	return err
}
