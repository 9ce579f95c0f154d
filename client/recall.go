package client

import (
	"context"
	"time"

	"github.com/recallerhq/recaller"
)

// RecallRequest asks for what was said or is known about something.
type RecallRequest struct {
	Query            string             `json:"query" doc:"What to look for, in any words, names and dates too; at most 8 KiB." example:"when is her daughter visiting?"`
	Limit            int                `json:"limit,omitempty" minimum:"0" maximum:"100" doc:"How many results; 0 or not said: the server's default." example:"10"`
	Kinds            []recaller.HitKind `json:"kinds,omitempty" nullable:"false" enum:"turn,memory,summary,document" doc:"Only these kinds; all if not said."`
	AsOf             time.Time          `json:"as_of,omitzero" doc:"The time to look from, not a day alone. Found is what was known then: turns that had been said, summaries of conversations that had ended, and each memory as it stood; nothing later, and nothing that was forgotten since. Words such as yesterday mean the day before it. A time to come is as good as now; now if not said." example:"2026-03-02T10:00:00Z"`
	Explain          bool               `json:"explain,omitempty" doc:"Say why each result was found." example:"false"`
	IncludeForgotten bool               `json:"include_forgotten,omitempty" doc:"Find what was forgotten too. Needs an admin key." example:"false"`
	Trust            recaller.Trust     `json:"trust,omitempty" enum:"claimed,attested,verified" doc:"How sure it is who the caller is: what is found then is a setting of the tenant's (docs/trust.md). If not said: claimed, for which by default everything is found but what was marked private." example:"verified"`
	Neighbours       *int               `json:"neighbours,omitempty" minimum:"0" maximum:"10" doc:"How many turns before and after a turn come with it; 1 if not said." example:"1"`
}

// RecallResponse is what was found, best first.
type RecallResponse struct {
	Results []RecallResult `json:"results" nullable:"false" doc:"Best first. Of a short history (up to a few hundred turns) the best are always given; those that hardly fit are marked weak."`
	TookMS  float64        `json:"took_ms" doc:"How long the search took, in milliseconds." example:"1.8"`
	// Degraded is empty where nothing was amiss.
	Degraded string `json:"degraded,omitempty" doc:"Why less may have been found than there is; left out where nothing was amiss. While the configured embedder does not answer, the built-in one compares; “index being made” says that the caller had said so much that his newest words alone were searched, and a later search finds all." example:"embedder unavailable"`
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
	Name  string  `json:"name" doc:"Which one: its own words (bm25) and meaning, the words and the meaning of its conversation (session, session_meaning), a date that the query names (date), the time that the query means (time), how lately it was said (recency), who spoke (speaker), and of a short history how it fits with the turn that it answers (exchange), that it holds a number, a code or a rare word or name that the query says (sign), that it holds a thing of the kind asked for (thing) and what it does in its dialogue (form), and what is taken off because better results of its conversation, or its very words, come first (said_above)." example:"bm25"`
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

// Recall searches what one caller's conversations and memories say.
func (c *Client) Recall(ctx context.Context, caller string, in RecallRequest) (RecallResponse, error) {
	var out RecallResponse
	return out, c.post(ctx, path("callers", caller, "recall"), in, &out)
}
