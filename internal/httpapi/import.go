package httpapi

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/conversation"
)

// importAnswer is an answer to an import: of one conversation, or of several.
type importAnswer = answer[any]

// carrying is what an import does with a conversation: keep it, or only check it.
type carrying func(context.Context, recaller.TenantID, conversation.Import) (conversation.Imported, error)

func (s *server) importRoute() {
	add(s, route{
		id: "import-conversations", method: http.MethodPost, path: "/v1/conversations/import", tag: tagConversations,
		status: http.StatusCreated, streamed: true, summary: "Import past conversations",
		about: "One past conversation, or several in `conversations`. When it answers, the words are durable and can " +
			"be recalled; the write-up runs in the background. One conversation: 201, 200 if its external id was " +
			"there already, or the problem. Several: 201 if any was new, else 200, with a result for each, in order, " +
			"some of which may be problems; fields are named from the conversation on (`turns[3].text`). One conversation " +
			"may have 8 MiB of JSON; where one of several has more, or the body is no JSON at its end, nothing is kept.",
		statuses: []int{http.StatusConflict},
	}, s.importConversations)
	s.bodyIs("/v1/conversations/import", reflect.TypeFor[client.ImportRequest](),
		reflect.TypeFor[client.ImportBatchRequest]())
	s.importAnswers()
}

// importAnswers describes both answers to an import.
func (s *server) importAnswers() {
	api := s.api.OpenAPI()
	schemas := api.Components.Schemas
	either := &huma.Schema{OneOf: []*huma.Schema{
		schemas.Schema(reflect.TypeFor[client.ImportResponse](), true, ""),
		schemas.Schema(reflect.TypeFor[client.ImportBatchResponse](), true, ""),
	}}
	content := map[string]*huma.MediaType{"application/json": {Schema: either}}
	res := api.Paths["/v1/conversations/import"].Post.Responses
	res["201"].Content = content
	res["200"] = &huma.Response{Description: "Nothing was new.", Content: content}
}

func (s *server) importConversations(ctx context.Context, x *exchange, in *struct {
	Idempotent
	Check bool `query:"check" doc:"true: nothing is kept; what is wrong with the request is told all the same." example:"false"`
},
) (*importAnswer, error) {
	body, err := s.bodyKept(x)
	if err != nil {
		return nil, err
	}
	defer body.discard()
	if err := x.Take(ctx, s.imports); err != nil {
		return nil, err
	}
	once, err := x.Once()
	if err != nil {
		return nil, err
	}
	carry := s.Conversations.Import
	if in.Check {
		carry = s.Conversations.CheckImport
	}
	head, err := s.scan(ctx, body)
	if err != nil {
		return nil, err
	}
	if head.Batch {
		return s.importBatch(ctx, x, once, body.Reader(), head, carry)
	}
	done, err := s.importOne(ctx, x, once, body, carry)
	if err != nil {
		return nil, err
	}
	status := http.StatusCreated
	if done.Existing || in.Check {
		status = http.StatusOK
	}
	return &importAnswer{Status: status, Body: done}, nil
}

// scan looks through a body, when there is room for the largest of its values.
func (s *server) scan(ctx context.Context, body *spool) (batchHead, error) {
	held := room(body.size)
	if err := s.importing.Acquire(ctx, held); err != nil {
		return batchHead{}, err
	}
	defer s.importing.Release(held)
	return scan(body.Reader())
}

// bodyKept reads the body of an import. It stays in memory only if it is small.
func (s *server) bodyKept(x *exchange) (_ *spool, err error) {
	if err := http.NewResponseController(x.w).SetReadDeadline(time.Now().Add(importLimit)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return nil, err
	}
	body := &spool{dir: s.opts.Spool}
	defer func() {
		if err != nil {
			body.discard()
		}
	}()
	n, err := io.Copy(body, io.LimitReader(x.r.Body, s.opts.MaxImport+1))
	var late net.Error
	switch {
	case errors.As(err, &late) && late.Timeout():
		return nil, fromHuma(&huma.ErrorModel{Status: http.StatusRequestTimeout})
	case n > s.opts.MaxImport:
		return nil, fromHuma(&huma.ErrorModel{Status: http.StatusRequestEntityTooLarge})
	}
	if err := errors.Join(x.Whole(), err); err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, fromHuma(&huma.ErrorModel{Status: http.StatusBadRequest})
	}
	return body, nil
}

func (s *server) importOne(
	ctx context.Context, x *exchange, once recaller.Once, body *spool, carry carrying,
) (client.ImportResponse, error) {
	if body.size > maxImported {
		return client.ImportResponse{}, tooLong()
	}
	held := room(body.size)
	if err := s.importing.Acquire(ctx, held); err != nil {
		return client.ImportResponse{}, err
	}
	defer s.importing.Release(held)
	raw, err := io.ReadAll(body.Reader())
	if err != nil {
		return client.ImportResponse{}, err
	}
	b, err := decode[client.ImportRequest](s, raw)
	if err != nil {
		return client.ImportResponse{}, err
	}
	return importIn(ctx, x, once, b, carry)
}

func importIn(
	ctx context.Context, x *exchange, once recaller.Once, b client.ImportRequest, carry carrying,
) (client.ImportResponse, error) {
	turns := turnInputs(b.Turns)
	if b.Turns == nil { // nil means that they were left out
		turns = nil
	}
	_, offset := b.StartedAt.Zone()
	done, err := carry(ctx, x.Tenant, conversation.Import{
		Start: conversation.Start{
			Once: once, Caller: conversation.CallerRef(b.Caller), ExternalID: b.ExternalID, Channel: b.Channel,
			Direction: b.Direction, PlatformIDs: b.PlatformIDs, Reminder: b.Reminder, Metadata: b.Metadata,
		},
		StartedAt: b.StartedAt.UTC(), Offset: time.Duration(offset) * time.Second, EndedAt: b.EndedAt.UTC(),
		Status: b.Status, Turns: turns, Duration: seconds(b.DurationSeconds), RecordingURL: b.RecordingURL,
		NoWrapup: b.Wrapup != nil && !*b.Wrapup,
	})
	if err != nil {
		return client.ImportResponse{}, err
	}
	return client.ImportResponse{
		Conversation: conversationOut(done.Conversation), Caller: callerOut(done.Caller), Existing: done.Existing,
	}, nil
}
