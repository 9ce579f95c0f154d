// Package exchange is what people write to a tenant over somebody else's platform, and the built-in agent answers: texts by
// SMS or WhatsApp. What was written is kept before anything else is done with it; the agent answers with the caller's
// briefing, the memory tools and what was said; and what goes out is kept, whole.
//
// Whoever writes from one place has a chat there, which is a thread: it never ends, and what is said in it is said in
// conversations (ADR 52). One begins with what is written first, and ends when nothing was written for as long as the
// tenant says; then it is written up like any. So there is one at a time, whoever looks at the same moment, and in
// whichever process (ADR 63).
//
// It speaks no protocol and delivers nothing: that is for whoever has the other side (texting). It does not decide when to
// answer, nor how often to try. It is not for those who watch an answer being made: that is webchat (ADR 64).
package exchange

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/agent"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/thread"
)

// Threads are the chats; *thread.Service has them.
type Threads interface {
	Open(
		ctx context.Context, tenant recaller.TenantID, in thread.Opening,
	) (t recaller.Thread, who recaller.Caller, existing bool, err error)
	Get(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Thread, error)
	Say(
		ctx context.Context, tenant recaller.TenantID, t recaller.Thread, once recaller.Once, said []conversation.TurnInput,
	) (conv recaller.Conversation, turns []recaller.Turn, durable bool, err error)
	Messages(ctx context.Context, tenant recaller.TenantID, ref string, most int) ([]briefing.Said, error)
}

// Store is what this package asks of the store.
type Store interface {
	Caller(ctx context.Context, tenant recaller.TenantID, id recaller.CallerID) (recaller.Caller, error)
	// AppendedBefore returns the turns that an earlier request added; none if there was no such request.
	AppendedBefore(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, in recaller.Once,
	) ([]recaller.TurnID, error)
}

// Conversations are what is said; *conversation.Service has them.
type Conversations interface {
	agent.Briefings
	AddTurns(
		ctx context.Context, tenant recaller.TenantID, ref string, once recaller.Once, in []conversation.TurnInput,
	) (turns []recaller.Turn, durable bool, err error)
}

// Agent answers; *agent.Agent does.
type Agent interface {
	Answer(ctx context.Context, in agent.Asking, say func(piece string) error) (agent.Answer, error)
}

// Deps are what a Service needs; all are required but Agent.
type Deps struct {
	Threads       Threads
	Store         Store
	Conversations Conversations
	Agent         Agent // nil: nothing can be answered
	Log           *slog.Logger
	Now           func() time.Time
}

// Service carries out the use cases. Safe for concurrent use.
type Service struct{ Deps }

// New returns a Service.
func New(deps Deps) *Service { return &Service{deps} }

// maxTurns is how many turns of the conversation the agent is told.
const maxTurns = 100

// Party says who writes, and from where.
type Party struct {
	Channel recaller.Channel
	Chat    string // what the chat is called, one line of at most 255 bytes; unique among the tenant's chats and threads
	Caller  conversation.CallerRef
}

// Open finds the chat of a party, or begins it. It fails with InvalidField external_id if the chat is another caller's.
func (s *Service) Open(
	ctx context.Context, tenant recaller.TenantID, p Party,
) (recaller.Thread, recaller.Caller, error) {
	t, who, _, err := s.Threads.Open(ctx, tenant, thread.Opening{Caller: p.Caller, ExternalID: p.Chat, Channel: p.Channel})
	return t, who, err
}

// Written is something that somebody wrote.
type Written struct {
	ID   string    // of it, in its chat: the same twice is one turn
	Text string    // with what is no text as a reference in it: "[Image: https://…]"
	At   time.Time // zero: now
}

// Kept is what was kept.
type Kept struct {
	Conversation recaller.Conversation
	Turn         recaller.Turn
	// Durable: it survives kill -9. Else the tenant keeps no words, or the store is away: then it is held, and written
	// when the store is back.
	Durable bool
}

// Keep keeps what was written as a turn of the caller's in the chat, in a conversation that begins if there is none.
func (s *Service) Keep(
	ctx context.Context, tenant recaller.TenantID, t recaller.Thread, in Written,
) (Kept, error) {
	return s.say(ctx, tenant, t, written(in.ID), conversation.TurnInput{Speaker: recaller.User, Text: in.Text, At: in.At})
}

// Tell keeps what the tenant's side wrote of its own accord. The same id twice is one turn.
func (s *Service) Tell(
	ctx context.Context, tenant recaller.TenantID, t recaller.Thread, id, text string,
) (Kept, error) {
	return s.say(ctx, tenant, t, told(id), conversation.TurnInput{Speaker: recaller.Assistant, Text: text})
}

// NotDelivered stands in the place of a turn of ours, behind one that did not reach whom it was for: a turn cannot be changed,
// and the agent, the caller's briefings and whoever reads what was said should not take it for read.
const NotDelivered = "[Not delivered: what stands before this did not reach them, or not all of it.]"

// Undelivered keeps that the answer to what was written did not arrive, once. It fails as NotFound if there is no such answer,
// or it lies long back, and as Conflict if its conversation is over.
func (s *Service) Undelivered(ctx context.Context, tenant recaller.TenantID, chat, id string) error {
	st, err := s.stands(ctx, tenant, recaller.ThreadID(chat), id)
	if err == nil && st.answered == "" {
		err = errGone
	}
	if err != nil {
		return err
	}
	_, _, err = s.Conversations.AddTurns(ctx, tenant, string(st.conv), undelivered(id), []conversation.TurnInput{
		{Speaker: recaller.Assistant, Text: NotDelivered},
	})
	return err
}

func (s *Service) say(
	ctx context.Context, tenant recaller.TenantID, t recaller.Thread, once recaller.Once, turn conversation.TurnInput,
) (Kept, error) {
	conv, turns, durable, err := s.Threads.Say(ctx, tenant, t, once, []conversation.TurnInput{turn})
	if err != nil {
		return Kept{}, err
	}
	return Kept{Conversation: conv, Turn: turns[0], Durable: durable}, nil
}

// The marks of what is kept. An id is of one chat, but the marks are the tenant's: who makes ids sees to that.
func written(id string) recaller.Once {
	return recaller.Once{Token: "written:" + id, Request: "written"}
}

func told(id string) recaller.Once { return recaller.Once{Token: "told:" + id, Request: "told"} }

func answer(id string) recaller.Once {
	return recaller.Once{Token: "answer:" + id, Request: "answer"}
}

func undelivered(id string) recaller.Once {
	return recaller.Once{Token: "undelivered:" + id, Request: "undelivered"}
}

// standing is where a chat stands, seen from something that was written in it.
type standing struct {
	thread   recaller.Thread
	who      recaller.Caller
	conv     recaller.ConversationID
	turns    []recaller.Turn // of the conversation, in order, but that it is the last
	newer    bool            // something was written after it
	since    time.Time       // when the first was written that nothing was said after; zero: there is none
	answered string          // what it was answered; empty: nothing
}

// answersSince counts what the tenant's side said since a time.
func (st *standing) answersSince(from time.Time) (n int) {
	for _, t := range st.turns {
		if t.Speaker == recaller.Assistant && t.Text != NotDelivered && t.At.After(from) {
			n++
		}
	}
	return n
}

// errGone is that of something that was written and is not there any more: forgotten, or long past.
var errGone = recaller.Errorf(recaller.NotFound, "there is nothing written that could be answered")

// stands reads where a chat stands.
func (s *Service) stands(
	ctx context.Context, tenant recaller.TenantID, ref recaller.ThreadID, id string,
) (st standing, err error) {
	if st.thread, err = s.Threads.Get(ctx, tenant, string(ref)); err != nil {
		return st, err
	}
	if st.who, err = s.Store.Caller(ctx, tenant, st.thread.Caller); err != nil {
		return st, err
	}
	asked, err := s.Store.AppendedBefore(ctx, tenant, st.who.ID, written(id))
	if err != nil {
		return st, err
	}
	replied, err := s.Store.AppendedBefore(ctx, tenant, st.who.ID, answer(id))
	if err != nil {
		return st, err
	}
	last, err := s.Threads.Messages(ctx, tenant, string(ref), maxTurns)
	if err != nil {
		return st, err
	}
	return st, st.read(last, asked, replied)
}

// read finds what was asked and replied among the last turns of a chat.
func (st *standing) read(last []briefing.Said, asked, replied []recaller.TurnID) error {
	at := slices.IndexFunc(last, func(said briefing.Said) bool { return slices.Contains(asked, said.Turn.ID) })
	if at < 0 {
		return errGone
	}
	st.conv = last[at].Conversation
	for i, said := range last {
		switch {
		case said.Turn.Text == NotDelivered: // nothing was said
		case said.Turn.Speaker == recaller.Assistant:
			st.since = time.Time{}
		case st.since.IsZero():
			st.since = said.Turn.At
		}
		if slices.Contains(replied, said.Turn.ID) {
			st.answered = said.Turn.Text
		}
		st.newer = st.newer || i > at && said.Turn.Speaker == recaller.User
		if said.Conversation == st.conv && i != at {
			st.turns = append(st.turns, said.Turn)
		}
	}
	st.turns = append(st.turns, last[at].Turn)
	return nil
}
