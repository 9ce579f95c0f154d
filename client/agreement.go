package client

import (
	"context"
	"net/url"
	"time"

	"github.com/recallerhq/recaller"
)

// CallerAgreements lists the times agreed on with a caller as they stood at asOf (zero: now), soonest first.
func (c *Client) CallerAgreements(ctx context.Context, id string, asOf time.Time) (AgreementList, error) {
	q := url.Values{}
	if !asOf.IsZero() {
		q.Set("as_of", asOf.Format(time.RFC3339Nano))
	}
	var out AgreementList
	return out, c.get(ctx, path("callers", id, "agreements"), q, &out)
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

// AgreementEnd is what moved an agreement, cancelled it, or told that it happened.
type AgreementEnd struct {
	ConversationID string    `json:"conversation_id" doc:"The conversation in which it was said." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3e"`
	SaidAt         time.Time `json:"said_at" doc:"When it was said." example:"2026-03-03T10:00:00Z"`
	Said           []Saying  `json:"said" nullable:"false" doc:"The words, in order."`
}

// AgreementList is what was agreed on with a caller.
type AgreementList struct {
	Agreements []Agreement `json:"agreements" nullable:"false" doc:"As they stand, soonest first."`
	Damaged    int         `json:"damaged,omitempty" doc:"How many stored rows of the list are damaged: they are left out, or marked unreadable. The log and recaller doctor name them; left out where there are none." example:"1"`
}

// Saying is a quotation of a turn.
type Saying struct {
	Turn    int              `json:"turn" doc:"The turn's number in its conversation, from 0." example:"4"`
	Speaker recaller.Speaker `json:"speaker" enum:"user,assistant" doc:"Who said it." example:"assistant"`
	Text    string           `json:"text,omitempty" doc:"The words; left out where the retention keeps none." example:"Then it's Tuesday at nine."`
}
