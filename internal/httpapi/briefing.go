package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

func (s *server) briefingRoutes() {
	add(s, route{
		id: "conversation-briefing", method: http.MethodGet, path: "/v1/conversations/{id}/briefing",
		tag: tagConversations, summary: "Brief the agent of a conversation",
		about: "What the agent should know now. The conversation itself is not told as history; what its user said " +
			"last, or `query`, says what to tell of earlier ones.",
	}, s.conversationBriefing)
	add(s, route{
		id: "caller-briefing", method: http.MethodGet, path: "/v1/callers/{id}/briefing", tag: tagCallers,
		summary: "Brief an agent of a caller",
		about: "What an agent should know of the caller, without a conversation; with `as_of` what one would have " +
			"been told then: conversations that had ended, memories, agreements and reminders as they stood, all by " +
			"when things were said, so imported calls count from their own times. What was forgotten since is not " +
			"told, nor calls that were still open then, nor what rules had found while a model was away and gave way " +
			"to its findings: those are told from when they were said. Settings and the caller's time zone are those " +
			"of now.",
	}, s.callerBriefing)
}

func (s *server) callerBriefing(ctx context.Context, x *exchange, in *struct {
	CallerPath
	BriefingParams
	Trusting
	AsOf time.Time `query:"as_of" doc:"The time to look from (RFC 3339): what an agent would have been told then. A time to come is as good as now; now if not said." example:"2026-03-02T10:00:00Z"`
},
) (*plain[client.Briefing], error) {
	req := in.request()
	req.Trust = in.trust()
	var err error
	if req.AsOf, err = told("as_of", in.AsOf); err != nil {
		return nil, err
	}
	b, err := s.Briefer.Briefing(ctx, x.Tenant, recaller.CallerID(in.ID), req)
	return body200(briefingOut(b), err)
}

func (s *server) conversationBriefing(ctx context.Context, x *exchange, in *struct {
	ConversationPath
	BriefingParams
},
) (*plain[client.Briefing], error) {
	b, err := s.Conversations.Briefing(ctx, x.Tenant, in.ID, in.request())
	return body200(briefingOut(b), err)
}
