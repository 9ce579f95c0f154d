package httpapi

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/httpdoor"
)

// RawInput is a body that the handler decodes itself.
type RawInput struct {
	Idempotent
	RawBody []byte `contentType:"application/json"`
}

func (s *server) turnRoute() {
	add(s, route{
		id: "add-turns", method: http.MethodPost, path: "/v1/conversations/{id}/turns", tag: tagConversations,
		status: http.StatusAccepted, rawBody: true, summary: "Add turns", statuses: []int{http.StatusConflict},
		about: "One turn, or several in `turns`, in order. When it answers, they are durable as far as the tenant's " +
			"retention has it (`durable`) and can be recalled. While the store is away they are held in memory, in " +
			"order, and stored when it is back. A conversation that has ended takes no more turns (409).",
	}, s.addTurns)
	s.bodyIs("/v1/conversations/{id}/turns", reflect.TypeFor[client.TurnInput](),
		reflect.TypeFor[client.AddTurnsRequest]())
}

// bodyOf describes a body that the handler decodes itself.
func (s *server) bodyOf(path string, t reflect.Type) {
	api := s.api.OpenAPI()
	for _, op := range []*huma.Operation{api.Paths[path].Post, api.Paths[path].Put} {
		if op != nil {
			op.RequestBody.Content["application/json"].Schema = api.Components.Schemas.Schema(t, true, "")
		}
	}
}

// bodyIs describes a body that is either of two.
func (s *server) bodyIs(path string, one, many reflect.Type) {
	api := s.api.OpenAPI()
	schemas := api.Components.Schemas
	api.Paths[path].Post.RequestBody.Content["application/json"].Schema = &huma.Schema{
		OneOf: []*huma.Schema{schemas.Schema(one, true, ""), schemas.Schema(many, true, "")},
	}
}

// turnsBody is one turn, or several.
type turnsBody struct {
	client.TurnInput
	Turns []client.TurnInput `json:"turns"`
}

func (s *server) addTurns(ctx context.Context, x *exchange, in *struct {
	ConversationPath
	RawInput
},
) (*plain[client.AddTurnsResponse], error) {
	once, err := x.Once()
	if err != nil {
		return nil, err
	}
	turns, single, err := s.turnsIn(in.RawBody)
	if err != nil {
		return nil, err
	}
	added, durable, err := s.Conversations.AddTurns(ctx, x.Tenant, in.ID, once, turns)
	if err != nil {
		if single {
			err = ofSingle(err)
		}
		return nil, err
	}
	return &plain[client.AddTurnsResponse]{client.AddTurnsResponse{
		Turns: list(added, func(t recaller.Turn) client.TurnRef {
			return client.TurnRef{ID: string(t.ID), Number: t.Number, At: instant(t.At)}
		}),
		Durable: durable,
	}}, nil
}

// turnsIn decodes the turns of a request.
func (s *server) turnsIn(raw []byte) (turns []conversation.TurnInput, single bool, err error) {
	b, err := decode[turnsBody](s, raw)
	several := b.Turns != nil || firstKey(raw) == "turns"
	switch {
	case err != nil && statusOf(err) == http.StatusBadRequest:
		return nil, false, err
	case err != nil && several:
		return nil, false, s.fault(raw, reflect.TypeFor[client.AddTurnsRequest]())
	case err != nil:
		return nil, true, s.fault(raw, reflect.TypeFor[client.TurnInput]())
	case several && !isZero(b.TurnInput):
		return nil, false, recaller.InvalidField("turns", "stands alone: send one turn, or several in turns")
	case several:
		return turnInputs(b.Turns), false, nil
	}
	return turnInputs([]client.TurnInput{b.TurnInput}), true, nil
}

func isZero(t client.TurnInput) bool {
	return t == (client.TurnInput{})
}

func statusOf(err error) int {
	var p *httpdoor.Problem
	if errors.As(err, &p) {
		return p.Status
	}
	return 0
}

func turnInputs(in []client.TurnInput) []conversation.TurnInput {
	return list(in, func(t client.TurnInput) conversation.TurnInput {
		return conversation.TurnInput{
			Speaker: t.Speaker, Text: t.Text, At: t.At.UTC(), Name: t.Name, Confidence: t.Confidence,
			Interrupted: t.Interrupted,
		}
	})
}

// ofSingle names the fields of a single turn as its sender does: text, not turns[0].text.
func ofSingle(err error) error {
	var e *recaller.Error
	if errors.As(err, &e) {
		if field, ok := strings.CutPrefix(e.Field, "turns[0]."); ok {
			return renamed(err, field)
		}
	}
	return err
}
