package thread

import (
	"strings"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
)

// Message is what the user sends.
type Message struct {
	Text string
	// Media are references that come before the text (L4): the pictures and files that the user sent.
	Media []Media
	// Quoted is what the message quotes or passes on that somebody else wrote. Nothing is learnt of it.
	Quoted string
}

// Media is a reference to something that is no text.
type Media struct {
	Kind string // MediaImage, MediaFile, MediaVoice
	Ref  string // a path, an address, or an id, as the agent's model takes it
	Name string // of the file; may be empty
}

// The kinds of media.
const (
	MediaImage = "image"
	MediaFile  = "file"
	MediaVoice = "voice" // its words are the message's text
)

// Bounds of a message.
const (
	maxMedia = 16
	maxRef   = 2000
)

// whole returns the message as it is told and kept: references before the text, as L4 writes them. A picture or a file
// without a text gets L's own request.
func (m Message) whole() (string, error) {
	if err := m.check(); err != nil {
		return "", err
	}
	var refs []string
	text := strings.TrimSpace(m.Text)
	for _, x := range m.Media {
		switch x.Kind {
		case MediaImage:
			refs = append(refs, "[Image: "+x.Ref+"]")
			if text == "" {
				text = "Analyze this image."
			}
		case MediaFile:
			refs = append(refs, "[File: "+x.Ref+"]")
			if text == "" {
				text = "Analyze: " + named(x)
			}
		}
	}
	if len(refs) == 0 {
		return text, nil
	}
	return strings.Join(refs, "\n") + "\n\n" + text, nil
}

func named(x Media) string {
	if x.Name != "" {
		return x.Name
	}
	return x.Ref
}

func (m Message) check() error {
	if len(m.Media) > maxMedia {
		return recaller.InvalidField("media", "takes at most %d items", maxMedia)
	}
	words := strings.TrimSpace(m.Text) != ""
	for _, x := range m.Media {
		switch {
		case x.Kind != MediaImage && x.Kind != MediaFile && x.Kind != MediaVoice:
			return recaller.InvalidField("media.kind", "must be image, file or voice")
		case strings.TrimSpace(x.Ref) == "" && x.Kind != MediaVoice:
			return recaller.InvalidField("media.ref", "is required: a path, an address or an id")
		case len(x.Ref) > maxRef || strings.ContainsAny(x.Ref+x.Name, "[]\n\r\x00") || !utf8.ValidString(x.Ref+x.Name):
			return recaller.InvalidField("media.ref", "must be one line of at most %d bytes, without brackets", maxRef)
		}
		words = words || x.Kind != MediaVoice
	}
	switch {
	case !words:
		return recaller.InvalidField("message", "is required: what the user says")
	case !utf8.ValidString(m.Text) || strings.ContainsRune(m.Text, 0):
		return recaller.InvalidField("message", "must be valid UTF-8 without NUL")
	case len(m.Text) > recaller.MaxTurnBytes-maxMedia*maxRef:
		return recaller.InvalidField("message", "must be at most %d bytes", recaller.MaxTurnBytes-maxMedia*maxRef)
	case !utf8.ValidString(m.Quoted) || len(m.Quoted) > recaller.MaxTurnBytes:
		return recaller.InvalidField("quoted", "must be valid UTF-8 of at most %d bytes", recaller.MaxTurnBytes)
	}
	return nil
}
