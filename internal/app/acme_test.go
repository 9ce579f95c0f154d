package app

import (
	"bytes"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
	"github.com/miekg/dns"

	"github.com/recallerhq/recaller/internal/config"
)

const ownDomain = "memory.example"

// authority is Pebble, the ACME server by which Let's Encrypt has clients tested. It looks for the domain at a port of
// this machine.
type authority struct {
	*httptest.Server
	orders atomic.Int32
	refuse atomic.Bool // it answers orders with a refusal
}

func newAuthority(t *testing.T, port int) *authority {
	t.Helper()
	t.Setenv("PEBBLE_VA_NOSLEEP", "1")
	t.Setenv("PEBBLE_WFE_NONCEREJECT", "0") // per cent of requests that are to be tried again, which takes a second each
	quiet, store := slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo), db.NewMemoryStore()
	issuer := ca.New(quiet, store, "", "ecdsa", 0, 1, map[string]ca.Profile{"default": {ValidityPeriod: 90 * 24 * 3600}})
	front := wfe.New(quiet, store, va.New(quiet, 1, port, false, names(t), store), issuer, []string{"pebble"}, false, false, 0, 0)
	a, pebble := &authority{}, front.Handler()
	a.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/order-plz" {
			a.orders.Add(1)
			if a.refuse.Load() {
				w.Header().Set("Content-Type", "application/problem+json")
				w.WriteHeader(http.StatusForbidden)
				_, _ = io.WriteString(w, `{"type":"urn:ietf:params:acme:error:rejectedIdentifier","detail":"policy forbids it"}`)
				return
			}
		}
		pebble.ServeHTTP(w, r)
	}))
	t.Cleanup(a.Close)
	return a
}

// names is a name server to which every name is this machine.
func names(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &dns.Server{Listener: ln, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, q *dns.Msg) {
		m := new(dns.Msg).SetReply(q)
		if q.Question[0].Qtype == dns.TypeA {
			head := dns.RR_Header{Name: q.Question[0].Name, Rrtype: dns.TypeA, Class: dns.ClassINET}
			m.Answer = append(m.Answer, &dns.A{Hdr: head, A: net.IPv4(127, 0, 0, 1)})
		}
		_ = w.WriteMsg(m)
	})}
	go func() { _ = s.ActivateAndServe() }()
	t.Cleanup(func() { _ = s.Shutdown() })
	return ln.Addr().String()
}

// domained is a server with certificates from the authority.
type domained struct {
	t    *testing.T
	addr string
	own  *tls.Config
	logs *lines
}

// lines is a log.
type lines struct {
	mu sync.Mutex
	bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.String()
}

func newDomained(t *testing.T, ln net.Listener, directory, dir string, now func() time.Time) *domained {
	t.Helper()
	h := &domained{t: t, addr: ln.Addr().String(), logs: &lines{}}
	i := issuedFor(config.TLS{Domains: []string{ownDomain}, ACME: directory}, dir, slog.New(slog.NewTextHandler(h.logs, nil)), now)
	i.why.via = &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	h.own = i.config()
	s := &http.Server{
		TLSConfig: h.own, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo), ReadHeaderTimeout: time.Minute,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }),
	}
	go func() { _ = s.ServeTLS(ln, "", "") }()
	t.Cleanup(func() { _ = s.Close() })
	return h
}

// issuer connects by the domain, and returns who issued the certificate that it is shown.
func (h *domained) issuer() (string, error) {
	conn, err := tls.Dial("tcp", h.addr, &tls.Config{ServerName: ownDomain, InsecureSkipVerify: true})
	if err != nil {
		return "", err
	}
	defer conn.Close()
	cert := conn.ConnectionState().PeerCertificates[0]
	return cert.Issuer.CommonName, cert.VerifyHostname(ownDomain)
}

func listen(t *testing.T) (net.Listener, int) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return ln, ln.Addr().(*net.TCPAddr).Port
}

// The server gets a certificate from an ACME authority, which sees it under its domain, before anybody connects. After a
// restart it has it still, and asks for none.
func TestACertificateComesFromAnAuthority(t *testing.T) {
	ln, port := listen(t)
	a, dir := newAuthority(t, port), t.TempDir()
	h := newDomained(t, ln, a.URL+"/dir", dir, time.Now)
	ask(h.own, []string{ownDomain})
	by, err := h.issuer()
	if err != nil || !strings.HasPrefix(by, "Pebble") || a.orders.Load() != 1 {
		t.Fatalf("got a certificate by %q, %v, after %d orders; want one by Pebble: %s", by, err, a.orders.Load(), h.logs)
	}
	ln, _ = listen(t)
	again := newDomained(t, ln, a.URL+"/dir", dir, time.Now)
	if by, err := again.issuer(); err != nil || !strings.HasPrefix(by, "Pebble") || a.orders.Load() != 1 {
		t.Errorf("after a restart: got one by %q, %v, after %d orders; want the same, and no more orders", by, err, a.orders.Load())
	}
}

// Where there is no certificate the log says what the authority said, and what to do; not for each who connects.
func TestWhyThereIsNoCertificateIsTold(t *testing.T) {
	refusing := func(t *testing.T) string {
		a := newAuthority(t, 1)
		a.refuse.Store(true)
		return a.URL + "/dir"
	}
	for name, tt := range map[string]struct {
		directory func(*testing.T) string
		says      []string
	}{
		"it does not see the server": {func(t *testing.T) string { return newAuthority(t, 1).URL + "/dir" }, []string{"port 443", "Failed to connect to 127.0.0.1:1"}},
		"it refuses the domain":      {refusing, []string{"the authority refuses", "policy forbids it"}},
		"it is away":                 {func(*testing.T) string { return "http://127.0.0.1:1/dir" }, []string{"RECALLER_TLS_ACME", "connection refused"}},
	} {
		t.Run(name, func(t *testing.T) {
			ln, _ := listen(t)
			at := time.Now()
			h := newDomained(t, ln, tt.directory(t), t.TempDir(), func() time.Time { return at })
			ask(h.own, []string{ownDomain})
			if _, err := h.issuer(); err == nil {
				t.Error("a connection was made without a certificate")
			}
			got := h.logs.String()
			for _, want := range append(tt.says, "domain="+ownDomain, "level=ERROR") {
				if !strings.Contains(got, want) {
					t.Errorf("got %q, want %q in it", got, want)
				}
			}
			if n := strings.Count(got, "\n"); n != 1 {
				t.Errorf("it is said %d times, want once a minute", n)
			}
		})
	}
}
