package client

import (
	"context"
	"net/http"
	"time"

	"github.com/recallerhq/recaller"
)

// WebChat says how visitors of a tenant's pages chat with it.
type WebChat struct {
	Reply    recaller.WebChatReply `json:"reply" enum:"off,agent,none" doc:"off: there is no chat; agent: the built-in agent answers; none: what is written is kept, and the application answers." example:"agent"`
	Origins  []string              `json:"origins" nullable:"false" doc:"The origins of the pages on which browsers may chat." example:"[\"https://shop.example\"]"`
	Title    string                `json:"title" doc:"Above the chat; empty: the profile's business." example:"Lakeside Dental"`
	Greeting string                `json:"greeting" doc:"What is said first; empty: the profile's greeting." example:"Hello! How can we help?"`
	Language string                `json:"language" doc:"Of the widget's own words; empty: the visitor's browser says." example:"en-GB"`
}

// WebChatPatch is what an update of that changes; nil fields stay, empty ones are cleared.
type WebChatPatch struct {
	Reply    *recaller.WebChatReply `json:"reply,omitempty" enum:"off,agent,none" doc:"Who answers; off by default. agent needs a language model, or is a 422." example:"agent"`
	Origins  *[]string              `json:"origins,omitempty" nullable:"false" doc:"The origins of the pages on which browsers may chat, at most 50: https://shop.example, or http://localhost:* for any port." example:"[\"https://shop.example\"]"`
	Title    *string                `json:"title,omitempty" doc:"Above the chat, at most 100 bytes; empty: the profile's business." example:"Lakeside Dental"`
	Greeting *string                `json:"greeting,omitempty" doc:"What is said first, at most 4000 bytes; empty: the profile's greeting." example:"Hello! How can we help?"`
	Language *string                `json:"language,omitempty" doc:"Of the widget's own words, as BCP 47 has it; empty: the visitor's browser says." example:"en-GB"`
}

// NewWebChatToken asks for the token of a visitor whom the application signed in.
type NewWebChatToken struct {
	ExternalID string `json:"external_id" doc:"The application's own id of who it is: the caller is the one with this external id." example:"customer-4711"`
	Name       string `json:"name,omitempty" doc:"What he is called, at most 200 bytes." example:"Anna Weber"`
	TTLSeconds int    `json:"ttl_seconds,omitempty" minimum:"60" maximum:"86400" doc:"How long the token counts; 900 by default." example:"900"`
}

// WebChatToken is the token of a visitor. It goes to his browser, and lets in to his chat.
type WebChatToken struct {
	Token     string    `json:"token" doc:"The token: for the frame hello, or as a bearer token." example:"rcv1.eyJ4IjoiY3VzdG9tZXItNDcxMSJ9.q2fT"`
	ExpiresAt time.Time `json:"expires_at" doc:"When it lapses." example:"2026-01-05T08:15:00Z"`
}

// WebChatToken makes the token of a visitor whom the application signed in. It needs an agent key, and is for the
// application's own server: never give a key to a browser.
func (c *Client) WebChatToken(ctx context.Context, in NewWebChatToken) (WebChatToken, error) {
	var out WebChatToken
	return out, c.do(ctx, request{method: http.MethodPost, path: path("web-chat", "tokens"), body: in, out: &out})
}

// RevokeWebChatTokens makes all tokens of the tenant's visitors void: those of who is signed in, and those by which others are
// known again. It needs an admin key.
func (c *Client) RevokeWebChatTokens(ctx context.Context) error {
	return c.do(ctx, request{method: http.MethodDelete, path: path("web-chat", "tokens")})
}
