package conversation

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
)

// End says how a conversation ended, as the edge was told.
type End struct {
	Status       recaller.Status // empty: completed
	EndedAt      time.Time       // zero: now
	Duration     time.Duration   // 0: from the times
	RecordingURL string
	Reason       string
	cut          bool // see recaller.Conversation
	untold       bool // nobody told EndedAt
}

// End closes a conversation and enqueues its wrap-up, in one commit. Ending it again changes nothing. While the store
// is away, the end of a live conversation is held.
func (s *Service) End(
	ctx context.Context, tenant recaller.TenantID, ref string, in End,
) (recaller.Conversation, error) {
	if err := in.validate(s.Now()); err != nil {
		return recaller.Conversation{}, err
	}
	if e := s.Ledger.get(tenant, ref); e != nil {
		if conv, st := e.view(); !st.over() {
			if err := in.after(conv.StartedAt); err != nil {
				return recaller.Conversation{}, err
			}
		}
		if masks(e.tenant) {
			in.Reason = s.maskText(in.Reason)
		}
		got, err := s.do(ctx, e, newWork(work{end: &in}, s.Now()))
		if !errors.Is(err, errOver) {
			return got.conv, err
		}
	}
	conv, err := s.find(ctx, tenant, ref)
	if err != nil || conv.Status != recaller.Active {
		return conv, err
	}
	if err := in.after(conv.StartedAt); err != nil {
		return recaller.Conversation{}, err
	}
	settings, err := s.Tenants.Tenant(ctx, tenant)
	if err != nil {
		return recaller.Conversation{}, err
	}
	if masks(settings) {
		in.Reason = s.maskText(in.Reason)
	}
	closed, err := s.close(ctx, settings, conv, in, false)
	return closed.Conversation, err
}

// Recorded keeps where the recording of a conversation is. Platforms tell that when they have it, mostly after the end; the
// first that is told stays. Conflict while the conversation is active, or its end is held: the end tells it.
func (s *Service) Recorded(ctx context.Context, tenant recaller.TenantID, ref, link string) error {
	if link == "" {
		return recaller.InvalidField("recording_url", "is required")
	}
	if err := recording(link, 0); err != nil {
		return err
	}
	conv, err := s.find(ctx, tenant, ref)
	if err != nil {
		return err
	}
	_, err = within(ctx, s, s.Patience, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, s.Store.SetRecording(ctx, tenant, conv.ID, link)
	})
	return err
}

func (in *End) validate(now time.Time) error {
	if in.Status == "" {
		in.Status = recaller.Completed
	}
	if in.Status != recaller.Completed && in.Status != recaller.Failed {
		return recaller.InvalidField("status", "must be completed or failed")
	}
	if err := oneLine("reason", in.Reason, maxReason); err != nil {
		return err
	}
	if err := recording(in.RecordingURL, in.Duration); err != nil {
		return err
	}
	if in.EndedAt.IsZero() {
		in.EndedAt, in.untold = now, true
	}
	return plausible("ended_at", in.EndedAt, now)
}

// after refuses an end before the start. Platforms tell whole seconds, so an end in the second of the start passes. If
// nobody told when it ended, it is no fault of the request that the clock has gone back since the start.
func (in *End) after(started time.Time) error {
	if !in.untold && in.EndedAt.Before(started.Truncate(time.Second)) {
		return recaller.InvalidField("ended_at", "must not be before started_at")
	}
	return nil
}

// close ends a conversation in the store. again says that the store was asked before and its answer was lost. If the
// store carried that out, the feed is told now.
func (s *Service) close(
	ctx context.Context, tenant recaller.Tenant, conv recaller.Conversation, in End, again bool,
) (recaller.Closed, error) {
	conv.Status, conv.EndedAt = in.Status, later(in.EndedAt, conv.StartedAt)
	conv.Duration = duration(in.Duration, conv.StartedAt, conv.EndedAt)
	conv.EndReason, conv.Cut, conv.RecordingURL = in.Reason, in.cut, in.RecordingURL
	steps, job := s.wrapup(tenant, conv, true)
	closed, err := s.Store.CloseConversation(ctx, tenant.ID, recaller.Closing{
		Conversation: conv.ID, Status: conv.Status, EndedAt: conv.EndedAt, Duration: conv.Duration,
		Reason: conv.EndReason, Cut: conv.Cut, RecordingURL: conv.RecordingURL, Steps: steps, Job: job,
	})
	if err != nil {
		return recaller.Closed{}, err
	}
	if closed.Already && again {
		ended := closed.Conversation
		ended.Summary, ended.Analysis = nil, nil // as it was when it ended
		closed.Already, closed.Change = false, recaller.Change{Tenant: tenant.ID, Caller: ended.Caller, Conversation: &ended}
	}
	if !closed.Already {
		s.Feed.Committed(closed.Change)
		s.Metrics.ended(closed.Conversation.Status)
	}
	s.Enqueued() // even if it had ended already: whoever left the job may not have heard that it did
	return closed, nil
}

// wrapup returns the steps of a conversation that has ended, and the job that does them. There is no job if there is
// nothing to do.
func (s *Service) wrapup(
	tenant recaller.Tenant, conv recaller.Conversation, asked bool,
) ([]recaller.PlannedStep, *recaller.Job) {
	steps := s.Plan(tenant, conv, asked)
	open := func(p recaller.PlannedStep) bool { return p.State == recaller.StepPending }
	if !slices.ContainsFunc(steps, open) {
		return steps, nil
	}
	return steps, &recaller.Job{ID: s.NewID(), Kind: recaller.WrapupOf(conv), Subject: string(conv.ID), RunAt: s.Now()}
}
