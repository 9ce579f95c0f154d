package llm

import (
	"context"
	"encoding/json"
	"strings"

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
		answer = c.patiently
	}
	var got said
	cost, err := c.pursue(ctx, endpoint.Job{Timeout: timeout}, q, func(ctx context.Context, q question) (_ endpoint.Told, err error) {
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

// pursue asks until there is an answer or a final failure, within the bounds of job. It leaves out what the endpoint
// does not take.
func (c *Client) pursue(
	ctx context.Context, job endpoint.Job, q question, send func(context.Context, question) (endpoint.Told, error),
) (recaller.Cost, error) {
	if c.nowhere != nil {
		return recaller.Cost{}, c.nowhere
	}
	q.form = c.habits.known()
	learn := true
	job.Send = func(ctx context.Context) (endpoint.Told, error) {
		told, err := send(ctx, q)
		c.metrics.told(told)
		if err == nil && learn {
			c.habits.learn(q.form)
		}
		return told, err
	}
	job.Amend = func(r *endpoint.RefusalError) bool {
		next, lasting, ok := q.without(r)
		if ok {
			q.form, learn = next, learn && lasting
		}
		return ok
	}
	return c.ends.Pursue(ctx, job)
}

// whole asks for an answer in one piece.
func (c *Client) whole(ctx context.Context, q question) (said, error) {
	body, err := c.ends.Post(ctx, c.wire.path(), c.wire.body(q, false))
	if err != nil {
		return said{}, err
	}
	return c.wire.answer(body, q)
}

// patiently asks for an answer in pieces, and waits as long as pieces come.
func (c *Client) patiently(ctx context.Context, q question) (said, error) {
	return c.listen(ctx, q, c.waits(0), func(string) error { return nil })
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
