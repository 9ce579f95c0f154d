package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// Every route of the description, so that new ones are covered by themselves: without a key and with a wrong one 401,
// with a key of too weak a scope 403; what needs none is a short list that we know.
func TestEveryRouteAsksForItsKey(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		s := house(t, on)
		read, err := s.admin.CreateKey(t.Context(), client.KeyInput{Scope: recaller.ScopeRead})
		if err != nil {
			t.Fatal(err)
		}
		agent, err := s.admin.CreateKey(t.Context(), client.KeyInput{Scope: recaller.ScopeAgent})
		if err != nil {
			t.Fatal(err)
		}
		open := map[string]bool{"/healthz": true, "/readyz": true, "/openapi.json": true, "/openapi.yaml": true, "/docs": true}
		routes := 0
		for template, item := range s.api.Paths {
			for method, op := range item {
				routes++
				method, path := strings.ToUpper(method), strings.ReplaceAll(template, "{id}", "some-id")
				ask := func(key string) int {
					status, _, _ := s.raw(t, method, path, body(method), "Authorization", "Bearer "+key)
					return status
				}
				if open[template] {
					if status := ask("wrong"); status != http.StatusOK {
						t.Errorf("%s %s: got %d, want 200 for anybody", method, template, status)
					}
					continue
				}
				if none, wrong := ask(""), ask("wrong"); none != http.StatusUnauthorized || wrong != http.StatusUnauthorized {
					t.Errorf("%s %s: got %d without a key and %d with a wrong one, want 401", method, template, none, wrong)
				}
				if len(op.Security) == 0 || op.Scope == "" {
					t.Errorf("%s %s: the description does not say what key it needs", method, template)
				}
				if got := ask(read.APIKey); (got == http.StatusForbidden) != (op.Scope != "read") {
					t.Errorf("%s %s needs %s: got %d with a read key", method, template, op.Scope, got)
				}
				if got := ask(agent.APIKey); (got == http.StatusForbidden) != (op.Scope == "admin") {
					t.Errorf("%s %s needs %s: got %d with an agent key", method, template, op.Scope, got)
				}
				asks := slices.Contains([]string{"recall", "search", "query", "check", "prompt", "preview"}, template[strings.LastIndex(template, "/")+1:])
				writes := method != http.MethodGet && !asks
				if writes && op.Scope == "read" {
					t.Errorf("%s %s writes, but a read key will do", method, template)
				}
			}
		}
		if routes < 25 {
			t.Errorf("the description has %d routes: this story looks in the wrong place", routes)
		}
	})
}

func body(method string) string {
	if method == http.MethodGet || method == http.MethodDelete {
		return ""
	}
	return "{}"
}

// Every route that takes an id answers another tenant's id as one that does not exist.
func TestNoRouteLeadsIntoAnotherTenant(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		s := house(t, on)
		mine := phone{t, s.admin}.call(number(), user("My name is Anna."), agent("Hello."))
		memory, err := s.admin.StoreMemory(t.Context(), mine.Caller.ID, client.MemoryInput{Type: recaller.Fact, Key: "pet", Value: "A cat"})
		if err != nil {
			t.Fatal(err)
		}
		other, err := s.admin.CreateTenant(t.Context(), client.NewTenant{Name: "Somebody else"})
		if err != nil {
			t.Fatal(err)
		}
		paper, err := s.admin.CreateDocument(t.Context(), client.DocumentInput{Title: "Prices", Content: "A cat is 40."})
		if err != nil {
			t.Fatal(err)
		}
		ids := map[string]string{"documents": paper.ID, "conversations": mine.Conversation.ID, "callers": mine.Caller.ID, "memories": memory.Memory.ID}
		good := map[string]string{
			"add-turns": `{"speaker":"user","text":"a"}`, "recall": `{"query":"Anna"}`, "update-caller": `{"name":"a"}`,
			"store-memory": `{"type":"fact","key":"a","value":"b"}`, "update-memory": `{"value":"b"}`, "put-checkpoint": `{"summary":"a"}`,
			"update-document": `{"content":"b"}`, "merge-document": `{"into":"another"}`,
			"remind-caller": `{"key":"a","value":"b","due_at":"` + time.Now().AddDate(1, 0, 0).Format(time.RFC3339) + `"}`,
			"set-reminder":  `{"due_at":"` + time.Now().AddDate(1, 0, 0).Format(time.RFC3339) + `"}`,
		}
		asked := 0
		for template, item := range s.api.Paths {
			kind := strings.Split(strings.TrimPrefix(template, "/v1/"), "/")[0]
			if !strings.Contains(template, "{id}") || ids[kind] == "" {
				continue
			}
			for method, op := range item {
				if op.Scope == "admin" {
					continue // this tenant has no such key
				}
				asked++
				method, text := strings.ToUpper(method), good[op.ID]
				if text == "" {
					text = body(method)
				}
				status, _, answer := s.raw(t, method, strings.ReplaceAll(template, "{id}", ids[kind]), text, "Authorization", "Bearer "+other.APIKey)
				none := status == http.StatusOK && (strings.Contains(answer, `"conversations":[]`) || strings.Contains(answer, `"versions":[]`) || strings.Contains(answer, `"reminders":[]`))
				if op.ID == "merge-document" && status == http.StatusUnprocessableEntity {
					continue // it looks first for what is merged into, which is none of this tenant's either
				}
				if status != http.StatusNotFound && !none {
					t.Errorf("%s: got %d %s, want 404", op.ID, status, cut(answer))
				}
			}
		}
		if asked < 15 {
			t.Errorf("asked %d routes: this story looks in the wrong place", asked)
		}
		if again := (phone{t, s.admin}).read(mine.Conversation.ID); again.Conversation.TurnCount != 2 {
			t.Error("another tenant's key wrote into the conversation")
		}
	})
}

// Limits: too many requests, and too large ones.
func TestLimits(t *testing.T) {
	t.Parallel()
	s := serve(t, "RECALLER_RATE_LIMIT=1", "RECALLER_RATE_BURST=3", "RECALLER_MAX_BODY_BYTES=64KiB", "RECALLER_MAX_IMPORT_BYTES=128KiB")
	big := `{"caller":{"phone":"+14155550100"},"external_id":"` + strings.Repeat("x", 64<<10) + `"}`
	if status, p, _ := s.raw(t, "POST", "/v1/conversations", big); status != http.StatusRequestEntityTooLarge || p.Detail == "" {
		t.Errorf("a body over the limit: got %d %+v, want 413", status, p)
	}
	if status, _, _ := s.raw(t, "POST", "/v1/conversations/import", strings.Repeat(big, 2)); status != http.StatusRequestEntityTooLarge {
		t.Errorf("an import over the limit: got %d, want 413", status)
	}
	var err error
	for range 20 {
		if _, err = s.admin.Tenant(t.Context()); err != nil {
			break
		}
	}
	refused(t, err, http.StatusTooManyRequests)
	res, err := http.DefaultTransport.RoundTrip(request(t, s, "/v1/tenant"))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusTooManyRequests || res.Header.Get("Retry-After") == "" {
		t.Errorf("got %d with Retry-After %q, want 429 with the seconds to wait", res.StatusCode, res.Header.Get("Retry-After"))
	}
	if err := s.admin.Healthy(t.Context()); err != nil {
		t.Errorf("health is not limited: got %v", err)
	}
}

func request(t *testing.T, s *server, path string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.key)
	return req
}
