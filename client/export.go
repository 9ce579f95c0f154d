package client

import (
	"context"
	"io"
	"net/http"
	"time"
)

// Export is everything that is held about a caller.
type Export struct {
	ExportedAt        time.Time              `json:"exported_at" doc:"When." example:"2026-03-02T10:00:00Z"`
	Caller            Caller                 `json:"caller" doc:"The caller."`
	Checkpoint        *Checkpoint            `json:"checkpoint,omitempty" doc:"The state of an unfinished matter, whatever its age."`
	CheckpointHistory []CheckpointState      `json:"checkpoint_history" nullable:"false" doc:"What the checkpoint was before, newest first."`
	Memories          []Memory               `json:"memories" nullable:"false" doc:"Every version of every memory."`
	Reminders         []Reminder             `json:"reminders" nullable:"false" doc:"Every reminder, whatever became of it."`
	Agreements        []Agreement            `json:"agreements" nullable:"false" doc:"What was agreed on about times, as it stands, soonest first."`
	Documents         []Document             `json:"documents" nullable:"false" doc:"Every document of the caller, archived ones too, newest first."`
	Threads           []Thread               `json:"threads" nullable:"false" doc:"Every thread, newest first; what was said in it is in its conversations."`
	Moves             []Move                 `json:"moves" nullable:"false" doc:"What went from the caller to another, or came from one, and can go back; latest first."`
	Conversations     []ExportedConversation `json:"conversations" nullable:"false" doc:"Every conversation, newest first, with its words."`
	Damaged           int                    `json:"damaged,omitempty" doc:"How many stored rows are damaged, and so are not here; the log and recaller doctor name them. Left out where there are none." example:"1"`
}

// ExportedConversation is a conversation with its words.
type ExportedConversation struct {
	Conversation
	Turns     []Turn       `json:"turns" nullable:"false" doc:"What was said, in order; empty where the retention keeps no words."`
	ToolCalls []ToolRecord `json:"tool_calls" nullable:"false" doc:"What the agent's tools did in it."`
}

// ExportCaller returns everything that is held about a caller.
func (c *Client) ExportCaller(ctx context.Context, id string) (Export, error) {
	var out Export
	return out, c.get(ctx, path("callers", id, "export"), nil, &out)
}

// ReadExport has read take what ExportCaller returns as it comes, in JSON, for callers of whom there is more than should
// be in memory. An export that breaks off is no valid JSON, and its end is an error.
func (c *Client) ReadExport(ctx context.Context, id string, read func(io.Reader) error) error {
	return c.do(ctx, request{method: http.MethodGet, path: path("callers", id, "export"), out: read})
}
