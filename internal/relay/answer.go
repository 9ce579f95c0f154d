package relay

import (
	"context"
	"errors"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/agent"
)

// findLimit is how long an answer waits to know who speaks; this process knows it of the calls that it leads.
const findLimit = time.Second

// utterance is something that the platform says for us: an answer, or the greeting.
type utterance struct {
	c        *session
	ctx      context.Context //nolint:containedctx // it ends when nobody listens to this answer
	cancel   context.CancelFunc
	language string
	done     chan struct{} // closed when nothing works on it any more
	hangUp   bool          // when it was heard; valid once done

	mu    sync.Mutex // held while a frame is written
	sent  strings.Builder
	first time.Time // when the first of it was sent
	over  bool      // nothing more is sent
}

// utterance begins one, which is what is said from now on.
func (c *session) utterance() *utterance {
	u := &utterance{c: c, language: c.language, done: make(chan struct{})}
	u.ctx, u.cancel = context.WithCancel(c.ctx)
	c.said = u
	return u
}

// errOver is the failure of words that come after the end of their utterance.
var errOver = errors.New("nobody listens any more")

// say sends a piece.
func (u *utterance) say(piece string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.over {
		return errOver
	}
	if err := u.c.send(text{Type: "text", Token: piece, Lang: u.language}); err != nil {
		return err
	}
	if u.sent.Len() == 0 {
		u.first = u.c.Now()
	}
	u.sent.WriteString(piece)
	return nil
}

// begun reports whether anything of it was sent: before, there is nothing to interrupt.
func (u *utterance) begun() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.sent.Len() > 0
}

// close tells the platform that this was all, and returns it. whole: it was told before.
func (u *utterance) close() (sent string, whole bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	whole = u.over
	if !u.over {
		u.over = true
		_ = u.c.send(text{Type: "text", Last: true, Lang: u.language}) // whoever is gone waits for nothing more
	}
	return u.sent.String(), whole
}

// quit is close where nobody is told.
func (u *utterance) quit() (sent string, whole bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	whole, u.over = u.over, true
	return u.sent.String(), whole
}

// answer answers what the caller said, once that is kept and nothing works on the answer before.
func (c *session) answer(u *utterance, kept, before <-chan struct{}) {
	defer func() {
		if crash := recover(); crash != nil {
			c.Log.ErrorContext(c.io, "panic in an answer over a relay", "tenant", c.call.Tenant, "conversation", c.ref, "stack", string(debug.Stack()))
			c.end(crashed)
		}
		u.close()
		close(u.done)
		select {
		case c.answered <- u:
		case <-u.ctx.Done(): // nobody waits for it
		}
	}()
	<-before
	<-kept
	if u.ctx.Err() != nil {
		return
	}
	got, err := c.Agent.Answer(u.ctx, c.asking(u.ctx, u.language), u.say)
	u.hangUp = got.HangUp
	if errors.Is(err, agent.ErrNoModel) { // nobody will answer
		c.Log.ErrorContext(u.ctx, "a call over a relay has no agent", "tenant", c.call.Tenant, "conversation", c.ref, "err", err)
		u.hangUp = true
	}
}

// asking is what the agent is asked now.
func (c *session) asking(ctx context.Context, language string) agent.Asking {
	b, turns := c.brief(ctx)
	return agent.Asking{
		Tenant: c.call.Tenant, Conversation: c.ref, Channel: recaller.ChannelVoice, Caller: c.who, Briefing: b,
		Turns: turns, Language: language,
		Anew: func(ctx context.Context) agent.Asking { return c.asking(ctx, language) },
	}
}

// brief returns what the agent should know now, and the turns that it is for. If that cannot be found out, the last briefing
// serves, as long as the same one speaks.
func (c *session) brief(ctx context.Context) (recaller.Briefing, []recaller.Turn) {
	c.handed(ctx)
	for {
		turns := c.keeper.turns()
		b, err := agent.Brief(ctx, c.Conversations, c.call.Tenant, c.ref, turns)
		switch {
		case err != nil:
			c.Log.WarnContext(ctx, "an answer over a relay has no new briefing", "tenant", c.call.Tenant, "conversation", c.ref, "err", err)
		case !b.Degraded || c.briefing.Text == "" || c.briefing.Degraded:
			c.briefing = b
		}
		if !c.handed(ctx) {
			return c.briefing, turns
		}
	}
}

// handed reports whether somebody else speaks than did when it last looked. What was known and said before is not theirs, so
// it is gone then. Where that cannot be found out, nobody knows of whom the last briefing is.
func (c *session) handed(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, findLimit)
	defer cancel()
	conv, err := c.Conversations.Find(ctx, c.call.Tenant, c.ref)
	switch {
	case err != nil:
		c.briefing = recaller.Briefing{}
		return false
	case conv.Caller == c.who.ID || conv.Caller == "": // the store has not seen it yet
		return false
	case c.who.ID == "":
		c.who.ID = conv.Caller
		return false
	}
	c.who.ID, c.briefing = conv.Caller, recaller.Briefing{} // the number is the same, and so is its time
	c.keeper.since(conv.Turns)
	return true
}
