package telephony

import (
	"context"
	"errors"
	"maps"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/errand"
	"github.com/recallerhq/recaller/internal/identity"
)

// call is a call as a platform tells of it.
type call struct {
	id          string
	ours        string // the number of the tenant's
	theirs      string // of whom the tenant talks to, as it is shown
	direction   recaller.Direction
	attestation recaller.Attestation
	ids         map[string]string
	control     bool // it is one of Telnyx's Call Control API
	reminder    bool // the caller is rung about one
}

// callOf reads who calls whom. In a call that the tenant made the numbers stand the other way round.
func callOf(h hook) call {
	c := call{id: callID(h), ours: h.get("To"), theirs: h.get("From"), direction: recaller.Inbound, attestation: attestationOf(h)}
	if strings.HasPrefix(h.get("Direction"), "outbound") {
		c.ours, c.theirs, c.direction = c.theirs, c.ours, recaller.Outbound
	}
	c.ids = map[string]string{string(h.platform): c.id}
	if account := plain(h.get("AccountSid")); account != "" {
		c.ids[string(h.platform)+"_account"] = account
	}
	return c
}

// attestationOf reads what the network said of the caller's number. A word that is not known is kept, and counts for
// nothing.
func attestationOf(h hook) recaller.Attestation {
	if word := plain(h.get("StirVerstat")); word != "" {
		a := recaller.Attestation{Told: word}
		rest, passed := strings.CutPrefix(word, "TN-Validation-Passed-")
		if !passed {
			rest = strings.TrimPrefix(word, "TN-Validation-Failed-")
		}
		level, more, _ := strings.Cut(rest, "-") // "A-Diverted": it was attested for another call
		a.Level = attested(level)
		a.Passed = passed && a.Level != "" && more == ""
		return a
	}
	word := plain(h.get("ShakenStirAttestation"))
	a := recaller.Attestation{Told: word, Level: attested(word)}
	a.Passed = a.Level != "" && strings.EqualFold(h.get("ShakenStirValidated"), "true")
	return a
}

func attested(level string) string {
	switch level {
	case "A", "B", "C":
		return level
	}
	return ""
}

// withheld is how the core is told that a number is not shown.
const withheld = "anonymous"

// callerOf says who calls. A number is a number; an address of a client or of SIP is an id. Whoever shows neither is
// nobody that is known, and nobody that will be.
func callerOf(from, region string) conversation.CallerRef {
	from = strings.TrimSpace(from)
	if from == "" {
		return conversation.CallerRef{Phone: withheld}
	}
	_, err := identity.Phone(from, region)
	if err == nil || errors.Is(err, identity.ErrWithheld) {
		return conversation.CallerRef{Phone: from}
	}
	scheme, rest, ok := strings.Cut(from, ":")
	if scheme = strings.ToLower(scheme); ok && (scheme == "client" || scheme == "sip" || scheme == "sips") {
		if scheme != "client" {
			rest, _, _ = strings.Cut(rest, ";")
		}
		id, err := identity.ExternalID(scheme + ":" + rest)
		if err == nil && rest != "" {
			return conversation.CallerRef{ExternalID: id}
		}
	}
	return conversation.CallerRef{Phone: withheld}
}

// ring answers a call.
func (s *Server) ring(ctx context.Context, h hook) reply {
	c := callOf(h)
	t, err := s.whose(ctx, c.ours)
	switch {
	case nobodys(err):
		return reply{resultNobody, told(recaller.Telephone{}, notInService)}
	case err != nil:
		return reply{resultUnavailable, told(recaller.Telephone{}, notNow)}
	}
	if f, ok := errand.ReadRef(h.query); ok && s.Errands != nil && c.direction == recaller.Outbound {
		return s.pickedUp(ctx, h, t, c, f)
	}
	started, result, failed := s.begin(ctx, t, c)
	t.Telephone.Answer = s.chosen(t, started, failed)
	return s.answer(t, c, started, failed, result)
}

// whose finds the tenant whose number it is, or says in the log why not.
func (s *Server) whose(ctx context.Context, number string) (recaller.Tenant, error) {
	t, err := asked(ctx, s, func(ctx context.Context) (recaller.Tenant, error) { return s.Tenants.ByNumber(ctx, number) })
	if err != nil && !nobodys(err) {
		s.Log.WarnContext(ctx, "it could not be found out in time whose call it is", "err", err)
	}
	return t, err
}

// begin begins the conversation of a call, and ends it if its end was told before. It fails where the call goes on without
// one.
func (s *Server) begin(ctx context.Context, t recaller.Tenant, c call) (conversation.Started, result, error) {
	s.ends.rang(c.id, c.ours)
	started, err := asked(ctx, s, func(ctx context.Context) (conversation.Started, error) {
		return s.Conversations.Start(ctx, t.ID, conversation.Start{
			Caller: callerOf(c.theirs, t.DefaultRegion), ExternalID: c.id, Channel: recaller.ChannelVoice, Direction: c.direction,
			PlatformIDs: c.ids, Attestation: c.attestation, Reminder: c.reminder,
		})
	})
	result := resultAnswered
	if err != nil || started.Briefing.Degraded {
		result = resultDegraded
	}
	if err != nil && !errors.Is(err, recaller.Conflict) {
		s.Log.WarnContext(ctx, "a call goes on without its conversation", "tenant", t.ID, "err", err)
	}
	s.endIfTold(ctx, t, c)
	return started, result, err
}

// possible is the answer that a tenant chose, if the server can give it: he may have chosen it elsewhere.
func (s *Server) possible(a recaller.TelephoneAnswer) recaller.TelephoneAnswer {
	if slices.Contains(Answers(slices.Collect(maps.Keys(s.opts.Sockets))...), a) {
		return a
	}
	return recaller.AnswerGreeting
}

// chosen is how a call is answered: as the tenant chose, if the server can give that. What is said over a bridge is kept as
// turns of its conversation, so a call that has none is not bridged.
func (s *Server) chosen(t recaller.Tenant, started conversation.Started, failed error) recaller.TelephoneAnswer {
	a := s.possible(t.Telephone.Answer)
	if a != recaller.AnswerBridge || started.Conversation.ID != "" || errors.Is(failed, recaller.Conflict) {
		return a
	}
	return unbridged(t)
}

// unbridged is how a call is answered that should be bridged, and cannot be.
func unbridged(t recaller.Tenant) recaller.TelephoneAnswer {
	if t.Telephone.ForwardTo != "" {
		return recaller.AnswerForward
	}
	return recaller.AnswerGreeting
}

// answer is what the tenant chose.
func (s *Server) answer(t recaller.Tenant, c call, started conversation.Started, failed error, r result) reply {
	switch t.Telephone.Answer {
	case recaller.AnswerForward:
		return reply{r, s.forwarded(t, s.listening(t, c, started, failed))}
	case recaller.AnswerRelay, recaller.AnswerBridge:
		if token, ok := s.token(t, c, started, failed); ok {
			return reply{r, s.connected(t, c, token)}
		}
		return reply{resultReplayed, twiml{Verbs: []any{hangup{}}}}
	default:
		return reply{r, greeted(t)}
	}
}

// listening returns the token by which a forwarded call is listened to; empty: it is not. Whatever stands against it, the
// call goes on.
func (s *Server) listening(t recaller.Tenant, c call, started conversation.Started, failed error) string {
	if !t.Telephone.Listen || s.opts.Sockets[recaller.AnswerForward] == nil || started.Conversation.ID == "" {
		return ""
	}
	token, _ := s.token(t, c, started, failed)
	return token
}

// token returns the token of a call's socket. Twilio's signatures have no time: whoever got hold of a webhook can send it
// again. So there is none for a call that has ended, that began a while ago, or whose socket has come.
func (s *Server) token(t recaller.Tenant, c call, started conversation.Started, failed error) (string, bool) {
	conv := started.Conversation
	over := errors.Is(failed, recaller.Conflict) || failed == nil && conv.Status != recaller.Active
	late := failed == nil && started.Existing && s.Now().Sub(conv.StartedAt) >= TokenTTL
	if over || late {
		return "", false
	}
	return s.Tokens.Issue(Call{
		ID: c.id, Tenant: t.ID, Conversation: conv.ID, Caller: started.Caller.ID, TimeZone: identity.ZoneOf(started.Caller, t).String(),
		Greeting: greeting(t), Language: t.Telephone.Language, number: c.ours, control: c.control,
	})
}

// nobodys reports whether a number is no tenant's, or none at all.
func nobodys(err error) bool {
	return errors.Is(err, recaller.NotFound) || errors.Is(err, recaller.Invalid)
}

// asked asks the store, and waits no longer than ctx, whatever the store does. The question goes on without who asked: a
// call that has begun too late for its answer has begun. There is a bound to the questions that are open.
func asked[T any](ctx context.Context, s *Server, question func(context.Context) (T, error)) (T, error) {
	type found struct {
		v   T
		err error
	}
	var none T
	select {
	case s.asking <- struct{}{}:
	default:
		return none, recaller.Errorf(recaller.Unavailable, "too many calls wait for the store")
	}
	answer := make(chan found, 1)
	s.working.Go(func() {
		defer func() { <-s.asking }()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askLimit)
		defer cancel()
		defer func() {
			if crash := recover(); crash != nil {
				s.Log.ErrorContext(ctx, "panic in a question of the telephone's", "stack", string(debug.Stack()))
				answer <- found{err: recaller.Internal}
			}
		}()
		v, err := question(ctx)
		answer <- found{v, err}
	})
	select {
	case got := <-answer:
		return got.v, got.err
	case <-ctx.Done():
		return none, recaller.Wrap(recaller.Unavailable, ctx.Err(), "the store did not answer in time")
	}
}
