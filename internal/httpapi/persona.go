package httpapi

import (
	"cmp"
	"context"
	"net/http"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/tenant"
	"github.com/recallerhq/recaller/internal/thread"
)

func (s *server) personaRoutes() {
	const path = "/v1/persona"
	add(s, route{
		id: "get-persona", method: http.MethodGet, path: path, tag: tagTenants, summary: "Read the persona",
		about: "How the agent is, as it is told: the version that is active. `version` is 0 where there is none; the " +
			"agent is then told to be friendly.",
	}, func(ctx context.Context, x *exchange, _ *struct{}) (*plain[client.Persona], error) {
		p, err := s.Personas.Persona(ctx, x.Tenant)
		return body200(personaOut(p), err)
	})
	add(s, route{
		id: "put-persona", method: http.MethodPut, path: path, tag: tagTenants, summary: "Set the persona",
		about: "Makes a new version and activates it; the ones before are kept. The text that is active already makes " +
			"none, and keeps its label. `profile.personality` of the tenant's settings is the same text: to set it there makes a version " +
			"too, and to clear it there leaves no persona active.",
	}, func(ctx context.Context, x *exchange, in *struct{ Body client.PersonaInput }) (*plain[client.Persona], error) {
		p, err := s.Personas.SetPersona(ctx, x.Tenant, in.Body.Text, in.Body.Label)
		return body200(personaOut(p), err)
	})
	add(s, route{
		id: "list-personas", method: http.MethodGet, path: path + "/versions", tag: tagTenants,
		summary: "List the versions of the persona", about: "Newest first. All are kept.",
	}, func(ctx context.Context, x *exchange, in *Paging) (*plain[client.PersonaList], error) {
		ctx, damage := recaller.WithDamage(ctx)
		page, next, err := s.Personas.Personas(ctx, x.Tenant, in.page())
		return body200(client.PersonaList{Versions: list(page, personaOut), NextCursor: next, Damaged: damage.Count()}, err)
	})
	add(s, route{
		id: "activate-persona", method: http.MethodPost, path: path + "/activate", tag: tagTenants,
		summary: "Go back to a version of the persona", statuses: []int{http.StatusNotFound},
		about: "It becomes the active one under the number that it has; no version is made.",
	}, func(ctx context.Context, x *exchange, in *struct{ Body client.PersonaActivation }) (*plain[client.Persona], error) {
		p, err := s.Personas.ActivatePersona(ctx, x.Tenant, in.Body.Version)
		return body200(personaOut(p), err)
	})
	add(s, route{
		id: "preview-persona", method: http.MethodPost, path: path + "/preview", tag: tagTenants,
		summary: "Try a persona out", statuses: []int{http.StatusNotFound},
		about: "What the agent would be told with a text, or a version, in place of the active persona; with neither, with " +
			"that one. Of a caller, in a thread, or of somebody who was never there. Nothing is stored.",
	}, s.previewPersona)
}

func (s *server) previewPersona(
	ctx context.Context, x *exchange, in *struct{ Body client.PersonaPreview },
) (*plain[client.Briefing], error) {
	req := briefing.Request{Style: recaller.StyleSystemPrompt, MaxTokens: in.Body.MaxTokens, Query: in.Body.Query}
	if in.Body.Style != "" {
		req.Style = in.Body.Style
	}
	var choice recaller.PersonaChoice
	switch {
	case in.Body.Text != nil && in.Body.Version != nil:
		return nil, recaller.InvalidField("version", "goes without a text: give one of the two")
	case in.Body.Version != nil:
		choice.Version = *in.Body.Version
	case in.Body.Text != nil:
		var err error
		if choice.Text, err = tenant.PersonaText("text", *in.Body.Text); err != nil {
			return nil, err
		}
	}
	if in.Body.ThreadID != "" {
		return s.previewThread(ctx, x, in.Body, choice)
	}
	persona, _, err := s.Personas.Resolve(ctx, x.Tenant, choice)
	if err != nil {
		return nil, err
	}
	req.Persona = &persona
	if in.Body.CallerID != "" {
		b, err := s.Briefer.Briefing(ctx, x.Tenant, recaller.CallerID(in.Body.CallerID), req)
		return body200(briefingOut(b), err)
	}
	t, err := s.Tenants.Tenant(ctx, x.Tenant)
	if err != nil {
		return nil, err
	}
	b, err := s.Briefer.Stranger(t, req)
	return body200(briefingOut(b), err)
}

// noMessage stands for the message in the preview of a thread's prompt.
const noMessage = "…"

// previewThread returns the prompt of a thread's next message as it would be with a persona.
func (s *server) previewThread(
	ctx context.Context, x *exchange, in client.PersonaPreview, choice recaller.PersonaChoice,
) (*plain[client.Briefing], error) {
	switch {
	case in.CallerID != "":
		return nil, recaller.InvalidField("thread_id", "goes without a caller_id: the thread tells whose it is")
	case in.Style != "":
		return nil, recaller.InvalidField("style", "goes without a thread_id: a thread has a prompt of its own")
	}
	asking := thread.Asking{Message: thread.Message{Text: cmp.Or(in.Query, noMessage)}, MaxTokens: in.MaxTokens}
	if choice != (recaller.PersonaChoice{}) {
		persona, _, err := s.Personas.Resolve(ctx, x.Tenant, choice)
		if err != nil {
			return nil, err
		}
		asking.Persona = &persona
	}
	p, err := s.Threads.Prompt(ctx, x.Tenant, in.ThreadID, asking)
	return body200(briefingOut(p.Prompt), err)
}

func personaOut(p recaller.Persona) client.Persona {
	out := client.Persona{Version: p.Version, Text: p.Text, Label: p.Label, Active: p.Active}
	if !p.CreatedAt.IsZero() {
		at := instant(p.CreatedAt)
		out.CreatedAt = &at
	}
	return out
}
