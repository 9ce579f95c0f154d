package conversation

import (
	"context"
	"errors"

	"github.com/recallerhq/recaller"
)

// Reasons for the ends that nobody asked for.
const (
	ReasonProcessDied = "process died"
	ReasonIdle        = "idle"
)

// Recover closes, as failed, the conversations that were active when the process died (P9, H6). Their turns are all
// there, so that the next call can carry on before any wrap-up has run. Call it once, before serving.
func (s *Service) Recover(ctx context.Context) (closed int, err error) {
	return s.sweep(ctx, func(_ recaller.Tenant, c recaller.Conversation) (End, bool) {
		return End{Status: recaller.Failed, EndedAt: c.LastActivityAt, Reason: ReasonProcessDied}, true
	})
}

// CloseIdle ends conversations that had no turn for the tenant's idle limit: nobody ended them.
func (s *Service) CloseIdle(ctx context.Context) (closed int, err error) {
	now := s.Now()
	return s.sweep(ctx, func(t recaller.Tenant, c recaller.Conversation) (End, bool) {
		return End{Status: recaller.Completed, EndedAt: c.LastActivityAt, Reason: ReasonIdle},
			now.Sub(c.LastActivityAt) >= t.IdleLimit
	})
}

// sweep ends the active conversations of every tenant for which end says so.
func (s *Service) sweep(ctx context.Context, end func(recaller.Tenant, recaller.Conversation) (End, bool)) (int, error) {
	ids, err := s.Store.TenantIDs(ctx)
	if err != nil {
		return 0, err
	}
	closed := 0
	for _, id := range ids {
		tenant, err := s.Tenants.Tenant(ctx, id)
		if err != nil {
			return closed, err
		}
		active, err := s.active(ctx, id)
		if err != nil {
			return closed, err
		}
		for _, c := range active {
			how, due := end(tenant, c)
			if !due {
				continue
			}
			if _, err := s.End(ctx, id, string(c.ID), how); err != nil && !errors.Is(err, recaller.NotFound) {
				return closed, err
			}
			closed++
		}
	}
	return closed, nil
}

func (s *Service) active(ctx context.Context, tenant recaller.TenantID) ([]recaller.Conversation, error) {
	var out []recaller.Conversation
	f := recaller.ConversationFilter{Status: recaller.Active, Page: recaller.Page{Limit: 200}}
	for {
		list, next, err := s.Store.Conversations(ctx, tenant, f)
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
		if next == "" {
			return out, nil
		}
		f.Page.Cursor = next
	}
}

// FlushHeld writes the conversations that began while the store was away. It reports how many still wait.
func (s *Service) FlushHeld(ctx context.Context) (waiting int) {
	for _, e := range s.live.heldNow() {
		if err := s.flush(ctx, e); err != nil {
			waiting++
			s.Log.Warn("held conversation still waits", "tenant", e.tenant, "conversation", e.id, "err", err)
		}
	}
	return waiting
}

func (s *Service) flush(ctx context.Context, e *entry) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.opening == nil {
		return nil
	}
	opened, err := s.Store.OpenConversation(ctx, e.tenant, *e.opening)
	if err != nil {
		return err
	}
	if !opened.Existing {
		s.Changed(opened.Change)
	}
	e.conv = opened.Conversation
	if len(e.pending) > 0 {
		once := recaller.Once{Token: "held:" + string(e.id), Request: "held"}
		if _, err := s.append(ctx, e.tenant, e, once, e.pending); err != nil {
			return err
		}
		e.pending = nil
	}
	e.opening = nil
	s.live.stored(e)
	if e.closing == nil {
		return nil
	}
	end := End{Status: e.closing.Status, EndedAt: e.closing.EndedAt, Duration: e.closing.Duration, Reason: e.closing.Reason, RecordingURL: e.closing.RecordingURL}
	if _, err := s.close(ctx, e.tenant, e.conv, end); err != nil {
		return err
	}
	s.retire(e)
	return nil
}
