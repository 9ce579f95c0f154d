// Package mediastream reads and writes the frames in which telephone platforms stream the audio of a call over a
// WebSocket: Twilio's Media Streams, and Telnyx's. It is pure: bytes in, frames out, and frames in, bytes out.
//
// Audio is μ-law at 8 kHz, in base64. It is never decoded here: a payload goes on as it came, once it is sure that it
// is base64. Fields that are not known are ignored, and so are events; numbers may be strings.
//
// It holds no sockets and no clock, and does not know what a call is about (bridge does).
package mediastream

import (
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/recallerhq/recaller"
)

// Wire is the form in which a platform writes its frames.
type Wire int

// The wires. Any is for a socket that may be either's, until its first frame with an id of the stream shows whose it is
// (WireOf).
const (
	Twilio Wire = iota
	Telnyx
	Any
)

// WireOf tells by a frame whose wire it is; false: the frame does not show it.
func WireOf(raw []byte) (Wire, bool) {
	switch ids := gjson.GetManyBytes(raw, "streamSid", "stream_id"); {
	case ids[0].Exists():
		return Twilio, true
	case ids[1].Exists():
		return Telnyx, true
	}
	return Any, false
}

// Kind says what a frame tells.
type Kind int

// The kinds of frame. Other is one that means nothing here.
const (
	Other Kind = iota
	Connected
	Started
	Media
	Digit
	Mark
	Stopped
	Fault
)

// BytesPerMS is how much audio a millisecond has: a byte a sample, eight thousand samples a second.
const BytesPerMS = 8

// Bounds.
const (
	MaxFrame   = 64 << 10 // bytes of one frame; a longer one is refused
	maxID      = 512
	maxMark    = 64
	maxParams  = 32
	maxPayload = 48 << 10 // characters: four seconds and a half
)

// Frame is one message of the platform's.
type Frame struct {
	Kind     Kind
	Payload  string        // of Media: base64 of what is said, as it came
	IsTheirs bool          // of Media: it is what the caller hears, not what he says; only where that was asked for
	At       time.Duration // of Media: since the stream began
	Chunk    int64         // of Media: its place among those of its track; 0: not told
	Digit    string        // of Digit: the key that was pressed
	Mark     string        // of Mark: the name of the mark that was reached
	Token    string        // of Connected: what the platform was told to show; Telnyx only
	Code     int64         // of Fault: the platform's number of it
	Start    Start         // of Started
}

// Start is how a stream begins.
type Start struct {
	Stream     string            // the platform's id of the stream
	Call       string            // its id of the call: Twilio's CallSid, Telnyx's call_control_id
	Account    string            // who is billed: Twilio's AccountSid, Telnyx's user_id
	Session    string            // Telnyx's call_session_id
	From, To   string            // Telnyx only, and they may be empty there, too
	Parameters map[string]string // what the answer to the webhook put into the stream
	Token      string            // that Telnyx was told to show; of Connected, for who reads both
	Encoding   string
	Rate       int64
	Channels   int64
}

// Speakable reports whether the stream is in the form that goes through: μ-law, 8 kHz, one channel. What a platform
// does not tell is taken for granted.
func (s Start) Speakable() bool {
	enc := strings.ToLower(s.Encoding)
	return (enc == "" || enc == "audio/x-mulaw" || enc == "pcmu" || enc == "audio/pcmu") &&
		(s.Rate == 0 || s.Rate == 8000) && s.Channels <= 1
}

// Read reads a frame. What is malformed, or too long, is recaller.Invalid; the error holds nothing of what came.
func (w Wire) Read(raw []byte) (Frame, error) {
	if len(raw) > MaxFrame {
		return Frame{}, recaller.InvalidField("frame", "must be at most %d bytes", MaxFrame)
	}
	if !gjson.ValidBytes(raw) {
		return Frame{}, recaller.InvalidField("frame", "must be a JSON object")
	}
	r := gjson.ParseBytes(raw)
	if !r.IsObject() {
		return Frame{}, recaller.InvalidField("frame", "must be a JSON object")
	}
	switch event := r.Get("event").String(); event {
	case "media":
		return w.media(r.Get("media"))
	case "mark":
		return named(Frame{Kind: Mark, Mark: r.Get("mark.name").String()}, maxMark)
	case "dtmf":
		digit := r.Get("dtmf.digit").String()
		if len(digit) != 1 || !strings.Contains("0123456789*#ABCDabcd", digit) {
			return Frame{}, recaller.InvalidField("dtmf.digit", "must be a key of a telephone")
		}
		return Frame{Kind: Digit, Digit: digit}, nil
	case "start":
		return w.start(r)
	case "stop":
		return Frame{Kind: Stopped}, nil
	case "connected":
		return Frame{Kind: Connected, Token: r.Get(`connected.x-telnyx-streaming-auth-token`).String()}, nil
	case "error":
		return Frame{Kind: Fault, Code: r.Get("payload.code").Int()}, nil
	case "":
		return Frame{}, recaller.InvalidField("frame.event", "is required")
	}
	return Frame{Kind: Other}, nil
}

func named(f Frame, limit int) (Frame, error) {
	if len(f.Mark) > limit {
		return Frame{}, recaller.InvalidField("mark.name", "must be at most %d bytes", limit)
	}
	return f, nil
}

// media reads what was said, by the caller or by the other side.
func (w Wire) media(m gjson.Result) (Frame, error) {
	theirs := false
	switch m.Get("track").String() {
	case "", "inbound", "inbound_track":
	case "outbound", "outbound_track":
		theirs = true
	default:
		return Frame{Kind: Other}, nil
	}
	f := Frame{
		IsTheirs: theirs,
		Kind:     Media, Payload: m.Get("payload").String(), Chunk: m.Get("chunk").Int(),
		At: time.Duration(clamp(m.Get("timestamp").Int(), maxStamp)) * time.Millisecond,
	}
	switch {
	case f.Payload == "":
		return Frame{}, recaller.InvalidField("media.payload", "is required")
	case len(f.Payload) > maxPayload:
		return Frame{}, recaller.InvalidField("media.payload", "must be at most %d bytes", maxPayload)
	case !IsPayload(f.Payload):
		return Frame{}, recaller.InvalidField("media.payload", "must be base64")
	}
	return f, nil
}

// maxStamp bounds a time that a platform tells, in milliseconds: a month.
const maxStamp = 31 * 24 * 3600 * 1000

func clamp(n, most int64) int64 { return min(max(0, n), most) }

// start reads how the stream begins. The platforms spell alike what both have.
func (w Wire) start(r gjson.Result) (Frame, error) {
	at := r.Get("start")
	s := Start{
		Stream: first(at.Get("streamSid"), r.Get("streamSid")), Call: at.Get("callSid").String(),
		Account: at.Get("accountSid").String(), Encoding: at.Get("mediaFormat.encoding").String(),
		Rate: at.Get("mediaFormat.sampleRate").Int(), Channels: at.Get("mediaFormat.channels").Int(),
	}
	params := at.Get("customParameters")
	if w == Telnyx {
		s = Start{
			Stream: first(r.Get("stream_id"), at.Get("stream_id")), Call: at.Get("call_control_id").String(),
			Account: at.Get("user_id").String(), Session: at.Get("call_session_id").String(),
			From: at.Get("from").String(), To: at.Get("to").String(),
			Encoding: at.Get("media_format.encoding").String(),
			Rate:     at.Get("media_format.sample_rate").Int(), Channels: at.Get("media_format.channels").Int(),
		}
		params = at.Get("custom_parameters")
	}
	if s.Stream == "" {
		return Frame{}, recaller.InvalidField("start", "must name the stream")
	}
	for _, id := range []string{s.Stream, s.Call, s.Account, s.Session, s.From, s.To, s.Encoding} {
		if len(id) > maxID {
			return Frame{}, recaller.InvalidField("start", "has an id of more than %d bytes", maxID)
		}
	}
	s.Parameters = map[string]string{}
	params.ForEach(func(name, value gjson.Result) bool {
		if params.IsArray() { // as Telnyx takes them: [{"name":…,"value":…}]
			name, value = value.Get("name"), value.Get("value")
		}
		s.Parameters[name.String()] = value.String()
		return len(s.Parameters) <= maxParams
	})
	if len(s.Parameters) > maxParams {
		return Frame{}, recaller.InvalidField("start", "takes at most %d parameters", maxParams)
	}
	return Frame{Kind: Started, Start: s}, nil
}

func first(a, b gjson.Result) string {
	if v := a.String(); v != "" {
		return v
	}
	return b.String()
}

// IsPayload reports whether a text is written in base64's letters, so that it can stand in JSON as it is.
func IsPayload(s string) bool {
	s = strings.TrimRight(s, "=")
	for i := range len(s) {
		if !letters[s[i]] {
			return false
		}
	}
	return s != ""
}

var letters = func() (set [256]bool) {
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		set[c] = true
	}
	return set
}()

// Len returns how many bytes of audio a payload has.
func Len(payload string) int { return len(strings.TrimRight(payload, "=")) * 3 / 4 }

// Split cuts a payload into pieces of at most ms milliseconds, each of which is a payload, without decoding it. They are
// about as long, for Telnyx takes none of less than 20 ms. ms is a multiple of three.
func Split(payload string, ms int) []string {
	size := ms * BytesPerMS / 3 * 4 // whole groups of four letters, which are three bytes
	if size <= 0 || len(payload) <= size {
		return []string{payload}
	}
	n := (len(payload) + size - 1) / size
	size = ((len(payload)+3)/4 + n - 1) / n * 4
	pieces := make([]string, 0, n)
	for len(payload) > size {
		pieces = append(pieces, payload[:size])
		payload = payload[size:]
	}
	return append(pieces, payload)
}
