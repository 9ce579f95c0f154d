package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
)

// Source says where a value comes from.
type Source string

// The sources, weakest first.
const (
	FromDefault     Source = "default"
	FromFile        Source = "file"
	FromEnvironment Source = "environment"
	FromFlag        Source = "flag"
)

// Setting describes one setting and its effective value.
type Setting struct {
	Name    string `json:"name"`     // of the flag and in Options.Overrides: "llm-base-url"
	Env     string `json:"env"`      // "RECALLER_LLM_BASE_URL"
	FileKey string `json:"file_key"` // "llm.base_url"; empty if it cannot be set in the file
	Default string `json:"default"`  // empty: not set
	Help    string `json:"help"`
	Value   string `json:"value"` // redacted if it is a secret
	From    Source `json:"from"`
}

// field ties a setting to its place in a Config.
type field struct {
	key    string // of the file
	env    string
	preset string // the default
	help   string
	value  value
}

func (f field) name() string { return strings.NewReplacer(".", "-", "_", "-").Replace(f.key) }

// configEnv is the variable that names the file, which cannot name itself.
const configEnv = "RECALLER_CONFIG"

// fields lists every setting in the order of the documentation.
func (c *Config) fields() []field {
	return slices.Concat(c.placeFields(), c.modelFields(), c.chatFields(), c.telephoneFields(), c.servingFields())
}

// placeFields are about where things are, and who may have them.
func (c *Config) placeFields() []field {
	return []field{
		{"addr", "RECALLER_ADDR", "127.0.0.1:8787", "Address that the server listens on, host:port.", text(&c.Addr)},
		{"data", "RECALLER_DATA", "./data", "Folder of the data and the keys.", text(&c.Data)},
		{"database_url", "RECALLER_DATABASE_URL", "", "Not set: SQLite in the data folder. `postgres://USER:PASSWORD@HOST/DATABASE`: Postgres, as a role that the policies bind; see [scaling](scaling.md).", secret(&c.Databases.Data)},
		{"owner_database_url", "RECALLER_OWNER_DATABASE_URL", "", "The same database as the role that owns the tables. Only `recaller migrate` needs it.", secret(&c.Databases.Owner)},
		{"keys_database_url", "RECALLER_KEYS_DATABASE_URL", "", "Postgres of the wrapped keys. Not set: the schema `recaller_keys` of RECALLER_DATABASE_URL, which is to be backed up apart from the rest.", secret(&c.Databases.Keys)},
		{"keys_owner_database_url", "RECALLER_KEYS_OWNER_DATABASE_URL", "", "The same as the role that owns it. Only `recaller migrate` needs it.", secret(&c.Databases.KeysOwner)},
		{"api_key", "RECALLER_API_KEY", "", "Bootstrap key: an admin key of the tenant `default`, of at least 32 characters. Not set: one is made at the first start and printed once. One key at a time: a changed value shuts the old one out at the next start; keys made over the API stay. One that was deleted over the API stays deleted.", secret(&c.APIKey)},
		{"encryption_key", "MEMORY_ENCRYPTION_KEY", "", "Key-encryption key, 64 hexadecimal digits. Required with Postgres. Not set: one is made at the first start, in the data folder, readable by the owner only.", secret(&c.EncryptionKey)},
		{"encryption_key_previous", "MEMORY_ENCRYPTION_KEY_PREVIOUS", "", "Former key-encryption keys, separated by commas: they only open, until `recaller keys rotate` has run.", secrets(&c.PreviousEncryptionKeys)},
	}
}

// modelFields are about models, elsewhere or in this process.
func (c *Config) modelFields() []field {
	return []field{
		{"llm.base_url", "RECALLER_LLM_BASE_URL", "", "Endpoint of the model, OpenAI-compatible unless RECALLER_LLM_PROVIDER says `anthropic`. Not set: see [the model](#the-model).", text(&c.LLM.BaseURL)},
		{"llm.api_key", "RECALLER_LLM_API_KEY", "", "Key of that endpoint; local ones need none.", secret(&c.LLM.APIKey)},
		{"llm.model", "RECALLER_LLM_MODEL", "", "Model to ask for; required with RECALLER_LLM_BASE_URL, optional with the others.", text(&c.LLM.Model)},
		{
			"llm.provider", "RECALLER_LLM_PROVIDER", ProviderAuto,
			"`auto`, `openai`, `xai`, `anthropic`, or `none`: everything by rules, whatever keys are set.",
			oneOf(&c.Model.Provider, ProviderAuto, ProviderNone, ProviderOpenAI, ProviderXAI, ProviderAnthropic),
		},
		{"llm.timeout", "RECALLER_LLM_TIMEOUT", "30s", "How long one answer of the model may take, retries included. Of a model on this machine or its network: how long it may be silent between two pieces of an answer; it has ten minutes for the first.", span(&c.Model.Timeout, maxGrace)},
		{"llm.concurrency", "RECALLER_LLM_CONCURRENCY", "4", "Questions to the model at once, 1 to 64. A model on this machine or its network begins with one, and gets one more after each that it answers within 10 seconds.", count(&c.Model.Concurrency, 1, 64)},
		{
			"llm.words", "RECALLER_LLM_WORDS", WordsAuto,
			"In whose words the model writes conversations up: `own`, `quoted` (rules quote what was said, and it is " +
				"not asked), or `auto`: its own, once it has told two built-in calls without a false statement; see " +
				"[the " +
				"model](#the-model).", oneOf(&c.Model.Words, WordsAuto, WordsOwn, WordsQuoted),
		},
		{"llm.window_tokens", "RECALLER_LLM_WINDOW_TOKENS", "16000", "How much of a conversation one question holds; longer ones go in parts.", count(&c.Model.WindowTokens, 1000, 2_000_000)},
		{"proxy.base_url", "RECALLER_PROXY_BASE_URL", "", "Where requests to `/v1/chat/completions` and `/v1/messages` go on to: an endpoint that speaks OpenAI's or Anthropic's protocol, with its version, like https://api.openai.com/v1; see [the proxy](proxy.md). Tenants can have [their own](proxy.md#the-upstream). Not set: the endpoint of [the model](#the-model), unless that is Anthropic's.", address(&c.Proxy.BaseURL)},
		{"proxy.api_key", "RECALLER_PROXY_API_KEY", "", "Key of that endpoint, for requests that bring none of the provider's own.", secret(&c.Proxy.APIKey)},
		{"proxy.model", "RECALLER_PROXY_MODEL", "", "Model that is asked for, whatever a request names. Not set: the one that it names.", text(&c.Proxy.Model)},
		{"proxy.deadline", "RECALLER_PROXY_DEADLINE", "250ms", "How long a request may wait for what is remembered; after that it goes on untouched.", span(&c.Proxy.Deadline, maxDeadline)},
		{"proxy.body_bytes", "RECALLER_PROXY_BODY_BYTES", "32MiB", "Largest body of a request to the proxy, pictures included.", size(&c.Proxy.MaxBody, 64<<10, 1<<30)},
		{
			"embedding.provider", "RECALLER_EMBEDDING_PROVIDER", EmbedderAuto,
			"What makes the vectors that a tenant's conversations are searched by: `auto`, `builtin` (in the " +
				"process), `openai` (any such endpoint) or `ollama`; see [embeddings](#embeddings).",
			oneOf(&c.Embedding.Provider, EmbedderAuto, EmbedderBuiltIn, EmbedderOpenAI, EmbedderOllama),
		},
		{"embedding.base_url", "RECALLER_EMBEDDING_BASE_URL", "", "Its endpoint, like https://models.example/v1.", text(&c.Embedding.BaseURL)},
		{"embedding.api_key", "RECALLER_EMBEDDING_API_KEY", "", "Key of that endpoint. Not set: OPENAI_API_KEY where the endpoint is OpenAI's.", secret(&c.Embedding.APIKey)},
		{"embedding.model", "RECALLER_EMBEDDING_MODEL", "", "Its model. Not set: `text-embedding-3-small`; required with `ollama`.", text(&c.Embedding.Model)},
		{"embedding.width", "RECALLER_EMBEDDING_WIDTH", "0", "How many numbers a vector has, where the model can make fewer; 0: as it makes them.", count(&c.Embedding.Width, 0, 4000)},
		{"embedding.timeout", "RECALLER_EMBEDDING_TIMEOUT", "10s", "How long one request to it may take.", span(&c.Embedding.Timeout, maxGrace)},
		{"embedding.recall", "RECALLER_EMBEDDING_RECALL", "false", "Whether it serves recall too: all turns of a caller go to it, and what is looked for.", boolean(&c.Embedding.Recall)},
		{"embedding.dialogue", "RECALLER_EMBEDDING_DIALOGUE", "true", "Whether a built-in model reads what was said in English, turn by turn, beside the built-in table: for recall the turns of short histories and the caller's in longer ones, up to 5,000 turns; of ended conversations for the search. It takes 5 to 30 ms a turn, once; not without AVX2.", boolean(&c.Embedding.Dialogue)},
		{"embedding.query_prefix", "RECALLER_EMBEDDING_QUERY_PREFIX", "", "What its model wants before what is searched for, like `query:`; a space follows it.", text(&c.Embedding.Query)},
		{"embedding.passage_prefix", "RECALLER_EMBEDDING_PASSAGE_PREFIX", "", "What its model wants before what is searched, like `passage:`.", text(&c.Embedding.Passage)},
		{"xai.api_key", "XAI_API_KEY", "", "Key of xAI; see [the model](#the-model).", secret(&c.XAI.APIKey)},
		{"xai.model", "XAI_GROK_MODEL", "grok-3-fast", "Model of xAI.", text(&c.XAI.Model)},
		{"openai.api_key", "OPENAI_API_KEY", "", "Key of OpenAI; used if neither of the above is set.", secret(&c.OpenAI.APIKey)},
		{"anthropic.api_key", "ANTHROPIC_API_KEY", "", "Key of Anthropic; used if none of the above is set.", secret(&c.Anthropic.APIKey)},
	}
}

// chatFields are about the companion on Telegram, and how it hears and speaks.
func (c *Config) chatFields() []field {
	return []field{
		{"telegram.bot_token", "TELEGRAM_BOT_TOKEN", "", "Token of a Telegram bot, which answers as the tenant `default`; see [telegram](telegram.md). Not set: no bot.", secret(&c.Telegram.Token)},
		{"telegram.users", "RECALLER_TELEGRAM_USERS", "", "Ids of the Telegram users whom it answers, with commas between. Not set: it answers nobody, and tells who writes to it his id.", ids(&c.Telegram.Users)},
		{"telegram.url", "RECALLER_TELEGRAM_URL", "https://api.telegram.org", "The Bot API; a server of one's own has another address.", address(&c.Telegram.URL)},
		{"stt.base_url", "RECALLER_STT_BASE_URL", "", "Endpoint that writes voice messages down, as OpenAI's `/v1/audio/transcriptions` does. Not set: voice messages are answered with a notice.", address(&c.STT.BaseURL)},
		{"stt.api_key", "RECALLER_STT_API_KEY", "", "Key of that endpoint; local ones need none.", secret(&c.STT.APIKey)},
		{"stt.model", "RECALLER_STT_MODEL", "whisper-1", "Its model.", text(&c.STT.Model)},
		{"tts.base_url", "RECALLER_TTS_BASE_URL", "", "Endpoint that speaks replies, as OpenAI's `/v1/audio/speech` does. Not set: replies are written.", address(&c.TTS.BaseURL)},
		{"tts.api_key", "RECALLER_TTS_API_KEY", "", "Key of that endpoint; local ones need none.", secret(&c.TTS.APIKey)},
		{"tts.model", "RECALLER_TTS_MODEL", "tts-1", "Its model.", text(&c.TTS.Model)},
		{"tts.voice", "RECALLER_TTS_VOICE", "alloy", "Its voice.", text(&c.TTSVoice)},
	}
}

// telephoneFields are about the platforms that bring calls.
func (c *Config) telephoneFields() []field {
	return []field{
		{"twilio.auth_token", "TWILIO_AUTH_TOKEN", "", "Auth token that Twilio signs its webhooks with; see [the telephone](telephone.md). While one replaces another: both, with a comma between. RECALLER_PUBLIC_URL must be what Twilio calls. Not set: Twilio's webhooks are refused.", secrets(&c.Telephone.TwilioTokens)},
		{"twilio.account_sid", "TWILIO_ACCOUNT_SID", "", "SID of the Twilio account by which texts and calls go out, with TWILIO_AUTH_TOKEN. Not set: none do.", text(&c.Telephone.TwilioAccount)},
		{"twilio.url", "RECALLER_TWILIO_URL", "https://api.twilio.com", "Twilio's API, without the version.", address(&c.Telephone.TwilioURL)},
		{"twilio.fragment", "RECALLER_TWILIO_FRAGMENT", "", "What stands behind the `#` in the addresses that Twilio was given, like `rc=2&rp=all`: a signature over an address with it is taken, too.", text(&c.Telephone.TwilioFragment)},
		{"telnyx.public_key", "TELNYX_PUBLIC_KEY", "", "Public key of Telnyx's webhooks, in base64; several with commas between. Not set: Telnyx's webhooks are refused.", list(&c.Telephone.TelnyxKeys)},
		{"telnyx.api_key", "TELNYX_API_KEY", "", "Key of Telnyx's API, by which texts go out and calls of its Call Control API are answered. Not set: no texts do, and only TeXML applications are served.", secret(&c.Telephone.TelnyxAPIKey)},
		{"telnyx.url", "RECALLER_TELNYX_URL", "https://api.telnyx.com/v2", "Telnyx's API.", address(&c.Telephone.TelnyxURL)},
		{
			"realtime.provider", "RECALLER_REALTIME_PROVIDER", ProviderAuto,
			"Whose realtime model [calls are bridged to](telephone.md#the-bridge): `auto` (the endpoint of RECALLER_REALTIME_URL, else xAI, OpenAI or Deepgram, whose key is set), `openai`, `xai`, `deepgram` (its voice agent), or `none`.",
			oneOf(&c.Talking.Provider, ProviderAuto, ProviderNone, ProviderOpenAI, ProviderXAI, ProviderDeepgram),
		},
		{"realtime.url", "RECALLER_REALTIME_URL", "", "Endpoint of the realtime model, as `https://` or `http://`; it speaks OpenAI's protocol unless RECALLER_REALTIME_PROVIDER says `xai` or `deepgram`. Not set: the provider's.", address(&c.Talking.URL)},
		{"realtime.api_key", "RECALLER_REALTIME_API_KEY", "", "Key of that endpoint, or of the provider that is named. Not set: XAI_API_KEY, OPENAI_API_KEY or DEEPGRAM_API_KEY, which go to their own endpoints only.", secret(&c.Talking.APIKey)},
		{"realtime.model", "RECALLER_REALTIME_MODEL", "", "Realtime model to ask for. Not set: `gpt-realtime`, or `grok-voice-latest`. Deepgram's agent has a model of somebody else's think, `open_ai/gpt-4o-mini` if it is not set: the name of the provider as Deepgram has it, a slash, and its model.", text(&c.Talking.Model)},
		{"realtime.voice", "RECALLER_REALTIME_VOICE", "", "Voice that it speaks with. Not set: `marin`, `eve`, or `aura-2-thalia-en`, which speaks English only: Deepgram has others for other languages.", text(&c.Talking.Voice)},
		{"realtime.hears", "RECALLER_REALTIME_HEARS", "", "Model that writes down what callers say. Not set: `gpt-4o-transcribe`, `grok-transcribe`, or `nova-3`; Deepgram also has `flux-general-en` and `flux-general-multi`.", text(&c.Talking.Hears)},
		{"realtime.beta", "RECALLER_REALTIME_BETA", "false", "The endpoint takes the older names of OpenAI's protocol (`OpenAI-Beta: realtime=v1`), as some compatible servers do.", boolean(&c.Talking.Beta)},
		{"realtime.turns", "RECALLER_REALTIME_TURNS", "", "How the model tells that a caller speaks, and has ended: its `turn_detection`, a JSON object, such as `{\"type\":\"semantic_vad\"}`. Not set: `server_vad`. Deepgram has none.", object(&c.Talking.Turns)},
		{"deepgram.api_key", "DEEPGRAM_API_KEY", "", "Key of Deepgram, which [listens to calls that are forwarded](telephone.md#listening-to-forwarded-calls) where a tenant has that, and whose voice agent may be the realtime model. Not set: nobody listens.", secret(&c.Deepgram.APIKey)},
		{"deepgram.url", "RECALLER_DEEPGRAM_URL", "https://api.deepgram.com", "Deepgram's API that listens.", address(&c.Deepgram.URL)},
		{"deepgram.model", "RECALLER_DEEPGRAM_MODEL", "nova-3", "Model that listens. One whose name begins with `flux-` (`flux-general-en`, `flux-general-multi`) decides by itself when somebody has finished.", text(&c.Deepgram.Model)},
	}
}

// servingFields are about serving, and about what the first tenant begins with.
func (c *Config) servingFields() []field {
	return []field{
		{"voice_session.enabled", "VOICE_SESSION_ENABLED", "true", "Whether the briefing of a voice call shows recent calls, and voice conversations leave documents.", boolean(&c.Voice.Enabled)},
		{"voice_session.sync_interval", "VOICE_SESSION_SYNC_INTERVAL", "30s", "Read, with or without a unit (seconds), for those who have it set. Nothing waits for it: turns are durable when they are acknowledged.", seconds(&c.Voice.SyncInterval)},
		{"voice_session.context_limit", "VOICE_SESSION_CONTEXT_LIMIT", "3", "How many recent conversations a briefing shows, 1 to 20. Only for the tenant `default`, at the first start; afterwards it is the tenant's `history_limit`.", count(&c.Voice.ContextLimit, 1, 20)},

		{"remem.api_url", "REMEM_API_URL", "", "An outside document server with the API of the voice session specification. Documents of voice conversations of the tenant `default` are delivered there, too; both must be set.", text(&c.Remem.URL)},
		{"remem.api_key", "REMEM_API_KEY", "", "Key of that server, sent as `X-API-Key`.", secret(&c.Remem.APIKey)},

		{"log.level", "RECALLER_LOG_LEVEL", "info", "`debug`, `info`, `warn` or `error`.", level(&c.Log.Level)},
		{"log.format", "RECALLER_LOG_FORMAT", "text", "`text` or `json`.", oneOf(&c.Log.Format, "text", "json")},
		{"metrics_addr", "RECALLER_METRICS_ADDR", "", "Address of its own for `/metrics`. Not set: on the server's address.", text(&c.MetricsAddr)},

		{"limits.body_bytes", "RECALLER_MAX_BODY_BYTES", "4MiB", "Largest body of a request.", size(&c.Limits.BodyBytes, 64<<10, 1<<30)},
		{"limits.import_bytes", "RECALLER_MAX_IMPORT_BYTES", "32MiB", "Largest body of an import. Bodies lie encrypted in the data folder while they are read; all at once take twice as much room there.", size(&c.Limits.ImportBytes, 64<<10, 4<<30)},
		{"limits.rate", "RECALLER_RATE_LIMIT", "10000", "Requests per second and API key; 0 sets no limit.", number(&c.Limits.Rate, 0, 1e6)},
		{"limits.burst", "RECALLER_RATE_BURST", "20000", "Requests that one API key may send at once.", count(&c.Limits.Burst, 1, 1e6)},

		{"limits.failures", "RECALLER_SIGNIN_FAILURES", "30", "Sign-ins that may fail in a minute from one address, and with one key, before others from there are answered 429 unseen; keys that worked before go on. 0 sets no limit.", count(&c.Limits.Failures, 0, 1e6)},
		{"tls.cert", "RECALLER_TLS_CERT", "", "File with the certificate, and those between it and its authority, by which the API is served (PEM). A renewed one is read without a restart. Not set: plain HTTP.", text(&c.TLS.Cert)},
		{"tls.key", "RECALLER_TLS_KEY", "", "File with its key.", text(&c.TLS.Key)},
		{"tls.domains", "RECALLER_TLS_DOMAINS", "", "Instead of files: domains, with commas between, whose certificates the server gets and renews itself from Let's Encrypt, whose terms are agreed to with this. Port 443 of the domains must reach the server.", words(&c.TLS.Domains)},
		{"tls.acme", "RECALLER_TLS_ACME", "", "Address of the directory of another ACME authority than Let's Encrypt, like `https://ca.example.com/acme/directory`. The machine must trust its certificate.", address(&c.TLS.ACME)},
		{"public_url", "RECALLER_PUBLIC_URL", "", "URL by which clients reach the server, like `https://memory.example.com`. [Access tokens](mcp.md#oauth) are for addresses under it, and [telephone platforms](telephone.md) sign it. Not set: keys only.", address(&c.Public)},
		{"proxies", "RECALLER_PROXIES", "", "Networks and addresses of the proxies with TLS in front of the server, with commas between: who asks is whom their `X-Forwarded-For` names. Not set: who connects.", reach(&c.Proxies)},
		{"webhook.allow", "RECALLER_WEBHOOK_ALLOW", "", "What the webhooks, [issuers](mcp.md#oauth) and [upstreams](proxy.md#the-upstream) of tenants may reach that is not public: networks (`10.1.0.0/16`), addresses, and names of hosts, with commas between. Not set: no loopback, private, link-local or metadata address.", reach(&c.Webhooks)},

		{"briefing.deadline", "RECALLER_BRIEFING_DEADLINE", "250ms", "After this a briefing is answered as it is: marked degraded where the caller could not be read, not where only what fits the query was not found yet.", span(&c.Briefing.Deadline, maxDeadline)},
		{"briefing.tokens", "RECALLER_BRIEFING_TOKENS", "1500", "Budget of a briefing in tokens, 200 to 100000.", count(&c.Briefing.Tokens, 200, 100_000)},
		{"recall.cache_bytes", "RECALLER_RECALL_CACHE_BYTES", "64MiB", "Memory for recall's indexes.", size(&c.RecallCacheBytes, 1<<20, 1<<40)},
		{"workers", "RECALLER_WORKERS", "2", "Wrap-up jobs that run at once, 1 to 64.", count(&c.Workers, 1, 64)},
		{"shutdown_grace", "RECALLER_SHUTDOWN_GRACE", "15s", "How long the server may take to stop.", span(&c.ShutdownGrace, maxGrace)},

		{"defaults.region", "RECALLER_DEFAULT_REGION", "US", "Region whose numbering plan reads national numbers (ISO 3166 alpha-2). Only for the tenant `default`, at the first start.", text(&c.Defaults.Region)},
		{"defaults.time_zone", "RECALLER_DEFAULT_TIME_ZONE", "UTC", "Time zone of callers whose own is not known (IANA name). Only for the tenant `default`, at the first start.", text(&c.Defaults.TimeZone)},
		{
			"defaults.retention", "RECALLER_RETENTION", string(recaller.Keep),
			"What is kept of raw words: `keep`, `archive` or `ephemeral`. Only for the tenant `default`, at the " +
				"first start.", oneOf(&c.Defaults.Retention, recaller.Keep, recaller.Archive, recaller.Ephemeral),
		},
	}
}

// Describe lists all settings with their effective, redacted values, in the order of the documentation.
func (c Config) Describe() []Setting {
	fields := c.fields()
	list := make([]Setting, 0, len(fields)+1)
	file := Setting{
		Name: "config", Env: configEnv, Help: "Configuration file (TOML).", Value: c.file, From: FromDefault,
	}
	if from, ok := c.from[file.Name]; ok {
		file.From = from
	}
	list = append(list, file)
	for _, f := range fields {
		s := Setting{
			Name: f.name(), Env: f.env, FileKey: f.key, Default: f.preset, Help: f.help, Value: f.value.get(),
			From: FromDefault,
		}
		if from, ok := c.from[s.Name]; ok {
			s.From = from
		}
		list = append(list, s)
	}
	return list
}

// Markdown returns the table of all settings for the documentation.
func Markdown() string {
	var b strings.Builder
	b.WriteString("| variable | in the file | default | meaning |\n|---|---|---|---|\n")
	for _, s := range (Config{}).Describe() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", s.Env, code(s.FileKey), code(s.Default), s.Help)
	}
	return b.String()
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}
