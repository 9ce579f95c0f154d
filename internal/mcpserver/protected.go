package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/httpdoor"
	"github.com/recallerhq/recaller/internal/tenant"
)

// The paths of the door. A tenant's own address is Path, a slash and its id; that of the tenant default is Path.
const (
	Path      = tenant.MCPPath
	WellKnown = tenant.MetadataPath // the path of an address may follow
)

// maxTold is how many may ask for metadata at once. They need no key, and cost a look at a tenant.
const maxTold = 64

// addressed returns whose address a path is, and whether it names the tenant.
func addressed(path string) (id recaller.TenantID, named bool, err error) {
	before, rest, found := strings.Cut(path, Path)
	rest = strings.Trim(rest, "/")
	switch {
	case rest == "" && (found || strings.Trim(before, "/") == ""):
		return recaller.DefaultTenant, false, nil
	case rest == "" || strings.Contains(rest, "/") || rest == string(recaller.DefaultTenant):
		return "", false, recaller.Errorf(recaller.NotFound,
			"there is nothing here: the address is /mcp, or /mcp/ and the id of a tenant other than default")
	}
	return recaller.TenantID(rest), true, nil
}

// tell answers with a tenant's metadata, by which a client finds where it gets an access token.
func (s *server) tell(x *exchange, path string, r *http.Request, w http.ResponseWriter) {
	x.told = true
	p, err := s.protected(r.Context(), x, path)
	if err != nil {
		x.Fail(err)
		httpdoor.ProblemOf(err).Write(w)
		return
	}
	auth.ProtectedResourceMetadataHandler(&oauthex.ProtectedResourceMetadata{
		Resource: p.Resource, AuthorizationServers: []string{p.Issuer},
		ScopesSupported:        slices.Sorted(maps.Keys(p.Scopes)),
		BearerMethodsSupported: []string{"header"}, ResourceName: "Recaller",
	}).ServeHTTP(w, r)
}

// protected finds what a path of metadata is about.
func (s *server) protected(ctx context.Context, x *exchange, path string) (recaller.Protected, error) {
	ctx, err := x.Admit(ctx, "", &s.told)
	if err != nil {
		return recaller.Protected{}, err
	}
	id, _, err := addressed(path)
	if err != nil {
		return recaller.Protected{}, err
	}
	return s.Tenants.Protected(ctx, id)
}

// challenged has a refusal say where an access token can be had, if the tenant whose address was asked takes any. Whoever
// has no key learns no more of a tenant than its metadata tells.
func (s *server) challenged(r *http.Request, x *exchange, p *httpdoor.Problem) *httpdoor.Problem {
	lacking := p.Status == http.StatusForbidden && x.Token
	if p.Status != http.StatusUnauthorized && !lacking || x.tenant == "" {
		return p
	}
	told, err := s.Tenants.Protected(r.Context(), x.tenant)
	if err != nil {
		return p
	}
	scopes, say := slices.Sorted(maps.Keys(told.Scopes)), ""
	switch {
	case lacking:
		say, scopes = `error="insufficient_scope", `, told.Wanted(cmp.Or(x.need, recaller.ScopeRead))
	case httpdoor.Secret(r.Header) != "":
		say = `error="invalid_token", `
	default:
		p.Detail += "; or an access token of the tenant's issuer"
	}
	return p.Challenged(fmt.Sprintf(`Bearer %sscope="%s", resource_metadata="%s"`, say, strings.Join(scopes, " "), told.Metadata))
}

// route is what is asked, from a closed set, for the log.
func (x *exchange) route() string {
	switch {
	case x.told:
		return WellKnown
	case x.named:
		return Path + "/{tenant}"
	}
	return Path
}
