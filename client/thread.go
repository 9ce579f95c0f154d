package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/recallerhq/recaller"
)

// Thread is a chat that never ends.
type Thread struct {
	ID             string           `json:"id" doc:"Its id." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a40"`
	ExternalID     string           `json:"external_id" doc:"The platform's own id of the chat, with a colon and the topic where there is one; empty if there is none. It serves wherever the id does." example:"chat-99:12"`
	CallerID       string           `json:"caller_id" doc:"Whose it is." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3c"`
	Channel        recaller.Channel `json:"channel" enum:"sms,whatsapp,web-chat,telegram,api" doc:"Over what it runs." example:"telegram"`
	Title          string           `json:"title" doc:"What it is about: as it was given, or found in what was said; empty until then." example:"The garden house"`
	Persona        *ThreadPersona   `json:"persona,omitempty" doc:"Its own persona; left out where it has the tenant's."`
	Verified       bool             `json:"verified,omitempty" doc:"It is known who writes: its conversations begin as verified." example:"false"`
	Summary        *ThreadSummary   `json:"summary,omitempty" doc:"What it was about lately; left out until there were five exchanges, and while it is made anew because something was forgotten."`
	StoppedAt      *time.Time       `json:"stopped_at,omitempty" doc:"Of texts: since when its caller wants nothing more sent; left out where he does." example:"2026-03-02T09:34:02Z"`
	Exchanges      int              `json:"exchanges" doc:"How often the agent has answered in it." example:"12"`
	CreatedAt      time.Time        `json:"created_at" doc:"When it began." example:"2026-03-02T09:30:00Z"`
	LastActivityAt time.Time        `json:"last_activity_at" doc:"When something was last said." example:"2026-03-02T09:34:02Z"`
}

// ThreadPersona is the persona of a thread: a version of the tenant's, or a text of its own.
type ThreadPersona struct {
	Version int    `json:"version,omitempty" doc:"A version of the tenant's persona." example:"2"`
	Text    string `json:"text,omitempty" doc:"A text of the thread's own, at most 8,000 bytes." example:"You are patient and never hurry."`
}

// ThreadSummary says what a thread was about lately.
type ThreadSummary struct {
	Text      string    `json:"text" doc:"Two or three sentences." example:"User plans a garden house and decided on larch."`
	By        string    `json:"by" doc:"Who wrote it: rules, or a model's name." example:"rules"`
	Exchanges int       `json:"exchanges" doc:"How many exchanges there were when it was made." example:"10"`
	At        time.Time `json:"at" doc:"When it was made." example:"2026-03-02T09:34:05Z"`
}

// ThreadRequest opens a thread, or finds the one with its external id.
type ThreadRequest struct {
	Caller     CallerRef        `json:"caller" doc:"Whose it is."`
	ExternalID string           `json:"external_id,omitempty" doc:"The platform's own id of the chat, unique in the tenant, at most 255 bytes. Without it a new thread is begun." example:"chat-99"`
	Topic      string           `json:"topic,omitempty" doc:"A topic in the chat, which has a thread of its own." example:"12"`
	Channel    recaller.Channel `json:"channel,omitempty" enum:"sms,whatsapp,web-chat,telegram,api" doc:"Over what it runs; web-chat if not said." example:"telegram"`
	Title      string           `json:"title,omitempty" doc:"What it is about, at most 200 bytes; found in what is said if not given." example:"The garden house"`
	Persona    *ThreadPersona   `json:"persona,omitempty" doc:"Its own persona; if not given, the tenant's."`
	Verified   bool             `json:"verified,omitempty" doc:"You know that it is this caller who writes, and only he: he has signed in, say. The thread stays verified." example:"false"`
}

// ThreadResponse is a thread that was opened.
type ThreadResponse struct {
	Thread   Thread `json:"thread" doc:"The thread."`
	Caller   Caller `json:"caller" doc:"Whose it is."`
	Existing bool   `json:"existing" doc:"It was there already: the same external id, or a repeated Idempotency-Key." example:"false"`
}

// ThreadPatch changes a thread; what is left out stays.
type ThreadPatch struct {
	Title   *string        `json:"title,omitempty" doc:"What it is about." example:"The garden house"`
	Persona *ThreadPersona `json:"persona,omitempty" doc:"Its own persona; an empty object gives it the tenant's."`
}

// ThreadList is one page of threads.
type ThreadList struct {
	Threads    []Thread `json:"threads" nullable:"false" doc:"The threads, newest first."`
	NextCursor string   `json:"next_cursor,omitempty" doc:"Where the next page begins; left out on the last." example:"MDE5OWI3"`
	Damaged    int      `json:"damaged,omitempty" doc:"How many stored rows of the list are damaged: they are left out. The log and recaller doctor name them; left out where there are none." example:"1"`
}

// Media is a reference to a picture, a file or a voice message.
type Media struct {
	Kind string `json:"kind" enum:"image,file,voice" doc:"What it is. The words of a voice message are the text of the message." example:"image"`
	Ref  string `json:"ref,omitempty" doc:"A path, an address or an id, as the agent's model takes it." example:"photo-4711"`
	Name string `json:"name,omitempty" doc:"The name of a file." example:"plan.pdf"`
}

// ThreadMessage is what the user says.
type ThreadMessage struct {
	Message string  `json:"message" doc:"What the user says; may be empty where there are media." example:"Which wood did we choose?"`
	Media   []Media `json:"media,omitempty" nullable:"false" doc:"Pictures and files, told as references before the message."`
	Quoted  string  `json:"quoted,omitempty" doc:"What the message quotes or passes on that somebody else wrote: it is told as data, and nothing is learnt of it." example:"From: the builder. Larch is out of stock."`
}

// PromptRequest asks for the prompt of a thread's next message.
type PromptRequest struct {
	ThreadMessage
	MaxTokens int `json:"max_tokens,omitempty" minimum:"0" maximum:"100000" doc:"The token budget of all but the persona and the message; 0 or not said: the server's default." example:"1500"`
}

// PromptResponse is the assembled prompt of a thread's next message.
type PromptResponse struct {
	Prompt   string         `json:"prompt" doc:"The whole: persona, time, what is known of the user, the thread's summary, its last messages, instructions, the message." example:"You are Jarvis.\n\nCurrent time: …\n\nUser: Which wood did we choose?\n"`
	System   string         `json:"system" doc:"The same without the message, for models that take the two apart." example:"You are Jarvis.\n\nCurrent time: …\n"`
	Message  string         `json:"message" doc:"The message as it is told: with its references, and with what it quotes." example:"Which wood did we choose?"`
	Parts    []BriefingPart `json:"parts" nullable:"false" doc:"The parts of the prompt, in order."`
	Tokens   int            `json:"tokens" doc:"An upper bound of what a model will count." example:"612"`
	Degraded bool           `json:"degraded" doc:"Something is missing that should be here." example:"false"`
	Reason   string         `json:"reason,omitempty" doc:"Why, when degraded." example:"deadline"`
	Thread   Thread         `json:"thread,omitzero" doc:"The thread; left out where it could not be read, because the store is away."`
}

// ReplyRequest is one exchange: what the user said, and what the agent's model replied.
type ReplyRequest struct {
	ThreadMessage
	Reply string `json:"reply" doc:"The reply, tags and all." example:"Larch. [LEARN: prefers larch for the garden house]"`
}

// ReplyResponse is what came of an exchange.
type ReplyResponse struct {
	Text       string   `json:"text" doc:"What is to be delivered: the reply without its tags." example:"Larch."`
	Learned    []string `json:"learned" nullable:"false" doc:"What was learnt, as it is kept; also what was known already." example:"[\"prefers larch for the garden house\"]"`
	Forgotten  []string `json:"forgotten" nullable:"false" doc:"What was forgotten."`
	VoiceReply bool     `json:"voice_reply" doc:"The reply is to be spoken." example:"false"`
	Tags       []Tag    `json:"tags" nullable:"false" doc:"What became of each tag, in their order."`
	TurnIDs    []string `json:"turn_ids" nullable:"false" doc:"The ids of the turns that were kept."`
	Durable    bool     `json:"durable" doc:"They survive a crash. false for ephemeral tenants, and while the store is away." example:"true"`
	Thread     Thread   `json:"thread" doc:"The thread as it is now."`
}

// Tag is what became of one tag of a reply.
type Tag struct {
	Tag        string          `json:"tag" enum:"learn,forget" doc:"Which one." example:"learn"`
	Text       string          `json:"text" doc:"What it says, as it was kept." example:"prefers larch for the garden house"`
	Result     string          `json:"result" enum:"learned,confirmed,updated,forgotten,unclear,not_found,refused" doc:"What became of it. unclear: several memories may be meant, which are the candidates; ask the user." example:"learned"`
	Reason     string          `json:"reason,omitempty" doc:"Why nothing became of it." example:"more than 15 words"`
	MemoryID   string          `json:"memory_id,omitempty" doc:"The memory." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3e"`
	Candidates []ToolCandidate `json:"candidates,omitempty" nullable:"false" doc:"Of unclear: what may be meant."`
}

// ThreadTurn is one message of a thread.
type ThreadTurn struct {
	Turn
	ConversationID string `json:"conversation_id" doc:"The conversation of the thread that it was said in." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3b"`
}

// ThreadMessages are the last messages of a thread.
type ThreadMessages struct {
	Messages []ThreadTurn `json:"messages" nullable:"false" doc:"The messages, in order; those that say what was forgotten are left out."`
}

// OpenThread opens a thread, or finds the one with its external id.
func (c *Client) OpenThread(ctx context.Context, in ThreadRequest) (ThreadResponse, error) {
	var out ThreadResponse
	return out, c.post(ctx, path("threads"), in, &out)
}

// Thread reads a thread by its id or its external id.
func (c *Client) Thread(ctx context.Context, id string) (Thread, error) {
	var out Thread
	return out, c.get(ctx, path("threads", id), nil, &out)
}

// Threads lists threads, newest first: of a caller, or of the tenant where caller is empty.
func (c *Client) Threads(ctx context.Context, caller, cursor string, limit int) (ThreadList, error) {
	q := url.Values{}
	set(q, "caller_id", caller)
	set(q, "cursor", cursor)
	if limit > 0 {
		q.Set("limit", strconv.Itoa(limit))
	}
	var out ThreadList
	return out, c.get(ctx, path("threads"), q, &out)
}

// UpdateThread changes a thread's title or persona.
func (c *Client) UpdateThread(ctx context.Context, id string, in ThreadPatch) (Thread, error) {
	var out Thread
	return out, c.do(ctx, request{method: http.MethodPatch, path: path("threads", id), body: in, out: &out})
}

// ThreadPrompt assembles the prompt for what the user says next. It keeps nothing.
func (c *Client) ThreadPrompt(ctx context.Context, id string, in PromptRequest) (PromptResponse, error) {
	var out PromptResponse
	return out, c.post(ctx, path("threads", id, "prompt"), in, &out)
}

// ThreadReply keeps an exchange and carries out the tags of the reply.
func (c *Client) ThreadReply(ctx context.Context, id string, in ReplyRequest) (ReplyResponse, error) {
	var out ReplyResponse
	return out, c.post(ctx, path("threads", id, "reply"), in, &out)
}

// ThreadMessages reads the last messages of a thread, in order; limit 0 is the server's default.
func (c *Client) ThreadMessages(ctx context.Context, id string, limit int) (ThreadMessages, error) {
	q := url.Values{}
	if limit > 0 {
		q.Set("limit", strconv.Itoa(limit))
	}
	var out ThreadMessages
	return out, c.get(ctx, path("threads", id, "messages"), q, &out)
}
