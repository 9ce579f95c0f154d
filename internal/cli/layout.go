package cli

import (
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/recallerhq/recaller/internal/app"
	"github.com/recallerhq/recaller/internal/config"
)

// files are the places under the data folder that the command line looks at itself.
type files struct {
	database  string
	keyStore  string // wrapped data keys
	masterKey string // the key-encryption key, if it is not configured
	apiKey    string // the bootstrap key, if it is not configured
	archive   string // sealed transcripts
}

func filesOf(cfg config.Config) files {
	return files{
		database:  filepath.Join(cfg.Data, "recaller.db"),
		keyStore:  filepath.Join(cfg.Data, "keys", "keys.db"),
		masterKey: app.MasterKeyFile(cfg),
		apiKey:    filepath.Join(cfg.Data, "keys", "api.key"),
		archive:   filepath.Join(cfg.Data, "archive"),
	}
}

// apiKey returns the key for the server at base: the configured one, else, for a server on this machine, the one that
// the data folder keeps. That key must not go to strangers.
func apiKey(cfg config.Config, base string) string {
	if cfg.APIKey.Set() {
		return cfg.APIKey.Reveal()
	}
	if !local(cfg, base) {
		return ""
	}
	text, err := os.ReadFile(filesOf(cfg).apiKey)
	if err != nil {
		return "" // the server will say that a key is missing
	}
	return strings.TrimSpace(string(text))
}

// local reports whether base is the configured server, or one on this machine.
func local(cfg config.Config, base string) bool {
	if base == serverURL(cfg, cfg.Addr) {
		return true
	}
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || (ip != nil && ip.IsLoopback())
}
