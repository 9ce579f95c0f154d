package telegram

import (
	"bytes"
	"context"
	"errors"
	"path"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-telegram/bot/models"

	"github.com/recallerhq/recaller/internal/thread"
)

// This file reads the text documents that somebody sends. What they say is told as data with the message, like words of
// somebody else's: nothing is learnt of it, and it is not kept.

// maxDocuments is how many bytes of documents are told with one message.
const maxDocuments = 32 << 10

// document is a file that was sent.
type document struct {
	file string // its id
	name string
	text bool // it says that it is a text
	size int64
}

func documentOf(m *models.Message) (list []document) {
	d := m.Document
	if d == nil {
		return nil
	}
	kind, _, _ := strings.Cut(strings.ToLower(d.MimeType), ";")
	return []document{{
		file: d.FileID, name: oneLine(d.FileName), size: d.FileSize,
		text: textEndings[strings.ToLower(path.Ext(d.FileName))] || textKinds[kind],
	}}
}

var (
	textEndings = map[string]bool{".txt": true, ".text": true, ".md": true, ".markdown": true, ".csv": true, ".tsv": true, ".json": true}
	textKinds   = map[string]bool{"text/plain": true, "text/markdown": true, "text/csv": true, "application/json": true}
)

// documents adds to a message what the documents say that came with it. Of one that cannot be read the user is told so, and
// the model too.
func (b *Bot) documents(ctx context.Context, t talk, m thread.Message) (thread.Message, error) {
	told := []string{m.Quoted}
	left := maxDocuments
	var unread []string
	for _, d := range t.documents {
		text, err := b.document(ctx, t, d, left)
		if err != nil {
			return m, err
		}
		if left -= len(text); text == "" {
			unread = append(unread, d.name)
			told = append(told, "The file "+d.name+" cannot be read here: what it says is not known.")
			continue
		}
		told = append(told, "The file "+d.name+" says:\n"+text)
	}
	m.Quoted = strings.TrimSpace(strings.Join(told, "\n\n"))
	if len(unread) == 0 {
		return m, nil
	}
	notice := plain(fill(t.unread, strings.Join(unread, ", ")))
	return m, b.once(ctx, t, "unread", func() error { return b.tell(ctx, t, notice) })
}

// document returns what a document says; empty: it cannot be read.
func (b *Bot) document(ctx context.Context, t talk, d document, most int) (string, error) {
	if !d.text || d.size > int64(most) {
		return "", nil
	}
	raw, err := b.fetch(ctx, t.place, d.file)
	if errors.Is(err, errRefused) || errors.Is(err, errGone) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	text := textIn(raw)
	if len(text) > most {
		return "", nil
	}
	return text, nil
}

// textIn returns the text of a file in UTF-8, or in UTF-16 with its mark; empty if it is none.
func textIn(raw []byte) string {
	switch {
	case bytes.HasPrefix(raw, []byte{0xFF, 0xFE}):
		raw = wide(raw[2:], func(b []byte) uint16 { return uint16(b[0]) | uint16(b[1])<<8 })
	case bytes.HasPrefix(raw, []byte{0xFE, 0xFF}):
		raw = wide(raw[2:], func(b []byte) uint16 { return uint16(b[1]) | uint16(b[0])<<8 })
	}
	raw = bytes.TrimPrefix(raw, []byte("\uFEFF"))
	binary := func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) }
	if !utf8.Valid(raw) || bytes.ContainsFunc(raw, binary) {
		return ""
	}
	return strings.TrimSpace(string(raw))
}

func wide(raw []byte, unit func([]byte) uint16) []byte {
	var units []uint16
	for ; len(raw) > 1; raw = raw[2:] {
		units = append(units, unit(raw))
	}
	return []byte(string(utf16.Decode(units)))
}
