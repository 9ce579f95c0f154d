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
			Carrier: o.carrier, Channel: p.Channel, From: p.Ours, To: p.Theirs, Words: part, StatusTo: s.statusTo(o),
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

// MarkParameter is where the address that a carrier tells about an answer has the mark of what it answers.
const MarkParameter = "answers"

// statusTo is the address that the carrier tells what becomes of a text. Answers are turns, so it says which.
func (s *Service) statusTo(o order) string {
	if s.StatusTo == "" || o.what != toAnswer {
		return s.StatusTo
	}
	return s.StatusTo + "?" + MarkParameter + "=" + o.mark
}

// Outgoing is a text that went out, as the carrier tells of it.
type Outgoing struct {
	Carrier      recaller.Carrier
	Channel      recaller.Channel
	Ours, Theirs string
	Mark         string // of what it answers; empty: it is no answer
	Code         string // of the carrier's, for why it did not arrive; may be empty
}

// Undelivered takes in that a text did not reach whom it was for.
func (s *Service) Undelivered(ctx context.Context, t recaller.Tenant, out Outgoing) error {
	s.Log.WarnContext(ctx, "a text was not delivered", "tenant", t.ID, "channel", string(out.Channel), "carrier", string(out.Carrier), "code", out.Code)
	if out.Mark == "" {
		return nil
	}
	p, _ := s.party(t, Incoming{Channel: out.Channel, Ours: out.Ours, Theirs: out.Theirs})
	return s.undelivered(ctx, t.ID, p.Chat, out.Mark)
}

// undelivered has it stand behind an answer that it did not arrive. Where the conversation is over, or the answer is forgotten,
// that is in the log only.
func (s *Service) undelivered(ctx context.Context, tenant recaller.TenantID, chat, mark string) error {
	err := s.Exchanges.Undelivered(ctx, tenant, chat, mark)
	if errors.Is(err, recaller.NotFound) || errors.Is(err, recaller.Conflict) {
		return nil
	}
	return err
}

// parts parts a text as its channel takes it.
func parts(c recaller.Channel, text string) []string {
	if c == recaller.ChannelWhatsApp {
		return sms.Split(text, 0)
	}
	return sms.Split(sms.Plain(text), sms.MaxSegments)
}
