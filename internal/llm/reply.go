package llm

import (
	"context"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/endpoint"
)

// Message is one message of a chat. Speaker User is who talks to the model.
type Message struct {
	Speaker recaller.Speaker
	Text    string
	Images  []recaller.Image // before the text
}

// Reply asks the model what to say next. system holds its instructions. heard gets each piece as it arrives; it may be
// nil. With an error, Reply returns what was said before it, because the other side has heard it. Kinds are as in Ask.
func (c *Client) Reply(ctx context.Context, system string, messages []Message, heard func(string)) (string, error) {
	var all strings.Builder
	say := func(piece string) {
		if piece == "" {
			return
		}
		all.WriteString(piece)
		if heard != nil {
			heard(piece)
		}
	}
	q := question{system: system, messages: messages, tokens: replyTokens}
	_, err := c.pursue(ctx, c.timeout, q, func(ctx context.Context, q question) (endpoint.Told, error) {
		var loud thoughts
		err := c.stream(ctx, q, func(p piece) { say(loud.pass(p.text)) })
		if err == nil {
			say(loud.rest())
		}
		if all.Len() > 0 {
			err = endpoint.Final(err) // what was heard must not be said again
		}
		return endpoint.Told{}, err
	})
	reply := strings.TrimSpace(all.String())
	if err == nil && reply == "" {
		return "", recaller.Errorf(recaller.Invalid, "the model answered nothing")
	}
	return reply, err
}
