package exchange

import (
	"context"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/agent"
	"github.com/recallerhq/recaller/internal/conversation"
)

// Asking asks for an answer to what was written.
type Asking struct {
	Thread recaller.ThreadID
	ID     string // of what was written
	// Patience is how long something may wait to be answered with what was written after it.
	Patience time.Duration
	Most     int // answers in the conversation within an hour; 0: any
}

// Answered is what became of it.
type Answered struct {
	Thread recaller.Thread
	Text   string // as it was kept: what is to go out
	// Newer: something newer was written, which is to be answered with it. Nothing was kept.
	Newer bool
	// TooMany: there were Most answers within the hour. Nothing was kept.
	TooMany bool
	Before  bool // it was answered before: Text is that answer, and nothing was said
}

// Answer has the built-in agent answer what was written, and keeps the answer. One that the model did not finish is an
// error: whoever asks tries again, or calls Apologise. One that something newer was written before is not kept, as long as
// nothing has waited for longer than in.Patience.
//
// It fails with agent.ErrNoModel if there is none, with NotFound if there is nothing that could be answered, because it was
// forgotten, or is long past; and with the kind of the model's failure.
func (s *Service) Answer(ctx context.Context, tenant recaller.TenantID, in Asking) (out Answered, err error) {
	st, err := s.stands(ctx, tenant, in.Thread, in.ID)
	if err != nil {
		return out, err
	}
	out.Thread = st.thread
	switch {
	case st.answered != "":
		out.Text, out.Before = st.answered, true
		return out, nil
	case in.Most > 0 && st.answersSince(s.Now().Add(-time.Hour)) >= in.Most:
		out.TooMany = true
		return out, nil
	case s.waits(in, st):
		out.Newer = true
		return out, nil
	case s.Agent == nil:
		return out, agent.ErrNoModel
	}
	unheard := func(string) error { return nil } // it goes out when it is whole
	got, err := s.Agent.Answer(ctx, s.asking(ctx, tenant, st), unheard)
	switch {
	case err != nil:
		return out, err
	case got.Interrupted:
		return out, recaller.Errorf(recaller.Timeout, "the answer was not waited for")
	case got.By == agent.ByFallback:
		return out, recaller.Errorf(got.Failed, "the model did not answer")
	}
	now, err := s.stands(ctx, tenant, in.Thread, in.ID)
	if err != nil || s.waits(in, now) {
		out.Newer = err == nil
		return out, err
	}
	return out, s.keep(context.WithoutCancel(ctx), tenant, st, in.ID, got.Text, &out)
}

// waits reports whether what was written is to be answered with what was written after it, or was.
func (s *Service) waits(in Asking, st standing) bool {
	late := !st.since.IsZero() && s.Now().Sub(st.since) >= in.Patience
	return st.newer && !late
}

// keep keeps an answer.
func (s *Service) keep(
	ctx context.Context, tenant recaller.TenantID, st standing, id, text string, out *Answered,
) error {
	if strings.TrimSpace(text) == "" {
		return nil // it had nothing to say
	}
	kept, err := s.say(ctx, tenant, st.thread, answer(id), conversation.TurnInput{Speaker: recaller.Assistant, Text: text})
	out.Text = kept.Turn.Text // secrets are masked in it
	return err
}

// Apologise keeps a sentence of ours as the answer, in the caller's language, where the model failed in a way. One that was
// answered stays so: Text is that answer.
func (s *Service) Apologise(
	ctx context.Context, tenant recaller.TenantID, in Asking, how recaller.Kind,
) (out Answered, err error) {
	st, err := s.stands(ctx, tenant, in.Thread, in.ID)
	if err != nil {
		return out, err
	}
	out.Thread = st.thread
	if st.answered != "" {
		out.Text, out.Before = st.answered, true
		return out, nil
	}
	text := agent.Apology(agent.Asking{Turns: st.turns}, how)
	return out, s.keep(ctx, tenant, st, in.ID, text, &out)
}

// asking is what the agent is asked. If it cannot be found out what it should know, it answers without.
func (s *Service) asking(ctx context.Context, tenant recaller.TenantID, st standing) agent.Asking {
	b, err := agent.Brief(ctx, s.Conversations, tenant, string(st.conv), st.turns)
	if err != nil {
		s.Log.WarnContext(ctx, "an answer has no briefing", "tenant", tenant, "conversation", st.conv, "err", err)
	}
	return agent.Asking{
		Tenant: tenant, Conversation: string(st.conv), Caller: st.who, Channel: st.thread.Channel, Briefing: b, Turns: st.turns,
	}
}
