package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/tool"
)

// Kept is what the tools of memories answer.
type Kept struct {
	Success  bool   `json:"success" jsonschema:"it is done, durably"`
	MemoryID string `json:"memoryId,omitempty" jsonschema:"the memory"`
	Action   string `json:"action,omitempty" jsonschema:"of update_memory: updated, or created where no memory had the key"`
	Verified *bool  `json:"verified,omitempty" jsonschema:"of verify_caller: whether it is known now who speaks"`
	Message  string `json:"message,omitempty" jsonschema:"of verify_caller: how it stands, and how many tries are left"`
}

// memoryRow offers a tool of package tool. Its arguments are the tool's own, in camelCase, and whom the call is about.
// Over MCP a call may come from outside of any conversation.
func (s *server) memoryRow(d tool.Definition) (row, error) {
	schema, err := widened(d.Parameters)
	if err != nil {
		return row{}, err
	}
	title := strings.ToUpper(string(d.Name[:1])) + strings.ReplaceAll(string(d.Name[1:]), "_", " ")
	forgets := d.Name == recaller.ToolForgetMemory
	idempotent := !forgets && d.Name != recaller.ToolVerifyCaller // a try is a try
	return row{
		scope: recaller.ScopeAgent,
		tool: &mcp.Tool{
			Name: string(d.Name), Title: title, Description: d.Description, InputSchema: schema,
			OutputSchema: schemaOf[Kept](), Annotations: hints(title, false, forgets || d.Name == recaller.ToolUpdateMemory, idempotent),
		},
		do: func(ctx context.Context, x *exchange, args tool.Arguments) (any, error) {
			return s.useTool(ctx, x, d.Name, args)
		},
	}, nil
}

// useTool carries out a tool of package tool.
func (s *server) useTool(ctx context.Context, x *exchange, name recaller.Tool, args tool.Arguments) (any, error) {
	introduce := name != recaller.ToolForgetMemory && name != recaller.ToolVerifyCaller
	call, err := s.callOf(ctx, x, args.Of(argPhone, argConversation), introduce)
	if err != nil {
		return nil, err
	}
	if call.Once, err = x.Once(); err != nil {
		return nil, err
	}
	if call.Arguments, err = json.Marshal(args); err != nil {
		return nil, recaller.Wrap(recaller.Internal, err, "pass on the arguments")
	}
	call.Name = name
	res, err := s.Tools.Do(ctx, call)
	if err != nil {
		return nil, err
	}
	out := Kept{Success: true, MemoryID: string(res.MemoryID)}
	if name == recaller.ToolUpdateMemory {
		out.Action = string(res.Action)
	}
	if name == recaller.ToolVerifyCaller {
		out.Verified, out.Message = &res.Verified, res.Message
	}
	return out, nil
}

// callOf says in which conversation a tool is called, or whose memory it is about outside of any.
func (s *server) callOf(ctx context.Context, x *exchange, who tool.Arguments, introduce bool) (tool.Call, error) {
	call := tool.Call{Tenant: x.Tenant}
	conversation, err := who.Text(argConversation)
	if err != nil {
		return call, err
	}
	if conversation != "" {
		conv, err := s.conversation(ctx, x, conversation, who)
		call.Conversation = string(conv.ID)
		return call, err
	}
	c, err := s.whose(ctx, x, who, introduce)
	call.Outside, call.Caller = true, string(c.ID)
	return call, err
}

// conversation returns a conversation that a call names, if it is with whom the call and the connection say.
func (s *server) conversation(
	ctx context.Context, x *exchange, ref string, who tool.Arguments,
) (recaller.Conversation, error) {
	conv, err := s.Conversations.Find(ctx, x.Tenant, ref)
	if err != nil {
		return conv, err
	}
	if x.bound == "" && !who.Given(argPhone) {
		return conv, nil
	}
	if is, named := s.identity(ctx, x, who); named && s.Conversations.IsWith(x.Tenant, conv.ID, is) {
		return conv, nil
	}
	c, err := s.whose(ctx, x, who, false)
	if errors.Is(err, recaller.NotFound) || err == nil && c.ID != conv.Caller {
		err = recaller.Errorf(recaller.NotFound, "the conversation is not with this caller")
	}
	return conv, err
}

// widened returns a tool's schema in camelCase, with the arguments that say whom a call is about. A reminder cannot be
// set over MCP, so none is offered.
func widened(parameters json.RawMessage) (json.RawMessage, error) {
	var in struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if err := json.Unmarshal(parameters, &in); err != nil {
		return nil, recaller.Wrap(recaller.Internal, err, "read the definition of a tool")
	}
	out := map[string]any{}
	for name, p := range in.Properties {
		if name != "suggest_reminder" {
			out[camel(name)] = p
		}
	}
	out[argPhone], out[argConversation] = json.RawMessage(phoneProperty), json.RawMessage(conversationProperty)
	required := []string{argPhone}
	for _, name := range in.Required {
		required = append(required, camel(name))
	}
	schema, err := json.Marshal(map[string]any{"type": "object", "properties": out, "required": required})
	return schema, recaller.Wrap(recaller.Internal, err, "write the definition of a tool")
}

// camel turns memory_type into memoryType.
func camel(name string) string {
	head, rest, more := strings.Cut(name, "_")
	if !more || rest == "" {
		return name
	}
	rest = camel(rest)
	return head + strings.ToUpper(rest[:1]) + rest[1:]
}
