//go:build measure

package app

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/webchat"
)

// The widget in a real browser: tools/widget/widget.mjs opens pages of a shop, writes, reads answers as they come, loads pages
// again, and tries what must not work. `make widget` gets a browser and runs it.
func TestTheWidgetInChromium(t *testing.T) {
	node := os.Getenv("RECALLER_WIDGET_NODE")
	if node == "" {
		t.Fatal("make widget runs it")
	}
	d := reception(t, webchat.Options{})
	d.next = make(chan struct{})
	go func() { // a word about every fifth of a second
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				select {
				case d.next <- struct{}{}:
				default:
				}
			case <-t.Context().Done():
				return
			}
		}
	}()
	shop := pagesOf(t, d.url, "default", d.Client)
	evil := pagesOf(t, d.url, "default")
	back, err := url.Parse(d.url)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(back)
	proxy.FlushInterval = -1
	deaf := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // as some companies' proxies are
		if r.Header.Get("Upgrade") != "" {
			http.Error(w, "no sockets here", http.StatusBadGateway)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(deaf.Close)
	walled := pagesOf(t, deaf.URL, "default")
	line := lay(t, strings.TrimPrefix(d.url, "http://"))
	far := pagesOf(t, "http://"+line.Addr().String(), "default")
	pliers := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { line.cut(r.URL.Path == "/cut") }))
	t.Cleanup(pliers.Close)
	reply, origins := recaller.WebChatAgent, []string{shop, walled, far, d.url}
	title, greeting := "Lakeside Dental", "Hello! How can we help?"
	d.set(client.TenantSettings{WebChat: &client.WebChatPatch{Reply: &reply, Origins: &origins, Title: &title, Greeting: &greeting}})
	script := exec.CommandContext(t.Context(), node, "../../tools/widget/widget.mjs", shop, evil, walled, d.url, far, pliers.URL)
	out, err := script.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatal(err)
	}
	who, err := d.CallersByExternalID(t.Context(), "customer-7")
	if err != nil || len(who) != 1 || who[0].Name != "Anna Weber" {
		t.Errorf("whom the shop signed in is %+v, %v", who, err)
	}
}

// cable is a line between a browser and a server, which can be cut.
type cable struct {
	net.Listener
	mu   sync.Mutex
	gone bool
	ends map[net.Conn]bool
}

// lay lays a line to an address.
func lay(t *testing.T, to string) *cable {
	t.Helper()
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{Listener: ln, ends: map[net.Conn]bool{}}
	t.Cleanup(func() { _ = ln.Close(); c.cut(true) })
	go func() {
		for {
			here, err := ln.Accept()
			if err != nil {
				return
			}
			there, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", to)
			if err != nil || !c.join(here, there) {
				_ = here.Close()
				continue
			}
			go func() { _, _ = io.Copy(here, there); _ = here.Close() }()
			go func() { _, _ = io.Copy(there, here); _ = there.Close() }()
		}
	}()
	return c
}

// join notes both ends of a connection; false: the line is cut, and both are closed.
func (c *cable) join(ends ...net.Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, end := range ends {
		if c.gone {
			_ = end.Close()
		}
		c.ends[end] = true
	}
	return !c.gone
}

// cut breaks all connections off, and lets no others through; or mends the line.
func (c *cable) cut(off bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone = off; off {
		for end := range c.ends {
			_ = end.Close()
		}
		clear(c.ends)
	}
}

// pagesOf puts up a site with the widget on its pages; the query says with which attributes.
//
// Of those that have a client somebody is signed in: they say who at /my/chat-token.
func pagesOf(t *testing.T, server, tenant string, own ...*client.Client) (origin string) {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/my/chat-token" && len(own) > 0 {
			token, err := own[0].WebChatToken(r.Context(), client.NewWebChatToken{ExternalID: "customer-7", Name: "Anna Weber"})
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			_ = json.NewEncoder(w).Encode(token) // whoever is gone asks again
			return
		}
		var attributes strings.Builder
		for k, v := range r.URL.Query() {
			fmt.Fprintf(&attributes, " data-%s=%q", k, v[0])
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", fmt.Sprintf("default-src 'none'; script-src %[1]s; connect-src 'self' %[1]s %[2]s; style-src 'nonce-page'",
			server, strings.Replace(server, "http", "ws", 1)))
		_, _ = fmt.Fprintf(w, `<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content="width=device-width">
<title>Shop</title><style nonce=page>body{font:16px sans-serif;margin:40px;color-scheme:light dark;max-width:600px}</style>
<h1>Lakeside Dental</h1><p>Teeth, and what goes with them. A page of somebody else's, with styles of its own.</p><p><a href="#x">A link</a></p>
<script src="%s/chat/widget.js" data-tenant="%s"%s defer></script></html>`, server, tenant, attributes.String())
	}))
	t.Cleanup(site.Close)
	return site.URL
}
