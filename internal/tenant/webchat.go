package tenant

import (
	"context"
	"crypto/rand"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/identity"
	"github.com/recallerhq/recaller/internal/visitor"
)

// Bounds of a web chat's settings.
const (
	maxOrigins = 50
	maxOrigin  = 255 // bytes
	maxTitle   = 100 // bytes
	chatSecret = 32  // bytes of randomness
)

// How long visitors' tokens count.
const (
	AnonymousFor    = 180 * 24 * time.Hour // renewed when half of it is over
	DefaultSignedIn = 15 * time.Minute
	MinSignedIn     = time.Minute
	MaxSignedIn     = 24 * time.Hour
)

// webChat checks how visitors chat, and normalises it.
func webChat(t *recaller.Tenant) error {
	w := &t.WebChat
	switch {
	case !w.Reply.Valid():
		return recaller.InvalidField("web_chat.reply", "must be one of %v", recaller.WebChatReplies())
	case len(w.Title) > maxTitle || !utf8.ValidString(w.Title) || strings.ContainsFunc(w.Title, unicode.IsControl):
		return recaller.InvalidField("web_chat.title", "must be one line of at most %d bytes", maxTitle)
	case len(w.Greeting) > maxText || !utf8.ValidString(w.Greeting):
		return recaller.InvalidField("web_chat.greeting", "must be at most %d bytes of UTF-8", maxText)
	case len(w.Origins) > maxOrigins:
		return recaller.InvalidField("web_chat.origins", "must be at most %d", maxOrigins)
	}
	if w.Language != "" {
		tag, err := language.Parse(w.Language)
		if err != nil || tag == language.Und {
			return recaller.InvalidField("web_chat.language", "must be a language as BCP 47 has it, like en-GB")
		}
		w.Language = tag.String()
	}
	w.Origins = slices.Clone(w.Origins)
	for i, raw := range w.Origins {
		o, ok := origin(raw)
		if !ok {
			return recaller.InvalidField("web_chat.origins["+strconv.Itoa(i)+"]",
				"must be what a browser calls the origin of a page: https://shop.example, without a path, and a name in other letters as xn--; http://localhost:* is one with any port")
		}
		w.Origins[i] = o
	}
	slices.Sort(w.Origins)
	w.Origins = slices.Compact(w.Origins)
	if w.On() && len(w.Secret) == 0 {
		w.Secret = newChatSecret()
	}
	return nil
}

// origin writes an origin as browsers do: in small letters, without the port that the scheme has anyway.
func origin(raw string) (string, bool) {
	u, err := url.Parse(strings.TrimSuffix(strings.ToLower(strings.TrimSpace(raw)), "/"))
	if len(raw) > maxOrigin {
		return "", false
	}
	if err != nil { // net/url takes no port that is not a number
		return local(raw)
	}
	host := u.Hostname()
	bare := u.User == nil && u.Path == "" && u.RawQuery == "" && u.Fragment == "" && u.Opaque == "" && !u.ForceQuery
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if host == "" || !bare || u.Scheme != "http" && u.Scheme != "https" || strings.ContainsFunc(host, notKey) || strings.Contains(host, "*") {
		return "", false
	}
	port := u.Port()
	if n, err := strconv.Atoi(port); port != "" && (err != nil || n < 1 || n > 65535) {
		return "", false
	}
	if port == "" || u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
		return u.Scheme + "://" + host, true
	}
	return u.Scheme + "://" + host + ":" + port, true
}

// local reads an origin of this machine with any port, for whoever tries things out.
func local(raw string) (string, bool) {
	raw = strings.ToLower(strings.TrimSpace(raw))
	return raw, slices.Contains([]string{
		"http://localhost:*", "https://localhost:*", "http://127.0.0.1:*", "https://127.0.0.1:*", "http://[::1]:*", "https://[::1]:*",
	}, raw)
}

// chatted checks that the server can give the reply that is chosen, if it is another than before.
func (s *Service) chatted(old, t *recaller.Tenant) error {
	if s.NoAgent && t.WebChat.Reply == recaller.WebChatAgent && t.WebChat.Reply != old.WebChat.Reply {
		return recaller.InvalidField("web_chat.reply", "may be agent only where a language model is configured (RECALLER_LLM_MODEL)")
	}
	return nil
}

// newChatSecret makes a secret from the system's source of randomness.
func newChatSecret() []byte {
	b := make([]byte, chatSecret)
	_, _ = rand.Read(b) // never fails (crypto/rand)
	return b
}

// NewVisitor makes the token of a visitor whom nobody knows.
func (s *Service) NewVisitor(t recaller.Tenant) (token string, v recaller.Visitor) {
	var random [visitor.Random]byte
	_, _ = rand.Read(random[:]) // never fails (crypto/rand)
	return visitor.Anonymous(t.WebChat.Secret, t.ID, random, s.Now().Add(AnonymousFor))
}

// Visitor returns whose token it is. renewed is one that is good for longer, where half of this one's time is over; else
// empty. It fails as Unauthenticated; where the token counted until lately, recaller.ErrLapsed is the cause.
func (s *Service) Visitor(t recaller.Tenant, token string) (v recaller.Visitor, renewed string, err error) {
	now := s.Now()
	if v, err = visitor.Read(t.WebChat.Secret, t.ID, token, now); err != nil || v.SignedIn || v.Until.Sub(now) > AnonymousFor/2 {
		return v, "", err
	}
	v.Until = now.Add(AnonymousFor).UTC().Truncate(time.Second)
	renewed, err = visitor.Renewed(t.WebChat.Secret, t.ID, token, v.Until)
	return v, renewed, err
}

// SignIn says who a visitor is.
type SignIn struct {
	ExternalID string
	Name       string        // empty: not told
	For        time.Duration // how long the token counts; 0: DefaultSignedIn
}

// SignVisitorIn makes the token of a visitor whom the tenant's application knows. Conflict while the chat is off.
func (s *Service) SignVisitorIn(ctx context.Context, id recaller.TenantID, in SignIn) (token string, v recaller.Visitor, err error) {
	if v.ExternalID, err = identity.ExternalID(in.ExternalID); err != nil {
		return "", v, err
	}
	if in.For == 0 {
		in.For = DefaultSignedIn
	}
	switch {
	case strings.HasPrefix(v.ExternalID, recaller.VisitorPrefix):
		return "", v, recaller.InvalidField("external_id", "must not begin with %s: those are visitors whom nobody knows", recaller.VisitorPrefix)
	case len(in.Name) > maxName || !utf8.ValidString(in.Name) || strings.ContainsFunc(in.Name, unicode.IsControl):
		return "", v, recaller.InvalidField("name", "must be one line of at most %d bytes", maxName)
	case in.For < MinSignedIn || in.For > MaxSignedIn:
		return "", v, recaller.InvalidField("ttl_seconds", "must be %d to %d", int(MinSignedIn.Seconds()), int(MaxSignedIn.Seconds()))
	}
	t, err := s.Tenant(ctx, id)
	if err != nil {
		return "", v, err
	}
	if !t.WebChat.On() {
		return "", v, recaller.Errorf(recaller.Conflict, "the web chat is off: set web_chat.reply first")
	}
	v.Name, v.SignedIn, v.Until = strings.TrimSpace(in.Name), true, s.Now().Add(in.For).UTC().Truncate(time.Second)
	return visitor.Signed(t.WebChat.Secret, t.ID, v), v, nil
}

// SignVisitorsOut makes all tokens of a tenant's visitors void, also of those whom nobody signed in: they are somebody new
// when they come back.
func (s *Service) SignVisitorsOut(ctx context.Context, id recaller.TenantID) error {
	_, err := s.Update(ctx, id, func(t *recaller.Tenant) error {
		if len(t.WebChat.Secret) > 0 {
			t.WebChat.Secret = newChatSecret()
		}
		return nil
	})
	return err
}
