package conversation

import (
	"context"
	"time"

	"github.com/recallerhq/recaller"
)

// JobWrapup is the kind of the job that writes a conversation up; its subject is the conversation's id.
const JobWrapup = "wrapup"

// End says how a conversation ended, as the edge was told.
type End struct {
	Status       recaller.Status // empty: completed
	EndedAt      time.Time       // zero: now
	Duration     time.Duration   // 0: from the times
	RecordingURL string
	Reason       string
}

const maxReason = 200

// End closes a conversation and enqueues its wrap-up, in one commit. Ending it again changes nothing.
func (s *Service) End(ctx context.Context, tenant recaller.TenantID, ref string, in End) (recaller.Conversation, error) {
	if err := in.validate(s.Now()); err != nil {
		return recaller.Conversation{}, err
	}
	if e := s.live.get(tenant, ref); e != nil {
		return s.endEntry(ctx, e, in)
	}
	conv, err := s.Store.Conversation(ctx, tenant, ref)
	if err != nil || conv.Status != recaller.Active {
		return conv, err
	}
	return s.close(ctx, tenant, conv, in)
}

func (in *End) validate(now time.Time) error {
	if in.Status == "" {
		in.Status = recaller.Completed
	}
	if in.Status != recaller.Completed && in.Status != recaller.Failed {
		return recaller.InvalidField("status", "must be completed or failed")
	}
	if in.Duration < 0 {
		return recaller.InvalidField("duration_seconds", "must not be negative")
	}
	if len(in.Reason) > maxReason {
		return recaller.InvalidField("reason", "must be at most %d bytes", maxReason)
	}
	if in.EndedAt.IsZero() {
		in.EndedAt = now
	}
	return plausible("ended_at", in.EndedAt, now)
}

// endEntry ends a conversation that this process holds.
func (s *Service) endEntry(ctx context.Context, e *entry, in End) (recaller.Conversation, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.done {
		return s.Store.Conversation(ctx, e.tenant, string(e.id))
	}
	if e.opening != nil {
		c := s.closing(e.conv, in)
		e.closing, e.done = &c, true
		e.conv.Status, e.conv.EndedAt, e.conv.Duration = c.Status, c.EndedAt, c.Duration
		return e.conv, nil
	}
	conv, err := s.close(ctx, e.tenant, e.conv, in)
	if err != nil {
		return conv, err
	}
	e.done = true
	s.retire(e)
	return conv, nil
}

// retire takes an ended conversation out of the live state; ephemeral words stay until they are written up (Discard).
func (s *Service) retire(e *entry) {
	if e.retention == recaller.Ephemeral && len(e.words) > 0 {
		return
	}
	s.live.remove(e, e.conv.ExternalID)
}

func (s *Service) closing(conv recaller.Conversation, in End) recaller.Closing {
	if in.EndedAt.Before(conv.StartedAt) {
		in.EndedAt = conv.StartedAt
	}
	return recaller.Closing{
		Conversation: conv.ID, Status: in.Status, EndedAt: in.EndedAt,
		Duration: duration(in.Duration, conv.StartedAt, in.EndedAt),
		Reason:   in.Reason, RecordingURL: in.RecordingURL, Job: s.wrapup(conv.ID),
	}
}

func (s *Service) close(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, in End) (recaller.Conversation, error) {
	closed, err := s.Store.CloseConversation(ctx, tenant, s.closing(conv, in))
	if err != nil {
		return recaller.Conversation{}, err
	}
	if !closed.Already {
		s.Changed(closed.Change)
		s.Metrics.ended(in.Status)
		s.Enqueued()
	}
	return closed.Conversation, nil
}

func (s *Service) wrapup(conv recaller.ConversationID) *recaller.Job {
	return &recaller.Job{ID: s.NewID(), Kind: JobWrapup, Subject: string(conv), RunAt: s.Now()}
}
