// Package texting is what is done about texts to a tenant's numbers, by SMS and WhatsApp (spec P17, issue 17): each is kept
// before anybody is told that it has come, the built-in agent answers where the tenant says so, and whoever tells a number
// to stop is sent nothing more by it.
//
// An answer is a durable job, left before the text is kept: whatever dies when, what was kept is answered. A part of an
// answer is sent once, but where the process dies, or the carrier falls silent, between its being taken and our mark of that:
// then it may be sent twice, because an answer that never comes is worse (ADR 63).
//
// It speaks no platform's protocol: telephony reads what comes in, carrier sends what goes out. What an exchange is, and how
// the agent answers, is in exchange.
package texting

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/exchange"
	"github.com/recallerhq/recaller/internal/identity"
	"github.com/recallerhq/recaller/internal/sms"
)

// Exchanges keep and answer what is written; *exchange.Service does.
type Exchanges interface {
	Open(ctx context.Context, tenant recaller.TenantID, p exchange.Party) (recaller.Thread, recaller.Caller, error)
	Keep(ctx context.Context, tenant recaller.TenantID, t recaller.Thread, in exchange.Written) (exchange.Kept, error)
	Answer(ctx context.Context, tenant recaller.TenantID, in exchange.Asking) (exchange.Answered, error)
	Apologise(
		ctx context.Context, tenant recaller.TenantID, in exchange.Asking, how recaller.Kind,
	) (exchange.Answered, error)
	Undelivered(ctx context.Context, tenant recaller.TenantID, chat, id string) error
}

// Store is what this package asks of the store.
type Store interface {
	// Thread finds one by its id or its external id.
	Thread(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Thread, error)
	ChangeThread(
		ctx context.Context, tenant recaller.TenantID, id recaller.ThreadID, p recaller.ThreadPatch,
	) (recaller.Thread, error)
	// EnqueueThread inserts a job about a thread, unless one with its kind and subject waits already.
	EnqueueThread(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, job recaller.Job,
	) error
	Mark(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, token string, at time.Time,
	) (before bool, err error)
	Marked(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, token string) (bool, error)
}

// Tenants returns the settings of a tenant, with the defaults filled in.
type Tenants interface {
	Tenant(ctx context.Context, id recaller.TenantID) (recaller.Tenant, error)
}

// Carrier sends texts; *carrier.Client does. Its errors are recaller.ErrOptedOut, Invalid where this text or this number is
// refused, and others that may pass.
type Carrier interface {
	Text(ctx context.Context, t recaller.PhoneText) (id string, err error)
	Texts() []recaller.Carrier
}

// Deps are what a Service needs; all are required but StatusTo and Wait.
type Deps struct {
	Exchanges Exchanges
	Store     Store
	Tenants   Tenants
	Carrier   Carrier
	Enqueued  func() // wakes the job workers
	Log       *slog.Logger
	Metrics   *Metrics
	Now       func() time.Time
	NewID     func() string
	StatusTo  string        // the address that carriers tell what becomes of texts; empty: none
	Wait      time.Duration // before a text is answered, for more of it; 0: DefaultWait
}

// DefaultWait is how long a text waits for more: people send a thought in pieces.
const DefaultWait = 3 * time.Second

// patience is for how long something that was written may wait to be answered with what came after it.
const patience = 30 * time.Second

// mostAnHour bounds the answers in one chat: who writes more is a machine that answers us.
const mostAnHour = 40

// Service carries out the use cases. Safe for concurrent use.
type Service struct{ Deps }

// New returns a Service.
func New(deps Deps) *Service {
	if deps.Wait == 0 {
		deps.Wait = DefaultWait
	}
	return &Service{deps}
}

// Peer is whom a number of the tenant's texts with.
type Peer struct {
	Channel recaller.Channel // ChannelSMS or ChannelWhatsApp
	Ours    string           // the tenant's number, in E.164 form
	Theirs  string           // in E.164 form
}

// Chat is what the chat with a peer is called among the tenant's threads.
func (p Peer) Chat() string { return string(p.Channel) + ":" + p.Ours + ":" + p.Theirs }

// Incoming is a text that came in.
type Incoming struct {
	Carrier recaller.Carrier
	Channel recaller.Channel
	ID      string // the carrier's; the same twice is one text
	Ours    string // the tenant's number, as it was told
	Theirs  string // who sent it: a number, or what stands in the place of one
	Name    string // as the platform knows the sender; may be empty
	Text    string // with what is no text as a reference in it
	At      time.Time
	// Told is what the carrier took the text for, and has answered itself; sms.None: nothing.
	Told sms.Command
}

// Taken says what became of a text that came in.
type Taken string

// What becomes of a text.
const (
	Kept    Taken = "kept"
	Obeyed  Taken = "obeyed"  // it was a command, to the number: it is carried out, and no turn
	Again   Taken = "again"   // it was carried out before
	Nothing Taken = "nothing" // it says nothing
	Refused Taken = "refused" // it cannot be kept as it is
)

// Take takes a text that came in. It returns no error once the text is durable, or, where the tenant keeps no words, in
// memory: then its sender's carrier can be told so. On an error it may come again, and must, for it may be lost.
func (s *Service) Take(ctx context.Context, t recaller.Tenant, in Incoming) (Taken, error) {
	party, known := s.party(t, in)
	th, who, err := s.Exchanges.Open(ctx, t.ID, party)
	if err != nil {
		return refusedOr(err)
	}
	o := order{thread: th.ID, mark: markOf(in), carrier: in.Carrier}
	if known {
		did, err := s.commanded(ctx, t, th, in, o)
		if did != "" || err != nil {
			return did, err
		}
	}
	if in.Text == "" {
		return Nothing, nil
	}
	if known && s.answers(t, th, in.Carrier) {
		o.what = toAnswer
		if err := s.enqueue(ctx, t.ID, who.ID, o); err != nil { // before it is kept: none is kept without
			return "", err
		}
	}
	kept, err := s.Exchanges.Keep(ctx, t.ID, th, exchange.Written{ID: o.mark, Text: in.Text, At: in.At})
	if err != nil {
		return refusedOr(err)
	}
	if !kept.Durable && t.Retention != recaller.Ephemeral {
		return "", recaller.Errorf(recaller.Unavailable, "the text is held in memory only")
	}
	return Kept, nil
}

// refusedOr is what becomes of a text after an error: trying again helps nobody where it was refused.
func refusedOr(err error) (Taken, error) {
	if errors.Is(err, recaller.Invalid) {
		return Refused, nil
	}
	return "", err
}

// party says who texts from where. known: it is somebody who can be texted. What is no number is a sender by name, or a
// short number of a company's: what it sends is kept, and it is no one to answer.
func (s *Service) party(t recaller.Tenant, in Incoming) (p exchange.Party, known bool) {
	p.Channel = in.Channel
	ours, err := identity.Phone(in.Ours, t.DefaultRegion)
	if err != nil {
		ours = in.Ours
	}
	theirs, err := identity.Phone(in.Theirs, t.DefaultRegion)
	if known = err == nil; known {
		p.Caller = conversation.CallerRef{Phone: theirs, Name: in.Name}
	} else {
		theirs = in.Theirs
		p.Caller = conversation.CallerRef{ExternalID: string(in.Channel) + ":" + theirs, Name: in.Name}
	}
	p.Chat = Peer{Channel: in.Channel, Ours: ours, Theirs: theirs}.Chat()
	return p, known
}

// peerOf reads a peer from what a chat is called.
func peerOf(th recaller.Thread) (p Peer, ok bool) {
	rest, ok := strings.CutPrefix(th.ExternalID, string(th.Channel)+":")
	if !ok {
		return p, false
	}
	p.Channel = th.Channel
	p.Ours, p.Theirs, ok = strings.Cut(rest, ":")
	return p, ok
}

// answers reports whether a text is to be answered.
func (s *Service) answers(t recaller.Tenant, th recaller.Thread, by recaller.Carrier) bool {
	return t.Texting.Reply == recaller.ReplyAgent && !th.Stopping.Stopped() && s.sends(by, th.Channel)
}

// markOf names a text among all: it stands where anybody can read it, and tells nothing.
func markOf(in Incoming) string {
	sum := sha256.Sum256([]byte(string(in.Carrier) + "\x00" + in.ID))
	return hex.EncodeToString(sum[:16])
}
