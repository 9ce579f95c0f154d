package httpapi

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/admission"
)

// operations lists what is described, as operation id → method and path with ids filled in.
func (h *house) operations() map[string][2]string {
	out := map[string][2]string{}
	for path, item := range h.srv.api.OpenAPI().Paths {
		target := strings.ReplaceAll(path, "{id}", "some-id")
		if item.Get != nil {
			out[item.Get.OperationID] = [2]string{"GET", target}
		}
		if item.Post != nil {
			out[item.Post.OperationID] = [2]string{"POST", target}
		}
		if item.Put != nil {
			out[item.Put.OperationID] = [2]string{"PUT", target}
		}
		if item.Patch != nil {
			out[item.Patch.OperationID] = [2]string{"PATCH", target}
		}
		if item.Delete != nil {
			out[item.Delete.OperationID] = [2]string{"DELETE", target}
		}
	}
	return out
}

func TestEveryRouteAsksForItsKey(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	ctx := context.Background()
	secrets := map[recaller.Scope]string{recaller.ScopeAdmin: bootstrap}
	for _, scope := range []recaller.Scope{recaller.ScopeAgent, recaller.ScopeRead} {
		k, err := h.admin.CreateKey(ctx, client.KeyInput{Scope: scope})
		if err != nil {
			t.Fatal(err)
		}
		secrets[scope] = k.APIKey
	}
	golf, err := h.admin.CreateTenant(ctx, client.NewTenant{Name: "Golf"})
	if err != nil {
		t.Fatal(err)
	}
	table, ops := h.srv.operations, h.operations()
	if len(table) != len(ops) {
		t.Errorf("got %d operations in the table of operations, want the %d that are served", len(table), len(ops))
	}
	for id, op := range ops {
		need := table[id].Scope
		if need == "" {
			if status, _, body := h.call(t, op[0], op[1], "", "Authorization", ""); status != 200 {
				t.Errorf("%s: got %d %s, want it open", id, status, body)
			}
			continue
		}
		if p := h.refused(t, 401, op[0], op[1], "", "Authorization", ""); p.Code != "unauthenticated" && !isTool(op[1]) {
			t.Errorf("%s without a key: got %+v", id, p)
		}
		h.refused(t, 401, op[0], op[1], "", "Authorization", "Bearer rk_default_wrong")
		for scope, secret := range secrets {
			if !scope.Allows(need) {
				h.refused(t, 403, op[0], op[1], "", "Authorization", "Bearer "+secret)
			} else if id != "conversation-events" && id != "tenant-events" { // which end when nobody listens any more
				if status, _, body := h.call(t, op[0], op[1], "", "Authorization", "", "X-API-Key", secret); status == 401 || status == 403 || status >= 500 {
					t.Errorf("%s with a key of scope %s: got %d %s", id, scope, status, body)
				}
			}
		}
		if table[id].Operator {
			h.refused(t, 403, op[0], op[1], "", "Authorization", "Bearer "+golf.APIKey)
		}
	}
	if _, header, _ := h.call(t, "GET", "/v1/tenant", "", "Authorization", ""); header.Get("WWW-Authenticate") == "" {
		t.Error("a 401 does not say how to authenticate")
	}
}

func TestAKeyThatAsksTooOftenHasToWait(t *testing.T) {
	t.Parallel()
	var passed atomic.Int64
	began := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	h := setup(t, func(d *Deps, _ *Options) {
		d.Gate = limited(d, admission.Options{
			Rate: 1, Burst: 3, Now: func() time.Time { return began.Add(time.Duration(passed.Load())) },
		})
	})
	for range 3 {
		if status, _, body := h.call(t, "GET", "/v1/tenant", ""); status != 200 {
			t.Fatalf("got %d %s, want 200", status, body)
		}
	}
	_, header, _ := h.call(t, "GET", "/v1/tenant", "")
	if p := h.refused(t, 429, "GET", "/v1/tenant", ""); p.Code != "exhausted" || header.Get("Retry-After") == "" {
		t.Errorf("got %+v, %v; want a limit with Retry-After", p, header)
	}
	if status, _, _ := h.call(t, "GET", "/healthz", ""); status != 200 {
		t.Errorf("got %d, want health to stay open", status)
	}
	passed.Add(int64(time.Second))
	if status, _, body := h.call(t, "GET", "/v1/tenant", ""); status != 200 {
		t.Errorf("a second later: got %d %s, want 200", status, body)
	}
}
