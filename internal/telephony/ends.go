package telephony

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/errand"
)

// Our own addresses say what is over: a call that was forwarded, or one over a socket.
const (
	afterParameter = "after"
	afterDial      = "dial"
	afterSocket    = "socket"
)

// numberParameter is that of an address which says the tenant's number: webhooks about recordings name none.
const numberParameter = "number"

const (
	maxEnds    = 10_000 // that wait
	endsFor    = time.Hour
	maxNumbers = 20_000 // of calls that rang here
	numbersFor = 24 * time.Hour
	maxRetries = 100                 // in one pass
	maxLength  = 30 * 24 * time.Hour // of a call; more makes no sense
)

// notice is what a platform told of the end of a call.
type notice struct {
	number    string            // the tenant's
	end       *conversation.End // nil: it told of a recording only
	recording string
	again     bool // it is to be tried again: the store was away, or the call had not ended
	led       bool // end is what who led the call said
	version   uint64
}

// ends holds what was told of calls before it could be carried out: webhooks come in any order, and the store may be away.
type ends struct {
	now func() time.Time

	mu       sync.Mutex
	versions uint64
	told     *shelf[notice] // by the id of the call
	numbers  *shelf[string] // of the tenant, by the id of the call
	turn     int            // where the next pass begins, if not all can be tried in one
}

func newEnds(now func() time.Time) *ends {
	return &ends{now: now, told: newShelf[notice](maxEnds, endsFor), numbers: newShelf[string](maxNumbers, numbersFor)}
}

// keep adds what was told to what is kept of the call. It returns how many others gave way.
func (e *ends) keep(id string, n notice) (gone int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.now()
	if before, ok := e.told.get(id, now); ok {
		n = n.with(before)
	}
	if number, ok := e.numbers.get(id, now); ok {
		n.number = number
	}
	e.versions++
	n.version = e.versions
	return e.told.put(id, n, now)
}

// with adds what was told before. Who led a call knows how it ended, and its platform how long it was.
func (n notice) with(before notice) notice {
	n.recording, n.number = cmp.Or(before.recording, n.recording), cmp.Or(n.number, before.number)
	switch {
	case n.end == nil:
		n.end, n.led = before.end, before.led
	case before.end == nil || n.led == before.led: // the later one counts
	case n.led:
		n.end = lasting(n.end, before.end.Duration)
	default:
		n.end, n.led = lasting(before.end, n.end.Duration), true
	}
	return n
}

// lasting is an end with another length, if there is one.
func lasting(end *conversation.End, length time.Duration) *conversation.End {
	out := *end
	out.Duration = cmp.Or(length, out.Duration)
	return &out
}

// rang notes whose number a call rang at.
func (e *ends) rang(id, number string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.numbers.put(id, number, e.now())
}

func (e *ends) get(id string) (notice, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.told.get(id, e.now())
}

// settle drops what was carried out, unless more was told meanwhile, or marks that it is to be tried again.
func (e *ends) settle(id string, n notice, again bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now, ok := e.told.get(id, e.now())
	switch {
	case !ok || now.version != n.version:
	case again:
		e.told.items[id].Value.(*shelved[notice]).value.again = true
	default:
		e.told.drop(id)
	}
}

// hasRung reports whether a call rang here: its conversation began, or is beginning.
func (e *ends) hasRung(id string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, ok := e.numbers.get(id, e.now())
	return ok
}

// waiting lists calls whose ends are to be tried again, and how many were too old. Where they are many each has its turn.
func (e *ends) waiting() (ids []string, gone int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.now()
	gone = e.told.prune(now)
	for _, id := range e.told.names() {
		if n, _ := e.told.get(id, now); n.again {
			ids = append(ids, id)
		}
	}
	if len(ids) <= maxRetries {
		return ids, gone
	}
	e.turn %= len(ids)
	ids = append(ids[e.turn:], ids[:e.turn]...)
	e.turn += maxRetries
	return ids[:maxRetries], gone
}

// noticeOf reads how a call ended, or where its recording is; false: neither.
func noticeOf(h hook) (notice, bool) {
	n := notice{number: cmp.Or(callOf(h).ours, h.query.Get(numberParameter)), recording: recordingOf(h)}
	switch status := statusOf(h); status {
	case "completed", "answered":
		n.end = &conversation.End{Status: recaller.Completed, Reason: status}
	case "busy", "failed", "no-answer", "canceled":
		n.end = &conversation.End{Status: recaller.Failed, Reason: status}
	default:
		return n, n.recording != ""
	}
	n.end.Duration = seconds(cmp.Or(h.get("CallDuration"), h.get("DialCallDuration")))
	return n, true
}

// statusOf is how the call, or what it went on to, came out; empty: it goes on.
func statusOf(h hook) string {
	if h.query.Get(afterParameter) == afterDial {
		return cmp.Or(h.get("DialCallStatus"), "completed")
	}
	if status := h.get("CallStatus"); status != "answered" {
		return status
	}
	return "" // somebody picked up
}

// recordingOf is where the whole recording of a call is; empty: it is not there yet, or nowhere.
func recordingOf(h hook) string {
	link := plain(h.get("RecordingUrl"))
	if status := h.get("RecordingStatus"); status != "" && status != "completed" {
		return ""
	}
	if u, err := url.Parse(link); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" {
		return ""
	}
	return link
}

// seconds reads a length as platforms write it; 0: none that makes sense.
func seconds(text string) time.Duration {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > int(maxLength.Seconds()) {
		return 0
	}
	return time.Duration(n) * time.Second
}

// ended takes in how a call ended.
func (s *Server) ended(ctx context.Context, h hook) reply {
	if h.query.Get(afterParameter) == afterSocket {
		return s.socketOver(ctx, h)
	}
	if f, ok := errand.ReadRef(h.query); ok && s.Errands != nil && s.putDown(ctx, h, f) {
		return reply{result: resultEnded}
	}
	n, ok := noticeOf(h)
	if !ok {
		return reply{result: resultIgnored, twiml: s.then(h, recaller.Telephone{})}
	}
	o := s.over(ctx, callID(h), n)
	return reply{o.result, s.then(h, o.telephone)}
}

// outcome is what became of an end, and how the tenant's calls are answered, if that could be found out.
type outcome struct {
	result    result
	telephone recaller.Telephone
}

// over ends a call. An end that comes before its call is kept until that begins.
func (s *Server) over(ctx context.Context, id string, n notice) outcome {
	s.metrics.dropped.Add(float64(s.ends.keep(id, n))) // before it is tried: the call may begin just then
	n, _ = s.ends.get(id)
	t, err := s.whose(ctx, n.number)
	switch {
	case nobodys(err):
		s.ends.settle(id, n, false)
		return outcome{result: resultNobody}
	case err != nil:
		s.ends.settle(id, n, true)
		return outcome{result: resultKept}
	}
	return outcome{s.carryOut(ctx, t, id, n), t.Telephone}
}

// then is what is to be done with a call after what is over. Of a call that is over itself there is nothing to do.
func (s *Server) then(h hook, p recaller.Telephone) twiml {
	switch {
	case h.query.Get(afterParameter) != afterDial:
		return twiml{}
	case statusOf(h) != "completed" && statusOf(h) != "answered":
		return told(p, noAnswer)
	}
	return twiml{Verbs: []any{hangup{}}}
}

// carryOut ends a call, or notes its recording.
func (s *Server) carryOut(ctx context.Context, t recaller.Tenant, id string, n notice) result {
	if n.end != nil && s.lines.isOpen(id) { // whoever leads it ends it: what was said last is not kept yet
		s.ends.settle(id, n, true)
		return resultKept
	}
	_, err := asked(ctx, s, func(ctx context.Context) (struct{}, error) {
		if n.end == nil {
			return struct{}{}, s.Conversations.Recorded(ctx, t.ID, id, n.recording)
		}
		in := *n.end
		in.RecordingURL = n.recording
		conv, err := s.Conversations.End(ctx, t.ID, id, in)
		if err == nil && n.recording != "" && conv.RecordingURL == "" { // it had ended before
			err = s.Conversations.Recorded(ctx, t.ID, id, n.recording)
		}
		return struct{}{}, err
	})
	switch {
	case err == nil && n.end == nil:
		s.ends.settle(id, n, false)
		return resultRecorded
	case err == nil:
		s.ends.settle(id, n, false)
		return resultEnded
	case errors.Is(err, recaller.NotFound): // it has not begun, is beginning, or never will
		if s.ends.hasRung(id) {
			s.ends.settle(id, n, true)
		}
		return resultKept
	case away(err) || errors.Is(err, recaller.Conflict):
		s.ends.settle(id, n, true)
		return resultKept
	}
	s.ends.settle(id, n, false)
	s.Log.WarnContext(ctx, "the end of a call was not taken", "tenant", t.ID, "err", err)
	return resultFailed
}

// away reports whether the store could not be asked.
func away(err error) bool {
	return errors.Is(err, recaller.Unavailable) || errors.Is(err, recaller.Timeout) || errors.Is(err, recaller.Full)
}

// endIfTold ends a call that has just begun, if its end was told before.
func (s *Server) endIfTold(ctx context.Context, t recaller.Tenant, c call) {
	if n, ok := s.ends.get(c.id); ok {
		s.carryOut(ctx, t, c.id, n)
	}
}

// Retry carries out ends that could not be when they were told, and takes texts that could not be. Call it from time to time; it returns what stands against
// it.
func (s *Server) Retry(ctx context.Context) error {
	return errors.Join(s.retryTexts(ctx, textsAge), s.retryEnds(ctx))
}

func (s *Server) retryEnds(ctx context.Context) error {
	ids, gone := s.ends.waiting()
	s.metrics.dropped.Add(float64(gone))
	for _, id := range ids {
		n, ok := s.ends.get(id)
		if !ok {
			continue
		}
		t, err := s.Tenants.ByNumber(ctx, n.number)
		switch {
		case nobodys(err):
			s.ends.settle(id, n, false)
			continue
		case err != nil:
			return err
		}
		s.carryOut(ctx, t, id, n)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}
