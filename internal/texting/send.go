package texting

import (
	"context"
	"errors"
	"strconv"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/sms"
)

// deliver sends a text in as many parts as it takes, each once. Whom the carrier knows to have stopped is stopped here, too.
func (s *Service) deliver(
	ctx context.Context, tenant recaller.TenantID, th recaller.Thread, o order, text string,
) error {
	p, ok := peerOf(th)
	if !ok {
		return recaller.Errorf(recaller.Invalid, "the thread is none of texts")
	}
	for i, part := range parts(p.Channel, text) {
		token := "texting part " + o.mark + " " + string(o.what) + " " + strconv.Itoa(i)
		before, err := s.Store.Marked(ctx, tenant, th.Caller, token)
		if err != nil {
			return err
		}
		if before {
			continue
		}
		_, err = s.Carrier.Text(ctx, recaller.PhoneText{
			Carrier: o.carrier, Channel: p.Channel, From: p.Ours, To: p.Theirs, Words: part, StatusTo: s.StatusTo,
		})
		s.Metrics.sent(o.carrier, err)
		if errors.Is(err, recaller.ErrOptedOut) {
			return errors.Join(err, s.stop(context.WithoutCancel(ctx), tenant, th, true, string(o.carrier)))
		}
		if err != nil {
			return err
		}
		if _, err := s.Store.Mark(context.WithoutCancel(ctx), tenant, th.Caller, token, s.Now()); err != nil {
			return err
		}
	}
	return nil
}

// parts parts a text as its channel takes it.
func parts(c recaller.Channel, text string) []string {
	if c == recaller.ChannelWhatsApp {
		return sms.Split(text, 0)
	}
	return sms.Split(sms.Plain(text), sms.MaxSegments)
}
