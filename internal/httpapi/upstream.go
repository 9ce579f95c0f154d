package httpapi

import (
	"context"
	"net/http"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

func (s *server) upstreamRoutes() {
	const path = "/v1/upstream"
	add(s, route{
		id: "get-upstream", method: http.MethodGet, path: path, tag: tagTenants, summary: "Read the upstream",
		statuses: []int{http.StatusNotFound},
		about: "Where the tenant's requests to `/v1/chat/completions` go on to. Its key is never shown. 404: it has none of " +
			"its own, and the server's is asked.",
	}, func(ctx context.Context, x *exchange, _ *struct{}) (*plain[client.Upstream], error) {
		u, err := s.Upstreams.Upstream(ctx, x.Tenant)
		if err == nil && !u.Set() {
			err = recaller.Errorf(recaller.NotFound, "no upstream is set")
		}
		return body200(upstreamOut(u), err)
	})
	add(s, route{
		id: "put-upstream", method: http.MethodPut, path: path, tag: tagTenants, summary: "Set the upstream",
		about: "Replaces the one before, for requests that begin from now on; other servers of the same store follow within " +
			"ten seconds. Neither the server's own address nor its key is asked for this tenant any more. Without an " +
			"`api_key` the one there stays, unless `base_url` changes: the key of an endpoint goes to no other.",
	}, func(ctx context.Context, x *exchange, in *struct{ Body client.UpstreamInput }) (*plain[client.Upstream], error) {
		u, err := s.Upstreams.SetUpstream(ctx, x.Tenant, recaller.Upstream{BaseURL: in.Body.BaseURL, Model: in.Body.Model}, in.Body.APIKey)
		return body200(upstreamOut(u), err)
	})
	add(s, route{
		id: "delete-upstream", method: http.MethodDelete, path: path, tag: tagTenants, status: http.StatusNoContent,
		summary: "Take the upstream away",
		about:   "Its key is deleted. The tenant's requests go on to the server's own upstream again, if there is one.",
	}, func(ctx context.Context, x *exchange, _ *struct{}) (*struct{}, error) {
		return nil, s.Upstreams.DeleteUpstream(ctx, x.Tenant)
	})
}

func upstreamOut(u recaller.Upstream) client.Upstream {
	return client.Upstream{BaseURL: u.BaseURL, Model: u.Model, APIKeySet: u.APIKey != ""}
}
