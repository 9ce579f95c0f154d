package httpapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/tag"
	"github.com/recallerhq/recaller/internal/thread"
)

// ThreadPath names a thread.
type ThreadPath struct {
	ID string `path:"id" doc:"The thread's id, or its external id: that of the chat, with a colon and the topic where there is one." example:"chat-99:12"`
}

func (s *server) threadRoutes() {
	const path, one = "/v1/threads", "/v1/threads/{id}"
	add(s, route{
		id: "open-thread", method: http.MethodPost, path: path, tag: tagThreads, status: http.StatusCreated,
		summary: "Open a thread", statuses: []int{http.StatusConflict},
		about: "A thread is a chat that never ends. Finds the one with the external id, or begins one; one that is there stays " +
			"as it is (`existing`). What is said in it is written up as it goes: every few dozen messages, and when the chat " +
			"has been silent for the idle limit.",
	}, s.openThread)
	add(s, route{
		id: "list-threads", method: http.MethodGet, path: path, tag: tagThreads, summary: "List threads",
		about: "Newest first, of one caller or of all.",
	}, s.listThreads)
	add(s, route{
		id: "get-thread", method: http.MethodGet, path: one, tag: tagThreads, summary: "Read a thread",
		about: "With its summary, which is made anew after every five exchanges.",
	}, func(ctx context.Context, x *exchange, in *ThreadPath) (*plain[client.Thread], error) {
		t, err := s.Threads.Get(ctx, x.Tenant, in.ID)
		return body200(threadOut(t), err)
	})
	add(s, route{
		id: "update-thread", method: http.MethodPatch, path: one, tag: tagThreads, summary: "Change a thread",
		about: "Its title or its persona. What is left out stays.",
	}, s.updateThread)
	add(s, route{
		id: "thread-messages", method: http.MethodGet, path: one + "/messages", tag: tagThreads,
		summary: "Read the last messages of a thread", about: "In order, without those that say what was forgotten.",
	}, s.threadMessages)
	add(s, route{
		id: "thread-prompt", method: http.MethodPost, path: one + "/prompt", tag: tagThreads,
		summary: "Assemble the prompt for the next message",
		about: "Persona, the user's date and time, what is known of the user from all chats and calls, the thread's summary, what " +
			"was said before that fits the message, the last five messages, how to remember by tags, and the message. It " +
			"keeps nothing: give the model's reply to `/reply`. While the store is away it is degraded, and has the tenant's persona, the " +
			"time, the instructions and the message; the thread is not looked for then.",
	}, s.threadPrompt)
	add(s, route{
		id: "thread-reply", method: http.MethodPost, path: one + "/reply", tag: tagThreads,
		summary: "Keep an exchange, and carry out the tags of the reply", statuses: []int{http.StatusConflict},
		about: "`[LEARN: …]` becomes a memory with this thread as its source, `[FORGET: …]` forgets what is meant by its words " +
			"or by its meaning, `[VOICE_REPLY]` is reported; `text` is the reply without them. A tag in code, in a block quote " +
			"or in quotation marks is text. The exchange is durable before any tag is carried out, and a tag that cannot " +
			"be fails nothing: `tags` says what became of each.",
	}, s.threadReply)
}

func personaIn(p *client.ThreadPersona) recaller.PersonaChoice {
	if p == nil {
		return recaller.PersonaChoice{}
	}
	return recaller.PersonaChoice(*p)
}

func (s *server) openThread(ctx context.Context, x *exchange, in *struct {
	Idempotent
	Body client.ThreadRequest
},
) (*answer[client.ThreadResponse], error) {
	once, err := x.Once()
	if err != nil {
		return nil, err
	}
	b := in.Body
	t, who, existing, err := s.Threads.Open(ctx, x.Tenant, thread.Opening{
		Once: once, Caller: conversation.CallerRef(b.Caller), ExternalID: b.ExternalID, Topic: b.Topic, Channel: b.Channel,
		Title: b.Title, Persona: personaIn(b.Persona), Verified: b.Verified,
	})
	if err != nil {
		return nil, err
	}
	status := http.StatusCreated
	if existing {
		status = http.StatusOK
	}
	return &answer[client.ThreadResponse]{status, client.ThreadResponse{
		Thread: threadOut(t), Caller: callerOut(who), Existing: existing,
	}}, nil
}

func (s *server) listThreads(ctx context.Context, x *exchange, in *struct {
	Paging
	CallerID string `query:"caller_id" doc:"Only threads of this caller." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3c"`
},
) (*plain[client.ThreadList], error) {
	ctx, damage := recaller.WithDamage(ctx)
	found, next, err := s.Threads.List(ctx, x.Tenant, recaller.ThreadFilter{
		Caller: recaller.CallerID(in.CallerID), Page: in.page(),
	})
	return body200(client.ThreadList{Threads: list(found, threadOut), NextCursor: next, Damaged: damage.Count()}, err)
}

func (s *server) updateThread(ctx context.Context, x *exchange, in *struct {
	ThreadPath
	Body client.ThreadPatch
},
) (*plain[client.Thread], error) {
	c := thread.Change{Title: in.Body.Title}
	if in.Body.Persona != nil {
		p := personaIn(in.Body.Persona)
		c.Persona = &p
	}
	t, err := s.Threads.Update(ctx, x.Tenant, in.ID, c)
	return body200(threadOut(t), err)
}

func (s *server) threadMessages(ctx context.Context, x *exchange, in *struct {
	ThreadPath
	Limit int `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"How many at most." example:"50"`
},
) (*plain[client.ThreadMessages], error) {
	said, err := s.Threads.Messages(ctx, x.Tenant, in.ID, in.Limit)
	return body200(client.ThreadMessages{Messages: list(said, func(m briefing.Said) client.ThreadTurn {
		return client.ThreadTurn{Turn: turnOut(m.Turn), ConversationID: string(m.Conversation)}
	})}, err)
}

func messageIn(m client.ThreadMessage) thread.Message {
	return thread.Message{
		Text: m.Message, Quoted: m.Quoted, Media: list(m.Media, func(v client.Media) thread.Media { return thread.Media(v) }),
	}
}

func (s *server) threadPrompt(ctx context.Context, x *exchange, in *struct {
	ThreadPath
	Body client.PromptRequest
},
) (*plain[client.PromptResponse], error) {
	got, err := s.Threads.Prompt(ctx, x.Tenant, in.ID, thread.Asking{
		Message: messageIn(in.Body.ThreadMessage), MaxTokens: in.Body.MaxTokens,
	})
	if err != nil {
		return nil, err
	}
	b := briefingOut(got.Prompt)
	system, message := got.Prompt.Apart()
	out := client.PromptResponse{
		Prompt: b.Text, System: system, Message: message, Parts: b.Parts, Tokens: b.Tokens, Degraded: b.Degraded, Reason: b.Reason,
	}
	if got.Thread.ID != "" {
		out.Thread = threadOut(got.Thread)
	}
	return &plain[client.PromptResponse]{out}, nil
}

func (s *server) threadReply(ctx context.Context, x *exchange, in *struct {
	Idempotent
	ThreadPath
	Body client.ReplyRequest
},
) (*plain[client.ReplyResponse], error) {
	once, err := x.Once()
	if err != nil {
		return nil, err
	}
	got, err := s.Threads.Reply(ctx, x.Tenant, in.ID, thread.Replying{
		Once: once, Message: messageIn(in.Body.ThreadMessage), Reply: in.Body.Reply,
	})
	if err != nil {
		return nil, err
	}
	out := client.ReplyResponse{
		Text: got.Text, VoiceReply: got.VoiceReply, Durable: got.Durable, Thread: threadOut(got.Thread),
		Tags: list(got.Done, tagOut), Learned: []string{}, Forgotten: []string{},
		TurnIDs: list(got.Turns, func(t recaller.Turn) string { return string(t.ID) }),
	}
	for _, d := range got.Done {
		switch {
		case d.Result == thread.Forgotten:
			out.Forgotten = append(out.Forgotten, d.Text)
		case d.Kind == tag.Learn && d.Memory != "":
			out.Learned = append(out.Learned, d.Text)
		}
	}
	return &plain[client.ReplyResponse]{out}, nil
}

func tagOut(d thread.Done) client.Tag {
	out := client.Tag{
		Tag: string(d.Kind), Text: d.Text, Result: string(d.Result), Reason: d.Reason, MemoryID: string(d.Memory),
	}
	for _, m := range d.Candidates {
		out.Candidates = append(out.Candidates, candidateOut(m))
	}
	return out
}

func candidateOut(m recaller.Memory) client.ToolCandidate {
	return client.ToolCandidate{Key: m.Key, Value: m.Value, MemoryID: string(m.ID)}
}

func threadOut(t recaller.Thread) client.Thread {
	out := client.Thread{
		ID: string(t.ID), ExternalID: t.ExternalID, CallerID: string(t.Caller), Channel: t.Channel, Title: t.Title, Verified: t.Verified,
		Exchanges: t.Exchanges, CreatedAt: instant(t.CreatedAt), LastActivityAt: instant(t.LastActivityAt),
	}
	if t.Persona != (recaller.PersonaChoice{}) {
		p := client.ThreadPersona(t.Persona)
		out.Persona = &p
	}
	if t.Stopping.Stopped() {
		at := instant(t.Stopping.At)
		out.StoppedAt = &at
	}
	if s := t.Summary; s != nil && strings.TrimSpace(s.Text) != "" {
		out.Summary = &client.ThreadSummary{Text: s.Text, By: s.By, Exchanges: s.Exchanges, At: instant(s.At)}
	}
	return out
}
