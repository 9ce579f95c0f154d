package webchat

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// Version is the protocol's.
const Version = 1

// Bounds of what a visitor sends, in bytes.
const (
	maxFrame = 32 << 10
	maxWords = 8 << 10 // of one message
	maxRef   = 64
)

// The types of frames that visitors send.
const (
	typeHello   = "hello"
	typeMessage = "message"
	typeEnd     = "end"
)

// The types of frames that they get; and message.
const (
	typeSession = "session"
	typeTyping  = "typing"
	typePiece   = "piece"
	typeDone    = "done"
	typeError   = "error"
	typeEnded   = "ended"
	typeClosing = "closing"
)

// asking is a frame of a visitor's, or the body of a post. Fields and types that are not known are ignored.
type asking struct {
	Type  string `json:"type"`
	V     int    `json:"v"`
	Token string `json:"token"`
	Last  string `json:"last"` // the id of the last message that is there

	Ref          string `json:"ref"` // of a message: the client's own, by which a repeat is known
	Text         string `json:"text"`
	Conversation string `json:"conversation"` // that the client takes it to be in
}

// The two who write.
const (
	fromVisitor = "visitor"
	fromAgent   = "agent"
)

// frame is what a visitor gets.
type frame struct {
	Type string `json:"type"`
	// ID names a message: its conversation and its place in it. Whoever comes back says the last one.
	ID   string     `json:"id,omitempty"`
	From string     `json:"from,omitempty"`
	Text string     `json:"text,omitempty"`
	At   *time.Time `json:"at,omitempty"`
	Ref  string     `json:"ref,omitempty"`
	// Held: the store is away, and the message is written when that is back.
	Held        bool `json:"held,omitempty"`
	Interrupted bool `json:"interrupted,omitempty"`

	Code       string `json:"code,omitempty"` // of an error
	RetryAfter int    `json:"retry_after,omitempty"`
	Reason     string `json:"reason,omitempty"` // of an end

	Conversation string   `json:"conversation,omitempty"`
	Session      *session `json:"-"` // flattened by MarshalJSON
}

// session begins a connection.
type session struct {
	Type         string     `json:"type"`
	V            int        `json:"v"`
	Token        string     `json:"token,omitempty"` // to be kept from now on
	ExpiresAt    time.Time  `json:"expires_at"`
	Title        string     `json:"title,omitempty"`
	Greeting     string     `json:"greeting,omitempty"`
	Language     string     `json:"language,omitempty"`
	Answers      bool       `json:"answers"` // the built-in agent does
	Conversation string     `json:"conversation,omitempty"`
	Resumed      bool       `json:"resumed"` // messages are those after the last one that the client named
	Messages     []frame    `json:"messages"`
	Answering    *answering `json:"answering,omitempty"`
}

// answering is an answer in the making.
type answering struct {
	Text string `json:"text"` // so far
}

// encode writes a frame as it goes out.
func (f frame) encode() []byte {
	var v any = f
	if f.Session != nil {
		v = f.Session
	}
	data, _ := json.Marshal(v) //nolint:errchkjson // texts, numbers and times
	return data
}

// messageOf is a turn as a visitor gets it.
func messageOf(conv recaller.ConversationID, t recaller.Turn) frame {
	at := t.At.UTC()
	f := frame{
		Type: typeMessage, ID: placeOf(conv, t.Number), From: fromAgent, Text: t.Text, At: &at, Interrupted: t.Interrupted,
	}
	if t.Speaker == recaller.User {
		f.From = fromVisitor
	}
	return f
}

// placeOf names a turn; the first of a conversation is 1.
func placeOf(conv recaller.ConversationID, number int) string {
	return string(conv) + ":" + strconv.Itoa(number+1)
}

// readPlace reads what placeOf wrote; false: it is none.
func readPlace(id string) (conv recaller.ConversationID, number int, ok bool) {
	at := strings.LastIndexByte(id, ':')
	if at <= 0 {
		return "", 0, false
	}
	n, err := strconv.Atoi(id[at+1:])
	return recaller.ConversationID(id[:at]), n - 1, err == nil && n > 0
}

// goodRef reports whether a message's own id can serve as one.
func goodRef(ref string) bool {
	return ref != "" && len(ref) <= maxRef && strings.Trim(ref, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == ""
}
