package conversation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/identity"
)

// CallerRef says who calls, as the edge was told. At least one of Phone and ExternalID is needed.
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
	Reminder    bool
	Metadata    json.RawMessage // a JSON object, or empty
	MaxTokens   int             // of the briefing; 0: the default
}

// Started is a conversation that has begun, with what the agent should know.
type Started struct {
	Conversation recaller.Conversation
	Caller       recaller.Caller
	FirstTime    bool
	Existing     bool // it had begun before: the same external id, or a repeated Idempotency-Key
	Briefing     recaller.Briefing
}

// Start opens a conversation with a caller who is recognised or created, and briefs the agent.
//
// When the store is away (after one retry) the call goes on without memory: the briefing is marked degraded, the turns
// are held in process memory, and all is written when the store is back (P1, spec section 5).
func (s *Service) Start(ctx context.Context, tenantID recaller.TenantID, in Start) (Started, error) {
	tenant, err := s.Tenants.Tenant(ctx, tenantID)
	if err != nil {
		return Started{}, err
	}
	opening, err := s.opening(tenant, in)
	if err != nil {
		return Started{}, err
	}
	opened, err := s.openInTime(ctx, tenantID, opening)
	if away(err) && ctx.Err() == nil {
		return s.startWithoutStore(tenant, opening, err)
	}
	if err != nil {
		return Started{}, err
	}
	if opened.Conversation.Status == recaller.Active {
		s.live.add(tenant, opened.Conversation)
	}
	if !opened.Existing {
		s.Changed(opened.Change)
		s.Metrics.started(opened.Conversation.Channel)
	}
	b, err := s.Briefer.Briefing(ctx, tenantID, opened.Caller.ID, briefing.Request{
		MaxTokens: in.MaxTokens, Exclude: opened.Conversation.ID,
	})
	if err != nil {
		return Started{}, err
	}
	return Started{
		Conversation: opened.Conversation, Caller: opened.Caller,
		FirstTime: opened.FirstTime, Existing: opened.Existing, Briefing: b,
	}, nil
}

// openInTime opens a conversation, trying twice (P1), but waits no longer than the deadline: a store that hangs must not
// hold up a call. A try that succeeds late does no harm: the conversation is then held, and writing it finds it there.
func (s *Service) openInTime(ctx context.Context, tenant recaller.TenantID, in recaller.Opening) (recaller.Opened, error) {
	type result struct {
		opened recaller.Opened
		err    error
	}
	done := make(chan result, 1)
	ctx, cancel := context.WithTimeout(ctx, s.Deadline)
	defer cancel()
	go func() {
		opened, err := s.Store.OpenConversation(ctx, tenant, in)
		if away(err) && ctx.Err() == nil {
			opened, err = s.Store.OpenConversation(ctx, tenant, in)
		}
		done <- result{opened, err}
	}()
	select {
	case r := <-done:
		return r.opened, r.err
	case <-ctx.Done():
		return recaller.Opened{}, recaller.Wrap(recaller.Timeout, ctx.Err(), "the store did not answer in time")
	}
}

// away reports whether the store could not be reached, as against having refused.
func away(err error) bool {
	return errors.Is(err, recaller.Unavailable) || errors.Is(err, recaller.Timeout)
}

func (s *Service) opening(tenant recaller.Tenant, in Start) (recaller.Opening, error) {
	ids, err := identities(in.Caller, tenant.DefaultRegion)
	if err != nil {
		return recaller.Opening{}, err
	}
	conv, err := s.newConversation(in)
	if err != nil {
		return recaller.Opening{}, err
	}
	name, err := cleanName("caller.name", in.Caller.Name)
	if err != nil {
		return recaller.Opening{}, err
	}
	return recaller.Opening{
		Once: in.Once, Identities: ids, NewCaller: recaller.CallerID(s.NewID()),
		Name: name, NameSource: recaller.NameGiven, Conversation: conv,
	}, nil
}

func (s *Service) newConversation(in Start) (recaller.Conversation, error) {
	now := s.Now()
	c := recaller.Conversation{
		ID: recaller.ConversationID(s.NewID()), Channel: in.Channel, Direction: in.Direction, Status: recaller.Active,
		Reminder: in.Reminder, PlatformIDs: in.PlatformIDs, StartedAt: now, LastActivityAt: now,
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
	meta, err := object("metadata", in.Metadata)
	if err != nil {
		return c, err
	}
	c.Metadata = meta
	return c, nil
}

// identities turns what an edge was told into normalised identities, the strongest first: an application's own id
// says more about who somebody is than a number does.
func identities(ref CallerRef, region string) ([]recaller.Identity, error) {
	var ids []recaller.Identity
	if ref.ExternalID != "" {
		v, err := externalID("caller.external_id", ref.ExternalID)
		if err != nil {
			return nil, err
		}
		ids = append(ids, recaller.Identity{Kind: recaller.IdentityExternal, Value: v})
	}
	if ref.Phone != "" {
		v, err := identity.Phone(ref.Phone, region)
		if err != nil {
			return nil, err
		}
		ids = append(ids, recaller.Identity{Kind: recaller.IdentityPhone, Value: v})
	}
	if len(ids) == 0 {
		return nil, recaller.InvalidField("caller", "needs a phone or an external_id")
	}
	return ids, nil
}

func externalID(field, raw string) (string, error) {
	v, err := identity.ExternalID(raw)
	if err != nil {
		return "", renamed(err, field)
	}
	return v, nil
}

// renamed puts the request's own field name on a validation error.
func renamed(err error, field string) error {
	var e *recaller.Error
	if errors.As(err, &e) && e.Kind == recaller.Invalid {
		return recaller.InvalidField(field, "%s", e.Msg)
	}
	return err
}

// object checks that raw is a JSON object, or nothing.
func object(field string, raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, recaller.InvalidField(field, "must be a JSON object")
	}
	if len(raw) > maxMetadata {
		return nil, recaller.InvalidField(field, "must be at most %d bytes", maxMetadata)
	}
	return raw, nil
}

const (
	maxMetadata = 16 << 10
	maxName     = 200
)

// startWithoutStore keeps a call going while the store is away.
func (s *Service) startWithoutStore(tenant recaller.Tenant, in recaller.Opening, cause error) (Started, error) {
	if !s.live.hold(tenant, in) {
		return Started{}, recaller.Wrap(recaller.Unavailable, cause, "the store is away and too many conversations are held already")
	}
	s.Log.Warn("store away at call start, holding the conversation in memory",
		"tenant", tenant.ID, "conversation", in.Conversation.ID, "err", cause)
	s.Metrics.started(in.Conversation.Channel)
	caller := recaller.Caller{Identities: in.Identities, Name: in.Name, NameSource: in.NameSource}
	b := briefing.Degraded(recaller.Snapshot{Tenant: tenant, Caller: caller}, s.Now(), "store unavailable")
	return Started{Conversation: in.Conversation, Caller: caller, Briefing: b}, nil
}

// duration is how long a conversation took: as told, else by its times.
func duration(told time.Duration, from, to time.Time) time.Duration {
	if told > 0 {
		return told
	}
	return max(0, to.Sub(from))
}

func cleanName(field, name string) (string, error) {
	if len(name) > maxName {
		return "", recaller.InvalidField(field, "must be at most %d bytes", maxName)
	}
	for _, r := range name {
		if r < ' ' {
			return "", recaller.InvalidField(field, "must not contain control characters")
		}
	}
	return name, nil
}

// fieldf spells the path of a field in a list: turns[3].text.
func fieldf(format string, args ...any) string { return fmt.Sprintf(format, args...) }
