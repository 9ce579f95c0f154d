package chatproxy

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/httpdoor"
	"github.com/recallerhq/recaller/internal/thread"
)

// asked is one completion that is asked for, by whoever it is.
type asked struct {
	tenant  recaller.TenantID
	whom    whom
	known   bool // the request says whose memory it is about
	message thread.Message
	words   bool   // the message has something to keep
	token   string // by which the exchange is kept once
	before  string // what the agent said already in this exchange
	caller  recaller.CallerID
	rights  recaller.Rights // what may be looked up
}

// key names the thread among those of all tenants.
func (in *asked) key() string { return string(in.tenant) + " " + in.whom.thread() }

// complete carries out one completion.
func (s *Server) complete(x *exchange, r *http.Request, w *writer) error {
	ctx, k, to, err := s.admit(x, r, s.operation(x))
	if err != nil {
		return err
	}
	body, err := s.body(x, r, w)
	if err != nil {
		return err
	}
	q := parse(x.wire, body)
	in := s.asking(x, r, q)
	q = q.stripped()
	block := ""
	if in.known {
		x.memory, block = s.remembered(ctx, &in)
	}
	w.Header().Set(statusHeader, x.memory)
	q = q.onward(to.Model)
	plain := q
	if block != "" {
		q = q.remember(q, block)
	}
	a := &answer{server: s, x: x, r: r, w: w, to: to, keys: k, in: in, q: q, plain: plain, over: make(chan struct{})}
	a.reader = q.reader(a)
	defer close(a.over)
	a.offer(x.memory == statusApplied && wantsTools(r.Header, q))
	err = a.run(ctx)
	s.settle(ctx, a)
	return err
}

// body reads a request's body.
func (s *Server) body(x *exchange, r *http.Request, w *writer) ([]byte, error) {
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(s.Now().Add(bodyLimit)) // what cannot, has no network
	body, err := httpdoor.Body(&x.Exchange, r.Body, s.opts.MaxBody)
	_ = rc.SetReadDeadline(time.Time{}) // or a long answer would end when the body's time does
	return body, err
}

// asking reads who asks what.
func (s *Server) asking(x *exchange, r *http.Request, q request) asked {
	in := asked{tenant: x.Tenant}
	if in.whom, in.known = whose(r.Header, q.root); !in.known || !q.chat() {
		in.known = false
		return in
	}
	in.message, in.words = q.said()
	if !in.words {
		return in
	}
	in.token = q.mark(in.whom)
	if q.alone() {
		in.token = s.repeats.token(in.token, s.Now())
	}
	if q.goesOn() {
		in.before = q.before()
	}
	return in
}

// remembered returns what is remembered, if it can be had in time. It never holds a request longer than that.
func (s *Server) remembered(ctx context.Context, in *asked) (status, block string) {
	began := s.Now()
	defer func() { s.metrics.memory.Observe(s.Now().Sub(began).Seconds()) }()
	ctx, cancel := context.WithTimeout(ctx, s.opts.Deadline)
	defer cancel()
	type found struct {
		prompted thread.Prompted
		err      error
	}
	got := make(chan found, 1)
	key, tenant, whom, message := in.key(), in.tenant, in.whom, in.message
	if !in.words {
		message = thread.Message{Text: "…"} // the agent begins: nothing is searched for
	}
	go func() {
		s.order.settled(ctx, key) // what was learnt a moment ago is to be known
		p, err := s.prompt(ctx, tenant, whom, thread.Asking{Message: message, Memory: true})
		got <- found{p, err}
	}()
	select {
	case f := <-got:
		if f.err == nil && !f.prompted.Prompt.Degraded {
			in.caller, in.rights = f.prompted.Thread.Caller, f.prompted.Rights
			if strings.TrimSpace(f.prompted.Prompt.Text) == "" {
				return statusApplied, ""
			}
			return statusApplied, blockOf(f.prompted.Prompt.Text)
		}
		if f.err != nil {
			s.Log.WarnContext(ctx, "a request goes through without memory", "tenant", tenant, "kind", string(recaller.KindOf(f.err)))
		}
	case <-ctx.Done():
	}
	return statusDegraded, ""
}

// untaught returns a request with what is remembered, and nothing of tags; without memory where that cannot be had in time.
func (s *Server) untaught(ctx context.Context, in asked, q request) request {
	ctx, cancel := context.WithTimeout(ctx, s.opts.Deadline)
	defer cancel()
	p, err := s.prompt(ctx, in.tenant, in.whom, thread.Asking{Message: in.message, Memory: true, NoTags: true})
	if err != nil || p.Prompt.Degraded || strings.TrimSpace(p.Prompt.Text) == "" {
		return q
	}
	return q.remember(q, blockOf(p.Prompt.Text))
}

// prompt makes the prompt of a thread, which it opens for somebody new.
func (s *Server) prompt(
	ctx context.Context, tenant recaller.TenantID, w whom, asking thread.Asking,
) (out thread.Prompted, err error) {
	defer func() {
		if crash := recover(); crash != nil { // on a goroutine of its own: nobody else would take it up
			err = recaller.Errorf(recaller.Internal, "a prompt was not made")
		}
	}()
	out, err = s.Threads.Prompt(ctx, tenant, w.thread(), asking)
	if !errors.Is(err, recaller.NotFound) && (err != nil || !w.verified || out.Thread.Verified) {
		return out, err
	}
	if err = s.open(ctx, tenant, w); err != nil {
		return out, err
	}
	return s.Threads.Prompt(ctx, tenant, w.thread(), asking)
}

func (s *Server) open(ctx context.Context, tenant recaller.TenantID, w whom) error {
	_, _, _, err := s.Threads.Open(ctx, tenant, thread.Opening{
		Caller: w.caller(), ExternalID: w.thread(), Channel: recaller.ChannelAPI,
		Verified: w.verified,
	})
	return err
}
