package app

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	jose "github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// public is where the houses of these tests are reached, as they are told.
const public = "https://memory.example.com"

// login is a small authorization server: it signs people in without asking them anything.
type login struct {
	*testing.T
	*httptest.Server
	key *ecdsa.PrivateKey
}

func newLogin(t *testing.T) *login {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	l := &login{T: t, key: key}
	routes := http.NewServeMux()
	l.Server = httptest.NewServer(routes)
	t.Cleanup(l.Close)
	says := func(path string, answer any) {
		routes.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(answer)
		})
	}
	says("/.well-known/oauth-authorization-server", map[string]any{
		"issuer": l.URL, "jwks_uri": l.URL + "/keys", "authorization_endpoint": l.URL + "/authorize", "token_endpoint": l.URL + "/token",
		"code_challenge_methods_supported": []string{"S256"}, "response_types_supported": []string{"code"},
	})
	says("/keys", jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "one", Algorithm: "ES256", Use: "sig"}}})
	routes.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		token := l.token(r.FormValue("resource"), r.FormValue("code"), nil) // the code says which scopes were asked for
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": 3600})
	})
	return l
}

// token makes a token for an audience, with scope values, and changes of other claims.
func (l *login) token(audience, scope string, with args) string {
	l.Helper()
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: l.key}, (&jose.SignerOptions{}).WithHeader("kid", "one").WithType("at+jwt"))
	if err != nil {
		l.Fatal(err)
	}
	claims := args{
		"iss": l.URL, "sub": "ann@example.com", "aud": audience, "scope": scope, "client_id": "agent", "jti": rand.Text(),
		"iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix(),
	}
	maps.Copy(claims, with)
	token, err := jwt.Signed(s).Claims(claims).Serialize()
	if err != nil {
		l.Fatal(err)
	}
	return token
}

// within brings requests to the public address to the house.
type within struct{ url string }

func (w within) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasPrefix(r.URL.String(), public) {
		to, err := url.Parse(w.url)
		if err != nil {
			return nil, err
		}
		r = r.Clone(r.Context())
		r.URL.Scheme, r.URL.Host = to.Scheme, to.Host // the name stays, as with a proxy on this machine that passes it on
	}
	return http.DefaultTransport.RoundTrip(r)
}

// open is the environment of a house that is reached at public and may ask issuers on this machine.
func open(more ...string) []string {
	return append([]string{"RECALLER_PUBLIC_URL=" + public, "RECALLER_WEBHOOK_ALLOW=127.0.0.1"}, more...)
}

// answer is what a request got.
type answer struct {
	status    int
	challenge string
	body      string
}

// ask asks at a path of the house; message is one of JSON-RPC, and empty for a GET.
func (h *house) ask(path, secret, message string) answer {
	h.t.Helper()
	method := http.MethodPost
	if message == "" {
		method = http.MethodGet
	}
	req, err := http.NewRequestWithContext(h.t.Context(), method, h.url+path, strings.NewReader(message))
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if secret != "" {
		req.Header.Set("Authorization", "Bearer "+secret)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header.Get("WWW-Authenticate"), string(text)}
}

// does is a message that calls a tool.
func does(tool string, with args) string {
	text, _ := json.Marshal(args{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": args{"name": tool, "arguments": with}})
	return string(text)
}

func reads(number string) string { return does("read_agent_memory", args{"phoneNumber": number}) }

func saves(number, summary string) string {
	return does("update_agent_memory", args{"phoneNumber": number, "summary": summary, "intent": "booking"})
}

// wants fails unless an answer has a status, a challenge that says so much, and a body with these words.
func (h *house) wants(what string, got answer, status int, challenge string, words ...string) {
	h.t.Helper()
	if got.status != status || got.challenge != challenge {
		h.t.Errorf("%s: got %d, %q, %s; want %d, %q", what, got.status, got.challenge, got.body, status, challenge)
	}
	holds(h.t, what, got.body, words...)
}

const (
	ofKeys   = `Bearer realm="recaller"`
	metadata = "/.well-known/oauth-protected-resource"
)

// challenge is what a tenant with an issuer says, with the default scopes.
func challenge(say, scope, path string) string {
	return fmt.Sprintf(`Bearer %sscope="%s", resource_metadata="%s"`, say, scope, public+metadata+path)
}

// Two tenants trust one issuer. Its tokens open the address that they are for, and that one only, on both stores.
func TestAccessTokensFromStartToEnd(t *testing.T) {
	t.Parallel()
	onBoth(t, accessStory)
}

func accessStory(t *testing.T, env ...string) {
	var log notes
	h, l := build(t, t.TempDir(), Options{Log: slog.New(slog.NewTextHandler(&log, nil))}, open(env...)...), newLogin(t)
	golf, err := h.CreateTenant(t.Context(), client.NewTenant{Name: "Golf"})
	if err != nil {
		t.Fatal(err)
	}
	admin, err := client.New(h.url, golf.APIKey)
	if err != nil {
		t.Fatal(err)
	}
	theirs := "/mcp/" + golf.Tenant.ID
	const number = "+15550199"

	// Before: keys only, and nobody learns which tenants there are.
	for _, path := range []string{"/mcp", theirs, "/mcp/nobody"} {
		h.wants("no key at "+path, h.ask(path, "", reads(number)), 401, ofKeys)
		h.wants("the metadata of "+path, h.ask(metadata+path, "", ""), 404, "", "no access tokens are taken here")
		h.wants("a token at "+path, h.ask(path, l.token(public+path, "memory:read", nil), reads(number)), 401, ofKeys, "the API key is not known")
	}
	for _, c := range []*client.Client{h.Client, admin} {
		if _, err := c.SetOAuth(t.Context(), client.OAuthInput{Issuer: l.URL}); err != nil {
			t.Fatal(err)
		}
	}
	set, err := admin.OAuth(t.Context())
	if want := public + theirs; err != nil || !set.Ready || set.Audience != want || set.Resource != want || set.MetadataURL != public+metadata+theirs || set.Issuer != l.URL {
		t.Errorf("got %+v, %v", set, err)
	}

	// What a client is told.
	for _, path := range []string{"", "/mcp"} {
		h.wants("the metadata at "+path, h.ask(metadata+path, "", ""), 200, "", `"resource":"`+public+`/mcp"`, `"authorization_servers":["`+l.URL+`"]`,
			`"scopes_supported":["memory:read","memory:write"]`)
	}
	h.wants("the metadata of a tenant", h.ask(metadata+theirs, "", ""), 200, "", `"resource":"`+public+theirs+`"`)
	const both = "memory:read memory:write"
	h.wants("nothing", h.ask("/mcp", "", reads(number)), 401, challenge("", both, "/mcp"), "needs an API key", "or an access token")
	h.wants("nothing, at a tenant's", h.ask(theirs, "", reads(number)), 401, challenge("", both, theirs))
	h.wants("a wrong key", h.ask("/mcp", "rk_default_wrong", reads(number)), 401, challenge(`error="invalid_token", `, both, "/mcp"))
	for _, path := range []string{"/mcp/nobody", metadata + "/mcp/nobody", metadata + "/else", "/mcp/default", theirs + "/more"} {
		if got := h.ask(path, "", reads(number)); got.status != 401 && got.status != 404 || strings.Contains(got.challenge, "metadata") {
			t.Errorf("%s: got %+v, want what tells nothing", path, got)
		}
	}

	// Each token opens the memory that it is for.
	ours, others := l.token(public+"/mcp", both, nil), l.token(public+theirs, "memory:write", nil)
	h.wants("a save", h.ask("/mcp", ours, saves(number, "a table for two")), 200, "", "Conversation state saved successfully")
	h.wants("a save of theirs", h.ask(theirs, others, saves(number, "a round at nine")), 200, "", "Conversation state saved successfully")
	h.wants("ours", h.ask("/mcp", ours, reads(number)), 200, "", "a table for two")
	h.wants("theirs", h.ask(theirs, others, reads(number)), 200, "", "a round at nine")
	wrong := challenge(`error="invalid_token", `, both, "/mcp")
	h.wants("theirs at ours", h.ask("/mcp", others, reads(number)), 401, wrong, "is for another resource")
	h.wants("ours at theirs", h.ask(theirs, ours, reads(number)), 401, challenge(`error="invalid_token", `, both, theirs), "is for another resource")

	// Never more than its scopes say, and never at another door.
	little := l.token(public+"/mcp", "memory:read", nil)
	h.wants("reading", h.ask("/mcp", little, reads(number)), 200, "", "a table for two")
	h.wants("writing", h.ask("/mcp", little, saves(number, "x")), 403, challenge(`error="insufficient_scope", `, "memory:write", "/mcp"), "no scope that allows update_agent_memory")
	h.wants("no scope of ours", h.ask("/mcp", l.token(public+"/mcp", "admin agent openid", nil), reads(number)), 403,
		challenge(`error="insufficient_scope", `, "memory:read", "/mcp"), "no scope that allows this")
	h.wants("the tools", h.ask("/mcp", little, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`), 200, "", "read_agent_memory")
	h.wants("the API", h.ask("/v1/tenant", ours, ""), 401, ofKeys)

	// Keys go on as they were, each at its own tenant's.
	h.wants("our key", h.ask("/mcp", h.app.BootstrapKey(), reads(number)), 200, "", "a table for two")
	h.wants("their key", h.ask("/mcp", golf.APIKey, reads(number)), 200, "", "a round at nine")
	h.wants("their key at theirs", h.ask(theirs, golf.APIKey, reads(number)), 200, "", "a round at nine")
	h.wants("our key at theirs", h.ask(theirs, h.app.BootstrapKey(), reads(number)), 403, "", "not of the tenant that the address names")

	if err := admin.DeleteOAuth(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.wants("afterwards", h.ask(theirs, others, reads(number)), 401, ofKeys)
	if _, err := admin.OAuth(t.Context()); !client.IsNotFound(err) {
		t.Errorf("got %v, want none", err)
	}
	said := log.String()
	if !strings.Contains(said, "key=oauth_") || !strings.Contains(said, "route=/mcp/{tenant}") {
		t.Errorf("the log does not name who asked: %s", said)
	}
	for _, secret := range []string{"ann@example", strings.Split(ours, ".")[1], strings.Split(ours, ".")[2]} {
		if strings.Contains(said, secret) {
			t.Errorf("the log holds %s", secret)
		}
	}
}

// What cannot be set is refused by the name of its field, and two tenants never share an audience of one issuer.
func TestWhoseTokensAreTakenIsSetWithCare(t *testing.T) {
	t.Parallel()
	h, l := build(t, t.TempDir(), Options{}, open()...), newLogin(t)
	golf, err := h.CreateTenant(t.Context(), client.NewTenant{Name: "Golf"})
	if err != nil {
		t.Fatal(err)
	}
	admin, err := client.New(h.url, golf.APIKey)
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 501)
	many := map[string]recaller.Scope{}
	for i := range 21 {
		many[fmt.Sprint(i)] = recaller.ScopeRead
	}
	for what, c := range map[string]struct {
		in    client.OAuthInput
		field string
	}{
		"no issuer":            {client.OAuthInput{}, "issuer"},
		"an issuer in clear":   {client.OAuthInput{Issuer: "http://login.example.com"}, "issuer"},
		"an inner issuer":      {client.OAuthInput{Issuer: "https://10.0.0.1"}, "issuer"},
		"an issuer too long":   {client.OAuthInput{Issuer: "https://login.example.com/" + long}, "issuer"},
		"an issuer with query": {client.OAuthInput{Issuer: "https://login.example.com?a=b"}, "issuer"},
		"a long audience":      {client.OAuthInput{Issuer: l.URL, Audience: long}, "audience"},
		"an audience of words": {client.OAuthInput{Issuer: l.URL, Audience: "two words"}, "audience"},
		"another's address":    {client.OAuthInput{Issuer: l.URL, Audience: public + "/mcp/" + golf.Tenant.ID}, "audience"},
		"scopes of admin":      {client.OAuthInput{Issuer: l.URL, Scopes: map[string]recaller.Scope{"all": "admin"}}, "scopes"},
		"scopes of nothing":    {client.OAuthInput{Issuer: l.URL, Scopes: map[string]recaller.Scope{"all": ""}}, "scopes"},
		"a scope with a space": {client.OAuthInput{Issuer: l.URL, Scopes: map[string]recaller.Scope{"a b": "read"}}, "scopes"},
		"too many scopes":      {client.OAuthInput{Issuer: l.URL, Scopes: many}, "scopes"},
		"a claim of nothing":   {client.OAuthInput{Issuer: l.URL, CallerClaim: "ext:"}, "caller_claim"},
	} {
		_, err := h.SetOAuth(t.Context(), c.in)
		var p *client.Problem
		if !errors.As(err, &p) || p.Status != 422 || !strings.Contains(p.Field, c.field) || strings.Contains(p.Detail, "xxx") {
			t.Errorf("%s: got %v, want a 422 of %s", what, err, c.field)
		}
	}
	shared := client.OAuthInput{Issuer: l.URL, Audience: "api://memory", Scopes: map[string]recaller.Scope{"all": recaller.ScopeAgent}}
	if set, err := h.SetOAuth(t.Context(), client.OAuthInput{Issuer: l.URL + "/mistyped"}); err != nil || set.Ready {
		t.Errorf("an issuer that is nowhere: got %+v, %v; want it set, and not ready", set, err)
	}
	if set, err := h.SetOAuth(t.Context(), shared); err != nil || !set.Ready {
		t.Fatalf("got %+v, %v", set, err)
	}
	var p *client.Problem
	if _, err := admin.SetOAuth(t.Context(), shared); !errors.As(err, &p) || p.Status != 409 || p.Field != "audience" {
		t.Errorf("the same audience of the same issuer: got %v, want a 409 of audience", err)
	}
	h.wants("a token for it", h.ask("/mcp", l.token("api://memory", "all", nil), reads("+15550199")), 200, "", "No previous conversation")
	h.wants("a token for the address", h.ask("/mcp", l.token(public+"/mcp", "all", nil), reads("+15550199")), 401,
		challenge(`error="invalid_token", `, "all", "/mcp"))
	agent := h.keyOf(recaller.ScopeAgent)
	h.wants("no admin", h.ask("/v1/oauth", agent, ""), 403, "")

	closed := build(t, t.TempDir(), Options{})
	if _, err := closed.SetOAuth(t.Context(), client.OAuthInput{Issuer: "https://login.example.com"}); !errors.As(err, &p) || p.Status != 409 ||
		!strings.Contains(p.Detail, "RECALLER_PUBLIC_URL") {
		t.Errorf("without a public URL: got %v, want to be told of it", err)
	}
}

// A token may be bound to one caller. Then nothing that the model or the client says reaches another.
func TestATokenIsBoundToACaller(t *testing.T) {
	t.Parallel()
	h, l := build(t, t.TempDir(), Options{}, open()...), newLogin(t)
	bind := func(claim string) {
		t.Helper()
		if _, err := h.SetOAuth(t.Context(), client.OAuthInput{Issuer: l.URL, CallerClaim: claim}); err != nil {
			t.Fatal(err)
		}
	}
	token := func(with args) string { return l.token(public+"/mcp", "memory:read memory:write", with) }
	h.ask("/mcp", h.app.BootstrapKey(), saves("+15550100", "a secret of Bob's"))
	bind("phone_number")
	ann := token(args{"phone_number": "+15550199", "phone_number_verified": true})
	h.wants("a save", h.ask("/mcp", ann, does("update_agent_memory", args{"summary": "a table", "intent": "booking"})), 200, "", "saved")
	h.wants("her own", h.ask("/mcp", ann, does("read_agent_memory", args{})), 200, "", "a table")
	if got := h.ask("/mcp", ann, reads("+15550100")); strings.Contains(got.body, "Bob") || !strings.Contains(got.body, "another's") {
		t.Errorf("another's: got %s", got.body)
	}
	if _, _, body := h.post(does("read_agent_memory", args{}), headers{"Authorization": "Bearer " + ann, "X-Recaller-Caller": "+15550100"}); !strings.Contains(body, "a table") {
		t.Errorf("with a header that says otherwise: got %s", body)
	}
	for what, with := range map[string]args{
		"no claim": nil, "a number that nobody has looked at": {"phone_number": "+15550199", "phone_number_verified": false},
		"an id in place of a number": {"phone_number": "ext:boss"}, "a claim that is no text": {"phone_number": 15550199},
	} {
		h.wants(what, h.ask("/mcp", token(with), does("read_agent_memory", args{})), 401, challenge(`error="invalid_token", `, "memory:read memory:write", "/mcp"))
	}
	bind("ext:sub")
	h.wants("by subject", h.ask("/mcp", ann, does("update_agent_memory", args{"summary": "a chair", "intent": "booking"})), 200, "", "saved")
	h.wants("by subject, with a key", h.ask("/mcp", h.app.BootstrapKey(), reads("ext:ann@example.com")), 200, "", "a chair")
}

// Guesses are throttled as those of keys are. A token that was right until lately is no guess.
func TestGuessedTokensAreThrottled(t *testing.T) {
	t.Parallel()
	h, l := build(t, t.TempDir(), Options{}, open("RECALLER_SIGNIN_FAILURES=3")...), newLogin(t)
	if _, err := h.SetOAuth(t.Context(), client.OAuthInput{Issuer: l.URL}); err != nil {
		t.Fatal(err)
	}
	worked := l.token(public+"/mcp", "memory:read", nil)
	h.wants("a token", h.ask("/mcp", worked, reads("+15550199")), 200, "")
	for range 5 {
		late := l.token(public+"/mcp", "memory:read", args{"exp": time.Now().Add(-time.Hour).Unix()})
		h.wants("a late one", h.ask("/mcp", late, reads("+15550199")), 401, challenge(`error="invalid_token", `, "memory:read memory:write", "/mcp"), "has expired")
	}
	for range 3 {
		h.wants("a guess", h.ask("/mcp", l.token("guess", "memory:read", nil), reads("+15550199")), 401, challenge(`error="invalid_token", `, "memory:read memory:write", "/mcp"))
	}
	h.wants("one too many", h.ask("/mcp", l.token(public+"/mcp", "memory:read", nil), reads("+15550199")), 429, "")
	h.wants("what worked before", h.ask("/mcp", worked, reads("+15550199")), 200, "")
}

// The official client finds its way from a 401 to a token by itself, and asks for more rights where it needs them.
func TestTheOfficialClientSignsIn(t *testing.T) {
	t.Parallel()
	h, l := build(t, t.TempDir(), Options{}, open()...), newLogin(t)
	if _, err := h.SetOAuth(t.Context(), client.OAuthInput{Issuer: l.URL, Scopes: map[string]recaller.Scope{"look": "read", "save": "agent"}}); err != nil {
		t.Fatal(err)
	}
	web := &http.Client{Transport: within{h.url}}
	var asked []string
	signIn, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		Client: web, RedirectURL: "http://127.0.0.1/back", PreregisteredClient: &oauthex.ClientCredentials{ClientID: "agent"},
		ScopeFilter: func(all []string) []string { return all[:1] }, // the least first
		AuthorizationCodeFetcher: func(_ context.Context, a *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			u, err := url.Parse(a.URL)
			if err != nil {
				return nil, err
			}
			asked = append(asked, u.Query().Get("scope"))
			return &auth.AuthorizationResult{Code: u.Query().Get("scope"), State: u.Query().Get("state")}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: public + "/mcp", HTTPClient: web, DisableStandaloneSSE: true, OAuthHandler: signIn,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "update_agent_memory", Arguments: args{"phoneNumber": "+15550199", "summary": "a table", "intent": "booking"}})
	if err != nil || res.IsError {
		t.Fatalf("got %v, %s", err, texts(res))
	}
	if got := strings.Join(asked, ", "); got != "look, look save" && got != "look, save look" {
		t.Errorf("it asked for the scopes %q, want the least first and more when it was needed", got)
	}
}
