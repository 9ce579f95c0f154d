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
	Thread   recaller.ThreadID
	ID       string // of what was written
	Language string // what the caller speaks, as the platform tells it; empty: it is found out
	// Whole: the answer is delivered once it is whole, so nobody hears it meanwhile. One that the model did not finish is an
	// error then (whoever asks tries again, or calls Apologise), and one that something newer was written before is not
	// kept, as long as nothing has waited for an answer for longer than Patience. Else it is heard as it is made.
	Whole    bool
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
	Before  bool          // it was answered before: Text is that answer, and nothing was said
	Failed  recaller.Kind // how the model failed, where Text is, or ends with, an apology
	HangUp  bool          // the agent says that all is said
}

// Answer has the built-in agent answer what was written, and keeps the answer. say gets it piece by piece as it is made;
// nil: nobody listens. An answer that nobody listened to to its end (say failed, or ctx ended) is kept as interrupted, as
// far as it went.
//
// It fails with agent.ErrNoModel if there is none, with NotFound if there is nothing that could be answered, because it was
// forgotten, or is long past; and, where it is asked for whole, with the kind of the model's failure.
func (s *Service) Answer(
	ctx context.Context, tenant recaller.TenantID, in Asking, say func(piece string) error,
) (out Answered, err error) {
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
	if say == nil {
		say = func(string) error { return nil }
	}
	got, failed := s.Agent.Answer(ctx, s.asking(ctx, tenant, st, in), say)
	out.Failed, out.HangUp = got.Failed, got.HangUp
	switch {
	case got.Text == "" && failed != nil:
		return out, failed
	case in.Whole && got.Interrupted:
		return out, recaller.Errorf(recaller.Timeout, "the answer was not waited for")
	case in.Whole && got.By == agent.ByFallback:
		return out, recaller.Errorf(got.Failed, "the model did not answer")
	}
	if in.Whole {
		now, err := s.stands(ctx, tenant, in.Thread, in.ID)
		if err != nil || s.waits(in, now) {
			out.Newer = err == nil
			return out, err
		}
	}
	return out, s.keep(context.WithoutCancel(ctx), tenant, st, in.ID, got.Text, got.Interrupted, &out)
}

// waits reports whether what was written is to be answered with what was written after it, or was.
func (s *Service) waits(in Asking, st standing) bool {
	late := !st.since.IsZero() && s.Now().Sub(st.since) >= in.Patience
	return in.Whole && st.newer && !late
}

// keep keeps an answer.
func (s *Service) keep(
	ctx context.Context, tenant recaller.TenantID, st standing, id, text string, cut bool, out *Answered,
) error {
	if strings.TrimSpace(text) == "" {
		return nil // it had nothing to say
	}
	kept, err := s.say(ctx, tenant, st.thread, answer(id), conversation.TurnInput{
		Speaker: recaller.Assistant, Text: text, Interrupted: cut,
	})
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
	out.Thread, out.Failed = st.thread, how
	if st.answered != "" {
		out.Text, out.Before = st.answered, true
		return out, nil
	}
	text := agent.Apology(agent.Asking{Turns: st.turns, Language: in.Language}, how)
	return out, s.keep(ctx, tenant, st, in.ID, text, false, &out)
}

func (s *Service) asking(
	ctx context.Context, tenant recaller.TenantID, st standing, in Asking,
) agent.Asking {
	return agent.Asking{
		Tenant: tenant, Conversation: string(st.conv), Caller: st.who, Channel: st.thread.Channel,
		Briefing: s.brief(ctx, tenant, st), Turns: st.turns, Language: in.Language,
	}
}

// brief returns what the agent should know. If that cannot be found out, it answers without.
func (s *Service) brief(ctx context.Context, tenant recaller.TenantID, st standing) recaller.Briefing {
	ctx, cancel := context.WithTimeout(ctx, briefingLimit)
	defer cancel()
	b, err := s.Conversations.Briefing(ctx, tenant, string(st.conv), agent.Wants(st.turns))
	if err != nil {
		s.Log.WarnContext(ctx, "an answer has no briefing", "tenant", tenant, "conversation", st.conv, "err", err)
	}
	return b
}
