package httpapi

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/client"
)

// Whatever route it is sent to: what a body lacks is named, and said to be required.
func TestWhatABodyLacksIsRequired(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	conv := h.begun(t, "+4930901820")
	d, ops := described(t, h)
	tried := 0
	for _, pattern := range slices.Sorted(maps.Keys(ops)) {
		op := ops[pattern]
		if op.RequestBody == nil || op.Tags[0] == tagTools { // those have a form of their own
			continue
		}
		method, path, _ := strings.Cut(pattern, " ")
		id := conv.Caller.ID
		if strings.Contains(path, "/conversations/") {
			id = conv.Conversation.ID
		}
		path = strings.NewReplacer("{id}", id, "{name}", "x").Replace(path)
		for _, field := range d.Components.Schemas[formOf(t, op)].Required {
			tried++
			p := h.refused(t, http.StatusUnprocessableEntity, method, path, without(t, d.Components.Schemas[formOf(t, op)], field))
			if !slices.ContainsFunc(p.Errors, func(e client.FieldError) bool {
				return e.Location == field && strings.HasPrefix(e.Message, "is required")
			}) {
				t.Errorf("%s without %s: got %+v, want that it is required", pattern, field, p)
			}
		}
	}
	if tried < 20 {
		t.Errorf("only %d fields were left out", tried)
	}
}

// formOf names the schema of a body; of one that is either of two, that of the one thing.
func formOf(t *testing.T, op operationDoc) string {
	t.Helper()
	raw, err := json.Marshal(op.RequestBody.Content["application/json"])
	if err != nil {
		t.Fatal(err)
	}
	var body struct {
		Schema struct {
			schemaDoc
			OneOf []schemaDoc `json:"oneOf"`
		} `json:"schema"`
	}
	if err := json.Unmarshal(raw, &body); err != nil {
		t.Fatal(err)
	}
	ref := body.Schema.Ref
	if len(body.Schema.OneOf) > 0 {
		ref = body.Schema.OneOf[0].Ref
	}
	return ref[strings.LastIndexByte(ref, '/')+1:]
}

// without is a body with all that a schema requires but for one field.
func without(t *testing.T, s schemaDoc, field string) string {
	t.Helper()
	body := map[string]any{}
	for _, name := range s.Required {
		p := s.Properties[name]
		switch {
		case name == field:
		case len(p.Examples) > 0:
			body[name] = p.Examples[0]
		case p.Items != nil:
			body[name] = []any{}
		case strings.HasSuffix(p.Ref, "CallerRef"):
			body[name] = map[string]any{"phone": "+4930901820"}
		default:
			body[name] = map[string]any{}
		}
	}
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// A platform that sends no number sends an empty one: it is withheld. A caller of whom nothing is said at all was
// forgotten.
func TestAnEmptyNumberIsAWithheldOne(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	for _, number := range []string{"", " ", "anonymous"} {
		var first client.StartResponse
		h.asked(t, http.StatusCreated, "POST", "/v1/conversations", `{"caller":{"phone":"`+number+`"}}`, &first)
		if first.Caller.Phone != "" || !strings.Contains(first.Briefing.Text, "withheld") {
			t.Errorf("%q: got %+v, want a caller without a number", number, first)
		}
	}
	var found client.CallerList
	h.asked(t, http.StatusOK, "GET", "/v1/callers?phone=anonymous", "", &found)
	if len(found.Callers) != 0 {
		t.Errorf("got %+v, want that nobody is known by it", found.Callers)
	}
}

func TestPastCallsAreImportedUnwritten(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	const call = `"caller":{"phone":"+4930901820"},"started_at":"2026-01-01T10:00:00Z","ended_at":"2026-01-01T11:00:00Z","turns":[{"speaker":"user","text":"hello"}]`
	var one client.ImportResponse
	h.asked(t, http.StatusCreated, "POST", "/v1/conversations/import",
		`{`+call+`,"wrapup":false,"duration_seconds":90.5,"recording_url":"https://example.com/1.wav"}`, &one)
	if c := one.Conversation; c.DurationSeconds != 90.5 || c.RecordingURL != "https://example.com/1.wav" {
		t.Errorf("got %+v, want the platform's length and recording", c)
	}
	var many client.ImportBatchResponse
	h.asked(t, http.StatusCreated, "POST", "/v1/conversations/import", `{"wrapup":false,"conversations":[{`+call+`}]}`, &many)
	for _, id := range []string{one.Conversation.ID, many.Results[0].ConversationID} {
		rec, err := h.admin.Conversation(t.Context(), id)
		if err != nil || !rec.Wrapup.Done || rec.Wrapup.Steps[0].State != "skipped" {
			t.Errorf("got %+v, %v; want it left as it is", rec.Wrapup, err)
		}
	}
}

func TestAnImportCanBeCheckedFirst(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	const path = "/v1/conversations/import?check=true"
	h.asked(t, http.StatusOK, "POST", path, `{"caller":{"phone":"+4930901820"},"started_at":"2026-01-01T10:00:00Z","turns":[]}`, nil)
	h.refused(t, http.StatusUnprocessableEntity, "POST", path, `{"caller":{"phone":"12"},"started_at":"2026-01-01T10:00:00Z","turns":[]}`)
	if all, err := h.admin.Conversations(t.Context(), client.ConversationFilter{}); err != nil || len(all.Conversations) > 0 {
		t.Errorf("got %+v, %v; want nothing kept", all, err)
	}
}

func TestTheDescriptionSaysWhereAndWithWhat(t *testing.T) {
	t.Parallel()
	for public, want := range map[string]string{"": "/", "https://memory.example.com": "https://memory.example.com"} {
		raw, err := setup(t, func(_ *Deps, o *Options) { o.PublicURL = public }).admin.OpenAPI(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var d struct {
			Servers []struct {
				URL string `json:"url"`
			} `json:"servers"`
			Security []map[string][]string `json:"security"`
			Paths    map[string]map[string]struct {
				Security *[]any `json:"security"`
			} `json:"paths"`
		}
		if err := json.Unmarshal(raw, &d); err != nil {
			t.Fatal(err)
		}
		if len(d.Servers) != 1 || d.Servers[0].URL != want || len(d.Security) != 2 {
			t.Errorf("got servers %v, security %v; want %s and two ways in", d.Servers, d.Security, want)
		}
		if open := d.Paths["/healthz"]["get"].Security; open == nil || len(*open) != 0 {
			t.Errorf("health: got security %v, want that it needs none", open)
		}
	}
}

// asked sends a request that succeeds with the status, and reads the answer into out, which may be nil.
func (h *house) asked(t *testing.T, status int, method, path, body string, out any) {
	t.Helper()
	got, _, text := h.call(t, method, path, body)
	if got != status {
		t.Fatalf("%s %s: got status %d, want %d: %s", method, path, got, status, text)
	}
	if out == nil {
		return
	}
	if err := json.Unmarshal([]byte(text), out); err != nil {
		t.Fatal(err)
	}
}

// What a route takes no body for, it does not pretend to have read: who sends a PIN to where a caller is said to be
// verified would else have it verified whatever the PIN.
func TestARouteWithoutABodyTakesNone(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	conv := h.begun(t, "+4930901821")
	_, ops := described(t, h)
	tried := 0
	for _, pattern := range slices.Sorted(maps.Keys(ops)) {
		method, path, _ := strings.Cut(pattern, " ")
		if ops[pattern].RequestBody != nil || method != http.MethodPost {
			continue
		}
		tried++
		path = strings.NewReplacer("{id}", conv.Conversation.ID).Replace(path)
		for _, body := range []string{`{"pin":"4711"}`, `{"a":"` + strings.Repeat("b", 1<<16) + `"}`, `x`} {
			if p := h.refused(t, http.StatusUnprocessableEntity, method, path, body); !strings.Contains(p.Detail, "takes no body") {
				t.Errorf("%s: got %q", pattern, p.Detail)
			}
		}
	}
	if tried < 5 {
		t.Errorf("only %d routes were tried", tried)
	}
	for _, body := range []string{"", "{}", " {}\n", "null"} {
		if status, _, text := h.call(t, "POST", "/v1/conversations/"+conv.Conversation.ID+"/verify", body); status != http.StatusOK {
			t.Errorf("verify with %q: got %d %s", body, status, text)
		}
	}
}
