package tool

import (
	"context"
	"errors"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory"
	"github.com/recallerhq/recaller/internal/memory/likeness"
	"github.com/recallerhq/recaller/internal/recall/token"
)

// setReminder carries out set_reminder: for a memory that there is, or for one that is stored with it (W3, W11).
func (s *Service) setReminder(ctx context.Context, x exchange) (Result, error) {
	said, err := x.args.needed("dueAt")
	if err != nil {
		return Result{}, err
	}
	due, ok := dueTime(said, x.now, x.dayFirst)
	if !ok {
		return Result{}, recaller.InvalidField("dueAt", "must be one time: RFC 3339 (2026-03-10T08:30:00Z), or words (\"tomorrow at nine\")")
	}
	value, err := x.args.text("value")
	if err != nil {
		return Result{}, err
	}
	reminder := &recaller.Reminder{Conversation: x.conv.ID, DueAt: due}
	if value == "" || x.args.given("memoryId") {
		return s.onMemory(ctx, x, func(m recaller.Memory) (recaller.MemoryWritten, error) {
			return s.Memories.Change(ctx, x.call.Tenant, m.ID, x.reminding(m, reminder))
		})
	}
	key, err := x.args.text("key")
	if err != nil {
		return Result{}, err
	}
	if key == "" {
		key = keyFor(value)
	}
	w, err := s.again(func() (recaller.MemoryWritten, error) { return s.remindOf(ctx, x, key, value, reminder) })
	if err != nil {
		return Result{}, err
	}
	return Result{MemoryID: w.Memory.ID, Action: w.Action, Reminder: w.Reminder}, nil
}

// reminding sets a memory's reminder. A follow-up whose words name no day of their own comes due when it is reminded of, so that
// one that is moved is told at its new time.
func (x exchange) reminding(m recaller.Memory, r *recaller.Reminder) memory.Change {
	c := memory.Change{Once: x.call.Once, Call: x.recorded(), Reminder: r}
	if m.Type == recaller.FollowUp && x.dated(m.Type, m.Value).due == nil {
		due := &r.DueAt
		c.Patch.DueAt = &due
	}
	return c
}

// remindOf sets a reminder for the memory that has the key, whatever its value; where none has, what to remind of is stored as
// a follow-up.
func (s *Service) remindOf(ctx context.Context, x exchange, key, value string, r *recaller.Reminder) (recaller.MemoryWritten, error) {
	m, err := s.Memories.FindKey(ctx, x.call.Tenant, x.conv.Caller, key)
	if err != nil && !errors.Is(err, recaller.NotFound) {
		return recaller.MemoryWritten{}, err
	}
	if _, own := likeness.Same([]recaller.Memory{m}, key); err == nil && own { // and not one that only has a key like it
		return s.Memories.Change(ctx, x.call.Tenant, m.ID, x.reminding(m, r))
	}
	d := x.dated(recaller.FollowUp, value)
	if d.due == nil {
		d.due = &r.DueAt
	}
	return s.Memories.Store(ctx, x.call.Tenant, x.conv.Caller, x.call.Once, memory.Input{
		Type: recaller.FollowUp, Key: key, Value: d.text, Source: recaller.SourceConversation, PrivacyScope: recaller.LineOnly,
		DueAt: d.due, DueDay: d.day, Provenance: x.provenance(), Call: x.recorded(), Reminder: r,
	})
}

// keyFor makes a key of what to remind of: "reminder_call_dentist". The same again has the same key.
func keyFor(value string) string {
	const words = 5
	parts := []string{"reminder"}
	var scan token.Scanner
	for scan.Reset(value); scan.Next() && len(parts) <= words; {
		if w := string(scan.Bytes()); !token.Stop(w) {
			parts = append(parts, w)
		}
	}
	return cut(strings.Join(parts, "_"), memory.MaxKey)
}

// cut bounds a key to n bytes, at a character.
func cut(key string, n int) string {
	if len(key) <= n {
		return key
	}
	return strings.ToValidUTF8(key[:n], "")
}
