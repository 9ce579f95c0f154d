package telegram

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/thread"
)

// talk is an update that is being done, with whom and in which thread.
type talk struct {
	inbound
	notices
	chat   *chat
	update *update
	thread recaller.Thread
	who    recaller.Caller
}

// handle does an update; false: it is to be tried again.
func (b *Bot) handle(ctx context.Context, c *chat, u *update) bool {
	if u.in.moved != nil {
		return b.follow(ctx, u.in.chat) == nil || u.isLate()
	}
	t := talk{inbound: b.album(ctx, c, u), notices: noticesIn(u.in.from.LanguageCode), chat: c, update: u}
	if !b.users[t.from.ID] {
		b.count.WithLabelValues("stranger").Inc()
		b.stranger(ctx, t)
		return true
	}
	counts := b.current(t.inbound)
	if counts == no {
		b.count.WithLabelValues("edited").Inc()
		return true
	}
	err := b.follow(ctx, t.inbound.chat)
	if err == nil {
		t.thread, t.who, err = b.open(ctx, t)
	}
	if err != nil {
		return b.failed(ctx, t, err)
	}
	return b.failed(ctx, t, b.once(ctx, t, done, func() error {
		if counts == unknown {
			if edited, err := b.edited(ctx, t); err != nil || !edited {
				return err
			}
		}
		if err := b.answer(ctx, t); err != nil {
			return err
		}
		if err := b.follow(ctx, t.inbound.chat); err != nil { // it may have moved meanwhile
			return err
		}
		for _, other := range u.rest { // Telegram may send each of them again
			if err := b.mark(ctx, talk{inbound: other.in, who: t.who}, done); err != nil {
				return err
			}
		}
		return nil
	}))
}

// done marks an update that is done with.
const done = "done"

func (b *Bot) answer(ctx context.Context, t talk) error {
	switch {
	case t.odd:
		return b.say(ctx, t, plain(t.strange))
	case t.pressed != "":
		return b.press(ctx, t)
	case t.command != "":
		return b.command(ctx, t)
	}
	return b.exchange(ctx, t)
}

// failed reports whether an update is done with, though something failed. What may work later is tried again, and the
// chat is told once that it has to wait.
func (b *Bot) failed(ctx context.Context, t talk, err error) (done bool) {
	kind := recaller.KindOf(err)
	switch {
	case err == nil:
		b.count.WithLabelValues("answered").Inc()
		t.chat.away = false
		return true
	case ctx.Err() != nil:
		return false
	case errors.Is(err, errGone), errors.Is(err, errRefused):
		b.count.WithLabelValues("undeliverable").Inc()
		b.Log.Warn("a reply could not be delivered", "why", err)
		return true
	case errors.Is(err, errFailed):
		return t.update.isLate()
	case errors.Is(err, errAway), kind == recaller.Unavailable, kind == recaller.Timeout, kind == recaller.Exhausted, kind == recaller.Full:
		b.Log.Warn("a message waits", "kind", string(kind), "err", err)
		if !t.chat.away {
			t.chat.away = b.waits(ctx, t) == nil
		}
		return false
	}
	b.count.WithLabelValues("failed").Inc()
	b.Log.Error("a message could not be answered", "kind", string(kind), "err", err)
	return b.tell(ctx, t, plain(t.notices.refused)) == nil
}

// errAway is that of a model from which an answer may come later.
var errAway = errors.New("the language model is away")

// strangerAgain is how long somebody who is not let in is told nothing more.
const strangerAgain = time.Hour

// stranger tells somebody who is not let in his id, which whoever runs the bot needs; in a direct chat only, and once
// an hour.
func (b *Bot) stranger(ctx context.Context, t talk) {
	if t.group {
		return
	}
	b.mu.Lock()
	now := b.Now()
	told := b.strangers[t.from.ID]
	if len(b.strangers) > maxSent {
		clear(b.strangers)
	}
	again := now.Sub(told) >= strangerAgain
	if again {
		b.strangers[t.from.ID] = now
	}
	b.mu.Unlock()
	if !again {
		return
	}
	b.Log.Warn("somebody who is not in RECALLER_TELEGRAM_USERS wrote to the bot, and was told his id")
	_ = b.tell(ctx, t, plain(fill(t.notices.id, number(t.from.ID)))) // he may ask again
}

// counts tells whether something is to be answered.
type counts int

// An edit counts if it is of what was said last in its place, and changes the words. What was said before a start is
// unknown here: the thread has it.
const (
	no counts = iota
	yes
	unknown
)

// current notes what was said last in a place, and tells whether something is to be answered.
func (b *Bot) current(in inbound) counts {
	if in.pressed != "" {
		return yes
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	was, ok := b.last[in.place]
	switch {
	case in.edited == 0:
	case !ok:
		return unknown
	case was.message == in.message && was.edited == in.edited: // tried again
		return yes
	case was.message != in.message || was.text == in.said.Text:
		return no
	}
	if len(b.last) > maxSent {
		clear(b.last)
	}
	b.last[in.place] = said{in.message, in.edited, in.said.Text}
	return yes
}

// edited reports whether an edit is to be answered, of which this process has not seen what it changes: after a restart.
func (b *Bot) edited(ctx context.Context, t talk) (bool, error) {
	before := t.inbound
	before.edited = 0
	ref := string(t.thread.ID)
	if _, begun, err := b.Threads.Answered(ctx, tenant, ref, recaller.Once{Token: t.token()}); begun || err != nil {
		return begun, err
	}
	if t.sound != nil { // its words are not what is edited
		return false, nil
	}
	return b.Threads.Edited(ctx, tenant, ref, recaller.Once{Token: before.token()}, t.said)
}

// chatRef begins the external ids of threads and of their users.
const chatRef = "telegram:"

// open finds the thread of a chat or topic. The first user of a group has its thread; each other has one of his own
// there, because what is known of one is not for the other.
func (b *Bot) open(ctx context.Context, t talk) (recaller.Thread, recaller.Caller, error) {
	in := thread.Opening{
		Caller: conversation.CallerRef{
			ExternalID: chatRef + number(t.from.ID), Name: oneLine(strings.TrimSpace(t.from.FirstName + " " + t.from.LastName)),
		},
		ExternalID: chatRef + number(b.moves.now(t.inbound.chat)), Channel: recaller.ChannelTelegram,
		Verified: !t.group, // Telegram says whose account it is; in a group others read along
	}
	if t.topic != 0 {
		in.Topic = strconv.Itoa(t.topic)
	}
	th, who, _, err := b.Threads.Open(ctx, tenant, in)
	if recaller.KindOf(err) == recaller.Invalid && t.group {
		in.ExternalID += "/" + number(t.from.ID)
		th, who, _, err = b.Threads.Open(ctx, tenant, in)
	}
	return th, who, err
}

// exchange has the model answer, keeps the exchange, and delivers the reply. What an earlier try kept is delivered.
func (b *Bot) exchange(ctx context.Context, t talk) error {
	once := recaller.Once{Token: t.token()}
	ref := string(t.thread.ID)
	if text, found, err := b.Threads.Answered(ctx, tenant, ref, once); err != nil {
		return err
	} else if found {
		return b.deliverKept(ctx, t, text)
	}
	stop := b.sender.typing(ctx, t.place)
	defer stop()
	m, notice, err := b.listened(ctx, t)
	switch {
	case err != nil:
		return err
	case notice != "":
		return b.say(ctx, t, plain(notice))
	case b.Model == nil:
		return b.kept(ctx, t, m, once, noModel)
	case t.update.isLate() || b.Now().Sub(t.at) > maxAge:
		return b.kept(ctx, t, m, once, late)
	}
	if m, err = b.documents(ctx, t, m); err != nil {
		return err
	}
	p, err := b.Threads.Prompt(ctx, tenant, ref, thread.Asking{Message: m})
	if err != nil {
		return err
	}
	reply, err := b.ask(ctx, p.Prompt, b.pictures(ctx, t))
	if recaller.KindOf(err) == recaller.Invalid {
		return b.kept(ctx, t, m, once, refused)
	}
	if err != nil {
		return err
	}
	replied, err := b.Threads.Reply(ctx, tenant, ref, thread.Replying{Once: once, Message: m, Reply: reply})
	if err != nil {
		return err
	}
	stop()
	return b.deliver(ctx, t, replied)
}

// warmth is the temperature of replies.
const warmth = 0.7

// ask asks the model for a reply. errAway: it may answer later.
func (b *Bot) ask(ctx context.Context, prompt recaller.Briefing, pictures []recaller.Image) (string, error) {
	select {
	case b.slots <- struct{}{}:
		defer func() { <-b.slots }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	system, text := prompt.Apart()
	ask := recaller.Ask{System: system, Text: text, Images: pictures, Temperature: warmth}
	got, err := b.Model.Ask(ctx, ask)
	if err != nil && len(pictures) > 0 && ctx.Err() == nil { // endpoints refuse pictures in many ways
		ask.Images = nil
		if got, err = b.Model.Ask(ctx, ask); err == nil {
			b.blind.Store(true)
			b.Log.Warn("the language model answers only without pictures: it gets none until the next start")
		}
	}
	switch recaller.KindOf(err) {
	case recaller.Unauthenticated, recaller.NotFound, recaller.Unavailable, recaller.Exhausted, recaller.Timeout:
		b.Log.Warn("the language model does not answer", "kind", string(recaller.KindOf(err)), "err", err)
		return "", errAway
	}
	return got.Text, err
}

// deliver sends a reply, in as many messages as it takes. Those that were sent before are not sent again.
func (b *Bot) deliver(ctx context.Context, t talk, r thread.Replied) error {
	text := read(r.Text)
	if strings.TrimSpace(r.Text) == "" {
		text = plain(t.notices.done)
	}
	parts := text.split(maxText)
	if r.VoiceReply && b.Mouth != nil {
		sent, err := b.spoken(ctx, t, text)
		if err != nil {
			return err
		}
		if sent {
			parts = nil
		}
	}
	for i, p := range parts {
		m := message{rich: p}
		if t.group && i == 0 {
			m.answers = t.inbound.message
		}
		if err := b.once(ctx, t, "part "+strconv.Itoa(i), func() error { return b.sender.message(ctx, t.place, m) }); err != nil {
			return err
		}
	}
	for i, d := range r.Done {
		if d.Result == thread.Unclear {
			ask := func() error { return b.which(ctx, t, d.Candidates) }
			if err := b.once(ctx, t, "asks back "+strconv.Itoa(i), ask); err != nil {
				return err
			}
		}
	}
	return nil
}

// which asks which memory is meant, with a button for each.
func (b *Bot) which(ctx context.Context, t talk, list []recaller.Memory) error {
	var rows [][]key
	for _, m := range list[:min(len(list), maxButtons)] {
		rows = append(rows, button(m.Value, forgetButton+string(m.ID)))
	}
	return b.sender.message(ctx, t.place, message{rich: plain(t.notices.which), buttons: keyboard{rows}})
}

// Bounds of the buttons that ask back.
const (
	maxButtons = 8
	maxButton  = 60 // bytes
)

// forgetButton begins the data of a button; the id of what it forgets follows.
const forgetButton = "forget:"
