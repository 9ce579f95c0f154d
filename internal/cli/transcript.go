package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/recallerhq/recaller/internal/cli/term"
)

// transcriptCmd is `recaller transcript CONVERSATION`.
type transcriptCmd struct {
	Conversation string `arg:"" help:"Its id, or the platform's own id"`
	Times        bool   `short:"t" help:"Begin each line with when it was said"`
	JSON         bool   `name:"json" help:"Print the conversation as JSON"`
}

// Help says what it is.
func (*transcriptCmd) Help() string {
	return "Prints the words as SPEAKER: text lines, in order, which `recaller replay` reads back. Where the tenant " +
		"keeps no words, or their days are over, there is nothing to print."
}

// Examples are lines to try.
func (*transcriptCmd) Examples() []string {
	return []string{
		"recaller transcript CA5ef8732a3c49700934481addd5ce1659",
		"recaller transcript 0198c0de-7a11-7b2c-9d3e-4f5a6b7c8d9e > call.txt",
	}
}

// Run prints the transcript.
func (c *transcriptCmd) Run(ctx context.Context, s *session) error {
	api, err := s.api(ctx)
	if err != nil {
		return err
	}
	conv, err := api.Conversation(ctx, c.Conversation)
	if err != nil {
		return err
	}
	if c.JSON {
		return s.json(conv)
	}
	for _, t := range conv.Turns {
		if c.Times {
			fmt.Fprintf(s.out, "[%s] ", t.At.Local().Format("15:04:05"))
		}
		fmt.Fprintf(s.out, "%s: %s\n", s.out.Accent(strings.ToUpper(string(t.Speaker))), term.Clean(t.Text))
	}
	if len(conv.Turns) == 0 {
		s.notef("no words of this conversation are kept")
	}
	return nil
}
