package httpapi

import (
	"context"
	"maps"
	"net/http"

	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/prompt"
)

func (s *server) promptRoutes() {
	add(s, route{
		id: "list-prompts", method: http.MethodGet, path: "/v1/prompts", tag: tagTenants, summary: "Read the prompts",
		about: "The texts that models are given, as they are in effect for the tenant. `PATCH /v1/tenant` replaces " +
			"them (`prompts`).",
	}, s.listPrompts)
}

func (s *server) listPrompts(ctx context.Context, x *exchange, _ *struct{}) (*plain[client.PromptList], error) {
	t, err := s.Tenants.Tenant(ctx, x.Tenant)
	if err != nil {
		return nil, err
	}
	return &plain[client.PromptList]{client.PromptList{Prompts: list(prompt.All(), func(p prompt.Text) client.Prompt {
		text, label := prompt.For(t, p.Name)
		return client.Prompt{Name: p.Name, Version: label, About: p.About, Text: text, Own: t.Prompts[p.Name] != ""}
	})}}, nil
}

// prompts returns a tenant's own texts after a change. It leaves the old map as it is, because others may be reading
// it.
func prompts(own map[string]string, change map[string]*string) map[string]string {
	out := make(map[string]string, len(own)+len(change))
	maps.Copy(out, own)
	for name, text := range change {
		if text == nil || *text == "" {
			delete(out, name)
			continue
		}
		out[name] = *text
	}
	return out
}
