package webchat

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
)

// convPrefix begins the external id of a conversation over the web chat.
const convPrefix = "web-chat:"

// checked reads a message. No code: it can be kept; else what is wrong, and what was expected of fieldOf(code).
func (a *asking) checked() (code, text string) {
	a.Text = strings.TrimSpace(a.Text)
	switch {
	case !goodRef(a.Ref):
		return "ref", "must be 1 to 64 letters, digits, -, _ and ."
	case a.Text == "":
		return "empty", "must say something"
	case len(a.Text) > maxWords:
		return string(tooLong), "must be at most 8192 bytes"
	case !utf8.ValidString(a.Text):
		return string(malformed), "must be UTF-8"
	}
	return "", ""
}

// write keeps a message, and tells the listeners. The answer begins then. Where the message was kept before, that is all: the
// reason says so, and nobody is told.
func (t *talk) write(ctx context.Context, tenant recaller.Tenant, v recaller.Visitor, a asking) (frame, reason, error) {
	select {
	case t.writing <- struct{}{}:
	case <-ctx.Done():
		return frame{}, unavailable, recaller.Wrap(recaller.Unavailable, ctx.Err(), "the store did not answer in time")
	}
	defer func() { <-t.writing }()
	if f, ok := t.known(a.Ref); ok {
		return f, repeated, nil
	}
	if err := t.find(ctx); err != nil { // the store is away: the chat goes on without what was said before
		t.Log.WarnContext(ctx, "a chat goes on, and what was said before cannot be read", "tenant", t.who.tenant, "err", err)
	}
	if f, ok := t.before(ctx, a); ok {
		return f, repeated, nil
	}
	for again := true; ; again = false {
		conv, err := t.current(ctx, tenant, v, a)
		if errors.Is(err, recaller.Conflict) { // it was the first of one that has ended since
			return t.note(frame{Type: typeMessage, Ref: a.Ref, From: fromVisitor, Text: a.Text}), repeated, nil
		}
		if err != nil {
			return frame{}, whyNot(err), err
		}
		f, why, err := t.keep(ctx, tenant, conv, a)
		if errors.Is(err, recaller.Conflict) && again { // it has ended by another door
			t.ended(conv, "ended")
			continue
		}
		return f, why, err
	}
}

func whyNot(err error) reason {
	switch recaller.KindOf(err) {
	case recaller.Invalid, recaller.Conflict, recaller.NotFound, recaller.Forbidden:
		return refused
	case recaller.Unavailable, recaller.Timeout, recaller.Full, recaller.Exhausted:
		return unavailable
	}
	return failed
}

// known returns a message that was kept lately.
func (t *talk) known(ref string) (frame, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range t.refs {
		if f.Ref == ref {
			return f, true
		}
	}
	return frame{}, false
}

// note remembers that a message was kept.
func (t *talk) note(f frame) frame {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refs = append(t.refs, f)
	t.refs = t.refs[max(0, len(t.refs)-maxRefs):]
	return f
}

// before finds a message that was kept in a conversation that has ended since: the client was away for long, and says in which
// conversation it wrote.
func (t *talk) before(ctx context.Context, a asking) (frame, bool) {
	t.mu.Lock()
	conv, caller := t.conv, t.caller.ID
	t.mu.Unlock()
	said := recaller.ConversationID(a.Conversation)
	if said == "" || said == conv || caller == "" {
		return frame{}, false
	}
	found, err := t.Conversations.Find(ctx, t.who.tenant, a.Conversation)
	if err != nil || found.Caller != caller || found.Status == recaller.Active || found.ID != said {
		return frame{}, false
	}
	turns, _, err := t.Conversations.AddTurns(ctx, t.who.tenant, a.Conversation, t.once(said, a.Ref), []conversation.TurnInput{
		{Speaker: recaller.User, Text: a.Text, At: t.Now()},
	})
	if err != nil || len(turns) == 0 {
		return frame{}, false // it was not
	}
	f := messageOf(said, turns[0])
	f.Ref = a.Ref
	return t.note(f), true
}

// once is the mark of a message: a repeat is kept once, whatever it says.
func (t *talk) once(conv recaller.ConversationID, ref string) recaller.Once {
	mark := "web-chat:" + t.who.id + ":" + string(conv) + ":" + ref
	return recaller.Once{Token: mark, Request: mark}
}

// current returns the conversation that goes on, and begins one where there is none. Conflict: the message was the first of one
// that has ended.
func (t *talk) current(ctx context.Context, tenant recaller.Tenant, v recaller.Visitor, a asking) (recaller.ConversationID, error) {
	t.mu.Lock()
	conv := t.conv
	t.mu.Unlock()
	if conv != "" {
		return conv, nil
	}
	sum := sha256.Sum256([]byte(t.who.id + "\x00" + a.Ref))
	started, err := t.Conversations.Start(ctx, t.who.tenant, conversation.Start{
		Caller:     conversation.CallerRef{ExternalID: v.ExternalID, Name: v.Name},
		ExternalID: convPrefix + base64.RawURLEncoding.EncodeToString(sum[:18]), Channel: recaller.ChannelWebChat,
		Verified: v.SignedIn,
	})
	if err != nil {
		return "", err
	}
	c := started.Conversation
	if c.Status != recaller.Active {
		return "", recaller.Errorf(recaller.Conflict, "the conversation has ended")
	}
	t.mu.Lock()
	t.caller, t.loaded = started.Caller, true
	t.goOn(c.ID, nil)
	t.mu.Unlock()
	return c.ID, t.greet(ctx, tenant, c)
}

// greet keeps what the page has said before the visitor did.
func (t *talk) greet(ctx context.Context, tenant recaller.Tenant, c recaller.Conversation) error {
	text := greeting(tenant)
	if text == "" || c.Turns > 0 {
		return nil
	}
	t.begunKeeping()
	turns, _, err := t.Conversations.AddTurns(ctx, t.who.tenant, string(c.ID), t.once(c.ID, "greeting"), []conversation.TurnInput{
		{Speaker: recaller.Assistant, Text: text, At: t.Now()},
	})
	t.doneKeeping(c.ID, turns, plain)
	if errors.Is(err, recaller.Conflict) {
		return nil // the message finds that out too
	}
	return err
}

// keep keeps a message in a conversation, and has it answered.
func (t *talk) keep(ctx context.Context, tenant recaller.Tenant, conv recaller.ConversationID, a asking) (frame, reason, error) {
	t.begunKeeping()
	turns, durable, err := t.Conversations.AddTurns(ctx, t.who.tenant, string(conv), t.once(conv, a.Ref), []conversation.TurnInput{
		{Speaker: recaller.User, Text: a.Text, At: t.Now()},
	})
	if err != nil || len(turns) == 0 {
		t.doneKeeping(conv, nil, plain)
		return frame{}, whyNot(err), err
	}
	f := messageOf(conv, turns[0])
	f.Ref = a.Ref
	f.Held = !durable && tenant.Retention != recaller.Ephemeral
	t.note(f)
	fresh := t.doneKeeping(conv, turns, func(out *frame) { out.Ref, out.Held = f.Ref, f.Held })
	if fresh == 0 {
		return f, repeated, nil
	}
	if tenant.WebChat.Reply == recaller.WebChatAgent {
		t.mu.Lock()
		t.respond(-1)
		t.mu.Unlock()
	}
	if f.Held {
		return f, held, nil
	}
	return f, kept, nil
}

// greeting is what a tenant's chat says first; empty: nothing.
func greeting(t recaller.Tenant) string {
	if t.WebChat.Greeting != "" {
		return t.WebChat.Greeting
	}
	return t.Profile.Greeting
}
