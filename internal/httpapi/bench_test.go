package httpapi

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/admission"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/tool"
)

// instantly is conversations that cost nothing, so that what is measured is the edge.
type instantly struct {
	Conversations
	turns []recaller.Turn
	brief recaller.Briefing
}

func (i instantly) AddTurns(_ context.Context, _ recaller.TenantID, _ string, _ recaller.Once, in []conversation.TurnInput) ([]recaller.Turn, bool, error) {
	return i.turns[:len(in)], true, nil
}

func (i instantly) Briefing(context.Context, recaller.TenantID, string, briefing.Request) (recaller.Briefing, error) {
	return i.brief, nil
}

func edge(b *testing.B) *server {
	turns := make([]recaller.Turn, 1000)
	for i := range turns {
		turns[i] = recaller.Turn{ID: "0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3d", Number: i, At: time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)}
	}
	text := strings.Repeat("Her daughter visits on Sundays. ", 40)
	parts := make([]recaller.BriefingPart, 8)
	for i := range parts {
		parts[i] = recaller.BriefingPart{Name: "history", Text: text, Tokens: 300}
	}
	return setup(b, func(d *Deps, _ *Options) {
		d.Conversations = instantly{d.Conversations, turns, recaller.Briefing{Text: strings.Repeat(text, 8), Parts: parts, Tokens: 2400}}
		d.Gate = limited(d, admission.Options{Rate: 1e9})
	}).srv
}

func measure(b *testing.B, s *server, method, path, body string, headers ...string) {
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+bootstrap)
		for i := 0; i+1 < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code >= 300 {
			b.Fatal(w.Code, w.Body)
		}
	}
}

const aTurn = `{"speaker":"user","text":"I'd like to move my appointment to Thursday, if that is possible.","at":"2026-03-02T09:30:12Z"}`

// The edge's own cost of a turn: what the request costs when the use case costs nothing.
func BenchmarkTurn(b *testing.B) {
	measure(b, edge(b), "POST", "/v1/conversations/0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3b/turns", aTurn)
}

func BenchmarkTurnOnce(b *testing.B) {
	measure(b, edge(b), "POST", "/v1/conversations/0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3b/turns", aTurn, "Idempotency-Key", "k")
}

func BenchmarkTurns100(b *testing.B) {
	measure(b, edge(b), "POST", "/v1/conversations/0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3b/turns", `{"turns":[`+strings.Repeat(aTurn+",", 99)+aTurn+`]}`)
}

// The edge's own cost of a tool's call.
func BenchmarkTool(b *testing.B) {
	s := setup(b, func(d *Deps, _ *Options) {
		d.Tools = &desk{Tools: d.Tools, result: tool.Result{MemoryID: "0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3e"}}
		d.Gate = limited(d, admission.Options{Rate: 1e9})
	}).srv
	measure(b, s, "POST", "/tools/store_memory", toolBodies()[recaller.ToolStoreMemory])
}

func BenchmarkBriefing(b *testing.B) {
	measure(b, edge(b), "GET", "/v1/conversations/0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3b/briefing?max_tokens=1500", "")
}

// The floor: routing, middleware, authentication, log and metrics, with hardly any work.
func BenchmarkTenant(b *testing.B) { measure(b, edge(b), "GET", "/v1/tenant", "") }
