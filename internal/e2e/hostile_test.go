package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/client"
)

// bad is a request that must be refused: with the status, and with the field named if one is at fault.
type bad struct {
	method, path, body string
	status             int
	field              string
}

// badRequests is every way to get it wrong that we could think of. {caller}, {call}, {ended} and {memory} stand for
// what exists.
var badRequests = []bad{
	// What is no JSON, or not the JSON asked for.
	{"POST", "/v1/conversations", ``, 400, ""},
	{"POST", "/v1/conversations", `{`, 400, ""},
	{"POST", "/v1/conversations", `{"caller":{"phone":"+14155550100"}`, 400, ""},
	{"POST", "/v1/conversations", `{"caller":{"phone":"+14155550100"}} trailing`, 400, ""},
	{"POST", "/v1/conversations", "\x00\x01\x02", 400, ""},
	{"POST", "/v1/conversations", `[]`, 422, ""},
	{"POST", "/v1/conversations", `null`, 0, ""},
	{"POST", "/v1/conversations", `"hello"`, 422, ""},
	{"POST", "/v1/conversations", strings.Repeat("[", 100000), 400, ""},
	{"POST", "/v1/conversations", strings.Repeat(`{"caller":`, 50000), 400, ""},

	// Starts.
	{"POST", "/v1/conversations", `{}`, 422, "caller"},
	{"POST", "/v1/conversations", `{"caller":{}}`, 422, "caller"},
	{"POST", "/v1/conversations", `{"caller":null}`, 422, "caller"},
	{"POST", "/v1/conversations", `{"caller":"+14155550100"}`, 422, "caller"},
	{"POST", "/v1/conversations", `{"caller":{"phone":"not a number"}}`, 422, "caller.phone"},
	{"POST", "/v1/conversations", `{"caller":{"phone":"123"}}`, 422, "caller.phone"},
	{"POST", "/v1/conversations", `{"caller":{"phone":"+0123456789"}}`, 422, "caller.phone"},
	{"POST", "/v1/conversations", `{"caller":{"phone":"+1234567890123456"}}`, 422, "caller.phone"},
	{"POST", "/v1/conversations", `{"caller":{"phone":"` + strings.Repeat("1", 10000) + `"}}`, 422, "caller.phone"},
	{"POST", "/v1/conversations", `{"caller":{"phone":14155550100}}`, 422, "caller.phone"},
	{"POST", "/v1/conversations", `{"caller":{"phone":"' OR 1=1 --"}}`, 422, "caller.phone"},
	{"POST", "/v1/conversations", `{"caller":{"external_id":"` + strings.Repeat("x", 300) + `"}}`, 422, "caller.external_id"},
	{"POST", "/v1/conversations", `{"caller":{"external_id":"a\u0000b"}}`, 422, "caller.external_id"},
	{"POST", "/v1/conversations", `{"caller":{"phone":"+14155550100","name":"` + strings.Repeat("x", 300) + `"}}`, 422, "caller.name"},
	{"POST", "/v1/conversations", `{"caller":{"phone":"+14155550100","name":"a\nb"}}`, 422, "caller.name"},
	{"POST", "/v1/conversations", `{"caller":{"phone":"+14155550100"},"channel":"pigeon"}`, 422, "channel"},
	{"POST", "/v1/conversations", `{"caller":{"phone":"+14155550100"},"direction":"sideways"}`, 422, "direction"},
	{"POST", "/v1/conversations", `{"caller":{"phone":"+14155550100"},"metadata":[1]}`, 422, "metadata"},
	{"POST", "/v1/conversations", `{"caller":{"phone":"+14155550100"},"metadata":{"a":"` + strings.Repeat("x", 20000) + `"}}`, 422, "metadata"},
	{"POST", "/v1/conversations", `{"caller":{"phone":"+14155550100"},"max_tokens":-1}`, 422, "max_tokens"},
	{"POST", "/v1/conversations", `{"caller":{"phone":"+14155550100"},"external_id":"` + strings.Repeat("x", 300) + `"}`, 422, "external_id"},
	{"POST", "/v1/conversations", `{"caller":{"phone":"+14155550100"},"surprise":1}`, 422, "surprise"},
	{"POST", "/v1/conversations?surprise=1", `{"caller":{"phone":"+14155550100"}}`, 422, "surprise"},

	// Turns.
	{"POST", "/v1/conversations/{call}/turns", `{}`, 422, "speaker"},
	{"POST", "/v1/conversations/{call}/turns", `{"turns":[]}`, 422, "turns"},
	{"POST", "/v1/conversations/{call}/turns", `{"turns":null}`, 422, "turns"},
	{"POST", "/v1/conversations/{call}/turns", `{"turns":[{"speaker":"user","text":"a"},{"speaker":"robot","text":"b"}]}`, 422, "turns[1].speaker"},
	{"POST", "/v1/conversations/{call}/turns", `{"turns":[{"speaker":"user","text":"a"},{"speaker":"user"}]}`, 422, "turns[1].text"},
	{"POST", "/v1/conversations/{call}/turns", `{"speaker":"user","text":"a","turns":[{"speaker":"user","text":"a"}]}`, 422, "turns"},
	{"POST", "/v1/conversations/{call}/turns", `{"speaker":"user","text":"   "}`, 422, "text"},
	{"POST", "/v1/conversations/{call}/turns", `{"speaker":"user","text":7}`, 422, "text"},
	{"POST", "/v1/conversations/{call}/turns", `{"speaker":"user","text":"` + strings.Repeat("x", 70000) + `"}`, 422, "text"},
	{"POST", "/v1/conversations/{call}/turns", `{"speaker":"user","text":"a","confidence":2}`, 422, "confidence"},
	{"POST", "/v1/conversations/{call}/turns", `{"speaker":"user","text":"a","confidence":-0.1}`, 422, "confidence"},
	{"POST", "/v1/conversations/{call}/turns", `{"speaker":"user","text":"a","at":"yesterday"}`, 422, "at"},
	{"POST", "/v1/conversations/{call}/turns", `{"speaker":"user","text":"a","at":"0001-02-03T04:05:06Z"}`, 422, "at"},
	{"POST", "/v1/conversations/{call}/turns", `{"speaker":"user","text":"a","at":"9999-02-03T04:05:06Z"}`, 422, "at"},
	{"POST", "/v1/conversations/{ended}/turns", `{"speaker":"user","text":"a"}`, 409, ""},
	{"POST", "/v1/conversations/nowhere/turns", `{"speaker":"user","text":"a"}`, 404, ""},
	{"POST", "/v1/conversations/{call}/turns", `{"turns":[` + strings.Repeat(`{"speaker":"user","text":"a"},`, 1000) + `{"speaker":"user","text":"a"}]}`, 422, "turns"},

	// Ends and reading.
	{"POST", "/v1/conversations/{call}/end", `{"status":"active"}`, 422, "status"},
	{"POST", "/v1/conversations/{call}/end", `{"duration_seconds":-1}`, 422, "duration_seconds"},
	{"POST", "/v1/conversations/{call}/end", `{"duration_seconds":1e300}`, 422, "duration_seconds"},
	{"POST", "/v1/conversations/{call}/end", `{"reason":"` + strings.Repeat("x", 300) + `"}`, 422, "reason"},
	{"POST", "/v1/conversations/{call}/end", `{"ended_at":"2999-01-01T00:00:00Z"}`, 422, "ended_at"},
	{"POST", "/v1/conversations/nowhere/end", `{}`, 404, ""},
	{"GET", "/v1/conversations/nowhere", ``, 404, ""},
	{"GET", "/v1/conversations/nowhere/briefing", ``, 404, ""},
	{"GET", "/v1/conversations/nowhere/events", ``, 404, ""},
	{"GET", "/v1/conversations/{call}?turns=perhaps", ``, 422, "turns"},
	{"GET", "/v1/conversations/{call}/briefing?max_tokens=1000000", ``, 422, "max_tokens"},
	{"GET", "/v1/conversations/{call}/briefing?max_tokens=many", ``, 422, "max_tokens"},
	{"GET", "/v1/conversations/{call}/briefing?query=" + strings.Repeat("x", 3000), ``, 422, "query"},
	{"GET", "/v1/conversations/{call}/events?last_event_id=-1", ``, 422, "last_event_id"},
	{"GET", "/v1/conversations?status=asleep", ``, 422, "status"},
	{"GET", "/v1/conversations?limit=0", ``, 422, "limit"},
	{"GET", "/v1/conversations?limit=1000000", ``, 422, "limit"},
	{"GET", "/v1/conversations?cursor=%00%ff", ``, 422, "cursor"},
	{"GET", "/v1/conversations/%2e%2e%2f%2e%2e%2fetc%2fpasswd", ``, 404, ""},
	{"GET", "/v1/conversations/%ff%fe", ``, 404, ""},
	{"GET", "/v1/conversations/" + strings.Repeat("x", 5000), ``, 404, ""},

	// Imports.
	{"POST", "/v1/conversations/import", `{}`, 422, "started_at"},
	{"POST", "/v1/conversations/import", `{"caller":{"phone":"+14155550100"},"turns":[]}`, 422, "started_at"},
	{"POST", "/v1/conversations/import", `{"caller":{"phone":"+14155550100"},"started_at":"2026-01-02T00:00:00Z","ended_at":"2026-01-01T00:00:00Z","turns":[]}`, 422, "ended_at"},
	{"POST", "/v1/conversations/import", `{"caller":{"phone":"+14155550100"},"started_at":"2026-01-02T00:00:00Z","turns":[{"speaker":"user","text":""}]}`, 422, "turns[0].text"},
	{"POST", "/v1/conversations/import", `{"caller":{"phone":"x"},"started_at":"2026-01-02T00:00:00Z","turns":[]}`, 422, "caller.phone"},
	{"POST", "/v1/conversations/import", `{"conversations":{}}`, 422, "conversations"},

	// Callers, recall, memories, checkpoints.
	{"GET", "/v1/callers?phone=nonsense", ``, 422, "phone"},
	{"GET", "/v1/callers?phone=%2B14155550100&external_id=x", ``, 422, "external_id"},
	{"GET", "/v1/callers/nobody", ``, 404, ""},
	{"GET", "/v1/callers/nobody/briefing", ``, 404, ""},
	{"GET", "/v1/callers/nobody/memories", ``, 404, ""},
	{"GET", "/v1/callers/nobody/export", ``, 404, ""},
	{"DELETE", "/v1/callers/nobody", ``, 404, ""},
	{"PATCH", "/v1/callers/{caller}", `{"time_zone":"Mars/Olympus"}`, 422, "time_zone"},
	{"PATCH", "/v1/callers/{caller}", `{"name":"` + strings.Repeat("x", 300) + `"}`, 422, "name"},
	{"PATCH", "/v1/callers/{caller}", `{"phone":"+14155550100"}`, 422, "phone"},
	{"POST", "/v1/callers/{caller}/recall", `{}`, 422, "query"},
	{"POST", "/v1/callers/{caller}/recall", `{"query":""}`, 422, "query"},
	{"POST", "/v1/callers/{caller}/recall", `{"query":"` + strings.Repeat("x ", 10000) + `"}`, 422, "query"},
	{"POST", "/v1/callers/{caller}/recall", `{"query":"a","limit":100000}`, 422, "limit"},
	{"POST", "/v1/callers/{caller}/recall", `{"query":"a","kinds":["dream"]}`, 422, "kinds[0]"},
	{"POST", "/v1/callers/{caller}/recall", `{"query":"a","as_of":"soon"}`, 422, "as_of"},
	{"POST", "/v1/callers/nobody/recall", `{"query":"a"}`, 404, ""},
	{"POST", "/v1/callers/{caller}/memories", `{"type":"rumour","key":"a","value":"b"}`, 422, "type"},
	{"POST", "/v1/callers/{caller}/memories", `{"type":"fact","key":"","value":"b"}`, 422, "key"},
	{"POST", "/v1/callers/{caller}/memories", `{"type":"fact","key":"a"}`, 422, "value"},
	{"POST", "/v1/callers/{caller}/memories", `{"type":"fact","key":"a","value":"` + strings.Repeat("x", 3000) + `"}`, 422, "value"},
	{"POST", "/v1/callers/{caller}/memories", `{"type":"fact","key":"a","value":"b","confidence":7}`, 422, "confidence"},
	{"POST", "/v1/callers/{caller}/memories", `{"type":"fact","key":"a","value":"b","due_at":"whenever"}`, 422, "due_at"},
	{"POST", "/v1/callers/nobody/memories", `{"type":"fact","key":"a","value":"b"}`, 404, ""},
	{"GET", "/v1/callers/{caller}/memories?type=rumour", ``, 422, "type[0]"},
	{"PATCH", "/v1/memories/{memory}", `{"confidence":"high"}`, 422, "confidence"},
	{"PATCH", "/v1/memories/{memory}", `{"value":""}`, 422, "value"},
	{"PATCH", "/v1/memories/nothing", `{"value":"a"}`, 404, ""},
	{"DELETE", "/v1/memories/nothing", ``, 404, ""},
	{"GET", "/v1/memories/nothing/history", ``, 404, ""},
	{"PUT", "/v1/callers/{caller}/checkpoint", `{"intent":"a"}`, 422, "summary"},
	{"PUT", "/v1/callers/{caller}/checkpoint", `{"summary":"a","staging_data":[1]}`, 422, "staging_data"},
	{"PUT", "/v1/callers/nobody/checkpoint", `{"summary":"a"}`, 404, ""},
	{"GET", "/v1/callers/{caller}/checkpoint", ``, 404, ""},

	// Tenants and keys.
	{"PATCH", "/v1/tenant", `{"retention":"whatever"}`, 422, "retention"},
	{"PATCH", "/v1/tenant", `{"default_region":"Atlantis"}`, 422, "default_region"},
	{"PATCH", "/v1/tenant", `{"time_zone":"Mars/Olympus"}`, 422, "time_zone"},
	{"PATCH", "/v1/tenant", `{"numbers":["x"]}`, 422, "numbers[0]"},
	{"PATCH", "/v1/tenant", `{"packs":["astrology"]}`, 422, "packs[0]"},
	{"PATCH", "/v1/tenant", `{"archive_days":0}`, 422, "archive_days"},
	{"POST", "/v1/tenants", `{}`, 422, "name"},
	{"POST", "/v1/keys", `{"scope":"god"}`, 422, "scope"},
	{"DELETE", "/v1/keys/nothing", ``, 404, ""},

	// No such thing.
	{"GET", "/v2/conversations", ``, 404, ""},
	{"DELETE", "/v1/conversations/{call}", ``, 405, ""},
	{"BREW", "/v1/conversations", ``, 405, ""},
}

// Whatever is sent: 4xx, problem details that name the field, nothing of what was sent, no stack trace, and a server
// that goes on.
func TestBadRequests(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		s := house(t, on)
		p := phone{t, s.admin}
		ended := p.call(number(), user("My name is Anna."), agent("Hello."))
		open := p.ring(number())
		memory, err := p.c.StoreMemory(t.Context(), ended.Caller.ID, client.MemoryInput{Type: "fact", Key: "pet", Value: "A cat"})
		if err != nil {
			t.Fatal(err)
		}
		fill := strings.NewReplacer("{caller}", ended.Caller.ID, "{call}", open.Conversation.ID, "{ended}", ended.Conversation.ID, "{memory}", memory.Memory.ID)
		for _, b := range badRequests {
			what := fmt.Sprintf("%s %s %s", b.method, cut(b.path), cut(b.body))
			status, problem, body := s.raw(t, b.method, fill.Replace(b.path), b.body)
			switch {
			case status < 400 || status > 499:
				t.Errorf("%s: got %d %s, want a refusal", what, status, cut(body))
			case b.status > 0 && status != b.status:
				t.Errorf("%s: got %d %s, want %d", what, status, cut(body), b.status)
			case problem.Status != status || problem.Title == "" || problem.Detail == "" || problem.Code == "":
				t.Errorf("%s: got %s, want problem details", what, cut(body))
			case problem.Field != b.field:
				t.Errorf("%s: got the field %q (%s), want %q", what, problem.Field, problem.Detail, b.field)
			}
			if strings.Contains(body, "goroutine") || strings.Contains(body, ".go:") || strings.Contains(body, "sqlite") || strings.Contains(body, "huma") {
				t.Errorf("%s: the answer shows our insides: %s", what, cut(body))
			}
		}
		if rec := p.read(open.Conversation.ID); rec.Conversation.Status != "active" || rec.Conversation.TurnCount != 0 {
			t.Errorf("after all that the call is %+v, want it as it was", rec.Conversation)
		}
	})
}

// raw makes a request by hand, and holds the answer against the description.
func (s *server) raw(t testing.TB, method, path, body string, headers ...string) (int, client.Problem, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.key)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := checked{t: t, api: s.api, next: http.DefaultTransport}.RoundTrip(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, cut(path), err)
	}
	defer res.Body.Close()
	var p client.Problem
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") { // it does not end
		return res.StatusCode, p, ""
	}
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "application/problem+json") {
		if err := json.Unmarshal(raw, &p); err != nil {
			t.Fatal(err)
		}
	}
	return res.StatusCode, p, string(raw)
}

func cut(s string) string {
	if len(s) > 160 {
		return s[:160] + "…"
	}
	return s
}
