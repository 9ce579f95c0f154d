package telegram

import (
	"context"
	"strconv"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/thread"
)

// This file is for what must not be done twice, though the process may be killed at any moment (ADR 56).

// once does something that must not be done twice, and marks it.
func (b *Bot) once(ctx context.Context, t talk, what string, do func() error) error {
	before, err := b.before(ctx, t, what)
	if before || err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	return b.mark(ctx, t, what)
}

// before reports whether something was done for an update before.
func (b *Bot) before(ctx context.Context, t talk, what string) (bool, error) {
	return b.Marks.Marked(ctx, tenant, t.who.ID, t.token()+" "+what)
}

func (b *Bot) mark(ctx context.Context, t talk, what string) error {
	_, err := b.Marks.Mark(context.WithoutCancel(ctx), tenant, t.who.ID, t.token()+" "+what, b.Now())
	return err
}

// say sends words of the bot's own that answer an update, each part once.
func (b *Bot) say(ctx context.Context, t talk, text rich) error {
	return b.send(ctx, t, text, func(part int, send func() error) error {
		return b.once(ctx, t, "notice "+strconv.Itoa(part), send)
	})
}

// tell sends words of the bot's own to somebody of whom nothing can be marked.
func (b *Bot) tell(ctx context.Context, t talk, text rich) error {
	return b.send(ctx, t, text, func(_ int, send func() error) error { return send() })
}

// send sends a text in as many messages as it takes, each by a call of do.
func (b *Bot) send(ctx context.Context, t talk, text rich, do func(part int, send func() error) error) error {
	for i, p := range text.split(maxText) {
		m := message{rich: p}
		if t.group && i == 0 && t.pressed == "" {
			m.answers = t.inbound.message
		}
		if err := do(i, func() error { return b.sender.message(ctx, t.place, m) }); err != nil {
			return err
		}
	}
	return nil
}

// waits tells a chat that a message has to wait, also where the store is away and nothing can be marked.
func (b *Bot) waits(ctx context.Context, t talk) error {
	if t.who.ID != "" {
		if before, err := b.before(ctx, t, "waits"); before && err == nil {
			return nil
		}
	}
	if err := b.tell(ctx, t, plain(t.notices.away)); err != nil || t.who.ID == "" {
		return err
	}
	_ = b.mark(ctx, t, "waits") // else it is told again after a restart
	return nil
}

// unanswered says why a message is kept without a reply.
type unanswered string

// The reasons.
const (
	noModel unanswered = "no model"
	late    unanswered = "late"
	refused unanswered = "refused"
)

func (t talk) notice(why unanswered) string {
	switch why {
	case noModel:
		return t.noModel
	case late:
		return t.late
	}
	return t.refused
}

// kept keeps a message that gets a notice instead of a reply. The reason is marked first: who finds the message kept
// after a crash has no other way to know it.
func (b *Bot) kept(ctx context.Context, t talk, m thread.Message, once recaller.Once, why unanswered) error {
	if err := b.mark(ctx, t, string(why)); err != nil {
		return err
	}
	if err := b.Threads.Keep(ctx, tenant, string(t.thread.ID), once, m); err != nil {
		return err
	}
	return b.say(ctx, t, plain(t.notice(why)))
}

// deliverKept delivers what an earlier try kept: the reply, or the notice why there is none.
func (b *Bot) deliverKept(ctx context.Context, t talk, text string) error {
	if text == "" {
		for _, why := range []unanswered{noModel, late, refused} {
			if before, err := b.before(ctx, t, string(why)); err != nil {
				return err
			} else if before {
				return b.say(ctx, t, plain(t.notice(why)))
			}
		}
	}
	spoken, err := b.before(ctx, t, voice)
	if err != nil {
		return err
	}
	return b.deliver(ctx, t, thread.Replied{Text: text, VoiceReply: spoken})
}
