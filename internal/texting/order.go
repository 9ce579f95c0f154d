package texting

import (
	"context"
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
)

// order is what a job is to do about a text. It is the job's subject.
type order struct {
	thread  recaller.ThreadID
	mark    string // of the text
	what    what
	carrier recaller.Carrier // by which it came, and is answered
}

// what is what is to be done.
type what string

const (
	toAnswer     what = "answer"
	sayStopped   what = "stopped" // that nothing more will come
	sayStarted   what = "started" // that texts will come again
	sayWhoWeAre  what = "help"
	separator         = "."
	partsOfOrder      = 4
)

func (o order) subject() string {
	return strings.Join([]string{string(o.thread), o.mark, string(o.what), string(o.carrier)}, separator)
}

// orderOf reads a job's subject.
func orderOf(subject string) (o order, ok bool) {
	p := strings.Split(subject, separator)
	if len(p) != partsOfOrder {
		return o, false
	}
	o = order{recaller.ThreadID(p[0]), p[1], what(p[2]), recaller.Carrier(p[3])}
	return o, slices.Contains([]what{toAnswer, sayStopped, sayStarted, sayWhoWeAre}, o.what) && o.carrier.Valid()
}

// enqueue leaves a job. It waits a moment: for more of a text, and for what is done about it to be done.
func (s *Service) enqueue(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, o order,
) error {
	err := s.Store.EnqueueThread(ctx, tenant, caller, recaller.Job{
		ID: s.NewID(), Tenant: tenant, Kind: recaller.JobText, Subject: o.subject(), Caller: caller, RunAt: s.Now().Add(s.Wait),
	})
	if err == nil {
		s.Enqueued()
	}
	return err
}

// sends reports whether texts can be sent by a carrier. WhatsApp goes by Twilio only.
func (s *Service) sends(by recaller.Carrier, c recaller.Channel) bool {
	return slices.Contains(s.Carrier.Texts(), by) && (c == recaller.ChannelSMS || by == recaller.CarrierTwilio)
}
