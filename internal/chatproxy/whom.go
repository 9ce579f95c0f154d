package chatproxy

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/recallerhq/recaller/internal/conversation"
)

// Who the user is, and which chat it is, strongest first: our own headers, and those of products that people come from.
var (
	userHeaders    = []string{"X-Memory-User", "X-Sm-User-Id", "X-Resource-Id"}
	sessionHeaders = []string{"X-Memory-Session", "X-Sm-Conversation-Id", "X-Thread-Id", "X-Conversation-Id"}
)

// verifiedHeader says that the application knows who the user is (B1).
const verifiedHeader = "X-Memory-Verified"

// The same in the body: what platforms send, then OpenAI's own fields.
var (
	userFields = []string{
		"call.customer.number", "customer.number", // Vapi
		"elevenlabs_extra_body.memory_user", "elevenlabs_extra_body.user_id", "elevenlabs_extra_body.user",
		"elevenlabs_extra_body.caller_id", "elevenlabs_extra_body.system__caller_id", "elevenlabs_extra_body.phone",
		"elevenlabs_extra_body.person", "user_id", // ElevenLabs
		"safety_identifier", "user", "metadata.user_id",
	}
	sessionFields = []string{
		"call.id", "elevenlabs_extra_body.memory_session", "elevenlabs_extra_body.session_id",
		"elevenlabs_extra_body.conversation_id", "elevenlabs_extra_body.system__conversation_id", "metadata.session_id",
	}
)

// platformFields are what platforms add to the body and no upstream knows. Fields of Vapi's only count beside its call.
var (
	platformFields = []string{"elevenlabs_extra_body", "user_id"}
	vapiFields     = []string{"call", "customer", "phoneNumber", "assistant", "metadata"}
)

// whom is whose memory a request is about.
type whom struct {
	user, session string
	verified      bool // the application says that it is this user: in a header, which no user writes
}

// whose finds whom a request is about; ok is false if it names nobody.
func whose(h http.Header, body gjson.Result) (w whom, ok bool) {
	w.user, w.session = first(h, userHeaders, body, userFields), first(h, sessionHeaders, body, sessionFields)
	w.verified = strings.EqualFold(strings.TrimSpace(h.Get(verifiedHeader)), "true")
	return w, w.user != ""
}

func first(h http.Header, headers []string, body gjson.Result, fields []string) string {
	for _, name := range headers {
		if v := strings.TrimSpace(h.Get(name)); v != "" {
			return v
		}
	}
	for _, path := range fields {
		v := body.Get(path)
		if v.Type != gjson.String && v.Type != gjson.Number {
			continue
		}
		if text := strings.TrimSpace(v.String()); text != "" {
			return text
		}
	}
	return ""
}

var e164 = regexp.MustCompile(`^\+[1-9][0-9]{6,14}$`)

// caller returns the user as a caller: by number where it is one with its country, else by an id of the application's.
func (w whom) caller() conversation.CallerRef {
	if e164.MatchString(w.user) {
		return conversation.CallerRef{Phone: w.user}
	}
	return conversation.CallerRef{ExternalID: w.user}
}

// maxExternal is how long a thread's external id can be.
const maxExternal = 255

// thread returns the external id of the thread: of the user and the session together, so that two users with one id of
// a session never meet. Both are escaped, so that no other two make the same.
func (w whom) thread() string {
	id := "proxy:" + url.QueryEscape(w.user) + "/" + url.QueryEscape(w.session)
	if len(id) > maxExternal {
		sum := sha256.Sum256([]byte(id))
		id = "proxy:#" + hex.EncodeToString(sum[:])
	}
	return id
}
