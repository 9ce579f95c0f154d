package telephony

import (
	"context"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/errand"
)

// This file is about calls that the tenant made to tell a caller of a reminder: the platform asks what to do once somebody
// picked up, and tells how they ended. Which reminder it is stands in the address.

// pickedUp says what to do with such a call.
func (s *Server) pickedUp(ctx context.Context, h hook, t recaller.Tenant, c call, f errand.Ref) reply {
	own := t
	t.Telephone.Answer = s.possible(t.Telephone.Answer)
	agent := t.Telephone.Answer == recaller.AnswerRelay || t.Telephone.Answer == recaller.AnswerBridge
	a, err := s.why(ctx, t, f, c.id, h.get("AnsweredBy"), agent)
	switch {
	case err != nil:
		s.Log.WarnContext(ctx, "it could not be found out in time why a caller is rung", "tenant", t.ID, "err", err)
		return reply{resultUnavailable, told(own.Telephone, brokeOff)}
	case a.HangUp:
		return reply{resultAnswered, twiml{Verbs: []any{hangup{}}}}
	case a.Machine:
		return reply{resultAnswered, spoken(speaking(own.Telephone, a.Language), a.Text)}
	}
	c.reminder = true
	started, r, failed := s.begin(ctx, t, c)
	conv := started.Conversation.ID
	if agent && (conv == "" || failed != nil) { // it would not know why it rings
		if a, err = s.why(ctx, t, f, c.id, h.get("AnsweredBy"), false); err != nil || a.HangUp {
			return reply{resultUnavailable, told(own.Telephone, brokeOff)}
		}
	}
	if conv != "" {
		_, err := asked(ctx, s, func(ctx context.Context) (struct{}, error) {
			return struct{}{}, s.Errands.Begun(ctx, t.ID, f, conv, a.Text)
		})
		if err != nil {
			s.Log.WarnContext(ctx, "a conversation does not know what it is about", "tenant", t.ID, "conversation", conv, "err", err)
		}
	}
	t.Telephone = speaking(t.Telephone, a.Language)
	if a.Text != "" {
		return reply{r, spoken(t.Telephone, a.Text)}
	}
	t.Telephone.Greeting = a.Opening
	return s.answer(t, c, started, failed, r)
}

func (s *Server) why(
	ctx context.Context, t recaller.Tenant, f errand.Ref, call, by string, agent bool,
) (errand.Answer, error) {
	return asked(ctx, s, func(ctx context.Context) (errand.Answer, error) {
		return s.Errands.Answered(ctx, t, f, call, by, agent)
	})
}

// speaking is how a text in a language is spoken: by the tenant's voice, if that is of the same language.
func speaking(p recaller.Telephone, language string) recaller.Telephone {
	if !sameLanguage(p.Language, language) {
		p.Voice = ""
	}
	p.Language = language
	return p
}

// putDown takes in how such a call ended. It returns false if it has a conversation, which ends with it.
func (s *Server) putDown(ctx context.Context, h hook, f errand.Ref) bool {
	id, status := callID(h), statusOf(h)
	t, err := s.whose(ctx, callOf(h).ours)
	if err == nil {
		_, err = asked(ctx, s, func(ctx context.Context) (struct{}, error) {
			return struct{}{}, s.Errands.Over(ctx, t, f, id, status)
		})
	}
	if err != nil { // whoever goes on with the errand asks the platform
		s.Log.WarnContext(ctx, "how a ring ended was not taken", "err", err)
	}
	return status != "completed" && !s.ends.hasRung(id)
}
