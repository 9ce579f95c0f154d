package cli

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/cli/term"
	"github.com/recallerhq/recaller/internal/config"
	"github.com/recallerhq/recaller/internal/eval"
)

// evalSearchCmd is `recaller eval search FILE`.
type evalSearchCmd struct {
	File   string `arg:"" help:"The conversations and questions, as JSON"`
	Misses bool   `help:"List the questions of which no right conversation is among the first 10; with --verbose their words"`
	JSON   bool   `name:"json" help:"Print the whole result as JSON, with every question's rank"`
}

// Help says what it is.
func (*evalSearchCmd) Help() string {
	return "Keeps a file's conversations in a data folder of its own, as those of one business, writes them up by " +
		"the rules, and searches them for each question: how often the right one comes first, among five, among ten, " +
		"and how often nothing is found where nothing should be. No server, no network; nothing is left behind. " +
		"docs/measurements/search.md shows how a file is written."
}

// Examples are lines to try.
func (*evalSearchCmd) Examples() []string {
	return []string{"recaller eval search business.json", "recaller eval search business.json --misses --verbose"}
}

// searched is the result of a measurement.
type searched struct {
	Conversations int                          `json:"conversations"`
	Scores        map[string]eval.SearchScores `json:"scores"` // by type; "" is all
	Questions     []eval.SearchOutcome         `json:"questions"`
}

// Run measures.
func (c *evalSearchCmd) Run(ctx context.Context, s *session) error {
	file, err := os.Open(filepath.Clean(c.File))
	if err != nil {
		return fmt.Errorf("read the questions: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	business, err := eval.ReadBusiness(file)
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(c.File), err)
	}
	api, err := c.keep(ctx, s, business)
	if err != nil {
		return err
	}
	out := searched{Conversations: len(business.Conversations)}
	for _, q := range business.Queries {
		began := s.now()
		found, err := api.SearchConversations(ctx, client.SearchRequest{Query: q.Text, Limit: 50})
		if err != nil {
			return fmt.Errorf("question %s: %w", q.ID, err)
		}
		took := s.now().Sub(began)
		ids := make([]string, len(found.Results))
		for i, r := range found.Results {
			ids[i] = r.ConversationExternalID
		}
		out.Questions = append(out.Questions, q.Outcome(ids, took))
	}
	out.Scores = eval.ScoreSearch(out.Questions)
	if c.JSON {
		return s.json(out)
	}
	c.show(s, out)
	return nil
}

// keep imports the conversations into a temporary folder, and waits for their write-ups.
func (c *evalSearchCmd) keep(ctx context.Context, s *session, b eval.Business) (*client.Client, error) {
	folder, err := os.MkdirTemp("", "recaller-eval-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the conversations: %w", err)
	}
	s.onClose(func() error { return os.RemoveAll(folder) })
	cfg, err := config.Load(config.Options{Overrides: map[string]string{"data": folder, "limits-rate": "0"}})
	if err != nil {
		return nil, err
	}
	transport, key, err := s.openData(ctx, cfg)
	if err != nil {
		return nil, err
	}
	api, err := newClient(inProcessURL, key, transport)
	if err != nil {
		return nil, err
	}
	bar := s.err.Progress("keeping", len(b.Conversations))
	defer bar.Done()
	ids := make([]string, len(b.Conversations))
	for i, t := range b.Conversations {
		in := client.ImportRequest{
			Caller: client.CallerRef{ExternalID: t.Caller}, ExternalID: t.ID, Channel: t.Channel, StartedAt: t.At,
			Turns: []client.TurnInput{},
		}
		for _, said := range t.Turns {
			in.Turns = append(in.Turns, client.TurnInput{Speaker: said.Speaker, Text: said.Text})
		}
		kept, err := api.ImportConversation(ctx, in)
		if err != nil {
			return nil, fmt.Errorf("conversation %s: %w", t.ID, err)
		}
		ids[i] = kept.Conversation.ID
	}
	for _, id := range ids {
		if _, done, err := waitWrapup(ctx, api, id, wrapupWait); err != nil || !done {
			return nil, fmt.Errorf("wait for the write-up: %w", firstOf(err, ctx.Err(), context.DeadlineExceeded))
		}
		bar.Step()
	}
	return api, nil
}

func (c *evalSearchCmd) show(s *session, r searched) {
	fmt.Fprintf(s.out, "%s, %s\n\n%-16s %5s %7s %7s %7s %7s  %s\n", count(r.Conversations, "conversation"),
		count(len(r.Questions), "question"),
		"", "n", "any@1", "any@5", "any@10", "mrr", "ms p50, p99")
	for _, kind := range slices.Sorted(maps.Keys(r.Scores)) {
		v, name := r.Scores[kind], term.Clean(kind)
		if kind == "" {
			name = "all"
		}
		if v.N > 0 {
			fmt.Fprintf(s.out, "%-16s %5d %7.3f %7.3f %7.3f %7.3f  %.1f, %.1f\n", name, v.N, v.Any1, v.Any5, v.Any10,
				v.MRR, v.MS.P50, v.MS.P99)
		}
		if v.None > 0 {
			fmt.Fprintf(s.out, "%-16s nothing to be found: %d, nothing was: %d\n", name, v.None, v.Silent)
		}
	}
	for _, o := range r.Questions {
		missed := o.None && !o.Empty || !o.None && (o.Rank == 0 || o.Rank > 10)
		if !c.Misses || !missed {
			continue
		}
		fmt.Fprintf(s.out, "%s: %d\n", term.Clean(o.ID), o.Rank)
		if s.globals.Verbose {
			fmt.Fprintf(s.out, "    %s\n", s.out.Dim(term.Clean(o.Text)))
		}
	}
}
