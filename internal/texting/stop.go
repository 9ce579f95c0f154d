package texting

import (
	"context"
	"errors"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/sms"
)

// commanded carries out what a text tells the number, if it does. Empty: it is for whoever answers there.
//
// What was carried out is marked with the change itself, so that the same text again, at once, changes nothing; and for
// longer by a mark of its own, so that a stop that comes again late does not undo a start.
func (s *Service) commanded(
	ctx context.Context, t recaller.Tenant, th recaller.Thread, in Incoming, o order,
) (Taken, error) {
	c := in.Told
	if c == sms.None {
		c = sms.CommandOf(in.Text, t.Telephone.Language, in.Channel == recaller.ChannelWhatsApp)
	}
	if c == sms.None {
		return "", nil
	}
	const carriedOut = "texting command "
	before, err := s.Store.Marked(ctx, t.ID, th.Caller, carriedOut+o.mark)
	if before || err != nil || th.Stopping.By == o.mark {
		return Again, err
	}
	stopped := th.Stopping.Stopped()
	switch c {
	case sms.Start:
		if !stopped && in.Told == sms.None {
			return "", nil // he answers a question
		}
		o.what = sayStarted
	case sms.Stop:
		o.what = sayStopped
	default:
		o.what = sayWhoWeAre
	}
	if tells := in.Told == sms.None && s.sends(in.Carrier, in.Channel); tells && (o.what != sayStopped || !stopped) {
		if err := s.enqueue(ctx, t.ID, th.Caller, o); err != nil {
			return "", err
		}
	}
	if o.what != sayWhoWeAre {
		if err := s.stop(ctx, t.ID, th, o.what == sayStopped, o.mark); err != nil {
			return "", err
		}
	}
	s.Metrics.command(c)
	_, err = s.Store.Mark(ctx, t.ID, th.Caller, carriedOut+o.mark, s.Now())
	return Obeyed, err
}

// stop writes that somebody wants nothing more, or wants it again. Who wants nothing already does so since then.
func (s *Service) stop(
	ctx context.Context, tenant recaller.TenantID, th recaller.Thread, stops bool, by string,
) error {
	now := recaller.Stopping{By: by}
	if stops {
		if now.At = s.Now(); th.Stopping.Stopped() {
			now.At = th.Stopping.At
		}
	}
	_, err := s.Store.ChangeThread(ctx, tenant, th.ID, recaller.ThreadPatch{Stopping: &now})
	return err
}

// Stopped reports whether somebody told a number of the tenant's to send him nothing more, or the carrier said that he
// did. Nothing is to be sent to him then, whatever it is about.
func (s *Service) Stopped(ctx context.Context, tenant recaller.TenantID, p Peer) (bool, error) {
	th, err := s.Store.Thread(ctx, tenant, p.Chat())
	if errors.Is(err, recaller.NotFound) {
		return false, nil
	}
	return th.Stopping.Stopped(), err
}
