package telegram

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"unicode/utf16"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/thread"
)

// maxFile is how large a file Telegram gives to a bot.
const maxFile = 20 << 20

// listened returns what was said, a recording written down; or a notice why it cannot be understood.
func (b *Bot) listened(ctx context.Context, t talk) (m thread.Message, notice string, err error) {
	m = t.said
	if t.sound != nil {
		var words string
		if words, notice, err = b.hear(ctx, t); err != nil || notice != "" {
			return m, notice, err
		}
		if t.passed { // somebody else's voice
			m.Quoted = strings.TrimSpace(m.Quoted + "\n" + words)
		} else {
			m.Text = strings.TrimSpace(m.Text + "\n" + words)
		}
	}
	if strings.TrimSpace(m.Text) == "" && m.Quoted != "" {
		m.Text = t.relayed
	}
	return m, "", nil
}

func (b *Bot) hear(ctx context.Context, t talk) (words, notice string, err error) {
	switch {
	case b.Ears == nil:
		return "", t.deaf, nil
	case t.sound.size > maxFile:
		return "", t.big, nil
	}
	recording, err := b.fetch(ctx, t.place, t.sound.file)
	if errors.Is(err, errRefused) || errors.Is(err, errGone) {
		return "", t.big, nil
	}
	if err != nil {
		return "", "", err
	}
	words, err = b.Ears.Hear(ctx, t.sound.name, recording)
	if recaller.KindOf(err) == recaller.Invalid || err == nil && strings.TrimSpace(words) == "" {
		return "", t.mute, nil
	}
	return strings.TrimSpace(words), "", err
}

// fetch returns a file that was sent.
func (b *Bot) fetch(ctx context.Context, p place, id string) (raw []byte, err error) {
	var file *models.File
	err = b.sender.quietly(ctx, p, func(ctx context.Context) (err error) {
		file, err = b.api.GetFile(ctx, &bot.GetFileParams{FileID: id})
		return err
	})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, b.api.FileDownloadLink(file), nil)
	if err != nil {
		return nil, errRefused
	}
	res, err := b.http.Do(req)
	if err != nil {
		return nil, errFailed // the error itself holds the token
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, errFailed
	}
	raw, err = io.ReadAll(io.LimitReader(res.Body, maxFile+1))
	switch {
	case err != nil:
		return nil, errFailed
	case len(raw) > maxFile:
		return nil, errRefused
	}
	return raw, nil
}

// Bounds of the pictures that the model is shown.
const (
	maxPictures = 4
	maxPicture  = 5 << 20
)

// pictures returns the photos of a message for the model, as JPEG, which Telegram makes of all. One that cannot be had is
// left out: the message tells of it.
func (b *Bot) pictures(ctx context.Context, t talk) (list []recaller.Image) {
	for _, m := range t.said.Media {
		id, ok := strings.CutPrefix(m.Ref, fileRef)
		if m.Kind != thread.MediaImage || !ok || b.blind.Load() || len(list) == maxPictures {
			continue
		}
		raw, err := b.fetch(ctx, t.place, id)
		if err != nil || len(raw) > maxPicture {
			b.Log.Warn("the language model is not shown a picture", "bytes", len(raw), "err", err)
			continue
		}
		list = append(list, recaller.Image{Type: "image/jpeg", Data: raw})
	}
	return list
}

// maxSpoken is how long a text is spoken, in UTF-16 units; a longer one is read.
const maxSpoken = 2000

// voice marks that a reply was sent as a voice message.
const voice = "voice"

// spoken sends a reply as a voice message, its words below it as far as they fit; false: it is to be sent as text.
func (b *Bot) spoken(ctx context.Context, t talk, text rich) (sent bool, err error) {
	length := len(utf16.Encode([]rune(text.text)))
	if length > maxSpoken {
		return false, nil
	}
	if sent, err = b.before(ctx, t, voice); sent || err != nil {
		return sent && length <= maxCaption, err
	}
	recording, err := b.Mouth.Speak(ctx, text.text)
	if err != nil {
		b.Log.Warn("a reply is not spoken but written", "kind", string(recaller.KindOf(err)), "err", err)
		return false, nil
	}
	params := &bot.SendVoiceParams{ChatID: t.inbound.chat, MessageThreadID: t.topic}
	if length <= maxCaption {
		params.Caption, params.CaptionEntities = text.text, text.entities
	}
	if t.group {
		params.ReplyParameters = replyTo(t.inbound.message)
	}
	err = b.once(ctx, t, voice, func() error {
		return b.sender.do(ctx, t.place, func(ctx context.Context, chat int64) error {
			params.ChatID = chat
			params.Voice = &models.InputFileUpload{Filename: "reply.ogg", Data: bytes.NewReader(recording)}
			_, err := b.api.SendVoice(ctx, params)
			return err
		})
	})
	if errors.Is(err, errRefused) || errors.Is(err, errGone) { // voice messages can be forbidden
		return false, nil
	}
	return err == nil && length <= maxCaption, err
}
