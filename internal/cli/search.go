package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/cli/term"
)

// searchCmd is `recaller search QUERY…`.
type searchCmd struct {
	Query     []string         `arg:"" help:"What they were about, in your own words"`
	Limit     int              `short:"n" default:"10" placeholder:"N" help:"Most results"`
	Caller    string           `placeholder:"PHONE" help:"Only this caller's conversations"`
	Channel   recaller.Channel `placeholder:"CHANNEL" help:"Only those over this channel: voice, sms, whatsapp, web-chat, telegram, api"`
	Intent    string           `placeholder:"LABEL" help:"Only those of this intent"`
	Sentiment string           `placeholder:"LABEL" help:"Only those of this sentiment: positive, neutral, negative"`
	Outcome   string           `placeholder:"LABEL" help:"Only those of this outcome"`
	After     string           `placeholder:"TIME" help:"Only those that started then or later: 2026-05-30 or 2026-05-30T14:00:00Z"`
	Before    string           `placeholder:"TIME" help:"Only those that started earlier"`
	JSON      bool             `name:"json" help:"Print the results as JSON"`
}

// Help says what it is.
func (*searchCmd) Help() string {
	return "Searches the ended conversations of all callers by what they were about, best first: by their words, and " +
		"by their meaning as far as the embedder knows it. Words that describe the conversations (frustrated " +
		"customers, text messages, last week) become filters, which it tells; a flag goes before them."
}

// Examples are lines to try.
func (*searchCmd) Examples() []string {
	return []string{
		"recaller search wedding inquiries",
		"recaller search 'prices of lessons' --sentiment negative --after 2026-05-01",
		"recaller search cancellations --caller +15550100199 --json",
	}
}

// Run searches and prints.
func (c *searchCmd) Run(ctx context.Context, s *session) error {
	in := client.SearchRequest{
		Query: strings.Join(c.Query, " "), Limit: c.Limit, Channel: c.Channel, Intent: c.Intent, Sentiment: c.Sentiment,
		Outcome: c.Outcome,
	}
	var err error
	if in.After, err = timeOf("--after", c.After); err != nil {
		return err
	}
	if in.Before, err = timeOf("--before", c.Before); err != nil {
		return err
	}
	api, err := c.reach(ctx, s, &in)
	if err != nil {
		return err
	}
	found, err := api.SearchConversations(ctx, in)
	if err != nil {
		return err
	}
	if c.JSON {
		return s.json(found)
	}
	if found.Degraded != "" {
		s.notef("%s: only conversations that share words with the query are found", found.Degraded)
	}
	for _, u := range found.Understood {
		s.notef("%s", understood(u))
	}
	if len(found.Results) == 0 {
		s.notef("nothing found")
		return nil
	}
	for i, r := range found.Results {
		writeFound(s.out, i+1, r)
	}
	s.verbosef("%d results in %.1f ms", len(found.Results), found.TookMS)
	return nil
}

// understood says what filters were read from words that describe conversations.
func understood(u client.SearchUnderstood) string {
	value := u.Field + " " + u.Value
	if u.Field == "time" {
		value = "from " + u.After.Format("2 Jan 2006")
		if !u.Before.IsZero() {
			value += " until " + u.Before.Add(-1).Format("2 Jan 2006")
		}
	}
	if !u.Applied {
		return fmt.Sprintf("“%s”: there is none of %s", term.Clean(u.Words), value)
	}
	return fmt.Sprintf("“%s”: only %s", term.Clean(u.Words), value)
}

// reach finds the server, and the caller if one is asked for.
func (c *searchCmd) reach(ctx context.Context, s *session, in *client.SearchRequest) (*client.Client, error) {
	if c.Caller == "" {
		return s.api(ctx)
	}
	if err := who(c.Caller).Validate(); err != nil {
		return nil, err
	}
	api, caller, err := s.caller(ctx, who(c.Caller))
	in.CallerID = caller.ID
	return api, err
}

// writeFound shows one conversation: when, which, what it was about, and words that fit.
func writeFound(out term.Out, place int, r client.SearchResult) {
	id := r.ConversationExternalID
	if id == "" {
		id = r.ConversationID
	}
	about := []string{r.StartedAt.Format("2 Jan 2006"), term.Clean(id)}
	for _, label := range []string{r.Intent, r.Sentiment, r.Outcome} {
		if label != "" {
			about = append(about, term.Clean(label))
		}
	}
	fmt.Fprintf(out, "%s %s%s\n", out.Accent(fmt.Sprintf("%2d.", place)), out.Bold(strings.Join(about, ", ")),
		out.Dim(fmt.Sprintf("  %.2f", r.Score)))
	indent := func(text string) string {
		return strings.ReplaceAll(term.Wrap(term.Clean(text), out.Width-4, ""), "\n", "\n    ")
	}
	if r.Summary != "" {
		fmt.Fprintf(out, "    %s\n", indent(r.Summary))
	}
	for line := range strings.SplitSeq(r.Excerpt, "\n") {
		if line != "" {
			fmt.Fprintf(out, "    %s\n", indent("“"+line+"”"))
		}
	}
}
