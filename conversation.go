package recaller

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Channel says over what a conversation runs (P4).
type Channel string

// The channels.
const (
	ChannelVoice    Channel = "voice"
	ChannelSMS      Channel = "sms"
	ChannelWhatsApp Channel = "whatsapp"
	ChannelWebChat  Channel = "web-chat"
	ChannelTelegram Channel = "telegram"
	ChannelAPI      Channel = "api"
)

// Channels lists the channels.
func Channels() []Channel {
	return []Channel{ChannelVoice, ChannelSMS, ChannelWhatsApp, ChannelWebChat, ChannelTelegram, ChannelAPI}
}

// Valid reports whether c is one of the channels.
func (c Channel) Valid() bool { return slices.Contains(Channels(), c) }

// Text reports whether the channel carries typed words.
func (c Channel) Text() bool { return c != ChannelVoice }

// Direction says who began a conversation.
type Direction string

// The directions.
const (
	Inbound  Direction = "inbound"
	Outbound Direction = "outbound"
)

// Valid reports whether d is one of the directions.
func (d Direction) Valid() bool { return d == Inbound || d == Outbound }

// Status is where a conversation stands.
type Status string

// The statuses. A conversation that broke off is Failed (P9).
const (
	Active    Status = "active"
	Completed Status = "completed"
	Failed    Status = "failed"
)

// Speaker is the side that said a turn.
type Speaker string

// The speakers.
const (
	User      Speaker = "user"      // the caller
	Assistant Speaker = "assistant" // the agent, model or human
)

// Valid reports whether s is one of the speakers.
func (s Speaker) Valid() bool { return s == User || s == Assistant }

// Turn is what one side said, once.
type Turn struct {
	ID          TurnID
	Number      int // its place in the conversation, from 0
	Speaker     Speaker
	Text        string
	Name        string // who spoke, where the transport knows more than the side; may be empty
	At          time.Time
	Confidence  float64 // of the recogniser, 0 to 1; 1 where none was told
	Interrupted bool    // the other side cut it off: its end may never have been heard (B10)
}

// Heard reports whether the words of a turn can be relied on: the recogniser was sure of them, and nobody cut the turn
// off (B10). A confidence of 0 means that none was told, and counts as sure.
func (t Turn) Heard() bool { return !t.Interrupted && (t.Confidence == 0 || t.Confidence >= 0.5) }

// Conversation is one call, SMS or chat exchange, from start to end.
type Conversation struct {
	ID             ConversationID
	ExternalID     string // the platform's own id, unique in the tenant; may be empty
	Caller         CallerID
	Channel        Channel
	Direction      Direction
	Status         Status
	Reminder       bool     // a reminder call: nothing is extracted from it (W9)
	Imported       bool     // it took place before Recaller knew of it
	Thread         ThreadID // the thread that it is a stretch of; empty: of none
	StartedAt      time.Time
	Offset         time.Duration // east of UTC, of the clock by which an import told its start; 0: UTC, or not known
	EndedAt        time.Time     // zero while active
	LastActivityAt time.Time
	Duration       time.Duration // as the platform told at the end, else from the times; zero while active
	Turns          int           // how many turns it has
	EndReason      string        // closed set or the platform's word: "hangup", "idle", "silent since a restart" …
	Cut            bool          // nobody ended it: it fell silent when a process stopped; a start may resume it
	RecordingURL   string
	PlatformIDs    map[string]string // ids by platform name, as P4 has them
	Attestation    Attestation       // what the network said of the caller's number
	// BegunAs is the caller that it was taken to be with at first, and Continues what that one said in it; empty: nobody
	// else began it.
	BegunAs   CallerID
	Continues ConversationID
	Trust     Trust           // how sure it is who the caller is; of one from before there were tiers: by what was shown
	Metadata  json.RawMessage // an object of the application's own, or nil
	Summary   *Summary        // nil until wrapped up
	Analysis  *Analysis       // nil until wrapped up
	// Unreadable is set in lists only. What is sealed of the conversation is damaged, or the words that its summary is
	// checked against are. It is listed without what cannot be read.
	Unreadable bool
}

// sessionPrefix is what V1 writes before the id of a voice conversation.
const sessionPrefix = "voice-session:"

// SessionID returns the id of a voice conversation as V1 writes it, which serves wherever its id does; empty for others.
func (c Conversation) SessionID() string {
	if c.Channel.Text() {
		return ""
	}
	return sessionPrefix + string(c.ID)
}

// OfSession returns the id of the conversation that a session id names; false if ref is no session id.
func OfSession(ref string) (ConversationID, bool) {
	id, ok := strings.CutPrefix(ref, sessionPrefix)
	return ConversationID(id), ok && id != ""
}

// ByRules is the By of a summary, an analysis or a step that rules made, not a model. A summary by rules holds
// quotations only.
const ByRules = "rules"

// Summary is the write-up of one conversation (V5, P4).
type Summary struct {
	Brief     string   `json:"brief"`               // one or two sentences, for the history list
	Topics    []string `json:"topics,omitempty"`    // Topics Discussed
	Decisions []string `json:"decisions,omitempty"` // Key Decisions
	Actions   []string `json:"actions,omitempty"`   // Action Items
	Facts     []string `json:"facts,omitempty"`     // Important Facts
	Next      string   `json:"next,omitempty"`      // Context for Next Call
	By        string   `json:"by"`                  // ByRules, or the model's name
}

// Analysis labels a conversation from closed sets (P4, spec 2.5).
type Analysis struct {
	Intent    string   `json:"intent"`
	Sentiment string   `json:"sentiment"` // positive, neutral, negative
	Topics    []string `json:"topics,omitempty"`
	Outcome   string   `json:"outcome"`
	By        string   `json:"by"`
}

// Step is one part of the wrap-up of a conversation. Which ones a conversation has, and in which order, is decided when
// it ends (Closing, Importing).
type Step string

// The steps of the wrap-up.
const (
	StepSummarise Step = "summarise"
	StepDocument  Step = "document" // files the document of a voice conversation (V5)
	StepAnalyse   Step = "analyse"
	StepExtract   Step = "extract"
	StepPin       Step = "pin"   // keeps the documents of topics that come back (V8)
	StepEmbed     Step = "embed" // makes the conversation findable among all of the tenant's (P6)
)

// StepState is where a step stands.
type StepState string

// The states of a step. Skipped means that its conditions did not hold (W9); Reason says which.
const (
	StepPending StepState = "pending"
	StepDone    StepState = "done"
	StepSkipped StepState = "skipped"
	StepFailed  StepState = "failed" // given up on; Reason says why
)

// NotAskedFor is the Reason of the steps of a conversation that nobody asked to have written up.
const NotAskedFor = "not asked for"

// PlannedStep is a step that a conversation has from its end on.
type PlannedStep struct {
	Step   Step
	State  StepState // StepPending or StepSkipped
	Reason string    // why it is skipped; else empty
}

// StepProgress is what a reader sees of one step.
type StepProgress struct {
	Step       Step
	State      StepState
	By         string // "rules", or the model's name; empty until done
	Attempts   int
	Reason     string
	Prompt     string // which prompt the model was given; empty for rules
	Found      int    // memories found, for the extraction
	Dropped    int    // of those found, dropped for want of support in the words
	Stored     int    // of those found, new
	Cost       Cost   // of all attempts
	FinishedAt time.Time
}
