package cli

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net"
	"net/http"
	"os"
	"strings"

	"github.com/recallerhq/recaller/internal/config"
)

// serverURL is where the configured server is asked, which listens on addr.
func serverURL(cfg config.Config, addr string) string {
	host := dialable(addr)
	switch {
	case len(cfg.TLS.Domains) > 0:
		if _, port, err := net.SplitHostPort(addr); err == nil {
			host = net.JoinHostPort(cfg.TLS.Domains[0], port)
		}
		return "https://" + host
	case cfg.TLS.On():
		return "https://" + host
	}
	return "http://" + host
}

// trusting returns a transport to the configured server that takes the very certificate of RECALLER_TLS_CERT, for the
// name that this is of; nil where base is another's, or the certificate cannot be read.
func trusting(cfg config.Config, base string) http.RoundTripper {
	if cfg.TLS.Cert == "" || base != serverURL(cfg, cfg.Addr) {
		return nil
	}
	text, err := os.ReadFile(cfg.TLS.Cert)
	if err != nil {
		return nil
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil
	}
	leaf, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(text)
	return &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, ServerName: nameOf(leaf), MinVersion: tls.VersionTLS12}}
}

// nameOf is a name that a certificate is of.
func nameOf(leaf *x509.Certificate) string {
	if len(leaf.DNSNames) > 0 {
		return strings.Replace(leaf.DNSNames[0], "*", "any", 1)
	}
	if len(leaf.IPAddresses) > 0 {
		return leaf.IPAddresses[0].String()
	}
	return leaf.Subject.CommonName
}
