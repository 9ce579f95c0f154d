package thread

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/memory"
	"github.com/recallerhq/recaller/internal/prompt"
	"github.com/recallerhq/recaller/internal/tag"
	"github.com/recallerhq/recaller/internal/tool"
)

// Replying is one exchange: what the user said, and what the agent's model replied, tags and all.
type Replying struct {
	Once    recaller.Once
	Message Message
	Reply   string
	// Tags were taken out of the reply already, as it was delivered. They are carried out before those that Reply has.
	Tags        []tag.Tag
	Interrupted bool // the reply broke off
}

// Result says what became of a tag.
type Result string

// The results.
const (
	Learned    Result = "learned"   // a new memory
	Confirmed  Result = "confirmed" // it was known
	Updated    Result = "updated"   // it took the place of what was known
	Forgotten  Result = "forgotten"
	Unclear    Result = "unclear"   // several may be meant: Done.Candidates
	NotFound   Result = "not_found" // nothing of it is remembered
	Refused    Result = "refused"   // Done.Reason says why
	VoiceAsked Result = "voice_reply"
)

// Done is what became of one tag.
type Done struct {
	Kind       tag.Kind
	Text       string // as it stood in the tag; masked where something was stored
	Result     Result
	Reason     string // of Refused, Unclear and NotFound: one of the Reason constants
	Memory     recaller.MemoryID
	Candidates []recaller.Memory // of Unclear
}

// Replied is what came of an exchange.
type Replied struct {
	Thread     recaller.Thread // as it is now
	Text       string          // what is to be delivered: the reply without its tags
	Done       []Done          // in the order of the tags
	VoiceReply bool
	Turns      []recaller.Turn
	Durable    bool
}

// Reply keeps an exchange and carries out the tags of the reply (L2). The exchange is durable before any tag is. A tag
// that cannot be carried out fails nothing: Done says so. When five exchanges were had since the last summary, the thread
// is summarised in the background (L3).
func (s *Service) Reply(
	ctx context.Context, tenant recaller.TenantID, ref string, in Replying,
) (out Replied, err error) {
	whole, err := in.Message.whole()
	if err != nil {
		return out, err
	}
	if strings.TrimSpace(in.Reply) == "" && len(in.Tags) == 0 || !utf8.ValidString(in.Reply) || len(in.Reply) > recaller.MaxTurnBytes {
		return out, recaller.InvalidField("reply", "is required: valid UTF-8 of at most %d bytes", recaller.MaxTurnBytes)
	}
	t, err := s.Store.Thread(ctx, tenant, ref)
	if err != nil {
		return out, err
	}
	text, tags := tag.Parse(in.Reply)
	tags = slices.Concat(in.Tags, tags)
	out.Text = strings.TrimSpace(text)
	conv, turns, durable, err := s.keep(ctx, tenant, t, in, whole, out.Text)
	if err != nil {
		return out, err
	}
	out.Turns, out.Durable = turns, durable
	for i, one := range tags {
		if one.Kind == tag.VoiceReply {
			out.VoiceReply = true
			continue
		}
		done, err := s.carryOut(ctx, tenant, t, conv, in, one, i)
		if err != nil {
			return out, err
		}
		s.Metrics.count(done)
		out.Done = append(out.Done, done)
	}
	if out.Thread, err = s.Get(ctx, tenant, string(t.ID)); err != nil {
		return out, err
	}
	if out.Thread.SummaryDue() {
		if err := s.enqueue(ctx, tenant, out.Thread); err != nil { // the next exchange asks for it again
			s.Log.WarnContext(ctx, "a thread will be summarised later", "tenant", tenant, "thread", t.ID, "err", err)
		}
	}
	return out, nil
}

// keep adds an exchange to the conversation in which the thread goes on.
func (s *Service) keep(
	ctx context.Context, tenant recaller.TenantID, t recaller.Thread, in Replying, message, reply string,
) (conv recaller.Conversation, turns []recaller.Turn, durable bool, err error) {
	said := []conversation.TurnInput{{Speaker: recaller.User, Text: message}}
	if reply != "" {
		said = append(said, conversation.TurnInput{Speaker: recaller.Assistant, Text: reply, Interrupted: in.Interrupted})
	}
	return s.Say(ctx, tenant, t, in.Once, said)
}

// Say adds turns to the conversation in which a thread goes on, which begins if there is none, and returns both. That
// conversation may have been ended a moment ago: then it is the next. Turns and durable are those of
// conversation.AddTurns.
func (s *Service) Say(
	ctx context.Context, tenant recaller.TenantID, t recaller.Thread, once recaller.Once, said []conversation.TurnInput,
) (conv recaller.Conversation, turns []recaller.Turn, durable bool, err error) {
	who, err := s.Store.Caller(ctx, tenant, t.Caller)
	if err != nil {
		return conv, nil, false, err
	}
	for tries := 0; ; tries++ {
		if conv, _, err = s.Conversations.Stretch(ctx, tenant, t, who); err != nil {
			return conv, nil, false, err
		}
		turns, durable, err = s.Conversations.AddTurns(ctx, tenant, string(conv.ID), once, said)
		if !errors.Is(err, recaller.Conflict) || tries == 1 {
			return conv, turns, durable, err
		}
		if t, err = s.Store.Thread(ctx, tenant, string(t.ID)); err != nil {
			return conv, nil, false, err
		}
	}
}

// carryOut does what one tag asks for. An error is ours, not the tag's.
func (s *Service) carryOut(
	ctx context.Context, tenant recaller.TenantID, t recaller.Thread, conv recaller.Conversation, in Replying, one tag.Tag, i int,
) (Done, error) {
	call := tool.Call{Tenant: tenant, Conversation: string(conv.ID), Once: in.Once}
	if in.Once.Token != "" {
		call.Once.Token = fmt.Sprintf("%s tag %d", in.Once.Token, i)
	}
	done := Done{Kind: one.Kind, Text: one.Text}
	taught, err := s.taught(ctx, tenant, one)
	if err != nil {
		return done, err
	}
	if taught {
		done.Result, done.Reason = Refused, ReasonTaught
		return done, nil
	}
	_, quoted := parted(in.Message)
	switch {
	case one.Kind == tag.Learn:
		err = s.learn(ctx, call, in.Message, &done)
	case holdsTag(quoted, one.Text): // a stranger's wish
		done.Result, done.Reason = Refused, ReasonEchoed
	default:
		err = s.forget(ctx, call, conv, &done)
	}
	return done.settled(err)
}

// taught reports a tag as the instructions have it, which small models copy.
func (s *Service) taught(ctx context.Context, tenant recaller.TenantID, one tag.Tag) (bool, error) {
	t, err := s.Tenants.Tenant(ctx, tenant)
	if err != nil {
		return false, err
	}
	own, _ := prompt.For(t, prompt.Tags)
	ours, _ := prompt.For(recaller.Tenant{}, prompt.Tags)
	_, tags := tag.Parse(own + "\n" + ours)
	return slices.ContainsFunc(tags, func(l tag.Tag) bool { return strings.EqualFold(l.Text, one.Text) }), nil
}

// settled tells of a failure that is the tag's own as what became of it; another is ours, and stays an error.
func (d *Done) settled(err error) (Done, error) {
	switch recaller.KindOf(err) {
	case recaller.Invalid:
		d.Result, d.Reason, err = Refused, ReasonEmpty, nil
	case recaller.NotFound:
		d.Result, d.Reason, err = NotFound, ReasonUnknown, nil
	}
	return *d, err
}

// learn stores what is to be learnt as a memory of this conversation.
func (s *Service) learn(ctx context.Context, call tool.Call, m Message, done *Done) error {
	own, _ := parted(m)
	f, why := read(done.Text, own, s.Now())
	if why == "" {
		why = foreign(done.Text, m)
	}
	if why != "" {
		done.Result, done.Reason = Refused, why
		return nil
	}
	call.Name = recaller.ToolStoreMemory
	call.Arguments = arguments("memoryType", string(f.kind), "key", f.key, "value", f.value)
	res, err := s.Tools.Do(ctx, call)
	if err != nil {
		return err
	}
	kept, err := s.Store.MemoryByID(ctx, call.Tenant, res.MemoryID)
	if done.Memory, done.Text = res.MemoryID, kept.Value; res.Untold {
		done.Text = f.value
	}
	switch res.Action {
	case recaller.MemoryCreated:
		done.Result = Learned
	case recaller.MemoryUpdated, recaller.MemoryMerged:
		done.Result = Updated
	default:
		done.Result = Confirmed
	}
	return err
}

// forget forgets the memory that is meant, by its words or else by its meaning. What no memory holds, but the user said,
// is forgotten too.
func (s *Service) forget(ctx context.Context, call tool.Call, conv recaller.Conversation, done *Done) error {
	caller := conv.Caller
	// A repeated wish is answered first: its words may fit another memory, now that the one is gone.
	if m, found, err := s.Store.Repeated(ctx, call.Tenant, caller, call.Once); found || err != nil {
		done.forgot(m.ID, m.Value)
		return err
	}
	call.Name, call.Arguments = recaller.ToolForgetMemory, arguments("key", done.Text)
	tenant, err := s.Tenants.Tenant(ctx, call.Tenant)
	if err != nil {
		return err
	}
	sight := memory.Sight{Rights: tenant.Rights(conv.Trust), Conversation: conv.ID}
	m, err := s.Memories.Find(ctx, call.Tenant, caller, sight, done.Text)
	if errors.Is(err, recaller.NotFound) {
		m, err = s.meant(ctx, call.Tenant, caller, sight, done.Text)
	}
	var several *memory.SeveralError
	switch {
	case errors.As(err, &several):
		done.Result, done.Reason, done.Candidates = Unclear, ReasonUnclear, several.Candidates
		return nil
	case err == nil:
		call.Arguments = arguments("memoryId", string(m.ID))
	case !errors.Is(err, recaller.NotFound):
		return err
	}
	res, err := s.Tools.Do(ctx, call)
	if errors.As(err, &several) {
		done.Result, done.Reason, done.Candidates = Unclear, ReasonUnclear, several.Candidates
		return nil
	}
	if err != nil {
		return err
	}
	done.forgot(res.MemoryID, m.Value)
	return nil
}

func (d *Done) forgot(id recaller.MemoryID, value string) {
	d.Result, d.Memory = Forgotten, id
	if value != "" {
		d.Text = value
	}
}

// arguments are those of a tool, given as names and values in turn.
func arguments(pairs ...string) json.RawMessage {
	out := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		out[pairs[i]] = pairs[i+1]
	}
	raw, _ := json.Marshal(out) // of strings, which cannot fail
	return raw
}
