package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/guard"
	"github.com/recallerhq/recaller/internal/memory/likeness"
)

// Input is a memory as the edge was told it.
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
	// Call is recorded with the write; Store fills in its ID and At. If the provenance names the call's conversation,
	// Store does not check it: the tool has checked that it is with this caller. nil: no tool did it.
	Call *recaller.ToolCall
	// Reminder is set with the write. Its DueAt, Rule, Text and Conversation count, and its ID if it has one; Store fills
	// in the rest. nil: none.
	Reminder *recaller.Reminder
	// Sight is what may be seen from where it is stored. A memory with the key that is out of sight is not overwritten:
	// the value is kept beside it, as its dispute.
	Sight Sight
}

// Store stores a memory of a caller. It is durable when Store returns.
//
// If an active memory has the same key (case ignored), the same value confirms it, and another value makes a new
// version. If it was told already under another key, it is merged into the memory that has it (Action merged), and the
// key becomes an alias; likeness.Duplicate says how carefully. The provenance must be a conversation with this caller,
// and turns of it. Secrets are masked, unless the tenant turned that off.
func (s *Service) Store(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, once recaller.Once, in Input,
) (recaller.MemoryWritten, error) {
	m, err := s.memory(caller, in)
	if err != nil {
		return recaller.MemoryWritten{}, err
	}
	if in.Reminder != nil {
		if err := s.checkReminder(in.Reminder); err != nil {
			return recaller.MemoryWritten{}, err
		}
		if err := s.checkMeans(ctx, tenant, in.Reminder.Means); err != nil {
			return recaller.MemoryWritten{}, err
		}
	}
	m.Provenance = in.Provenance
	if in.Call == nil || in.Call.Conversation != in.Provenance.Conversation { // that of a tool call was checked before
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
		Once: once, Memory: m, Name: mask.text(guard.Tidy(in.Name), ""), Call: s.call(in.Call, caller),
		Reminder: s.reminder(in.Reminder, caller, mask),
	}
	known, err := s.active(ctx, tenant, caller)
	if err != nil {
		return recaller.MemoryWritten{}, err
	}
	if err := s.into(ctx, tenant, in, known, &request); err != nil {
		return recaller.MemoryWritten{}, err
	}
	w, err := s.Deps.Store.StoreMemory(ctx, tenant, request)
	return s.written(ctx, tenant, w, err)
}

// into says what the memory of a request is merged into. What it must not know of it does not overwrite.
func (s *Service) into(
	ctx context.Context, tenant recaller.TenantID, in Input, known []recaller.Memory, r *recaller.Storing,
) error {
	hidden, err := s.hidden(ctx, tenant, r.Memory.Caller, in.Sight, known)
	if err != nil {
		return err
	}
	keyed := func(m recaller.Memory) bool { return hidden(m) && strings.EqualFold(Key(m.Key), Key(r.Memory.Key)) }
	if slices.ContainsFunc(known, keyed) {
		r.Mode, r.Name = recaller.Contest, ""
		return nil
	}
	r.Into, r.Memory.Value = into(slices.DeleteFunc(slices.Clone(known), hidden), r.Memory)
	return nil
}

// into returns the memory that m is to be merged into, and the value that it has then. A memory that has m's key, or
// has it as an alias, takes m's value, and likeness is not asked. The store looks for the key before the alias.
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
		Type: &m.Type, Key: &m.Key, Value: &m.Value, Confidence: &m.Confidence, PrivacyScope: &m.PrivacyScope,
		DueAt: &m.DueAt,
	}
	err := clean(&p)
	m.Key, m.Value = *p.Key, *p.Value
	return m, err
}

// call returns a copy of a tool call's record, filled in.
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

// reminder returns the reminder to set, filled in and masked.
func (s *Service) reminder(r *recaller.Reminder, caller recaller.CallerID, mask masker) *recaller.Reminder {
	if r == nil {
		return nil
	}
	return &recaller.Reminder{
		ID: cmp.Or(r.ID, recaller.ReminderID(s.NewID())), Caller: caller, Conversation: r.Conversation, Means: r.Means,
		DueAt: r.DueAt.UTC(), Rule: r.Rule,
		Text: mask.text(r.Text, ""), Status: recaller.ReminderPending, CreatedAt: s.Now(),
	}
}

// checkReminder refuses a reminder that is not in the future, or whose text is too long.
func (s *Service) checkReminder(r *recaller.Reminder) error {
	if len(r.Text) > MaxValue {
		return recaller.InvalidField("value", "must be at most %d bytes", MaxValue)
	}
	return ahead(r.DueAt, s.Now())
}

// checkMeans refuses means by which a reminder's caller cannot be reached.
func (s *Service) checkMeans(ctx context.Context, tenant recaller.TenantID, m recaller.Means) error {
	if m == "" {
		return nil
	}
	t, err := s.Tenants.Tenant(ctx, tenant)
	switch {
	case err != nil:
		return err
	case !m.Valid():
		return recaller.InvalidField("by", "must be one of %v", recaller.AllMeans())
	case m != recaller.MeansNone && t.Outbound.From == "":
		return recaller.InvalidField("by", "needs a number to ring or text from: the tenant's setting outbound.from")
	}
	return nil
}

// provenance checks where a memory is said to come from, and returns it with the conversation's own id. It is stored
// readable in the database, so it may hold nothing but the id of a conversation and the numbers of its turns.
func (s *Service) provenance(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, p recaller.Provenance,
) (recaller.Provenance, error) {
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
			return p, recaller.InvalidField(fmt.Sprintf("provenance.turns[%d]", i),
				"must be the number of a turn of the conversation")
		}
	}
	p.Conversation, p.Thread = conv.ID, conv.Thread
	return p, nil
}
