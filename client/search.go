package client

import (
	"context"
	"time"

	"github.com/recallerhq/recaller"
)

// SearchRequest asks for a tenant's conversations by what they were about.
type SearchRequest struct {
	Query     string           `json:"query" minLength:"1" maxLength:"1000" doc:"What to look for, in your own words; 1 to 1,000 characters." example:"wedding inquiries"`
	Limit     int              `json:"limit,omitempty" minimum:"1" maximum:"50" doc:"How many results at most; 10 if not said." example:"10"`
	CallerID  string           `json:"caller_id,omitempty" maxLength:"100" doc:"Only this caller's conversations." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3c"`
	Channel   recaller.Channel `json:"channel,omitempty" enum:"voice,sms,whatsapp,web-chat,telegram,api" doc:"Only those over this channel." example:"voice"`
	Intent    string           `json:"intent,omitempty" maxLength:"100" doc:"Only those of this intent, as the write-up labels it." example:"event"`
	Sentiment string           `json:"sentiment,omitempty" enum:"positive,neutral,negative" doc:"Only those of this sentiment." example:"negative"`
	Outcome   string           `json:"outcome,omitempty" maxLength:"100" doc:"Only those of this outcome, as the write-up labels it." example:"unresolved"`
	After     time.Time        `json:"after,omitzero" doc:"Only those that started then or later." example:"2026-02-01T00:00:00Z"`
	Before    time.Time        `json:"before,omitzero" doc:"Only those that started earlier." example:"2026-03-01T00:00:00Z"`
}

// SearchResponse is what was found, best first.
type SearchResponse struct {
	Results    []SearchResult     `json:"results" nullable:"false" doc:"Best first."`
	Understood []SearchUnderstood `json:"understood" nullable:"false" doc:"Words of the query that describe the conversations wanted rather than their matter, and what was made of them. A filter of the request's own goes before them."`
	TookMS     float64            `json:"took_ms" doc:"How long the search took, in milliseconds." example:"12.4"`
	Degraded   string             `json:"degraded,omitempty" doc:"Why less may have been found than there is; left out where nothing was amiss. While the embedder does not answer, only conversations that share words with the query are found." example:"embedder unavailable"`
	Unreadable int                `json:"unreadable,omitempty" doc:"How many conversations fit but are left out, because the key of their caller is missing; left out where there are none." example:"2"`
}

// SearchUnderstood is a filter that was read from words of the query.
type SearchUnderstood struct {
	Words   string    `json:"words" doc:"The query's words." example:"frustrated"`
	Field   string    `json:"field" doc:"What they describe: sentiment, outcome, channel or time." example:"sentiment"`
	Value   string    `json:"value,omitempty" doc:"Which one; left out for a time." example:"negative"`
	After   time.Time `json:"after,omitzero" doc:"For a time: those that started then or later, in the tenant's zone." example:"2026-02-23T00:00:00+01:00"`
	Before  time.Time `json:"before,omitzero" doc:"For a time: those that started earlier; left out where it is open." example:"2026-03-02T00:00:00+01:00"`
	Applied bool      `json:"applied" doc:"Only such conversations were looked for. If none would have been left it is false: then they only come first, and the words are looked for too." example:"true"`
}

// SearchResult is one conversation that was found.
type SearchResult struct {
	ConversationID         string    `json:"conversation_id" doc:"The conversation." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3b"`
	ConversationExternalID string    `json:"conversation_external_id" doc:"Its external id; empty if it has none." example:"CA0123456789abcdef"`
	CallerID               string    `json:"caller_id" doc:"Whose conversation it is." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3c"`
	Excerpt                string    `json:"excerpt" doc:"What was said that fits best, with what it answers where it says little alone; else the beginning. Some 300 characters at most, one turn a line. Empty where the retention keeps no words." example:"We are looking for a place for our wedding in June."`
	Summary                string    `json:"summary" doc:"What it was about, in a sentence or two; empty if it has not been written up." example:"The caller asked about a wedding in June."`
	Intent                 string    `json:"intent" doc:"What the caller wanted, as a label; empty if it has not been labelled." example:"event"`
	Sentiment              string    `json:"sentiment" doc:"How the caller felt: positive, neutral or negative; empty if it has not been labelled." example:"neutral"`
	Outcome                string    `json:"outcome" doc:"How it ended, as a label; empty if it has not been labelled." example:"booking-made"`
	Topics                 []string  `json:"topics" nullable:"false" doc:"What else it was about, as labels." example:"[\"wedding\"]"`
	StartedAt              time.Time `json:"started_at" doc:"When it started." example:"2026-03-02T09:30:00Z"`
	Similarity             float64   `json:"similarity" doc:"How alike query and conversation are to the embedder, as a cosine: −1 to 1; 0 where there is no embedding." example:"0.62"`
	Score                  float64   `json:"score" doc:"What the results are ordered by; comparable within one answer." example:"7.31"`
	Why                    SearchWhy `json:"why" doc:"Why it was found."`
}

// SearchWhy explains a result of a search over conversations.
type SearchWhy struct {
	Terms []TermWhy       `json:"terms" nullable:"false" doc:"The query's words that were said in it, as stems, the weightiest first."`
	Parts []SearchPartWhy `json:"parts" nullable:"false" doc:"What the score is made of, in order of size; together they are the score."`
}

// SearchPartWhy is one ingredient of the score of a conversation.
type SearchPartWhy struct {
	Name  string  `json:"name" doc:"Which one: words that both say (words), how alike its words are to the query's (likeness), how alike all of it is to the query (meaning), the embedder's cosine (embedding), and that it is as the query describes (described)." example:"likeness"`
	Value float64 `json:"value" doc:"What it added to the score." example:"3.1"`
	Rank  int     `json:"rank" doc:"The place that this part alone would give it, from 1." example:"1"`
}

// SearchConversations searches the conversations of all the tenant's callers. It changes nothing.
func (c *Client) SearchConversations(ctx context.Context, in SearchRequest) (SearchResponse, error) {
	var out SearchResponse
	return out, c.post(ctx, path("conversations", "search"), in, &out)
}
