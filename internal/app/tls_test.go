package app

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/config"
)

// certify writes a certificate of localhost and its key, and returns them.
func certify(t *testing.T, dir string, serial int64, written time.Time) (config.TLS, *x509.Certificate) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	c := config.TLS{Cert: filepath.Join(dir, "cert.pem"), Key: filepath.Join(dir, "key.pem")}
	for path, block := range map[string]*pem.Block{c.Cert: {Type: "CERTIFICATE", Bytes: der}, c.Key: {Type: "PRIVATE KEY", Bytes: raw}} {
		if err := errors.Join(os.WriteFile(path, pem.EncodeToMemory(block), 0o600), os.Chtimes(path, written, written)); err != nil {
			t.Fatal(err)
		}
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return c, parsed
}

func TestTLSFromFilesFollowsTheFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files, first := certify(t, dir, 1, time.Unix(1000, 0))
	own, err := encrypted(files, "", slog.Default(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{TLSConfig: own, ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Proto)
	})}
	go func() { _ = server.ServeTLS(ln, "", "") }()
	t.Cleanup(func() { _ = server.Close() })
	serial := func(trusted *x509.Certificate) int64 {
		t.Helper()
		pool := x509.NewCertPool()
		pool.AddCert(trusted)
		conn, err := tls.Dial("tcp", ln.Addr().String(), &tls.Config{RootCAs: pool, ServerName: "localhost"})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		return conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
	}
	if got := serial(first); got != 1 {
		t.Errorf("got certificate %d, want 1", got)
	}
	_, second := certify(t, dir, 2, time.Unix(2000, 0))
	if got := serial(second); got != 2 {
		t.Errorf("after a renewal: got certificate %d, want 2", got)
	}
	if err := os.WriteFile(files.Key, []byte("half a key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := serial(second); got != 2 {
		t.Errorf("while a file is replaced: got certificate %d, want 2", got)
	}
}

func TestTLSThatCannotBe(t *testing.T) {
	t.Parallel()
	if _, err := encrypted(config.TLS{Cert: "none", Key: "none"}, "", slog.Default(), time.Now); !errors.Is(err, recaller.Unavailable) {
		t.Errorf("got %v, want it unavailable", err)
	}
	if own, err := encrypted(config.TLS{}, "", slog.Default(), time.Now); own != nil || err != nil {
		t.Errorf("got %v, %v, want none", own, err)
	}
}

func TestTLSForDomainsServesNoOthers(t *testing.T) {
	t.Parallel()
	own, err := encrypted(config.TLS{Domains: []string{"memory.example"}}, t.TempDir(), slog.Default(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := own.GetCertificate(&tls.ClientHelloInfo{ServerName: "other.example"}); err == nil {
		t.Error("a certificate was asked for of a domain that is not configured")
	}
}
