package tag

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// hold is what is known of a possible tag while it is held back. Places are those of Reader.in.
type hold struct {
	on     bool
	start  int  // its bracket
	kind   Kind // empty while its name is not known
	body   int  // where its text begins
	closed bool // it is whole, and what follows it is not known
}

// begin holds a possible tag back, from the bracket that was just read.
func (r *Reader) begin() {
	r.hold = hold{on: true, start: r.pos - 1}
	r.brackets.begin(r.base + r.hold.start)
}

// holding reads a character of a possible tag, or the one behind it.
func (r *Reader) holding(c rune, size int) {
	switch {
	case r.hold.closed && c == '(':
		r.literal = r.pos
		r.giveUp()
	case r.hold.closed:
		r.take()
	case r.hold.kind == "":
		r.name(size)
	default:
		r.brackets.read(c, size)
		r.body()
	}
}

// name reads on in a tag's beginning.
func (r *Reader) name(size int) {
	kind, may := head(r.in[r.hold.start : r.pos+size])
	if !may {
		r.giveUp()
		return
	}
	r.pos += size
	r.hold.kind, r.hold.body, r.hold.closed = kind, r.pos, kind == VoiceReply
	for kind != "" && r.brackets.to < r.base+r.pos {
		c, size := utf8.DecodeRune(r.in[r.brackets.to-r.base:])
		r.brackets.read(c, size)
	}
	if kind == Learn || kind == Forget {
		r.body()
	}
}

// body goes on where the brackets are read up to: the tag is whole, may become so, or is none.
func (r *Reader) body() {
	start := r.base + r.hold.start
	end, closed := r.brackets.ends[start]
	if !closed {
		end = r.brackets.to
	}
	if end-start > Longest || !closed && !r.brackets.waits(start) {
		r.giveUp()
		return
	}
	r.pos, r.hold.closed = end-r.base, closed
}

// take takes a whole tag out.
func (r *Reader) take() {
	h := r.hold
	r.hold = hold{}
	r.gap.take()
	r.place.took()
	if h.kind == VoiceReply {
		r.tags = append(r.tags, Tag{Kind: VoiceReply})
		return
	}
	text := strings.Join(strings.Fields(string(bytes.ToValidUTF8(r.in[h.body:r.pos-1], []byte("\uFFFD")))), " ")
	if text != "" {
		r.tags = append(r.tags, Tag{Kind: h.kind, Text: text})
	}
}

// giveUp makes text of the bracket with which a possible tag began, and reads what follows anew.
func (r *Reader) giveUp() {
	r.pos = r.hold.start + 1
	r.hold = hold{}
	r.place.see('[')
	r.put('[', []byte("["))
}

// longestHead bounds a tag's name with the spaces around it, in bytes.
const longestHead = 32

// blanks may stand in a tag's head.
const blanks = " \t\u00A0"

// head reads a tag from its bracket to the sign behind its name: a colon, or the end of a tag without a text. It
// reports whether text may be the beginning of a tag, and the kind as soon as that sign is there.
func head(text []byte) (kind Kind, may bool) {
	if len(text) > longestHead {
		return "", false
	}
	rest := strings.TrimLeft(string(text[1:]), blanks)
	for _, kind := range []Kind{Learn, Forget, VoiceReply} {
		tail, may := named(rest, string(kind))
		if !may {
			continue
		}
		tail = strings.TrimLeft(tail, blanks)
		switch {
		case tail == "":
			return "", true
		case kind == VoiceReply && tail == "]", kind != VoiceReply && (tail == ":" || tail == "："):
			return kind, true
		}
	}
	return "", false
}

// named reports whether text and name begin alike, and returns what follows the name. What parts the name's words may
// be a space or a hyphen, and an underscore is escaped by those who write Markdown.
func named(text, name string) (rest string, may bool) {
	for _, want := range name {
		if want == '_' {
			text = strings.TrimPrefix(text, `\`)
		}
		if text == "" {
			return "", true
		}
		got := rune(text[0])
		if unicode.ToLower(got) != want && (want != '_' || got != ' ' && got != '-') {
			return "", false
		}
		text = text[1:]
	}
	return text, true
}
