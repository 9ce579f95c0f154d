package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// Nothing that people said, and nothing that names them, gets into logs or metrics: not from bodies, paths or queries.
func TestLogsAndMetricsHoldNoContent(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	ctx := context.Background()
	s, err := h.admin.StartConversation(ctx, client.StartRequest{
		Caller: client.CallerRef{Phone: "+4930901820", Name: "Zebedee"}, ExternalID: "zebra-call",
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.admin.AddTurns(ctx, "zebra-call", client.TurnInput{Speaker: recaller.User, Text: "The zebra is in the garden."}); err != nil {
		t.Fatal(err)
	}
	_, _ = h.admin.CallersByPhone(ctx, "+4930901820")
	_, _ = h.admin.CallersByExternalID(ctx, "zebra")
	_, _ = h.admin.Recall(ctx, s.Caller.ID, client.RecallRequest{Query: "zebra"})
	_, _ = h.admin.ConversationBriefing(ctx, "zebra-call", client.BriefingQuery{Query: "zebra"})
	zebra := client.StoreMemoryCall{ToolContext: client.ToolContext{CallSessionID: "zebra-call", LineID: "+4930901820", AccountID: "default"}, MemoryType: recaller.Fact, Key: "zebra", Value: "A zebra in the garden"}
	if _, err := h.admin.StoreMemoryTool(ctx, zebra); err != nil {
		t.Fatal(err)
	}
	h.call(t, "POST", "/tools/call", `{"callSessionId":"zebra-call","name":"zebra","arguments":"zebra"}`)
	h.call(t, "POST", "/tools/zebra", `{"callSessionId":"zebra-call"}`)
	h.call(t, "POST", "/v1/conversations/zebra-call/turns", `{"zebra":"zebra"}`)
	h.call(t, "GET", "/zebra?zebra=zebra", "", "X-Request-Id", "zebra crossing")
	h.call(t, "ZEBRA", "/v1/callers", "")
	metrics, err := h.admin.Metrics(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"log": h.logs.String(), "metrics": string(metrics)} {
		low := strings.ToLower(text)
		for _, word := range []string{"zebra", "zebedee", "901820", "bootstrap-key"} {
			if strings.Contains(low, word) {
				t.Errorf("the %s holds %q: %s", name, word, text)
			}
		}
	}
	if !strings.Contains(string(metrics), `recaller_http_request_duration_seconds_count{method="POST",route="/v1/conversations/{id}/turns",status="2xx"} 1`) {
		t.Errorf("the metrics do not count the turn: %s", metrics)
	}
	if !strings.Contains(h.logs.String(), `"route":"/v1/conversations/{id}/turns"`) {
		t.Errorf("the log does not tell the route: %s", h.logs.String())
	}
}

func TestRequestsHaveIDs(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	if _, header, _ := h.call(t, "GET", "/v1/tenant", "", "X-Request-Id", "abc-1.2:3"); header.Get("X-Request-Id") != "abc-1.2:3" {
		t.Errorf("got %q, want the id that was sent", header.Get("X-Request-Id"))
	}
	for _, id := range []string{"", "with space", strings.Repeat("x", 129), "naïve"} {
		if _, header, _ := h.call(t, "GET", "/v1/tenant", "", "X-Request-Id", id); header.Get("X-Request-Id") == id || header.Get("X-Request-Id") == "" {
			t.Errorf("got %q for %q, want a new id", header.Get("X-Request-Id"), id)
		}
	}
	_, err := h.admin.Caller(context.Background(), "nobody")
	var p *client.Problem
	if !errors.As(err, &p) || p.RequestID == "" {
		t.Errorf("got %#v, want a problem that knows its request", err)
	}
}

func TestReadinessTellsWhatIsMissing(t *testing.T) {
	t.Parallel()
	var away atomic.Bool
	h := setup(t, func(d *Deps, _ *Options) {
		d.Ready = func(context.Context) error {
			if away.Load() {
				return recaller.Errorf(recaller.Unavailable, "the store is away")
			}
			return nil
		}
	})
	if err := h.admin.Ready(context.Background()); err != nil {
		t.Errorf("got %v, want ready", err)
	}
	away.Store(true)
	if p := h.refused(t, 503, "GET", "/readyz", "", "Authorization", ""); p.Detail != "the store is away" {
		t.Errorf("got %+v", p)
	}
	if err := h.admin.Healthy(context.Background()); err != nil {
		t.Errorf("got %v, want it alive all the same", err)
	}
}

func TestAnswersAreNotCachedAndNeverNullLists(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	c := h.begun(t, "+4930901820").Caller.ID
	for _, path := range []string{"/v1/callers?external_id=none", "/v1/callers/" + c + "/memories", "/v1/conversations?status=failed", "/v1/tenant"} {
		status, header, body := h.call(t, "GET", path, "")
		if status != 200 || header.Get("Cache-Control") != "no-store" || header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: got %d %v", path, status, header)
		}
		if strings.Contains(body, "null") || !json.Valid([]byte(body)) {
			t.Errorf("%s: got %s, want JSON without null", path, body)
		}
	}
}
