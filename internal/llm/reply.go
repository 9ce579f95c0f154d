package llm

import (
	"context"
	"strings"

	"github.com/recallerhq/recaller"
)

// Message is one message of a chat. Speaker User is who talks to the model.
type Message = recaller.Said

// Reply asks the model what to say next. system holds its instructions. heard gets each piece as it arrives; it may be
// nil. With an error, Reply returns what was said before it, because the other side has heard it. Kinds are as in Ask.
func (c *Client) Reply(ctx context.Context, system string, messages []Message, heard func(string)) (string, error) {
	say := func(piece string) error {
		if heard != nil {
			heard(piece)
		}
		return nil
	}
	got, err := c.Talk(ctx, recaller.Dialogue{System: system, Said: messages}, say)
	reply := strings.TrimSpace(got.Text)
	if err == nil && reply == "" {
		return "", recaller.Errorf(recaller.Invalid, "the model answered nothing")
	}
	return reply, err
}
