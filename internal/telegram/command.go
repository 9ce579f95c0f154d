package telegram

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/thread"
)

// command does what a command asks for. One that there is not is answered with those that there are.
func (b *Bot) command(ctx context.Context, t talk) error {
	switch t.command {
	case "start":
		return b.say(ctx, t, plain(fill(t.hello, oneLine(t.from.FirstName))))
	case "memory", "forget", "export":
		if t.group && (t.command == "export" || !b.alone(ctx, t.place)) {
			return b.say(ctx, t, plain(t.private))
		}
	case "persona":
		return b.persona(ctx, t)
	default:
		return b.say(ctx, t, plain(t.help))
	}
	switch t.command {
	case "memory":
		return b.memory(ctx, t)
	case "forget":
		return b.forget(ctx, t)
	}
	return b.export(ctx, t)
}

// alone reports whether a group is of the bot and one user, as a forum with topics for oneself is.
func (b *Bot) alone(ctx context.Context, p place) bool {
	n, err := b.api.GetChatMemberCount(ctx, &bot.GetChatMemberCountParams{ChatID: p.chat})
	return err == nil && n <= 2
}

// Bounds of what /memory tells.
const (
	memoriesPage = 100
	maxMemories  = 300
)

// memory tells what is known of the user.
func (b *Bot) memory(ctx context.Context, t talk) error {
	var lines []string
	for after := ""; len(lines) < maxMemories; {
		list, next, err := b.Memories.List(ctx, tenant, t.who.ID, recaller.MemoryFilter{
			Statuses: []recaller.MemoryStatus{recaller.MemoryActive}, Page: recaller.Page{Limit: memoriesPage, Cursor: after},
		})
		if err != nil {
			return err
		}
		for _, m := range list {
			lines = append(lines, "• "+m.Value)
		}
		if after = next; after == "" {
			break
		}
	}
	if len(lines) == 0 {
		return b.say(ctx, t, plain(t.nothing))
	}
	return b.say(ctx, t, plain(t.notices.known+"\n\n"+strings.Join(lines, "\n")))
}

// forget forgets what the user names, and asks back where several may be meant.
func (b *Bot) forget(ctx context.Context, t talk) error {
	if t.argument == "" {
		return b.say(ctx, t, plain(t.forgetWhat))
	}
	done, err := b.Threads.Forget(ctx, tenant, string(t.thread.ID), recaller.Once{Token: t.token()}, clip(t.argument, maxArgument))
	switch {
	case err != nil:
		return err
	case done.Result == thread.Unclear:
		return b.once(ctx, t, "asks back", func() error { return b.which(ctx, t, done.Candidates) })
	}
	return b.say(ctx, t, plain(t.became(done)))
}

// maxArgument is how many bytes of what is to be forgotten are read.
const maxArgument = 1000

// became tells what became of a wish to forget.
func (t talk) became(d thread.Done) string {
	switch d.Result {
	case thread.Forgotten:
		return fill(t.forgotten, d.Text)
	case thread.NotFound:
		return t.unknown
	}
	return t.forgetNot
}

// press does what a button says.
func (b *Bot) press(ctx context.Context, t talk) error {
	if version, ok := strings.CutPrefix(t.pressed, personaButton); ok {
		return b.pressPersona(ctx, t, version)
	}
	id, ok := strings.CutPrefix(t.pressed, forgetButton)
	if !ok {
		return b.settle(ctx, t, "")
	}
	done, err := b.Threads.Forget(ctx, tenant, string(t.thread.ID), recaller.Once{Token: t.token()}, id)
	if err != nil {
		return err
	}
	return b.settle(ctx, t, t.became(done))
}

// settle says in place of the question what became of it.
func (b *Bot) settle(ctx context.Context, t talk, text string) error {
	_, _ = b.api.AnswerCallbackQuery(ctx, &bot.AnswerCallbackQueryParams{CallbackQueryID: t.query}) // else the button spins a while
	if text == "" {
		return nil
	}
	err := b.sender.do(ctx, t.place, func(ctx context.Context, chat int64) error {
		_, err := b.api.EditMessageText(ctx, &bot.EditMessageTextParams{ChatID: chat, MessageID: t.inbound.message, Text: text})
		if err != nil && strings.Contains(err.Error(), notModified) {
			return nil
		}
		return err
	})
	if errors.Is(err, errRefused) { // the question is gone
		return b.say(ctx, t, plain(text))
	}
	return err
}

// notModified is how Telegram refuses an edit that was made before.
const notModified = "message is not modified"

// maxExport is how large a file a bot may send.
const maxExport = 50 << 20

var errTooLarge = recaller.Errorf(recaller.Exhausted, "the export is larger than what a bot may send")

// export sends everything that is held about the user.
func (b *Bot) export(ctx context.Context, t talk) error {
	var file bounded
	if err := b.Export(ctx, tenant, t.who.ID, &file); err != nil {
		if errors.Is(err, errTooLarge) {
			return b.say(ctx, t, plain(t.notices.refused))
		}
		return err
	}
	send := func(ctx context.Context, chat int64) error {
		_, err := b.api.SendDocument(ctx, &bot.SendDocumentParams{
			ChatID: chat, MessageThreadID: t.topic, Caption: t.notices.export,
			Document: &models.InputFileUpload{Filename: "memory.json", Data: bytes.NewReader(file.Bytes())},
		})
		return err
	}
	return b.once(ctx, t, "export", func() error { return b.sender.do(ctx, t.place, send) })
}

// bounded is a buffer that refuses more than may be sent.
type bounded struct{ bytes.Buffer }

// Write fails with errTooLarge where it would grow too large.
func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxExport {
		return 0, errTooLarge
	}
	return b.Buffer.Write(p)
}
