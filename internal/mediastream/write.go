package mediastream

import (
	"encoding/json"
)

// What goes to the platform is put together by hand: a payload and a name of ours need no escaping, and the id of a
// stream is escaped once a call (Quote).

// Quote returns the id of a stream as JSON, for the functions that write frames.
func Quote(stream string) string {
	quoted, err := json.Marshal(stream)
	if err != nil { // no text fails to be one
		return `""`
	}
	return string(quoted)
}

// AppendMedia appends a frame with audio, which is played after what was sent before.
func (w Wire) AppendMedia(dst []byte, stream, payload string) []byte {
	dst = w.head(dst, "media", stream)
	dst = append(dst, `,"media":{"payload":"`...)
	dst = append(dst, payload...)
	return append(dst, `"}}`...)
}

// AppendMark appends a frame with a mark: the platform sends it back when all that was sent before is played, or was
// cleared. The name has letters, digits and signs that JSON takes as they are.
func (w Wire) AppendMark(dst []byte, stream, name string) []byte {
	dst = w.head(dst, "mark", stream)
	dst = append(dst, `,"mark":{"name":"`...)
	dst = append(dst, name...)
	return append(dst, `"}}`...)
}

// AppendClear appends a frame that takes back all audio which is not played yet.
func (w Wire) AppendClear(dst []byte, stream string) []byte {
	return append(w.head(dst, "clear", stream), '}')
}

// head appends the beginning of a frame. Telnyx knows the stream by its socket.
func (w Wire) head(dst []byte, event, stream string) []byte {
	dst = append(dst, `{"event":"`...)
	dst = append(dst, event...)
	dst = append(dst, '"')
	if w == Twilio {
		dst = append(dst, `,"streamSid":`...)
		dst = append(dst, stream...)
	}
	return dst
}
