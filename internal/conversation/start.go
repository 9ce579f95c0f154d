package conversation

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/briefing"
)

// CallerRef says who calls, as the edge was told. Phone or ExternalID is required.
type CallerRef struct {
	Phone      string // as dialled or sent; normalised under the tenant's default region (spec 2.4)
	ExternalID string
	Name       string // as the platform knows it; may be empty
}

// Start asks for a conversation to begin.
type Start struct {
	Once        recaller.Once
	Caller      CallerRef
	ExternalID  string
	Channel     recaller.Channel   // empty: voice
	Direction   recaller.Direction // empty: inbound
	PlatformIDs map[string]string
	Attestation recaller.Attestation // of the caller's number, as the platform told it
	// Verified: the application, or a platform that asks people who they are, says that it is this caller. It counts for
	// nothing where he shows no identity.
	Verified  bool
	Reminder  bool
	Metadata  json.RawMessage // a JSON object, or empty
	MaxTokens int             // of the briefing; 0: the default
	// BriefingStyle is the form of the briefing; empty: recaller.StyleBriefing.
	BriefingStyle recaller.BriefingStyle
}

// briefing returns the request for the briefing.
func (in Start) briefing() briefing.Request {
	return briefing.Request{MaxTokens: in.MaxTokens, Style: in.BriefingStyle}
}

// Started is a conversation that has begun, with what the agent should know.
type Started struct {
	Conversation recaller.Conversation
	Caller       recaller.Caller
	FirstTime    bool
	Existing     bool // it began before, with the same external id or Idempotency-Key
	Briefing     recaller.Briefing
}

// Start opens a conversation with a caller who is recognised or created, and briefs the agent.
//
// The store is asked twice at most, and no longer than the deadline. If it does not answer, the call goes on without
// memory: the briefing is marked degraded, the turns are held, and all is written when the store is back (P1, spec
// section 5). A client that got no answer repeats its start with the same external id or Idempotency-Key; it finds the
// conversation that its first try began.
func (s *Service) Start(ctx context.Context, tenantID recaller.TenantID, in Start) (Started, error) {
	tenant, err := s.Tenants.Tenant(ctx, tenantID)
	if err != nil {
		return Started{}, err
	}
	opening, err := s.opening(tenant, in)
	if err != nil {
		return Started{}, err
	}
	if e, err := s.Ledger.began(tenantID, opening); err != nil {
		return Started{}, err
	} else if e != nil {
		return s.startedHeld(ctx, e, opening, in.briefing(), true)
	}
	opened, err := s.openInTime(ctx, tenantID, opening)
	if away(err) && ctx.Err() == nil {
		return s.startWithoutStore(ctx, tenant, opening, in.briefing(), err)
	}
	if err != nil {
		return Started{}, err
	}
	var e *entry
	if opened.Conversation.Status == recaller.Active {
		e = s.Ledger.begin(tenant, opened, in.Once, s.Now())
	}
	if !opened.Existing || opened.Resumed {
		s.Feed.Committed(opened.Change)
	}
	switch {
	case opened.Resumed:
		s.Log.Info("a conversation that was closed as silent goes on",
			"tenant", tenantID, "conversation", opened.Conversation.ID)
		s.Feed.Anew(tenantID, opened.Conversation.Caller) // it has no summary any more
	case !opened.Existing:
		s.Metrics.started(opened.Conversation.Channel)
	}
	if e != nil {
		e.began(in.BriefingStyle)
	}
	if opening.Conversation.Trust == recaller.TrustVerified && opened.Conversation.Status == recaller.Active {
		if opened.Conversation, err = s.verified(ctx, tenantID, opened.Conversation); err != nil {
			return Started{}, err
		}
	}
	b, err := s.brief(ctx, tenantID, e, opened.Conversation, in.briefing())
	if err != nil {
		return Started{}, err
	}
	if b.Unnamed {
		opened.Caller.Name, opened.Caller.NameSource = "", ""
	}
	opened.Conversation.Summary = nil // one that ended before may say what was forgotten; Get leaves that out
	return Started{
		Conversation: opened.Conversation, Caller: opened.Caller,
		FirstTime: opened.FirstTime, Existing: opened.Existing, Briefing: b,
	}, nil
}

// openInTime opens a conversation. It tries twice (P1), but waits no longer than the deadline, because a store that
// hangs must not hold up a call. A try that succeeds too late does no harm: the conversation is held by then, and
// writing it finds the one that is there.
func (s *Service) openInTime(
	ctx context.Context, tenant recaller.TenantID, in recaller.Opening,
) (recaller.Opened, error) {
	return within(ctx, s, s.Deadline, func(ctx context.Context) (recaller.Opened, error) {
		opened, err := s.Store.OpenConversation(ctx, tenant, in)
		if away(err) && ctx.Err() == nil {
			opened, err = s.Store.OpenConversation(ctx, tenant, in)
		}
		return opened, err
	})
}

// startWithoutStore keeps a call going while the store is away. If the store only has no room, it still knows who calls.
func (s *Service) startWithoutStore(
	ctx context.Context, tenant recaller.Tenant, in recaller.Opening, req briefing.Request, cause error,
) (Started, error) {
	e, existing, err := s.Ledger.hold(tenant, in, s.Now())
	if err != nil {
		return Started{}, errors.Join(err, cause)
	}
	if !existing {
		e.lacks(cause)
		s.Log.Warn("store away at call start, holding the conversation in memory",
			"tenant", tenant.ID, "conversation", e.id, "err", cause)
		s.Metrics.started(in.Conversation.Channel)
	}
	if errors.Is(cause, recaller.Full) {
		s.recognise(ctx, e, in)
	}
	return s.startedHeld(ctx, e, in, req, existing)
}

// recognise looks up whom a held conversation is with, where the store is read but not written. He may be nobody yet.
func (s *Service) recognise(ctx context.Context, e *entry, in recaller.Opening) {
	for _, id := range in.Identities {
		who, err := within(ctx, s, s.Deadline, func(ctx context.Context) (recaller.Caller, error) {
			return s.Store.CallerByIdentity(ctx, e.tenant.ID, id)
		})
		if err != nil {
			continue
		}
		e.mu.Lock()
		if e.conv.Caller == "" {
			e.known = who
		}
		e.mu.Unlock()
		return
	}
}

// startedHeld answers a start without the store. It refuses what the store would refuse.
func (s *Service) startedHeld(
	ctx context.Context, e *entry, in recaller.Opening, req briefing.Request, existing bool,
) (Started, error) {
	conv, st := e.view()
	if with := e.callerNow(); len(with.Identities) > 0 && !same(with, recaller.Caller{Identities: in.Identities}) {
		return Started{}, recaller.InvalidField("external_id", "belongs to a conversation with another caller")
	}
	if st.over() {
		return Started{}, recaller.Errorf(recaller.Conflict, "a conversation with this external_id has ended already")
	}
	req.Exclude, req.Style = conv.ID, e.began(req.Style)
	snap := s.known(e)
	out := Started{Conversation: conv, Caller: snap.Caller, Existing: existing}
	if conv.Caller != "" || snap.Caller.ID == "" {
		out.Briefing = s.degraded(snap, req, e.why())
		return out, nil
	}
	var err error // he was recognised: the store is read
	if out.Briefing, err = s.brief(ctx, e.tenant.ID, e, conv, req); err == nil && !out.Briefing.Degraded {
		out.Briefing.Degraded, out.Briefing.Reason = true, briefing.ReasonFull
	}
	return out, err
}

// lacks notes why the store did not open the conversation.
func (e *entry) lacks(cause error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if recaller.IsQuarantined(cause) {
		e.quarantined = cause
	}
}

// why returns the reason for a briefing without what the store has.
func (e *entry) why() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case recaller.IsKeyMissing(e.quarantined):
		return briefing.ReasonKey
	case e.quarantined != nil:
		return briefing.ReasonIdentity
	}
	return briefing.ReasonStore
}

// away reports whether the store could not be reached, has no room to write, or cannot read what it has of the caller
// because his key is missing. It is false for a store that answered with a refusal.
func away(err error) bool {
	return errors.Is(err, recaller.Unavailable) || errors.Is(err, recaller.Timeout) || errors.Is(err, recaller.Full)
}

// refused reports whether the store answered that it will not take a write. It is false if the store could not.
func refused(err error) bool {
	switch recaller.KindOf(err) {
	case recaller.Invalid, recaller.Conflict, recaller.NotFound, recaller.Forbidden:
		return true
	default:
		return false
	}
}

func (s *Service) opening(tenant recaller.Tenant, in Start) (recaller.Opening, error) {
	ids, err := Identities(in.Caller, tenant.DefaultRegion)
	if err != nil {
		return recaller.Opening{}, err
	}
	if err := oneLine("caller.name", in.Caller.Name, maxName); err != nil {
		return recaller.Opening{}, err
	}
	if in.MaxTokens < 0 || in.MaxTokens > briefing.MaxTokens { // before anything is written
		return recaller.Opening{}, recaller.InvalidField("max_tokens", "must be between 0 and %d", briefing.MaxTokens)
	}
	if !in.BriefingStyle.Valid() {
		return recaller.Opening{}, recaller.InvalidField("briefing_style", "must be one of %v", recaller.BriefingStyles())
	}
	conv, err := s.newConversation(in)
	if err != nil {
		return recaller.Opening{}, err
	}
	conv.Trust = recaller.TrustAtStart(len(ids) > 0, in.Verified, in.Attestation)
	if masks(tenant) {
		conv.Metadata = s.maskObject(conv.Metadata)
	}
	return recaller.Opening{
		Once: in.Once, Identities: ids, NewCaller: recaller.CallerID(s.NewID()),
		Name: in.Caller.Name, NameSource: recaller.NameGiven, Conversation: conv, Resume: true,
	}, nil
}

func (s *Service) newConversation(in Start) (recaller.Conversation, error) {
	now := s.Now()
	c := recaller.Conversation{
		ID: recaller.ConversationID(s.NewID()), Channel: in.Channel, Direction: in.Direction, Status: recaller.Active,
		Reminder: in.Reminder, PlatformIDs: in.PlatformIDs, Attestation: in.Attestation, StartedAt: now, LastActivityAt: now,
	}
	if c.Channel == "" {
		c.Channel = recaller.ChannelVoice
	}
	if !c.Channel.Valid() {
		return c, recaller.InvalidField("channel", "must be one of %v", recaller.Channels())
	}
	if c.Direction == "" {
		c.Direction = recaller.Inbound
	}
	if !c.Direction.Valid() {
		return c, recaller.InvalidField("direction", "must be inbound or outbound")
	}
	if in.ExternalID != "" {
		ext, err := externalID("external_id", in.ExternalID)
		if err != nil {
			return c, err
		}
		c.ExternalID = ext
	}
	if err := platformIDs("platform_ids", in.PlatformIDs); err != nil {
		return c, err
	}
	if err := oneLine("attestation", in.Attestation.Told, maxPlatformID); err != nil {
		return c, err
	}
	meta, err := object("metadata", in.Metadata)
	c.Metadata = meta
	return c, err
}
