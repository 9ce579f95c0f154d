package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/recallerhq/recaller"
)

// ImportRequest is a past conversation, as it was. Importing makes no briefing.
type ImportRequest struct {
	Caller     CallerRef          `json:"caller" doc:"Who it was with."`
	ExternalID string             `json:"external_id,omitempty" doc:"The platform's own id, unique in the tenant. Importing it again changes nothing." example:"CA0123456789abcdef"`
	Channel    recaller.Channel   `json:"channel,omitempty" enum:"voice,sms,whatsapp,web-chat,telegram,api" doc:"Over what it ran; voice if not said." example:"voice"`
	Direction  recaller.Direction `json:"direction,omitempty" enum:"inbound,outbound" doc:"Who began; inbound if not said." example:"inbound"`
	StartedAt  time.Time          `json:"started_at" doc:"When it began. Its offset says by which clock days were meant where the caller's zone is not known." example:"2026-02-10T14:00:00+01:00"`
	EndedAt    time.Time          `json:"ended_at,omitzero" doc:"When it ended; at its last turn if not said." example:"2026-02-10T14:06:30Z"`
	Status     recaller.Status    `json:"status,omitempty" enum:"completed,failed" doc:"completed if not said." example:"completed"`
	// DurationSeconds is how long it took, as the platform counts; 0: what its times say.
	DurationSeconds float64           `json:"duration_seconds,omitempty" minimum:"0" maximum:"31536000" doc:"How long it took, as the platform counts; by its times if not said." example:"390"`
	RecordingURL    string            `json:"recording_url,omitempty" maxLength:"2000" doc:"Where the recording is: an http or https URL." example:"https://recordings.example.com/4711.wav"`
	Turns           []TurnInput       `json:"turns" nullable:"false" maxItems:"20000" doc:"What was said, in order. Times default to the start and never run backwards."`
	PlatformIDs     map[string]string `json:"platform_ids,omitempty" doc:"Ids that platforms gave it, by platform."`
	Reminder        bool              `json:"reminder,omitempty" doc:"It was a reminder call: no memories are taken from it." example:"false"`
	Metadata        json.RawMessage   `json:"metadata,omitempty" doc:"A JSON object of your own, at most 16 KiB."`
	Wrapup          *bool             `json:"wrapup,omitempty" doc:"false: do not write it up (no summary, no memories taken from it); it can be recalled all the same." example:"true"`
}

// MarshalJSON writes nil Turns as an empty list, which says that nothing was said.
func (in ImportRequest) MarshalJSON() ([]byte, error) {
	type request ImportRequest
	if in.Turns == nil {
		in.Turns = []TurnInput{}
	}
	return json.Marshal(request(in))
}

// ImportResponse is one imported conversation.
type ImportResponse struct {
	Conversation Conversation `json:"conversation" doc:"The conversation."`
	Caller       Caller       `json:"caller" doc:"Who it was with."`
	Existing     bool         `json:"existing" doc:"Its external id was there already: nothing was written." example:"false"`
}

// ImportConversation keeps a past conversation. When it returns, the words are durable and can be recalled.
func (c *Client) ImportConversation(ctx context.Context, in ImportRequest) (ImportResponse, error) {
	var out ImportResponse
	return out, c.post(ctx, path("conversations", "import"), in, &out)
}

// CheckImport says what ImportConversation would refuse of a conversation, and keeps nothing.
func (c *Client) CheckImport(ctx context.Context, in ImportRequest) error {
	return c.do(ctx, request{
		method: http.MethodPost, path: path("conversations", "import"), query: url.Values{"check": {"true"}}, body: in,
	})
}

// ImportBatchRequest is several past conversations.
type ImportBatchRequest struct {
	Conversations []ImportRequest `json:"conversations" nullable:"false" doc:"The conversations. Each is imported or refused by itself."`
	Wrapup        *bool           `json:"wrapup,omitempty" doc:"false: do not write up those that do not say otherwise." example:"true"`
}

// ImportBatchResponse says what became of each.
type ImportBatchResponse struct {
	Results  []ImportResult `json:"results" nullable:"false" doc:"One result a conversation, in the order they came."`
	Imported int            `json:"imported" doc:"How many were new." example:"48"`
	Existing int            `json:"existing" doc:"How many were there already." example:"0"`
	Failed   int            `json:"failed" doc:"How many were refused." example:"0"`
}

// ImportResult is what became of one conversation of a batch: it has ids, or an error.
type ImportResult struct {
	Index          int      `json:"index" doc:"Its place in the request, from 0." example:"0"`
	ConversationID string   `json:"conversation_id,omitempty" doc:"Its id." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3b"`
	ExternalID     string   `json:"external_id,omitempty" doc:"Its external id." example:"CA0123456789abcdef"`
	CallerID       string   `json:"caller_id,omitempty" doc:"The caller." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3c"`
	Existing       bool     `json:"existing,omitempty" doc:"It was there already." example:"false"`
	Error          *Problem `json:"error,omitempty" doc:"Why it was refused. Fields are named from the conversation on: turns[3].text."`
}

// ImportConversations keeps several past conversations. Some may be refused and others not: see the results.
func (c *Client) ImportConversations(ctx context.Context, list []ImportRequest) (ImportBatchResponse, error) {
	var out ImportBatchResponse
	return out, c.post(ctx, path("conversations", "import"), ImportBatchRequest{Conversations: list}, &out)
}
