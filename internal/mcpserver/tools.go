package mcpserver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/httpdoor"
	"github.com/recallerhq/recaller/internal/identity"
	"github.com/recallerhq/recaller/internal/memory"
	"github.com/recallerhq/recaller/internal/tool"
)

// row is one tool of the door.
type row struct {
	tool *mcp.Tool
	// bound is the tool as a connection is told of it that is bound to a caller: nobody has to be named.
	bound *mcp.Tool
	scope recaller.Scope
	// lax: arguments that the tool does not have are passed over, as H's own schemas do.
	lax bool
	do  func(ctx context.Context, x *exchange, args tool.Arguments) (any, error)
}

// The arguments that say whom a call is about. Every tool takes them.
const (
	argPhone        = "phoneNumber"
	argConversation = "conversationId"
)

// addTools adds the tools, in the order in which a call needs them.
func (s *server) addTools(to *mcp.Server) error {
	definitions := map[recaller.Tool]tool.Definition{}
	for _, d := range tool.Definitions() {
		definitions[d.Name] = d
	}
	rows := []row{s.readRow(), s.updateRow(), s.briefingRow(), s.recallRow(), s.documentsRow()}
	for _, name := range []recaller.Tool{recaller.ToolStoreMemory, recaller.ToolUpdateMemory, recaller.ToolForgetMemory, recaller.ToolVerifyCaller} {
		r, err := s.memoryRow(definitions[name])
		if err != nil {
			return err
		}
		rows = append(rows, r)
	}
	for _, r := range append(rows, s.turnsRow()) {
		bound, err := boundTool(r.tool)
		if err != nil {
			return err
		}
		r.bound = bound
		s.rows[r.tool.Name] = r
		to.AddTool(r.tool, s.handle(r))
	}
	return nil
}

// boundTool returns a tool without the argument that says whose number it is.
func boundTool(t *mcp.Tool) (*mcp.Tool, error) {
	var schema map[string]any
	raw, ok := t.InputSchema.(json.RawMessage)
	if !ok || json.Unmarshal(raw, &schema) != nil {
		return nil, fmt.Errorf("the arguments of %s are no schema", t.Name)
	}
	properties, _ := schema["properties"].(map[string]any)
	delete(properties, argPhone)
	if required, ok := schema["required"].([]any); ok {
		schema["required"] = slices.DeleteFunc(required, func(name any) bool { return name == argPhone })
	}
	out := *t
	text, err := json.Marshal(schema)
	out.InputSchema = json.RawMessage(text)
	return &out, err
}

// handle carries out the calls of a tool.
func (s *server) handle(r row) mcp.ToolHandler {
	known := argumentsOf(r.tool)
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		x := exchangeOf(ctx)
		out, err := s.carryOut(ctx, x, r, known, req.Params.Arguments)
		if err != nil {
			x.failed(err)
			s.metrics.calls.WithLabelValues(r.tool.Name, string(recaller.KindOf(err))).Inc()
			return refusal(err), nil
		}
		s.metrics.calls.WithLabelValues(r.tool.Name, "ok").Inc()
		text, err := marshal(out)
		if err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{
			Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}, StructuredContent: json.RawMessage(text),
		}, nil
	}
}

func (s *server) carryOut(
	ctx context.Context, x *exchange, r row, known []string, raw json.RawMessage,
) (any, error) {
	if !x.Scope.Allows(r.scope) {
		return nil, recaller.Errorf(recaller.Forbidden, "%s needs a key of scope %s", r.tool.Name, r.scope)
	}
	args, err := tool.ReadArguments(raw)
	if err != nil {
		return nil, err
	}
	for _, field := range slices.Sorted(maps.Keys(args)) {
		if !r.lax && !slices.ContainsFunc(known, func(k string) bool { return tool.Fold(k) == field }) {
			return nil, recaller.Errorf(recaller.Invalid, "there is an argument that %s does not have; it takes %v",
				r.tool.Name, known)
		}
	}
	return r.do(ctx, x, args)
}

// argumentsOf returns the names of a tool's arguments.
func argumentsOf(t *mcp.Tool) []string {
	var schema struct {
		Properties map[string]any `json:"properties"`
	}
	raw, _ := t.InputSchema.(json.RawMessage)
	if json.Unmarshal(raw, &schema) != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(schema.Properties))
}

// refused is the answer to a call that was not carried out.
type refused struct {
	Error      string      `json:"error"`
	Candidates []candidate `json:"candidates,omitempty"`
}

// candidate is a memory that may have been meant.
type candidate struct {
	Key      string `json:"key"`
	Value    string `json:"value"`
	MemoryID string `json:"memoryId,omitempty"`
}

// refusal makes a tool's error, which the model reads, with the words that a problem has over HTTP.
func refusal(err error) *mcp.CallToolResult {
	out := refused{Error: httpdoor.ProblemOf(err).Detail}
	var several *memory.SeveralError
	if errors.As(err, &several) {
		for _, m := range several.Candidates {
			out.Candidates = append(out.Candidates, candidate{m.Key, m.Value, string(m.ID)})
		}
	}
	text, err := marshal(out)
	if err != nil {
		text = []byte(`{"error":"internal"}`)
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}, IsError: true}
}

// shown leaves of a list what the key may use, and tells a bound connection of the tools without the number.
func (s *server) shown(x *exchange, res mcp.Result) mcp.Result {
	switch l := res.(type) {
	case *mcp.ListToolsResult:
		kept := []*mcp.Tool{}
		for _, t := range l.Tools {
			r, ok := s.rows[t.Name]
			switch {
			case ok && !x.Scope.Allows(r.scope):
			case ok && x.bound != "":
				kept = append(kept, r.bound)
			default:
				kept = append(kept, t)
			}
		}
		l.Tools = kept
	case *mcp.ListResourcesResult:
		if x.bound == "" {
			l.Resources = slices.DeleteFunc(l.Resources, func(r *mcp.Resource) bool { return ofBound(r.URI) })
		}
	}
	return res
}

// whose returns the caller whom a call is about. With introduce, one whom nobody knows becomes known.
func (s *server) whose(ctx context.Context, x *exchange, args tool.Arguments, introduce bool) (recaller.Caller, error) {
	ref, err := args.Text(argPhone)
	switch {
	case err != nil:
		return recaller.Caller{}, err
	case x.bound != "" && ref != "":
		return s.same(ctx, x, ref, introduce)
	case x.bound != "":
		ref = x.bound
	case ref == "":
		return recaller.Caller{}, recaller.InvalidField(argPhone, "is required")
	}
	return s.caller(ctx, x, ref, introduce)
}

// identity returns the number, or the id of the application's own, by which a call names its caller, without asking the
// store whose it is. It is false where whose has to tell, or to say what is wrong.
func (s *server) identity(ctx context.Context, x *exchange, args tool.Arguments) (recaller.Identity, bool) {
	ref, err := args.Text(argPhone)
	if err != nil {
		return recaller.Identity{}, false
	}
	is, err := s.Callers.Identity(ctx, x.Tenant, cmp.Or(ref, x.bound))
	if err != nil || ref == "" || x.bound == "" {
		return is, err == nil
	}
	own, err := s.Callers.Identity(ctx, x.Tenant, x.bound)
	return is, err == nil && own == is
}

// known is whose, where somebody new is nobody's mistake; ok is false if nobody is known by that.
func (s *server) known(ctx context.Context, x *exchange, args tool.Arguments) (who recaller.Caller, ok bool, err error) {
	who, err = s.whose(ctx, x, args, false)
	if errors.Is(err, recaller.NotFound) || errors.Is(err, identity.ErrWithheld) {
		return recaller.Caller{}, false, nil
	}
	return who, err == nil, err
}

func (s *server) caller(ctx context.Context, x *exchange, ref string, introduce bool) (recaller.Caller, error) {
	find := s.Callers.Find
	if introduce {
		find = s.Callers.Introduce
	}
	c, err := find(ctx, x.Tenant, ref)
	if introduce && errors.Is(err, recaller.NotFound) { // it is neither a number nor an id of the application's own
		return c, recaller.InvalidField(argPhone, "expected a phone number such as +14155550199, or ext: and an id of your own")
	}
	return c, ofPhone(err)
}

// same returns the caller that the connection is bound to, if the call names no other.
func (s *server) same(ctx context.Context, x *exchange, ref string, introduce bool) (recaller.Caller, error) {
	own, err := s.caller(ctx, x, x.bound, introduce)
	if err != nil {
		return own, err
	}
	if named, err := s.caller(ctx, x, ref, false); err != nil || named.ID != own.ID {
		return recaller.Caller{}, recaller.InvalidField(argPhone,
			"is another's than the caller's that this connection is bound to: leave it out")
	}
	return own, nil
}

// ofPhone gives an error about a number or an id the name of the argument.
func ofPhone(err error) error {
	var e *recaller.Error
	if errors.As(err, &e) && e.Kind == recaller.Invalid {
		return &recaller.Error{Kind: recaller.Invalid, Field: argPhone, Msg: e.Msg, Err: err}
	}
	return err
}

// schemaOf returns the schema of what a tool answers.
func schemaOf[T any]() *jsonschema.Schema {
	schema, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err) // a type of ours: the first test finds it
	}
	schema.AdditionalProperties = nil // an answer may gain fields
	return schema
}

// marshal writes JSON with the words as they are.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, recaller.Wrap(recaller.Internal, err, "write an answer")
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// hints says how a tool may be used. None reaches out of the server's own data.
func hints(title string, readOnly, destructive, idempotent bool) *mcp.ToolAnnotations {
	closed := false
	return &mcp.ToolAnnotations{
		Title: title, ReadOnlyHint: readOnly, DestructiveHint: &destructive, IdempotentHint: idempotent,
		OpenWorldHint: &closed,
	}
}
