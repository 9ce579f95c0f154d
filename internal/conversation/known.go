package conversation

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/briefing"
)

// known returns what this process knows about the caller of a conversation without the store. It knows that from the
// conversation itself, and from others with the same caller that it leads.
func (s *Service) known(e *entry) recaller.Snapshot {
	own, _ := e.view()
	snap := recaller.Snapshot{Tenant: e.tenant, Caller: e.callerNow(), Open: []recaller.BrokenOff{{Conversation: own}}}
	var last recaller.Conversation
	his := func(o *entry) bool {
		return o != e && o.tenant.ID == e.tenant.ID && o.imported == 0 && same(snap.Caller, o.callerNow())
	}
	for _, other := range s.Ledger.all(his) {
		theirs := other.callerNow()
		if snap.Caller.Name == "" {
			snap.Caller.Name, snap.Caller.NameSource = theirs.Name, theirs.NameSource
		}
		conv, st := other.view()
		if !st.over() {
			snap.Open = append(snap.Open, recaller.BrokenOff{Conversation: conv, Turns: other.last(s.Now())})
			continue
		}
		if conv.LastActivityAt.Before(last.LastActivityAt) {
			continue
		}
		last, snap.BrokenOff = conv, nil
		if conv.Status == recaller.Failed {
			snap.BrokenOff = &recaller.BrokenOff{Conversation: conv, Turns: other.last(s.Now())}
		}
	}
	return snap
}

// same reports whether two conversations are with one caller, as far as this process can tell.
func same(a, b recaller.Caller) bool {
	if a.ID != "" && b.ID != "" {
		return a.ID == b.ID
	}
	return slices.ContainsFunc(a.Identities, func(id recaller.Identity) bool { return slices.Contains(b.Identities, id) })
}

func (e *entry) callerNow() recaller.Caller {
	e.mu.Lock()
	defer e.mu.Unlock()
	c := e.known
	c.ID = cmp.Or(e.conv.Caller, c.ID)
	return c
}

// last returns the last turns of a conversation, as they were heard.
func (e *entry) last(now time.Time) []recaller.Turn {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.heard.last(e.id, now)
}

// brief composes the briefing of a conversation. If the briefer cannot read the store, the briefing says what this
// process knows. If req has no query, the user's last turns are the query, as far as this process heard them. e may be
// nil.
func (s *Service) brief(
	ctx context.Context, tenant recaller.TenantID, e *entry, conv recaller.Conversation, req briefing.Request,
) (recaller.Briefing, error) {
	req.Exclude, req.Trust = conv.ID, conv.Trust
	req.Amid, req.Alone = conv.BegunAs != "" || conv.Continues != "", alone(conv)
	if strings.TrimSpace(req.Query) == "" {
		req.Query = ""
	}
	if e != nil {
		e.steer(&req, s.Now())
	}
	with := conv.Caller
	if with == "" && e != nil { // the store has not seen it
		if with = e.callerNow().ID; with == "" {
			return s.degraded(s.known(e), req, e.why()), nil
		}
	}
	b, err := s.Briefer.Briefing(ctx, tenant, with, req)
	if err != nil || !b.Degraded || e == nil {
		return b, err
	}
	return s.degraded(s.known(e), req, b.Reason), nil
}

// steer fills in what a request for a briefing leaves open: the style, which is the one that the conversation began
// with, and the query, which is what is being talked about.
func (e *entry) steer(req *briefing.Request, now time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if req.Style == "" {
		req.Style = e.style
	}
	if req.Query == "" && !e.state.over() {
		req.Query = e.heard.moment(now)
	}
}

// began notes the style that the conversation began with, if it is told, and returns it.
func (e *entry) began(style recaller.BriefingStyle) recaller.BriefingStyle {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.style = cmp.Or(style, e.style)
	return e.style
}

func (s *Service) degraded(snap recaller.Snapshot, req briefing.Request, reason string) recaller.Briefing {
	if req.MaxTokens <= 0 {
		req.MaxTokens = s.Tokens
	}
	return briefing.Degraded(snap, s.Now(), req, reason)
}

// within asks the store, but waits for no longer than wait; then the store counts as away. What fn returns later is
// dropped. fn should end when its context does.
func within[T any](
	ctx context.Context, s *Service, wait time.Duration, fn func(context.Context) (T, error),
) (T, error) {
	type result struct {
		v   T
		err error
	}
	results := make(chan result, 1)
	timed, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	go func() {
		var r result
		r.err = s.guarded(func() (err error) { r.v, err = fn(timed); return err })
		results <- r
	}()
	var none T
	select {
	case r := <-results:
		if timed.Err() == nil || r.err == nil || !errors.Is(r.err, recaller.Timeout) {
			return r.v, r.err
		}
	case <-timed.Done():
	}
	if ctx.Err() != nil {
		return none, recaller.Wrap(recaller.Timeout, ctx.Err(), "the store did not answer in time")
	}
	return none, recaller.Wrap(recaller.Unavailable, timed.Err(), "the store did not answer in time")
}

// find reads a conversation from the store. It waits no longer than the patience.
func (s *Service) find(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Conversation, error) {
	return within(ctx, s, s.Patience, func(ctx context.Context) (recaller.Conversation, error) {
		return s.Store.Conversation(ctx, tenant, ref)
	})
}
