// Package tool carries out what a live agent's model calls while it talks: store_memory, update_memory, forget_memory,
// mark_private, set_reminder, cancel_reminder and list_reminders (spec W1–W3, W11, W13), and recall, read_checkpoint and
// save_checkpoint (H1–H4, B7), and someone_else and verify_caller (B1). A call has a name and JSON
// arguments, by whatever protocol it came. When it is answered, it is durable, with its record. The answer waits for
// nothing but the store.
//
// Arguments may be in camelCase or snake_case, and numbers and truths may be strings. An argument that the tool does
// not have is refused by name. Errors are recaller.Invalid and name the field as W does (memoryType, existingKey,
// dueAt), or recaller.NotFound if the tenant has no such conversation, caller or memory.
//
// It has no rules about memories (memory), and no protocol's envelope (the edges).
package tool

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory"
	"github.com/recallerhq/recaller/internal/recall"
)

// Call is one call of a tool.
type Call struct {
	Tenant       recaller.TenantID
	Conversation string // its id or its external id; it may have ended
	Caller       string // lineId: the caller's id, a phone number in any spelling, or an external id; "": not given
	Account      string // accountId: the tenant; "": not given
	Name         recaller.Tool
	Arguments    json.RawMessage // an object, or a string that holds one; names in camelCase or snake_case
	Once         recaller.Once
	// Trust is how sure it is who the caller is, of a call from Outside; empty: recaller.TrustClaimed. Else the conversation
	// says it.
	Trust recaller.Trust
	// Outside: the call comes from outside of any conversation. Then Conversation is empty and Caller is his id here. It
	// has no record, and what it stores came from no turn.
	Outside bool
}

// Result is what a call did.
type Result struct {
	MemoryID        recaller.MemoryID
	Action          recaller.MemoryAction // of an update_memory: updated or created, nothing else
	Reminder        *recaller.Reminder    // the one that was set or cancelled; nil: none
	Reaching        string                // of a set_reminder: see Waiting
	Waiting         []Waiting             // of a list_reminders, soonest first
	SuggestReminder bool                  // ask the caller Message
	Message         string
	Done            string // of a tool that looks back, or saves a checkpoint: its result on the record
	Recalled        []Recalled
	Checkpoint      *recaller.Checkpoint // nil: none was found, or read
	// Untold: what is there under the key may not be told in this conversation. It is as it was, and what was told now is
	// kept beside it. MemoryID names it; whoever reads it there must not pass it on.
	Untold bool
	// Verified says, of a verify_caller, that it is known now who speaks.
	Verified bool
}

// Memories are the use cases behind the tools.
type Memories interface {
	Store(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, once recaller.Once, in memory.Input,
	) (recaller.MemoryWritten, error)
	Change(
		ctx context.Context, tenant recaller.TenantID, id recaller.MemoryID, c memory.Change,
	) (recaller.MemoryWritten, error)
	// Find finds a memory by its key, its id, or words that clearly fit one. *memory.SeveralError if several may be
	// meant.
	Find(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, sight memory.Sight, ref string,
	) (recaller.Memory, error)
	CheckpointBeside(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, live recaller.ConversationID,
		sight memory.Sight,
	) (recaller.Checkpoint, error)
	// Sees reports whether a memory is in sight.
	Sees(ctx context.Context, tenant recaller.TenantID, sight memory.Sight, m recaller.Memory) (bool, error)
	PutCheckpoint(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, in memory.CheckpointInput,
	) (c recaller.Checkpoint, cleared bool, err error)
	// ForgetUnkept forgets what no memory holds.
	ForgetUnkept(
		ctx context.Context, tenant recaller.TenantID, unkept []recaller.Memory, c memory.Change,
	) (recaller.MemoryWritten, error)
	// FindKey is Find for a key that may be new.
	FindKey(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, sight memory.Sight, ref string,
	) (recaller.Memory, error)
}

// Recaller searches one caller's words; *recall.Service does.
type Recaller interface {
	Recall(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, q recall.Query,
	) (recall.Result, error)
}

// Store is what this package asks of the store.
type Store interface {
	// Conversation finds one by its id or its external id.
	Conversation(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Conversation, error)
	Caller(ctx context.Context, tenant recaller.TenantID, id recaller.CallerID) (recaller.Caller, error)
	// MemoryByID returns the newest version of a memory, whatever its status.
	MemoryByID(ctx context.Context, tenant recaller.TenantID, id recaller.MemoryID) (recaller.Memory, error)
	// Forgotten returns every version of the memories that are forgotten.
	Forgotten(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) ([]recaller.Memory, error)
	// Private returns every version of the memories that are private now.
	Private(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) ([]recaller.Memory, error)
	// Repeated finds the memory that an earlier call with the same token wrote; found is false if there was none.
	Repeated(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, once recaller.Once,
	) (m recaller.Memory, found bool, err error)
	// Conversations lists a caller's, newest first.
	Conversations(
		ctx context.Context, tenant recaller.TenantID, f recaller.ConversationFilter,
	) (list []recaller.Conversation, next string, err error)
	Reminder(ctx context.Context, tenant recaller.TenantID, id recaller.ReminderID) (recaller.Reminder, error)
	Reminders(
		ctx context.Context, tenant recaller.TenantID, f recaller.ReminderFilter,
	) (list []recaller.Reminder, next string, err error)
	// RecordToolCall records a call that wrote no memory.
	RecordToolCall(ctx context.Context, tenant recaller.TenantID, c recaller.ToolCall) error
	ToolCalls(ctx context.Context, tenant recaller.TenantID, conv recaller.ConversationID) ([]recaller.ToolCall, error)
}

// Words reads a conversation's turns from wherever the retention keeps them. A conversation without words is no error.
type Words interface {
	Turns(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) ([]recaller.Turn, error)
}

// Tenants returns the settings of a tenant, with the defaults filled in.
type Tenants interface {
	Tenant(ctx context.Context, id recaller.TenantID) (recaller.Tenant, error)
}

// Deps are what a Service needs; all are required but LastTurn.
type Deps struct {
	Memories Memories
	Store    Store
	Words    Words
	Recall   Recaller
	Speakers Speakers
	PINs     PINs
	Trusting Trusting
	Tenants  Tenants
	Log      *slog.Logger
	Metrics  *Metrics
	Now      func() time.Time
	NewID    func() string

	// LastTurn returns the number of the caller's last turn in an active conversation, from which what is stored then
	// came (B10). It must not wait. nil: nobody knows.
	LastTurn func(tenant recaller.TenantID, conv recaller.ConversationID) (number int, ok bool)
}

// Service carries out tool calls. Safe for concurrent use.
type Service struct{ Deps }

// New returns a Service.
func New(deps Deps) *Service { return &Service{deps} }

// Do carries out a call. It is durable when Do returns. A call that fails with Invalid, NotFound, Conflict or Forbidden is
// recorded too, if its conversation and its tool exist.
func (s *Service) Do(ctx context.Context, call Call) (Result, error) {
	begun := s.Now()
	x, res, err := s.do(ctx, call)
	if err != nil {
		s.recordFailure(ctx, x, err)
	}
	s.tell(ctx, x, res, err, s.Now().Sub(begun))
	return res, err
}

// Calls returns the calls of a conversation, oldest first (W13).
func (s *Service) Calls(
	ctx context.Context, tenant recaller.TenantID, conv recaller.ConversationID,
) ([]recaller.ToolCall, error) {
	return s.Store.ToolCalls(ctx, tenant, conv)
}

func (s *Service) do(ctx context.Context, call Call) (exchange, Result, error) {
	x := exchange{call: call}
	var malformed error
	if x.args, malformed = ReadArguments(call.Arguments); !call.Name.Valid() {
		malformed = recaller.InvalidField("name", "must be one of %v", recaller.Tools())
	} else if malformed == nil {
		malformed = x.args.unknown(call)
	}
	err := s.enter(ctx, &x)
	if malformed != nil { // comes before any fault of the conversation, in whose record it may stand
		return x, Result{}, malformed
	}
	if err != nil {
		return x, Result{}, err
	}
	if !x.rights.Allows(call.Name) {
		return x, Result{}, errNotAllowed
	}
	s.maskPIN(x)
	res, err := s.carry(ctx, x)
	return x, res, asTold(err, call.Name)
}

// errNotAllowed is what a conversation does not allow, because it is not sure enough who speaks.
var errNotAllowed = recaller.Errorf(recaller.Forbidden,
	"this conversation does not allow that: it is not sure enough who speaks")

// carry carries out a call whose arguments and conversation are known.
func (s *Service) carry(ctx context.Context, x exchange) (res Result, err error) {
	switch x.call.Name {
	case recaller.ToolStoreMemory:
		res, err = s.store(ctx, x)
	case recaller.ToolUpdateMemory:
		res, err = s.update(ctx, x)
	case recaller.ToolForgetMemory:
		res, err = s.forget(ctx, x)
	case recaller.ToolMarkPrivate:
		res, err = s.markPrivate(ctx, x)
	case recaller.ToolSetReminder:
		if res, err = s.setReminder(ctx, x); res.Reminder != nil {
			res.Reaching = x.reaching(*res.Reminder)
		}
	case recaller.ToolCancelReminder:
		res, err = s.cancelReminder(ctx, x)
	case recaller.ToolListReminders:
		res, err = s.listReminders(ctx, x)
	case recaller.ToolRecall:
		res, err = s.recall(ctx, x)
	case recaller.ToolReadCheckpoint:
		res, err = s.readCheckpoint(ctx, x)
	case recaller.ToolSaveCheckpoint:
		res, err = s.saveCheckpoint(ctx, x)
	case recaller.ToolSomeoneElse:
		res, err = s.someoneElse(ctx, x)
	case recaller.ToolVerifyCaller:
		res, err = s.verifyCaller(ctx, x)
	}
	return res, err
}

// asTold gives the field of an error the name that the tool's arguments have for it.
func asTold(err error, name recaller.Tool) error {
	var e *recaller.Error
	if !errors.As(err, &e) || e.Kind != recaller.Invalid {
		return err
	}
	told := map[string]string{"type": "memoryType", "due_at": "dueAt", "staging_data": "stagingData"}
	if name == recaller.ToolUpdateMemory {
		told["key"], told["value"] = "existingKey", "newValue"
	}
	if field, ok := told[e.Field]; ok {
		renamed := *e
		renamed.Field = field
		return &renamed
	}
	return err
}

// recordFailure records a call that failed, if the call is at fault, and its conversation and its tool exist.
func (s *Service) recordFailure(ctx context.Context, x exchange, err error) {
	kind := recaller.KindOf(err)
	switch kind {
	case recaller.Invalid, recaller.NotFound, recaller.Conflict, recaller.Forbidden:
	default:
		return
	}
	if x.conv.ID == "" || !x.call.Name.Valid() {
		return
	}
	record := x.record(string(kind))
	record.ID, record.At = s.NewID(), s.Now()
	if err := s.Store.RecordToolCall(ctx, x.call.Tenant, record); err != nil {
		s.Log.WarnContext(ctx, "a tool call that failed was not recorded", "conversation", x.conv.ID,
			"tool", x.call.Name, "err", err)
	}
}
