package telegram

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"

	"github.com/go-telegram/bot/models"

	"github.com/recallerhq/recaller/internal/thread"
)

// This file reads updates, without a clock or a network.

// place is where something was said, and where its answer goes.
type place struct {
	chat  int64
	topic int  // of a forum; 0: none
	group bool // others read along
}

// inbound is what somebody sent.
type inbound struct {
	place
	from      models.User
	message   int // its id
	edited    int // when it was edited last; 0: never
	at        time.Time
	album     string // what it is one of
	command   string // without the slash, in lower case; empty: it is none
	argument  string // of the command
	pressed   string // the data of a button that was pressed
	query     string // the id of that
	said      thread.Message
	documents []document
	sound     *sound // to be written down: it is the text, or what is quoted
	passed    bool   // it is somebody else's, passed on
	moved     *move  // it is Telegram's notice that the chat is another one
	odd       bool   // it holds nothing that is understood: a sticker, a place
}

// sound is a voice message or another recording.
type sound struct {
	file string // its id
	name string // with the ending that tells its format
	size int64
}

// self is who the bot is.
type self struct {
	id   int64
	name string // its user name
}

// token names what was sent, whenever it comes again.
func (in inbound) token() string {
	t := "telegram " + strconv.FormatInt(in.chat, 10) + " " + strconv.Itoa(in.message)
	if in.edited != 0 {
		t += " edited " + strconv.Itoa(in.edited)
	}
	if in.query != "" {
		t += " pressed " + in.query
	}
	return t
}

// readUpdate returns what an update tells; false: nothing that is for the bot.
func (me self) readUpdate(u *models.Update) (inbound, bool) {
	switch {
	case u.Message != nil:
		return me.readMessage(u.Message)
	case u.EditedMessage != nil:
		in, ok := me.readMessage(u.EditedMessage)
		in.edited = max(u.EditedMessage.EditDate, 1)
		in.at = time.Unix(int64(in.edited), 0).UTC()
		return in, ok && in.command == ""
	case u.CallbackQuery != nil:
		q := u.CallbackQuery
		in := inbound{from: q.From, pressed: q.Data, query: q.ID}
		if m := q.Message.Message; m != nil {
			in.place, in.message = placeOf(m), m.ID
		} else if m := q.Message.InaccessibleMessage; m != nil {
			in.chat, in.message, in.group = m.Chat.ID, m.MessageID, m.Chat.Type != models.ChatTypePrivate
		}
		return in, in.chat != 0 && !q.From.IsBot
	}
	return inbound{}, false
}

func placeOf(m *models.Message) place {
	p := place{chat: m.Chat.ID, group: m.Chat.Type != models.ChatTypePrivate}
	if m.IsTopicMessage { // in other groups the id marks a chain of replies
		p.topic = m.MessageThreadID
	}
	return p
}

// readMessage returns what a message says; false if it is not for the bot: a channel's or a bot's, most notices of
// Telegram's, or one in a group that does not address it.
func (me self) readMessage(m *models.Message) (inbound, bool) {
	if to, ok := moved(m); ok {
		return inbound{place: placeOf(m), message: m.ID, moved: &to}, true
	}
	if m.From == nil || m.From.IsBot || m.SenderChat != nil || m.Chat.Type == models.ChatTypeChannel {
		return inbound{}, false
	}
	in := inbound{
		place: placeOf(m), from: *m.From, message: m.ID, at: time.Unix(int64(m.Date), 0).UTC(), album: m.MediaGroupID,
		passed: m.ForwardOrigin != nil,
	}
	text, entities := m.Text, m.Entities
	if text == "" {
		text, entities = m.Caption, m.CaptionEntities
	}
	named := me.named(text, entities)
	if !in.passed {
		in.command, in.argument = me.commandIn(text, entities)
	}
	toUs := named || in.command != "" || m.ReplyToMessage != nil && m.ReplyToMessage.From != nil && m.ReplyToMessage.From.ID == me.id
	if in.group && !toUs || in.command == other {
		return inbound{}, false
	}
	if named {
		text = me.without(text)
	}
	in.content(m, text, me.answered(m))
	return in, !in.odd || !in.group && !service(m)
}

// content reads what a message holds.
func (in *inbound) content(m *models.Message, text, quoted string) {
	if in.passed {
		text, quoted = "", text
	}
	in.said = thread.Message{Text: text, Media: media(m), Quoted: strings.TrimSpace(quoted)}
	in.documents = documentOf(m)
	if in.sound = soundOf(m); in.sound != nil {
		in.said.Media = append(in.said.Media, thread.Media{Kind: thread.MediaVoice})
	}
	in.odd = in.sound == nil && len(in.said.Media) == 0 && strings.TrimSpace(text) == "" && in.said.Quoted == ""
}

// answered is what a message answers to, as far as somebody else than the bot wrote it: its own words are in the thread.
func (me self) answered(m *models.Message) string {
	to := m.ReplyToMessage
	switch {
	case to != nil && to.From != nil && to.From.ID == me.id:
		return ""
	case m.Quote != nil && m.Quote.Text != "":
		return m.Quote.Text
	case to == nil:
		return ""
	case to.Text != "":
		return to.Text
	}
	return to.Caption
}

// fileRef begins a reference to a file; its id in the Bot API follows.
const fileRef = "telegram:"

// media are the references to what a message holds that is no text. They name the file as the Bot API does.
func media(m *models.Message) (list []thread.Media) {
	if n := len(m.Photo); n > 0 { // the last is the largest
		list = append(list, thread.Media{Kind: thread.MediaImage, Ref: fileRef + oneLine(m.Photo[n-1].FileID)})
	}
	if d := m.Document; d != nil {
		name := oneLine(d.FileName)
		list = append(list, thread.Media{Kind: thread.MediaFile, Name: name, Ref: strings.TrimSpace(name + " " + fileRef + oneLine(d.FileID))})
	}
	return list
}

func soundOf(m *models.Message) *sound {
	switch {
	case m.Voice != nil:
		return &sound{m.Voice.FileID, "voice.ogg", m.Voice.FileSize}
	case m.VideoNote != nil:
		return &sound{m.VideoNote.FileID, "note.mp4", int64(m.VideoNote.FileSize)}
	case m.Audio != nil:
		name := "audio.mp3"
		if at := strings.LastIndexByte(m.Audio.FileName, '.'); at >= 0 {
			name = "audio" + oneLine(m.Audio.FileName[at:])
		}
		return &sound{m.Audio.FileID, name, m.Audio.FileSize}
	}
	return nil
}

// oneLine makes a name fit into a reference: one line without brackets.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '[':
			return '('
		case r == ']':
			return ')'
		case unicode.IsControl(r):
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	return strings.TrimSpace(clip(s, maxName))
}

// maxName is how many bytes of a name are taken.
const maxName = 180

func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}

// service reports whether a message is a notice of Telegram's: a title that was changed, somebody who joined.
func service(m *models.Message) bool {
	return m.Sticker == nil && m.Location == nil && m.Contact == nil && m.Animation == nil && m.Video == nil && m.Poll == nil &&
		m.Venue == nil && m.Dice == nil && m.Story == nil
}

// other is the command of a message to another bot.
const other = "@"

// commandIn returns the command that a message begins with, and what follows it.
func (me self) commandIn(text string, entities []models.MessageEntity) (command, argument string) {
	for _, e := range entities {
		if e.Type != models.MessageEntityTypeBotCommand || e.Offset != 0 {
			continue
		}
		word := part(text, e)
		name, to, named := strings.Cut(strings.TrimPrefix(word, "/"), "@")
		if named && !strings.EqualFold(to, me.name) {
			return other, ""
		}
		return strings.ToLower(name), strings.TrimSpace(strings.TrimPrefix(text, word))
	}
	return "", ""
}

// named reports whether a text names the bot.
func (me self) named(text string, entities []models.MessageEntity) bool {
	for _, e := range entities {
		switch {
		case e.Type == models.MessageEntityTypeMention && strings.EqualFold(part(text, e), "@"+me.name):
			return true
		case e.Type == models.MessageEntityTypeTextMention && e.User != nil && e.User.ID == me.id:
			return true
		}
	}
	return false
}

// without leaves the bot's name out where a text begins or ends with it.
func (me self) without(text string) string {
	name := "@" + me.name
	text = strings.TrimSpace(text)
	if len(text) >= len(name) && strings.EqualFold(text[:len(name)], name) {
		return strings.TrimLeft(text[len(name):], " ,:\n")
	}
	if at := len(text) - len(name); at > 0 && strings.EqualFold(text[at:], name) {
		return strings.TrimSpace(text[:at])
	}
	return text
}

// part returns what an entity covers.
func part(text string, e models.MessageEntity) string {
	units := utf16.Encode([]rune(text))
	if e.Offset < 0 || e.Length < 0 || e.Offset > len(units) || e.Length > len(units)-e.Offset {
		return ""
	}
	return string(utf16.Decode(units[e.Offset : e.Offset+e.Length]))
}
