// Package briefing makes what an agent is told before it speaks: one prompt-ready text, in named parts, in a fixed
// order, within a token budget, from one snapshot of a caller (spec P2, P3, V2, H1–H6, P9, B8, B11).
//
// Composing is pure: the same snapshot at the same time gives the same bytes, and with a query the same findings do.
// The Service adds the rest: it reads the snapshot within a hard deadline, and lets the agent carry on if that fails.
//
// The order of the parts serves prompt caches and readers alike. What changes least comes first. What matters most for
// the first sentence comes last, next to the conversation.
//
//	tenant    who the agent speaks for: the tenant's own words (the same for all callers)
//	guidance  how to use the notes (the same always)
//	tools     when to use the memory tools, if the tenant's agent has them (W10, W11; the same for all callers)
//	caller    name, number, how often, since when
//	trust     how sure it is that it is he who speaks, where something is kept back for that (B1)
//	memories  what is remembered, by type
//	pinned    pinned documents: the matters that come back, as they stand
//	history   the last conversations, newest first
//	agreed    what both sides settled on and is still to come, soonest first
//	due       follow-ups whose time has come or comes soon
//	now       the caller's date and time
//	resume    the matter that was left unfinished, or the call that broke off
//	reference what the business itself has written that fits the query, in its own words
//	recalled  what was said before and fits the query, word for word; it changes with every turn
//
// These are notes, which stand in front of an agent's own prompt. A thread has a prompt of its own (threadPrompt). The other style, a whole system prompt, has the parts
// of P3 in its order and words: see systemPrompt.
//
// What people said, and what was derived from it, stands only between <notes> and </notes>, cleaned (appendData). Our
// own sentences and the tenant's words stand only outside. If the budget is short, whole items are left out, the least
// important first: see the ranks in compose.go.
//
// With a query the budget goes to what fits the moment. Words of earlier conversations and of the business's own texts
// get a part each, which together take a third of a short budget, and memories that fit go before the others. Small
// talk asks for nothing. Recall searches while the snapshot is read, within the same deadline. If it fails or is late,
// the briefing does without, and does not count as degraded, because it has what it must have.
//
// It does not search (recall).
package briefing

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/recall/kind"
)

// Source reads everything about a caller that a briefing is made of, in one round trip.
type Source interface {
	Snapshot(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) (recaller.Snapshot, error)
	// SnapshotAt reads what Snapshot would have read at a past time.
	SnapshotAt(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, at time.Time,
	) (recaller.Snapshot, error)
}

// Defaults and bounds.
const (
	DefaultDeadline = 250 * time.Millisecond
	pastDeadline    = 5 * time.Second // for a past time: nobody waits on the line
	DefaultTokens   = 1500
	MaxTokens       = 100_000 // the largest budget that can be asked for
	MaxQueryRunes   = 2000
	LiveMemories    = 50 // that a briefing amid a conversation tells (W8)
)

// Reasons why a briefing is degraded.
const (
	ReasonDeadline = "deadline"
	ReasonStore    = "store unavailable"
	ReasonKey      = "key missing" // of the caller, or of the tenant: he is quarantined
	// ReasonIdentity is for the start of a call whose number, or external id, leads to a caller that it does not open for.
	ReasonIdentity = "identity unproven"
	// ReasonFull is for the start of a call that cannot be stored yet. Nothing is lacking in the briefing.
	ReasonFull = "storage full"
)

// Options are the settings of a Service.
type Options struct {
	Now      func() time.Time // required
	Deadline time.Duration    // for reading the snapshot, and for finding what fits the query; 0: DefaultDeadline
	Tokens   int              // the budget of requests that name none; 0: DefaultTokens
	// Tenant returns what is known of a tenant without the store, so that a degraded briefing still says who the agent
	// speaks for. Optional; it must not block.
	Tenant func(recaller.TenantID) (recaller.Tenant, bool)
	// Recaller finds what fits a request's query. nil: queries are checked, but change nothing.
	Recaller Recaller
	NoVoice  bool         // of past voice calls only memories are told (V10)
	Metrics  *Metrics     // nil: nothing is counted
	Log      *slog.Logger // nil: nothing is logged
}

// Request says what a briefing is wanted for. The zero value asks for the defaults.
type Request struct {
	MaxTokens int // never exceeded; 0: the default
	// what the conversation is about now; empty: the budget goes to what is always good to know
	Query   string
	Exclude recaller.ConversationID // the live conversation: it is no history, and its words are not recalled
	Style   recaller.BriefingStyle  // empty: recaller.StyleBriefing
	Persona *string                 // how the agent is, in place of the tenant's active persona; nil: that one
	// MaxMemories bounds how many memories are told: what is due, then what fits the query, then the surest. 0: only the
	// token budget bounds them. Amid a conversation it is LiveMemories.
	MaxMemories int
	// AsOf asks what an agent would have been told then, for audits and replays. Zero, or a time to come, means now.
	AsOf time.Time
	// Trust is how sure it is who speaks: the tenant says what is told then. Empty: TrustClaimed. If the conversation that is
	// excluded is surer by now, that counts.
	Trust recaller.Trust
	// Tools: the agent has the memory tools, whatever the tenant's setting says.
	Tools bool
	// Stage is how far the conversation is. A system prompt leaves out what is for the first words after them.
	Stage Stage
	Amid  bool // somebody else spoke in the live conversation before, so nobody is welcomed to it, whatever the stage
	Alone bool // nobody else can come to speak in it
	// Thread asks for the prompt of a thread; Style, Query and Exclude do not count then. nil: a briefing.
	Thread *Thread
}

// Service makes briefings. Safe for concurrent use.
type Service struct {
	src   Source
	opts  Options
	zones *zones
	kinds kind.Table    // of what opts.Recaller may find
	late  chan struct{} // a slot for each search that goes on though nobody waits for it
}

// New returns a Service that reads from src.
func New(src Source, opts Options) *Service {
	if opts.Deadline <= 0 {
		opts.Deadline = DefaultDeadline
	}
	if opts.Tokens <= 0 {
		opts.Tokens = DefaultTokens
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	s := &Service{src: src, opts: opts, zones: newZones(), late: make(chan struct{}, maxLate)}
	if opts.Recaller != nil {
		s.kinds = opts.Recaller.Kinds()
	}
	return s
}

// Briefing returns what the agent should know of the caller. If the snapshot cannot be read, or not in time, it returns
// a degraded briefing and no error. It fails with Invalid (the request), with what the source refuses (NotFound,
// Forbidden …), and with Timeout if ctx is cancelled.
func (s *Service) Briefing(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, req Request,
) (recaller.Briefing, error) {
	if t := req.Thread; t != nil {
		req.Query, req.Exclude, req.Style = t.query(), "", ""
	}
	if err := req.validate(); err != nil {
		return recaller.Briefing{}, err
	}
	now, deadline := s.opts.Now(), s.opts.Deadline
	if req.AsOf.IsZero() || !req.AsOf.Before(now) {
		req.AsOf = time.Time{}
	} else {
		now, deadline = req.AsOf, pastDeadline
	}
	timed, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	looking := s.look(ctx, tenant, caller, req)
	defer s.leave(looking)
	snap, err := s.read(timed, tenant, caller, req.AsOf)
	if err == nil {
		found := s.await(timed, looking)
		req.speak(&snap.Tenant)
		told := req.told(snap)
		found = told.withhold(&snap, found)
		req.Thread = told.discreet(req.Thread, snap)
		forgotten.Snapshot(&snap)
		if s.opts.NoVoice {
			writtenOnly(&snap)
		}
		unarchived(&snap, now)
		in := material{snap: snap, found: found, kinds: s.kinds, told: told}
		out := compose(in, now, s.budgeted(req), s.zones)
		out.Unnamed = told.unnamed
		return out, nil
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return recaller.Briefing{}, recaller.Wrap(recaller.Timeout, ctx.Err(), "the request was cancelled")
	}
	if refused(err) {
		return recaller.Briefing{}, err
	}
	reason := ReasonStore
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		reason = ReasonDeadline
	case recaller.IsKeyMissing(err):
		reason = ReasonKey
	}
	return s.degraded(tenant, caller, reason, req), nil
}

// Stranger returns what an agent would be told of somebody who was never there. It reads nothing.
func (s *Service) Stranger(t recaller.Tenant, req Request) (recaller.Briefing, error) {
	if err := req.validate(); err != nil {
		return recaller.Briefing{}, err
	}
	req.speak(&t)
	return compose(material{snap: recaller.Snapshot{Tenant: t}, kinds: s.kinds}, s.opts.Now(), s.budgeted(req), s.zones), nil
}

// speak puts what the request says of the agent in the place of what the tenant's settings say.
func (r Request) speak(t *recaller.Tenant) {
	t.MemoryTools = t.MemoryTools || r.Tools
	if r.Persona != nil {
		t.Profile.Personality = *r.Persona
	}
}

// unarchived removes the conversations from the history that are archived for their age (V9).
func unarchived(snap *recaller.Snapshot, now time.Time) {
	since := snap.Tenant.Aged(now)
	snap.History = slices.DeleteFunc(snap.History, func(c recaller.Conversation) bool { return c.EndedAt.Before(since) })
}

// writtenOnly removes the voice calls from the history, what was agreed in conversations that are not in it, and the
// documents that were made of conversations.
func writtenOnly(snap *recaller.Snapshot) {
	snap.Pinned = slices.DeleteFunc(snap.Pinned, func(d recaller.Document) bool { return d.Origin != recaller.DocumentWritten })
	snap.History = slices.DeleteFunc(snap.History, func(c recaller.Conversation) bool { return !c.Channel.Text() })
	snap.Acts = slices.DeleteFunc(snap.Acts, func(a recaller.Act) bool {
		return !slices.ContainsFunc(snap.History, func(c recaller.Conversation) bool { return c.ID == a.Conversation })
	})
}

func (s *Service) budgeted(req Request) Request {
	if req.MaxTokens <= 0 {
		req.MaxTokens = s.opts.Tokens
	}
	return req
}

func (s *Service) degraded(
	tenant recaller.TenantID, caller recaller.CallerID, reason string, req Request,
) recaller.Briefing {
	snap := recaller.Snapshot{Tenant: recaller.Tenant{ID: tenant}, Caller: recaller.Caller{ID: caller}}
	if s.opts.Tenant != nil {
		if t, ok := s.opts.Tenant(tenant); ok {
			snap.Tenant = t
		}
	}
	req.speak(&snap.Tenant)
	return compose(material{snap: snap, reason: reason}, s.opts.Now(), s.budgeted(req), s.zones)
}

// read asks the source, and once more if the store failed (P1), all before ctx is done. It then returns even if the
// source does not. The source's goroutine ends when the source heeds its context.
func (s *Service) read(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, at time.Time,
) (recaller.Snapshot, error) {
	type answer struct {
		snap recaller.Snapshot
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		ask := func() (recaller.Snapshot, error) {
			if !at.IsZero() {
				return s.src.SnapshotAt(ctx, tenant, caller, at)
			}
			return s.src.Snapshot(ctx, tenant, caller)
		}
		snap, err := guarded(s.opts.Log, ask)
		if err != nil && !refused(err) && ctx.Err() == nil {
			snap, err = guarded(s.opts.Log, ask)
		}
		answers <- answer{snap, err}
	}()
	select {
	case a := <-answers:
		if a.err != nil && ctx.Err() != nil {
			return recaller.Snapshot{}, ctx.Err()
		}
		return a.snap, a.err
	case <-ctx.Done():
		return recaller.Snapshot{}, ctx.Err()
	}
}

// refused reports whether the source will not answer, rather than that it cannot.
func refused(err error) bool {
	switch recaller.KindOf(err) {
	case recaller.NotFound, recaller.Forbidden, recaller.Invalid, recaller.Unauthenticated, recaller.Conflict:
		return true
	}
	return false
}

func (r Request) validate() error {
	switch {
	case r.MaxTokens < 0 || r.MaxTokens > MaxTokens:
		return recaller.InvalidField("max_tokens", "must be between 0 and %d", MaxTokens)
	case !r.Style.Valid():
		return recaller.InvalidField("style", "must be one of %v", recaller.BriefingStyles())
	case r.Trust != "" && !r.Trust.Valid():
		return recaller.InvalidField("trust", "must be one of %v", recaller.Trusts())
	case r.MaxMemories < 0:
		return recaller.InvalidField("max_memories", "must not be negative")
	case !utf8.ValidString(r.Query):
		return recaller.InvalidField("query", "must be valid UTF-8")
	case utf8.RuneCountInString(r.Query) > MaxQueryRunes:
		return recaller.InvalidField("query", "must have at most %d characters", MaxQueryRunes)
	}
	return nil
}
