package config

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/language"
)

const keyDigits = 64

// MinAPIKey is how many characters a bootstrap key has at least.
const MinAPIKey = 32

// Validate returns all problems joined, each an Invalid error that names its variable; nil if there is none. Load calls
// it.
func (c Config) Validate() error {
	return errors.Join(
		checkAddr("RECALLER_ADDR", c.Addr, false),
		checkAddr("RECALLER_METRICS_ADDR", c.MetricsAddr, true),
		c.checkData(),
		c.checkDatabases(),
		c.checkKeys(),
		c.checkEmbedding(),
		c.checkModel(),
		c.checkDefaults(),
		c.checkRemem(),
		c.checkTelegram(),
		c.checkTelephone(),
	)
}

func checkAddr(name, addr string, optional bool) error {
	if addr == "" && optional {
		return nil
	}
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return problem(name, "expected host:port, like 127.0.0.1:8787")
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n > 65535 {
		return problem(name, "expected a port from 0 to 65535 after the colon")
	}
	return nil
}

func (c Config) checkData() error {
	var errs []error
	if strings.TrimSpace(c.Data) == "" {
		errs = append(errs, problem("RECALLER_DATA", "expected a folder"))
	}
	if (c.TLS.Cert == "") != (c.TLS.Key == "") || c.TLS.Cert != "" && len(c.TLS.Domains) > 0 {
		errs = append(errs, problem("RECALLER_TLS_CERT", "expected RECALLER_TLS_KEY with it, and no RECALLER_TLS_DOMAINS"))
	}
	if c.TLS.ACME != "" && len(c.TLS.Domains) == 0 {
		errs = append(errs, problem("RECALLER_TLS_ACME", "expected RECALLER_TLS_DOMAINS with it"))
	}
	for _, d := range c.TLS.Domains {
		if !isHost(d) || !strings.Contains(d, ".") {
			errs = append(errs, problem("RECALLER_TLS_DOMAINS", "expected names like memory.example.com, with commas between"))
		}
	}
	if len(c.Proxies.Hosts) > 0 {
		errs = append(errs, problem("RECALLER_PROXIES", "expected networks or addresses, no names"))
	}
	if c.Limits.ImportBytes < c.Limits.BodyBytes {
		errs = append(errs, problem("RECALLER_MAX_IMPORT_BYTES", "expected at least RECALLER_MAX_BODY_BYTES"))
	}
	return errors.Join(errs...)
}

// checkRemem wants the outside document server whole or not at all.
func (c Config) checkRemem() error {
	if c.Remem.URL == "" && !c.Remem.APIKey.Set() {
		return nil
	}
	u, err := url.Parse(c.Remem.URL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil || u.RawQuery != "" {
		return problem("REMEM_API_URL", "expected a URL like https://remem.example.com")
	}
	if !c.Remem.APIKey.Set() {
		return problem("REMEM_API_KEY", "expected the server's key, because REMEM_API_URL is set")
	}
	return nil
}

// tokenForm is that of a Telegram bot's token.
var tokenForm = regexp.MustCompile(`^[0-9]+:[A-Za-z0-9_-]+$`)

func (c Config) checkTelegram() error {
	if t := c.Telegram.Token; t.Set() && !tokenForm.MatchString(t.Reveal()) {
		return problem("TELEGRAM_BOT_TOKEN", "expected a token as @BotFather gives it, like 123456:ABC-DEF")
	}
	return nil
}

// accountForm is that of the ids of Twilio's accounts.
var accountForm = regexp.MustCompile(`^AC[0-9a-fA-F]{32}$`)

func (c Config) checkTelephone() error {
	if strings.HasPrefix(c.Telephone.TwilioFragment, "#") {
		return problem("RECALLER_TWILIO_FRAGMENT", "expected what stands behind the #")
	}
	if a := c.Telephone.TwilioAccount; a != "" && !accountForm.MatchString(a) {
		return problem("TWILIO_ACCOUNT_SID", "expected AC and 32 digits of base 16, as Twilio's console shows it")
	}
	for _, k := range c.Telephone.TelnyxKeys {
		if raw, err := base64.StdEncoding.Strict().DecodeString(k); err != nil || len(raw) != ed25519.PublicKeySize {
			return problem("TELNYX_PUBLIC_KEY", "expected the base64 of 32 bytes, as Telnyx's portal shows it")
		}
	}
	return nil
}

// checkDatabases checks the form of the URLs. Each verb checks what it needs of them.
func (c Config) checkDatabases() error {
	var errs []error
	for name, u := range map[string]Secret{
		"RECALLER_DATABASE_URL": c.Databases.Data, "RECALLER_OWNER_DATABASE_URL": c.Databases.Owner,
		"RECALLER_KEYS_DATABASE_URL": c.Databases.Keys, "RECALLER_KEYS_OWNER_DATABASE_URL": c.Databases.KeysOwner,
	} {
		v := strings.ToLower(u.Reveal())
		if v != "" && !strings.HasPrefix(v, "postgres://") && !strings.HasPrefix(v, "postgresql://") {
			errs = append(errs, problem(name, "expected postgres://USER:PASSWORD@HOST/DATABASE"))
		} else if oddPassword(u.Reveal()) {
			errs = append(errs, problem(name, "expected special characters of the password by their codes: "+
				"%%23 for #, %%25 for %%, %%2F for /, %%3F for ?, %%40 for @"))
		}
	}
	if c.Databases.Keys.Set() && !c.Databases.Postgres() {
		errs = append(errs, problem("RECALLER_KEYS_DATABASE_URL", "expected RECALLER_DATABASE_URL with it"))
	}
	return errors.Join(errs...)
}

// oddPassword reports whether a URL has a character in its password that ends it, or that begins a code which is none.
// Such a URL may even be one, of another host.
func oddPassword(address string) bool {
	_, rest, _ := strings.Cut(address, "://")
	at := strings.LastIndex(rest, "@")
	if u, err := url.Parse(address); at < 0 || err == nil && u.User != nil {
		return false
	}
	_, password, _ := strings.Cut(rest[:at], ":")
	return strings.ContainsAny(password, "/?#%@[]")
}

func (c Config) checkEmbedding() error {
	var errs []error
	e := c.Embedding
	if e.BaseURL != "" {
		if u, err := url.Parse(e.BaseURL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			errs = append(errs, problem("RECALLER_EMBEDDING_BASE_URL", "expected a URL, like https://models.example/v1"))
		} else if u.User != nil {
			errs = append(errs, problem("RECALLER_EMBEDDING_BASE_URL", "expected a URL without a password: use "+
				"RECALLER_EMBEDDING_API_KEY"))
		}
	}
	chosen := c.Embedder()
	switch {
	case chosen.Provider == EmbedderOllama && chosen.Model == "":
		errs = append(errs, problem("RECALLER_EMBEDDING_MODEL", "expected a model with RECALLER_EMBEDDING_PROVIDER=ollama"))
	case chosen.Provider == EmbedderOpenAI && e.BaseURL == "" && !chosen.APIKey.Set():
		errs = append(errs, problem("RECALLER_EMBEDDING_PROVIDER", "openai needs RECALLER_EMBEDDING_BASE_URL, "+
			"RECALLER_EMBEDDING_API_KEY or OPENAI_API_KEY"))
	case chosen.Provider == EmbedderBuiltIn && e.Recall:
		errs = append(errs, problem("RECALLER_EMBEDDING_RECALL", "needs an embedder other than the built-in one, "+
			"which serves recall anyway"))
	case chosen.Provider == EmbedderBuiltIn && (e.Query != "" || e.Passage != ""):
		errs = append(errs, problem("RECALLER_EMBEDDING_QUERY_PREFIX and RECALLER_EMBEDDING_PASSAGE_PREFIX", "the built-in embedder takes none"))
	case chosen.Provider == EmbedderBuiltIn && (e.BaseURL != "" || e.Model != "" || e.Width != 0 || e.APIKey.Set()):
		errs = append(errs, problem("RECALLER_EMBEDDING_PROVIDER", "the built-in embedder takes no endpoint, key, "+
			"model or width"))
	}
	return errors.Join(errs...)
}

func (c Config) checkKeys() error {
	var errs []error
	if c.EncryptionKey.Set() && !isKey(c.EncryptionKey) {
		errs = append(errs, problem("MEMORY_ENCRYPTION_KEY", "expected 64 hexadecimal digits (32 bytes), as `openssl "+
			"rand -hex 32` prints"))
	}
	for i, k := range c.PreviousEncryptionKeys {
		if !isKey(k) {
			errs = append(errs, problem("MEMORY_ENCRYPTION_KEY_PREVIOUS", "key %d of %d: expected 64 hexadecimal "+
				"digits (32 bytes)", i+1, len(c.PreviousEncryptionKeys)))
		}
	}
	if strings.ContainsAny(c.APIKey.Reveal(), " \t\r\n") {
		errs = append(errs, problem("RECALLER_API_KEY", "expected a key without spaces"))
	}
	if n := len(c.APIKey.Reveal()); n > 0 && n < MinAPIKey {
		errs = append(errs, problem("RECALLER_API_KEY", "expected at least %d characters, as `openssl rand -hex 32` prints; "+
			"without the setting one is made", MinAPIKey))
	}
	return errors.Join(errs...)
}

func isKey(s Secret) bool {
	_, err := hex.DecodeString(s.Reveal())
	return err == nil && len(s.Reveal()) == keyDigits
}

func (c Config) checkModel() error {
	if c.LLM.BaseURL == "" {
		if c.LLM.APIKey.Set() {
			return problem("RECALLER_LLM_API_KEY", "expected RECALLER_LLM_BASE_URL with it")
		}
		return nil
	}
	var errs []error
	if u, err := url.Parse(c.LLM.BaseURL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		errs = append(errs, problem("RECALLER_LLM_BASE_URL", "expected a URL, like https://models.example/v1"))
	} else if u.User != nil {
		errs = append(errs, problem("RECALLER_LLM_BASE_URL", "expected a URL without a password: use "+
			"RECALLER_LLM_API_KEY"))
	}
	if c.LLM.Model == "" {
		errs = append(errs, problem("RECALLER_LLM_MODEL", "expected the model to ask for at RECALLER_LLM_BASE_URL"))
	}
	return errors.Join(errs...)
}

func (c Config) checkDefaults() error {
	var errs []error
	region, err := language.ParseRegion(c.Defaults.Region)
	if err != nil || !region.IsCountry() || region.String() != c.Defaults.Region {
		errs = append(errs, problem("RECALLER_DEFAULT_REGION", "expected two capital letters of ISO 3166, like US or "+
			"AT"))
	}
	if _, err := time.LoadLocation(c.Defaults.TimeZone); err != nil || c.Defaults.TimeZone == "" || c.Defaults.TimeZone == "Local" {
		errs = append(errs, problem("RECALLER_DEFAULT_TIME_ZONE", "expected an IANA name, like Europe/Vienna"))
	}
	return errors.Join(errs...)
}

// Warnings lists effective settings that are unsafe or misleading. Each warning names its variable. They are logged at
// every start.
func (c Config) Warnings() []string {
	list := append([]string(nil), c.notices...)
	warn := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	open := reachable(c.Addr)
	if open && !c.TLS.On() && len(c.Proxies.Networks) == 0 {
		warn("RECALLER_ADDR %s can be reached from other machines, and the server speaks plain HTTP: set "+
			"RECALLER_TLS_CERT or RECALLER_TLS_DOMAINS, or put a proxy with TLS in front and name it in RECALLER_PROXIES", c.Addr)
	}
	if open && c.Limits.Rate == 0 {
		warn("RECALLER_RATE_LIMIT is 0: clients on other machines may send as much as they like")
	}
	if c.MetricsAddr != "" && reachable(c.MetricsAddr) {
		warn("RECALLER_METRICS_ADDR %s can be reached from other machines, and metrics need no key", c.MetricsAddr)
	}
	p, ok := c.Provider()
	embeds := c.Embedding.Provider == EmbedderAuto && c.Embedder().Provider == EmbedderOpenAI &&
		c.Embedding.BaseURL == ""
	switch {
	case ok && p.Name != "llm" && c.Model.Provider == ProviderAuto:
		work := "write-up"
		if embeds {
			work = "write-up and embedding"
		}
		warn("conversations are sent to %s for their %s, because %s is set; RECALLER_LLM_PROVIDER=none keeps them here",
			p.Where(), work, p.Variable)
	case embeds: // the write-up was asked for by name, this was not
		warn("conversations are sent to %s for their embedding as well; RECALLER_EMBEDDING_PROVIDER=builtin keeps "+
			"them here", c.Embedder().BaseURL)
	}
	if c.Telegram.Token.Set() && !ok {
		warn("TELEGRAM_BOT_TOKEN is set and no language model is: the bot keeps what is said, and cannot answer")
	}
	if len(c.Telephone.TwilioTokens) > 0 && c.Public == "" {
		warn("TWILIO_AUTH_TOKEN is set and RECALLER_PUBLIC_URL is not: Twilio signs the address that it calls, so its webhooks are refused")
	}
	_, speaks := c.Realtime()
	if named := c.Talking.Provider; !speaks && named != ProviderAuto && named != ProviderNone {
		warn("RECALLER_REALTIME_PROVIDER is %s, but its key is not set: no call can be bridged", named)
	}
	if host := unencrypted(c.Talking.URL); host != "" {
		warn("RECALLER_REALTIME_URL is plain HTTP: calls travel to %s unencrypted", host)
	}
	if host := unencrypted(p.BaseURL); host != "" {
		warn("RECALLER_LLM_BASE_URL is plain HTTP: conversations travel to %s unencrypted", host)
	}
	if host := unencrypted(c.Embedder().BaseURL); host != "" {
		warn("RECALLER_EMBEDDING_BASE_URL is plain HTTP: conversations travel to %s unencrypted", host)
	}
	if !ok && c.Model.Provider != ProviderAuto && c.Model.Provider != ProviderNone {
		warn("RECALLER_LLM_PROVIDER is %s, but its key is not set: the write-up goes by rules", c.Model.Provider)
	}
	return list
}

// unencrypted returns the other machine to which an endpoint is plain HTTP; empty if there is none.
func unencrypted(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" || !reachable(net.JoinHostPort(u.Hostname(), "0")) {
		return ""
	}
	return u.Host
}

// reachable reports whether other machines may reach an address, as far as it shows.
func reachable(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil || host == "localhost" {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return err != nil || !ip.IsLoopback()
}
