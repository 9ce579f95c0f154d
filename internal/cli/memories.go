package cli

import (
	"context"
	"fmt"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/cli/term"
)

// memoriesCmd is `recaller memories PHONE`.
type memoriesCmd struct {
	Phone who      `arg:"" help:"Whose memories to list"`
	Type  []string `placeholder:"TYPE,…" enum:"fact,preference,context,follow_up,wellbeing,history" help:"Only these types: fact, preference, context, follow_up, wellbeing, history"`
	JSON  bool     `name:"json" help:"Print them as JSON"`
}

// Examples are lines to try.
func (*memoriesCmd) Examples() []string {
	return []string{
		"recaller memories +15550100199",
		"recaller memories +15550100199 --type follow_up --json",
	}
}

// Run lists the active memories.
func (c *memoriesCmd) Run(ctx context.Context, s *session) error {
	api, caller, err := s.caller(ctx, c.Phone)
	if err != nil {
		return err
	}
	list, err := allMemories(ctx, api, caller.ID, client.MemoryFilter{Types: typesOf(c.Type)})
	if err != nil {
		return err
	}
	if c.JSON {
		return s.json(map[string]any{"memories": list})
	}
	if len(list) == 0 {
		s.notef("nothing is remembered about this caller yet")
		return nil
	}
	rows := make([][]string, len(list))
	for i, m := range list {
		due := ""
		if !m.DueAt.IsZero() {
			due = m.DueAt.Local().Format("2 Jan 2006")
		}
		source := string(m.Source)
		if m.Interim {
			source = "interim"
		}
		rows[i] = []string{string(m.Type), m.Key, m.Value, due, fmt.Sprintf("%.0f%%", 100*m.Confidence), source}
	}
	s.out.Table([]term.Column{
		{Title: "TYPE"},
		{Title: "KEY", Most: 28},
		{Title: "VALUE", Most: max(20, s.out.Width-68)},
		{Title: "DUE"},
		{Title: "SURE", Right: true},
		{Title: "SOURCE"},
	}, rows)
	return nil
}

func typesOf(names []string) []recaller.MemoryType {
	var types []recaller.MemoryType
	for _, name := range names {
		types = append(types, recaller.MemoryType(name))
	}
	return types
}

// allMemories reads every page of what the filter selects.
func allMemories(
	ctx context.Context, api *client.Client, callerID string, filter client.MemoryFilter,
) ([]client.Memory, error) {
	list := []client.Memory{}
	filter.Page.Limit = 200
	for {
		page, err := api.Memories(ctx, callerID, filter)
		if err != nil {
			return nil, err
		}
		list = append(list, page.Memories...)
		if page.NextCursor == "" {
			return list, nil
		}
		filter.Page.Cursor = page.NextCursor
	}
}
