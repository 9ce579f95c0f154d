// Package thread is the life of chats that never end (seed L, spec L1–L8): opening or finding one, the prompt for the
// next message, and what the agent replied, with the tags in it carried out.
//
// A thread is no conversation. What is said in it is said in conversations, its stretches, one after another: package
// conversation begins and ends them, wrapup writes them up and summarises the thread, and whatever searches conversations
// finds them (ADR 52). The thread knows whose it is, its title, its persona and its summary.
//
// It does not compose prompts (briefing), read tags (tag), keep memories (tool, memory), or ask a model for the reply:
// who runs the model is outside.
package thread

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/memory"
	"github.com/recallerhq/recaller/internal/tool"
)

// Store is what this package asks of the store.
type Store interface {
	CreateThread(
		ctx context.Context, tenant recaller.TenantID, in recaller.ThreadCreating,
	) (t recaller.Thread, existing bool, err error)
	// Thread finds one by its id or its external id.
	Thread(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Thread, error)
	ChangeThread(
		ctx context.Context, tenant recaller.TenantID, id recaller.ThreadID, p recaller.ThreadPatch,
	) (recaller.Thread, error)
	Threads(
		ctx context.Context, tenant recaller.TenantID, f recaller.ThreadFilter,
	) (list []recaller.Thread, next string, err error)
	// Stretches returns the last conversations of a thread, newest first.
	Stretches(
		ctx context.Context, tenant recaller.TenantID, t recaller.Thread, most int,
	) ([]recaller.Conversation, error)
	// EnqueueThread inserts the job that summarises a thread, unless it waits already.
	EnqueueThread(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, job recaller.Job,
	) error
	// Ahead reads what the next prompt of a thread is made of, to be kept until something is written about its caller.
	Ahead(ctx context.Context, tenant recaller.TenantID, ref string) error
	Caller(ctx context.Context, tenant recaller.TenantID, id recaller.CallerID) (recaller.Caller, error)
	// Introduce returns the caller with identities, who is created if nobody has any of them.
	Introduce(ctx context.Context, tenant recaller.TenantID, in recaller.Introducing) (recaller.Caller, error)
	// Forgotten returns every version of the memories that are forgotten.
	Forgotten(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) ([]recaller.Memory, error)
	// MemoryByID returns the newest version of a memory, whatever its status.
	MemoryByID(ctx context.Context, tenant recaller.TenantID, id recaller.MemoryID) (recaller.Memory, error)
	// Repeated finds the memory that an earlier request with the same token wrote; found is false if there was none.
	Repeated(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, once recaller.Once,
	) (m recaller.Memory, found bool, err error)
	// AppendedBefore returns the turns that an earlier request added; none if there was no such request.
	AppendedBefore(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, in recaller.Once,
	) ([]recaller.TurnID, error)
}

// Conversations are the stretches of a thread; *conversation.Service has them.
type Conversations interface {
	Stretch(
		ctx context.Context, tenant recaller.TenantID, t recaller.Thread, caller recaller.Caller,
	) (conv recaller.Conversation, begun bool, err error)
	AddTurns(
		ctx context.Context, tenant recaller.TenantID, ref string, once recaller.Once, in []conversation.TurnInput,
	) (turns []recaller.Turn, durable bool, err error)
	Turns(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) ([]recaller.Turn, error)
}

// Briefer composes prompts.
type Briefer interface {
	Briefing(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, req briefing.Request,
	) (recaller.Briefing, error)
}

// Memories finds memories of a caller.
type Memories interface {
	// Find finds a memory by its key, its id, or words that clearly fit one. *memory.SeveralError if several may be meant.
	Find(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, sight memory.Sight, ref string,
	) (recaller.Memory, error)
	// Known returns the active memories that are in sight.
	Known(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, sight memory.Sight,
	) ([]recaller.Memory, error)
}

// Tools carries out what tags ask for.
type Tools interface {
	Do(ctx context.Context, call tool.Call) (tool.Result, error)
}

// Personas tells which persona a thread has.
type Personas interface {
	// Resolve returns the text of a thread's persona, and its version; 0: it is the thread's own. NotFound: there is no
	// such version.
	Resolve(
		ctx context.Context, tenant recaller.TenantID, choice recaller.PersonaChoice,
	) (text string, version int, err error)
}

// Tenants returns the settings of a tenant, with the defaults filled in.
type Tenants interface {
	Tenant(ctx context.Context, id recaller.TenantID) (recaller.Tenant, error)
}

// Deps are what a Service needs; all are required.
type Deps struct {
	Store         Store
	Conversations Conversations
	Briefer       Briefer
	Memories      Memories
	Tools         Tools
	Personas      Personas
	Tenants       Tenants
	Enqueued      func() // wakes the job workers
	Log           *slog.Logger
	Metrics       *Metrics
	Now           func() time.Time
	NewID         func() string
}

// Service carries out the use cases. Safe for concurrent use.
type Service struct{ Deps }

// New returns a Service.
func New(deps Deps) *Service { return &Service{deps} }

// Bounds.
const (
	maxTitle   = 200
	maxPersona = 8000
	maxExtern  = 255
	maxRecent  = 200 // messages that are read back at once
)

// Opening asks for a thread, to be found or begun.
type Opening struct {
	Once       recaller.Once
	Caller     conversation.CallerRef
	ExternalID string // of the chat; empty: a new thread is begun
	Topic      string // of the chat, which has a thread of its own; only with ExternalID
	Channel    recaller.Channel
	Title      string
	Persona    recaller.PersonaChoice
	// Verified: the platform, or the application, says that it is this caller who writes. A thread that is there gets it
	// too; it does not lose it.
	Verified bool
}

// Open finds the thread with an external id, or begins one. A thread that is there stays as it is, but for Verified: title and
// persona count for a new one only. It is InvalidField external_id if the thread is another caller's.
func (s *Service) Open(
	ctx context.Context, tenant recaller.TenantID, in Opening,
) (t recaller.Thread, who recaller.Caller, existing bool, err error) {
	if in.Channel == "" {
		in.Channel = recaller.ChannelWebChat
	}
	if err := in.check(); err != nil {
		return t, who, false, err
	}
	if err := s.persona(ctx, tenant, in.Persona); err != nil {
		return t, who, false, err
	}
	if who, err = s.introduce(ctx, tenant, in.Caller); err != nil {
		return t, who, false, err
	}
	t, existing, err = s.Store.CreateThread(ctx, tenant, recaller.ThreadCreating{Once: in.Once, Thread: recaller.Thread{
		ID: recaller.ThreadID(s.NewID()), Caller: who.ID, ExternalID: External(in.ExternalID, in.Topic), Channel: in.Channel,
		Title: strings.TrimSpace(in.Title), Persona: in.Persona, Verified: in.Verified, CreatedAt: s.Now(),
	}})
	if err == nil && in.Verified && !t.Verified {
		t, err = s.Store.ChangeThread(ctx, tenant, t.ID, recaller.ThreadPatch{Verified: true})
	}
	if err != nil {
		return t, who, false, err
	}
	t, err = s.told(ctx, tenant, t)
	return t, who, existing, err
}

// introduce returns whom the thread is with. A name that is known already is not replaced.
func (s *Service) introduce(
	ctx context.Context, tenantID recaller.TenantID, ref conversation.CallerRef,
) (who recaller.Caller, err error) {
	tenant, err := s.Tenants.Tenant(ctx, tenantID)
	if err != nil {
		return who, err
	}
	ids, err := conversation.Identities(ref, tenant.DefaultRegion)
	if err == nil && len(ids) == 0 {
		err = recaller.InvalidField("caller.phone", "must not be withheld: a thread goes on with somebody who is known")
	}
	if err != nil {
		return who, err
	}
	return s.Store.Introduce(ctx, tenantID, recaller.Introducing{
		Identities: ids, NewCaller: recaller.CallerID(s.NewID()), Name: strings.TrimSpace(ref.Name),
		NameSource: recaller.NameGiven, At: s.Now(),
	})
}

// External returns the external id of the thread of a chat, or of a topic in it.
func External(chat, topic string) string {
	if topic == "" {
		return chat
	}
	return chat + ":" + topic
}

func (in Opening) check() error {
	switch {
	case !in.Channel.Valid() || !in.Channel.Text():
		return recaller.InvalidField("channel", "must be a text channel: sms, whatsapp, web-chat, telegram or api")
	case in.Topic != "" && in.ExternalID == "":
		return recaller.InvalidField("topic", "needs the external_id of its chat")
	}
	if err := oneLine("external_id", in.ExternalID, maxExtern); err != nil {
		return err
	}
	if err := oneLine("topic", in.Topic, maxExtern); err != nil {
		return err
	}
	if err := oneLine("caller.name", in.Caller.Name, maxTitle); err != nil {
		return err
	}
	return oneLine("title", in.Title, maxTitle)
}

// persona checks the persona that a thread is to have.
func (s *Service) persona(ctx context.Context, tenant recaller.TenantID, p recaller.PersonaChoice) error {
	switch {
	case p.Version < 0:
		return recaller.InvalidField("persona.version", "must be the number of a version")
	case p.Version > 0 && p.Text != "":
		return recaller.InvalidField("persona", "takes a version or a text, not both")
	case len(p.Text) > maxPersona || !utf8.ValidString(p.Text):
		return recaller.InvalidField("persona.text", "must be valid UTF-8 of at most %d bytes", maxPersona)
	case p.Version == 0:
		return nil
	}
	_, _, err := s.Personas.Resolve(ctx, tenant, p)
	if errors.Is(err, recaller.NotFound) {
		return recaller.InvalidField("persona.version", "must be the number of a version that there is")
	}
	return err
}

func oneLine(field, v string, limit int) error {
	switch {
	case len(v) > limit:
		return recaller.InvalidField(field, "must be at most %d bytes", limit)
	case !utf8.ValidString(v) || strings.ContainsAny(v, "\n\r\x00"):
		return recaller.InvalidField(field, "must be one line of valid UTF-8")
	}
	return nil
}

// Get finds a thread by its id or its external id.
func (s *Service) Get(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Thread, error) {
	t, err := s.Store.Thread(ctx, tenant, ref)
	if err != nil {
		return t, err
	}
	return s.told(ctx, tenant, t)
}

// List returns threads, newest first: of a caller, or of the tenant. Where damage hides what a caller had forgotten, it
// tells his threads without what was made of their words.
func (s *Service) List(
	ctx context.Context, tenant recaller.TenantID, f recaller.ThreadFilter,
) ([]recaller.Thread, string, error) {
	list, next, err := s.Store.Threads(ctx, tenant, f)
	if err != nil {
		return nil, "", err
	}
	gone := map[recaller.CallerID][]recaller.Memory{}
	for i, t := range list {
		versions, known := gone[t.Caller]
		if !known && t.Summary != nil {
			if versions, err = s.Store.Forgotten(ctx, tenant, t.Caller); recaller.LeftOut(ctx, err) {
				list[i] = unsaid(t)
				continue
			} else if err != nil {
				return nil, "", err
			}
			gone[t.Caller] = versions
		}
		list[i] = s.without(ctx, tenant, t, versions)
	}
	return list, next, nil
}

// told leaves out of a thread the summary that was made before something was forgotten, and a title that was made of
// words. They are made anew, without it.
func (s *Service) told(ctx context.Context, tenant recaller.TenantID, t recaller.Thread) (recaller.Thread, error) {
	if t.Summary == nil {
		return t, nil
	}
	gone, err := s.Store.Forgotten(ctx, tenant, t.Caller)
	if err != nil {
		return t, err
	}
	return s.without(ctx, tenant, t, gone), nil
}

func (s *Service) without(
	ctx context.Context, tenant recaller.TenantID, t recaller.Thread, gone []recaller.Memory,
) recaller.Thread {
	if t.Summary == nil || !forgotten.Since(gone, t.Summary.At) {
		return t
	}
	if err := s.enqueue(ctx, tenant, t); err != nil {
		s.Log.WarnContext(ctx, "a thread will be summarised anew later", "tenant", tenant, "thread", t.ID, "err", err)
	}
	return unsaid(t)
}

// unsaid is a thread without what was made of its words.
func unsaid(t recaller.Thread) recaller.Thread {
	t.Summary = nil
	if t.TitleFound {
		t.Title = ""
	}
	return t
}

func (s *Service) enqueue(ctx context.Context, tenant recaller.TenantID, t recaller.Thread) error {
	err := s.Store.EnqueueThread(ctx, tenant, t.Caller, recaller.Job{
		ID: s.NewID(), Tenant: tenant, Kind: recaller.JobThread, Subject: string(t.ID), Caller: t.Caller, RunAt: s.Now(),
	})
	if err == nil {
		s.Enqueued()
	}
	return err
}

// Change is what an update of a thread changes; nil fields stay.
type Change struct {
	Title   *string
	Persona *recaller.PersonaChoice
}

// Update changes a thread's title or persona.
func (s *Service) Update(
	ctx context.Context, tenant recaller.TenantID, ref string, c Change,
) (recaller.Thread, error) {
	t, err := s.Store.Thread(ctx, tenant, ref)
	if err != nil {
		return t, err
	}
	if c.Title != nil {
		title := strings.TrimSpace(*c.Title)
		if c.Title = &title; oneLine("title", title, maxTitle) != nil {
			return t, oneLine("title", title, maxTitle)
		}
	}
	if c.Persona != nil {
		if err := s.persona(ctx, tenant, *c.Persona); err != nil {
			return t, err
		}
	}
	t, err = s.Store.ChangeThread(ctx, tenant, t.ID, recaller.ThreadPatch{Title: c.Title, Persona: c.Persona})
	if err != nil {
		return t, err
	}
	return s.told(ctx, tenant, t)
}

// Messages returns the last messages of a thread, in order, without those that say what was forgotten.
func (s *Service) Messages(
	ctx context.Context, tenant recaller.TenantID, ref string, most int,
) ([]briefing.Said, error) {
	if most < 1 || most > maxRecent {
		return nil, recaller.InvalidField("limit", "must be between 1 and %d", maxRecent)
	}
	t, err := s.Store.Thread(ctx, tenant, ref)
	if err != nil {
		return nil, err
	}
	gone, err := s.Store.Forgotten(ctx, tenant, t.Caller)
	if err != nil {
		return nil, err
	}
	return s.last(ctx, tenant, t, forgotten.New(gone), most)
}

// stretchesAtOnce is how many conversations of a thread are looked at for its last messages.
const stretchesAtOnce = 4

// last returns the last messages of a thread, in order, wherever they are.
func (s *Service) last(
	ctx context.Context, tenant recaller.TenantID, t recaller.Thread, gone forgotten.View, most int,
) (out []briefing.Said, err error) {
	stretches, err := s.Store.Stretches(ctx, tenant, t, max(stretchesAtOnce, most))
	if err != nil {
		return nil, err
	}
	for _, conv := range stretches {
		turns, err := s.Conversations.Turns(ctx, tenant, conv)
		if err != nil {
			return nil, err
		}
		var some []briefing.Said
		for _, turn := range gone.Blank(conv.ID, turns) {
			if turn.Text != "" {
				some = append(some, briefing.Said{Conversation: conv.ID, Turn: turn})
			}
		}
		out = slices.Concat(some[max(0, len(some)-(most-len(out))):], out)
		if len(out) >= most {
			break
		}
	}
	return out, nil
}
