package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/tool"
)

// Logged is what log_turns answers.
type Logged struct {
	Success        bool   `json:"success" jsonschema:"the turns are kept"`
	ConversationID string `json:"conversationId" jsonschema:"give it with the next turns of this conversation"`
	Turns          int    `json:"turns" jsonschema:"how many turns were logged"`
	Durable        bool   `json:"durable" jsonschema:"they are stored as far as the tenant keeps words"`
	Ended          bool   `json:"ended" jsonschema:"the conversation is over, and is being written up"`
}

func (s *server) turnsRow() row {
	return row{
		scope: recaller.ScopeAgent, do: s.logTurns,
		tool: &mcp.Tool{
			Name: "log_turns", Title: "Log what was said", Description: turnsText,
			InputSchema: json.RawMessage(turnsSchema), OutputSchema: schemaOf[Logged](),
			Annotations: hints("Log what was said", false, false, false),
		},
	}
}

// said is one turn as a model tells it.
type said struct {
	Speaker string    `json:"speaker"`
	Text    string    `json:"text"`
	At      time.Time `json:"at"`
}

// logging is a call of log_turns.
type logging struct {
	turns   []conversation.TurnInput
	ref     string
	channel string
	ended   string
}

func (s *server) logTurns(ctx context.Context, x *exchange, args tool.Arguments) (any, error) {
	in, err := loggingOf(args)
	if err != nil {
		return nil, err
	}
	once, err := x.Once()
	if err != nil {
		return nil, err
	}
	id, err := s.opened(ctx, x, in, args, once)
	if err != nil {
		return nil, err
	}
	out := Logged{Success: true, ConversationID: id, Durable: true}
	if len(in.turns) > 0 {
		turns, durable, err := s.Conversations.AddTurns(ctx, x.Tenant, id, once, in.turns)
		if err != nil {
			return nil, err
		}
		out.Turns, out.Durable = len(turns), durable
	}
	if in.ended != "" {
		_, err := s.Conversations.End(ctx, x.Tenant, id, conversation.End{Status: recaller.Status(in.ended)})
		if err != nil {
			return nil, err
		}
		out.Ended = true
	}
	return out, nil
}

func loggingOf(args tool.Arguments) (in logging, err error) {
	var list []said
	if raw := args[tool.Fold("turns")]; args.Given("turns") && json.Unmarshal(raw, &list) != nil {
		return in, recaller.InvalidField("turns", "must be a list of {speaker, text}, where at may be an RFC 3339 time")
	}
	for i, t := range list {
		speaker, ok := speakers[strings.ToLower(strings.TrimSpace(t.Speaker))]
		if !ok {
			return in, recaller.InvalidField(fmt.Sprintf("turns[%d].speaker", i), "must be user (the caller) or assistant (the agent)")
		}
		in.turns = append(in.turns, conversation.TurnInput{Speaker: speaker, Text: t.Text, At: t.At.UTC()})
	}
	if in.ref, err = args.Text(argConversation); err != nil {
		return in, err
	}
	if in.channel, err = args.Text("channel"); err != nil {
		return in, err
	}
	if in.ended, err = args.Text("ended"); err != nil {
		return in, err
	}
	switch {
	case in.ended != "" && in.ended != string(recaller.Completed) && in.ended != string(recaller.Failed):
		return in, recaller.InvalidField("ended", "must be completed or failed; leave it out while the conversation goes on")
	case len(in.turns) == 0 && in.ended == "":
		return in, recaller.InvalidField("turns", "is required")
	}
	return in, nil
}

var speakers = map[string]recaller.Speaker{
	"user": recaller.User, "caller": recaller.User, "assistant": recaller.Assistant, "agent": recaller.Assistant,
}

// opened returns the id of the conversation that turns are logged to. One that nobody knows yet is opened, under the id
// that it was named by; so is one that only the store may know, while that is away.
func (s *server) opened(
	ctx context.Context, x *exchange, in logging, args tool.Arguments, once recaller.Once,
) (string, error) {
	if in.ref != "" {
		conv, err := s.conversation(ctx, x, in.ref, args)
		unknown := errors.Is(err, recaller.NotFound) || errors.Is(err, recaller.Unavailable) || errors.Is(err, recaller.Timeout)
		if !unknown || conv.ID != "" {
			return string(conv.ID), err
		}
	}
	ref, err := s.callerRef(ctx, x, args)
	if err != nil {
		return "", err
	}
	if once.Token != "" {
		once.Token = "start:" + once.Token
	}
	if in.channel == "" {
		in.channel = string(recaller.ChannelAPI)
	}
	started, err := s.Conversations.Start(ctx, x.Tenant, conversation.Start{
		Once: once, Caller: ref, ExternalID: in.ref, Channel: recaller.Channel(in.channel),
	})
	return string(started.Conversation.ID), err
}

// callerRef says whom a conversation begins with. Who is named by a number is not looked up: a conversation begins while
// the store is away, too.
func (s *server) callerRef(ctx context.Context, x *exchange, args tool.Arguments) (conversation.CallerRef, error) {
	is, named := s.identity(ctx, x, args)
	switch {
	case named && is.Kind == recaller.IdentityPhone:
		return conversation.CallerRef{Phone: is.Value}, nil
	case named:
		return conversation.CallerRef{ExternalID: is.Value}, nil
	}
	who, err := s.whose(ctx, x, args, true)
	return conversation.CallerRef{Phone: who.Phone(), ExternalID: who.ExternalID()}, err
}
