package chatproxy

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/tag"
	"github.com/recallerhq/recaller/internal/thread"
)

const (
	keepLimit    = 10 * time.Second // for one try to keep an exchange
	longestPause = 4 * time.Minute  // between two tries; all of them take about eight minutes
	maxHeld      = 10_000           // entries of each of the two tables below
	repeatFor    = 5 * time.Minute  // a request without a history that comes again within it is the same request
)

// part is what the agent said so far in an exchange whose reply ends with calls of the client's tools.
type part struct {
	in    asked
	text  string
	tags  []tag.Tag
	timer *time.Timer
}

// settle has the exchange of an answer kept once the answer is over, behind those of the same thread that were before. It
// does not wait: clients read a stream to its end, which is when the request is over. It is called before the client has
// all, so that the client's next request finds what came of this one. A reply that ends with calls of the client's tools
// waits for what follows: the exchange is kept with the whole reply, or as it is where nothing follows in time.
func (s *Server) settle(ctx context.Context, a *answer) {
	if !a.in.words || a.settled {
		return
	}
	a.settled = true
	ctx = context.WithoutCancel(ctx)
	if !s.order.after(a.in.key(), func() { <-a.over; s.settleNow(ctx, a) }) {
		s.metrics.kept.WithLabelValues("lost").Inc()
		s.Log.WarnContext(ctx, "an exchange through the proxy is not kept: too many wait", "tenant", a.in.tenant)
	}
}

func (s *Server) settleNow(ctx context.Context, a *answer) {
	key := a.in.key()
	earlier := s.unended.take(key)
	if earlier != nil && earlier.in.token != a.in.token {
		s.keep(ctx, earlier, false)
		earlier = nil
	}
	p := &part{in: a.in, text: a.in.before}
	if earlier != nil {
		p.text, p.tags = earlier.text, earlier.tags
	}
	if a.good {
		p.add(a)
	}
	switch {
	case a.theirs && !a.broken, !a.good && earlier != nil:
		s.unended.hold(key, p, s.opts.Settle, func() { s.late(ctx, key, p) })
	case a.good:
		s.keep(ctx, p, a.broken)
	}
}

// late keeps a part that nothing followed.
func (s *Server) late(ctx context.Context, key string, p *part) {
	if !s.unended.drop(key, p) {
		return
	}
	s.keep(ctx, p, false)
}

// add adds what was delivered. Of a reply that broke off, a tag that was not whole is left out.
func (p *part) add(a *answer) {
	c := a.choices[0]
	if c == nil {
		return
	}
	text := c.out.String()
	if strings.TrimSpace(text) == "" {
		text = c.refusal.String()
	}
	p.text = strings.TrimSpace(p.text + "\n" + unmarked(text))
	p.tags = append(p.tags, c.taken()...)
}

// keep keeps an exchange once, and carries out its tags. While the store is away it tries again, ever more seldom.
func (s *Server) keep(ctx context.Context, p *part, interrupted bool) {
	reply := strings.TrimSpace(cut(plain(p.text), maxReply))
	if reply == "" && len(p.tags) == 0 {
		return // nothing was said, or nothing of it reached the user
	}
	in := thread.Replying{
		Once: recaller.Once{Token: "proxy:" + p.in.token, Request: p.in.token}, Message: p.in.message,
		Reply: reply, Tags: p.tags, Interrupted: interrupted,
	}
	err := s.reply(ctx, p, in)
	for pause, again := s.opts.Again, true; again && away(err) && pause <= longestPause; pause *= 2 {
		again = s.order.pause(p.in.key(), pause)
		err = s.reply(ctx, p, in)
	}
	result := "kept"
	if err != nil {
		result = "lost"
		s.Log.WarnContext(ctx, "an exchange through the proxy is not kept", "tenant", p.in.tenant, "kind", string(recaller.KindOf(err)))
	}
	s.metrics.kept.WithLabelValues(result).Inc()
	if err == nil {
		s.ahead(ctx, p)
	}
}

// ahead has what the thread's next request needs read while nobody waits for it.
func (s *Server) ahead(ctx context.Context, p *part) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepLimit)
	defer cancel()
	if err := s.Threads.Ahead(ctx, p.in.tenant, p.in.whom.thread()); err != nil { // the request reads it itself
		s.Log.DebugContext(ctx, "nothing is read ahead", "tenant", p.in.tenant, "kind", string(recaller.KindOf(err)))
	}
}

// reply has the thread keep an exchange. A thread that is not there is opened: the store was away when the request came,
// or the user was erased since.
func (s *Server) reply(ctx context.Context, p *part, in thread.Replying) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepLimit)
	defer cancel()
	_, err := s.Threads.Reply(ctx, p.in.tenant, p.in.whom.thread(), in)
	if !errors.Is(err, recaller.NotFound) {
		return err
	}
	if err = s.open(ctx, p.in.tenant, p.in.whom); err == nil {
		_, err = s.Threads.Reply(ctx, p.in.tenant, p.in.whom.thread(), in)
	}
	return err
}

// away reports a failure that may pass.
func away(err error) bool {
	kind := recaller.KindOf(err)
	return err != nil && (kind == recaller.Unavailable || kind == recaller.Timeout || kind == recaller.Full)
}

// Settle keeps what waits, until ctx ends. Call it when no request is under way any more.
func (s *Server) Settle(ctx context.Context) {
	s.order.hurry()
	s.order.wait(ctx)
	for _, p := range s.unended.all() {
		s.keep(ctx, p, false)
	}
}

// unended are the exchanges that wait for the results of the client's tools, by their thread.
type unended struct {
	mu    sync.Mutex // guards what follows
	parts map[string]*part
}

func newUnended() *unended { return &unended{parts: map[string]*part{}} }

func (u *unended) take(key string) *part {
	u.mu.Lock()
	defer u.mu.Unlock()
	p := u.parts[key]
	if p != nil {
		delete(u.parts, key)
		p.timer.Stop()
	}
	return p
}

// hold keeps a part until it is taken, or calls late. Where there is no room, it is late at once.
func (u *unended) hold(key string, p *part, wait time.Duration, late func()) {
	u.mu.Lock()
	if len(u.parts) >= maxHeld {
		wait = 0
	}
	u.parts[key] = p
	p.timer = time.AfterFunc(wait, late)
	u.mu.Unlock()
}

// drop takes a part out if it is still there.
func (u *unended) drop(key string, p *part) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.parts[key] != p {
		return false
	}
	delete(u.parts, key)
	return true
}

func (u *unended) all() (out []*part) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for key, p := range u.parts {
		p.timer.Stop()
		delete(u.parts, key)
		out = append(out, p)
	}
	return out
}
