package client

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/recallerhq/recaller"
)

// Identity is one way to recognise a caller.
type Identity struct {
	Kind  recaller.IdentityKind `json:"kind" enum:"phone,external_id" doc:"What it is." example:"phone"`
	Value string                `json:"value" doc:"The number in E.164 form, or the id." example:"+4930901820"`
}

// Caller is a person that the agent talks to.
type Caller struct {
	ID                   string              `json:"id" doc:"The id; empty while the store is away." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3c"`
	Phone                string              `json:"phone" doc:"The first number in E.164 form; empty if there is none." example:"+4930901820"`
	ExternalID           string              `json:"external_id,omitempty" doc:"The first external id." example:"customer-4711"`
	Identities           []Identity          `json:"identities" nullable:"false" doc:"Every way to recognise the caller."`
	Name                 string              `json:"name" doc:"The name; empty if not known." example:"Marta Jansen"`
	NameSource           recaller.NameSource `json:"name_source,omitempty" enum:"given,said,set" doc:"How the name came: given at a start, said by the caller, set by an operator." example:"said"`
	TimeZone             string              `json:"time_zone,omitempty" doc:"The IANA time zone, if one was set; else it is taken from the number's region, or the tenant." example:"Europe/Berlin"`
	FirstSeen            time.Time           `json:"first_seen,omitzero" doc:"When the first conversation began." example:"2026-02-10T14:00:00Z"`
	LastSeen             time.Time           `json:"last_seen,omitzero" doc:"When the last sign of the caller came." example:"2026-03-02T09:34:10Z"`
	Conversations        int                 `json:"conversations" doc:"Ended conversations." example:"3"`
	TotalDurationSeconds float64             `json:"total_duration_seconds" doc:"The length of all voice conversations." example:"731"`
	TextMessages         int                 `json:"text_messages" doc:"Turns of the caller on text channels." example:"0"`
}

// CallerList is one page of callers.
type CallerList struct {
	Callers    []Caller `json:"callers" nullable:"false" doc:"Last seen first; empty if nobody is known by the number or id."`
	NextCursor string   `json:"next_cursor,omitempty" doc:"Asks for the next page; left out on the last." example:"MDE5OWI3"`
}

// CallersByPhone finds the caller with a number; the list is empty if there is none.
func (c *Client) CallersByPhone(ctx context.Context, phone string) ([]Caller, error) {
	return c.callersBy(ctx, "phone", phone)
}

// CallersByExternalID finds the caller with an external id; the list is empty if there is none.
func (c *Client) CallersByExternalID(ctx context.Context, id string) ([]Caller, error) {
	return c.callersBy(ctx, "external_id", id)
}

func (c *Client) callersBy(ctx context.Context, param, value string) ([]Caller, error) {
	var out CallerList
	err := c.get(ctx, path("callers"), url.Values{param: {value}}, &out)
	return out.Callers, err
}

// Callers lists all callers, last seen first.
func (c *Client) Callers(ctx context.Context, p Page) (CallerList, error) {
	var out CallerList
	return out, c.get(ctx, path("callers"), p.query(), &out)
}

// Caller reads a caller.
func (c *Client) Caller(ctx context.Context, id string) (Caller, error) {
	var out Caller
	return out, c.get(ctx, path("callers", id), nil, &out)
}

// CallerPatch is what an update of a caller changes; nil fields stay.
type CallerPatch struct {
	Name     *string `json:"name,omitempty" doc:"The name, at most 200 bytes; empty clears it." example:"Marta Jansen"`
	TimeZone *string `json:"time_zone,omitempty" doc:"The IANA time zone; empty clears it." example:"Europe/Berlin"`
}

// UpdateCaller sets a caller's name or time zone.
func (c *Client) UpdateCaller(ctx context.Context, id string, p CallerPatch) (Caller, error) {
	var out Caller
	return out, c.do(ctx, request{method: http.MethodPatch, path: path("callers", id), body: p, out: &out})
}

// EraseCaller removes a caller for good and returns the signed receipt. It needs an admin key. Erasing again returns
// the same receipt.
func (c *Client) EraseCaller(ctx context.Context, id string) (recaller.Receipt, error) {
	var out recaller.Receipt
	return out, c.do(ctx, request{method: http.MethodDelete, path: path("callers", id), out: &out})
}

// CallerBriefing is what an agent should know of a caller before a conversation begins.
func (c *Client) CallerBriefing(ctx context.Context, id string, b BriefingQuery) (Briefing, error) {
	var out Briefing
	return out, c.get(ctx, path("callers", id, "briefing"), b.query(), &out)
}

// CallerAgreements lists what was agreed on with a caller about times as it stood at a time (zero: now), soonest first.
func (c *Client) CallerAgreements(ctx context.Context, id string, asOf time.Time) (AgreementList, error) {
	q := url.Values{}
	if !asOf.IsZero() {
		q.Set("as_of", asOf.Format(time.RFC3339Nano))
	}
	var out AgreementList
	return out, c.get(ctx, path("callers", id, "agreements"), q, &out)
}

// CallerConversations lists the conversations with a caller, newest first.
func (c *Client) CallerConversations(ctx context.Context, id string, f ConversationFilter) (ConversationList, error) {
	q := f.Page.query()
	set(q, "status", string(f.Status))
	setTrue(q, "include_forgotten", f.IncludeForgotten)
	var out ConversationList
	return out, c.get(ctx, path("callers", id, "conversations"), q, &out)
}

// Export is everything that is held about a caller.
type Export struct {
	ExportedAt    time.Time              `json:"exported_at" doc:"When." example:"2026-03-02T10:00:00Z"`
	Caller        Caller                 `json:"caller" doc:"The caller."`
	Checkpoint    *Checkpoint            `json:"checkpoint,omitempty" doc:"The state of an unfinished matter, whatever its age."`
	Memories      []Memory               `json:"memories" nullable:"false" doc:"Every version of every memory."`
	Reminders     []Reminder             `json:"reminders" nullable:"false" doc:"Every reminder, whatever became of it."`
	Agreements    []Agreement            `json:"agreements" nullable:"false" doc:"What was agreed on about times, as it stands, soonest first."`
	Conversations []ExportedConversation `json:"conversations" nullable:"false" doc:"Every conversation, newest first, with its words."`
}

// Agreement is a time that both sides settled on.
type Agreement struct {
	At             time.Time     `json:"at" doc:"When it begins." example:"2026-03-04T09:00:00Z"`
	Day            bool          `json:"day,omitempty" doc:"at names a day, in the caller's zone, and no time of day." example:"false"`
	State          string        `json:"state" enum:"open,held,moved,cancelled,done,over" doc:"Where it stands." example:"open"`
	ConversationID string        `json:"conversation_id" doc:"The conversation in which it was settled." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3e"`
	SaidAt         time.Time     `json:"said_at" doc:"When it was settled." example:"2026-03-02T10:00:00Z"`
	Said           []Saying      `json:"said" nullable:"false" doc:"The words that settled it, in order."`
	Ended          *AgreementEnd `json:"ended,omitempty" doc:"What moved it, called it off, or told that it happened."`
}

// AgreementEnd is what moved an agreement, called it off, or told that it happened.
type AgreementEnd struct {
	ConversationID string    `json:"conversation_id" doc:"The conversation in which it was said." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3e"`
	SaidAt         time.Time `json:"said_at" doc:"When it was said." example:"2026-03-03T10:00:00Z"`
	Said           []Saying  `json:"said" nullable:"false" doc:"The words, in order."`
}

// AgreementList is what was agreed on with a caller.
type AgreementList struct {
	Agreements []Agreement `json:"agreements" nullable:"false" doc:"As they stand, soonest first."`
}

// Saying is a quotation of a turn.
type Saying struct {
	Turn    int              `json:"turn" doc:"The turn's number in its conversation, from 0." example:"4"`
	Speaker recaller.Speaker `json:"speaker" enum:"user,assistant" doc:"Who said it." example:"assistant"`
	Text    string           `json:"text,omitempty" doc:"The words; left out where the retention keeps none." example:"Then it's Tuesday at nine."`
}

// ExportedConversation is a conversation with its words.
type ExportedConversation struct {
	Conversation
	Turns     []Turn       `json:"turns" nullable:"false" doc:"What was said, in order; empty where the retention keeps no words."`
	ToolCalls []ToolRecord `json:"tool_calls" nullable:"false" doc:"What the agent's tools did in it."`
}

// ExportCaller returns everything that is held about a caller.
func (c *Client) ExportCaller(ctx context.Context, id string) (Export, error) {
	var out Export
	return out, c.get(ctx, path("callers", id, "export"), nil, &out)
}

// RecallRequest asks what was said and is known about something.
type RecallRequest struct {
	Query            string             `json:"query" doc:"What to look for, in any words, names and dates too; at most 8 KiB." example:"when is her daughter visiting?"`
	Limit            int                `json:"limit,omitempty" minimum:"0" maximum:"100" doc:"How many results; 0 or not said: the server's default." example:"10"`
	Kinds            []recaller.HitKind `json:"kinds,omitempty" nullable:"false" enum:"turn,memory,summary,document" doc:"Only these kinds; all if not said."`
	AsOf             time.Time          `json:"as_of,omitzero" doc:"The time to look from, not a day alone. Found is what was known then: turns that had been said, summaries of conversations that had ended, and each memory as it stood; nothing later, and nothing that was forgotten since. Words such as yesterday mean the day before it. A time to come is as good as now; now if not said." example:"2026-03-02T10:00:00Z"`
	Explain          bool               `json:"explain,omitempty" doc:"Say why each result was found." example:"false"`
	IncludeForgotten bool               `json:"include_forgotten,omitempty" doc:"Find what was forgotten too. Needs an admin key." example:"false"`
	Neighbours       *int               `json:"neighbours,omitempty" minimum:"0" maximum:"10" doc:"How many turns before and after a turn come with it; 1 if not said." example:"1"`
}

// RecallResponse is what was found, best first.
type RecallResponse struct {
	Results []RecallResult `json:"results" nullable:"false" doc:"Best first. Of a short history (up to a few hundred turns) the best are always given; those that hardly fit are marked weak."`
	TookMS  float64        `json:"took_ms" doc:"How long the search took, in milliseconds." example:"1.8"`
	// Degraded is empty where nothing was amiss.
	Degraded string `json:"degraded,omitempty" doc:"Why less may have been found than there is; left out where nothing was amiss. While the configured embedder does not answer, the built-in one compares." example:"embedder unavailable"`
}

// RecallResult is one thing that was found.
type RecallResult struct {
	Kind                   recaller.HitKind `json:"kind" enum:"turn,memory,summary,document" doc:"What it is." example:"turn"`
	ID                     string           `json:"id" doc:"The id of the turn, memory or document; of the conversation for a summary." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3d"`
	ConversationID         string           `json:"conversation_id" doc:"The conversation it comes from; empty if it comes from none." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3b"`
	ConversationExternalID string           `json:"conversation_external_id" doc:"That conversation's external id; empty if it has none." example:"CA0123456789abcdef"`
	Title                  string           `json:"title,omitempty" doc:"For a text that has one: its title." example:"Opening hours"`
	Business               bool             `json:"business,omitempty" doc:"It is one of the business's own texts, which belong to no caller." example:"false"`
	Turn                   *int             `json:"turn,omitempty" doc:"For a turn: its number in the conversation, from 0." example:"4"`
	Speaker                recaller.Speaker `json:"speaker,omitempty" enum:"user,assistant" doc:"For a turn: who spoke." example:"user"`
	Text                   string           `json:"text" doc:"The whole turn, memory, summary or document." example:"My daughter visits on Sundays."`
	At                     time.Time        `json:"at" doc:"When it was said or stored." example:"2026-02-10T14:02:00Z"`
	Score                  float64          `json:"score" doc:"How well it fits: higher is better. Only comparable within one answer." example:"27.31"`
	Weak                   bool             `json:"weak,omitempty" doc:"Nothing of the query speaks for it, but over the caller's few turns hardly anything fits better. Take it for a hint, not for an answer." example:"false"`
	Neighbours             []Turn           `json:"neighbours,omitempty" nullable:"false" doc:"For a turn: those just before and after, in order."`
	Why                    *Why             `json:"why,omitempty" doc:"Why it was found, if asked for."`
}

// Why explains a result.
type Why struct {
	Terms []TermWhy `json:"terms" nullable:"false" doc:"The query's words that it has itself, as they stand in the index, the weightiest first; empty for what was found by its meaning, its time or who spoke."`
	Parts []PartWhy `json:"parts" nullable:"false" doc:"What the score is made of, in order of size; together they are the score."`
	Times []TimeWhy `json:"times" nullable:"false" doc:"The times that the query means, such as yesterday or last spring, and how near it was said to each; empty where the query means none."`
}

// TermWhy is one matched word.
type TermWhy struct {
	Term   string  `json:"term" doc:"The word's stem." example:"daughter"`
	Weight float64 `json:"weight" doc:"What it added to the score." example:"4.2"`
}

// PartWhy is one ingredient of a score.
type PartWhy struct {
	Name  string  `json:"name" doc:"Which one: its own words (bm25) and meaning, the words and the meaning of its conversation (session, session_meaning), a date that the query names (date), the time that the query means (time), how lately it was said (recency), who spoke (speaker), and of a short history how it fits with the turn that it answers (exchange), that it holds a thing of the kind asked for (thing) and what it does in its dialogue (form), and what is taken off because better results of its conversation, or its very words, come first (said_above)." example:"bm25"`
	Value float64 `json:"value" doc:"What it added to the score; negative for what is taken off." example:"6.1"`
	Rank  int     `json:"rank,omitempty" doc:"The place that this part alone would give the result, from 1; left out for what is taken off." example:"1"`
}

// TimeWhy is a time that the query means.
type TimeWhy struct {
	Phrase string    `json:"phrase" doc:"The query's words for it." example:"three weeks ago"`
	From   time.Time `json:"from,omitzero" doc:"When the days that it means begin, in the caller's zone." example:"2026-02-09T00:00:00+01:00"`
	Until  time.Time `json:"until,omitzero" doc:"When they are over." example:"2026-02-10T00:00:00+01:00"`
	Days   int       `json:"days" doc:"How many days the result was said before them (negative) or after them; 0 is on them." example:"-2"`
	Value  float64   `json:"value" doc:"How near that is, in the terms of the score. Of several times the nearest counts." example:"3.1"`
}

// Recall searches what was said by and is known about one caller.
func (c *Client) Recall(ctx context.Context, caller string, in RecallRequest) (RecallResponse, error) {
	var out RecallResponse
	return out, c.post(ctx, path("callers", caller, "recall"), in, &out)
}
