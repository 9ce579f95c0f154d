package client

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/recallerhq/recaller"
)

// BriefingQuery says what a briefing is wanted for. The zero value asks for the default.
type BriefingQuery struct {
	// what is talked about now; empty: the user's last turns, if the conversation is live
	Query     string
	MaxTokens int                    // the token budget; 0: the server's default
	Style     recaller.BriefingStyle // empty: recaller.StyleBriefing
	Trust     recaller.Trust         // how sure it is who the caller is; empty: claimed. Only CallerBriefing takes it
	AsOf      time.Time              // what would have been told then; zero: now. Only CallerBriefing takes it
}

func (b BriefingQuery) query() url.Values {
	q := url.Values{}
	set(q, "query", b.Query)
	set(q, "style", string(b.Style))
	set(q, "trust", string(b.Trust))
	if b.MaxTokens > 0 {
		q.Set("max_tokens", strconv.Itoa(b.MaxTokens))
	}
	if !b.AsOf.IsZero() {
		q.Set("as_of", b.AsOf.Format(time.RFC3339Nano))
	}
	return q
}

// ConversationBriefing returns what the agent of a conversation should know now.
func (c *Client) ConversationBriefing(ctx context.Context, id string, b BriefingQuery) (Briefing, error) {
	var out Briefing
	return out, c.get(ctx, path("conversations", id, "briefing"), b.query(), &out)
}

// Briefing is everything the agent is told before it speaks.
type Briefing struct {
	Text     string         `json:"text" doc:"The whole, ready for a prompt." example:"You are speaking for Lakeside Dental."`
	Parts    []BriefingPart `json:"parts" nullable:"false" doc:"The parts that the text is made of, in order."`
	Tokens   int            `json:"tokens" doc:"An upper bound of what a model will count." example:"312"`
	Degraded bool           `json:"degraded" doc:"Something is missing that should be here." example:"false"`
	Reason   string         `json:"reason,omitempty" doc:"Why, when degraded: deadline, store unavailable, key missing, identity unproven (the row that says whose number this is was damaged or changed), or storage full: then nothing is missing, but the conversation waits for room to be stored." example:"deadline"`
}

// BriefingPart is one section of a briefing.
type BriefingPart struct {
	Name   string `json:"name" doc:"Which one: tenant, guidance, tools, caller, trust, memories, history, due, now, resume, reference, recalled; in a system prompt also personality, business, instructions, greeting, welcome, closing." example:"history"`
	Text   string `json:"text" doc:"Its text."`
	Tokens int    `json:"tokens" doc:"An upper bound of its tokens." example:"120"`
	Cut    bool   `json:"cut,omitempty" doc:"Something was left out of it to hold the token budget." example:"false"`
}

// CallerBriefing returns what an agent should know of a caller before a conversation begins.
func (c *Client) CallerBriefing(ctx context.Context, id string, b BriefingQuery) (Briefing, error) {
	var out Briefing
	return out, c.get(ctx, path("callers", id, "briefing"), b.query(), &out)
}
