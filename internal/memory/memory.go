// Package memory is the use cases of memories and checkpoints: store, update, forget, list with history; the resumable
// state of an unfinished matter (spec W1–W4, H1–H4, B10; issue 2 item 7). It validates, and leaves versions to the
// store, which closes the old one and opens the new one in one commit.
//
// It is not for finding memories in words (wrapup), nor for searching them (recall).
package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
)

// Store is what this package asks of the store.
type Store interface {
	StoreMemory(ctx context.Context, tenant recaller.TenantID, in recaller.Storing) (recaller.MemoryWritten, error)
	ChangeMemory(ctx context.Context, tenant recaller.TenantID, in recaller.Changing) (recaller.MemoryWritten, error)
	Memories(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, f recaller.MemoryFilter) (list []recaller.Memory, next string, err error)
	MemoryHistory(ctx context.Context, tenant recaller.TenantID, id recaller.MemoryID) ([]recaller.Memory, error)
	// Conversation finds one by its id or its external id.
	Conversation(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Conversation, error)

	PutCheckpoint(ctx context.Context, tenant recaller.TenantID, c recaller.Checkpoint) (recaller.Checkpoint, error)
	Checkpoint(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) (recaller.Checkpoint, error)
	DeleteCheckpoint(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) error
}

// Tenants gives the settings of a tenant, defaults filled in.
type Tenants interface {
	Tenant(ctx context.Context, id recaller.TenantID) (recaller.Tenant, error)
}

// Deps are what a Service needs; all are required.
type Deps struct {
	Store   Store
	Tenants Tenants
	Changed func(recaller.Change)
	Now     func() time.Time
	NewID   func() string
}

// Service carries out the use cases. Safe for concurrent use.
type Service struct{ Deps }

// New returns a Service.
func New(deps Deps) *Service { return &Service{deps} }

// Bounds of what one memory holds.
const (
	MaxKey   = 100  // bytes
	MaxValue = 2000 // bytes
	maxTurns = 100  // that a provenance names
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
	Provenance   recaller.Provenance // its conversation may be named by the external id
}

// Store keeps a memory of a caller, durable when it returns. An active memory with the same key (case ignored) gets a
// new version; the same value confirms it. A provenance must be a conversation with this caller, and turns of it.
func (s *Service) Store(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, once recaller.Once, in Input) (recaller.MemoryWritten, error) {
	m, err := s.memory(caller, in)
	if err != nil {
		return recaller.MemoryWritten{}, err
	}
	if m.Provenance, err = s.provenance(ctx, tenant, caller, in.Provenance); err != nil {
		return recaller.MemoryWritten{}, err
	}
	return s.written(s.Deps.Store.StoreMemory(ctx, tenant, recaller.Storing{Once: once, Memory: m}))
}

func (s *Service) memory(caller recaller.CallerID, in Input) (recaller.Memory, error) {
	now := s.Now()
	m := recaller.Memory{
		ID: recaller.MemoryID(s.NewID()), Caller: caller, Type: in.Type, Key: in.Key, Value: in.Value, Confidence: 1,
		Source: in.Source, PrivacyScope: in.PrivacyScope, DueAt: in.DueAt,
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
	return m, validate(recaller.MemoryPatch{
		Type: &m.Type, Key: &m.Key, Value: &m.Value, Confidence: &m.Confidence, PrivacyScope: &m.PrivacyScope, DueAt: &m.DueAt,
	})
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

// Update makes a new version of a memory and closes the old one; both stay readable in its history.
func (s *Service) Update(ctx context.Context, tenant recaller.TenantID, id recaller.MemoryID, p recaller.MemoryPatch) (recaller.MemoryWritten, error) {
	if p.Type == nil && p.Key == nil && p.Value == nil && p.Confidence == nil && p.PrivacyScope == nil && p.DueAt == nil && p.Provenance == nil {
		return recaller.MemoryWritten{}, recaller.Errorf(recaller.Invalid, "needs at least one field to change")
	}
	if err := validate(p); err != nil {
		return recaller.MemoryWritten{}, err
	}
	p.At = s.Now()
	if p.Reason == "" {
		p.Reason = recaller.ClosedUpdated
	}
	return s.written(s.Deps.Store.ChangeMemory(ctx, tenant, recaller.Changing{ID: id, Patch: p}))
}

// Forget closes a memory: it leaves every prompt and every search at once; its history stays until the caller is erased.
func (s *Service) Forget(ctx context.Context, tenant recaller.TenantID, id recaller.MemoryID) (recaller.MemoryWritten, error) {
	return s.written(s.Deps.Store.ChangeMemory(ctx, tenant, recaller.Changing{ID: id, Forget: true, Patch: recaller.MemoryPatch{Reason: recaller.ClosedForgotten, At: s.Now()}}))
}

func (s *Service) written(w recaller.MemoryWritten, err error) (recaller.MemoryWritten, error) {
	if err == nil && w.Change.Version > 0 {
		s.Changed(w.Change)
	}
	return w, err
}

// List returns a caller's memories, last confirmed first, with the cursor of the next page.
func (s *Service) List(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, f recaller.MemoryFilter) ([]recaller.Memory, string, error) {
	for _, t := range f.Types {
		if !t.Valid() {
			return nil, "", recaller.InvalidField("type", "must be one of %v", recaller.MemoryTypes())
		}
	}
	for _, status := range f.Statuses {
		if !slices.Contains([]recaller.MemoryStatus{recaller.MemoryActive, recaller.MemorySuperseded, recaller.MemoryForgotten}, status) {
			return nil, "", recaller.InvalidField("status", "must be active, superseded or forgotten")
		}
	}
	return s.Deps.Store.Memories(ctx, tenant, caller, f)
}

// History returns every version of a memory, newest first.
func (s *Service) History(ctx context.Context, tenant recaller.TenantID, id recaller.MemoryID) ([]recaller.Memory, error) {
	return s.Deps.Store.MemoryHistory(ctx, tenant, id)
}

func validate(p recaller.MemoryPatch) error {
	switch {
	case p.Type != nil && !p.Type.Valid():
		return recaller.InvalidField("type", "must be one of %v", recaller.MemoryTypes())
	case p.Confidence != nil && !(*p.Confidence >= 0 && *p.Confidence <= 1):
		return recaller.InvalidField("confidence", "must be between 0 and 1")
	case p.PrivacyScope != nil && !p.PrivacyScope.Valid():
		return recaller.InvalidField("privacy_scope", "must be line_only or shared")
	case p.DueAt != nil && *p.DueAt != nil && ((*p.DueAt).Year() < 1970 || (*p.DueAt).Year() > 9999):
		return recaller.InvalidField("due_at", "must be an RFC 3339 time after 1970")
	}
	if p.Key != nil {
		if err := text("key", *p.Key, MaxKey); err != nil {
			return err
		}
	}
	if p.Value != nil {
		return text("value", *p.Value, MaxValue)
	}
	return nil
}

// text checks a text that must say something.
func text(field, v string, limit int) error {
	if strings.TrimSpace(v) == "" {
		return recaller.InvalidField(field, "must not be empty")
	}
	return bounded(field, v, limit)
}

// bounded checks a text that may be empty.
func bounded(field, v string, limit int) error {
	switch {
	case len(v) > limit:
		return recaller.InvalidField(field, "must be at most %d bytes", limit)
	case !utf8.ValidString(v):
		return recaller.InvalidField(field, "must be valid UTF-8")
	}
	return nil
}
