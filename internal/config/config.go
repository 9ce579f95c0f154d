// Package config is the one place where Recaller's settings are read: flags beat the environment, the environment beats
// the file, the file beats the defaults. A name that it does not know is an error in the file and among the flags, and a
// warning in the environment. It opens nothing but the configuration file, and what it prints or logs holds no secret.
//
// It is for package app and the command line; other packages are handed the values they need. Settings of a tenant are
// not here, only the ones that the tenant `default` begins with.
package config

import (
	"cmp"
	"log/slog"
	"time"

	"github.com/recallerhq/recaller"
)

// Config is the effective configuration. Get one from Load; it is a value, and nothing changes it afterwards.
type Config struct {
	Addr        string // host:port that serve listens on
	Data        string // folder of the data
	DatabaseURL Secret // empty: SQLite under Data; secret because such URLs carry passwords
	APIKey      Secret // bootstrap key of the tenant default; empty: made at the first start

	EncryptionKey          Secret   // 64 hexadecimal digits; empty: made at the first start
	PreviousEncryptionKeys []Secret // keys that only open, while keys are rotated

	LLM       Endpoint // an endpoint of one's own
	XAI       Endpoint // only APIKey and Model can be set
	OpenAI    Endpoint // only APIKey can be set
	Anthropic Endpoint // only APIKey can be set
	Model     Model

	Voice    Voice
	Log      Log
	Limits   Limits
	Briefing Briefing
	Defaults Defaults

	MetricsAddr      string        // host:port of /metrics; empty: on Addr
	RecallCacheBytes int64         // how much memory recall's indexes may take
	ShutdownGrace    time.Duration // how long a stop may take
	Workers          int           // how many wrap-up jobs run at once

	file    string            // the configuration file; empty if there is none
	from    map[string]Source // where each setting's value comes from, by its name
	notices []string          // found while loading, for Warnings
}

// Endpoint is a chat model behind an HTTP API.
type Endpoint struct {
	BaseURL string
	APIKey  Secret
	Model   string
}

// Model says which of the models is asked, and how.
type Model struct {
	Provider     string        // one of the Provider constants; "auto": the first that is set
	Timeout      time.Duration // for one answer, tries included
	Concurrency  int           // how many questions at once
	WindowTokens int           // how much of a conversation one question may hold
}

// The providers: which endpoint is asked, and in whose protocol.
const (
	ProviderAuto      = "auto"
	ProviderNone      = "none" // everything by rules, whatever keys are set
	ProviderOpenAI    = "openai"
	ProviderXAI       = "xai"
	ProviderAnthropic = "anthropic"
)

// Voice holds the settings of voice session continuity (spec V10).
type Voice struct {
	Enabled      bool          // whether the briefing of a voice call shows recent calls
	SyncInterval time.Duration // kept from seed V; nothing waits for it, as turns are durable when acknowledged
	ContextLimit int           // how many recent conversations a briefing shows
}

// Log says what is logged and how.
type Log struct {
	Level  slog.Level
	Format string // "text" or "json"
}

// Limits bounds what clients may ask for.
type Limits struct {
	BodyBytes   int64   // of a request's body
	ImportBytes int64   // of the body of an import
	Rate        float64 // requests per second and API key; 0: no limit
	Burst       int     // requests at once above the rate
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

// The endpoints and models that the providers' own variables stand for. Anthropic's library knows its endpoint.
const (
	xaiURL         = "https://api.x.ai/v1"
	openAIURL      = "https://api.openai.com/v1"
	openAIModel    = "gpt-4.1-mini"
	anthropicModel = "claude-haiku-4-5"
)

// Where says where the model is, for people.
func (p Provider) Where() string { return cmp.Or(p.BaseURL, p.Name) }

// Provider chooses the model: RECALLER_LLM_BASE_URL if it is set, else xAI, OpenAI or Anthropic, whichever has a key first,
// or the one that RECALLER_LLM_PROVIDER names; else none, and everything goes by rules. RECALLER_LLM_MODEL names the model
// for any of them.
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
