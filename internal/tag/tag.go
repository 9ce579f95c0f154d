// Package tag reads the tags with which a model acts in its reply (spec L2): [LEARN: …], [FORGET: …] and [VOICE_REPLY],
// in any case, with spaces where people put them. It takes them out of what is delivered, from a whole text or from a
// stream, and the result is the same however the stream was cut.
//
// What is no act of the model's own stays as it stands: a tag in code (a fence, a span in backticks, an indented block),
// in a block quote or in quotation marks, behind a backslash, as the text of a link, over a blank line, longer than
// Longest, or never closed. A span of code or a quotation that nothing closes ends with its paragraph, a fence with the
// text. Brackets within a tag balance. A tag without a text is taken out, and reported as nothing.
//
// Where a tag was, the text closes up as if somebody had written it without: no double space, none before punctuation,
// no empty line. A text without tags comes out byte for byte.
//
// A stream holds back what may be the beginning of a tag, and for one character a whole one, since a link may follow.
// Besides, it holds back what may have to go with a tag: white space, and the marker of a list at the start of a line.
//
// It does not carry tags out, and does not judge what they say.
package tag

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Longest is how long a tag can be, in bytes from bracket to bracket. A stream never holds back more, white space aside.
const Longest = 1000

// Kind says what a tag does. The set is closed.
type Kind string

// The kinds.
const (
	Learn      Kind = "learn"       // remember Text
	Forget     Kind = "forget"      // forget what Text means
	VoiceReply Kind = "voice_reply" // say the reply, and not only write it; without a text
)

// Tag is one act of a reply. Text is in one line and not empty, but for VoiceReply, which has none.
type Tag struct {
	Kind Kind
	Text string
}

// Parse takes the tags out of a whole text. They come in the order of the text.
func Parse(text string) (clean string, tags []Tag) {
	var r Reader
	clean = r.Write(text)
	clean += r.Close()
	return clean, r.Tags()
}

// Reader takes the tags out of a text that comes in pieces, which may be cut anywhere. The zero value is ready. It is
// for one text, and for one goroutine.
type Reader struct {
	in       []byte // what is held back or not read yet
	base     int    // where in starts in the text
	pos      int    // what is before it in in was read
	literal  int    // no tag begins before it in in
	hold     hold
	brackets brackets
	place    place
	gap      gap
	pending  []byte // what may become the marker of a list
	out      []byte
	last     rune // of what was put out; 0: nothing was
	tags     []Tag
}

// Write takes the next piece and returns what can be delivered.
func (r *Reader) Write(piece string) (deliver string) {
	r.in = append(r.in, piece...)
	r.read(false)
	keep := r.pos
	if r.hold.on {
		keep = r.hold.start
	}
	r.in = append(r.in[:0], r.in[keep:]...)
	r.base += keep
	r.pos, r.literal, r.hold.start, r.hold.body = r.pos-keep, max(0, r.literal-keep), r.hold.start-keep, r.hold.body-keep
	return r.flush()
}

// Close says that the text is over and returns what is left to deliver. What was not closed is text.
func (r *Reader) Close() (deliver string) {
	for r.read(true); r.hold.on; r.read(true) {
		if r.hold.closed {
			r.take()
		} else {
			r.giveUp()
		}
	}
	r.putPending()
	r.putMarker()
	if !r.gap.cut {
		r.out = append(r.out, r.gap.right.white...)
	}
	r.in, r.pos, r.gap = nil, 0, gap{}
	return r.flush()
}

// Tags returns the tags that are complete so far: one is when what follows it is known.
func (r *Reader) Tags() []Tag { return r.tags }

func (r *Reader) flush() string {
	out := string(r.out)
	r.out = r.out[:0]
	return out
}

// read goes through what came, rune by rune. A rune that is not whole waits for its rest, unless this is the end.
func (r *Reader) read(end bool) {
	for r.pos < len(r.in) && (end || utf8.FullRune(r.in[r.pos:])) {
		c, size := utf8.DecodeRune(r.in[r.pos:])
		if r.hold.on {
			r.holding(c, size)
		} else {
			r.pos += size
			r.plain(c, r.in[r.pos-size:r.pos])
		}
	}
}

// plain reads a character outside of tags.
func (r *Reader) plain(c rune, char []byte) {
	if unicode.IsSpace(c) {
		r.space(c, char)
		return
	}
	if r.place.mayMark() && marks(r.pending, c) {
		r.pending = append(r.pending, char...)
		return
	}
	r.putPending()
	r.place.begin(c)
	r.place.meet(c)
	if c == '[' && r.pos > r.literal && r.place.free() {
		r.begin()
		return
	}
	r.place.see(c)
	r.put(c, char)
}

// space reads white space, which waits for what follows it.
func (r *Reader) space(c rune, char []byte) {
	r.place.meet(c)
	if c != '\n' && isMarker(r.pending) {
		r.gap.right.marker = append(append(r.gap.right.marker, r.pending...), char...)
		r.pending = r.pending[:0]
		r.place.item()
		return
	}
	r.putPending()
	if c == '\n' {
		r.putMarker()
	}
	r.place.space(c)
	r.gap.space(char)
}

// put puts out a character that is no space, behind what waited for it.
func (r *Reader) put(c rune, char []byte) {
	r.out = append(r.out, r.gap.settle(r.last, c)...)
	r.out = append(r.out, char...)
	r.gap, r.last = r.gap.over(), c
}

// putPending puts out as text what did not become a marker.
func (r *Reader) putPending() {
	for len(r.pending) > 0 {
		c, size := utf8.DecodeRune(r.pending)
		r.place.begin(c)
		r.place.see(c)
		r.put(c, r.pending[:size])
		r.pending = r.pending[size:]
	}
}

// putMarker puts out as text a marker on a line that has nothing else.
func (r *Reader) putMarker() {
	marker := r.gap.right.marker
	if len(marker) == 0 {
		return
	}
	r.gap.right.marker = nil
	text := strings.TrimRightFunc(string(marker), unicode.IsSpace)
	first, _ := utf8.DecodeRuneInString(text)
	r.put(first, []byte(text))
	r.last, _ = utf8.DecodeLastRuneInString(text)
	r.gap.right.white = marker[len(text):]
}
