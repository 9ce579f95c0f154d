package httpapi

import (
	"bytes"
	"context"
	"net/http"
	"reflect"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/conversation"
)

// Parts that requests share. huma looks only into exported fields, so their names are exported.
type (
	// Idempotent takes an Idempotency-Key.
	Idempotent struct {
		Key string `header:"Idempotency-Key" doc:"Carries the request out once, however often it is sent with this key. At most 255 bytes." example:"call-4711-start"`
	}
	// ConversationPath names a conversation.
	ConversationPath struct {
		ID string `path:"id" doc:"The conversation's id, or its external id." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3b"`
	}
	// CallerPath names a caller.
	CallerPath struct {
		ID string `path:"id" doc:"The caller's id." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3c"`
	}
	// MemoryPath names a memory.
	MemoryPath struct {
		ID string `path:"id" doc:"The memory's id." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3e"`
	}
	// Paging asks for one page of a list.
	Paging struct {
		Limit  int    `query:"limit" minimum:"1" maximum:"200" doc:"How many at most; 50 if not said." example:"50"`
		Cursor string `query:"cursor" doc:"next_cursor of the page before." example:"MDE5OWI3"`
	}
	// Trusting says how sure it is who the caller is, where no conversation says it.
	Trusting struct {
		Trust string `query:"trust" enum:"claimed,attested,verified" doc:"How sure it is who the caller is: what is told then is a setting of the tenant's (docs/trust.md). If not said: claimed, which by default tells everything but what was marked private." example:"verified"`
	}
	// BriefingParams says what a briefing is wanted for.
	BriefingParams struct {
		Query     string `query:"query" doc:"What is talked about now, at most 2,000 characters: words of earlier conversations that fit are told in the part recalled, and memories that fit go before the others. If not said: of a live conversation that this server leads the last turns of the user, else nothing." example:"rebooking a flight"`
		MaxTokens int    `query:"max_tokens" minimum:"0" maximum:"100000" doc:"The token budget; 0 or not said: the server's default." example:"1500"`
		Style     string `query:"style" enum:"briefing,system_prompt" doc:"briefing: notes to put in front of the agent's own prompt; system_prompt: a whole system prompt. If not said: of a conversation that this server leads the one that it began with, else notes." example:"briefing"`
	}
)

func (t Trusting) trust() recaller.Trust { return recaller.Trust(t.Trust) }

func (p Paging) page() recaller.Page { return recaller.Page{Limit: p.Limit, Cursor: p.Cursor} }

func (b BriefingParams) request() briefing.Request {
	return briefing.Request{Query: b.Query, MaxTokens: b.MaxTokens, Style: recaller.BriefingStyle(b.Style)}
}

// answer is a body with a status of its own.
type answer[T any] struct {
	Status int
	Body   T
}

// plain is a body.
type plain[T any] struct{ Body T }

func body200[T any](v T, err error) (*plain[T], error) {
	if err != nil {
		return nil, err
	}
	return &plain[T]{v}, nil
}

const (
	tagConversations = "Conversations"
	tagCallers       = "Callers"
	tagMemories      = "Memories"
	tagThreads       = "Threads"
	tagTools         = "Tools"
	tagReminders     = "Reminders"
	tagWebhooks      = "Webhooks and events"
	tagDocuments     = "Documents"
	tagTenants       = "Tenants"
	tagOperation     = "Operation"
)

func (s *server) conversationRoutes() {
	add(s, route{
		id: "start-conversation", method: http.MethodPost, path: "/v1/conversations", tag: tagConversations,
		status: http.StatusCreated, summary: "Start a conversation", statuses: []int{http.StatusConflict},
		about: "Recognises the caller, or makes a new one, opens the conversation and answers with what the agent " +
			"should know before it speaks. Starting again with the same external_id returns the conversation that is " +
			"there (`existing`).",
	}, s.start)
	add(s, route{
		id: "list-conversations", method: http.MethodGet, path: "/v1/conversations", tag: tagConversations,
		summary: "List conversations",
		about: "Newest first, of one caller or of all. Summaries tell nothing that was forgotten; " +
			"`include_forgotten` with an admin key shows it.", statuses: []int{http.StatusForbidden},
	}, s.listConversations)
	add(s, route{
		id: "get-conversation", method: http.MethodGet, path: "/v1/conversations/{id}", tag: tagConversations,
		summary: "Read a conversation",
		about: "With its turns, its summary and analysis once they are there, and how far the write-up is, step by " +
			"step. " +
			"Of more than a thousand turns it may be sent while it is read: if something fails meanwhile, the connection " +
			"breaks off. Of what was forgotten the summary tells nothing, and the turns that said it are `forgotten` and have no " +
			"text; `include_forgotten` with an admin key shows it all.",
		statuses: []int{http.StatusForbidden},
	}, s.getConversation)
	s.sends("/v1/conversations/{id}", reflect.TypeFor[client.ConversationRecord]())
	add(s, route{
		id: "end-conversation", method: http.MethodPost, path: "/v1/conversations/{id}/end", tag: tagConversations,
		status: http.StatusAccepted, summary: "End a conversation",
		about: "The write-up follows in the background. Ending it again changes nothing and answers the same, so no " +
			"Idempotency-Key is needed.",
	}, s.end)
	add(s, route{
		id: "verify-conversation", method: http.MethodPost, path: "/v1/conversations/{id}/verify", tag: tagConversations,
		summary: "Say that it is known who calls", statuses: []int{http.StatusConflict},
		about: "For when the application finds out during the conversation: its trust is `verified` from now on, listeners are told " +
			"(`trust.raised`), and the briefing is made anew. Again it changes nothing. 409 once it has ended, or where the caller " +
			"showed no identity.",
	}, s.verify)
	add(s, route{
		id: "speaker", method: http.MethodPost, path: "/v1/conversations/{id}/speaker", tag: tagConversations,
		summary: "Say that somebody else speaks", statuses: []int{http.StatusConflict},
		about: "The person on the line is another than the conversation was taken to be with. It goes on as theirs, with its id, " +
			"its external id and the ids of platforms; what was said until then becomes an ended conversation of the one before " +
			"(`continues`), unless it was a greeting. Both are known by the number then. The briefing in the answer takes the " +
			"place of the one before, and listeners get it too. Without a caller_id and a name: somebody new.",
	}, s.speaker)
	s.eventRoute()
}

func (s *server) start(ctx context.Context, x *exchange, in *struct {
	Idempotent
	Body client.StartRequest
},
) (*plain[client.StartResponse], error) {
	once, err := x.Once()
	if err != nil {
		return nil, err
	}
	b := in.Body
	started, err := s.Conversations.Start(ctx, x.Tenant, conversation.Start{
		Once: once, Caller: conversation.CallerRef(b.Caller), ExternalID: b.ExternalID, Channel: b.Channel,
		Direction: b.Direction, PlatformIDs: b.PlatformIDs, Verified: b.Verified, Reminder: b.Reminder, Metadata: b.Metadata,
		MaxTokens: b.MaxTokens, BriefingStyle: b.BriefingStyle,
	})
	if err != nil {
		return nil, err
	}
	return &plain[client.StartResponse]{client.StartResponse{
		Conversation: conversationOut(started.Conversation),
		Caller:       client.StartedCaller{Caller: callerOut(started.Caller), FirstTime: started.FirstTime},
		Existing:     started.Existing, Briefing: briefingOut(started.Briefing),
	}}, nil
}

func (s *server) listConversations(ctx context.Context, x *exchange, in *struct {
	Paging
	CallerID string `query:"caller_id" doc:"Only conversations with this caller." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3c"`
	Status   string `query:"status" enum:"active,completed,failed" doc:"Only conversations of this status." example:"active"`
	Forgotten
},
) (*plain[client.ConversationList], error) {
	return s.conversations(ctx, x, in.Forgotten, recaller.ConversationFilter{
		Caller: recaller.CallerID(in.CallerID), Status: recaller.Status(in.Status), Page: in.page(),
	})
}

func (s *server) conversations(
	ctx context.Context, x *exchange, gone Forgotten, f recaller.ConversationFilter,
) (*plain[client.ConversationList], error) {
	if err := gone.allowed(x); err != nil {
		return nil, err
	}
	read := s.Conversations.List
	if gone.IncludeForgotten {
		read = s.Conversations.ListAll
	}
	ctx, damage := recaller.WithDamage(ctx)
	found, next, err := read(ctx, x.Tenant, f)
	return body200(client.ConversationList{
		Conversations: list(found, conversationOut), NextCursor: next, Damaged: damage.Count(),
	}, err)
}

func (s *server) getConversation(ctx context.Context, x *exchange, in *struct {
	ConversationPath
	Turns bool `query:"turns" default:"true" doc:"false leaves the turns out." example:"true"`
	Forgotten
},
) (*streamed, error) {
	if err := in.allowed(x); err != nil {
		return nil, err
	}
	ctx, damage := recaller.WithDamage(ctx)
	rec, words, err := s.record(ctx, x.Tenant, in.ID, in.Turns, in.IncludeForgotten)
	if err != nil {
		return nil, err
	}
	var calls []recaller.ToolCall
	if !rec.Away && rec.Conversation.Caller != "" { // else the store is away
		if calls, err = s.Tools.Calls(ctx, x.Tenant, rec.Conversation.ID); err != nil {
			return nil, err
		}
	}
	return &streamed{func(huma.Context) { s.sendRecord(ctx, x, recordOut(rec, calls), words, damage) }}, nil
}

// record reads a conversation. The words of a long one are apart.
func (s *server) record(
	ctx context.Context, tenant recaller.TenantID, ref string, turns, all bool,
) (rec conversation.Record, words conversation.Ranged, err error) {
	switch {
	case turns:
		return s.Conversations.GetLong(ctx, tenant, ref, all)
	case all:
		rec, err = s.Conversations.GetAll(ctx, tenant, ref, false)
	default:
		rec, err = s.Conversations.Get(ctx, tenant, ref, false)
	}
	return rec, nil, err
}

// sendRecord writes a conversation. Words that are apart are written while they are read, for as long as it takes who
// asks to read them.
func (s *server) sendRecord(
	ctx context.Context, x *exchange, record client.ConversationRecord, words conversation.Ranged, damage *recaller.Damage,
) {
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), exportLimit)
	defer done()
	out := sendingTo(x)
	out.plain = true
	head := slices.Concat([]byte(`{"conversation":`), out.marshal(record.Conversation))
	rest := bytes.TrimPrefix(out.marshal(record), head)
	out.bytes(head)
	if words != nil {
		rows(out, "turns", words(ctx), turnOut)
	}
	out.bytes(rest[:max(0, len(rest)-1)])
	if n := damage.Count(); n > 0 { // as far as was read
		out.member("damaged", n)
	}
	out.text("}")
	s.sent(x, out)
}

func (s *server) end(ctx context.Context, x *exchange, in *struct {
	ConversationPath
	Body *client.EndRequest
},
) (*plain[client.EndResponse], error) {
	b := in.Body
	if b == nil {
		b = &client.EndRequest{}
	}
	at, err := told("ended_at", b.EndedAt)
	if err != nil {
		return nil, err
	}
	conv, err := s.Conversations.End(ctx, x.Tenant, in.ID, conversation.End{
		Status: b.Status, EndedAt: at, Duration: seconds(b.DurationSeconds), RecordingURL: b.RecordingURL,
		Reason: b.Reason,
	})
	return body200(client.EndResponse{Conversation: conversationOut(conv)}, err)
}

func (s *server) verify(ctx context.Context, x *exchange, in *ConversationPath) (*plain[client.VerifyResponse], error) {
	conv, err := s.Conversations.Verify(ctx, x.Tenant, in.ID)
	return body200(client.VerifyResponse{Conversation: conversationOut(conv)}, err)
}

func (s *server) speaker(ctx context.Context, x *exchange, in *struct {
	ConversationPath
	Body client.SpeakerRequest
},
) (*plain[client.SpeakerResponse], error) {
	b := in.Body
	if b.CallerID != "" && (b.Name != "" || b.New || b.Recycled) {
		return nil, recaller.InvalidField("caller_id", "cannot be given together with name, new or recycled")
	}
	out, err := s.Conversations.SomeoneElse(ctx, x.Tenant, in.ID, recaller.Speaking{
		Caller: recaller.CallerID(b.CallerID), Name: b.Name, New: b.New, Recycled: b.Recycled,
	})
	if err != nil {
		return nil, err
	}
	text, err := s.Conversations.Briefing(ctx, x.Tenant, string(out.Conversation.ID), briefing.Request{})
	return body200(client.SpeakerResponse{
		Caller: callerOut(out.Caller), Conversation: conversationOut(out.Conversation), Briefing: briefingOut(text),
	}, err)
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
