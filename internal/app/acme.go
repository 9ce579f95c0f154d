package app

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"github.com/recallerhq/recaller/internal/config"
)

// issued are certificates for domains from an ACME authority. Where there is none it says why.
type issued struct {
	autocert.Manager
	domains []string
	log     *slog.Logger
	now     func() time.Time
	why     reasons

	mu   sync.Mutex
	told map[string]time.Time // when it was said last that a domain has none
}

// sayEach is how often it is said of a domain that there is no certificate: everybody who connects asks for it.
const sayEach = time.Minute

func issuedFor(c config.TLS, dir string, log *slog.Logger, now func() time.Time) *issued {
	i := &issued{domains: c.Domains, log: log, now: now, told: map[string]time.Time{}}
	i.why.via = http.DefaultTransport
	i.Prompt, i.Cache = autocert.AcceptTOS, autocert.DirCache(dir)
	i.HostPolicy = autocert.HostWhitelist(c.Domains...)
	i.Client = &acme.Client{DirectoryURL: c.ACME, HTTPClient: &http.Client{Transport: &i.why, Timeout: 30 * time.Second}}
	if c.ACME == "" {
		i.Client.DirectoryURL = acme.LetsEncryptURL
	}
	return i
}

func (i *issued) config() *tls.Config {
	return &tls.Config{
		GetCertificate: i.get, NextProtos: []string{"h2", "http/1.1", acme.ALPNProto}, MinVersion: tls.VersionTLS12,
	}
}

// get is a GetCertificate.
func (i *issued) get(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	cert, err := i.GetCertificate(hello)
	name := strings.ToLower(strings.TrimSuffix(hello.ServerName, "."))
	if err == nil || !slices.Contains(i.domains, name) || slices.Contains(hello.SupportedProtos, acme.ALPNProto) {
		return cert, err
	}
	i.mu.Lock()
	last, said := i.told[name]
	if said = said && i.now().Sub(last) < sayEach; !said {
		i.told[name] = i.now()
	}
	i.mu.Unlock()
	if !said {
		remedy, reason := i.refused(err)
		i.log.Error("there is no certificate for a domain of RECALLER_TLS_DOMAINS, and nobody can connect by it",
			"domain", name, "authority", i.Client.DirectoryURL, "reason", reason, "remedy", remedy)
	}
	return nil, err
}

// refused returns what to do where the authority gives no certificate, and what it said.
func (i *issued) refused(err error) (remedy, reason string) {
	reason = err.Error()
	if said := i.why.last(); said != "" && strings.Contains(reason, "no viable challenge") {
		return "the authority could not see this server under the domain; " +
			"have its name lead to this machine, and port 443 reach the server", said
	}
	var refusal *acme.Error
	if _, limited := acme.RateLimit(err); limited {
		return "the authority was asked too often; wait as long as it says", reason
	}
	if errors.As(err, &refusal) {
		return "the authority refuses; do as it says", refusal.Detail
	}
	return "see that RECALLER_TLS_ACME (not set: Let's Encrypt) can be reached from here, " +
		"and that the machine trusts its certificate", reason
}

// ask gets the certificates of domains before anybody connects, so that it shows at the start if there are none.
func ask(own *tls.Config, domains []string) {
	for _, d := range domains {
		hello := &tls.ClientHelloInfo{
			ServerName: d, SignatureSchemes: []tls.SignatureScheme{tls.ECDSAWithP256AndSHA256},
			SupportedCurves: []tls.CurveID{tls.CurveP256}, CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256},
		}
		_, _ = own.GetCertificate(hello) // it is logged
	}
}

// reasons is a transport that notes why an authority did not believe that a domain is ours: the client of the library
// does not pass it on.
type reasons struct {
	via http.RoundTripper

	mu  sync.Mutex
	why string
}

// noted is how much of an answer is looked at.
const noted = 64 << 10

// RoundTrip sends a request.
func (r *reasons) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := r.via.RoundTrip(req)
	if err != nil || res.StatusCode != http.StatusOK {
		return res, err
	}
	head, err := io.ReadAll(io.LimitReader(res.Body, noted))
	var authz struct {
		Challenges []struct{ Error struct{ Detail string } }
	}
	if err == nil && json.Unmarshal(head, &authz) == nil {
		r.note(authz.Challenges)
	}
	res.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(head), res.Body), res.Body}
	return res, err
}

func (r *reasons) note(challenges []struct{ Error struct{ Detail string } }) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range challenges {
		if c.Error.Detail != "" {
			r.why = c.Error.Detail
		}
	}
}

func (r *reasons) last() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.why
}
