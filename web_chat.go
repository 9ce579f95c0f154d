package recaller

import (
	"slices"
	"strings"
	"time"
)

// WebChatReply says who answers what visitors of a tenant's pages write.
type WebChatReply string

// The replies.
const (
	WebChatOff   WebChatReply = "off"   // there is no web chat; the default
	WebChatAgent WebChatReply = "agent" // the built-in agent answers
	WebChatNone  WebChatReply = "none"  // it is kept, and the application answers over the API
)

// WebChatReplies lists the replies.
func WebChatReplies() []WebChatReply { return []WebChatReply{WebChatOff, WebChatAgent, WebChatNone} }

// Valid reports whether r is one of the replies.
func (r WebChatReply) Valid() bool { return slices.Contains(WebChatReplies(), r) }

// WebChat is how visitors of a tenant's pages chat with it.
type WebChat struct {
	Reply WebChatReply // empty: WebChatOff
	// Origins are those of the pages on which browsers may chat: "https://shop.example". "http://localhost:*" is one with
	// any port.
	Origins  []string
	Title    string // above the chat; empty: the business's name
	Greeting string // what is said first; empty: the profile's greeting
	Language string // of the widget's own words, as BCP 47 has it; empty: the visitor's browser says
	// Secret is what the tokens of visitors are signed with. There is one from when the chat was first turned on. It never
	// leaves the server.
	Secret []byte
}

// On reports whether there is a web chat.
func (w WebChat) On() bool { return w.Reply == WebChatAgent || w.Reply == WebChatNone }

// Allows reports whether browsers may chat on pages of an origin.
func (w WebChat) Allows(origin string) bool {
	return slices.ContainsFunc(w.Origins, func(o string) bool {
		host, anyPort := strings.CutSuffix(o, ":*")
		if !anyPort {
			return o == origin
		}
		port, ok := strings.CutPrefix(origin, host)
		return ok && (port == "" || len(port) > 1 && port[0] == ':' && strings.Trim(port[1:], "0123456789") == "")
	})
}

// VisitorPrefix begins the external id of a caller who is known by a visitor's token alone. No application may say that
// somebody signed in is one of those.
const VisitorPrefix = "web-visitor:"

// Visitor is who chats on a page: somebody whom the tenant's application signed in, or whoever has the token that this
// browser was given.
type Visitor struct {
	ExternalID string    // of the caller; it begins with VisitorPrefix where nobody signed him in
	Name       string    // as the application told it; empty: it did not, or he is not signed in
	SignedIn   bool      // the application says who it is
	Until      time.Time // when the token lapses
}
