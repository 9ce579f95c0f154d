package texting

import (
	"context"
	"errors"
	"strconv"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/exchange"
	"github.com/recallerhq/recaller/internal/sms"
)

// Send sends a text of the tenant's own accord, such as a reminder, and keeps it in the chat with whom it goes to: his
// answer comes into the same exchange. The same id twice is one text, each part of which is sent once.
//
// Errors are recaller.ErrOptedOut where he told the number, or the carrier, to stop, and the carrier's.
func (s *Service) Send(
	ctx context.Context, tenant recaller.TenantID, by recaller.Carrier, p Peer, id, text string,
) error {
	th, _, err := s.Exchanges.Open(ctx, tenant, exchange.Party{
		Channel: p.Channel, Chat: p.Chat(), Caller: conversation.CallerRef{Phone: p.Theirs},
	})
	if err != nil {
		return err
	}
	if th.Stopping.Stopped() {
		return recaller.ErrOptedOut
	}
	kept, err := s.Exchanges.Tell(ctx, tenant, th, id, text)
	if err != nil {
		return err
	}
	if kept.Turn.Text != "" {
		text = kept.Turn.Text // secrets are masked in it
	}
	return s.deliver(ctx, tenant, th, order{mark: id, what: "send", carrier: by}, text)
}

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
