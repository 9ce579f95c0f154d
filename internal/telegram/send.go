package telegram

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"
)

// sender sends within Telegram's limits: a message a second to a chat, and 20 a minute to a group.
type sender struct {
	api  *bot.Bot
	pace Pace
	now  func() time.Time // a clock that does not jump
	// moved is told of chats that became others.
	moved func(move)

	mu   sync.Mutex
	sent map[int64][]time.Time // to a chat, the last of them; the newest may be to come
}

// perGroup is how many messages a group gets in Pace.Group.
const perGroup = 20

// maxSent is how many chats are remembered before those that were silent for long are dropped.
const maxSent = 1000

func newSender(api *bot.Bot, p Pace, now func() time.Time) *sender {
	return &sender{api: api, pace: p, now: now, moved: func(move) {}, sent: map[int64][]time.Time{}}
}

// turn returns how long to wait before a message to a chat, whose time it takes.
func (s *sender) turn(p place) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if len(s.sent) > maxSent {
		for id, list := range s.sent {
			if list[len(list)-1].Add(s.pace.Group).Before(now) {
				delete(s.sent, id)
			}
		}
	}
	list, at := s.sent[p.chat], now
	if n := len(list); n > 0 && list[n-1].Add(s.pace.Chat).After(at) {
		at = list[n-1].Add(s.pace.Chat)
	}
	if n := len(list); p.group && n >= perGroup && list[n-perGroup].Add(s.pace.Group).After(at) {
		at = list[n-perGroup].Add(s.pace.Group)
	}
	if list = append(list, at); len(list) > perGroup {
		list = list[len(list)-perGroup:]
	}
	s.sent[p.chat] = list
	return at.Sub(now)
}

// hold has a chat wait, because Telegram asks for it.
func (s *sender) hold(p place, d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent[p.chat] = append(s.sent[p.chat], s.now().Add(d-s.pace.Chat))
}

// tries is how often something is sent before it is left for later.
const tries = 4

// do sends something to a place, at its turn, and again where Telegram asks for patience. A refusal is errGone or
// errRefused; what else fails may be tried later.
func (s *sender) do(ctx context.Context, p place, send func(ctx context.Context, chat int64) error) (err error) {
	wait := s.pace.Retry
	for range tries {
		if d := s.turn(p); ctx.Err() != nil || d > 0 && !pause(ctx, d, nil) {
			return ctx.Err()
		}
		if err = within(ctx, func(ctx context.Context) error { return send(ctx, p.chat) }); err == nil {
			return nil
		}
		var gone *bot.MigrateError
		switch {
		case errors.As(err, &gone): // the group is another one now
			s.moved(move{p.chat, int64(gone.MigrateToChatID)})
			p.chat = int64(gone.MigrateToChatID)
			continue
		case errors.Is(err, bot.ErrorForbidden), errors.Is(err, bot.ErrorNotFound):
			return errGone
		case errors.Is(err, bot.ErrorBadRequest):
			return errRefused
		case pauseOf(err) > 0:
			s.hold(p, pauseOf(err))
			continue
		}
		if !pause(ctx, wait, nil) {
			return ctx.Err()
		}
		wait *= 2
	}
	return errFailed
}

// within carries out one request. A stop waits for it, so that what was sent is known to be sent.
func within(ctx context.Context, fn func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTimeout)
	defer cancel()
	return fn(ctx)
}

// Failures of the Bot API. The library's own errors hold what was answered.
var (
	errFailed  = errors.New("the Bot API fails or cannot be reached")
	errGone    = errors.New("the bot may not write there")
	errRefused = errors.New("the Bot API refuses it")
	errWebhook = errors.New("a webhook is set")
)

// pauseOf returns how long Telegram asks to wait.
func pauseOf(err error) time.Duration {
	var slow *bot.TooManyRequestsError
	if errors.As(err, &slow) {
		return max(time.Duration(slow.RetryAfter), 1) * time.Second
	}
	return 0
}

func isRefused(err error) bool {
	return errors.Is(err, bot.ErrorBadRequest) || errors.Is(err, bot.ErrorUnauthorized) || errors.Is(err, bot.ErrorNotFound)
}

// why says for the log what went wrong, without what was sent or answered.
func why(err error) string {
	switch {
	case errors.Is(err, bot.ErrorUnauthorized), errors.Is(err, bot.ErrorNotFound):
		return "the token is not known: TELEGRAM_BOT_TOKEN"
	case errors.Is(err, errWebhook):
		return "a webhook was set, which is taken away"
	case errors.Is(err, bot.ErrorConflict):
		return "another process asks with the same token"
	case pauseOf(err) > 0:
		return "too many requests"
	case errors.Is(err, bot.ErrorBadRequest):
		return "it is refused"
	case errors.Is(err, bot.ErrorForbidden):
		return "it is forbidden"
	}
	return "it fails or cannot be reached"
}

// message is one that is sent.
type message struct {
	rich
	answers int // the message that it answers in a group; 0: none
	buttons models.ReplyMarkup
}

// message sends one message. If its entities are refused it goes without them.
func (s *sender) message(ctx context.Context, p place, m message) error {
	send := func(entities []models.MessageEntity) error {
		return s.do(ctx, p, func(ctx context.Context, chat int64) error {
			no := true
			_, err := s.api.SendMessage(ctx, &bot.SendMessageParams{
				ChatID: chat, MessageThreadID: p.topic, Text: m.text, Entities: entities, ReplyMarkup: m.buttons,
				ReplyParameters: replyTo(m.answers), LinkPreviewOptions: &models.LinkPreviewOptions{IsDisabled: &no},
			})
			return err
		})
	}
	err := send(m.entities)
	if errors.Is(err, errRefused) && len(m.entities) > 0 {
		err = send(nil)
	}
	return err
}

func replyTo(message int) *models.ReplyParameters {
	if message == 0 {
		return nil
	}
	return &models.ReplyParameters{MessageID: message, AllowSendingWithoutReply: true}
}

// typing tells the place that a reply is being written, until the returned function is called.
func (s *sender) typing(ctx context.Context, p place) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		for {
			_, _ = s.api.SendChatAction(ctx, &bot.SendChatActionParams{ // nothing depends on it
				ChatID: p.chat, MessageThreadID: p.topic, Action: models.ChatActionTyping,
			})
			if !pause(ctx, s.pace.Typing, nil) {
				return
			}
		}
	})
	return func() { cancel(); done.Wait() }
}

// quietly asks for something that is no message, and so takes no turn.
func (s *sender) quietly(ctx context.Context, p place, ask func(context.Context) error) error {
	free := newSender(s.api, s.pace, s.now)
	return free.do(ctx, p, func(ctx context.Context, _ int64) error { return ask(ctx) })
}
