package webchat

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/admission"
	"github.com/recallerhq/recaller/internal/httpdoor"
)

// The addresses below Path/{tenant}.
const (
	socketPath  = "socket"
	eventsPath  = "events"
	messagePath = "messages"
	endPath     = "end"
	demoPath    = "demo"
	widgetPath  = "widget.js" // below Path
)

// operations are what can be asked for.
type operations struct{ socket, events, message, page admission.Operation }

func newOperations() operations {
	const full = "too many requests are under way; try again later"
	return operations{
		socket:  admission.Operation{Name: "web-chat-socket", Limit: admission.Lasting},
		events:  admission.Operation{Name: "web-chat-events", Limit: admission.Lasting},
		message: admission.Operation{Name: "web-chat-message", Limit: 15 * time.Second, MaxBody: maxFrame, Bodies: admission.Bytes(32<<20, full), Slots: admission.Cap(1024, full)},
		page:    admission.Operation{Name: "web-chat-page", Slots: admission.Cap(256, full), Quiet: true},
	}
}

// exchange is one request with its answer.
type exchange struct {
	admission.Exchange
	tenant recaller.Tenant
	what   string // that was asked for, from a closed set
	why    reason
	status int
	begun  bool // the answer is under way, or the connection is no longer HTTP's
}

// ServeHTTP carries out one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{
		Exchange: s.Gate.Open(r.Header.Get("X-Request-Id"), httpdoor.From(r, s.opts.Proxies)), what: "none", status: http.StatusOK,
	}
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("X-Recaller-Request-Id", x.ID)
	defer s.done(r.Context(), x, w)
	if err := s.serve(x, w, r); err != nil {
		s.fail(x, w, err)
	}
}

func (s *Server) serve(x *exchange, w http.ResponseWriter, r *http.Request) error {
	rest := strings.TrimPrefix(r.URL.Path, Path+"/")
	if rest == widgetPath {
		return s.script(x, w, r)
	}
	id, what, _ := strings.Cut(rest, "/")
	handlers := map[string]struct {
		method string
		serve  func(*exchange, http.ResponseWriter, *http.Request) error
	}{
		socketPath: {http.MethodGet, s.socket}, eventsPath: {http.MethodGet, s.events}, messagePath: {http.MethodPost, s.message},
		endPath: {http.MethodPost, s.end}, demoPath: {http.MethodGet, s.demo},
	}
	what = strings.TrimSuffix(what, "/")
	h, ok := handlers[what]
	if !ok || id == "" {
		x.why = nobody
		return recaller.Errorf(recaller.NotFound, "there is nothing here: a tenant's chat is at /chat/{tenant}/socket, events, messages, end and demo")
	}
	x.what = what
	if err := s.open(r.Context(), x, recaller.TenantID(id)); err != nil {
		return err
	}
	if what != demoPath {
		if err := s.allowed(x, w, r); err != nil {
			return err
		}
	}
	switch r.Method {
	case http.MethodOptions:
		return s.preflight(x, w, h.method)
	case h.method:
		return h.serve(x, w, r)
	}
	w.Header().Set("Allow", h.method+", "+http.MethodOptions)
	return httpdoor.Simple(http.StatusMethodNotAllowed, "method_not_allowed", "this address takes "+h.method)
}

// open finds the tenant whose chat an address is. Whoever guesses finds nothing out: no such tenant, and one without a chat, are
// the same.
func (s *Server) open(ctx context.Context, x *exchange, id recaller.TenantID) error {
	select {
	case s.lookups <- struct{}{}:
	default:
		x.why = unavailable
		return recaller.Errorf(recaller.Unavailable, "too many chats are opened at once; try again later")
	}
	defer func() { <-s.lookups }()
	ctx, cancel := context.WithTimeout(ctx, lookup)
	defer cancel()
	t, err := s.Tenants.Tenant(ctx, id)
	switch {
	case errors.Is(err, recaller.NotFound), err == nil && !t.WebChat.On():
		x.why = nobody
		return recaller.Errorf(recaller.NotFound, "there is no chat at this address")
	case err != nil:
		x.why = unavailable
		return recaller.Wrap(recaller.Unavailable, err, "the chat cannot be opened now")
	}
	x.tenant = t
	return nil
}

const (
	lookup     = 3 * time.Second // that a tenant's settings may take, where they are not known yet
	maxLookups = 512             // at once: whoever guesses addresses asks the store for each
)

// allowed checks that a browser may chat on the page that asks, and says so to the browser. Who is no browser says no origin, and
// could say any: for him tokens and bounds count.
func (s *Server) allowed(x *exchange, w http.ResponseWriter, r *http.Request) error {
	w.Header().Add("Vary", "Origin")
	from := r.Header.Get("Origin")
	if from == "" {
		if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
			return s.foreign(x)
		}
		return nil
	}
	if !x.tenant.WebChat.Allows(from) {
		return s.foreign(x)
	}
	w.Header().Set("Access-Control-Allow-Origin", from)
	w.Header().Set("Access-Control-Expose-Headers", "Retry-After, X-Recaller-Request-Id")
	return nil
}

func (s *Server) foreign(x *exchange) error {
	x.why = origin
	return recaller.Errorf(recaller.Forbidden, "pages of this origin may not chat: the tenant's web_chat.origins lists those that may")
}

// preflight tells a browser what a page may send.
func (s *Server) preflight(x *exchange, w http.ResponseWriter, method string) error {
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", method)
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Last-Event-ID")
	h.Set("Access-Control-Max-Age", "600")
	x.status = http.StatusNoContent
	w.WriteHeader(x.status)
	return nil
}

// fail answers with a problem, where HTTP can still answer.
func (s *Server) fail(x *exchange, w http.ResponseWriter, err error) {
	p := httpdoor.ProblemOf(err)
	if x.why == "" {
		x.why = failed
		if p.Status < http.StatusInternalServerError {
			x.why = refused
		}
	}
	s.metrics.refuse(x.why)
	x.Fail(err)
	x.status = p.Status
	if !x.begun {
		p.Write(w)
	}
}

// done logs a request, whatever became of it.
func (s *Server) done(ctx context.Context, x *exchange, w http.ResponseWriter) {
	crash := recover()
	if crash != nil && crash != http.ErrAbortHandler { //nolint:errorlint // the value that net/http defines for panics
		x.Crashed(ctx, crash)
		x.why = crashed
		s.fail(x, w, recaller.Internal)
		crash = nil
	}
	x.Done(ctx, x.status >= http.StatusInternalServerError, slog.String("what", x.what), slog.String("chat", string(x.tenant.ID)),
		slog.String("result", string(x.why)), slog.Int("status", x.status))
	if crash != nil {
		panic(http.ErrAbortHandler)
	}
}

// come finds who asks: whoever the token says, else somebody new, if that may be.
func (s *Server) come(x *exchange, token string, begin *session) (who, recaller.Visitor, error) {
	if !s.hellos.Allow(admission.Network(x.From()), s.Now()) {
		x.why = tooFast
		return who{}, recaller.Visitor{}, recaller.Errorf(recaller.Exhausted, "too many chats are opened from this address; wait a minute")
	}
	var v recaller.Visitor
	if token == "" {
		begin.Token, v = s.Tenants.NewVisitor(x.tenant)
	} else {
		var err error
		if v, begin.Token, err = s.Tenants.Visitor(x.tenant, token); err != nil {
			x.why = forged
			return who{}, v, err
		}
	}
	begin.ExpiresAt = v.Until
	w := x.tenant.WebChat
	begin.Title, begin.Greeting, begin.Language, begin.Answers = w.Title, greeting(x.tenant), w.Language, w.Reply == recaller.WebChatAgent
	if begin.Title == "" {
		begin.Title = x.tenant.Profile.Business
	}
	return who{x.tenant.ID, v.ExternalID}, v, nil
}

// again checks that a connection may go on: settings change, and tokens are made void.
func (s *Server) again(ctx context.Context, as recaller.Tenant, from, token string) (recaller.Tenant, reason) {
	t, err := s.Tenants.Tenant(ctx, as.ID)
	switch {
	case err != nil:
		return as, "" // the store is away
	case !t.WebChat.On():
		return t, nobody
	case from != "" && !t.WebChat.Allows(from):
		return t, origin
	}
	if _, _, err := s.Tenants.Visitor(t, token); err != nil {
		return t, lapsed
	}
	return t, ""
}
