package client

import "context"

// Prompt is one of the texts that models get, as it is in effect for the tenant.
type Prompt struct {
	Name    string `json:"name" doc:"Its name, under which the tenant's settings may replace it." example:"extraction"`
	Version string `json:"version" doc:"Which text it is, as the steps of a write-up tell it: ours with its number, or the tenant's own." example:"extraction/1"`
	About   string `json:"about" doc:"What it is for." example:"Finds memories in what was said."`
	Text    string `json:"text" doc:"The text in effect." example:"You are analysing a conversation."`
	Own     bool   `json:"own" doc:"The tenant has set it." example:"false"`
}

// PromptList is every prompt.
type PromptList struct {
	Prompts []Prompt `json:"prompts" nullable:"false" doc:"Every prompt."`
}

// Prompts reads the prompts that are in effect for the tenant. UpdateTenant replaces them.
func (c *Client) Prompts(ctx context.Context) ([]Prompt, error) {
	var out PromptList
	err := c.get(ctx, path("prompts"), nil, &out)
	return out.Prompts, err
}
