package client

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/recallerhq/recaller"
)

// Identity is one way to recognise a caller.
type Identity struct {
	Kind  recaller.IdentityKind `json:"kind" enum:"phone,external_id" doc:"What it is." example:"phone"`
	Value string                `json:"value" doc:"The number in E.164 form, or the id." example:"+4930901820"`
	// Shared is told of numbers.
	Shared bool `json:"shared,omitempty" doc:"The caller is one of several people who use the number; who rings from it is taken for another of them until told otherwise." example:"false"`
}

// Caller is a person that the agent talks to.
type Caller struct {
	ID                   string              `json:"id" doc:"The id; empty while the store is away." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3c"`
	Phone                string              `json:"phone" doc:"The first number in E.164 form; empty if there is none." example:"+4930901820"`
	ExternalID           string              `json:"external_id,omitempty" doc:"The first external id." example:"customer-4711"`
	Identities           []Identity          `json:"identities" nullable:"false" doc:"Every way to recognise the caller."`
	Name                 string              `json:"name" doc:"The name; empty if not known." example:"Marta Jansen"`
	NameSource           recaller.NameSource `json:"name_source,omitempty" enum:"given,said,set" doc:"How the name came: given at a start, said by the caller, set by an operator." example:"said"`
	TimeZone             string              `json:"time_zone,omitempty" doc:"The IANA time zone, if one was set; else it is taken from the number's region, or the tenant." example:"Europe/Berlin"`
	FirstSeen            time.Time           `json:"first_seen,omitzero" doc:"When the first conversation began." example:"2026-02-10T14:00:00Z"`
	LastSeen             time.Time           `json:"last_seen,omitzero" doc:"When the last sign of the caller came." example:"2026-03-02T09:34:10Z"`
	Conversations        int                 `json:"conversations" doc:"Ended conversations." example:"3"`
	TotalDurationSeconds float64             `json:"total_duration_seconds" doc:"The length of all voice conversations." example:"731"`
	TextMessages         int                 `json:"text_messages" doc:"Turns of the caller on text channels." example:"0"`
	MergedInto           string              `json:"merged_into,omitempty" doc:"The id of the caller who has all that was this one's: the two are one person. It is left out where there is none." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3c"`
	HasPIN               bool                `json:"has_pin,omitempty" doc:"A PIN was set, by which the caller can prove who it is. It is never shown." example:"true"`
	Unreadable           bool                `json:"unreadable,omitempty" doc:"The name or a number cannot be told: its row is damaged, or, in a list, the key of what is held about the caller is missing; then the caller is quarantined until the key is put back." example:"false"`
}

// CallerList is one page of callers.
type CallerList struct {
	Callers    []Caller `json:"callers" nullable:"false" doc:"Last seen first; empty if nobody is known by the number or id."`
	NextCursor string   `json:"next_cursor,omitempty" doc:"Asks for the next page; left out on the last." example:"MDE5OWI3"`
	Damaged    int      `json:"damaged,omitempty" doc:"How many stored rows of the list are damaged: they are left out, or marked unreadable. The log and recaller doctor name them; left out where there are none." example:"1"`
}

// CallersByPhone finds the caller with a number; the list is empty if there is none.
func (c *Client) CallersByPhone(ctx context.Context, phone string) ([]Caller, error) {
	return c.callersBy(ctx, "phone", phone)
}

// CallersByExternalID finds the caller with an external id; the list is empty if there is none.
func (c *Client) CallersByExternalID(ctx context.Context, id string) ([]Caller, error) {
	return c.callersBy(ctx, "external_id", id)
}

func (c *Client) callersBy(ctx context.Context, param, value string) ([]Caller, error) {
	var out CallerList
	err := c.get(ctx, path("callers"), url.Values{param: {value}}, &out)
	return out.Callers, err
}

// Callers lists all callers, last seen first.
func (c *Client) Callers(ctx context.Context, p Page) (CallerList, error) {
	var out CallerList
	return out, c.get(ctx, path("callers"), p.query(), &out)
}

// Caller reads a caller.
func (c *Client) Caller(ctx context.Context, id string) (Caller, error) {
	var out Caller
	return out, c.get(ctx, path("callers", id), nil, &out)
}

// CallerPatch is what an update of a caller changes; nil fields stay.
type CallerPatch struct {
	Name     *string `json:"name,omitempty" doc:"The name, at most 200 bytes; empty clears it." example:"Marta Jansen"`
	TimeZone *string `json:"time_zone,omitempty" doc:"The IANA time zone; empty clears it." example:"Europe/Berlin"`
}

// PINInput is the PIN by which a caller proves who it is.
type PINInput struct {
	PIN string `json:"pin" doc:"4 to 12 digits, not all the same, and not rising or falling one by one." example:"4711"`
}

// SetCallerPIN sets the PIN by which a caller proves who it is. It needs an admin key.
func (c *Client) SetCallerPIN(ctx context.Context, id, pin string) (Caller, error) {
	var out Caller
	return out, c.do(ctx, request{method: http.MethodPut, path: path("callers", id, "pin"), body: PINInput{pin}, out: &out})
}

// DeleteCallerPIN takes a caller's PIN away. It needs an admin key.
func (c *Client) DeleteCallerPIN(ctx context.Context, id string) error {
	return c.do(ctx, request{method: http.MethodDelete, path: path("callers", id, "pin")})
}

// UpdateCaller sets a caller's name or time zone.
func (c *Client) UpdateCaller(ctx context.Context, id string, p CallerPatch) (Caller, error) {
	var out Caller
	return out, c.do(ctx, request{method: http.MethodPatch, path: path("callers", id), body: p, out: &out})
}

// EraseCaller removes a caller for good and returns the signed receipt. It needs an admin key. Erasing again returns
// the same receipt.
func (c *Client) EraseCaller(ctx context.Context, id string) (recaller.Receipt, error) {
	var out recaller.Receipt
	return out, c.do(ctx, request{method: http.MethodDelete, path: path("callers", id), out: &out})
}

// CallerConversations lists the conversations with a caller, newest first.
func (c *Client) CallerConversations(ctx context.Context, id string, f ConversationFilter) (ConversationList, error) {
	q := f.Page.query()
	set(q, "status", string(f.Status))
	setTrue(q, "include_forgotten", f.IncludeForgotten)
	var out ConversationList
	return out, c.get(ctx, path("callers", id, "conversations"), q, &out)
}
