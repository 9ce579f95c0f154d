package webchat

import (
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/agent"
	"github.com/recallerhq/recaller/internal/conversation"
)

// Bounds of an answer.
const (
	keepLimit = 10 * time.Second // of one try
	keepPause = time.Second      // between two
	keepTries = 30
)

// answer is one in the making.
type answer struct {
	ctx    context.Context //nolint:containedctx // it is nobody's request
	cancel context.CancelFunc
	said   strings.Builder // so far; guarded by the talk's lock
	behind int             // the last turn that the answer before it was to; -1: there is none
}

// respond begins an answer. If one is being made, and nothing was said of it yet, it is given up for another; else another one
// follows. behind is the last turn that the answer before it was to; -1: it is to all. The lock is held.
func (t *talk) respond(behind int) {
	if t.Agent == nil {
		t.Log.ErrorContext(t.ctx, "a visitor waits for an agent, and no language model is configured", "tenant", t.who.tenant)
		t.broadcast(frame{Type: typeError, Code: string(unavailable), Text: "nobody can answer now"})
		return
	}
	if t.answer != nil {
		if t.again = true; t.answer.said.Len() == 0 {
			t.answer.cancel()
		}
		return
	}
	a := &answer{behind: behind}
	a.ctx, a.cancel = context.WithCancel(t.ctx)
	conv := t.conv
	if !t.work(func() { t.respondWith(a, conv) }) {
		a.cancel()
		return
	}
	t.answer = a
	t.broadcast(frame{Type: typeTyping})
}

// respondWith makes an answer, and has it kept.
func (t *talk) respondWith(a *answer, conv recaller.ConversationID) {
	defer a.cancel()
	to, hangUp := t.make(a, conv)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.answer = nil
	if t.again && t.conv == conv {
		t.again = false
		t.respond(to)
		return
	}
	t.again = false
	if hangUp && t.conv == conv {
		t.work(func() { t.end(conv, "agent_ended") })
	}
}

// make asks the agent, and keeps what was said. It returns the number of the turn that it was to; -1: nothing was said.
func (t *talk) make(a *answer, conv recaller.ConversationID) (to int, hangUp bool) {
	to = -1
	defer func() {
		if crash := recover(); crash != nil {
			t.Log.Error("panic in an answer of the web chat", "tenant", t.who.tenant, "conversation", conv, "stack", string(debug.Stack()))
			t.failed()
		}
	}()
	t.mu.Lock()
	turns, caller := slices.Clone(t.turns), t.caller
	t.mu.Unlock()
	if len(turns) == 0 {
		return to, false
	}
	last := turns[len(turns)-1].Number
	got, err := t.Agent.Answer(a.ctx, agent.Asking{
		Tenant: t.who.tenant, Conversation: string(conv), Caller: caller, Channel: recaller.ChannelWebChat,
		Briefing: t.brief(a.ctx, conv, turns), Turns: inTheirOrder(turns, a.behind),
	}, func(piece string) error { return t.say(a, piece) })
	if errors.Is(err, agent.ErrNoModel) {
		t.failed()
		return to, false
	}
	if strings.TrimSpace(got.Text) != "" {
		to = last
		t.keepAnswer(conv, last, got)
	}
	return to, got.HangUp
}

// inTheirOrder puts what a visitor wrote while he got an answer behind that answer: the next one is to it.
func inTheirOrder(turns []recaller.Turn, behind int) []recaller.Turn {
	if behind < 0 {
		return turns
	}
	var before, after []recaller.Turn
	for _, t := range turns {
		if t.Number > behind && t.Speaker == recaller.User {
			after = append(after, t)
		} else {
			before = append(before, t)
		}
	}
	return append(before, after...)
}

// failed tells that there is no answer.
func (t *talk) failed() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.broadcast(frame{Type: typeError, Code: string(failed), Text: "there is no answer"})
}

// say hands a piece over to all who listen. The answer is kept whole, whoever does.
func (t *talk) say(a *answer, piece string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.answer == a {
		a.said.WriteString(piece)
		t.broadcast(frame{Type: typePiece, Text: piece})
	}
	return nil
}

// brief returns what the agent should know now.
func (t *talk) brief(ctx context.Context, conv recaller.ConversationID, turns []recaller.Turn) recaller.Briefing {
	b, err := agent.Brief(ctx, t.Conversations, t.who.tenant, string(conv), turns)
	if err != nil && ctx.Err() == nil {
		t.Log.WarnContext(ctx, "an answer in the web chat has no briefing", "tenant", t.who.tenant, "conversation", conv, "err", err)
	}
	return b
}

// keepAnswer keeps what a visitor saw, and tells him that it is all. While the store cannot take it, it is tried again.
func (t *talk) keepAnswer(conv recaller.ConversationID, to int, got agent.Answer) {
	mark := t.once(conv, "answer:"+placeOf(conv, to))
	in := []conversation.TurnInput{{Speaker: recaller.Assistant, Text: got.Text, At: t.Now(), Interrupted: got.Interrupted}}
	t.begunKeeping()
	var turns []recaller.Turn
	var err error
	for range keepTries {
		if turns, err = t.addOnce(conv, mark, in); err == nil || whyNot(err) != unavailable || !t.pause() {
			break
		}
	}
	if err != nil && !errors.Is(err, recaller.Conflict) { // a conversation that has ended takes no more
		t.metrics.lost.Inc()
		t.Log.Error("an answer of the web chat is lost", "tenant", t.who.tenant, "conversation", conv, "err", err)
	}
	told := t.doneKeeping(conv, turns, func(f *frame) { f.Type = typeDone })
	if told > 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.conv == conv {
		at := t.Now().UTC()
		t.broadcast(frame{Type: typeDone, From: fromAgent, Text: got.Text, At: &at, Interrupted: got.Interrupted})
	}
}

func (t *talk) addOnce(conv recaller.ConversationID, mark recaller.Once, in []conversation.TurnInput) ([]recaller.Turn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), keepLimit) // also while the server stops
	defer cancel()
	turns, _, err := t.Conversations.AddTurns(ctx, t.who.tenant, string(conv), mark, in)
	return turns, err
}

// pause waits for a moment; false: the server stops.
func (t *talk) pause() bool {
	wait := time.NewTimer(keepPause)
	defer wait.Stop()
	select {
	case <-wait.C:
		return true
	case <-t.ctx.Done():
		return false
	}
}

// end ends the conversation, if it is the one that goes on.
func (t *talk) end(conv recaller.ConversationID, why string) {
	ctx, cancel := context.WithTimeout(context.Background(), keepLimit)
	defer cancel()
	t.mu.Lock()
	if t.conv == conv {
		t.unfollow() // of this end it is known why
	}
	t.mu.Unlock()
	if _, err := t.Conversations.End(ctx, t.who.tenant, string(conv), conversation.End{Reason: why}); err != nil {
		t.Log.WarnContext(ctx, "a chat could not be ended, and is closed when it is idle", "tenant", t.who.tenant, "conversation", conv, "err", err)
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.conv == conv {
			t.goOn(conv, t.turns)
			t.loaded = false // what was added meanwhile is not known
		}
		return
	}
	t.ended(conv, why)
}

// finish ends what goes on, because the visitor wants that.
func (t *talk) finish() {
	t.mu.Lock()
	conv := t.conv
	t.mu.Unlock()
	if conv != "" {
		t.end(conv, "visitor_left")
	}
}
