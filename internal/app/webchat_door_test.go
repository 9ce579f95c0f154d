package app

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/webchat"
	"github.com/recallerhq/recaller/internal/webchat/webchattest"
)

// asked sends a request as a browser, or somebody else, does.
func (c *counter) asked(method, path string, header map[string]string) *http.Response {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.url+path, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	res, err := (&http.Transport{DisableCompression: true}).RoundTrip(req)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

// Only pages of origins that the tenant lists may open a socket or a stream, or post; what they may is said to the browser, and
// to no other.
func TestOnlyListedPagesChat(t *testing.T) {
	t.Parallel()
	c := reception(t, webchat.Options{})
	c.opens(client.WebChatPatch{Origins: &[]string{shop, "http://localhost:*"}})
	known := c.visitor()
	c.connects(known, false)
	for _, from := range []string{shop, "http://localhost", "http://localhost:3000"} {
		v := webchattest.Visitor{Chat: c.url + "/chat/default", Origin: from}
		if _, err := v.Socket(t.Context()); err != nil {
			t.Errorf("%s: a socket: %v", from, err)
		}
		res := c.asked(http.MethodOptions, "/chat/default/messages", map[string]string{
			"Origin": from, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type",
		})
		h := res.Header
		if res.StatusCode != http.StatusNoContent || h.Get("Access-Control-Allow-Origin") != from || !strings.Contains(h.Get("Access-Control-Allow-Headers"), "Authorization") ||
			h.Get("Access-Control-Allow-Methods") != "POST" || h.Get("Vary") != "Origin" || h.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: a preflight: got %d, %v", from, res.StatusCode, h)
		}
	}
	for _, from := range []string{
		"https://evil.example", "http://shop.example", "https://shop.example:444", "https://shop.example.evil.example", "https://a.shop.example",
		"null", "http://localhost:3000.evil.example", "http://localhost:", "http://localhost:3000/", "https://localhost:3000", "*",
	} {
		v := webchattest.Visitor{Chat: c.url + "/chat/default", Origin: from, Token: known.Token}
		_, _, err := websocket.Dial(t.Context(), strings.Replace(v.Chat, "http", "ws", 1)+"/socket", &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {from}}})
		if err == nil || !strings.Contains(err.Error(), "403") {
			t.Errorf("%s: a socket: got %v, want a 403", from, err)
		}
		if _, err := v.Stream(t.Context()); !errors.Is(err, webchattest.Status(http.StatusForbidden)) {
			t.Errorf("%s: a stream: got %v", from, err)
		}
		if _, err := v.Post(t.Context(), "a", "hello"); !errors.Is(err, webchattest.Status(http.StatusForbidden)) {
			t.Errorf("%s: a post: got %v", from, err)
		}
		res := c.asked(http.MethodOptions, "/chat/default/messages", map[string]string{"Origin": from, "Access-Control-Request-Method": "POST"})
		if res.StatusCode != http.StatusForbidden || res.Header.Get("Access-Control-Allow-Origin") != "" || res.Header.Get("Vary") != "Origin" {
			t.Errorf("%s: a preflight: got %d, %v", from, res.StatusCode, res.Header)
		}
	}
	if res := c.asked(http.MethodGet, "/chat/default/events", map[string]string{"Sec-Fetch-Site": "cross-site"}); res.StatusCode != http.StatusForbidden {
		t.Errorf("a page that hides its origin: got %d", res.StatusCode)
	}
	app := webchattest.Visitor{Chat: c.url + "/chat/default"}
	if _, err := app.Socket(t.Context()); err != nil {
		t.Errorf("who is no browser: got %v", err)
	}
	// The tenant takes the page off its list: what is open there ends with the next message.
	page := c.connects(known, false)
	c.opens(client.WebChatPatch{Origins: &[]string{"https://other.example"}})
	if err := page.Say(t.Context(), "a", "hello"); err != nil {
		t.Fatal(err)
	}
	if code, why := page.Closed(t.Context()); code != 4403 || why != "origin" {
		t.Errorf("closed as %d %q", code, why)
	}
}

// Whoever guesses addresses finds nothing out, and a token of one tenant is worth nothing at another's, forged or cut tokens
// nothing anywhere.
func TestTokensAreOfOneTenant(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		c := reception(t, webchat.Options{HelloRate: -1}, env...)
		c.opens(client.WebChatPatch{})
		reply := recaller.WebChatAgent
		other, err := c.CreateTenant(t.Context(), client.NewTenant{Name: "Hillside", TenantSettings: client.TenantSettings{
			WebChat: &client.WebChatPatch{Reply: &reply, Origins: &[]string{shop}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		quiet, err := c.CreateTenant(t.Context(), client.NewTenant{Name: "Quiet"})
		if err != nil {
			t.Fatal(err)
		}
		var bodies []string
		for _, id := range []string{"nobody", quiet.Tenant.ID, "01999999-0000-7000-8000-000000000000"} {
			res := c.asked(http.MethodGet, "/chat/"+id+"/events", map[string]string{"Origin": shop})
			body, err := io.ReadAll(res.Body)
			if res.StatusCode != http.StatusNotFound || err != nil {
				t.Errorf("got %d, %v", res.StatusCode, err)
			}
			bodies = append(bodies, string(body))
		}
		if bodies[0] != bodies[1] || bodies[0] != bodies[2] {
			t.Errorf("guesses are told apart: %q", bodies)
		}
		anna := c.visitor()
		c.asks(c.connects(anna, false), "a", "Please remember that I am allergic to penicillin", "One moment. I have noted that.")
		signed, err := c.WebChatToken(t.Context(), client.NewWebChatToken{ExternalID: "customer-7"})
		if err != nil {
			t.Fatal(err)
		}
		end := len(anna.Token) - 1
		for what, token := range map[string]string{
			"an anonymous one": anna.Token, "one of who is signed in": signed.Token,
		} {
			v := webchattest.Visitor{Chat: c.url + "/chat/" + other.Tenant.ID, Origin: shop, Token: token}
			c.refuses(what+" of another tenant", &v)
		}
		for what, token := range map[string]string{
			"cut": anna.Token[:end], "changed": anna.Token[:end] + string("AQ"[(strings.IndexByte("AQ", anna.Token[end])+1)%2]), "made up": "rcv1.eyJ4IjoiY3VzdG9tZXItNyIsImUiOjQxMDI0NDQ4MDB9." + strings.Repeat("A", 43),
			"a key": c.app.BootstrapKey(), "long": strings.Repeat("a", 5000), "unsigned": strings.Join(strings.Split(anna.Token, ".")[:2], ".") + ".",
		} {
			v := c.visitor()
			v.Token = token
			c.refuses(what, v)
		}
		if err := c.RevokeWebChatTokens(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.refuses("of before all were made void", anna)
		if _, err := c.WebChatToken(t.Context(), client.NewWebChatToken{ExternalID: recaller.VisitorPrefix + "x"}); err == nil {
			t.Error("an application signs in whom nobody knows")
		}
		page, err := c.Conversations(t.Context(), client.ConversationFilter{})
		if err != nil || len(page.Conversations) != 1 {
			t.Errorf("got %d conversations, %v; want that of the one who came in", len(page.Conversations), err)
		}
	})
}

// refuses wants a visitor's token to be refused at every door.
func (c *counter) refuses(what string, v *webchattest.Visitor) {
	c.t.Helper()
	v.Last = ""
	_, err := v.Socket(c.t.Context())
	var closed websocket.CloseError
	if !errors.As(err, &closed) || closed.Code != 4401 || closed.Reason != "forged" {
		c.t.Errorf("a token that is %s: the socket got %v", what, err)
	}
	if _, err := v.Stream(c.t.Context()); !errors.Is(err, webchattest.Status(http.StatusUnauthorized)) {
		c.t.Errorf("a token that is %s: the stream got %v", what, err)
	}
	if _, err := v.Post(c.t.Context(), "a", "hello"); !errors.Is(err, webchattest.Status(http.StatusUnauthorized)) {
		c.t.Errorf("a token that is %s: the post got %v", what, err)
	}
	if err := v.End(c.t.Context()); !errors.Is(err, webchattest.Status(http.StatusUnauthorized)) {
		c.t.Errorf("a token that is %s: the end got %v", what, err)
	}
}

// The widget is one small script that caches keep, and the page that shows it is there for the tenant that lists this server.
func TestTheWidgetIsSmall(t *testing.T) {
	t.Parallel()
	c := reception(t, webchat.Options{})
	c.opens(client.WebChatPatch{})
	const most = 6 << 10
	res := c.asked(http.MethodGet, "/chat/widget.js", map[string]string{"Accept-Encoding": "br, gzip"})
	packed, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK || len(packed) > most || res.Header.Get("Content-Encoding") != "gzip" {
		t.Fatalf("got %d, %d bytes, %v", res.StatusCode, len(packed), res.Header)
	}
	zip, err := gzip.NewReader(strings.NewReader(string(packed)))
	if err != nil {
		t.Fatal(err)
	}
	script, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	res = c.asked(http.MethodGet, "/chat/widget.js", nil)
	plain, err := io.ReadAll(res.Body)
	if err != nil || string(plain) != string(script) || res.Header.Get("Content-Encoding") != "" || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/javascript") {
		t.Errorf("who takes no gzip gets another script: %v, %v", res.Header, err)
	}
	if len(plain) > 11<<10 { // docs/web-chat.md
		t.Errorf("it has %d bytes where nobody packs it", len(plain))
	}
	for _, word := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "document.cookie"} {
		if strings.Contains(string(plain), word) {
			t.Errorf("the widget uses %s", word)
		}
	}
	tag := res.Header.Get("ETag")
	res = c.asked(http.MethodGet, "/chat/widget.js", map[string]string{"If-None-Match": tag})
	if res.StatusCode != http.StatusNotModified || tag == "" || !strings.Contains(res.Header.Get("Cache-Control"), "max-age") {
		t.Errorf("got %d for the tag %q, %v", res.StatusCode, tag, res.Header)
	}
	if res := c.asked(http.MethodPost, "/chat/widget.js", nil); res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("a post got %d", res.StatusCode)
	}
	if res := c.asked(http.MethodGet, "/chat/default/demo", nil); res.StatusCode != http.StatusNotFound {
		t.Errorf("the page is there although its origin is not listed: %d", res.StatusCode)
	}
	title := `</title><script>alert("1")</script>`
	c.opens(client.WebChatPatch{Origins: &[]string{c.url}, Title: &title})
	res = c.asked(http.MethodGet, "/chat/default/demo", nil)
	page, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK || !strings.Contains(string(page), `data-tenant="default"`) || strings.Contains(string(page), title) {
		t.Errorf("got %d, %s", res.StatusCode, page)
	}
	if policy := res.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "script-src 'self'") || strings.Contains(policy, "unsafe") {
		t.Errorf("got the policy %q", policy)
	}
}

// What a tenant sets is checked, and what is left out stays. The agent can be chosen only where there is one.
func TestAWebChatIsSetUp(t *testing.T) {
	t.Parallel()
	c := reception(t, webchat.Options{})
	if got, err := c.Tenant(t.Context()); err != nil || got.WebChat.Reply != recaller.WebChatOff || len(got.WebChat.Origins) > 0 {
		t.Fatalf("got %+v, %v", got.WebChat, err)
	}
	title, language := "Lakeside", "de-at"
	c.opens(client.WebChatPatch{Origins: &[]string{"https://Shop.Example/", "https://shop.example:443", "http://b.example:80", "http://localhost:*"}, Title: &title, Language: &language})
	got, err := c.Tenant(t.Context())
	if err != nil || got.WebChat.Title != title || got.WebChat.Language != "de-AT" || !slices.Equal(got.WebChat.Origins, []string{"http://b.example", "http://localhost:*", shop}) {
		t.Errorf("got %+v, %v", got.WebChat, err)
	}
	empty := ""
	c.set(client.TenantSettings{WebChat: &client.WebChatPatch{Title: &empty}})
	if got, err := c.Tenant(t.Context()); err != nil || got.WebChat.Title != "" || got.WebChat.Language != "de-AT" || got.WebChat.Reply != recaller.WebChatAgent {
		t.Errorf("got %+v, %v", got.WebChat, err)
	}
	agent := recaller.WebChatAgent
	for field, p := range map[string]client.WebChatPatch{
		"web_chat.origins[0]": {Origins: &[]string{"shop.example"}}, "web_chat.origins[1]": {Origins: &[]string{shop, "https://shop.example/page"}},
		"web_chat.origins[2]": {Origins: &[]string{shop, shop, "*"}}, "web_chat.title": {Title: &[]string{"a\nb"}[0]}, "web_chat.language": {Language: &[]string{"und"}[0]},
		"web_chat.greeting": {Greeting: &[]string{strings.Repeat("a", 4001)}[0]}, "web_chat.origins": {Origins: &[]string{50: shop}},
	} {
		c.wrong(c.house, field, p)
	}
	c.wrong(build(t, t.TempDir(), Options{}), "web_chat.reply", client.WebChatPatch{Reply: &agent})
}

// wrong wants settings to be refused, for a field.
func (c *counter) wrong(h *house, field string, p client.WebChatPatch) {
	c.t.Helper()
	_, err := h.UpdateTenant(c.t.Context(), client.TenantPatch{TenantSettings: client.TenantSettings{WebChat: &p}})
	var problem *client.Problem
	if !errors.As(err, &problem) || problem.Status != http.StatusUnprocessableEntity || problem.Field != field {
		c.t.Errorf("%s: got %v", field, err)
	}
}
