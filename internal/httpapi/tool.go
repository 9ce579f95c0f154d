package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/admission"
	"github.com/recallerhq/recaller/internal/prompt"
	"github.com/recallerhq/recaller/internal/repeat"
	"github.com/recallerhq/recaller/internal/tool"
)

func (s *server) toolRoutes() error {
	s.tool(recaller.ToolStoreMemory, reflect.TypeFor[client.StoreMemoryCall](), "Store a memory in a call",
		"Keeps something that the caller said; durable when it answers. An active memory with the same key gets a "+
			"new version, and the same thing told under another key is merged into what is there.")
	s.tool(recaller.ToolUpdateMemory, reflect.TypeFor[client.UpdateMemoryCall](), "Update a memory in a call",
		"Makes a new version of the memory with that key (`updated`); where there is none, one is created (`created`).")
	s.tool(recaller.ToolForgetMemory, reflect.TypeFor[client.ForgetMemoryCall](), "Forget a memory in a call",
		"It leaves every prompt and every search at once, and its reminders are cancelled.")
	s.tool(recaller.ToolMarkPrivate, reflect.TypeFor[client.MarkPrivateCall](), "Mark a memory private in a call",
		"From here on only conversations with this caller see it.")
	s.tool(recaller.ToolSetReminder, reflect.TypeFor[client.SetReminderCall](), "Set a reminder in a call",
		"The tenant's webhook is told of the memory at that time, once or as it repeats, beside its other reminders. "+
			"With `reminderId` that one is moved.")
	s.tool(recaller.ToolCancelReminder, reflect.TypeFor[client.CancelReminderCall](), "Cancel a reminder in a call",
		"It comes no more; the memory stays.")
	s.tool(recaller.ToolListReminders, reflect.TypeFor[client.ListRemindersCall](),
		"List the caller's reminders in a call", "Those that wait, soonest first.")
	s.tool(recaller.ToolRecall, reflect.TypeFor[client.RecallCall](), "Recall in a call",
		"Searches earlier conversations with the caller, and answers what can be spoken: three short results at most.")
	s.tool(recaller.ToolReadCheckpoint, reflect.TypeFor[client.ReadCheckpointCall](), "Read the checkpoint in a call",
		"What the caller left unfinished within the tenant's resume window.")
	s.tool(recaller.ToolSaveCheckpoint, reflect.TypeFor[client.SaveCheckpointCall](), "Save the checkpoint in a call",
		"Takes the place of the one before; the intent `completed` clears it. It is durable when it answers.")
	s.tool(recaller.ToolSomeoneElse, reflect.TypeFor[client.SomeoneElseCall](), "Say in a call that somebody else speaks",
		"From here on the conversation is another person's: one who is known under the number by the name, or somebody new. "+
			"What the agent was told of the one before is not told any more.")
	s.tool(recaller.ToolVerifyCaller, reflect.TypeFor[client.VerifyCallerCall](), "Check a caller's PIN in a call",
		"Where it is right, the conversation is `verified` from here on, and its briefing is made anew. Where it is not, "+
			"the answer says only that, and how many tries are left.")
	add(s, route{
		id: "call-tool", method: http.MethodPost, path: toolsPath + "call", tag: tagTools, rawBody: true,
		summary: "Call any tool",
		about: "For the function calls of realtime and chat models: the tool's name, and its arguments as the model " +
			"gave them. It answers as the tool itself does, with the `call_id` that it came with.",
	}, s.callTool)
	s.bodyOf(toolsPath+"call", reflect.TypeFor[client.ToolCall]())
	add(s, route{
		id: "list-tools", method: http.MethodGet, path: "/tools", tag: tagTools, summary: "Read the tools' definitions",
		about: "In the form of each kind of model, with the instructions that go into the system prompt beside them.",
	}, s.listTools)
	var err error
	s.required, err = requiredOf(tool.Definitions())
	return err
}

// tool serves one tool at a path of its own.
func (s *server) tool(name recaller.Tool, body reflect.Type, summary, about string) {
	path := toolsPath + string(name)
	add(s, route{
		id: toolOperation(name), method: http.MethodPost, path: path, tag: tagTools, rawBody: true, summary: summary,
		about: about,
	}, func(ctx context.Context, x *exchange, in *RawInput) (*plain[client.ToolAnswer], error) {
		return s.useTool(ctx, x, name, in.RawBody)
	})
	s.bodyOf(path, body)
}

// toolOperation names the operation of a tool that has a path of its own.
func toolOperation(name recaller.Tool) string { return "tool-" + dashed(string(name)) }

// useTool carries out a call of one tool. Its arguments stand beside the ids.
func (s *server) useTool(
	ctx context.Context, x *exchange, name recaller.Tool, raw []byte,
) (*plain[client.ToolAnswer], error) {
	once, err := x.Once()
	if err != nil {
		return nil, err
	}
	f, err := fieldsOf(raw)
	if err != nil {
		return nil, err
	}
	ids, own := f.missing(fieldSession, fieldLine, fieldAccount), f.missing(s.required[name]...)
	if len(ids) > 0 {
		return nil, missed(append(ids, own...))
	}
	call, err := f.call()
	if err != nil {
		return nil, err
	}
	call.Name, call.Arguments, call.Once = name, raw, once
	return s.do(ctx, x, call, own)
}

// callTool carries out a call in the form in which models make it. The answer and the failure both carry its call_id.
func (s *server) callTool(ctx context.Context, x *exchange, in *RawInput) (*plain[client.ToolAnswer], error) {
	f, err := fieldsOf(in.RawBody)
	if err != nil {
		return nil, err
	}
	id, err := f.text("call_id")
	if err != nil {
		return nil, err
	}
	out, err := s.dispatch(ctx, x, f)
	if err != nil {
		fault := toolErrorOf(err)
		fault.CallID = id
		return nil, fault
	}
	out.Body.CallID = id
	return out, nil
}

func (s *server) dispatch(ctx context.Context, x *exchange, f fields) (*plain[client.ToolAnswer], error) {
	once, err := x.Once()
	if err != nil {
		return nil, err
	}
	if lacking := f.missing(fieldSession, "name"); len(lacking) > 0 {
		return nil, missed(lacking)
	}
	call, err := f.call()
	if err != nil {
		return nil, err
	}
	name, err := f.text("name")
	if err != nil {
		return nil, err
	}
	call.Name, call.Arguments, call.Once = recaller.Tool(name), f["arguments"], once
	return s.do(ctx, x, call, argumentsOf(call.Arguments).missing(s.required[call.Name]...))
}

// do carries out a call. The tool judges and records it. If the tool refuses it and fields are lacking, the failure
// names all of those. But if the tool names a field that is not lacking, its own failure stands: an unknown argument
// may be meant for a missing one.
func (s *server) do(
	ctx context.Context, x *exchange, call tool.Call, lacking []string,
) (*plain[client.ToolAnswer], error) {
	call.Tenant = x.Tenant
	r, err := s.Tools.Do(ctx, call)
	if kind := admission.KindOf(err); len(lacking) > 0 && (kind == recaller.Invalid || kind == recaller.NotFound) {
		var of *recaller.Error
		if !errors.As(err, &of) || of.Field == "" || slices.Contains(lacking, of.Field) {
			err = missed(lacking)
		}
	}
	return body200(toolAnswerOut(call.Name, r), err)
}

// toolAnswerOut makes the answer. Of a memory's action it tells only what the tool's contract knows.
func toolAnswerOut(name recaller.Tool, r tool.Result) client.ToolAnswer {
	out := client.ToolAnswer{
		Success: true, MemoryID: string(r.MemoryID), Action: r.Action, SuggestReminder: r.SuggestReminder,
		Message: r.Message,
	}
	switch {
	case name == recaller.ToolStoreMemory:
		out.Action = ""
	case name == recaller.ToolUpdateMemory && r.Action != recaller.MemoryCreated:
		out.Action = recaller.MemoryUpdated
	}
	if r.Reminder != nil {
		out.Repeats, out.Reaching = repeat.Words(r.Reminder.Rule), r.Reaching
		out.ReminderID, out.DueAt = string(r.Reminder.ID), instant(r.Reminder.DueAt)
	}
	for _, h := range r.Recalled {
		out.Recalled = append(out.Recalled, client.ToolRecalled{Text: h.Text, Speaker: h.Speaker, When: h.When, Unsure: h.Weak})
	}
	if name == recaller.ToolVerifyCaller {
		verified := r.Verified
		out.Verified = &verified
	}
	if name == recaller.ToolReadCheckpoint {
		found := r.Checkpoint != nil
		out.Found = &found
	}
	if c := r.Checkpoint; c != nil {
		saved := checkpointOut(*c)
		out.Intent, out.Summary, out.StagingData = saved.Intent, saved.Summary, saved.StagingData
		out.LastActive = saved.LastActivityAt
	}
	for _, w := range r.Waiting {
		out.Reminders = append(out.Reminders, client.ToolReminder{
			ReminderID: string(w.ID), MemoryID: string(w.Memory), Text: w.Text, DueAt: instant(w.DueAt),
			Repeats: repeat.Words(w.Rule), Errand: errandOut(w.Reminder), Reaching: w.Reaching,
		})
	}
	return out
}

func (s *server) listTools(ctx context.Context, x *exchange, _ *struct{}) (*plain[client.ToolList], error) {
	t, err := s.Tenants.Tenant(ctx, x.Tenant)
	if err != nil {
		return nil, err
	}
	out := client.ToolList{}
	out.Instructions, out.InstructionsVersion = prompt.For(t, prompt.Memory)
	for _, d := range tool.Definitions() {
		strict, err := tool.Strict(d.Parameters)
		if err != nil {
			return nil, err
		}
		f := client.ChatFunction{Name: d.Name, Description: d.Description, Parameters: d.Parameters}
		out.OpenAI = append(out.OpenAI, client.FunctionTool{Type: "function", Name: f.Name, Description: f.Description, Parameters: strict, Strict: true})
		out.OpenAIRealtime = append(out.OpenAIRealtime,
			client.FunctionTool{Type: "function", Name: f.Name, Description: f.Description, Parameters: f.Parameters})
		out.OpenAIChat = append(out.OpenAIChat, client.ChatTool{Type: "function", Function: f})
		out.Anthropic = append(out.Anthropic,
			client.AnthropicTool{Name: f.Name, Description: f.Description, InputSchema: f.Parameters})
		out.MCP = append(out.MCP, client.MCPTool{Name: f.Name, Description: f.Description, InputSchema: f.Parameters})
	}
	return &plain[client.ToolList]{out}, nil
}

// requiredOf reads from the definitions which arguments each tool requires.
func requiredOf(definitions []tool.Definition) (map[recaller.Tool][]string, error) {
	out := map[recaller.Tool][]string{}
	for _, d := range definitions {
		var schema struct {
			Required []string `json:"required"`
		}
		if err := json.Unmarshal(d.Parameters, &schema); err != nil {
			return nil, fmt.Errorf("the definition of %s: %w", d.Name, err)
		}
		out[d.Name] = schema.Required
	}
	return out, nil
}
