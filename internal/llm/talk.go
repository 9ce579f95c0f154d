package llm

import (
	"context"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/endpoint"
)

// Talk asks the model what it says next in a dialogue, and which tools it calls. say gets the words piece by piece as
// they come, from one goroutine, without what the model thought before them; it should not wait for long. The calls are
// whole when Talk returns. An answer without words and calls is no failure.
//
// Nothing is said twice: an endpoint that fails is asked again only while nothing was said. With an error, the Answer
// holds what was said before it, and no calls. Its Cost is set in any case.
//
// Kinds of failures are as in Ask. Timeout is also an endpoint that is silent for too long, in the middle too. If ctx
// ends, or say fails, the request upstream ends at once; then Talk returns ctx's end as Timeout, or say's own error.
func (c *Client) Talk(ctx context.Context, d recaller.Dialogue, say func(piece string) error) (recaller.Answer, error) {
	timeout, tokens := d.Timeout, d.MaxTokens
	def(&timeout, c.timeout)
	def(&tokens, replyTokens)
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	q := question{system: d.System, messages: d.Said, tools: d.Tools, noCalls: d.NoCalls, tokens: tokens}
	var all strings.Builder
	var deaf error // why nobody hears any more
	tell := func(words string) error {
		if err := ctx.Err(); words == "" || err != nil {
			return err // what came before its end is said, and what the reader had still at hand is not
		}
		all.WriteString(words)
		if deaf = say(words); deaf != nil {
			leave()
		}
		return deaf
	}
	var got said
	job := endpoint.Job{Timeout: timeout, Wait: d.Silence}
	cost, err := c.pursue(ctx, job, q, func(ctx context.Context, q question) (_ endpoint.Told, err error) {
		var loud thoughts
		got, err = c.listen(ctx, q, c.waits(d.Silence), func(words string) error { return tell(loud.pass(words)) })
		if err == nil {
			err = tell(loud.rest())
		}
		if all.Len() > 0 {
			err = endpoint.Final(err) // what was said must not be said again
		}
		return got.told, err
	})
	answer := recaller.Answer{Text: all.String(), Cost: cost}
	switch {
	case deaf != nil:
		return answer, deaf
	case err != nil:
		return answer, err
	}
	answer.Calls, answer.Thought, answer.Cut = got.calls, got.thought, got.told.Cut
	return answer, nil
}

// waits bounds the silence of an endpoint; 0: it does not.
type waits struct {
	first time.Duration // before the first piece
	next  time.Duration // between two
}

// waits returns what a question allows, or what this client does.
func (c *Client) waits(silence time.Duration) waits {
	switch {
	case silence > 0:
		return waits{silence, silence}
	case c.silence > 0:
		return waits{firstPiece, c.silence}
	}
	return waits{}
}

// watch ends a request whose endpoint is silent for too long.
type watch struct {
	timer   *time.Timer // nil: it may be silent
	next    time.Duration
	tooLong atomic.Bool
}

func (w waits) watch(end func()) *watch {
	h := &watch{next: w.next}
	if w.first > 0 {
		h.timer = time.AfterFunc(w.first, func() { h.tooLong.Store(true); end() })
	}
	return h
}

// broken notes that something came.
func (h *watch) broken() {
	if h.timer != nil {
		h.timer.Reset(h.next)
	}
}

func (h *watch) stop() {
	if h.timer != nil {
		h.timer.Stop()
	}
}

// listen asks for an answer in pieces, and hands over the words of each as it comes. It waits as long as pieces come.
// With an error, what it returns is what came before it.
func (c *Client) listen(
	ctx context.Context, q question, w waits, heard func(words string) error,
) (got said, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	silence := w.watch(cancel)
	defer silence.stop()
	var text, thought strings.Builder
	var calling calls
	var ended, refusal string
	whole := false
	err = c.stream(ctx, q, func(p piece) error {
		if !p.idle {
			silence.broken()
		}
		got.told.In, got.told.Out = max(got.told.In, p.told.In), max(got.told.Out, p.told.Out)
		if p.ended != "" {
			ended = p.ended
		}
		refusal += p.refusal
		whole = whole || p.over || p.ended != ""
		text.WriteString(p.text)
		thought.WriteString(p.thought)
		if err := calling.take(p.calls); err != nil {
			return err
		}
		return heard(p.text)
	})
	got.text, got.thought = text.String(), thought.String()
	switch {
	case silence.tooLong.Load():
		return got, endpoint.Final(context.DeadlineExceeded) // it would be as slow again
	case err != nil:
		return got, err
	case !whole:
		return got, io.ErrUnexpectedEOF // it broke off where it seemed to end
	}
	got.calls, got.told.Cut = calling.whole(), ended == endLimit
	return got, withheld(got.text, ended, refusal)
}

// stream asks for an answer in pieces, and hands each over, up to the last.
func (c *Client) stream(ctx context.Context, q question, heard func(piece) error) error {
	return c.ends.Stream(ctx, c.wire.path(), c.wire.body(q, true), func(data []byte) error {
		p, err := c.wire.piece(data)
		if err == nil {
			err = heard(p)
		}
		if err == nil && p.over {
			return io.EOF
		}
		return err
	})
}
