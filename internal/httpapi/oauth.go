package httpapi

import (
	"context"
	"net/http"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

func (s *server) oauthRoutes() {
	const path = "/v1/oauth"
	add(s, route{
		id: "get-oauth", method: http.MethodGet, path: path, tag: tagTenants, summary: "Read whose access tokens are taken",
		statuses: []int{http.StatusNotFound},
		about: "The OAuth 2.1 authorization server whose access tokens the tenant takes over MCP, beside keys, and where " +
			"clients find it. 404: none is set.",
	}, func(ctx context.Context, x *exchange, _ *struct{}) (*plain[client.OAuth], error) {
		o, err := s.Issuers.OAuth(ctx, x.Tenant)
		if err == nil && !o.Set() {
			err = recaller.Errorf(recaller.NotFound, "no issuer is set")
		}
		return s.oauthOut(ctx, x, o, err)
	})
	add(s, route{
		id: "put-oauth", method: http.MethodPut, path: path, tag: tagTenants, summary: "Set whose access tokens are taken",
		statuses: []int{http.StatusConflict},
		about: "Replaces what was set before, whole. A token then opens the tenant's own MCP address (`resource`), and " +
			"nothing else; it never has the rights of an admin key. 409: the server's operator has not set " +
			"RECALLER_PUBLIC_URL, or another tenant has the same issuer with the same audience. An issuer that cannot be " +
			"read now is set all the same: see `ready`.",
	}, func(ctx context.Context, x *exchange, in *struct{ Body client.OAuthInput }) (*plain[client.OAuth], error) {
		o, err := s.Issuers.SetOAuth(ctx, x.Tenant, recaller.OAuth{
			Issuer: in.Body.Issuer, Audience: in.Body.Audience, Scopes: in.Body.Scopes, Caller: in.Body.CallerClaim,
		})
		return s.oauthOut(ctx, x, o, err)
	})
	add(s, route{
		id: "delete-oauth", method: http.MethodDelete, path: path, tag: tagTenants, status: http.StatusNoContent,
		summary: "Take no access tokens any more",
		about:   "This server refuses them at once, others of the same store within ten seconds. Keys stay as they are.",
	}, func(ctx context.Context, x *exchange, _ *struct{}) (*struct{}, error) {
		return nil, s.Issuers.DeleteOAuth(ctx, x.Tenant)
	})
}

func (s *server) oauthOut(ctx context.Context, x *exchange, o recaller.OAuth, err error) (*plain[client.OAuth], error) {
	if err != nil {
		return nil, err
	}
	out := client.OAuth{
		Issuer: o.Issuer, Audience: o.Audience, Scopes: o.Scopes, CallerClaim: o.Caller, Ready: s.Issuers.IssuerReady(ctx, o.Issuer),
	}
	told, err := s.Issuers.Protected(ctx, x.Tenant)
	if err == nil {
		out.Resource, out.MetadataURL = told.Resource, told.Metadata
	}
	return body200(out, nil)
}
