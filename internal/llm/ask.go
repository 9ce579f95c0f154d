package llm

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/llm/wire"
)

// Ask asks the model one question and waits for the whole answer. The answer's Cost is set on errors too: it counts the
// requests that were sent and the tokens that the provider told of.
//
// Where the question has a schema, the answer is asked for in the strictest way that the endpoint takes; where it takes none,
// the schema stands in the instructions. Either way Text is what the model wrote: it need not be the JSON asked for.
//
// Failures have one of two meanings.
//
//   - The model is away; nothing is wrong with the question, and later it may be answered. Unavailable: it cannot be reached,
//     fails, or failed so often that nothing was sent now. Exhausted: a rate limit, a used-up quota, or too many questions at
//     once. Timeout: no answer within the question's time, or ctx ended. Unauthenticated and NotFound: the key, the model or
//     the address is wrong, which is the operator's to repair.
//   - Invalid: this question gets no answer. The endpoint refused it (too long, against its rules), or the model refused, or
//     it answered nothing. Asked again as it is, it will likely fail again.
//
// Internal is a fault of the caller's: a schema that is no JSON.
func (c *Client) Ask(ctx context.Context, a recaller.Ask) (recaller.Answer, error) {
	if a.Schema != nil && !json.Valid(a.Schema.JSON) {
		return recaller.Answer{}, recaller.Errorf(recaller.Internal, "the answer's schema is not JSON")
	}
	timeout, tokens := a.Timeout, a.MaxTokens
	def(&timeout, c.timeout)
	def(&tokens, c.tokens)
	q := question{
		system: a.System, messages: []Message{{Speaker: recaller.User, Text: a.Text}},
		schema: a.Schema, temperature: &a.Temperature, tokens: tokens,
	}
	var got said
	cost, err := c.pursue(ctx, timeout, q, func(ctx context.Context, q question) (said, error) {
		answer, err := c.provider.ask(ctx, q)
		if err == nil {
			answer.text = wire.Aloud(answer.text)
			err = answer.nothing()
		}
		got = answer
		return answer, err
	})
	if err != nil {
		return recaller.Answer{Cost: cost}, err
	}
	return recaller.Answer{Text: got.text, Cut: got.cut, Cost: cost}, nil
}

// nothing is the failure of an answer without a word.
func (s said) nothing() error {
	if strings.TrimSpace(s.text) != "" {
		return nil
	}
	if s.cut {
		return refused("the model ran into its limit before it answered")
	}
	return refused("the model answered nothing")
}
