package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/cli/term"
)

// briefingCmd is `recaller briefing PHONE`.
type briefingCmd struct {
	Phone     who    `arg:"" help:"Who would be calling"`
	Query     string `placeholder:"TEXT" help:"What the call is about, if that is known"`
	MaxTokens int    `placeholder:"N" help:"Most tokens it may take (default: the server's)"`
	Style     string `default:"briefing" placeholder:"STYLE" enum:"briefing,system_prompt" help:"briefing: notes to put in front of the agent's own prompt; system_prompt: a whole system prompt"`
	AsOf      string `placeholder:"TIME" help:"As an agent would have been told at 2026-05-30T14:00:00Z, or as 2026-05-30 began"`
	Trust     string `default:"claimed" placeholder:"TIER" enum:"claimed,attested,verified" help:"As an agent is told it who is this sure who calls: claimed, attested or verified"`
	JSON      bool   `name:"json" help:"Print it with its parts as JSON"`
}

// Help says what it is.
func (*briefingCmd) Help() string {
	return "Prints the text that an agent gets before it speaks, ready to be put in front of its own prompt, or as a " +
		"whole system prompt. It changes nothing: no conversation begins."
}

// Examples are lines to try.
func (*briefingCmd) Examples() []string {
	return []string{
		"recaller briefing +15550100199",
		"# as the start of a prompt",
		"recaller briefing ext:user-42 > prompt.txt",
		"recaller briefing +15550100199 --style system_prompt",
		"recaller briefing +15550100199 --as-of 2026-05-30T14:00:00Z",
	}
}

// Run prints the briefing.
func (c *briefingCmd) Run(ctx context.Context, s *session) error {
	asOf, err := timeOf("--as-of", c.AsOf)
	if err != nil {
		return err
	}
	api, caller, err := s.caller(ctx, c.Phone)
	if err != nil {
		return err
	}
	b, err := api.CallerBriefing(ctx, caller.ID, client.BriefingQuery{
		Query: c.Query, MaxTokens: c.MaxTokens, Style: recaller.BriefingStyle(c.Style), AsOf: asOf, Trust: recaller.Trust(c.Trust),
	})
	if err != nil {
		return err
	}
	return s.briefed(b, c.JSON)
}

// briefed prints a briefing as it is told.
func (s *session) briefed(b client.Briefing, asJSON bool) error {
	if asJSON {
		return s.json(b)
	}
	s.verbosef("%d tokens in %d parts", b.Tokens, len(b.Parts))
	if b.Degraded {
		s.notef("%s the briefing is degraded: %s", s.err.Warn("warning:"), b.Reason)
	}
	fmt.Fprintln(s.out, strings.TrimRight(term.CleanLines(b.Text), "\n"))
	return nil
}

// writeBriefing shows a briefing in the margin of something else.
func writeBriefing(out term.Out, b client.Briefing) {
	text := strings.TrimRight(term.CleanLines(b.Text), "\n")
	bar := out.Dim("│")
	for _, line := range strings.Split(term.Wrap(text, out.Width-4, "  "), "\n") {
		if strings.HasPrefix(line, "## ") {
			line = out.Bold(line)
		}
		fmt.Fprintln(out, strings.TrimRight(bar+" "+line, " "))
	}
}
