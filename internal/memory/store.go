package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory/likeness"
)

// Input is a memory as an edge was told it.
type Input struct {
	Type         recaller.MemoryType
	Key          string
	Value        string
	Confidence   *float64              // nil: 1
	Source       recaller.MemorySource // empty: api
	PrivacyScope recaller.PrivacyScope // empty: line_only
	DueAt        *time.Time
	DueDay       bool                // DueAt names a day, not a time of day
	Provenance   recaller.Provenance // its conversation may be named by the external id
	Name         string              // the caller's name, if that is what is stored (P12)
	// Call is recorded with the write; its ID and At are filled in here. Its conversation, which has to be with the
	// caller, is a provenance that is not checked again. nil: no tool did it.
	Call     *recaller.ToolCall
	Reminder *recaller.Reminder // set with the write; all but DueAt, Rule, Text, Conversation and an ID that is given is filled in here. nil: none
}

// Store keeps a memory of a caller, durable when it returns. An active memory with the same key (case ignored) gets a
// new version; the same value confirms it. What was told already under another key is merged into the memory that has
// it (Action merged), with the key as an alias; see likeness.Duplicate for how carefully. A provenance must be a
// conversation with this caller, and turns of it. Secrets in it are masked, unless the tenant wants them kept.
func (s *Service) Store(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, once recaller.Once, in Input) (recaller.MemoryWritten, error) {
	m, err := s.memory(caller, in)
	if err != nil {
		return recaller.MemoryWritten{}, err
	}
	if in.Reminder != nil {
		if err := s.checkReminder(in.Reminder); err != nil {
			return recaller.MemoryWritten{}, err
		}
	}
	m.Provenance = in.Provenance
	if in.Call == nil || in.Call.Conversation != in.Provenance.Conversation { // a tool call has been let into its conversation
		if m.Provenance, err = s.provenance(ctx, tenant, caller, in.Provenance); err != nil {
			return recaller.MemoryWritten{}, err
		}
	}
	mask, err := s.masker(ctx, tenant)
	if err != nil {
		return recaller.MemoryWritten{}, err
	}
	m.Value = mask.value(m.Value, m.Key)
	m.Key = mask.key(m.Key)
	request := recaller.Storing{
		Once: once, Memory: m, Name: mask.text(tidy(in.Name), ""), Call: s.call(in.Call, caller), Reminder: s.reminder(in.Reminder, caller, mask),
	}
	known, err := s.active(ctx, tenant, caller)
	if err != nil {
		return recaller.MemoryWritten{}, err
	}
	request.Into, request.Memory.Value = into(known, m)
	w, err := s.Deps.Store.StoreMemory(ctx, tenant, request)
	return s.written(ctx, tenant, w, err)
}

// into finds the memory that m is to be merged into, and the value that it then has. One that has m's own key, or has
// it as an alias, is no question of likeness: what m says of it holds, and in the store the key goes before the alias.
func into(known []recaller.Memory, m recaller.Memory) (recaller.MemoryID, string) {
	if same, ok := likeness.Same(known, m.Key); ok {
		return same, m.Value
	}
	if of, value, ok := likeness.Duplicate(known, m); ok {
		return of, value
	}
	return "", m.Value
}

func (s *Service) memory(caller recaller.CallerID, in Input) (recaller.Memory, error) {
	now := s.Now()
	m := recaller.Memory{
		ID: recaller.MemoryID(s.NewID()), Caller: caller, Type: in.Type, Key: in.Key, Value: in.Value, Confidence: 1,
		Source: in.Source, PrivacyScope: in.PrivacyScope, DueAt: in.DueAt, DueDay: in.DueDay && in.DueAt != nil,
		CreatedAt: now, ConfirmedAt: now,
	}
	if m.Source == "" {
		m.Source = recaller.SourceAPI
	}
	if m.PrivacyScope == "" {
		m.PrivacyScope = recaller.LineOnly
	}
	if in.Confidence != nil {
		m.Confidence = *in.Confidence
	}
	if !m.Source.Valid() {
		return m, recaller.InvalidField("source", "must be conversation, extraction or api")
	}
	p := recaller.MemoryPatch{
		Type: &m.Type, Key: &m.Key, Value: &m.Value, Confidence: &m.Confidence, PrivacyScope: &m.PrivacyScope, DueAt: &m.DueAt,
	}
	err := clean(&p)
	m.Key, m.Value = *p.Key, *p.Value
	return m, err
}

// call fills in a tool call's record.
func (s *Service) call(c *recaller.ToolCall, caller recaller.CallerID) *recaller.ToolCall {
	if c == nil {
		return nil
	}
	filled := *c
	filled.ID, filled.At = s.NewID(), s.Now()
	if filled.Caller == "" {
		filled.Caller = caller
	}
	return &filled
}

// reminder fills in a reminder that is to be set.
func (s *Service) reminder(r *recaller.Reminder, caller recaller.CallerID, mask masker) *recaller.Reminder {
	if r == nil {
		return nil
	}
	return &recaller.Reminder{
		ID: cmp.Or(r.ID, recaller.ReminderID(s.NewID())), Caller: caller, Conversation: r.Conversation, DueAt: r.DueAt.UTC(), Rule: r.Rule,
		Text: mask.text(r.Text, ""), Status: recaller.ReminderPending, CreatedAt: s.Now(),
	}
}

// checkReminder refuses a reminder that does not lie ahead, and words that are too long.
func (s *Service) checkReminder(r *recaller.Reminder) error {
	if len(r.Text) > MaxValue {
		return recaller.InvalidField("value", "must be at most %d bytes", MaxValue)
	}
	return ahead(r.DueAt, s.Now())
}

// provenance checks where a memory is said to come from. What is stored of it is readable in the database, so nothing
// gets there but the id of a conversation and numbers of its turns.
func (s *Service) provenance(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, p recaller.Provenance) (recaller.Provenance, error) {
	if p.Conversation == "" {
		if len(p.Turns) > 0 {
			return p, recaller.InvalidField("provenance.conversation_id", "is required where turns are named")
		}
		return p, nil
	}
	conv, err := s.Deps.Store.Conversation(ctx, tenant, string(p.Conversation))
	if errors.Is(err, recaller.NotFound) || (err == nil && conv.Caller != caller) {
		return p, recaller.InvalidField("provenance.conversation_id", "must be a conversation with this caller")
	}
	if err != nil {
		return p, err
	}
	if len(p.Turns) > maxTurns {
		return p, recaller.InvalidField("provenance.turns", "takes at most %d turns", maxTurns)
	}
	for i, n := range p.Turns {
		if n < 0 || n >= conv.Turns {
			return p, recaller.InvalidField(fmt.Sprintf("provenance.turns[%d]", i), "must be the number of a turn of the conversation")
		}
	}
	p.Conversation = conv.ID
	return p, nil
}
