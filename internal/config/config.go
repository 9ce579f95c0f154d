// Package config is the one place where Recaller's settings are read. Flags beat the environment, the environment beats
// the file, the file beats the defaults. An unknown name is an error in the file and among the flags, and a warning in
// the environment. The package opens nothing but the configuration file, and prints and logs no secret.
//
// It is for package app and the command line; other packages get the values that they need. Settings of a tenant are
// not here, except those that the tenant `default` begins with.
package config

import (
	"cmp"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// Config is the effective configuration. Get one from Load; it is a value, and nothing changes it afterwards.
type Config struct {
	Addr   string // host:port that serve listens on
	Public string // URL by which clients reach the server, without a slash at the end; empty: not told
	Data   string // folder of the data
	APIKey Secret // bootstrap key of the tenant default; empty: made at the first start

	Databases Databases

	EncryptionKey          Secret   // 64 hexadecimal digits; empty: made at the first start
	PreviousEncryptionKeys []Secret // keys that only open, while keys are rotated

	Embedding Embedding
	LLM       Endpoint // an endpoint of one's own
	XAI       Endpoint // only APIKey and Model can be set
	Deepgram  Deepgram
	OpenAI    Endpoint // only APIKey can be set
	Anthropic Endpoint // only APIKey can be set
	Model     Model
	Proxy     Proxy

	Voice     Voice
	Telegram  Telegram
	Telephone Telephone
	Talking   Realtime // as it is set; Realtime chooses
	STT       Endpoint // of speech to text; no BaseURL: there is none
	TTS       Endpoint // of text to speech; likewise
	TTSVoice  string   // who speaks
	Remem     Remem
	Log       Log
	Limits    Limits
	Proxies   Reach // networks of the proxies in front of the server
	Webhooks  Reach // inner addresses that tenants' webhooks may have
	Briefing  Briefing
	Defaults  Defaults

	TLS TLS

	MetricsAddr      string        // host:port of /metrics; empty: on Addr
	RecallCacheBytes int64         // how much memory recall's indexes may take
	ShutdownGrace    time.Duration // how long a stop may take
	Workers          int           // how many wrap-up jobs run at once

	file    string            // the configuration file; empty if there is none
	from    map[string]Source // where each setting's value comes from, by its name
	notices []string          // found while loading, for Warnings
}

// Databases says where data and keys are, as URLs of Postgres. They are secret because they hold passwords.
type Databases struct {
	Data      Secret // as the role that the server runs as; empty: SQLite in the data folder, and the keys too
	Owner     Secret // as the role that owns the tables; only Migrate needs it
	Keys      Secret // of the key store; empty: the schema recaller_keys of Data
	KeysOwner Secret // as Owner, for Keys; empty: Owner
}

// Postgres reports whether the data is on Postgres.
func (d Databases) Postgres() bool { return d.Data.Set() }

// Where tells people where the data is, without a password. Empty: in the data folder.
func (d Databases) Where() string {
	u, err := url.Parse(d.Data.Reveal())
	if err != nil || !d.Postgres() {
		return ""
	}
	return "postgres://" + u.Host + u.Path
}

// KeyStore returns where the wrapped keys are.
func (d Databases) KeyStore() Secret {
	if d.Keys.Set() {
		return d.Keys
	}
	return d.Data
}

// KeyStoreOwner is KeyStore as the role that owns it.
func (d Databases) KeyStoreOwner() Secret {
	if d.KeysOwner.Set() || d.Keys.Set() {
		return d.KeysOwner
	}
	return d.Owner
}

// Embedding says which embedder makes the vectors by which a tenant's conversations are searched, and, if Recall is
// set, a caller's turns.
type Embedding struct {
	Provider string // one of the Embedder constants; "auto": by which settings there are
	BaseURL  string
	APIKey   Secret
	Model    string
	Width    int           // 0: as the model makes them
	Timeout  time.Duration // for one request
	Recall   bool          // it serves recall too, and gets turns and queries
	Query    string        // put before what is searched for
	Passage  string        // put before what is searched
	Dialogue bool          // the built-in model of dialogues reads beside the built-in table
}

// The embedders.
const (
	EmbedderAuto    = "auto"
	EmbedderBuiltIn = "builtin" // a table of words, in the process
	EmbedderOpenAI  = "openai"  // any endpoint that speaks its protocol
	EmbedderOllama  = "ollama"
)

// Endpoint is a chat model behind an HTTP API.
type Endpoint struct {
	BaseURL string
	APIKey  Secret
	Model   string
}

// Proxy says where the requests of agents go that get memory by changing their base URL (spec B3).
type Proxy struct {
	Endpoint               // not set: the language model's, where that speaks OpenAI's protocol
	Deadline time.Duration // for what is remembered; after it a request goes on without
	MaxBody  int64         // bytes of a request's body, with the pictures in it
}

// Model says which model is asked, and how.
type Model struct {
	Provider     string        // one of the Provider constants; "auto": the first that is set
	Timeout      time.Duration // for one answer, tries included
	Concurrency  int           // how many questions at once
	WindowTokens int           // how much of a conversation one question may hold
	Words        string        // one of the Words constants: in whose words it writes conversations up
}

// In whose words a model writes conversations up.
const (
	WordsAuto   = "auto"   // its own, once it has passed an examination
	WordsOwn    = "own"    // its own
	WordsQuoted = "quoted" // those that were said: rules quote
)

// The providers: which endpoint is asked, and in whose protocol.
const (
	ProviderAuto      = "auto"
	ProviderNone      = "none" // everything by rules, whatever keys are set
	ProviderOpenAI    = "openai"
	ProviderXAI       = "xai"
	ProviderDeepgram  = "deepgram" // speaks and listens; writes nothing up
	ProviderAnthropic = "anthropic"
)

// Voice holds the settings of voice session continuity (spec V10).
type Voice struct {
	Enabled      bool          // whether the briefing of a voice call shows recent calls
	SyncInterval time.Duration // kept from seed V; nothing uses it, because acknowledged turns are durable
	ContextLimit int           // how many recent conversations a briefing shows
}

// Telegram is the companion on Telegram (spec L8).
type Telegram struct {
	Token Secret  // empty: there is none
	Users []int64 // the ids of those whom it answers
	URL   string  // of the Bot API
}

// Telephone says by what the requests of telephone platforms are known (spec P14).
type Telephone struct {
	TwilioTokens   []Secret // none: Twilio is refused
	TwilioFragment string   // of the addresses that Twilio was given
	TelnyxKeys     []string // none: Telnyx is refused
	TwilioAccount  string   // for texts and calls that go out; empty: none do
	TwilioURL      string   // where they are asked for
	TelnyxAPIKey   Secret   // for texts that go out, and commands about calls of its Call Control API; empty: none do, those are refused
	TelnyxURL      string   // where it takes them
}

// Realtime is the speech model that calls are bridged to (spec W14).
type Realtime struct {
	Provider string // one of the Provider constants
	URL      string // of the WebSocket; empty: the provider's
	APIKey   Secret
	Model    string // empty: the provider's usual one, as Voice and Hears
	Voice    string
	Hears    string // the model that writes down what callers say
	Beta     bool   // it has the older names of OpenAI's protocol
	Turns    string // how it tells that a caller speaks, a JSON object; empty: as usual
}

// Deepgram listens to calls that are forwarded, and its voice agent may be the Realtime model (spec V12).
type Deepgram struct {
	APIKey Secret // empty: nobody listens
	URL    string // of the API that listens
	Model  string // that listens
}

// Remem is an outside document server that documents of conversations are delivered to, too (spec V11).
type Remem struct {
	URL    string // of its API; empty: there is none
	APIKey Secret
}

// Log says what is logged and how.
type Log struct {
	Level  slog.Level
	Format string // "text" or "json"
}

// TLS says by which certificate the API is served; the zero value: by none, over plain HTTP.
type TLS struct {
	Cert, Key string   // files
	Domains   []string // certificates for them come from an ACME authority
	ACME      string   // the address of its directory; "": that of Let's Encrypt
}

// On reports whether the API is served over TLS.
func (t TLS) On() bool { return t.Cert != "" || len(t.Domains) > 0 }

// Limits bounds what clients may ask for.
type Limits struct {
	BodyBytes   int64   // of a request's body
	ImportBytes int64   // of the body of an import
	Rate        float64 // requests per second and API key; 0: no limit
	Burst       int     // requests at once above the rate
	Failures    int     // sign-ins a minute that may fail from one address, and with one key; 0: no limit
}

// Briefing bounds a briefing.
type Briefing struct {
	Deadline time.Duration // after it the answer is degraded
	Tokens   int           // the budget, unless a request asks for less
}

// Defaults are what the tenant `default` begins with at the first start.
type Defaults struct {
	Region    string // ISO 3166 alpha-2
	TimeZone  string // IANA name
	Retention recaller.Retention
}

// Provider is the model that wrap-up talks to.
type Provider struct {
	Name     string // "llm", "xai", "openai", "anthropic": by which settings it was chosen
	Variable string // the environment variable that chose it
	Protocol string // ProviderOpenAI or ProviderAnthropic
	Endpoint
}

// The endpoints and models that the providers' own variables stand for. Package llm knows Anthropic's endpoint.
const (
	xaiURL         = "https://api.x.ai/v1"
	embeddingModel = "text-embedding-3-small"
	openAIURL      = "https://api.openai.com/v1"
	openAIModel    = "gpt-4.1-mini"
	anthropicModel = "claude-haiku-4-5"
)

// Local reports whether the model runs on this machine or its network, where it may take its time.
func (p Provider) Local() bool {
	u, err := url.Parse(p.BaseURL)
	if err != nil || u.Host == "" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return !reachable(net.JoinHostPort(u.Hostname(), "0")) || ip != nil && ip.IsPrivate() ||
		ip == nil && !strings.Contains(u.Hostname(), ".")
}

// Where tells people where the model is.
func (p Provider) Where() string { return cmp.Or(p.BaseURL, p.Name) }

// Provider chooses the model: RECALLER_LLM_BASE_URL if it is set, else the first of xAI, OpenAI and Anthropic that has
// a key, or the one that RECALLER_LLM_PROVIDER names. Otherwise there is none, and everything goes by rules.
// RECALLER_LLM_MODEL names the model for any of them.
func (c Config) Provider() (Provider, bool) {
	if c.Model.Provider == ProviderNone {
		return Provider{}, false
	}
	named := c.Model.Provider
	if named == ProviderAuto {
		named = ""
	}
	if c.LLM.BaseURL != "" && named != ProviderXAI {
		return Provider{"llm", "RECALLER_LLM_BASE_URL", cmp.Or(named, ProviderOpenAI), c.LLM}, true
	}
	for _, p := range []Provider{
		{ProviderXAI, "XAI_API_KEY", ProviderOpenAI, Endpoint{xaiURL, c.XAI.APIKey, c.XAI.Model}},
		{ProviderOpenAI, "OPENAI_API_KEY", ProviderOpenAI, Endpoint{openAIURL, c.OpenAI.APIKey, openAIModel}},
		{ProviderAnthropic, "ANTHROPIC_API_KEY", ProviderAnthropic, Endpoint{"", c.Anthropic.APIKey, anthropicModel}},
	} {
		if p.APIKey.Set() && (named == "" || named == p.Name) {
			p.Model = cmp.Or(c.LLM.Model, p.Model)
			return p, true
		}
	}
	return Provider{}, false
}

// Upstream chooses where the proxy's requests go: RECALLER_PROXY_BASE_URL if it is set, else the endpoint of the language
// model where that speaks OpenAI's protocol, for whichever model a request names. The key of an endpoint goes to no other.
func (c Config) Upstream() Endpoint {
	if c.Proxy.BaseURL != "" {
		return c.Proxy.Endpoint
	}
	p, ok := c.Provider()
	if !ok || p.Protocol != ProviderOpenAI {
		return Endpoint{}
	}
	key := p.APIKey
	if c.Proxy.APIKey.Set() {
		key = c.Proxy.APIKey
	}
	return Endpoint{BaseURL: p.BaseURL, APIKey: key, Model: c.Proxy.Model}
}

// Embedder chooses the embedder, or takes the one that RECALLER_EMBEDDING_PROVIDER names. It is the endpoint of
// RECALLER_EMBEDDING_BASE_URL if that is set, else OpenAI's if OPENAI_API_KEY is set and no other language model comes
// first, else the built-in one, which needs nothing and sends nothing anywhere.
func (c Config) Embedder() Embedding {
	e := c.Embedding
	if e.Provider == EmbedderAuto {
		p, ok := c.Provider()
		switch {
		case e.BaseURL != "":
			e.Provider = EmbedderOpenAI
		case ok && p.Name == ProviderOpenAI:
			e.Provider = EmbedderOpenAI
		default:
			e.Provider = EmbedderBuiltIn
		}
	}
	switch e.Provider {
	case EmbedderBuiltIn:
		return Embedding{Provider: EmbedderBuiltIn, Dialogue: e.Dialogue}
	case EmbedderOpenAI:
		e.BaseURL = cmp.Or(e.BaseURL, openAIURL)
		if strings.TrimRight(e.BaseURL, "/") == openAIURL && !e.APIKey.Set() {
			e.APIKey = c.OpenAI.APIKey
		}
		e.Model = cmp.Or(e.Model, embeddingModel)
	case EmbedderOllama:
		e.BaseURL = cmp.Or(e.BaseURL, ollamaURL)
	}
	return e
}

// Realtime chooses the speech model: that of RECALLER_REALTIME_URL if it is set, else xAI's, OpenAI's or Deepgram's, whose
// key there is, or the one that RECALLER_REALTIME_PROVIDER names. Otherwise there is none. The key of a provider goes to no other
// URL than its own.
func (c Config) Realtime() (Realtime, bool) {
	r := c.Talking
	named := r.Provider
	switch {
	case named == ProviderNone:
		return Realtime{}, false
	case r.URL != "":
		if named == ProviderAuto {
			r.Provider = ProviderOpenAI
		}
		return r, true
	}
	for _, p := range []Realtime{
		{Provider: ProviderXAI, APIKey: c.XAI.APIKey},
		{Provider: ProviderOpenAI, APIKey: c.OpenAI.APIKey},
		{Provider: ProviderDeepgram, APIKey: c.Deepgram.APIKey},
	} {
		key := p.APIKey
		if r.APIKey.Set() && named == p.Provider {
			key = r.APIKey
		}
		if key.Set() && (named == ProviderAuto || named == p.Provider) {
			r.Provider, r.APIKey = p.Provider, key
			return r, true
		}
	}
	return Realtime{}, false
}

// ollamaURL is where a local Ollama listens.
const ollamaURL = "http://127.0.0.1:11434"
