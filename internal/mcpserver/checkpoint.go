package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/tool"
)

// The tools of H, with its arguments and its answers, word for word (H2).

// Found is what read_agent_memory answers. Where nothing is found, it has found and message only.
type Found struct {
	Found       bool           `json:"found" jsonschema:"whether the caller left a matter unfinished within the window"`
	Message     string         `json:"message,omitempty" jsonschema:"why nothing was found"`
	Intent      *string        `json:"intent,omitempty" jsonschema:"what the caller was trying to do, such as job_creation"`
	Summary     string         `json:"summary,omitempty" jsonschema:"where the matter stands"`
	StagingData map[string]any `json:"stagingData,omitempty" jsonschema:"what was collected so far"`
	LastActive  string         `json:"lastActive,omitempty" jsonschema:"when it was saved (RFC 3339)"`
	Source      string         `json:"source,omitempty" jsonschema:"automatic where no agent saved it: it quotes the words of a conversation that broke off"`
}

// found is a Found on its way out: of a matter that is there, every field is told.
type found struct {
	Found       bool            `json:"found"`
	Intent      *string         `json:"intent"`
	Summary     string          `json:"summary"`
	StagingData json.RawMessage `json:"stagingData"`
	LastActive  string          `json:"lastActive"`
	Source      string          `json:"source,omitempty"`
}

// Saved is what update_agent_memory answers.
type Saved struct {
	Success  bool   `json:"success" jsonschema:"it is stored, durably"`
	Message  string `json:"message" jsonschema:"Conversation state saved successfully"`
	MemoryID string `json:"memoryId" jsonschema:"the id of the caller's one saved state"`
}

func (s *server) readRow() row {
	return row{
		scope: recaller.ScopeRead, lax: true, do: s.readMemory,
		tool: &mcp.Tool{
			Name: "read_agent_memory", Title: "Resume a conversation", Description: readText,
			InputSchema: json.RawMessage(readSchema), OutputSchema: schemaOf[Found](),
			Annotations: hints("Resume a conversation", true, false, true),
		},
	}
}

// readMemory finds what the caller left unfinished. It changes nothing: not even what is older than the window goes.
func (s *server) readMemory(ctx context.Context, x *exchange, args tool.Arguments) (any, error) {
	t, err := s.Tenants.Tenant(ctx, x.Tenant)
	if err != nil {
		return nil, err
	}
	none := Found{Message: tool.NothingFound(t)}
	who, ok, err := s.known(ctx, x, args)
	if err != nil {
		return nil, err
	}
	if !ok {
		return none, nil
	}
	c, err := s.Checkpoints.Checkpoint(ctx, x.Tenant, who.ID, recaller.TrustClaimed)
	switch {
	case errors.Is(err, recaller.NotFound):
		return none, nil
	case err != nil:
		return nil, err
	}
	out := found{Found: true, Summary: c.Summary, StagingData: c.StagingData, LastActive: stamp(c.LastActivity)}
	if c.Intent != "" {
		out.Intent = &c.Intent
	}
	if c.Source == recaller.CheckpointFound {
		out.Source = string(c.Source)
	}
	if len(out.StagingData) == 0 {
		out.StagingData = json.RawMessage("{}")
	}
	return out, nil
}

// stamp writes a time as H does.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func (s *server) updateRow() row {
	return row{
		scope: recaller.ScopeAgent, lax: true, do: s.updateMemory,
		tool: &mcp.Tool{
			Name: "update_agent_memory", Title: "Save the conversation's state", Description: saveText,
			InputSchema: json.RawMessage(saveSchema), OutputSchema: schemaOf[Saved](),
			Annotations: hints("Save the conversation's state", false, true, true),
		},
	}
}

// updateMemory saves where a matter stands, in place of what was saved before. Nobody need have called before.
func (s *server) updateMemory(ctx context.Context, x *exchange, args tool.Arguments) (any, error) {
	in, err := tool.CheckpointOf(args)
	if err != nil {
		return nil, err
	}
	who, err := s.whose(ctx, x, args, true)
	if err != nil {
		return nil, err
	}
	c, _, err := s.Checkpoints.PutCheckpoint(ctx, x.Tenant, who.ID, in)
	var e *recaller.Error
	if errors.As(err, &e) && e.Field == "staging_data" {
		return nil, recaller.InvalidField("stagingData", "%s", e.Msg)
	}
	if err != nil {
		return nil, err
	}
	return Saved{Success: true, Message: tool.Saved, MemoryID: string(c.ID)}, nil
}
