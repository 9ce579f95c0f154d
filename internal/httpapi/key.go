package httpapi

import (
	"context"
	"net/http"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

func (s *server) keyRoutes() {
	add(s, route{
		id: "create-key", method: http.MethodPost, path: "/v1/keys", tag: tagTenants, status: http.StatusCreated,
		summary: "Make a key",
		about: "Of the tenant that the calling key belongs to. The key is shown this once. The server does not keep " +
			"keys and cannot show one again, so Idempotency-Key is not taken here: a repeat makes another key; " +
			"delete the one that you did not see.",
	}, s.createKey)
	add(s, route{
		id: "list-keys", method: http.MethodGet, path: "/v1/keys", tag: tagTenants, summary: "List keys",
		about: "The tenant's keys, without the secrets.",
	}, func(ctx context.Context, x *exchange, _ *struct{}) (*plain[client.KeyList], error) {
		ctx, damage := recaller.WithDamage(ctx)
		all, err := s.Tenants.Keys(ctx, x.Tenant)
		return body200(client.KeyList{Keys: list(all, keyOut), Damaged: damage.Count()}, err)
	})
	add(s, route{
		id: "delete-key", method: http.MethodDelete, path: "/v1/keys/{id}", tag: tagTenants,
		status: http.StatusNoContent, summary: "End a key",
		about: "This server refuses it at once, others of the same store within ten seconds. The bootstrap key stays " +
			"refused, also after a restart. The last admin key of a tenant cannot be ended (409): make another first.",
		statuses: []int{http.StatusConflict},
	}, func(ctx context.Context, x *exchange, in *struct {
		ID string `path:"id" doc:"The key's id; not the key." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a40"`
	},
	) (*struct{}, error) {
		return nil, s.Tenants.DeleteKey(ctx, x.Tenant, recaller.KeyID(in.ID))
	})
}

func (s *server) createKey(
	ctx context.Context, x *exchange, in *struct{ Body client.KeyInput },
) (*plain[client.KeyResponse], error) {
	k, secret, err := s.Tenants.CreateKey(ctx, x.Tenant, in.Body.Scope, in.Body.Label)
	return body200(client.KeyResponse{Key: keyOut(k), APIKey: secret}, err)
}
