package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/admission"
	"github.com/recallerhq/recaller/internal/tool"
)

// desk is tools that do as they are told, and remember what they were asked.
type desk struct {
	Tools
	mu     sync.Mutex
	asked  []tool.Call
	result tool.Result
	err    error
	crash  bool
}

func (d *desk) Do(_ context.Context, call tool.Call) (tool.Result, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.crash {
		panic("a secret value")
	}
	call.Arguments = slices.Clone(call.Arguments) // they may be part of the request
	d.asked = append(d.asked, call)
	return d.result, d.err
}

func (d *desk) last(t *testing.T) tool.Call {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.asked) == 0 {
		t.Fatal("the tools were not asked")
	}
	return d.asked[len(d.asked)-1]
}

func atDesk(t testing.TB, d *desk) *house {
	return setup(t, func(deps *Deps, _ *Options) { d.Tools, deps.Tools = deps.Tools, d })
}

const inCall = `"callSessionId":"c-1","lineId":"l-1","accountId":"default"`

// toolBodies is a good body for each tool.
func toolBodies() map[recaller.Tool]string {
	return map[recaller.Tool]string{
		recaller.ToolStoreMemory:  `{` + inCall + `,"memoryType":"fact","key":"pets","value":"a dog called Max"}`,
		recaller.ToolUpdateMemory: `{` + inCall + `,"existingKey":"pets","newValue":"two dogs"}`,
		recaller.ToolForgetMemory: `{` + inCall + `,"key":"pets"}`,
		recaller.ToolMarkPrivate:  `{` + inCall + `,"key":"pets"}`,
		recaller.ToolSetReminder:  `{` + inCall + `,"key":"pets","dueAt":"2031-05-01T09:00:00Z"}`,

		recaller.ToolCancelReminder: `{` + inCall + `,"key":"pets"}`,
		recaller.ToolListReminders:  `{` + inCall + `,"key":"pets"}`,
		recaller.ToolRecall:         `{` + inCall + `,"query":"pets"}`,
		recaller.ToolReadCheckpoint: `{` + inCall + `}`,
		recaller.ToolSaveCheckpoint: `{` + inCall + `,"summary":"A leak"}`,
		recaller.ToolSomeoneElse:    `{` + inCall + `,"name":"Anna"}`,
		recaller.ToolVerifyCaller:   `{` + inCall + `,"pin":"four seven one one"}`,
	}
}

func TestToolsAnswerInTheFormOfTheirPlatforms(t *testing.T) {
	t.Parallel()
	due := time.Date(2031, 5, 1, 11, 0, 0, 0, time.FixedZone("", 7200))
	tests := []struct {
		name   string
		tool   recaller.Tool
		result tool.Result
		want   string
	}{
		{"stored", recaller.ToolStoreMemory, tool.Result{MemoryID: "m", Action: recaller.MemoryCreated}, `{"success":true,"memoryId":"m"}`},
		{"said again", recaller.ToolStoreMemory, tool.Result{MemoryID: "m", Action: recaller.MemoryConfirmed}, `{"success":true,"memoryId":"m"}`},
		{"known under another key", recaller.ToolStoreMemory, tool.Result{MemoryID: "m", Action: recaller.MemoryMerged}, `{"success":true,"memoryId":"m"}`},
		{"sent again", recaller.ToolStoreMemory, tool.Result{MemoryID: "m", Action: recaller.MemoryKept}, `{"success":true,"memoryId":"m"}`},
		{
			"stored, with a question", recaller.ToolStoreMemory,
			tool.Result{MemoryID: "m", Action: recaller.MemoryCreated, SuggestReminder: true, Message: "Would you like me to set a reminder about this?"},
			`{"success":true,"memoryId":"m","suggestReminder":true,"message":"Would you like me to set a reminder about this?"}`,
		},
		{"updated", recaller.ToolUpdateMemory, tool.Result{MemoryID: "m", Action: recaller.MemoryUpdated}, `{"success":true,"memoryId":"m","action":"updated"}`},
		{"updated to what it was", recaller.ToolUpdateMemory, tool.Result{MemoryID: "m", Action: recaller.MemoryConfirmed}, `{"success":true,"memoryId":"m","action":"updated"}`},
		{"not there, so created", recaller.ToolUpdateMemory, tool.Result{MemoryID: "m", Action: recaller.MemoryCreated}, `{"success":true,"memoryId":"m","action":"created"}`},
		{"forgotten", recaller.ToolForgetMemory, tool.Result{MemoryID: "m", Action: recaller.MemoryClosed}, `{"success":true,"memoryId":"m","action":"forgotten"}`},
		{"made private", recaller.ToolMarkPrivate, tool.Result{MemoryID: "m", Action: recaller.MemoryUpdated}, `{"success":true,"memoryId":"m","action":"updated"}`},
		{
			"reminder set", recaller.ToolSetReminder,
			tool.Result{MemoryID: "m", Action: recaller.MemoryUpdated, Reminder: &recaller.Reminder{ID: "r", DueAt: due}},
			`{"success":true,"memoryId":"m","action":"updated","reminderId":"r","dueAt":"2031-05-01T09:00:00Z"}`,
		},
		{
			"reminders listed", recaller.ToolListReminders,
			tool.Result{Waiting: []tool.Waiting{{Reminder: recaller.Reminder{ID: "r", Memory: "m", DueAt: due, Rule: "DTSTART:20310501T090000Z\nRRULE:FREQ=DAILY"}, Text: "eat"}}},
			`{"success":true,"reminders":[{"reminderId":"r","memoryId":"m","text":"eat","dueAt":"2031-05-01T09:00:00Z","repeats":"every day"}]}`,
		},
	}
	d := &desk{}
	h := atDesk(t, d)
	for _, test := range tests {
		d.result = test.result
		status, header, body := h.call(t, "POST", "/tools/"+string(test.tool), toolBodies()[test.tool])
		if status != 200 || header.Get("Content-Type") != "application/json" || strings.TrimSpace(body) != test.want {
			t.Errorf("%s: got %d %s %s, want %s", test.name, status, header.Get("Content-Type"), body, test.want)
		}
		call, err := json.Marshal(client.ToolCall{
			CallSessionID: "c-1", Name: test.tool, Arguments: []byte(toolBodies()[test.tool]), CallID: "call_7",
		})
		if err != nil {
			t.Fatal(err)
		}
		want := strings.TrimSuffix(test.want, "}") + `,"call_id":"call_7"}`
		if status, _, body := h.call(t, "POST", "/tools/call", string(call)); status != 200 || strings.TrimSpace(body) != want {
			t.Errorf("%s, as a call: got %d %s, want %s", test.name, status, body, want)
		}
	}
}

func TestAToolsFailureSaysWhoseFaultItIs(t *testing.T) {
	t.Parallel()
	fail := func(kind recaller.Kind) error {
		return &recaller.Error{Kind: kind, Msg: "msg", Err: errors.New("secret cause")}
	}
	tests := []struct {
		err    error
		status int
		retry  string
		says   string
	}{
		{fail(recaller.Invalid), 400, "", "msg"},
		{recaller.InvalidField("confidence", "must be from 0 to 1"), 400, "", "confidence: must be from 0 to 1"},
		{fail(recaller.Unauthenticated), 401, "", "msg"},
		{fail(recaller.Forbidden), 403, "", "msg"},
		{fail(recaller.NotFound), 404, "", "msg"},
		{fail(recaller.Conflict), 409, "", "msg"},
		{fail(recaller.Exhausted), 429, "1", "msg"},
		{fail(recaller.Unavailable), 500, "2", "msg"},
		{fail(recaller.Full), 500, "30", "msg"},
		{fail(recaller.Timeout), 500, "", "msg"},
		{context.DeadlineExceeded, 500, "", "timeout"},
		{errors.New("secret cause"), 500, "", "something went wrong here"},
	}
	d := &desk{}
	h := atDesk(t, d)
	for _, test := range tests {
		d.err = test.err
		for _, name := range append(recaller.Tools(), "call") {
			body := toolBodies()[name]
			if name == "call" {
				body = `{"callSessionId":"c","name":"forget_memory","arguments":{"key":"k"},"call_id":"call_7"}`
			}
			status, header, text := h.call(t, "POST", "/tools/"+string(name), body)
			f := failed(t, string(name), header, text)
			if status != test.status || header.Get("Retry-After") != test.retry || !strings.HasPrefix(f.Error, test.says) || strings.Contains(text, "secret") {
				t.Errorf("%s, %v: got %d, retry after %q, %s; want %d, %q, %q", name, test.err, status, header.Get("Retry-After"), text, test.status, test.retry, test.says)
			}
			if (f.CallID == "call_7") != (name == "call") {
				t.Errorf("%s: got the call id %q", name, f.CallID)
			}
		}
	}
	covered := map[recaller.Kind]bool{}
	for _, test := range tests {
		covered[admission.KindOf(test.err)] = true
	}
	for _, kind := range recaller.Kinds() {
		if !covered[kind] {
			t.Errorf("the kind %q is not in the table", kind)
		}
	}
}

func TestWhatAToolLacksIsNamed(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	tests := []struct {
		name, path, body string
		want             string
	}{
		{"nothing at all", "store_memory", `{}`, "Missing required fields: callSessionId, lineId, accountId, memoryType, key, value"},
		{"two of the tool's own", "store_memory", `{` + inCall + `,"memoryType":"fact"}`, "Missing required fields: key, value"},
		{"empty ones", "store_memory", `{` + inCall + `,"memoryType":"fact","key":"","value":null}`, "Missing required fields: key, value"},
		{"an id", "update_memory", `{"lineId":"l","accountId":"a","existingKey":"k","newValue":"v"}`, "Missing required fields: callSessionId"},
		{"an update's", "update_memory", `{` + inCall + `}`, "Missing required fields: existingKey, newValue"},
		{"an argument of another name", "forget_memory", `{` + inCall + `,"memory":"the dog"}`, "memory: is no argument of forget_memory, which takes key"},
		{"an argument of another name, called", "call", `{"callSessionId":"c","name":"forget_memory","arguments":{"memory":"the dog"}}`, "memory: is no argument of forget_memory, which takes key"},
		{"an id that is no string", "forget_memory", `{"callSessionId":7,"lineId":"l","accountId":"a","key":"k"}`, "callSessionId: must be a string"},
		{"an object for an id", "forget_memory", `{"callSessionId":"c","lineId":{"SECRET":1},"accountId":"a","key":"k"}`, "lineId: must be a string"},
		{"no JSON", "store_memory", `SECRET`, "the body is not valid JSON"},
		{"two bodies", "store_memory", `{}{}`, "the body is not valid JSON"},
		{"no body", "store_memory", ``, "a body is required"},
		{"a list", "store_memory", `[]`, "the body must be a JSON object"},
		{"null", "store_memory", `null`, "the body must be a JSON object"},
		{"a call of nothing", "call", `{}`, "Missing required fields: callSessionId, name"},
		{"a call of no tool", "call", `{"callSessionId":"c","name":"SECRET","arguments":{}}`, "name: must be one of [store_memory update_memory forget_memory mark_private set_reminder cancel_reminder list_reminders recall read_checkpoint save_checkpoint someone_else verify_caller]"},
		{"a call without arguments", "call", `{"callSessionId":"c","name":"forget_memory"}`, "Missing required fields: key"},
		{"a call with empty arguments", "call", `{"callSessionId":"c","name":"forget_memory","arguments":""}`, "Missing required fields: key"},
		{"a call with half of them", "call", `{"callSessionId":"c","name":"store_memory","arguments":"{\"key\":\"k\"}"}`, "Missing required fields: memoryType, value"},
		{"arguments that are no JSON", "call", `{"callSessionId":"c","name":"forget_memory","arguments":"{\"SECRET\""}`, "arguments: must be a JSON object"},
		{"arguments that are a list", "call", `{"callSessionId":"c","name":"forget_memory","arguments":["SECRET"]}`, "arguments: must be a JSON object"},
		{"arguments in a string in a string", "call", `{"callSessionId":"c","name":"forget_memory","arguments":"\"{}\""}`, "arguments: must be a JSON object"},
		{"a call id that is none", "call", `{"callSessionId":"c","name":"forget_memory","arguments":{"key":"k"},"call_id":7}`, "call_id: must be a string"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if p := h.refused(t, 400, "POST", "/tools/"+test.path, test.body); p.Detail != test.want {
				t.Errorf("got %q, want %q", p.Detail, test.want)
			}
		})
	}
}

func TestToolsGetWhatWasSaid(t *testing.T) {
	t.Parallel()
	d := &desk{result: tool.Result{MemoryID: "m"}}
	h := atDesk(t, d)
	asked := func(path, body string, headers ...string) tool.Call {
		t.Helper()
		if status, _, text := h.call(t, "POST", path, body, headers...); status != 200 {
			t.Fatalf("%s %s: got %d %s", path, body, status, text)
		}
		return d.last(t)
	}
	same := func(got tool.Call, arguments string) {
		t.Helper()
		want := tool.Call{Tenant: recaller.DefaultTenant, Conversation: "c-1", Caller: "l-1", Account: "default", Name: recaller.ToolForgetMemory}
		var is, should any
		if json.Unmarshal(got.Arguments, &is) != nil || json.Unmarshal([]byte(arguments), &should) != nil || !cmp.Equal(is, should) {
			t.Errorf("got the arguments %s, want %s", got.Arguments, arguments)
		}
		got.Arguments, got.Once = nil, recaller.Once{}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	const direct = `{` + inCall + `,"key":"k","somethingElse":{"a":[1]}}`
	same(asked("/tools/forget_memory", direct), direct)
	same(asked("/tools/forget_memory?whatever=1", direct, "Content-Type", "text/plain"), direct)
	same(asked("/tools/forget_memory", direct, "Content-Type", ""), direct)
	for _, arguments := range []string{`{"key":"k"}`, `"{\"key\":\"k\"}"`} {
		same(asked("/tools/call", `{`+inCall+`,"name":"forget_memory","arguments":`+arguments+`,"type":"function_call"}`), arguments)
	}
	same(asked("/tools/call", `{"call_session_id":"c-1","line_id":"l-1","account_id":"default","name":"forget_memory","arguments":{}}`), `{}`)
	got := asked("/tools/call", `{"callSessionId":"c-1","lineId":null,"name":"store_memory","arguments":{"memoryType":"fact","key":"k","value":"v"}}`)
	if got.Caller != "" || got.Account != "" {
		t.Errorf("got %+v, want no caller and no account: they were not said", got)
	}
	first := asked("/tools/forget_memory", direct, "Idempotency-Key", "once")
	again := asked("/tools/forget_memory", direct, "Idempotency-Key", "once")
	other := asked("/tools/forget_memory", strings.Replace(direct, `"k"`, `"j"`, 1), "Idempotency-Key", "once")
	if first.Once.Token == "" || first.Once != again.Once || first.Once.Token != other.Once.Token || first.Once.Request == other.Once.Request {
		t.Errorf("got %+v, %+v and %+v; want one token, and another digest for the other request", first.Once, again.Once, other.Once)
	}
}

func TestToolsAreRefusedInTheirOwnForm(t *testing.T) {
	t.Parallel()
	d := &desk{}
	h := setup(t, func(deps *Deps, o *Options) { d.Tools, deps.Tools, o.MaxBody = deps.Tools, d, 500 })
	big := `{` + inCall + `,"memoryType":"fact","key":"k","value":"` + strings.Repeat("x", 1000) + `"}`
	if p := h.refused(t, 413, "POST", "/tools/store_memory", big); !strings.Contains(p.Detail, "larger") {
		t.Errorf("got %+v", p)
	}
	h.refused(t, 401, "POST", "/tools/store_memory", `{}`, "Authorization", "")
	if _, header, _ := h.call(t, "POST", "/tools/call", `{}`, "Authorization", ""); header.Get("WWW-Authenticate") == "" {
		t.Error("a 401 does not say how to authenticate")
	}
	h.refused(t, 400, "POST", "/tools/forget_memory", toolBodies()[recaller.ToolForgetMemory], "Idempotency-Key", strings.Repeat("k", 256))
	d.crash = true
	if p := h.refused(t, 500, "POST", "/tools/forget_memory", toolBodies()[recaller.ToolForgetMemory]); strings.Contains(p.Detail, "secret") {
		t.Errorf("got %+v, want nothing of what went wrong", p)
	}
	if p := h.refused(t, 404, "GET", "/tools2", ""); p.Code != "not_found" {
		t.Errorf("got %+v", p)
	}
}

func TestToolsAreRefusedWhileTheKeysAreAway(t *testing.T) {
	t.Parallel()
	h := setup(t, func(d *Deps, _ *Options) { d.Gate = admission.New(away{}, d.Log, admission.Options{}) })
	for _, name := range append(recaller.Tools(), "call") {
		status, header, text := h.call(t, "POST", "/tools/"+string(name), `{}`)
		if f := failed(t, string(name), header, text); status != 500 || header.Get("Retry-After") == "" || f.Error != "the store is away" {
			t.Errorf("%s: got %d %s, want 500 and when to come again", name, status, text)
		}
	}
	h.refused(t, 503, "GET", "/tools", "")
}

// away is tenants whose store is away.
type away struct{}

func (away) Authenticate(context.Context, string) (recaller.APIKey, error) {
	return recaller.APIKey{}, recaller.Errorf(recaller.Unavailable, "the store is away")
}

func TestAToolCalledTooOftenHasToWait(t *testing.T) {
	t.Parallel()
	h := setup(t, func(deps *Deps, _ *Options) {
		deps.Tools, deps.Gate = &desk{Tools: deps.Tools}, limited(deps, admission.Options{Rate: 0.001, Burst: 1})
	})
	body := toolBodies()[recaller.ToolForgetMemory]
	if status, _, text := h.call(t, "POST", "/tools/forget_memory", body); status != 200 {
		t.Fatalf("got %d %s", status, text)
	}
	status, header, text := h.call(t, "POST", "/tools/forget_memory", body)
	if f := failed(t, "the second call", header, text); status != http.StatusTooManyRequests || header.Get("Retry-After") != "1" {
		t.Errorf("got %d %+v, want to be told to wait", status, f)
	}
}

func TestDefinitionsComeInEveryForm(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	got, err := h.withKey(t, recaller.ScopeRead).Tools(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(got.OpenAI) != len(recaller.Tools()) || got.Instructions == "" || !strings.HasPrefix(got.InstructionsVersion, "memory/") {
		t.Fatalf("got %d tools with the instructions %q %.40q", len(got.OpenAI), got.InstructionsVersion, got.Instructions)
	}
	for i, name := range recaller.Tools() {
		if strict := got.OpenAI[i]; strict.Name != name || !strict.Strict || !strings.Contains(string(strict.Parameters), `"additionalProperties":false`) {
			t.Errorf("%s: got %+v, want it strict", name, strict)
		}
		a, b, c, d := got.OpenAIRealtime[i], got.OpenAIChat[i], got.Anthropic[i], got.MCP[i]
		var schema struct {
			Type       string                     `json:"type"`
			Properties map[string]json.RawMessage `json:"properties"`
		}
		if err := json.Unmarshal(a.Parameters, &schema); err != nil || schema.Type != "object" || schema.Properties == nil {
			t.Errorf("%s: got the parameters %s, %v", name, a.Parameters, err)
		}
		names := []recaller.Tool{a.Name, b.Function.Name, c.Name, d.Name}
		abouts := []string{a.Description, b.Function.Description, c.Description, d.Description}
		schemas := []string{string(a.Parameters), string(b.Function.Parameters), string(c.InputSchema), string(d.InputSchema)}
		for j := range names {
			if names[j] != name || abouts[j] == "" || abouts[j] != abouts[0] || schemas[j] != schemas[0] {
				t.Errorf("%s: the form %d is another tool: %s %s", name, j, names[j], schemas[j])
			}
		}
		if a.Type != "function" || b.Type != "function" {
			t.Errorf("%s: got the types %q and %q", name, a.Type, b.Type)
		}
	}
	_, _, body := h.call(t, "GET", "/tools", "")
	for _, part := range []string{`"openai":[{"type":"function","name":"store_memory"`, `"strict":true`, `"openai_realtime":[{"type":"function","name":"store_memory"`, `"openai_chat":[{"type":"function","function":{"name":"store_memory"`, `"input_schema":{`, `"inputSchema":{`} {
		if !strings.Contains(body, part) {
			t.Errorf("the answer lacks %s", part)
		}
	}
}

// What the description says of a tool's body is what the definition says of its arguments, in the other spelling.
func TestBodiesHaveTheFieldsOfTheirDefinitions(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	d, _ := described(t, h)
	bodies := map[recaller.Tool]string{
		recaller.ToolStoreMemory: "StoreMemoryCall", recaller.ToolUpdateMemory: "UpdateMemoryCall", recaller.ToolForgetMemory: "ForgetMemoryCall",
		recaller.ToolMarkPrivate: "MarkPrivateCall", recaller.ToolSetReminder: "SetReminderCall",
		recaller.ToolCancelReminder: "CancelReminderCall", recaller.ToolListReminders: "ListRemindersCall",
		recaller.ToolRecall: "RecallCall", recaller.ToolReadCheckpoint: "ReadCheckpointCall", recaller.ToolSaveCheckpoint: "SaveCheckpointCall",
		recaller.ToolSomeoneElse: "SomeoneElseCall", recaller.ToolVerifyCaller: "VerifyCallerCall",
	}
	definitions := tool.Definitions()
	if len(definitions) != len(bodies) {
		t.Fatalf("got %d definitions, want %d", len(definitions), len(bodies))
	}
	for _, def := range definitions {
		var schema struct {
			Properties map[string]any `json:"properties"`
			Required   []string       `json:"required"`
		}
		if err := json.Unmarshal(def.Parameters, &schema); err != nil {
			t.Fatal(err)
		}
		want := map[string]bool{fieldSession: true, fieldLine: true, fieldAccount: true}
		for name := range schema.Properties {
			want[camel(name)] = false
		}
		for _, name := range schema.Required {
			want[camel(name)] = true
		}
		body := d.Components.Schemas[bodies[def.Name]]
		got := map[string]bool{}
		for name := range body.Properties {
			got[name] = false
		}
		for _, name := range body.Required {
			got[name] = true
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (true: required): %s", def.Name, diff)
		}
	}
}

func FuzzTool(f *testing.F) {
	fuzzed(f, "POST", func(_, _ string) string { return "/tools/store_memory" }, toolBodies()[recaller.ToolStoreMemory])
}

func FuzzToolCall(f *testing.F) {
	fuzzed(f, "POST", func(_, _ string) string { return "/tools/call" },
		fmt.Sprintf(`{%s,"name":"store_memory","arguments":%s,"call_id":"x"}`, inCall, toolBodies()[recaller.ToolStoreMemory]),
		`{"callSessionId":"c","name":"set_reminder","arguments":"{\"key\":\"k\",\"due_at\":\"tomorrow\"}"}`)
}
