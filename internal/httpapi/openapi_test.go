package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/admission"
	"github.com/recallerhq/recaller/internal/httpdoor"
)

// document is the description as a reader gets it.
type description struct {
	OpenAPI    string                                `json:"openapi"`
	Paths      map[string]map[string]json.RawMessage `json:"paths"`
	Components struct {
		Schemas map[string]schemaDoc `json:"schemas"`
	} `json:"components"`
}

type schemaDoc struct {
	Description string               `json:"description"`
	Properties  map[string]schemaDoc `json:"properties"`
	Required    []string             `json:"required"`
	Type        any                  `json:"type"`
	Enum        []string             `json:"enum"`
	Examples    []any                `json:"examples"`
	Ref         string               `json:"$ref"`
	Items       *schemaDoc           `json:"items"`
}

type operationDoc struct {
	OperationID string   `json:"operationId"`
	Summary     string   `json:"summary"`
	Description string   `json:"description"`
	Tags        []string `json:"tags"`
	Security    []any    `json:"security"`
	Parameters  []struct {
		Name        string    `json:"name"`
		Description string    `json:"description"`
		Schema      schemaDoc `json:"schema"`
	} `json:"parameters"`
	RequestBody *struct {
		Content map[string]any `json:"content"`
	} `json:"requestBody"`
	Responses map[string]struct {
		Description string         `json:"description"`
		Content     map[string]any `json:"content"`
	} `json:"responses"`
}

func described(t *testing.T, h *house) (description, map[string]operationDoc) {
	t.Helper()
	raw, err := h.admin.OpenAPI(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var d description
	if err := json.Unmarshal(raw, &d); err != nil {
		t.Fatal(err)
	}
	ops := map[string]operationDoc{}
	for path, item := range d.Paths {
		for method, rawOp := range item {
			var op operationDoc
			if err := json.Unmarshal(rawOp, &op); err != nil {
				t.Fatal(err)
			}
			ops[strings.ToUpper(method)+" "+path] = op
		}
	}
	return d, ops
}

func TestWhatIsServedIsDescribed(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	d, ops := described(t, h)
	if d.OpenAPI != "3.1.0" {
		t.Errorf("got OpenAPI %q, want 3.1.0", d.OpenAPI)
	}
	served := slices.Sorted(slices.Values(h.srv.mux.patterns))
	var documented []string
	for pattern := range ops {
		documented = append(documented, pattern)
	}
	slices.Sort(documented)
	if !slices.Equal(served, documented) {
		t.Errorf("served:    %v\ndescribed: %v", served, documented)
	}
	for pattern, op := range ops {
		describedWhole(t, h.srv.operations[op.OperationID], pattern, op)
	}
}

func describedWhole(t *testing.T, declared *admission.Operation, pattern string, op operationDoc) {
	t.Helper()
	if op.OperationID == "" || op.Summary == "" || op.Description == "" || len(op.Tags) != 1 {
		t.Errorf("%s lacks a summary, description or tag: %+v", pattern, op)
	}
	if open := declared.Scope == ""; open != (len(op.Security) == 0) {
		t.Errorf("%s: open is %v, but its security is %v", pattern, open, op.Security)
	}
	for _, p := range op.Parameters {
		if p.Description == "" && p.Schema.Description == "" {
			t.Errorf("%s: the parameter %s has no description", pattern, p.Name)
		}
	}
	if op.Tags[0] == tagTools && op.RequestBody != nil {
		describedTool(t, pattern, op)
		return
	}
	want := []string{"500"}
	if len(op.Security) > 0 {
		want = append(want, "401", "403", "422", "429", "503", "504")
	}
	if op.RequestBody != nil {
		want = append(want, "400", "413", "415")
		if op.RequestBody.Content["application/json"] == nil || len(op.RequestBody.Content) != 1 {
			t.Errorf("%s: the body is %v, want JSON alone", pattern, op.RequestBody.Content)
		}
	}
	for _, status := range want {
		if op.Responses[status].Content["application/problem+json"] == nil {
			t.Errorf("%s does not describe the problem %s", pattern, status)
		}
	}
	for status, res := range op.Responses {
		if res.Description == "" || status == "default" || (status < "300" && status != "204" && len(res.Content) == 0) {
			t.Errorf("%s: the answer %s lacks a description or content", pattern, status)
		}
	}
}

// describedTool holds the description of a tool against the form that its failures have.
func describedTool(t *testing.T, pattern string, op operationDoc) {
	t.Helper()
	for _, status := range []string{"400", "401", "403", "404", "409", "413", "429", "500"} {
		if res := op.Responses[status]; res.Description == "" || res.Content["application/json"] == nil || len(res.Content) != 1 {
			t.Errorf("%s does not describe the failure %s", pattern, status)
		}
	}
	for status := range op.Responses {
		if status == "422" || status == "503" || status == "default" {
			t.Errorf("%s describes %s, which it never answers", pattern, status)
		}
	}
}

func TestEveryFieldIsExplained(t *testing.T) {
	t.Parallel()
	d, _ := described(t, setup(t, nil))
	for name, s := range d.Components.Schemas {
		if slices.Contains([]string{"ErrorModel", "ErrorDetail", "Due"}, name) || len(s.Properties) == 0 {
			t.Errorf("the schema %s does not belong in the description", name)
		}
		for field, p := range s.Properties {
			if p.Description == "" {
				t.Errorf("%s.%s has no description", name, field)
			}
			scalar := p.Type == "string" || p.Type == "integer" || p.Type == "number" || p.Type == "boolean"
			if scalar && len(p.Examples) == 0 && !slices.Contains([]string{"BriefingPart.text", "NewTenantResponse.api_key", "KeyResponse.api_key"}, name+"."+field) && name != "Receipt" {
				t.Errorf("%s.%s has no example", name, field)
			}
			if types, ok := p.Type.([]any); ok && slices.Contains(types, any("null")) && name+"."+field != "MemoryPatch.due_at" {
				t.Errorf("%s.%s may be null, which it never is", name, field)
			}
		}
	}
}

// The lists in the description are those of the words.
func TestClosedSetsAreTheOnesThatRulesKnow(t *testing.T) {
	t.Parallel()
	d, _ := described(t, setup(t, nil))
	schemas := d.Components.Schemas
	same := func(name, field string, want []string) {
		got := schemas[name].Properties[field].Enum
		if !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
			t.Errorf("%s.%s: got %v, want %v", name, field, got, want)
		}
	}
	channels := ids[string](list(recaller.Channels(), func(c recaller.Channel) string { return string(c) }))
	types := list(recaller.MemoryTypes(), func(m recaller.MemoryType) string { return string(m) })
	for _, name := range []string{"StartRequest", "ImportRequest", "Conversation"} {
		same(name, "channel", channels)
	}
	for _, name := range []string{"MemoryInput", "MemoryPatch", "Memory"} {
		same(name, "type", types)
	}
	var codes []string
	for _, o := range httpdoor.Outcomes() {
		codes = append(codes, o.Code)
	}
	same("Problem", "code", codes)
}

func TestDocumentationIsSelfContained(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	status, header, page := h.call(t, "GET", "/docs", "", "Authorization", "")
	if status != 200 || !strings.HasPrefix(header.Get("Content-Type"), "text/html") {
		t.Fatalf("got %d %v", status, header)
	}
	for _, far := range []string{"http://", "https://", "//cdn", "@import", "url("} {
		if strings.Contains(page, far) {
			t.Errorf("the page reaches out with %q", far)
		}
	}
	if !strings.Contains(page, docsScript) || !strings.Contains(header.Get("Content-Security-Policy"), source(docsScript)) {
		t.Error("the page's policy does not allow its own script")
	}
	yaml, err := h.admin.OpenAPIYAML(context.Background())
	if err != nil || !strings.HasPrefix(strings.TrimSpace(string(yaml)), "components:") || !strings.Contains(string(yaml), "openapi: 3.1.0") {
		t.Errorf("got %.80s, %v; want YAML", yaml, err)
	}
}

// inProcess is a transport that calls the handler, and notes the routes that it went to.
type inProcess struct {
	h  http.Handler
	mu sync.Mutex
	to map[string]bool
}

func (p *inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	probe := r.Clone(r.Context())
	w := httptest.NewRecorder()
	p.h.ServeHTTP(w, probe)
	return w.Result(), nil
}

func TestTheClientReachesEveryRoute(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	ctx := context.Background()
	transport := &inProcess{to: map[string]bool{}}
	transport.h = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, pattern := h.srv.mux.mux.Handler(r)
		transport.mu.Lock()
		transport.to[pattern] = true
		transport.mu.Unlock()
		h.srv.ServeHTTP(w, r)
	})
	c, err := client.New("http://in.process", bootstrap, client.WithHTTPClient(&http.Client{Transport: transport}), client.WithRetries(0))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Healthy(ctx); err != nil {
		t.Error(err)
	}
	everyCall(ctx, c)
	for _, pattern := range h.srv.mux.patterns {
		if !transport.to[pattern] && pattern != "GET /docs" {
			t.Errorf("no method of the client goes to %s", pattern)
		}
	}
}

// everyCall makes each of the client's calls; that most are refused does not matter here.
func everyCall(ctx context.Context, c *client.Client) {
	_ = c.Healthy(ctx)
	_ = c.Ready(ctx)
	_, _ = c.OpenAPI(ctx)
	_, _ = c.OpenAPIYAML(ctx)
	_, _ = c.Metrics(ctx)
	_, _ = c.StartConversation(ctx, client.StartRequest{})
	_, _ = c.ImportConversation(ctx, client.ImportRequest{})
	_, _ = c.Conversations(ctx, client.ConversationFilter{})
	_, _ = c.Conversation(ctx, "x")
	_, _ = c.SearchConversations(ctx, client.SearchRequest{})
	_, _ = c.AddTurns(ctx, "x")
	_, _ = c.ConversationBriefing(ctx, "x", client.BriefingQuery{})
	for range c.Events(ctx, "x") {
		break
	}
	_, _ = c.EndConversation(ctx, "x", client.EndRequest{})
	_, _ = c.VerifyConversation(ctx, "x")
	_, _ = c.Callers(ctx, client.Page{})
	_, _ = c.Caller(ctx, "x")
	_, _ = c.UpdateCaller(ctx, "x", client.CallerPatch{})
	_, _ = c.SetCallerPIN(ctx, "x", "4711")
	_ = c.DeleteCallerPIN(ctx, "x")
	_, _ = c.VerifyCallerTool(ctx, client.VerifyCallerCall{})
	_, _ = c.EraseCaller(ctx, "x")
	_, _ = c.CheckReceipt(ctx, recaller.Receipt{})
	_, _ = c.CallerBriefing(ctx, "x", client.BriefingQuery{})
	_, _ = c.CallerAgreements(ctx, "x", time.Time{})
	_, _ = c.CallerConversations(ctx, "x", client.ConversationFilter{})
	_, _ = c.ExportCaller(ctx, "x")
	_, _ = c.Recall(ctx, "x", client.RecallRequest{})
	_, _ = c.Memories(ctx, "x", client.MemoryFilter{})
	_, _ = c.StoreMemory(ctx, "x", client.MemoryInput{})
	_, _ = c.UpdateMemory(ctx, "x", client.MemoryPatch{})
	_, _ = c.ForgetMemory(ctx, "x")
	_, _ = c.MemoryHistory(ctx, "x")
	_, _ = c.Checkpoint(ctx, "x")
	_, _ = c.PutCheckpoint(ctx, "x", client.CheckpointInput{})
	_, _ = c.CheckpointHistory(ctx, "x")
	_ = c.DeleteCheckpoint(ctx, "x")
	_, _ = c.Tenant(ctx)
	_, _ = c.UpdateTenant(ctx, client.TenantPatch{})
	_, _ = c.CreateTenant(ctx, client.NewTenant{})
	_, _ = c.Tenants(ctx, "")
	_, _ = c.CreateKey(ctx, client.KeyInput{})
	_, _ = c.Keys(ctx)
	_ = c.DeleteKey(ctx, "x")
	everyNewCall(ctx, c)
	_, _ = c.OpenThread(ctx, client.ThreadRequest{})
	_, _ = c.Threads(ctx, "", "", 0)
	_, _ = c.Thread(ctx, "x")
	_, _ = c.UpdateThread(ctx, "x", client.ThreadPatch{})
	_, _ = c.ThreadMessages(ctx, "x", 0)
	_, _ = c.ThreadPrompt(ctx, "x", client.PromptRequest{})
	_, _ = c.ThreadReply(ctx, "x", client.ReplyRequest{})
}

func everyNewCall(ctx context.Context, c *client.Client) {
	_, _ = c.CreateDocument(ctx, client.DocumentInput{})
	_, _ = c.Document(ctx, "x")
	_, _ = c.Documents(ctx, client.DocumentFilter{})
	_, _ = c.UpdateDocument(ctx, "x", client.DocumentPatch{})
	_ = c.DeleteDocument(ctx, "x")
	_, _ = c.MergeDocument(ctx, "x", "y")
	_, _ = c.DeliverDocument(ctx, "x")
	_, _ = c.Query(ctx, client.QueryRequest{})
	_, _ = c.StoreMemoryTool(ctx, client.StoreMemoryCall{})
	_, _ = c.UpdateMemoryTool(ctx, client.UpdateMemoryCall{})
	_, _ = c.ForgetMemoryTool(ctx, client.ForgetMemoryCall{})
	_, _ = c.SomeoneElseTool(ctx, client.SomeoneElseCall{})
	_, _ = c.SomeoneElse(ctx, "x", client.SpeakerRequest{})
	_, _ = c.MarkPrivateTool(ctx, client.MarkPrivateCall{})
	_, _ = c.SetReminderTool(ctx, client.SetReminderCall{})
	_, _ = c.CancelReminderTool(ctx, client.CancelReminderCall{})
	_, _ = c.ListRemindersTool(ctx, client.ListRemindersCall{})
	_, _ = c.RecallTool(ctx, client.RecallCall{})
	_, _ = c.ReadCheckpointTool(ctx, client.ReadCheckpointCall{})
	_, _ = c.SaveCheckpointTool(ctx, client.SaveCheckpointCall{})
	_, _ = c.RemindCaller(ctx, "x", client.CallerReminderInput{})
	_, _ = c.CallTool(ctx, client.ToolCall{})
	_, _ = c.Tools(ctx)
	_, _ = c.UndoMemory(ctx, "x", 1)
	_, _ = c.MergeCallers(ctx, "x", client.CallerMerge{})
	_, _ = c.SplitCaller(ctx, "x", client.CallerSplit{})
	_, _ = c.CallerMoves(ctx, "x")
	_, _ = c.UndoMove(ctx, "x")
	_, _ = c.ReleaseNumber(ctx, "x", client.CallerRelease{})
	_, _ = c.SetReminder(ctx, "x", client.ReminderInput{})
	_, _ = c.Reminders(ctx, client.ReminderFilter{})
	_, _ = c.CallerReminders(ctx, "x", client.ReminderFilter{})
	_, _ = c.CancelReminder(ctx, "x")
	_, _ = c.RetryReminder(ctx, "x")
	_, _ = c.Persona(ctx)
	_, _ = c.SetPersona(ctx, client.PersonaInput{})
	_, _ = c.PersonaVersions(ctx, client.Page{})
	_, _ = c.ActivatePersona(ctx, 1)
	_, _ = c.PreviewPersona(ctx, client.PersonaPreview{})
	_, _ = c.Webhook(ctx)
	_, _ = c.SetWebhook(ctx, client.WebhookInput{})
	_, _ = c.RotateWebhook(ctx, client.RotateRequest{})
	_ = c.DeleteWebhook(ctx)
	_, _ = c.WebhookDeliveries(ctx, "", client.Page{})
	_, _ = c.ResendWebhook(ctx, "x")
	_, _ = c.ResendDeadWebhooks(ctx)
	_, _ = c.WebChatToken(ctx, client.NewWebChatToken{})
	_ = c.RevokeWebChatTokens(ctx)
	moment, over := context.WithTimeout(ctx, 50*time.Millisecond) // a tenant can always be listened to
	defer over()
	for range c.TenantEvents(moment, 0) {
		break
	}
	_, _ = c.OAuth(ctx)
	_, _ = c.SetOAuth(ctx, client.OAuthInput{})
	_ = c.DeleteOAuth(ctx)
	_, _ = c.Upstream(ctx)
	_, _ = c.SetUpstream(ctx, client.UpstreamInput{})
	_ = c.DeleteUpstream(ctx)
	_, _ = c.Prompts(ctx)
	_, _ = c.Packs(ctx)
	_, _ = c.Pack(ctx, "x")
	_, _ = c.PutPack(ctx, client.Pack{Name: "x"})
	_ = c.DeletePack(ctx, "x")
	_, _ = c.Encryption(ctx)
	_, _ = c.RotateEncryption(ctx)
}
