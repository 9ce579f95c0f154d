package cli

import (
	"cmp"
	"context"
	"fmt"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/cli/term"
)

// callersCmd is `recaller callers`.
type callersCmd struct {
	Merge   callersMergeCmd   `cmd:"" help:"Make two callers one: they are the same person"`
	Split   callersSplitCmd   `cmd:"" help:"Make one caller two: some conversations were another person's"`
	Moves   callersMovesCmd   `cmd:"" help:"List the merges and splits of a caller that can be undone"`
	Undo    callersUndoCmd    `cmd:"" help:"Undo a merge or a split"`
	Release callersReleaseCmd `cmd:"" help:"Take a number from a caller: it is somebody else's now"`
}

// Help says what it is.
func (*callersCmd) Help() string {
	return "A number is not a person: several people may use one, one may have several, and numbers get new owners. What " +
		"was merged or split can be undone for 30 days."
}

// callersMergeCmd is `recaller callers merge`.
type callersMergeCmd struct {
	Phone who  `arg:"" help:"Who has it all then"`
	From  who  `arg:"" help:"Who is the same person, and no caller of their own any more"`
	JSON  bool `name:"json" help:"Print it as JSON"`
}

// Examples are lines to try.
func (*callersMergeCmd) Examples() []string {
	return []string{"recaller callers merge +15550100199 +15550100142", "recaller callers merge ext:user-42 +15550100199"}
}

// Run merges two callers.
func (c *callersMergeCmd) Run(ctx context.Context, s *session) error {
	api, to, err := s.caller(ctx, c.Phone)
	if err != nil {
		return err
	}
	_, from, err := s.caller(ctx, c.From)
	if err != nil {
		return err
	}
	if from.ID == to.ID {
		s.notef("they are one caller already")
		return nil
	}
	out, err := api.MergeCallers(ctx, to.ID, client.CallerMerge{From: from.ID})
	if err != nil {
		return err
	}
	return s.moved(out, c.JSON, fmt.Sprintf("%s is %s now", term.Clean(identityOf(from)), term.Clean(identityOf(to))))
}

// moved prints what went.
func (s *session) moved(out client.MoveResponse, asJSON bool, what string) error {
	if asJSON {
		return s.json(out)
	}
	fmt.Fprintf(s.out, "%s %s: %s, %s and %s went along.\n", s.out.Good("●"), what, count(out.Move.Conversations, "conversation"),
		howMany(out.Move.Memories, "memory", "memories"), howMany(out.Move.Documents, "document or pin", "documents and pins"))
	if n := out.Move.Superseded; n > 0 {
		fmt.Fprintf(s.out, "%s gave way to what was told later.\n", howMany(n, "memory", "memories"))
	}
	fmt.Fprintf(s.out, "To undo it, until %s: recaller callers undo %s\n",
		out.Move.UndoUntil.Local().Format("2 Jan 2006"), out.Move.ID)
	return nil
}

func howMany(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// callersSplitCmd is `recaller callers split`.
type callersSplitCmd struct {
	Phone         who      `arg:"" help:"Whose the conversations are"`
	Conversations []string `arg:"" name:"conversation" help:"The ids, or external ids, of those that were another person's"`
	Name          string   `help:"What that person is called"`
	JSON          bool     `name:"json" help:"Print it as JSON"`
}

// Examples are lines to try.
func (*callersSplitCmd) Examples() []string {
	return []string{"recaller callers split +15550100199 0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3c --name 'Anna Jansen'"}
}

// Run splits a caller.
func (c *callersSplitCmd) Run(ctx context.Context, s *session) error {
	api, from, err := s.caller(ctx, c.Phone)
	if err != nil {
		return err
	}
	out, err := api.SplitCaller(ctx, from.ID, client.CallerSplit{Conversations: c.Conversations, Name: c.Name})
	if err != nil {
		return err
	}
	return s.moved(out, c.JSON, fmt.Sprintf("%s uses %s too, the caller %s",
		cmp.Or(term.Clean(out.Caller.Name), "Somebody else"), term.Clean(identityOf(from)), out.Caller.ID))
}

// callersMovesCmd is `recaller callers moves`.
type callersMovesCmd struct {
	Phone who  `arg:"" help:"Whose"`
	JSON  bool `name:"json" help:"Print them as JSON"`
}

// Examples are lines to try.
func (*callersMovesCmd) Examples() []string { return []string{"recaller callers moves +15550100199"} }

// Run lists what can be undone.
func (c *callersMovesCmd) Run(ctx context.Context, s *session) error {
	api, of, err := s.caller(ctx, c.Phone)
	if err != nil {
		return err
	}
	list, err := api.CallerMoves(ctx, of.ID)
	switch {
	case err != nil:
		return err
	case c.JSON:
		return s.json(list)
	case len(list.Moves) == 0:
		s.notef("there is nothing to undo")
		return nil
	}
	rows := make([][]string, len(list.Moves))
	for i, m := range list.Moves {
		rows[i] = []string{
			m.ID, string(m.Kind), m.At.Local().Format("2 Jan 15:04"), m.UndoUntil.Local().Format("2 Jan"),
			fmt.Sprint(m.Conversations), fmt.Sprint(m.Memories),
		}
	}
	s.out.Table([]term.Column{
		{Title: "ID"}, {Title: "KIND"}, {Title: "WHEN"}, {Title: "UNDO UNTIL"}, {Title: "CONVERSATIONS"}, {Title: "MEMORIES"},
	}, rows)
	return nil
}

// callersUndoCmd is `recaller callers undo`.
type callersUndoCmd struct {
	Move string `arg:"" help:"The id of the merge or split"`
	JSON bool   `name:"json" help:"Print it as JSON"`
}

// Examples are lines to try.
func (*callersUndoCmd) Examples() []string {
	return []string{"recaller callers undo 0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3c"}
}

// Run undoes a move.
func (c *callersUndoCmd) Run(ctx context.Context, s *session) error {
	api, err := s.api(ctx)
	if err != nil {
		return err
	}
	out, err := api.UndoMove(ctx, c.Move)
	if err != nil {
		return err
	}
	if c.JSON {
		return s.json(out)
	}
	what := "They are two callers again"
	if out.Move.Kind == recaller.MoveSplit {
		what = "They are one caller again"
	}
	fmt.Fprintf(s.out, "%s %s: %s went back to %s.\n", s.out.Good("●"), what, count(out.Move.Conversations, "conversation"),
		term.Clean(identityOf(out.Caller)))
	return nil
}

// callersReleaseCmd is `recaller callers release`.
type callersReleaseCmd struct {
	Phone who `arg:"" help:"The number"`
}

// Examples are lines to try.
func (*callersReleaseCmd) Examples() []string {
	return []string{"recaller callers release +15550100199"}
}

// Run takes the number from whom it is taken for.
func (c *callersReleaseCmd) Run(ctx context.Context, s *session) error {
	if c.Phone.phone() == "" {
		return usagef("give the number")
	}
	api, of, err := s.caller(ctx, c.Phone)
	if err != nil {
		return err
	}
	if _, err := api.ReleaseNumber(ctx, of.ID, client.CallerRelease{Phone: c.Phone.phone()}); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s %s has left the caller %s, who keeps what was known.\n",
		s.out.Good("●"), term.Clean(c.Phone.phone()), of.ID)
	return nil
}
