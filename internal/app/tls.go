package app

import (
	"crypto/tls"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/config"
)

// encrypted returns how the API is served over TLS; nil: it is not. Certificates of files are read again when they
// change; those of domains come from an ACME authority, which connects to the server's own address to see it, and are
// kept with the keys.
func encrypted(c config.TLS, acmeDir string, log *slog.Logger, now func() time.Time) (*tls.Config, error) {
	switch {
	case len(c.Domains) > 0:
		return issuedFor(c, acmeDir, log, now).config(), nil
	case c.Cert != "":
		files := &certificate{cert: c.Cert, key: c.Key}
		if _, err := files.get(nil); err != nil {
			return nil, err
		}
		return &tls.Config{GetCertificate: files.get, MinVersion: tls.VersionTLS12}, nil
	}
	return nil, nil //nolint:nilnil // none is wanted
}

// certificate is one of files.
type certificate struct {
	cert, key string

	mu     sync.Mutex // guards what follows
	loaded *tls.Certificate
	of     time.Time // when the files that were loaded last were written
}

// get is a GetCertificate. Files that do not fit, because only one of them was replaced yet, leave the last ones in use.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	written, err := c.written()
	if err == nil && (c.loaded == nil || !written.Equal(c.of)) {
		var pair tls.Certificate
		if pair, err = tls.LoadX509KeyPair(c.cert, c.key); err == nil {
			c.loaded, c.of = &pair, written
		}
	}
	if c.loaded == nil {
		return nil, recaller.Wrap(recaller.Unavailable, err,
			"RECALLER_TLS_CERT and RECALLER_TLS_KEY cannot be used: give a certificate and its key in PEM, readable for the server")
	}
	return c.loaded, nil
}

// written returns when the newer of the files was written.
func (c *certificate) written() (time.Time, error) {
	var newest time.Time
	for _, path := range []string{c.cert, c.key} {
		info, err := os.Stat(path)
		if err != nil {
			return newest, err
		}
		if info.ModTime().After(newest) {
			newest = info.ModTime()
		}
	}
	return newest, nil
}
