package telegram

import (
	"context"
	"slices"
	"time"
)

// chat is a place where updates wait to be done with, one after the other. Bot.mu guards it.
type chat struct {
	place   place
	waiting []*update
	running bool
	wake    chan struct{} // something new
	away    bool          // it was told that the model is away; who works for it has this
}

// maxAge is how long a message waits for the model. Telegram holds it for a day.
const maxAge = 12 * time.Hour

// queue has an update wait in its chat, in the order of Telegram's ids.
func (b *Bot) queue(u *update) *chat {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.chats[u.in.place]
	if c == nil {
		c = &chat{place: u.in.place, wake: make(chan struct{}, 1)}
		b.chats[u.in.place] = c
	}
	at := len(c.waiting)
	for at > 0 && c.waiting[at-1].id > u.id {
		at--
	}
	c.waiting = slices.Insert(c.waiting, at, u)
	select {
	case c.wake <- struct{}{}:
	default:
	}
	return c
}

// start has somebody work for a chat, if nobody does.
func (b *Bot) start(ctx context.Context, c *chat) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c.running || len(c.waiting) == 0 {
		return
	}
	c.running = true
	b.working.Go(func() { b.work(ctx, c) })
}

// work does what waits in a chat until nothing does or ctx ends. What cannot be done now is tried again, and all behind
// it waits; but commands go first, because they need no model.
func (b *Bot) work(ctx context.Context, c *chat) {
	wait := b.opts.Pace.Retry
	for {
		u := b.first(c, false)
		if u == nil {
			return
		}
		if b.do(ctx, c, u) {
			wait = b.opts.Pace.Retry
			continue
		}
		if !b.rest(ctx, c, u, wait) {
			return
		}
		wait = min(2*wait, maxRetry)
	}
}

// rest waits before an update is tried again, and does meanwhile what needs no model; false: ctx ended before.
func (b *Bot) rest(ctx context.Context, c *chat, u *update, wait time.Duration) bool {
	t := time.NewTimer(wait)
	defer t.Stop()
	for {
		if quick := b.first(c, true); quick != nil && b.do(ctx, c, quick) {
			continue
		}
		select {
		case <-c.wake:
			continue
		case <-t.C:
		case <-u.late:
		case <-ctx.Done():
		}
		return ctx.Err() == nil
	}
}

// first returns what is done next; nil, and nobody works for the chat any more, if nothing waits. quick asks for what
// needs no model.
func (b *Bot) first(c *chat, quick bool) *update {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, u := range c.waiting {
		if u.in.command != "" || u.in.pressed != "" {
			return u
		}
	}
	switch {
	case quick:
		return nil
	case len(c.waiting) > 0:
		return c.waiting[0]
	}
	c.running = false
	delete(b.chats, c.place)
	return nil
}

// do does an update, with the rest of its album; false: it is to be tried again.
func (b *Bot) do(ctx context.Context, c *chat, u *update) bool {
	if !b.handle(ctx, c, u) {
		return false
	}
	b.drop(c, append(u.rest, u)...)
	return true
}

func (b *Bot) drop(c *chat, list ...*update) {
	b.mu.Lock()
	c.waiting = slices.DeleteFunc(c.waiting, func(u *update) bool { return slices.Contains(list, u) })
	b.mu.Unlock()
	for _, u := range list {
		b.inbox.finish(u)
	}
}

// album returns what u says together with the rest of its album, which is done with then. The rest is waited for.
func (b *Bot) album(ctx context.Context, c *chat, u *update) inbound {
	in := u.in
	if in.album == "" || len(in.said.Media) == 0 {
		return in
	}
	if !pause(ctx, b.opts.Pace.Album, nil) {
		return in
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	in.said.Media, in.documents, u.rest = slices.Clone(in.said.Media), slices.Clone(in.documents), nil
	for _, other := range c.waiting {
		if other == u || other.in.album != in.album || len(in.said.Media) >= maxAlbum {
			continue
		}
		in.said.Media = append(in.said.Media, other.in.said.Media...)
		in.documents = append(in.documents, other.in.documents...)
		if in.said.Text == "" {
			in.said.Text = other.in.said.Text
		}
		u.rest = append(u.rest, other)
	}
	return in
}

// maxAlbum is how many pictures an album has at most.
const maxAlbum = 10
