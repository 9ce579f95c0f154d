package errand

import (
	"context"
	"errors"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/errand/steps"
	"github.com/recallerhq/recaller/internal/sms"
)

// text marks a text, has the carrier send it, and keeps it in the conversation in which an answer will be.
func (s *Service) text(ctx context.Context, t recaller.Tenant, seen recaller.Reminder, m matter) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), asking)
	defer cancel()
	marked, err := s.as(ctx, t.ID, seen, func(e recaller.Errand) recaller.Errand {
		return steps.Write(e, t, m.number, s.Now())
	})
	if err != nil || marked.Errand == nil || marked.Errand.State != recaller.ErrandTexting || marked.Status != recaller.ReminderPending {
		return err
	}
	_, err = s.Carrier.Text(ctx, recaller.PhoneText{
		Carrier: recaller.CarrierTwilio, Channel: recaller.ChannelSMS, From: marked.Errand.From, To: marked.Errand.To, Words: m.words(),
		StatusTo: s.Texted,
	})
	switch kind := recaller.KindOf(err); {
	case err == nil:
		return s.sent(ctx, t, marked, m)
	case kind == recaller.Timeout: // it may be out: it is looked for
		return nil
	case errors.Is(err, recaller.ErrOptedOut):
		return s.fail(ctx, t.ID, marked, recaller.ErrandOptedOut)
	case kind == recaller.Invalid:
		return s.fail(ctx, t.ID, marked, recaller.ErrandRefused)
	}
	s.Log.WarnContext(ctx, "the carrier does not text", "tenant", string(t.ID), "reminder", string(marked.ID), "err", err)
	_, err = s.as(ctx, t.ID, marked, func(e recaller.Errand) recaller.Errand { return steps.Retreats(e, s.Now()) })
	return err
}

// words is what is texted. Of what is private it is only told that there is something.
func (m matter) words() string {
	if m.private {
		return sms.Plain(m.Discreet())
	}
	return sms.Plain(m.Text())
}

// findText asks the carrier for a text of which it is not known whether it went out.
func (s *Service) findText(ctx context.Context, t recaller.Tenant, r recaller.Reminder, m matter) error {
	e := *r.Errand
	now := s.Now()
	sent, err := s.carrierCalls(ctx, e)
	switch {
	case err != nil && now.Sub(e.Since) < steps.Patience:
		return s.later(ctx, t.ID, r, now.Add(steps.Away))
	case len(sent) > 0:
		return s.sent(ctx, t, r, m)
	case now.Sub(e.Since) < steps.Sure:
		return s.later(ctx, t.ID, r, now.Add(steps.Doubt))
	}
	return s.wait(ctx, t.ID, r, steps.Plan{At: now, Reason: recaller.ErrandCarrier})
}

// sent keeps a text that went out. If that fails it is looked for again, and kept then.
func (s *Service) sent(ctx context.Context, t recaller.Tenant, r recaller.Reminder, m matter) error {
	var conv recaller.ConversationID
	if m.Words != "" { // what it was of may be forgotten by now
		var err error
		conv, err = s.Chats.Tell(ctx, t.ID, r.Errand.From, r.Errand.To, string(r.Occurrence()), m.words())
		if err != nil {
			return err
		}
	}
	now := s.Now()
	wrote := false
	out, err := s.Store.ChangeErrand(ctx, t.ID, r.ID, now, func(is recaller.Reminder, _ besideFunc) (outcome, error) {
		wrote = false
		if !begun(is) || !is.DueAt.Equal(r.DueAt) || is.Errand.State != recaller.ErrandTexting {
			return nil, nil
		}
		w := s.write(is, steps.Reached(*is.Errand, recaller.MeansText, now), now)
		w.Conversation, wrote = conv, true
		return w, nil
	})
	if gone(err) {
		return nil
	}
	if err == nil && wrote {
		s.wrote(t.ID, out)
	}
	return err
}
