package client

import (
	"context"
	"encoding/json"
	"time"

	"github.com/recallerhq/recaller"
)

// ToolContext says in which call a tool is used. The names are those that the voice platforms use.
type ToolContext struct {
	CallSessionID string `json:"callSessionId" doc:"The conversation, by its id or external id." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3b"`
	LineID        string `json:"lineId" doc:"The caller of that conversation: the id, the number or an external id." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3c"`
	AccountID     string `json:"accountId" doc:"The tenant, which is the one that the key belongs to." example:"default"`
}

// StoreMemoryCall is store_memory: keep something about the caller.
type StoreMemoryCall struct {
	ToolContext
	MemoryType      recaller.MemoryType `json:"memoryType" enum:"fact,preference,context,follow_up,wellbeing,history" doc:"What it is about." example:"follow_up"`
	Key             string              `json:"key" doc:"Its name, snake_case by convention; at most 100 bytes." example:"doctor_appointment"`
	Value           string              `json:"value" doc:"What is to be remembered; at most 2000 bytes." example:"Doctor's appointment on Tuesday"`
	Confidence      *float64            `json:"confidence,omitempty" minimum:"0" maximum:"1" doc:"1 if not said; lower for what was inferred." example:"1"`
	SuggestReminder bool                `json:"suggestReminder,omitempty" doc:"For a follow_up: the answer brings the question whether to set a reminder." example:"true"`
}

// UpdateMemoryCall is update_memory: what is known has changed, or was wrong.
type UpdateMemoryCall struct {
	ToolContext
	ExistingKey string              `json:"existingKey" doc:"The memory's key, case ignored, its id, or words that it fits clearly. Where no memory has the key, one is created." example:"grandchildren"`
	NewValue    string              `json:"newValue" doc:"What is known now; at most 2000 bytes." example:"Four grandchildren"`
	MemoryType  recaller.MemoryType `json:"memoryType,omitempty" enum:"fact,preference,context,follow_up,wellbeing,history" doc:"The type of a memory that has to be created; fact if not said." example:"fact"`
	Confidence  *float64            `json:"confidence,omitempty" minimum:"0" maximum:"1" doc:"1 if not said." example:"1"`
}

// ForgetMemoryCall is forget_memory: the caller wants something forgotten.
type ForgetMemoryCall struct {
	ToolContext
	Key string `json:"key" doc:"The memory's key, case ignored, its id, or words that it fits clearly (\"what I told you about the money\")." example:"neighbour_quarrel"`
}

// MarkPrivateCall is mark_private: the caller wants something kept between the two.
type MarkPrivateCall struct {
	ToolContext
	Key string `json:"key" doc:"The memory's key, case ignored, its id, or words that it fits clearly." example:"health"`
}

// SomeoneElseCall is someone_else: the agent speaks with another person than it was told.
type SomeoneElseCall struct {
	ToolContext
	Name     string `json:"name,omitempty" doc:"What the one who speaks now is called; one who is known under the number by it is found again." example:"Anna"`
	Recycled bool   `json:"recycled,omitempty" doc:"The number has a new owner: it leaves the one whose it was." example:"false"`
}

// VerifyCallerCall is verify_caller: the caller has told his PIN.
type VerifyCallerCall struct {
	ToolContext
	PIN string `json:"pin" doc:"What the caller said, in digits or in words; if what was said is masked, the mask itself." example:"four seven one one"`
}

// SetReminderCall is set_reminder: the tenant's webhook is told at that time.
type SetReminderCall struct {
	ToolContext
	DueAt string `json:"dueAt" doc:"When: an RFC 3339 time, one without a zone in the caller's own, or words such as \"tomorrow at nine\"." example:"2026-03-10T08:30:00"`
	Key   string `json:"key,omitempty" doc:"The key of the memory to remind of; case is ignored. It, a value or a reminderId is needed." example:"doctor_appointment"`
	Value string `json:"value,omitempty" doc:"What to remind of, where no memory has it: it is stored as a follow_up with the reminder. With the key of a memory that has another value: the reminder's own words." example:"Doctor's appointment"`

	Repeat     string `json:"repeat,omitempty" doc:"How it repeats, in the caller's own zone: words, or an RRULE. dueAt may tell it too (\"every Monday at 9\")." example:"every Monday at 9"`
	ReminderID string `json:"reminderId,omitempty" doc:"A reminder that waits: it takes this time and this repetition, and the value if there is one." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a41"`
}

// CancelReminderCall is cancel_reminder: one that waits is to come no more.
type CancelReminderCall struct {
	ToolContext
	ReminderID string `json:"reminderId,omitempty" doc:"The reminder. It or a key is needed." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a41"`
	Key        string `json:"key,omitempty" doc:"Its memory's key, where that has one reminder; of several none is cancelled (409)." example:"doctor_appointment"`
}

// ListRemindersCall is list_reminders: what waits.
type ListRemindersCall struct {
	ToolContext
	Key string `json:"key,omitempty" doc:"Only those of the memory with this key." example:"doctor_appointment"`
}

// RecallCall is recall: what was said in earlier conversations.
type RecallCall struct {
	ToolContext
	Query string `json:"query" doc:"What to look for, in plain words." example:"the price of the boiler"`
}

// ReadCheckpointCall is read_checkpoint: what the caller left unfinished.
type ReadCheckpointCall struct {
	ToolContext
}

// SaveCheckpointCall is save_checkpoint: where the matter stands now.
type SaveCheckpointCall struct {
	ToolContext
	Summary     string          `json:"summary" doc:"Where the matter stands, in one sentence; may be empty if the intent is completed." example:"Leak under the sink at 742 Evergreen Terrace, no time yet"`
	Intent      string          `json:"intent,omitempty" doc:"What the caller is trying to do; completed clears what was saved." example:"job_creation"`
	StagingData json.RawMessage `json:"stagingData,omitempty" doc:"Everything collected so far: a JSON object, or a string that holds one."`
}

// ToolRecalled is something that was said, or is remembered, short enough to be spoken.
type ToolRecalled struct {
	Text    string           `json:"text" doc:"The words, at most 240 bytes of them." example:"The quote you gave me was 480 dollars."`
	Speaker recaller.Speaker `json:"speaker,omitempty" doc:"Who said it; left out for a memory and a summary." example:"user"`
	When    string           `json:"when" doc:"When, in words, in the caller's zone." example:"last Tuesday"`
	Unsure  bool             `json:"unsure,omitempty" doc:"It is the best there is, but may be about something else." example:"true"`
}

// ToolReminder is a reminder as a tool tells it.
type ToolReminder struct {
	ReminderID string    `json:"reminderId" doc:"Its id, by which it is moved or cancelled." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a41"`
	MemoryID   string    `json:"memoryId" doc:"The memory that it is of." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3e"`
	Text       string    `json:"text" doc:"What it reminds of." example:"Doctor's appointment"`
	DueAt      time.Time `json:"dueAt" doc:"When it comes next." example:"2026-03-10T07:30:00Z"`
	Repeats    string    `json:"repeats,omitempty" doc:"How it repeats, where it does." example:"every Monday"`
	Reaching   string    `json:"reaching,omitempty" doc:"How the caller is reached, in few words for the agent; left out where he is not." example:"rung twice in vain (busy), goes on today at 10:20 AM"`
	Errand     *Errand   `json:"errand,omitempty" doc:"What is done to reach the caller, where it came due already and waits for its hour, or goes on."`
}

// ToolCall is a call of any tool, as realtime and chat models make them.
type ToolCall struct {
	CallSessionID string          `json:"callSessionId" doc:"The conversation, by its id or external id." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3b"`
	LineID        string          `json:"lineId,omitempty" doc:"The caller: the id, the number or an external id; the conversation's if not said." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3c"`
	AccountID     string          `json:"accountId,omitempty" doc:"The tenant; the key's if not said." example:"default"`
	Name          recaller.Tool   `json:"name" enum:"store_memory,update_memory,forget_memory,mark_private,set_reminder,cancel_reminder,list_reminders,recall,read_checkpoint,save_checkpoint,someone_else,verify_caller" doc:"Which tool." example:"store_memory"`
	Arguments     json.RawMessage `json:"arguments" doc:"What the model gave: an object, or a string that holds one. Its fields are those of the tool's definition."`
	CallID        string          `json:"call_id,omitempty" doc:"The model's own id of the call; it comes back with the answer." example:"call_aBc123"`
}

// ToolAnswer is what a tool call did.
type ToolAnswer struct {
	Success         bool                  `json:"success" doc:"Always true: what fails has another status and an error." example:"true"`
	MemoryID        string                `json:"memoryId,omitempty" doc:"The memory that it was about." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3e"`
	Action          recaller.MemoryAction `json:"action,omitempty" doc:"What was done; update_memory: updated or created. store_memory does not say." example:"updated"`
	SuggestReminder bool                  `json:"suggestReminder,omitempty" doc:"For store_memory: ask the caller about a reminder." example:"true"`
	Message         string                `json:"message,omitempty" doc:"For store_memory with suggestReminder: the question to ask. For recall and read_checkpoint: why nothing was found, or when it was saved." example:"Would you like me to set a reminder about this?"`
	ReminderID      string                `json:"reminderId,omitempty" doc:"For set_reminder and cancel_reminder: the reminder." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a41"`
	DueAt           time.Time             `json:"dueAt,omitzero" doc:"For set_reminder and cancel_reminder: when it comes due, or would have." example:"2026-03-10T07:30:00Z"`
	Repeats         string                `json:"repeats,omitempty" doc:"For set_reminder: how it repeats." example:"every Monday"`
	Reaching        string                `json:"reaching,omitempty" doc:"For set_reminder: how the caller is reached then; left out where he is not." example:"the caller will be rung"`
	Reminders       []ToolReminder        `json:"reminders,omitempty" nullable:"false" doc:"For list_reminders: those that wait, soonest first; left out where none does."`
	Recalled        []ToolRecalled        `json:"recalled,omitempty" nullable:"false" doc:"For recall: what was found, best first, at most three; left out where nothing fits."`
	Found           *bool                 `json:"found,omitempty" doc:"For read_checkpoint: whether the caller left a matter unfinished." example:"true"`
	Intent          string                `json:"intent,omitempty" doc:"For read_checkpoint: what the caller was trying to do." example:"job_creation"`
	Summary         string                `json:"summary,omitempty" doc:"For read_checkpoint: where the matter stands." example:"Leak under the sink at 742 Evergreen Terrace, no time yet"`
	StagingData     json.RawMessage       `json:"stagingData,omitempty" doc:"For read_checkpoint: what was collected."`
	LastActive      time.Time             `json:"lastActive,omitzero" doc:"For read_checkpoint: when it was saved." example:"2026-03-02T09:33:00Z"`
	Verified        *bool                 `json:"verified,omitempty" doc:"For verify_caller: whether it is known now who speaks." example:"true"`
	CallID          string                `json:"call_id,omitempty" doc:"The id that the call came with." example:"call_aBc123"`
}

// ToolFailure is the answer to a tool call that did nothing.
type ToolFailure struct {
	Success    bool            `json:"success" doc:"Always false." example:"false"`
	Error      string          `json:"error" doc:"What was wrong and what was expected. Nothing in it repeats what was sent, but for the names of fields." example:"Missing required fields: key, value"`
	Candidates []ToolCandidate `json:"candidates,omitempty" nullable:"false" doc:"With a 409: the memories that may be meant, the likeliest first. Nothing was changed; call again with the key of one."`
	CallID     string          `json:"call_id,omitempty" doc:"The id that the call came with." example:"call_aBc123"`
}

// ToolCandidate is a memory that a call may have meant.
type ToolCandidate struct {
	Key      string `json:"key" doc:"Its key, by which it is named clearly; of what the caller only said, his words." example:"dog_name"`
	Value    string `json:"value" doc:"What it says." example:"Max"`
	MemoryID string `json:"memoryId" doc:"Its id, which serves as a key too; empty for what the caller only said." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3e"`
}

// StoreMemoryTool keeps something that was said in a call. It is durable when it returns.
func (c *Client) StoreMemoryTool(ctx context.Context, in StoreMemoryCall) (ToolAnswer, error) {
	return c.tool(ctx, recaller.ToolStoreMemory, in)
}

// UpdateMemoryTool replaces what is known, or stores it if nothing is.
func (c *Client) UpdateMemoryTool(ctx context.Context, in UpdateMemoryCall) (ToolAnswer, error) {
	return c.tool(ctx, recaller.ToolUpdateMemory, in)
}

// ForgetMemoryTool takes a memory out of every prompt and search; its history stays.
func (c *Client) ForgetMemoryTool(ctx context.Context, in ForgetMemoryCall) (ToolAnswer, error) {
	return c.tool(ctx, recaller.ToolForgetMemory, in)
}

// SomeoneElseTool has the conversation go on as somebody else's.
func (c *Client) SomeoneElseTool(ctx context.Context, in SomeoneElseCall) (ToolAnswer, error) {
	return c.tool(ctx, recaller.ToolSomeoneElse, in)
}

// VerifyCallerTool checks the PIN that the caller told. Whether it was right the answer says in Verified.
func (c *Client) VerifyCallerTool(ctx context.Context, in VerifyCallerCall) (ToolAnswer, error) {
	return c.tool(ctx, recaller.ToolVerifyCaller, in)
}

// MarkPrivateTool limits a memory to conversations with its caller.
func (c *Client) MarkPrivateTool(ctx context.Context, in MarkPrivateCall) (ToolAnswer, error) {
	return c.tool(ctx, recaller.ToolMarkPrivate, in)
}

// SetReminderTool sets a reminder of a memory, or moves one: the tenant's webhook is told at the given time.
func (c *Client) SetReminderTool(ctx context.Context, in SetReminderCall) (ToolAnswer, error) {
	return c.tool(ctx, recaller.ToolSetReminder, in)
}

// CancelReminderTool cancels a reminder.
func (c *Client) CancelReminderTool(ctx context.Context, in CancelReminderCall) (ToolAnswer, error) {
	return c.tool(ctx, recaller.ToolCancelReminder, in)
}

// ListRemindersTool lists the caller's pending reminders.
func (c *Client) ListRemindersTool(ctx context.Context, in ListRemindersCall) (ToolAnswer, error) {
	return c.tool(ctx, recaller.ToolListReminders, in)
}

// RecallTool searches what the caller said and was told in earlier conversations.
func (c *Client) RecallTool(ctx context.Context, in RecallCall) (ToolAnswer, error) {
	return c.tool(ctx, recaller.ToolRecall, in)
}

// ReadCheckpointTool reads what the caller left unfinished.
func (c *Client) ReadCheckpointTool(ctx context.Context, in ReadCheckpointCall) (ToolAnswer, error) {
	return c.tool(ctx, recaller.ToolReadCheckpoint, in)
}

// SaveCheckpointTool saves where the matter stands, or clears it.
func (c *Client) SaveCheckpointTool(ctx context.Context, in SaveCheckpointCall) (ToolAnswer, error) {
	return c.tool(ctx, recaller.ToolSaveCheckpoint, in)
}

// CallTool carries out a call in the form in which models make it. A refusal comes back as a *Problem without a field.
func (c *Client) CallTool(ctx context.Context, in ToolCall) (ToolAnswer, error) {
	return c.tool(ctx, "call", in)
}

func (c *Client) tool(ctx context.Context, name recaller.Tool, in any) (ToolAnswer, error) {
	var out ToolAnswer
	return out, c.post(ctx, "/tools/"+string(name), in, &out)
}

// ToolList holds the definitions of the tools in every form that models take, with the instructions that go with them.
type ToolList struct {
	OpenAI              []FunctionTool  `json:"openai" nullable:"false" doc:"For OpenAI's responses: strict, so that the model's arguments are always of their schema."`
	OpenAIRealtime      []FunctionTool  `json:"openai_realtime" nullable:"false" doc:"For session.update of a realtime model, which knows no strict."`
	OpenAIChat          []ChatTool      `json:"openai_chat" nullable:"false" doc:"For chat completions, OpenAI's and compatible ones."`
	Anthropic           []AnthropicTool `json:"anthropic" nullable:"false" doc:"For Anthropic's messages."`
	MCP                 []MCPTool       `json:"mcp" nullable:"false" doc:"As an MCP server lists them."`
	Instructions        string          `json:"instructions" doc:"When to use the tools, for the agent's system prompt; a briefing has it already where the tenant's memory_tools is on." example:"Call store_memory when the caller shares something about himself."`
	InstructionsVersion string          `json:"instructions_version" doc:"Which version of the instructions it is." example:"memory/1"`
}

// FunctionTool is a tool as OpenAI's responses and realtime APIs take it.
type FunctionTool struct {
	Type        string          `json:"type" enum:"function" doc:"Always function." example:"function"`
	Name        recaller.Tool   `json:"name" doc:"The tool." example:"store_memory"`
	Description string          `json:"description" doc:"What it does and when to call it." example:"Store something important about the caller."`
	Parameters  json.RawMessage `json:"parameters" doc:"The JSON schema of its arguments."`
	Strict      bool            `json:"strict,omitempty" doc:"The arguments hold to the schema: what need not be told is null." example:"true"`
}

// ChatTool is a tool as chat completions take it.
type ChatTool struct {
	Type     string       `json:"type" enum:"function" doc:"Always function." example:"function"`
	Function ChatFunction `json:"function" doc:"The tool."`
}

// ChatFunction is the function of a ChatTool.
type ChatFunction struct {
	Name        recaller.Tool   `json:"name" doc:"The tool." example:"store_memory"`
	Description string          `json:"description" doc:"What it does and when to call it." example:"Store something important about the caller."`
	Parameters  json.RawMessage `json:"parameters" doc:"The JSON schema of its arguments."`
}

// AnthropicTool is a tool as Anthropic's messages take it.
type AnthropicTool struct {
	Name        recaller.Tool   `json:"name" doc:"The tool." example:"store_memory"`
	Description string          `json:"description" doc:"What it does and when to call it." example:"Store something important about the caller."`
	InputSchema json.RawMessage `json:"input_schema" doc:"The JSON schema of its arguments."`
}

// MCPTool is a tool as an MCP server lists it.
type MCPTool struct {
	Name        recaller.Tool   `json:"name" doc:"The tool." example:"store_memory"`
	Description string          `json:"description" doc:"What it does and when to call it." example:"Store something important about the caller."`
	InputSchema json.RawMessage `json:"inputSchema" doc:"The JSON schema of its arguments."`
}

// Tools reads the definitions of the tools, so that an integrator copies nothing by hand.
func (c *Client) Tools(ctx context.Context) (ToolList, error) {
	var out ToolList
	return out, c.get(ctx, "/tools", nil, &out)
}
