package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/admission"
	"github.com/recallerhq/recaller/internal/httpdoor"
)

const about = `The memory of agents that talk to people: who this is and what to know before speaking, what was said
and is known, and where the last conversation left off.

**Keys.** Send ` + "`Authorization: Bearer KEY` or `X-API-Key: KEY`" + `. A key belongs to one tenant and has a scope:
admin, agent or read, each of which includes the weaker ones. Each route says which it needs.

**Ids.** Wherever a conversation id is asked for, its external id serves too (escaped for a URL).

**Errors** are problem details (RFC 9457), but for those of the tools. 400: the body is not JSON. 422: a field is wrong; ` + "`field`" + ` names it, by its path
inside the body (` + "`caller.phone`, `turns[3].text`" + `) or the name of the parameter. Unknown fields and parameters are refused.

**Repeats.** A post with an ` + "`Idempotency-Key`" + ` is carried out once: a repeat gets the first one's result, and the same key with
another request is a 409. Where a route does not take the header, its description says what a repeat does.

**Lists** come in pages: pass ` + "`next_cursor` as `cursor`" + ` until there is none.

**Times** are RFC 3339, in UTC; durations are seconds.`

// config configures huma. Its own documentation, links and schema routes are off, because we serve our own.
func (s *server) config() huma.Config {
	jsonFormat := huma.Format{
		Marshal:   huma.DefaultJSONFormat.Marshal,
		Unmarshal: json.Unmarshal,
	}
	c := huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "Recaller", Version: s.opts.Version, Description: about,
				License: &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
			},
			Tags: tags(),
			Components: &huma.Components{
				Schemas: huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer),
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"bearer":  {Type: "http", Scheme: "bearer", Description: "Authorization: Bearer KEY"},
					"api_key": {Type: "apiKey", In: "header", Name: "X-API-Key", Description: "X-API-Key: KEY"},
				},
			},
		},
		Formats:                      map[string]huma.Format{"application/json": jsonFormat, "json": jsonFormat},
		DefaultFormat:                "application/json",
		RejectUnknownQueryParameters: true,
		Transformers:                 []huma.Transformer{transform},
	}
	c.Security = []map[string][]string{{"bearer": {}}, {"api_key": {}}}
	c.Servers = []*huma.Server{{URL: cmp.Or(s.opts.PublicURL, "/"), Description: "This server."}}
	return c
}

func tags() []*huma.Tag {
	return []*huma.Tag{
		{Name: "Conversations", Description: "The life of a conversation: start, turns, briefing, events, end, import."},
		{Name: "Callers", Description: "Who they are, what is held about them, recall, export and erasure."},
		{Name: "Memories", Description: "What is known of a caller, in versions; the state of an unfinished matter."},
		{Name: "Documents", Description: "Titled, tagged texts of a caller or of the business itself: written by you, or by the write-up of a voice conversation."},
		{Name: "Tools", Description: "What the agent's model calls while it talks, in the form that voice platforms were built against: camelCase bodies, and failures as `{\"success\": false, \"error\": \"…\"}` with 400, 404 or 500. Each is durable when it answers; fields that are not asked for are ignored."},
		{Name: "Reminders", Description: "Times at which the tenant's webhook is told of a memory, and the webhook."},
		{Name: "Tenants", Description: "Settings, tenants and keys."},
		{Name: "Operation", Description: "Health, metrics and this description."},
	}
}

// route is what a route says of itself.
type route struct {
	id, method, path string
	tag              string
	summary          string
	about            string
	status           int   // of success; 0: 200
	statuses         []int // of failures that are this route's own
	rawBody          bool  // the handler decodes and validates the body itself
	streamed         bool  // the handler reads it as well
}

// add serves a route. The handler's errors become problems.
func add[I, O any](s *server, r route, handle func(context.Context, *exchange, *I) (*O, error)) {
	huma.Register(s.api, s.operation(r), func(ctx context.Context, in *I) (*O, error) {
		x := exchangeOf(ctx)
		out, err := handle(ctx, x, in)
		if err != nil {
			x.Fail(err)
			return nil, faultOf(r.path, err)
		}
		return out, nil
	})
}

func (s *server) operation(r route) huma.Operation {
	needs := s.operations[r.id]
	if needs == nil { // describe reports it
		needs = &admission.Operation{}
	}
	op := huma.Operation{
		OperationID: r.id, Method: r.method, Path: r.path, Tags: []string{r.tag}, Summary: r.summary,
		Description: r.about, DefaultStatus: r.status, MaxBodyBytes: needs.MaxBody, SkipValidateBody: r.rawBody,
		Responses: map[string]*huma.Response{}, BodyReadTimeout: needs.Timeout(),
		SkipValidateParams: isTool(r.path), // unknown parameters of a tool call do no harm
	}
	if r.streamed {
		op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {}}}
	}
	op.Security = []map[string][]string{} // no key is needed
	if scope := needs.Scope; scope != "" {
		op.Security = s.api.OpenAPI().Security
		op.Description += fmt.Sprintf("\n\nNeeds a key of scope `%s`.", scope)
		if needs.Operator {
			op.Description = strings.TrimSuffix(op.Description, ".") + ", of the tenant `default`."
		}
		op.Extensions = map[string]any{"x-scope": string(scope)}
	}
	s.describeFailures(&op, r, needs.Scope)
	return op
}

// describeFailures says which failures a route may answer with, and in which form.
func (s *server) describeFailures(op *huma.Operation, r route, needs recaller.Scope) {
	statuses, means, form, mediaType := failures(r, needs), meaning, reflect.TypeFor[client.Problem](), httpdoor.ProblemType
	if isTool(r.path) {
		statuses, means, form, mediaType = toolStatuses(), toolMeaning, reflect.TypeFor[client.ToolFailure](), "application/json"
	}
	schema := s.api.OpenAPI().Components.Schemas.Schema(form, true, "")
	for _, status := range statuses {
		op.Responses[strconv.Itoa(status)] = &huma.Response{
			Description: means(status), Content: map[string]*huma.MediaType{mediaType: {Schema: schema}},
		}
	}
}

// failures are the statuses of a route's problems.
func failures(r route, needs recaller.Scope) []int {
	statuses := append([]int{http.StatusInternalServerError}, r.statuses...)
	if needs != "" {
		statuses = append(statuses, http.StatusUnauthorized, http.StatusForbidden, http.StatusUnprocessableEntity,
			http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusGatewayTimeout)
	}
	switch r.method {
	case http.MethodPost, http.MethodPut, http.MethodPatch:
		statuses = append(statuses, http.StatusBadRequest, http.StatusRequestEntityTooLarge,
			http.StatusUnsupportedMediaType)
	}
	if strings.Contains(r.path, "{id}") {
		statuses = append(statuses, http.StatusNotFound)
	}
	return statuses
}

// meaning says when a status is answered.
func meaning(status int) string {
	switch status {
	case http.StatusBadRequest:
		return "The body is missing or is not JSON."
	case http.StatusUnauthorized:
		return "No API key was sent, or it is not known."
	case http.StatusForbidden:
		return "The key's scope does not allow it."
	case http.StatusNotFound:
		return "There is no such thing in this tenant."
	case http.StatusConflict:
		return "The state of things does not allow it: the conversation has ended, or the Idempotency-Key was used " +
			"for another request."
	case http.StatusRequestEntityTooLarge:
		return "The body is larger than the route takes."
	case http.StatusUnsupportedMediaType:
		return "The body is not application/json."
	case http.StatusUnprocessableEntity:
		return "A field, parameter or header is wrong; `field` names it."
	case http.StatusTooManyRequests:
		return "A limit was reached; try again after Retry-After seconds."
	case http.StatusServiceUnavailable:
		return "A part that is needed is away, such as the store; try again after Retry-After seconds."
	case http.StatusGatewayTimeout:
		return "It took too long and was given up."
	}
	return "A fault of the server. The log knows more under the X-Request-Id."
}

// describe finishes the description, once all routes are there.
func (s *server) describe() error {
	s.refine()
	api := s.api.OpenAPI()
	schemas := api.Components.Schemas.Map()
	delete(schemas, "ErrorModel") // huma's own, which transform replaces
	delete(schemas, "ErrorDetail")
	for path, item := range api.Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if op == nil {
				continue
			}
			if _, ok := s.operations[op.OperationID]; !ok {
				return fmt.Errorf("%s %s: the operation %q is not in the table of operations", op.Method, path,
					op.OperationID)
			}
			withHeaders(op)
		}
	}
	return nil
}

// withHeaders describes the headers that every answer has.
func withHeaders(op *huma.Operation) {
	text := &huma.Schema{Type: huma.TypeString}
	wait := &huma.Param{Description: "Seconds after which to try again.", Schema: &huma.Schema{Type: huma.TypeInteger}}
	for status, res := range op.Responses {
		if res.Headers == nil {
			res.Headers = map[string]*huma.Param{}
		}
		res.Headers["X-Request-Id"] = &huma.Param{
			Description: "The request's id: the one sent, or a new one.", Schema: text,
		}
		switch status {
		case "429", "503":
			res.Headers["Retry-After"] = wait
		case "500":
			if isTool(op.Path) {
				res.Headers["Retry-After"] = wait
			}
		case "401":
			res.Headers["WWW-Authenticate"] = &huma.Param{Description: "How to authenticate.", Schema: text}
		}
	}
}
