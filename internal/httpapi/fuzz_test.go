package httpapi

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/admission"
)

// fuzzed sends bodies to a route through the whole handler: whatever comes, no 5xx, no panic, and problems are
// problems.
func fuzzed(f *testing.F, method string, path func(conv, caller string) string, seeds ...string) {
	h := setup(f, func(d *Deps, _ *Options) { d.Gate = limited(d, admission.Options{Rate: -1}) })
	s := h.begun(f, "+4930901820")
	target := path(s.Conversation.ID, s.Caller.ID)
	for _, seed := range seeds {
		f.Add(seed)
	}
	for _, seed := range []string{``, `null`, `[]`, `{}`, `{"turns":[null]}`, `{"a":{"b":[1e999]}}`, "{\"\xff\":\"\xff\"}", `{"turns":{},"turns":[]}`, `"x"`, `{"at":"9999-12-31T23:59:59-23:59"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		r := httptest.NewRequest(method, target, strings.NewReader(body))
		r.Header.Set("X-API-Key", bootstrap)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.srv.ServeHTTP(w, r)
		if w.Code >= 500 || !json.Valid(w.Body.Bytes()) {
			t.Errorf("got %d %s for %q", w.Code, w.Body, body)
		}
		if isTool(target) {
			if ok := strings.HasPrefix(w.Body.String(), `{"success":`); !ok || w.Header().Get("Content-Type") != "application/json" {
				t.Errorf("got %d %s as %s for %q", w.Code, w.Body, w.Header().Get("Content-Type"), body)
			}
		} else if w.Code >= 400 && w.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("got %d as %s for %q", w.Code, w.Header().Get("Content-Type"), body)
		}
	})
}

func FuzzStart(f *testing.F) {
	fuzzed(f, "POST", func(_, _ string) string { return "/v1/conversations" },
		`{"caller":{"phone":"+4930901820","external_id":"u","name":"n"},"channel":"sms","direction":"outbound","external_id":"e","platform_ids":{"a":"b"},"reminder":true,"metadata":{"a":1},"max_tokens":1}`)
}

func FuzzTurns(f *testing.F) {
	fuzzed(f, "POST", func(conv, _ string) string { return "/v1/conversations/" + conv + "/turns" },
		`{"speaker":"user","text":"hello","at":"2026-03-02T09:30:00+01:00","name":"n","confidence":0.5,"interrupted":true}`,
		`{"turns":[{"speaker":"user","text":"a"},{"speaker":"assistant","text":"b","at":"2026-03-02T09:30:00Z"}]}`)
}

func FuzzImport(f *testing.F) {
	fuzzed(f, "POST", func(_, _ string) string { return "/v1/conversations/import" },
		`{"caller":{"phone":"+4930901820"},"external_id":"e","started_at":"2026-03-02T09:30:00Z","ended_at":"2026-03-02T09:31:00Z","turns":[{"speaker":"user","text":"a"}],"wrapup":false}`,
		`{"conversations":[{"caller":{"external_id":"u"},"started_at":"2026-03-02T09:30:00Z","turns":[]},{"caller":{}},null,7]}`)
}

func FuzzMemory(f *testing.F) {
	fuzzed(f, "POST", func(_, caller string) string { return "/v1/callers/" + caller + "/memories" },
		`{"type":"fact","key":"k","value":"v","confidence":0.5,"source":"api","privacy_scope":"shared","due_at":"2026-03-02T09:30:00Z","due_day":true,"provenance":{"conversation_id":"x","turns":[1,2]}}`)
}

func FuzzUndo(f *testing.F) {
	fuzzed(f, "POST", func(_, _ string) string { return "/v1/memories/none/undo" }, `{"version":1}`)
}

func FuzzReminder(f *testing.F) {
	fuzzed(f, "POST", func(_, _ string) string { return "/v1/memories/none/reminder" }, `{"due_at":"2031-03-02T09:30:00Z"}`)
}

func FuzzWebhook(f *testing.F) {
	fuzzed(f, "PUT", func(_, _ string) string { return "/v1/webhook" },
		`{"url":"https://agent.example.com/hook","secret":"whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="}`)
}

func FuzzRecall(f *testing.F) {
	fuzzed(f, "POST", func(_, caller string) string { return "/v1/callers/" + caller + "/recall" },
		`{"query":"when is the daughter visiting?","limit":5,"kinds":["turn"],"as_of":"2026-03-02T09:30:00Z","explain":true,"neighbours":0}`)
}

func FuzzTenant(f *testing.F) {
	fuzzed(f, "PATCH", func(_, _ string) string { return "/v1/tenant" },
		`{"name":"n","profile":{"hours":[{"label":"Mon","value":"8"}],"greeting":"g"},"retention":"keep","resume_window_seconds":3600,"numbers":["+4930901820"],"packs":["golf"],"masking":"off","memory_tools":true,"prompts":{"summary":"s","extraction":null}}`)
}
