package e2e

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// soakWorker is an agent on several telephones, one request at a time.
type soakWorker struct {
	s       *soak
	rnd     *rand.Rand
	callers []*soakCaller
	api     map[*soakTenant]*client.Client
	stop    context.Context
	streams streams
}

// An answer that takes longer than soakAsks is not waited for; a request that has none after soakPatience is lost.
const (
	soakAsks     = 30 * time.Second
	soakPatience = 10 * time.Minute
)

// verdict is what became of a request. err is nil if it was carried out.
type verdict struct {
	err     error
	doubted bool // an earlier try may have been carried out
	life    int  // of the server, when the last try began
}

// errNoAnswer is the verdict of a request that nobody answered, and that was given up.
var errNoAnswer = errors.New("no answer")

// refused returns the status of a refusal; 0 if there was none.
func (o verdict) refused() int {
	if p := (*client.Problem)(nil); errors.As(o.err, &p) {
		return p.Status
	}
	return 0
}

// run leads calls until it is told to stop.
func (w *soakWorker) run() {
	total := 0
	for _, op := range soakOps {
		total += op.weight
	}
	for w.stop.Err() == nil {
		c := w.callers[w.rnd.IntN(len(w.callers))]
		n := w.rnd.IntN(total)
		i := slices.IndexFunc(soakOps, func(op soakOp) bool { n -= op.weight; return n < 0 })
		soakOps[i].do(w, c)
	}
	w.streams.hangUp()
}

// soakOp is something that an agent does, and how often beside the others.
type soakOp struct {
	weight int
	do     func(*soakWorker, *soakCaller)
}

// soakOps is all that agents do.
var soakOps = []soakOp{
	{12, (*soakWorker).ring},
	{60, (*soakWorker).say},
	{4, (*soakWorker).hangUp},
	{8, (*soakWorker).look},
	{5, (*soakWorker).recall},
	{5, (*soakWorker).briefed},
	{6, (*soakWorker).remember},
	{6, (*soakWorker).rememberByTool},
	{3, (*soakWorker).update},
	{3, (*soakWorker).updateByTool},
	{3, (*soakWorker).forget},
	{4, (*soakWorker).known},
	{3, (*soakWorker).remind},
	{3, (*soakWorker).checkpoint},
	{2, (*soakWorker).imports},
	{2, (*soakWorker).export},
	{2, (*soakWorker).search},
	{2, (*soakWorker).keys},
	{3, (*soakWorker).listen},
	{1, (*soakWorker).erase},
}

// ask makes a request until it has an answer. Of those whose answer does not come some are given up, unless it must have one.
func (w *soakWorker) ask(c *soakCaller, what string, must bool, request func(context.Context) error) verdict {
	var out verdict
	must = must || w.rnd.IntN(6) > 0
	for began := time.Now(); ; {
		out.life = w.s.life()
		calm := w.s.trouble.Load()
		ctx, cancel := context.WithTimeout(asker{c.tenant, c}.asks(context.Background()), soakAsks)
		out.err = request(ctx)
		cancel()
		status := out.refused()
		if out.err == nil || status != 0 && status < http.StatusInternalServerError && status != http.StatusTooManyRequests {
			w.s.count(what, out)
			c.note("%s: %v", what, out.err)
			return out
		}
		if status != 0 {
			w.s.failed(c, what, out, calm)
		}
		c.note("%s: no answer: %v", what, out.err)
		out.doubted = true
		switch late := time.Since(began) > soakPatience; {
		case late:
			w.s.violated(c, "%s: no answer in %v: %v", what, soakPatience, out.err)
			fallthrough
		case !must:
			out.err = errNoAnswer
			w.s.count(what, out)
			return out
		}
		<-time.After(time.Duration(20+w.rnd.IntN(200)) * time.Millisecond)
	}
}

// refused says that a request was refused which must not be.
func (w *soakWorker) wasRefused(c *soakCaller, what string, out verdict) {
	if out.err != nil && !errors.Is(out.err, errNoAnswer) {
		w.s.violated(c, "%s was refused: %v", what, out.err)
	}
}

func (w *soakWorker) client(c *soakCaller) *client.Client { return w.api[c.tenant] }

// once names a request, so that its repeats are known.
func once(ctx context.Context, name string) context.Context {
	return client.WithIdempotencyKey(ctx, name)
}

// ring begins a call.
func (w *soakWorker) ring(c *soakCaller) {
	if c.open() != nil {
		return
	}
	call := &soakCall{externalID: fmt.Sprintf("soak-%d-%d-%d-%d", c.tenant.n, c.n, c.self(), len(c.calls)), touched: time.Now()}
	c.calls = append(c.calls, call)
	w.start(c, call, false)
}

// start begins a call, or goes on with it.
func (w *soakWorker) start(c *soakCaller, call *soakCall, must bool) {
	var got client.StartResponse
	out := w.ask(c, "ring "+call.externalID, must, func(ctx context.Context) (err error) {
		got, err = w.client(c).StartConversation(ctx, client.StartRequest{
			Caller: client.CallerRef{Phone: c.phone}, ExternalID: call.externalID,
		})
		return err
	})
	if out.err != nil {
		call.began = fate{doubted, out.life}
		w.wasRefused(c, "ring", out)
		return
	}
	call.id, call.began = got.Conversation.ID, fate{sure, out.life}
	if got.Conversation.CallerID == "" || got.Briefing.Degraded {
		call.began.sureness, call.wasHeld = held, true
	}
	c.note("  it is %s, with %q, existing %v, degraded %q", call.id, got.Caller.ID, got.Existing, got.Briefing.Reason)
	c.is(got.Caller.ID)
	w.untold(c, "the briefing", time.Now(), got.Briefing.Text)
}

// is takes in who a caller is said to be.
func (c *soakCaller) is(id string) {
	switch {
	case id == "" || id == c.id:
	case slices.ContainsFunc(c.past, func(g soakGhost) bool { return g.id == id }):
		c.s.violated(c, "somebody erased rings again: %s", id)
	case c.id == "":
		c.id = id
	default:
		c.s.violated(c, "the number is with caller %s, and was with %s", id, c.id)
	}
}

var soakSentences = []string{
	"I need a repair of the fence at %s.", "Please send somebody to %s Road.", "My dog is called %s.",
	"The boiler from %s is leaking again.", "We are moving to %s in spring.", "It was the one from %s, the green one.",
}

var soakAnswers = []string{"The part from %s is on its way.", "I have put %s on the list.", "And how is the garden at %s?"}

// turn is a sentence that was not said before.
func (w *soakWorker) turn(c *soakCaller) *soakTurn {
	t := &soakTurn{word: c.speak(), speaker: recaller.User}
	text := soakSentences[w.rnd.IntN(len(soakSentences))]
	if w.rnd.IntN(3) == 0 {
		t.speaker, text = recaller.Assistant, soakAnswers[w.rnd.IntN(len(soakAnswers))]
	}
	if t.text = fmt.Sprintf(text, t.word); w.rnd.IntN(25) == 0 {
		t.text += strings.Repeat(" It was a long story about a garden.", 100)
	}
	return t
}

// say adds a turn, or a few, to the call that goes on.
func (w *soakWorker) say(c *soakCaller) {
	call := c.open()
	if call == nil {
		w.ring(c)
		return
	}
	turns := make([]*soakTurn, 1)
	if w.rnd.IntN(10) == 0 {
		turns = make([]*soakTurn, 2+w.rnd.IntN(6))
	}
	for i := range turns {
		turns[i] = w.turn(c)
	}
	w.add(c, call, turns, false)
}

// add adds turns. It reports whether they are sure.
func (w *soakWorker) add(c *soakCaller, call *soakCall, turns []*soakTurn, must bool) bool {
	in := make([]client.TurnInput, len(turns))
	for i, t := range turns {
		in[i] = client.TurnInput{Speaker: t.speaker, Text: t.text}
	}
	var got client.AddTurnsResponse
	out := w.ask(c, fmt.Sprintf("say %d as %s", len(turns), turns[0].word), must, func(ctx context.Context) (err error) {
		got, err = w.client(c).AddTurns(once(ctx, turns[0].word), call.id, in...)
		return err
	})
	switch status := out.refused(); {
	case status == http.StatusConflict && !out.doubted:
		w.closed(c, call)
		return false
	case status != 0 && out.doubted || errors.Is(out.err, errNoAnswer):
		for _, t := range turns {
			t.fate = fate{doubted, out.life}
		}
		call.turns = append(call.turns, turns...)
		return false
	case status == http.StatusNotFound && w.s.current(call.began) == doubted:
		call.lost()
		c.note("  the call was lost with its process")
		return false
	case out.err != nil:
		w.wasRefused(c, "a turn", out)
		return false
	}
	w.acknowledged(c, call, turns, got, out.life)
	return got.Durable
}

func (w *soakWorker) acknowledged(c *soakCaller, call *soakCall, turns []*soakTurn, got client.AddTurnsResponse, life int) {
	if len(got.Turns) != len(turns) {
		w.s.violated(c, "%d turns were acknowledged of %d", len(got.Turns), len(turns))
		return
	}
	if got.Durable {
		w.s.settle(call)
	}
	at := w.s.tick.Add(1)
	for i, t := range turns {
		t.id, t.number, t.at, t.fate = got.Turns[i].ID, got.Turns[i].Number, at, fate{held, life}
		if t.firm = got.Durable; t.firm {
			t.fate = fate{sure, life}
		}
	}
	for _, before := range call.turns {
		if before.sureness == sure && before.firm && got.Durable && before.number >= turns[0].number {
			w.s.violated(c, "turn %s has the number %d, and an earlier one %d", turns[0].word, turns[0].number, before.number)
		}
	}
	call.turns, call.touched = append(call.turns, turns...), time.Now()
	c.note("  as %d in %s, durable %v", turns[0].number, call.id, got.Durable)
}

// closed is called when a turn is refused because the call is over, though nobody ended it. Where the clock has jumped
// it may have been closed as silent since a restart: then it is resumed by its external id.
func (w *soakWorker) closed(c *soakCaller, call *soakCall) {
	if !w.s.jumped.Load() && time.Since(call.touched) < 25*time.Minute {
		w.s.violated(c, "the call %s is over, and nobody ended it", call.id)
	}
	again := &soakCall{externalID: call.externalID, touched: time.Now()}
	w.start(c, again, true)
	i := slices.IndexFunc(c.calls, func(k *soakCall) bool { return k.id == again.id })
	if i >= 0 && c.calls[i] == call {
		call.began = again.began
		return
	}
	// While the store was away nobody could look a call up by its external id: so there may be several.
	call.ended = fate{doubted, 0}
	switch {
	case i >= 0:
		c.calls[i].began, c.calls[i].ended = again.began, fate{}
	case again.began.sureness == sure && !again.heldOnce(c):
		w.s.violated(c, "the call %s is %s now that it goes on", call.id, again.id)
	default:
		c.calls = append(c.calls, again)
	}
}

// heldOnce reports whether a call's external id was given to another one while the store was away.
func (call *soakCall) heldOnce(c *soakCaller) bool {
	return slices.ContainsFunc(c.calls, func(k *soakCall) bool { return k.externalID == call.externalID && k.wasHeld })
}

// hangUp ends the call that goes on.
func (w *soakWorker) hangUp(c *soakCaller) {
	if call := c.open(); call != nil && len(call.turns) > 0 {
		w.end(c, call, false)
	}
}

func (w *soakWorker) end(c *soakCaller, call *soakCall, must bool) {
	var got client.Conversation
	out := w.ask(c, "end "+call.id, must, func(ctx context.Context) (err error) {
		got, err = w.client(c).EndConversation(ctx, call.id, client.EndRequest{DurationSeconds: 60, Reason: "hangup"})
		return err
	})
	switch {
	case out.refused() == http.StatusNotFound && w.s.current(call.began) == doubted:
		call.lost()
		return
	case out.err != nil:
		call.ended = fate{doubted, out.life}
		w.wasRefused(c, "the end", out)
		return
	case got.Status == recaller.Active || got.Status == recaller.Failed && !w.s.jumped.Load():
		w.s.violated(c, "the call %s is %s after its end", call.id, got.Status)
	}
	call.ended = fate{held, out.life}
	w.endStored(c, call, false)
}

// endStored finds out whether the store has the end of a call: then it has steps.
func (w *soakWorker) endStored(c *soakCaller, call *soakCall, must bool) bool {
	var rec client.ConversationRecord
	out := w.ask(c, "read the ended "+call.id, must, func(ctx context.Context) (err error) {
		rec, err = w.client(c).ConversationWithoutTurns(ctx, call.id)
		return err
	})
	if out.err == nil && len(rec.Wrapup.Steps) > 0 && w.s.current(call.ended) != doubted {
		w.s.settle(call)
		call.ended.sureness = sure
	}
	return call.ended.sureness == sure
}
