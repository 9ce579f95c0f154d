package recaller

import (
	"slices"
	"time"
)

// Retention says what is kept of raw words (spec 2.1).
type Retention string

// The retentions.
const (
	Ephemeral Retention = "ephemeral" // turns exist only in process memory
	Archive   Retention = "archive"   // a sealed file per conversation, deleted after Tenant.ArchiveDays
	Keep      Retention = "keep"      // sealed turns in the database until erased; the default
)

// Valid reports whether r is one of the retentions.
func (r Retention) Valid() bool { return slices.Contains([]Retention{Ephemeral, Archive, Keep}, r) }

// Tenant is one business or person that runs an agent, with its settings. Zero settings mean the defaults that
// WithDefaults fills in.
type Tenant struct {
	ID          TenantID
	Name        string
	Environment string // Production (default) or Demo; fixed once there are callers
	Profile     Profile
	Persona     int      // the version of the persona that Profile.Personality is; 0: there is none
	Personas    int      // how many versions were made
	Numbers     []string // E.164 numbers that reach this tenant's agent, and no other tenant's

	DefaultRegion string // ISO 3166 alpha-2: how national numbers are read
	TimeZone      string // IANA name: the zone of callers whose own is not known
	Retention     Retention
	ArchiveDays   int           // how long an archive file is kept
	ResumeWindow  time.Duration // H3: how long a checkpoint, or a call that broke off, can be resumed
	IdleLimit     time.Duration // a conversation with no turn for this long is closed
	// DocumentArchiveDays is after how many days documents of conversations count as archived (V9); 0: never.
	DocumentArchiveDays int
	HistoryLimit        int      // how many past conversations a briefing shows (V2, P2)
	PinAfter            int      // in how many conversations a topic comes up before it is pinned (V8); NoPins: never
	Packs               []string // names of the keyword packs, in order of precedence (spec 2.5)
	// OwnPacks are the names of the keyword packs that it brought itself, sorted; their tables are kept apart.
	OwnPacks []string
	// Masking says whether card numbers, national ids and passwords are masked before anything is stored (B11).
	Masking     Masking
	MemoryTools bool              // the agent has the memory tools: its briefing says how to use them (W10)
	Prompts     map[string]string // texts of its own, by the prompt's name (see internal/prompt); nil: ours
	Webhook     Webhook           // where reminders go (W3)
	OAuth       OAuth             // whose access tokens are taken over MCP, beside keys
	Upstream    Upstream          // where requests through the proxy go on to; none: to the server's own
	Telephone   Telephone         // how calls to its numbers are answered
	Texting     Texting           // what is done about texts to them
	WebChat     WebChat           // how visitors of its pages chat
	Outbound    Reaching          // how its callers are reached about reminders
	// Trust says what agents may in conversations of a tier, where that is not the default: see Rights.
	Trust      map[Trust]Rights
	CreatedAt  time.Time
	Unreadable bool  `json:"-"` // in lists only: its settings cannot be opened, because its key is missing or they are damaged
	Version    int64 `json:"-"` // the store's count of changes; an update must have the one that was read
}

// NoPins as Tenant.PinAfter has no topic pinned.
const NoPins = -1

// The environments. Trials and real callers never share a tenant (P8).
const (
	Production = "production"
	Demo       = "demo"
)

// Masking says whether secrets that people say are masked before anything is stored (B11).
type Masking string

// The settings of masking.
const (
	MaskingOn  Masking = "on" // the default
	MaskingOff Masking = "off"
)

// Valid reports whether m is one of the settings.
func (m Masking) Valid() bool { return m == MaskingOn || m == MaskingOff }

// Webhook is an address of the tenant's that is told what happens, in the form of Standard Webhooks. The zero value is
// none.
type Webhook struct {
	URL    string
	Secret string // "whsec_" and base64: what the requests are signed with
	// Events are the types of event that it is told of; none: of reminders that come due.
	Events []EventType
	// Content says that it is told what people said too: summaries, memories, and who the caller is. Without it it is told
	// ids, times, numbers and labels. A reminder always says what to remind of.
	Content bool
	// Previous is the secret before, which requests are signed with too until PreviousUntil. Empty: there is none.
	Previous      string
	PreviousUntil time.Time
}

// Set reports whether there is one.
func (w Webhook) Set() bool { return w.URL != "" }

// Wanted are the types of event that it is told of; none if it is not set.
func (w Webhook) Wanted() []EventType {
	switch {
	case !w.Set():
		return nil
	case len(w.Events) == 0:
		return []EventType{EventReminderDue}
	}
	return w.Events
}

// Wants reports whether it is told of such events.
func (w Webhook) Wants(t EventType) bool { return slices.Contains(w.Wanted(), t) }

// Secrets are what a request at a time is signed with, the newest first.
func (w Webhook) Secrets(at time.Time) []string {
	if w.Previous != "" && at.Before(w.PreviousUntil) {
		return []string{w.Secret, w.Previous}
	}
	return []string{w.Secret}
}

// Upstream is an endpoint of models that requests through the proxy go on to. The zero value is none.
type Upstream struct {
	BaseURL string // with the version: https://api.openai.com/v1
	APIKey  string // for requests that bring no key of the provider's own
	Model   string // takes the place of the one that a request names; empty: it stays
}

// Set reports whether there is one.
func (u Upstream) Set() bool { return u.BaseURL != "" }

// Profile is what a tenant says of itself in a briefing (P3).
type Profile struct {
	Business     string   `json:"business,omitempty"`    // its name towards callers
	Description  string   `json:"description,omitempty"` // "a golf course", "a bank"
	Location     string   `json:"location,omitempty"`
	Phone        string   `json:"phone,omitempty"`
	Hours        []Line   `json:"hours,omitempty"`   // {"Monday", "7am-8pm"}, in the order to show
	Pricing      []Line   `json:"pricing,omitempty"` // {"Weekday", "$25"}, in the order to show
	Services     []string `json:"services,omitempty"`
	Personality  string   `json:"personality,omitempty"`
	Greeting     string   `json:"greeting,omitempty"`
	Instructions []string `json:"instructions,omitempty"`
}

// Line is one labelled value, in an order that matters.
type Line struct {
	Label string `json:"label"`
	Value string `json:"value"`
}

// WithDefaults returns t with every zero setting replaced by its default.
func (t Tenant) WithDefaults() Tenant {
	set := func(s *string, v string) {
		if *s == "" {
			*s = v
		}
	}
	set(&t.Environment, Production)
	set(&t.DefaultRegion, "US")
	set(&t.TimeZone, "UTC")
	if t.Retention == "" {
		t.Retention = Keep
	}
	if t.ArchiveDays == 0 {
		t.ArchiveDays = 7
	}
	if t.ResumeWindow == 0 {
		t.ResumeWindow = 72 * time.Hour
	}
	if t.Texting.Reply == "" {
		t.Texting.Reply = ReplyNone
	}
	if t.Texting.QuietAfter == 0 {
		t.Texting.QuietAfter = time.Hour
	}
	if t.IdleLimit == 0 {
		t.IdleLimit = 30 * time.Minute
	}
	if t.HistoryLimit == 0 {
		t.HistoryLimit = 3
	}
	if t.PinAfter == 0 {
		t.PinAfter = 3
	}
	if t.Masking == "" {
		t.Masking = MaskingOn
	}
	if len(t.Packs) == 0 {
		t.Packs = []string{"service"}
	}
	if t.Telephone.Answer == "" {
		t.Telephone.Answer = AnswerGreeting
	}
	if t.WebChat.Reply == "" {
		t.WebChat.Reply = WebChatOff
	}
	t.Outbound = t.Outbound.withDefaults()
	if t.Personas == 0 && t.Profile.Personality != "" { // from before there were versions, or new
		t.Persona, t.Personas = 1, 1
	}
	return t
}

// Aged returns since when documents of conversations are not archived for their age; zero: none is.
func (t Tenant) Aged(now time.Time) time.Time {
	if t.DocumentArchiveDays == 0 {
		return time.Time{}
	}
	return now.AddDate(0, 0, -t.DocumentArchiveDays)
}

// Scope says what an API key may do. Each scope includes the weaker ones.
type Scope string

// The scopes, strongest first.
const (
	ScopeAdmin Scope = "admin" // tenants, keys, settings, erasure, and all below
	ScopeAgent Scope = "agent" // read and write callers, conversations, memories
	ScopeRead  Scope = "read"
)

// Valid reports whether s is one of the scopes.
func (s Scope) Valid() bool { return s == ScopeAdmin || s == ScopeAgent || s == ScopeRead }

// Allows reports whether a key of scope s may do what needs scope need.
func (s Scope) Allows(need Scope) bool {
	rank := map[Scope]int{ScopeRead: 1, ScopeAgent: 2, ScopeAdmin: 3}
	return rank[s] >= rank[need] && rank[s] > 0
}

// APIKey is what is known of a key; the key itself is never stored.
type APIKey struct {
	ID        KeyID
	Tenant    TenantID
	Scope     Scope
	Label     string
	CreatedAt time.Time
}
