package client

import (
	"context"
	"net/http"
	"time"

	"github.com/recallerhq/recaller"
)

// Persona is one version of how the agent is. A version never changes.
type Persona struct {
	Version   int        `json:"version" doc:"Its number, from 1; 0: no persona is active." example:"2"`
	Text      string     `json:"text" doc:"How the agent is, as it is told." example:"warm and brief"`
	Label     string     `json:"label,omitempty" doc:"What it was called when it was made." example:"after the move"`
	Active    bool       `json:"active" doc:"It is the one that the agent is told." example:"true"`
	CreatedAt *time.Time `json:"created_at,omitempty" doc:"When it was made; of the first one when the tenant was, if nothing else is known; left out while it is not known." example:"2026-01-05T08:00:00Z"`
}

// PersonaInput is a version to make.
type PersonaInput struct {
	Text  string `json:"text" doc:"How the agent is, at most 4000 bytes; white space around it is left out." example:"warm and brief"`
	Label string `json:"label,omitempty" doc:"What to call it, at most 200 bytes." example:"after the move"`
}

// PersonaList is a page of the versions.
type PersonaList struct {
	Versions   []Persona `json:"versions" nullable:"false" doc:"The versions, newest first."`
	NextCursor string    `json:"next_cursor,omitempty" doc:"Asks for the next page; left out on the last." example:"eyJ0IjowLCJpIjoiIiwidiI6Mn0"`
	Damaged    int       `json:"damaged,omitempty" doc:"How many stored rows of the list are damaged: they are left out. The log and recaller doctor name them; left out where there are none." example:"1"`
}

// PersonaActivation names the version that becomes the active one.
type PersonaActivation struct {
	Version int `json:"version" minimum:"1" doc:"Its number." example:"1"`
}

// PersonaPreview says which persona to try out, and on whom, or in which thread. The zero value is the active one, on
// somebody who was never there.
type PersonaPreview struct {
	Text      *string                `json:"text,omitempty" doc:"A text to try, at most 4000 bytes." example:"dry and exact"`
	Version   *int                   `json:"version,omitempty" minimum:"1" doc:"A version to try, in place of a text." example:"1"`
	CallerID  string                 `json:"caller_id,omitempty" doc:"The caller of whom the agent would be told; if not said, somebody who was never there." example:"0199b7c2"`
	ThreadID  string                 `json:"thread_id,omitempty" doc:"The thread, by its id or external id, whose prompt it would be, in place of caller_id; without a text and a version: with the persona that the thread has." example:"chat-99:12"`
	Query     string                 `json:"query,omitempty" doc:"What is talked about, at most 2,000 characters; of a thread, the message." example:"rebooking a flight"`
	MaxTokens int                    `json:"max_tokens,omitempty" minimum:"0" maximum:"100000" doc:"The token budget; 0 or not said: the server's default." example:"1500"`
	Style     recaller.BriefingStyle `json:"style,omitempty" enum:"briefing,system_prompt" doc:"system_prompt, if not said: a whole system prompt; briefing: notes to put in front of the agent's own." example:"system_prompt"`
}

// Persona reads the version of the persona that is active; its number is 0 if none is.
func (c *Client) Persona(ctx context.Context) (Persona, error) {
	var out Persona
	return out, c.get(ctx, path("persona"), nil, &out)
}

// SetPersona makes a version of the persona and activates it, unless its text is active already. It needs an admin key.
func (c *Client) SetPersona(ctx context.Context, in PersonaInput) (Persona, error) {
	var out Persona
	return out, c.do(ctx, request{method: http.MethodPut, path: path("persona"), body: in, out: &out})
}

// PersonaVersions lists the versions of the persona, newest first.
func (c *Client) PersonaVersions(ctx context.Context, p Page) (PersonaList, error) {
	var out PersonaList
	return out, c.get(ctx, path("persona", "versions"), p.query(), &out)
}

// ActivatePersona makes an earlier version the active one again. It needs an admin key.
func (c *Client) ActivatePersona(ctx context.Context, version int) (Persona, error) {
	var out Persona
	return out, c.post(ctx, path("persona", "activate"), PersonaActivation{version}, &out)
}

// PreviewPersona returns what the agent would be told with a persona. Nothing is stored.
func (c *Client) PreviewPersona(ctx context.Context, in PersonaPreview) (Briefing, error) {
	var out Briefing
	return out, c.post(ctx, path("persona", "preview"), in, &out)
}
