package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/endpoint"
)

// Ask asks the model one question and waits for the whole answer. The answer's Cost is set even with an error: it
// counts the requests that were sent and the tokens that the provider told of.
//
// If the question has a schema, Ask asks in the strictest way that the endpoint takes. If it takes none, the schema
// goes into the instructions. In each case Text is what the model wrote: it need not be the JSON that was asked for.
//
// Failures have one of two meanings.
//   - The model is away. Nothing is wrong with the question, and it may be answered later. Unavailable: the endpoint
//     cannot be reached, fails, or failed so often that nothing was sent now. Exhausted: a rate limit, a used-up
//     quota, or too many questions at once. Timeout: no answer within the question's time, or ctx ended.
//     Unauthenticated and NotFound: the operator must correct the key, the model or the address.
//   - Invalid: this question gets no answer. The endpoint refused it (too long, against its rules), or the model
//     refused, or it answered nothing. Asked again, it will likely fail again.
//
// Internal is the caller's fault: a schema that is no JSON.
func (c *Client) Ask(ctx context.Context, a recaller.Ask) (recaller.Answer, error) {
	if a.Schema != nil && !json.Valid(a.Schema.JSON) {
		return recaller.Answer{}, recaller.Errorf(recaller.Internal, "the answer's schema is not JSON")
	}
	timeout, tokens := a.Timeout, a.MaxTokens
	def(&timeout, c.timeout)
	def(&tokens, c.tokens)
	q := question{
		system: a.System, messages: []Message{{Speaker: recaller.User, Text: a.Text, Images: a.Images}},
		schema: a.Schema, temperature: &a.Temperature, tokens: tokens,
	}
	answer := c.whole
	if c.silence > 0 {
		answer = c.listen
	}
	var got said
	cost, err := c.pursue(ctx, timeout, q, func(ctx context.Context, q question) (_ endpoint.Told, err error) {
		if got, err = answer(ctx, q); err == nil {
			got.text = aloud(got.text)
			err = got.nothing()
		}
		return got.told, err
	})
	if err != nil {
		return recaller.Answer{Cost: cost}, err
	}
	return recaller.Answer{Text: got.text, Cut: got.told.Cut, Cost: cost}, nil
}

// pursue asks until there is an answer or a final failure. It leaves out what the endpoint does not take.
func (c *Client) pursue(
	ctx context.Context, timeout time.Duration, q question, send func(context.Context, question) (endpoint.Told, error),
) (recaller.Cost, error) {
	if c.nowhere != nil {
		return recaller.Cost{}, c.nowhere
	}
	q.form = c.habits.known()
	learn := true
	return c.ends.Pursue(ctx, endpoint.Job{
		Timeout: timeout,
		Send: func(ctx context.Context) (endpoint.Told, error) {
			told, err := send(ctx, q)
			c.metrics.told(told)
			if err == nil && learn {
				c.habits.learn(q.form)
			}
			return told, err
		},
		Amend: func(r *endpoint.RefusalError) bool {
			next, lasting, ok := q.without(r)
			if ok {
				q.form, learn = next, learn && lasting
			}
			return ok
		},
	})
}

// whole asks for an answer in one piece.
func (c *Client) whole(ctx context.Context, q question) (said, error) {
	body, err := c.ends.Post(ctx, c.wire.path(), c.wire.body(q, false))
	if err != nil {
		return said{}, err
	}
	return c.wire.answer(body, q)
}

// listen asks for an answer in pieces, and waits as long as pieces come.
func (c *Client) listen(ctx context.Context, q question) (got said, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var silent atomic.Bool
	timer := time.AfterFunc(firstPiece, func() { silent.Store(true); cancel() })
	defer timer.Stop()
	var text strings.Builder
	var ended, refusal string
	err = c.stream(ctx, q, func(p piece) {
		timer.Reset(c.silence)
		got.told.In, got.told.Out = max(got.told.In, p.told.In), max(got.told.Out, p.told.Out)
		text.WriteString(p.text)
		ended, refusal = cmp.Or(p.ended, ended), refusal+p.refusal
	})
	switch {
	case silent.Load():
		return got, endpoint.Final(context.DeadlineExceeded) // it would be as slow again
	case err != nil:
		return got, err
	}
	got.text, got.told.Cut = text.String(), ended == "length"
	return got, withheld(got.text, ended, refusal)
}

// stream asks for an answer in pieces.
func (c *Client) stream(ctx context.Context, q question, heard func(piece)) error {
	return c.ends.Stream(ctx, c.wire.path(), c.wire.body(q, true), func(data []byte) error {
		p, err := c.wire.piece(data)
		if err == nil {
			heard(p)
		}
		return err
	})
}

// nothing returns the failure of an answer without a word.
func (s said) nothing() error {
	if strings.TrimSpace(s.text) != "" {
		return nil
	}
	if s.told.Cut {
		return refused("the model ran into its limit before it answered")
	}
	return refused("the model answered nothing")
}

// refused returns the failure of a question that the model or the endpoint will not answer.
func refused(msg string) error { return recaller.Errorf(recaller.Invalid, "%s", msg) }
