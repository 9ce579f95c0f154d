package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/cli/term"
)

// recallCmd is `recaller recall PHONE QUERY…`.
type recallCmd struct {
	Phone   who      `arg:"" help:"Whose words to search"`
	Query   []string `arg:"" help:"What to look for: a question, names, a date"`
	Limit   int      `short:"n" default:"5" placeholder:"N" help:"Most results"`
	Kind    []string `placeholder:"KIND,…" enum:"turn,memory,summary,document" help:"Only these: turn, memory, summary, document"`
	AsOf    string   `placeholder:"TIME" help:"As it was known at 2026-05-30T14:00:00Z, or as 2026-05-30 began"`
	Explain bool     `help:"Say why each was found"`
	JSON    bool     `name:"json" help:"Print the results as JSON"`
}

// Help says what it is.
func (*recallCmd) Help() string {
	return "Searches the verbatim turns of both sides, the memories and the summaries of one caller, best first: by " +
		"words, by meaning (what is found may share no word with the query), and by time (\"yesterday\", \"last " +
		"spring\", in the caller's zone). Scores compare within one answer. Of a short history the best are " +
		"always shown, marked weak where they hardly fit. Nothing leaves this machine."
}

// Examples are lines to try.
func (*recallCmd) Examples() []string {
	return []string{
		"recaller recall +15550100199 when is the plumber coming",
		"recaller recall +15550100199 'what did we say about the roof' --explain",
		"recaller recall ext:user-42 daughter --kind memory,summary --json",
	}
}

// Run searches and prints.
func (c *recallCmd) Run(ctx context.Context, s *session) error {
	asOf, err := timeOf("--as-of", c.AsOf)
	if err != nil {
		return err
	}
	kinds := make([]recaller.HitKind, len(c.Kind))
	for i, kind := range c.Kind {
		kinds[i] = recaller.HitKind(kind)
	}
	api, caller, err := s.caller(ctx, c.Phone)
	if err != nil {
		return err
	}
	found, err := api.Recall(ctx, caller.ID, client.RecallRequest{
		Query: strings.Join(c.Query, " "), Limit: c.Limit, Kinds: kinds, AsOf: asOf, Explain: c.Explain,
		Trust: recaller.TrustVerified, // whoever has the key, and no caller, looks
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return s.json(found)
	}
	if len(found.Results) == 0 {
		s.notef("nothing found")
		return nil
	}
	for i, hit := range found.Results {
		writeHit(s.out, i+1, hit)
	}
	if found.Degraded != "" {
		s.notef("less may be found than there is: %s", found.Degraded)
	}
	s.verbosef("%d results in %.1f ms", len(found.Results), found.TookMS)
	return nil
}

// writeHit shows one result: who said it and when, the words, and where they stand.
func writeHit(out term.Out, place int, hit client.RecallResult) {
	fmt.Fprintf(out, "%s %s%s\n", out.Accent(fmt.Sprintf("%2d.", place)), out.Bold(sourceOf(hit)),
		out.Dim(scoreOf(hit)))
	text := term.Short(term.Clean(hit.Text), 4*out.Width)
	fmt.Fprintf(out, "    %s\n", strings.ReplaceAll(term.Wrap(text, out.Width-4, ""), "\n", "\n    "))
	if hit.Why != nil {
		for _, line := range whyOf(*hit.Why) {
			fmt.Fprintln(out, out.Dim(term.Wrap("    "+line, out.Width, "  ")))
		}
	}
}

// scoreOf returns a result's score, marked if it hardly fits.
func scoreOf(hit client.RecallResult) string {
	if hit.Weak {
		return fmt.Sprintf("  %.2f, weak: it hardly fits", hit.Score)
	}
	return fmt.Sprintf("  %.2f", hit.Score)
}

// sourceOf says where a result comes from: "22 May 2023, the caller, turn 4 of s79684d03c25d".
func sourceOf(hit client.RecallResult) string {
	parts := []string{}
	if !hit.At.IsZero() {
		parts = append(parts, hit.At.Format("2 Jan 2006"))
	}
	conversation := hit.ConversationExternalID
	if conversation == "" {
		conversation = hit.ConversationID
	}
	switch hit.Kind {
	case recaller.HitTurn:
		who := "the caller"
		if hit.Speaker == recaller.Assistant {
			who = "the agent"
		}
		parts = append(parts, who)
		if hit.Turn != nil && conversation != "" {
			parts = append(parts, fmt.Sprintf("turn %d of %s", *hit.Turn, term.Clean(conversation)))
		}
	default:
		parts = append(parts, string(hit.Kind))
		if hit.Title != "" {
			parts = append(parts, term.Clean(hit.Title))
		}
		if hit.Business {
			parts = append(parts, "of the business")
		}
		if conversation != "" {
			parts = append(parts, "of "+term.Clean(conversation))
		}
	}
	return strings.Join(parts, ", ")
}

// whyOf says what made a result's score: the parts, with the place that each alone would give it; the words of the
// query that it has; and how near it was said to the times that the query means.
func whyOf(why client.Why) []string {
	var parts, words []string
	for _, p := range why.Parts {
		part := fmt.Sprintf("%s %+.2f", strings.ReplaceAll(p.Name, "_", " "), p.Value)
		if p.Rank > 0 {
			part += fmt.Sprintf(" (#%d)", p.Rank)
		}
		parts = append(parts, part)
	}
	for _, t := range why.Terms {
		words = append(words, fmt.Sprintf("%s %.2f", term.Clean(t.Term), t.Weight))
	}
	if len(words) == 0 {
		words = []string{"none of the query's"}
	}
	lines := []string{"why: " + strings.Join(parts, ", "), "words: " + strings.Join(words, ", ")}
	for _, t := range why.Times {
		lines = append(lines, fmt.Sprintf("time: %s: %s, %s, %+.2f", term.Clean(t.Phrase), daysOf(t), besideOf(t.Days), t.Value))
	}
	return lines
}

// daysOf names the days of a time: "28 October 2026", "21 October 2026 to 27 October 2026". If the server left the end
// out, it lies beyond all calendars.
func daysOf(t client.TimeWhy) string {
	const day = "2 January 2006"
	first, last := t.From.Format(day), t.Until.AddDate(0, 0, -1).Format(day)
	switch {
	case t.From.IsZero() && t.Until.IsZero():
		return "past all calendars"
	case t.From.IsZero():
		return "until " + last
	case t.Until.IsZero():
		return "from " + first
	case first == last:
		return first
	}
	return first + " to " + last
}

// besideOf says how far from its days a result was said: "2 days before".
func besideOf(days int) string {
	switch {
	case days < 0:
		return count(-days, "day") + " before"
	case days > 0:
		return count(days, "day") + " after"
	}
	return "said then"
}

// timeOf reads a time from the command line; empty is zero.
func timeOf(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usagef("%s: %q is no time: expected such as 2026-05-30 or 2026-05-30T14:00:00Z", flag,
		term.Clean(text))
}
