package mcpserver

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/tool"
)

// Told is what get_briefing answers.
type Told struct {
	Found    bool   `json:"found" jsonschema:"whether anything is known of the caller"`
	Message  string `json:"message,omitempty" jsonschema:"what to do where nobody is known by the number"`
	Name     string `json:"name,omitempty" jsonschema:"the caller's name, if it is known"`
	Briefing string `json:"briefing,omitempty" jsonschema:"what to know before speaking, ready to be put into a prompt"`
	Tokens   int    `json:"tokens,omitempty" jsonschema:"about how many tokens the briefing has, at the most"`
	Degraded string `json:"degraded,omitempty" jsonschema:"why a part is missing; left out where it is whole"`
}

const nobodyKnown = "Nobody has called from this number before: greet them as a first-time caller"

func (s *server) briefingRow() row {
	return row{
		scope: recaller.ScopeRead, do: s.getBriefing,
		tool: &mcp.Tool{
			Name: "get_briefing", Title: "Get the briefing about a caller", Description: briefingText,
			InputSchema: json.RawMessage(briefingSchema), OutputSchema: schemaOf[Told](),
			Annotations: hints("Get the briefing about a caller", true, false, true),
		},
	}
}

func (s *server) getBriefing(ctx context.Context, x *exchange, args tool.Arguments) (any, error) {
	var req briefing.Request
	var err error
	if req.Query, err = args.Text("query"); err != nil {
		return nil, err
	}
	if req.MaxTokens, err = args.Number("maxTokens", briefing.MaxTokens); err != nil {
		return nil, err
	}
	conversation, err := args.Text(argConversation)
	if err != nil {
		return nil, err
	}
	if conversation != "" {
		conv, err := s.conversation(ctx, x, conversation, args)
		if err != nil {
			return nil, err
		}
		b, err := s.Conversations.Briefing(ctx, x.Tenant, string(conv.ID), req)
		return told("", b), err
	}
	who, ok, err := s.known(ctx, x, args)
	if err != nil {
		return nil, err
	}
	if !ok {
		return Told{Message: nobodyKnown}, nil
	}
	b, err := s.Briefer.Briefing(ctx, x.Tenant, who.ID, req)
	if b.Unnamed {
		who.Name = ""
	}
	return told(who.Name, b), err
}

func told(name string, b recaller.Briefing) Told {
	return Told{Found: true, Name: name, Briefing: b.Text, Tokens: b.Tokens, Degraded: b.Reason}
}

// Recalled is what recall answers.
type Recalled struct {
	Results  []Hit  `json:"results" jsonschema:"what was found, best first; empty where nothing fits"`
	Message  string `json:"message,omitempty" jsonschema:"why nothing was found"`
	Degraded string `json:"degraded,omitempty" jsonschema:"why less may be found than there is"`
}

// Hit is one thing that was found.
type Hit struct {
	Kind           string `json:"kind" jsonschema:"turn (the very words), memory, summary, or another kind of text"`
	Text           string `json:"text" jsonschema:"what was said, or what is remembered"`
	Speaker        string `json:"speaker,omitempty" jsonschema:"of a turn: user is the caller, assistant the agent"`
	At             string `json:"at" jsonschema:"when it was said or learned (RFC 3339)"`
	ConversationID string `json:"conversationId,omitempty" jsonschema:"the conversation it is from"`
	Title          string `json:"title,omitempty" jsonschema:"of a text that has one"`
	Weak           bool   `json:"weak,omitempty" jsonschema:"it is among the best there is, but hardly fits the question"`
}

// maxRecalled is how many results recall gives at most, and recalled how many if nothing else is asked for.
const (
	maxRecalled = 20
	recalled    = 5
)

func (s *server) recallRow() row {
	return row{
		scope: recaller.ScopeRead, do: s.recall,
		tool: &mcp.Tool{
			Name: "recall", Title: "Recall what was said", Description: recallText,
			InputSchema: json.RawMessage(recallSchema), OutputSchema: schemaOf[Recalled](),
			Annotations: hints("Recall what was said", true, false, true),
		},
	}
}

func (s *server) recall(ctx context.Context, x *exchange, args tool.Arguments) (any, error) {
	query, err := args.Needed("query")
	if err != nil {
		return nil, err
	}
	n, err := args.Number("limit", maxRecalled)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		n = recalled
	}
	who, ok, err := s.known(ctx, x, args)
	if err != nil {
		return nil, err
	}
	if !ok {
		return Recalled{Results: []Hit{}, Message: "Nobody is known by this number: there is nothing to recall"}, nil
	}
	t, err := s.Tenants.Tenant(ctx, x.Tenant)
	if err != nil {
		return nil, err
	}
	rights := t.Rights(recaller.TrustClaimed)
	if !rights.Tells(recaller.TellAllButPrivate) {
		return Recalled{Results: []Hit{}, Message: nothingFits}, nil
	}
	found, err := s.Recall.Recall(ctx, x.Tenant, who.ID, recall.Query{
		Text: query, Limit: n, Neighbours: -1, Weak: true, Embed: true, Private: rights.Tells(recaller.TellAll),
	})
	if err != nil {
		return nil, err
	}
	out := Recalled{Results: []Hit{}, Degraded: found.Degraded}
	for _, h := range found.Hits {
		out.Results = append(out.Results, Hit{
			Kind: string(h.Kind), Text: h.Text, Speaker: string(h.Speaker), At: stamp(h.At),
			ConversationID: string(h.Conversation), Title: h.Title, Weak: h.Weak,
		})
	}
	if len(out.Results) == 0 {
		out.Message = nothingFits
	}
	return out, nil
}

const nothingFits = "Nothing that was said fits this"
