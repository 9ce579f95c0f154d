// Package telephony is the door for telephone platforms (P14): a number rings at Twilio or Telnyx, the platform asks what
// to do with the call, and tells how it ended. The door checks that it is the platform who asks, finds the tenant by the
// number that was called, begins and ends the conversation, and answers as the tenant chose.
//
// Whatever the store does, a call is answered in time (Options.Patience): as the tenant chose where his settings are
// known, else with a sentence. A webhook that comes again, or in another order, is carried out once (ADR 57).
//
// It has no rules of memory, and no sound: sockets for those are handlers that it is given (Options.Sockets). It logs
// no number and nothing that anybody said.
package telephony

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/admission"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/errand"
	"github.com/recallerhq/recaller/internal/httpdoor"
	"github.com/recallerhq/recaller/internal/telephony/signed"
)

// The paths of the door; Path is that of all.
const (
	Path      = "/webhook"
	VoicePath = Path + "/voice"
	EndedPath = Path + "/call-ended"
	RelayPath = Path + "/relay" // the socket of recaller.AnswerRelay
	TextPath  = Path + "/message"
	MediaPath = Path + "/media" // the socket of recaller.AnswerBridge
	// ListenPath is the socket by which a call with recaller.AnswerForward is listened to.
	ListenPath = Path + "/listen"
)

// Tenants knows whose a called number is; *tenant.Service does.
type Tenants interface {
	ByNumber(ctx context.Context, number string) (recaller.Tenant, error)
}

// Conversations are the calls; *conversation.Service has them.
type Conversations interface {
	Start(ctx context.Context, tenant recaller.TenantID, in conversation.Start) (conversation.Started, error)
	End(ctx context.Context, tenant recaller.TenantID, ref string, in conversation.End) (recaller.Conversation, error)
	Recorded(ctx context.Context, tenant recaller.TenantID, ref, link string) error
}

// TextStatusPath is told what becomes of texts that went out.
const TextStatusPath = Path + "/message-status"

// Errands are why callers are rung; *errand.Service knows.
type Errands interface {
	// Answered says what to do with a call that somebody picked up. by is who, in the platform's word; agent says that one
	// can talk.
	Answered(ctx context.Context, t recaller.Tenant, f errand.Ref, call, by string, agent bool) (errand.Answer, error)
	// Begun notes the conversation of such a call, and what was said in it at once; empty: nothing.
	Begun(ctx context.Context, tenant recaller.TenantID, f errand.Ref, conv recaller.ConversationID, said string) error
	// Over notes that such a call is over, in the platform's word.
	Over(ctx context.Context, t recaller.Tenant, f errand.Ref, call, status string) error
}

// Deps are what the door works with; all but Errands are required.
type Deps struct {
	Errands       Errands // nil: nobody is rung
	Gate          *admission.Gate
	Tenants       Tenants
	Conversations Conversations
	Texts         Texts
	Tokens        *Tokens // of the sockets that are awaited
	Log           *slog.Logger
	Registerer    prometheus.Registerer
	Now           func() time.Time
}

// Options are the settings; the zero value refuses everybody.
type Options struct {
	Twilio    signed.Twilio
	Telnyx    signed.Telnyx
	Commands  Commands       // to Telnyx, for calls of its Call Control API; without a key those are refused
	Again     time.Duration  // before a command that failed is sent again; 0: a fifth of a second
	PublicURL string         // by which the platforms reach the server, without a slash at the end
	Proxies   []netip.Prefix // whose X-Forwarded-For says who asks
	Patience  time.Duration  // how long a webhook may wait for the store; 0: DefaultPatience
	// Sockets serve the answers that go on over a socket, until the request's context ends: then the server drains. An
	// answer without a socket cannot be given: the call is greeted.
	Sockets map[recaller.TelephoneAnswer]Socket
	// Strangers is how many sockets may be open whose call is not known yet; 0: 256.
	Strangers int
}

// Socket serves the sockets of calls: it reads whose a socket says that it is, and has the call by taking it.
type Socket interface {
	Serve(w http.ResponseWriter, r *http.Request, take Take)
}

// Take takes the call of a socket by what the socket says: the call's id, and tokens of which one must be the call's
// (Server.Take). Who got a Line tells it Over; when Serve has returned without that, the call goes on without a socket.
type Take func(id string, tokens ...string) (*Line, bool)

// DefaultPatience is well below what the platforms wait: Twilio 15 seconds, Telnyx a few.
const DefaultPatience = 2 * time.Second

const (
	maxBody      = 64 << 10 // of a webhook, in bytes; they have a few kB
	maxAtOnce    = 1024     // webhooks at once
	maxStrangers = 256      // sockets whose call is not known yet
	maxWaiting   = 512      // questions to the store at once, also such as nobody waits for any more
	maxBodies    = 32 << 20 // bytes of all bodies at once
	limit        = 10 * time.Second
	bodyLimit    = 5 * time.Second  // for a body to come
	askLimit     = 30 * time.Second // for what the store is asked, also if nobody waits for it any more
)

// Server is the door at work. Safe for concurrent use.
type Server struct {
	Deps
	opts    Options
	hook    admission.Operation
	open    admission.Operation // a socket
	slots   *admission.Slots    // of webhooks that are carried out
	metrics *metrics
	asking  chan struct{} // has one for each question to the store, and each command to Telnyx
	ends    *ends
	texts   *texts
	lines   *lines
	unknown chan struct{} // has one for each socket whose call is not known yet

	commands *commander
	working  sync.WaitGroup // what goes on beside the requests
}

// New returns the handler of the door. Mount it at Path, and all below it.
func New(deps Deps, opts Options) (*Server, error) {
	opts.Patience = cmp.Or(opts.Patience, DefaultPatience)
	opts.Strangers = cmp.Or(opts.Strangers, maxStrangers)
	m, err := newMetrics(deps.Registerer)
	if err != nil {
		return nil, err
	}
	const full = "too many requests are under way; try again later"
	return &Server{
		Deps: deps, opts: opts, metrics: m, asking: make(chan struct{}, maxWaiting), ends: newEnds(deps.Now), texts: newTexts(deps.Now), lines: newLines(deps.Now),
		unknown:  make(chan struct{}, opts.Strangers),
		commands: newCommander(opts.Commands, opts.Again),
		slots:    admission.Cap(maxAtOnce, full),
		hook:     admission.Operation{Name: "telephone-webhook", Limit: limit, MaxBody: maxBody, Bodies: admission.Bytes(maxBodies, full)},
		open:     admission.Operation{Name: "telephone-socket", Limit: admission.Lasting},
	}, nil
}

// Answers lists what a server can answer calls with that has sockets for some answers.
func Answers(sockets ...recaller.TelephoneAnswer) []recaller.TelephoneAnswer {
	var out []recaller.TelephoneAnswer
	for _, a := range recaller.TelephoneAnswers() {
		if a == recaller.AnswerGreeting || a == recaller.AnswerForward || slices.Contains(sockets, a) {
			out = append(out, a)
		}
	}
	return out
}

// exchange is one webhook with its answer.
type exchange struct {
	admission.Exchange
	platform platform
	kind     kind
	result   result
	status   int
}

// reply is what a webhook is answered with.
type reply struct {
	result result
	twiml  twiml
}

// ServeHTTP carries out one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{
		Exchange: s.Gate.Open(r.Header.Get("X-Request-Id"), httpdoor.From(r, s.opts.Proxies)),
		platform: platformOf(r.Header), kind: kindOf(r.URL.Path), status: http.StatusOK,
	}
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("X-Recaller-Request-Id", x.ID)
	defer s.done(r.Context(), x, w)
	if err := s.serve(x, w, r); err != nil {
		s.fail(x, w, err)
	}
}

func (s *Server) serve(x *exchange, w http.ResponseWriter, r *http.Request) error {
	var carryOut func(context.Context, hook) reply
	switch x.kind {
	case kindVoice:
		carryOut = s.ring
	case kindEnded:
		carryOut = s.ended
	case kindText, kindTextStatus:
	case kindSocket:
		return s.socketOf(x, w, r)
	default:
		x.result = resultUnknownPath
		return httpdoor.Simple(http.StatusNotFound, "not_found", "there is no such webhook")
	}
	if r.Method != http.MethodPost {
		x.result = resultMalformed
		w.Header().Set("Allow", http.MethodPost)
		return httpdoor.Simple(http.StatusMethodNotAllowed, "method_not_allowed", "webhooks are posted: set the platform to POST")
	}
	ctx, err := x.Admit(r.Context(), "", &s.hook)
	if err != nil {
		x.result = resultBusy
		return err
	}
	h, err := s.read(x, w, r)
	if err != nil {
		return err
	}
	if err := x.Take(ctx, s.slots); err != nil { // not before: a body that trickles in holds nobody up
		x.result = resultBusy
		return err
	}
	// What the platform asked for is done, even if it does not wait for the answer.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.opts.Patience)
	defer cancel()
	if h.text != nil {
		return s.texted(ctx, x, w, h)
	}
	if h.event != nil {
		if x.result = s.happened(ctx, h.event); x.result == resultBusy {
			return recaller.Errorf(recaller.Exhausted, "too many calls are under way; send it again")
		}
		return nil // 200
	}
	rep := carryOut(ctx, h)
	x.result = rep.result
	body, err := rep.twiml.write()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/xml; charset=utf-8")
	_, _ = w.Write(body) // the platform is gone: nobody is left to tell
	return nil
}

// socketOf hands a socket to its handler, once it is the platform's. Telnyx signs none: its token says that it is right.
func (s *Server) socketOf(x *exchange, w http.ResponseWriter, r *http.Request) error {
	answer := recaller.AnswerRelay
	switch strings.TrimSuffix(r.URL.Path, "/") {
	case MediaPath:
		answer = recaller.AnswerBridge
	case ListenPath:
		answer = recaller.AnswerForward
	}
	socket := s.opts.Sockets[answer]
	if socket == nil {
		x.result = resultUnknownPath
		return httpdoor.Simple(http.StatusNotFound, "not_found", "this server has no such socket")
	}
	if _, err := x.Admit(r.Context(), "", &s.open); err != nil {
		x.result = resultBusy
		return err
	}
	signature := r.Header.Get(twilioHeader)
	if signature == "" && !s.opts.Telnyx.Ready() || signature != "" && !s.opts.Twilio.Socket(signature, r.RequestURI) {
		return forged(x, "the handshake is not the platform's")
	}
	select {
	case s.unknown <- struct{}{}:
	default:
		x.result = resultBusy
		return recaller.Errorf(recaller.Exhausted, "too many sockets have not said whose they are")
	}
	known := sync.OnceFunc(func() { <-s.unknown })
	defer known()
	x.result = resultSocket
	ctx, end := context.WithCancelCause(r.Context())
	defer end(nil)
	x.Lasts(func(why string) { end(errors.New(why)) })
	var taken *Line
	defer func() {
		if taken != nil { // it may have crashed
			taken.Over(context.WithoutCancel(ctx), nil)
		}
	}()
	socket.Serve(w, r.WithContext(ctx), func(id string, tokens ...string) (*Line, bool) {
		line, ok := s.Take(id, tokens...)
		if ok {
			known()
			taken = line
		}
		return line, ok
	})
	return nil
}

// fail answers with a problem.
func (s *Server) fail(x *exchange, w http.ResponseWriter, err error) {
	if x.result == "" {
		x.result = resultFailed
	}
	x.Fail(err)
	p := httpdoor.ProblemOf(err)
	x.status = p.Status
	p.Write(w)
}

// done counts and logs a request, whatever became of it.
func (s *Server) done(ctx context.Context, x *exchange, w http.ResponseWriter) {
	crash := recover()
	if crash != nil && crash != http.ErrAbortHandler { //nolint:errorlint // the value that net/http defines for panics
		x.Crashed(ctx, crash)
		x.result = resultFailed
		if x.kind != kindSocket {
			s.fail(x, w, recaller.Internal)
		}
		crash = nil
	}
	took := x.Done(ctx, x.status >= http.StatusInternalServerError,
		slog.String("platform", string(x.platform)), slog.String("webhook", string(x.kind)), slog.String("result", string(x.result)),
		slog.Int("status", x.status))
	s.metrics.observe(x.platform, x.kind, x.result, took)
	if crash != nil {
		panic(http.ErrAbortHandler)
	}
}

// kindOf names a path.
func kindOf(path string) kind {
	switch strings.TrimSuffix(path, "/") {
	case VoicePath:
		return kindVoice
	case EndedPath:
		return kindEnded
	case TextPath:
		return kindText
	case TextStatusPath:
		return kindTextStatus
	case RelayPath, MediaPath, ListenPath:
		return kindSocket
	}
	return kindOther
}
