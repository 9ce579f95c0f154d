package client

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// CallerRef says who calls, by a phone number or an external id. A withheld number belongs to nobody, so the
// conversation gets a caller of its own. Withheld means a platform's word for it (anonymous, Restricted, +266696687 …)
// or an empty phone.
type CallerRef struct {
	Phone      string `json:"phone,omitempty" doc:"The number as dialled or sent. A national number is read under the tenant's default region. A withheld one (anonymous, Restricted, unknown, +266696687 …, or an empty phone) belongs to nobody: the conversation is with a caller of its own, who is never recognised again." example:"+49 30 901820"`
	ExternalID string `json:"external_id,omitempty" doc:"Your own id of the person, at most 256 bytes. It goes before the number where the two belong to different callers." example:"customer-4711"`
	Name       string `json:"name,omitempty" doc:"The name as the platform knows it, at most 200 bytes. A name that the caller said, or that was set, is not replaced by it." example:"Marta Jansen"`
}

// UnmarshalJSON reads a caller. A phone that is given but empty is withheld.
func (c *CallerRef) UnmarshalJSON(raw []byte) error {
	type ref CallerRef
	var in struct {
		ref
		Phone *string `json:"phone"`
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil {
		return err
	}
	*c = CallerRef(in.ref)
	if in.Phone == nil {
		return nil
	}
	if c.Phone = *in.Phone; strings.TrimSpace(c.Phone) == "" {
		c.Phone = withheld
	}
	return nil
}

// withheld is a platform's word for a number that is not shown.
const withheld = "anonymous"

// StartRequest begins a conversation.
type StartRequest struct {
	Caller      CallerRef          `json:"caller" doc:"Who calls."`
	Channel     recaller.Channel   `json:"channel,omitempty" enum:"voice,sms,whatsapp,web-chat,telegram,api" doc:"Over what the conversation runs; voice if not said." example:"voice"`
	Direction   recaller.Direction `json:"direction,omitempty" enum:"inbound,outbound" doc:"Who began; inbound if not said." example:"inbound"`
	ExternalID  string             `json:"external_id,omitempty" doc:"The platform's own id of the conversation, unique in the tenant, at most 256 bytes. Starting again with it returns the conversation that is there, also one that was closed as silent since a restart. It serves wherever a conversation id is asked for." example:"CA0123456789abcdef"`
	PlatformIDs map[string]string  `json:"platform_ids,omitempty" doc:"Ids that platforms gave it, by platform."`
	Verified    bool               `json:"verified,omitempty" doc:"You know that it is this caller, and not only that his number or id was shown: he has signed in, say. Then the agent may be told what was marked private (docs/trust.md). Without it only the platform's word counts." example:"false"`
	Reminder    bool               `json:"reminder,omitempty" doc:"This is a reminder call: no memories are taken from it." example:"false"`
	Metadata    json.RawMessage    `json:"metadata,omitempty" doc:"A JSON object of your own, at most 16 KiB; it is kept and given back as it is."`
	MaxTokens   int                `json:"max_tokens,omitempty" minimum:"0" maximum:"100000" doc:"The token budget of the briefing; 0 or not said: the server's default." example:"1500"`
	// BriefingStyle is the form of the briefing; empty: recaller.StyleBriefing.
	BriefingStyle recaller.BriefingStyle `json:"briefing_style,omitempty" enum:"briefing,system_prompt" doc:"The form of the briefing: notes to put in front of the agent's own prompt, if not said, or a whole system prompt. The refreshes of the conversation come in the same." example:"briefing"`
}

// Conversation is one call, SMS or chat exchange.
type Conversation struct {
	ID              string             `json:"id" doc:"Its id." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3b"`
	SessionID       string             `json:"session_id,omitempty" doc:"Of a voice conversation its id as a voice session, which serves wherever its id does." example:"voice-session:0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3b"`
	ExternalID      string             `json:"external_id" doc:"The platform's own id; empty if there is none." example:"CA0123456789abcdef"`
	CallerID        string             `json:"caller_id" doc:"The caller; empty while the store is away." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3c"`
	BegunAs         string             `json:"begun_as,omitempty" doc:"The caller that it was taken to be with at first; left out where nobody else began it." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3d"`
	Continues       string             `json:"continues,omitempty" doc:"The conversation with that one, until somebody else spoke; left out where nothing but a greeting was said." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3e"`
	ThreadID        string             `json:"thread_id,omitempty" doc:"The thread that it is a part of." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a40"`
	Channel         recaller.Channel   `json:"channel" enum:"voice,sms,whatsapp,web-chat,telegram,api" doc:"Over what it runs." example:"voice"`
	Direction       recaller.Direction `json:"direction" enum:"inbound,outbound" doc:"Who began." example:"inbound"`
	Status          recaller.Status    `json:"status" enum:"active,completed,failed" doc:"Where it stands; one that broke off is failed." example:"active"`
	Reminder        bool               `json:"reminder,omitempty" doc:"It is a reminder call." example:"false"`
	Imported        bool               `json:"imported,omitempty" doc:"It took place before Recaller knew of it." example:"false"`
	Unreadable      bool               `json:"unreadable,omitempty" doc:"In a list: its stored part is damaged, or the words that tell what of its summary was forgotten; it is told without. The server's log has more." example:"false"`
	StartedAt       time.Time          `json:"started_at" doc:"When it began." example:"2026-03-02T09:30:00Z"`
	EndedAt         time.Time          `json:"ended_at,omitzero" doc:"When it ended; left out while active." example:"2026-03-02T09:34:10Z"`
	LastActivityAt  time.Time          `json:"last_activity_at" doc:"When the last turn came in." example:"2026-03-02T09:34:02Z"`
	DurationSeconds float64            `json:"duration_seconds" doc:"How long it took, as the platform told or by its times; 0 while active." example:"250"`
	TurnCount       int                `json:"turn_count" doc:"How many turns it has." example:"18"`
	EndReason       string             `json:"end_reason,omitempty" doc:"Why it ended: the platform's word, or idle, silent since a restart, imported." example:"hangup"`
	RecordingURL    string             `json:"recording_url,omitempty" doc:"Where the recording is, as it was told." example:"https://recordings.example.com/4711.wav"`
	PlatformIDs     map[string]string  `json:"platform_ids,omitempty" doc:"Ids that platforms gave it, by platform."`
	Attestation     Attestation        `json:"attestation,omitzero" doc:"What the network of telephones said of the caller's number (STIR/SHAKEN); left out where it said nothing."`
	Trust           recaller.Trust     `json:"trust" enum:"anonymous,claimed,attested,verified" doc:"How sure it is who the caller is. anonymous: nobody is recognised; claimed: a number or an id was shown; attested: the network of telephones vouches for the number; verified: the application or the platform says so. It never falls while the conversation runs." example:"claimed"`
	Metadata        json.RawMessage    `json:"metadata,omitempty" doc:"The object that was given at the start."`
	Summary         *Summary           `json:"summary,omitempty" doc:"The write-up; left out until it is done."`
	Analysis        *Analysis          `json:"analysis,omitempty" doc:"The labels; left out until they are given."`
}

// VerifyResponse is a conversation of which it is known who the caller is.
type VerifyResponse struct {
	Conversation Conversation `json:"conversation" doc:"The conversation, as it now is."`
}

// Attestation is what the network of telephones says of the number that a call shows: evidence, and no proof of who
// speaks.
type Attestation struct {
	Level  string `json:"level,omitempty" enum:"A,B,C" doc:"A: the network knows the customer, and that the number is his; B: only the customer; C: neither." example:"A"`
	Passed bool   `json:"passed,omitempty" doc:"The platform says that the signature was checked, and is right." example:"true"`
	Told   string `json:"told,omitempty" doc:"The platform's own word." example:"TN-Validation-Passed-A"`
}

// Summary is the write-up of a conversation.
type Summary struct {
	Brief     string   `json:"brief" doc:"One or two sentences." example:"Marta Jansen moved her appointment to Thursday."`
	Topics    []string `json:"topics,omitempty" nullable:"false" doc:"Topics discussed."`
	Decisions []string `json:"decisions,omitempty" nullable:"false" doc:"Key decisions."`
	Actions   []string `json:"actions,omitempty" nullable:"false" doc:"Action items."`
	Facts     []string `json:"facts,omitempty" nullable:"false" doc:"Important facts."`
	Next      string   `json:"next,omitempty" doc:"What the next conversation should know." example:"Ask whether the new time works."`
	By        string   `json:"by" doc:"Who wrote it: rules, or a model's name." example:"rules"`
}

// Analysis labels a conversation from closed sets.
type Analysis struct {
	Intent    string   `json:"intent" doc:"What the caller wanted." example:"booking"`
	Sentiment string   `json:"sentiment" doc:"positive, neutral or negative." example:"neutral"`
	Topics    []string `json:"topics,omitempty" nullable:"false" doc:"What it was about."`
	Outcome   string   `json:"outcome" doc:"How it came out." example:"resolved"`
	By        string   `json:"by" doc:"Who labelled it: rules, or a model's name." example:"rules"`
}

// StartResponse is a conversation that has begun, with what the agent should know.
type StartResponse struct {
	Conversation Conversation  `json:"conversation" doc:"The conversation."`
	Caller       StartedCaller `json:"caller" doc:"Who calls."`
	Existing     bool          `json:"existing" doc:"It had begun before: the same external id, or a repeated Idempotency-Key." example:"false"`
	Briefing     Briefing      `json:"briefing" doc:"What the agent should know before it speaks."`
}

// StartedCaller is a caller at the start of a conversation.
type StartedCaller struct {
	Caller
	FirstTime bool `json:"first_time" doc:"No conversation was held with this caller before." example:"true"`
}

// StartConversation begins a conversation and briefs the agent.
func (c *Client) StartConversation(ctx context.Context, in StartRequest) (StartResponse, error) {
	var out StartResponse
	return out, c.post(ctx, path("conversations"), in, &out)
}

// ConversationRecord is a conversation as it is read back.
type ConversationRecord struct {
	Conversation  Conversation `json:"conversation" doc:"The conversation, with summary and analysis once they are there."`
	Turns         []Turn       `json:"turns,omitempty" nullable:"false" doc:"What was said, in order; left out on request, and where the retention keeps no words."`
	ToolCalls     []ToolRecord `json:"tool_calls" nullable:"false" doc:"The calls of tools in it, oldest first; at most 1000."`
	ToolCallCount int          `json:"tool_call_count" doc:"How many there are in tool_calls." example:"2"`
	Wrapup        Wrapup       `json:"wrapup" doc:"How far the write-up is."`
	Cost          Cost         `json:"cost" doc:"What work with models took for it, all steps together."`
	Live          *Live        `json:"live,omitempty" doc:"What is seen of it at a glance, while it goes on."`
	Damaged       int          `json:"damaged,omitempty" doc:"How many stored rows of it are damaged, turns above all: they are left out. The log and recaller doctor name them; left out where there are none." example:"1"`
}

// ToolRecord is what is kept of a tool call. The words are in the memory only.
type ToolRecord struct {
	ID       string        `json:"id" doc:"Its id." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a42"`
	Tool     recaller.Tool `json:"tool" enum:"store_memory,update_memory,forget_memory,mark_private,set_reminder,cancel_reminder,list_reminders,recall,read_checkpoint,save_checkpoint,someone_else,verify_caller" doc:"Which tool." example:"store_memory"`
	Result   string        `json:"result" doc:"What was done, as memories have it (created, updated, …), reminder set, or why it failed (invalid, not found, …)." example:"created"`
	MemoryID string        `json:"memory_id,omitempty" doc:"The memory that it was about." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3e"`
	Version  int           `json:"version,omitempty" doc:"The memory's version, as the call left it." example:"1"`
	At       time.Time     `json:"at" doc:"When." example:"2026-03-02T09:31:00Z"`
}

// Cost is what work with models took.
type Cost struct {
	Calls     int     `json:"calls" doc:"Requests to models, those that failed included." example:"2"`
	TokensIn  int     `json:"tokens_in" doc:"Tokens that the models read, as they told." example:"1840"`
	TokensOut int     `json:"tokens_out" doc:"Tokens that the models wrote, as they told." example:"215"`
	TookMS    float64 `json:"took_ms" doc:"How long it took, in milliseconds." example:"2350"`
}

// Live is what the server notices in a conversation that goes on.
type Live struct {
	Turns      []LiveTurn `json:"turns" nullable:"false" doc:"The last turns: at most 200, of the last 30 minutes."`
	StoredKeys []string   `json:"stored_keys" nullable:"false" doc:"Keys of the memories that were stored while it ran, in lower case." example:"[\"dog\"]"`
}

// LiveTurn is what it notices in one turn.
type LiveTurn struct {
	Number   int      `json:"number" doc:"Its place in the conversation, from 0." example:"3"`
	Intent   string   `json:"intent" enum:"question,request,statement,response" doc:"What it does, told from its form." example:"request"`
	Entities []string `json:"entities" nullable:"false" doc:"Names, dates and numbers in it, as they were said." example:"[\"Ruth\", \"next Sunday\"]"`
}

// Wrapup is how far the write-up of a conversation is.
type Wrapup struct {
	Done  bool   `json:"done" doc:"The conversation has ended and no step is left to do." example:"true"`
	Steps []Step `json:"steps" nullable:"false" doc:"The steps in the order they run; empty while the conversation goes on."`
}

// Step is one part of the write-up.
type Step struct {
	Step       recaller.Step      `json:"step" doc:"Which one." example:"summarise"`
	State      recaller.StepState `json:"state" enum:"pending,done,skipped,failed" doc:"Where it stands." example:"done"`
	By         string             `json:"by,omitempty" doc:"Who did it: rules, or a model's name." example:"rules"`
	Attempts   int                `json:"attempts" doc:"How often it was tried." example:"1"`
	Reason     string             `json:"reason,omitempty" doc:"Why it was skipped or given up on, what it waits for, or why the rules did it." example:"reminder call"`
	Prompt     string             `json:"prompt,omitempty" doc:"Which prompt the model was given; left out where rules did it." example:"extraction/1"`
	Found      int                `json:"found" doc:"For extract: memories found." example:"4"`
	Dropped    int                `json:"dropped" doc:"Of those found: dropped, because the words do not bear them out." example:"1"`
	Stored     int                `json:"stored" doc:"Of those found: new, and stored." example:"2"`
	Cost       Cost               `json:"cost" doc:"What the model took for it, all attempts together."`
	FinishedAt time.Time          `json:"finished_at,omitzero" doc:"When it was finished." example:"2026-03-02T09:34:11Z"`
}

// Conversation reads a conversation by its id or external id, with its turns and how far its write-up is.
func (c *Client) Conversation(ctx context.Context, id string) (ConversationRecord, error) {
	var out ConversationRecord
	return out, c.get(ctx, path("conversations", id), nil, &out)
}

// ConversationWithForgotten reads a conversation with what was forgotten of it. Needs an admin key.
func (c *Client) ConversationWithForgotten(ctx context.Context, id string) (ConversationRecord, error) {
	var out ConversationRecord
	return out, c.get(ctx, path("conversations", id), url.Values{"include_forgotten": {"true"}}, &out)
}

// ConversationWithoutTurns reads a conversation without its words.
func (c *Client) ConversationWithoutTurns(ctx context.Context, id string) (ConversationRecord, error) {
	var out ConversationRecord
	return out, c.get(ctx, path("conversations", id), url.Values{"turns": {"false"}}, &out)
}

// ConversationList is one page of conversations.
type ConversationList struct {
	Conversations []Conversation `json:"conversations" nullable:"false" doc:"Newest first."`
	NextCursor    string         `json:"next_cursor,omitempty" doc:"Asks for the next page; left out on the last." example:"MDE5OWI3"`
	Damaged       int            `json:"damaged,omitempty" doc:"How many stored rows of the list are damaged: they are left out, or marked unreadable. The log and recaller doctor name them; left out where there are none." example:"1"`
}

// ConversationFilter selects conversations; its zero value selects all.
type ConversationFilter struct {
	CallerID string
	Status   recaller.Status
	Page     Page
	// IncludeForgotten makes summaries tell what was forgotten too. Needs an admin key.
	IncludeForgotten bool
}

// Conversations lists conversations, newest first.
func (c *Client) Conversations(ctx context.Context, f ConversationFilter) (ConversationList, error) {
	q := f.Page.query()
	set(q, "status", string(f.Status))
	set(q, "caller_id", f.CallerID)
	setTrue(q, "include_forgotten", f.IncludeForgotten)
	var out ConversationList
	return out, c.get(ctx, path("conversations"), q, &out)
}

// EndRequest says how a conversation ended. The zero value means completed, now.
type EndRequest struct {
	Status          recaller.Status `json:"status,omitempty" enum:"completed,failed" doc:"completed if not said; failed: it broke off." example:"completed"`
	EndedAt         time.Time       `json:"ended_at,omitzero" doc:"When, not before it started; now if not said." example:"2026-03-02T09:34:10Z"`
	DurationSeconds float64         `json:"duration_seconds,omitempty" minimum:"0" maximum:"31536000" doc:"How long it took, as the platform counts; by its times if not said." example:"250"`
	RecordingURL    string          `json:"recording_url,omitempty" maxLength:"2000" doc:"Where the recording is: an http or https URL." example:"https://recordings.example.com/4711.wav"`
	Reason          string          `json:"reason,omitempty" doc:"Why it ended, in the platform's words, at most 200 bytes." example:"hangup"`
}

// EndResponse is a conversation that has ended.
type EndResponse struct {
	Conversation Conversation `json:"conversation" doc:"The conversation; its write-up follows in the background."`
}

// VerifyConversation says that it is known now who the caller of an active conversation is. Again it changes nothing.
func (c *Client) VerifyConversation(ctx context.Context, id string) (Conversation, error) {
	var out VerifyResponse
	err := c.do(ctx, request{method: http.MethodPost, path: path("conversations", id, "verify"), out: &out})
	return out.Conversation, err
}

// SpeakerRequest says who speaks now.
type SpeakerRequest struct {
	CallerID string `json:"caller_id,omitempty" doc:"The caller, where it is known who it is." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3c"`
	Name     string `json:"name,omitempty" doc:"What they are called, at most 200 bytes: one who is known under the number by it is found again; else it is the name of a new caller." example:"Anna"`
	New      bool   `json:"new,omitempty" doc:"Somebody new, whoever is called so." example:"false"`
	Recycled bool   `json:"recycled,omitempty" doc:"The number has a new owner: it leaves the one whose it was, who keeps all else." example:"false"`
}

// SpeakerResponse is the conversation as it goes on.
type SpeakerResponse struct {
	Caller       Caller       `json:"caller" doc:"Who speaks now."`
	Conversation Conversation `json:"conversation" doc:"The conversation, as theirs."`
	Briefing     Briefing     `json:"briefing" doc:"What the agent is to be told now, in place of what it was told before."`
}

// SomeoneElse has an active conversation go on as somebody else's.
func (c *Client) SomeoneElse(ctx context.Context, id string, in SpeakerRequest) (SpeakerResponse, error) {
	var out SpeakerResponse
	return out, c.do(ctx, request{method: http.MethodPost, path: path("conversations", id, "speaker"), body: in, out: &out})
}

// EndConversation ends a conversation; its write-up follows. Ending it again changes nothing.
func (c *Client) EndConversation(ctx context.Context, id string, in EndRequest) (Conversation, error) {
	var out EndResponse
	err := c.do(ctx, request{method: http.MethodPost, path: path("conversations", id, "end"), body: in, out: &out})
	return out.Conversation, err
}
