package mcpserver

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/httpdoor"
	"github.com/recallerhq/recaller/internal/tool"
)

// The addresses of the resources. Those of the bound caller are there for connections that are bound to one.
const (
	callersURI = "recaller://callers/"
	boundURI   = "recaller://caller/"
	aBriefing  = "briefing"
	aTimeline  = "timeline"
)

func ofBound(uri string) bool { return strings.HasPrefix(uri, boundURI) }

// view is one way to read a caller.
type view struct {
	name, title, about, mime string
	read                     func(ctx context.Context, x *exchange, who recaller.Caller) (string, error)
}

// addResources adds a caller's briefing and timeline.
func (s *server) addResources(to *mcp.Server) {
	for _, v := range []view{
		{
			aBriefing, "A caller's briefing", "What an agent should know of the caller before it speaks, as one text " +
				"for a prompt: who it is, where the last call broke off, what is due, what is remembered.",
			"text/markdown", s.briefingOf,
		},
		{
			aTimeline, "A caller's timeline", "The caller's last conversations, newest first: when, over what, how " +
				"they ended and what they were about.", "application/json", s.timelineOf,
		},
	} {
		to.AddResourceTemplate(&mcp.ResourceTemplate{
			Name: "caller_" + v.name, Title: v.title, MIMEType: v.mime,
			Description: v.about + " The caller is a phone number in any spelling, such as +14155550199, or ext: and an id of your own.",
			URITemplate: callersURI + "{+phoneNumber}/" + v.name,
		}, s.reader(v))
		to.AddResource(&mcp.Resource{
			Name: "this_caller_" + v.name, Title: v.title, MIMEType: v.mime, Description: v.about, URI: boundURI + v.name,
		}, s.reader(v))
	}
}

// reader reads a view of the caller that an address names, or of the one that the connection is bound to.
func (s *server) reader(v view) mcp.ResourceHandler {
	return func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		x, uri := exchangeOf(ctx), req.Params.URI
		args := tool.Arguments{}
		if rest, ok := strings.CutPrefix(uri, callersURI); ok {
			ref, err := url.PathUnescape(strings.TrimSuffix(rest, "/"+v.name))
			if err != nil {
				return nil, mcp.ResourceNotFoundError(uri)
			}
			args = argument(argPhone, ref)
		} else if x.bound == "" {
			return nil, mcp.ResourceNotFoundError(uri)
		}
		who, err := s.whose(ctx, x, args, false)
		text := ""
		if err == nil {
			text, err = v.read(ctx, x, who)
		}
		if errors.Is(err, recaller.NotFound) {
			return nil, mcp.ResourceNotFoundError(uri)
		}
		if err != nil {
			x.failed(err)
			return nil, wireError(err)
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: v.mime, Text: text}}}, nil
	}
}

// argument makes the arguments of a call that has one.
func argument(name, value string) tool.Arguments {
	text, err := marshal(value)
	if err != nil {
		return nil
	}
	return tool.Arguments{tool.Fold(name): text}
}

// wireError tells a failure of what is not a tool.
func wireError(err error) error {
	code := int64(jsonrpc.CodeInternalError)
	if recaller.KindOf(err) == recaller.Invalid {
		code = jsonrpc.CodeInvalidParams
	}
	return &jsonrpc.Error{Code: code, Message: httpdoor.ProblemOf(err).Detail}
}

func (s *server) briefingOf(ctx context.Context, x *exchange, who recaller.Caller) (string, error) {
	b, err := s.Briefer.Briefing(ctx, x.Tenant, who.ID, briefing.Request{})
	return b.Text, err
}

// timelineLength is how many conversations a timeline has.
const timelineLength = 20

// past is one conversation of a timeline.
type past struct {
	ID       string   `json:"id"`
	At       string   `json:"at"`
	Channel  string   `json:"channel"`
	Status   string   `json:"status"`
	Turns    int      `json:"turns"`
	Summary  string   `json:"summary,omitempty"`
	Topics   []string `json:"topics,omitempty"`
	Outcome  string   `json:"outcome,omitempty"`
	Duration float64  `json:"durationSeconds"`
}

func (s *server) timelineOf(ctx context.Context, x *exchange, who recaller.Caller) (string, error) {
	told, err := s.Conversations.Timeline(ctx, x.Tenant, who, timelineLength, recaller.TrustClaimed)
	if err != nil {
		return "", err
	}
	out := struct {
		Name          string `json:"name,omitempty"`
		FirstSeen     string `json:"firstSeen"`
		Conversations []past `json:"conversations"`
	}{told.Name, stamp(who.FirstSeen), []past{}}
	for _, c := range told.Conversations {
		p := past{
			ID: string(c.ID), At: stamp(c.StartedAt), Channel: string(c.Channel), Status: string(c.Status), Turns: c.Turns,
			Duration: c.Duration.Seconds(),
		}
		if c.Summary != nil {
			p.Summary = c.Summary.Brief
		}
		if c.Analysis != nil {
			p.Topics, p.Outcome = c.Analysis.Topics, c.Analysis.Outcome
		}
		out.Conversations = append(out.Conversations, p)
	}
	text, err := marshal(out)
	return string(text), err
}
