package client

import (
	"context"
	"net/http"
)

// PackInfo is a keyword pack that the tenant's settings may name.
type PackInfo struct {
	Name  string `json:"name" doc:"Its name." example:"golf"`
	Own   bool   `json:"own" doc:"The tenant brought it; where one of ours has the name, it takes its place." example:"false"`
	InUse bool   `json:"in_use" doc:"The tenant's settings name it." example:"true"`
}

// PackList is every keyword pack that the tenant may use.
type PackList struct {
	Packs []PackInfo `json:"packs" nullable:"false" doc:"Ours first, then the tenant's own."`
}

// Pack holds the tables by which conversations are labelled. In a phrase "a|b" means one word or the other, and "*" up
// to three words of any kind. Words match whole, by their stems.
type Pack struct {
	Name          string     `json:"name" doc:"Its name: small letters, digits and single hyphens." example:"clinic"`
	DefaultIntent string     `json:"default_intent,omitempty" doc:"The intent where no phrase fits; general-info if not said." example:"general-info"`
	Intents       []PackRule `json:"intents,omitempty" nullable:"false" doc:"What callers want, in order of priority."`
	Topics        []PackRule `json:"topics,omitempty" nullable:"false" doc:"What is talked about."`
	Outcomes      []PackRule `json:"outcomes,omitempty" nullable:"false" doc:"How it ends, in order of priority; phrases decide before the shape of the dialogue does. None: all of ours."`
	Positive      []string   `json:"positive,omitempty" nullable:"false" doc:"Words of a caller who is pleased."`
	Negative      []string   `json:"negative,omitempty" nullable:"false" doc:"Words of a caller who is not."`
}

// PackRule gives a label to conversations in which one of its phrases is said.
type PackRule struct {
	Label   string   `json:"label" doc:"The label: small letters, digits and single hyphens." example:"appointment"`
	By      string   `json:"by,omitempty" enum:"user,assistant" doc:"Whose words count; if not said, both speakers'." example:"user"`
	Phrases []string `json:"phrases,omitempty" nullable:"false" doc:"The phrases, of at most eight words each. May be left out for outcomes that are read from the dialogue: booking-made, transferred, callback-requested, cancelled, resolved, question-answered."`
}

// Packs lists the keyword packs that the tenant may use.
func (c *Client) Packs(ctx context.Context) ([]PackInfo, error) {
	var out PackList
	err := c.get(ctx, path("packs"), nil, &out)
	return out.Packs, err
}

// Pack reads a keyword pack: the tenant's own, else ours.
func (c *Client) Pack(ctx context.Context, name string) (Pack, error) {
	var out Pack
	return out, c.get(ctx, path("packs", name), nil, &out)
}

// PutPack makes or replaces a keyword pack of the tenant's own. UpdateTenant puts it to use. It needs an admin key.
func (c *Client) PutPack(ctx context.Context, p Pack) (Pack, error) {
	var out Pack
	return out, c.do(ctx, request{method: http.MethodPut, path: path("packs", p.Name), body: p, out: &out})
}

// DeletePack deletes a keyword pack of the tenant's own. It needs an admin key.
func (c *Client) DeletePack(ctx context.Context, name string) error {
	return c.do(ctx, request{method: http.MethodDelete, path: path("packs", name)})
}
