package tool

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory"
	"github.com/recallerhq/recaller/internal/memory/likeness"
	"github.com/recallerhq/recaller/internal/recall/token"
	"github.com/recallerhq/recaller/internal/repeat"
)

// setReminder carries out set_reminder: for a memory that exists, for one that is stored with it (W3, W11), or for a
// reminder that exists, which it changes.
func (s *Service) setReminder(ctx context.Context, x exchange) (Result, error) {
	r, err := x.reminder()
	if err != nil {
		return Result{}, err
	}
	value, err := x.args.Text("value")
	if err != nil {
		return Result{}, err
	}
	key, err := x.args.Text("key")
	if err != nil {
		return Result{}, err
	}
	moved, err := x.args.Text("reminderId")
	if err != nil {
		return Result{}, err
	}
	if moved != "" {
		return s.move(ctx, x, moved, value, r)
	}
	if value == "" || x.args.Given("memoryId") {
		r.Text = x.dated(recaller.FollowUp, value).text
		return s.onMemory(ctx, x, func(m recaller.Memory) (recaller.MemoryWritten, error) {
			return s.remindAgain(ctx, x, m, r)
		})
	}
	if key == "" {
		key = keyFor(value)
	}
	w, err := s.again(func() (recaller.MemoryWritten, error) { return s.remindOf(ctx, x, key, value, r) })
	if err != nil {
		return Result{}, err
	}
	return Result{MemoryID: w.Memory.ID, Action: w.Action, Reminder: w.Reminder}, nil
}

// reminder reads when a reminder is to come, and how it repeats.
func (x exchange) reminder() (*recaller.Reminder, error) {
	said, err := x.args.Needed("dueAt")
	if err != nil {
		return nil, err
	}
	often, err := x.args.Text("repeat")
	if err != nil {
		return nil, err
	}
	r := &recaller.Reminder{Conversation: x.conv.ID}
	r.Rule, r.DueAt, err = repeat.Read(said, time.Time{}, x.now)
	if err != nil && !errors.Is(err, repeat.ErrNone) {
		return nil, recaller.InvalidField("dueAt", "%v", err)
	}
	if err != nil {
		var ok bool
		if r.DueAt, ok = dueTime(said, x.now, x.dayFirst); !ok {
			return nil, recaller.InvalidField("dueAt",
				"must be one time: RFC 3339 (2026-03-10T08:30:00Z), or words (\"tomorrow at nine\", \"every Monday "+
					"at 9\")")
		}
	}
	if often == "" {
		return r, nil
	}
	rule, at, err := repeat.Read(often, r.DueAt, x.now)
	switch {
	case err != nil:
		return nil, recaller.InvalidField("repeat", "%v", err)
	case r.Rule != "" && !repeat.Same(r.Rule, rule):
		return nil, recaller.InvalidField("repeat",
			"must not tell another repetition than dueAt: say it in one of them")
	}
	r.Rule, r.DueAt = rule, at
	return r, nil
}

// move gives a pending reminder another time, and other words if some are given.
func (s *Service) move(ctx context.Context, x exchange, id, value string, r *recaller.Reminder) (Result, error) {
	old, err := s.ownReminder(ctx, x, id)
	if err == nil && old.Status != recaller.ReminderPending {
		err = recaller.Errorf(recaller.Conflict, "the reminder is not pending any more")
	}
	if err != nil {
		return Result{}, err
	}
	m, err := s.Store.MemoryByID(ctx, x.call.Tenant, old.Memory)
	if err != nil {
		return Result{}, err
	}
	if r.ID, r.Text, r.Means = old.ID, old.Text, old.Means; value != "" {
		r.Text = x.dated(recaller.FollowUp, value).text
	}
	w, err := s.remindAgain(ctx, x, m, r)
	return Result{MemoryID: w.Memory.ID, Action: w.Action, Reminder: w.Reminder}, err
}

// remindAgain sets or moves a reminder of a memory that exists. If it is a follow-up whose words name no day, it comes
// due with its next reminder, so that a moved one is told at its new time.
func (s *Service) remindAgain(
	ctx context.Context, x exchange, m recaller.Memory, r *recaller.Reminder,
) (recaller.MemoryWritten, error) {
	if strings.EqualFold(r.Text, m.Value) {
		r.Text = ""
	}
	c := memory.Change{Once: x.call.Once, Call: x.recorded(), Reminder: r}
	if m.Type == recaller.FollowUp && x.dated(m.Type, m.Value).due == nil {
		at, err := s.soonest(ctx, x, m.ID, r.DueAt, r.ID)
		if err != nil {
			return recaller.MemoryWritten{}, err
		}
		due := &at
		c.Patch.DueAt = &due
	}
	return s.Memories.Change(ctx, x.call.Tenant, m.ID, c)
}

// remindOf sets a reminder for the memory that has the key, with words of its own if they differ. If none has the key,
// it stores a follow-up.
func (s *Service) remindOf(
	ctx context.Context, x exchange, key, value string, r *recaller.Reminder,
) (recaller.MemoryWritten, error) {
	m, err := s.Memories.FindKey(ctx, x.call.Tenant, x.conv.Caller, x.sight(), key)
	if err != nil && !errors.Is(err, recaller.NotFound) {
		return recaller.MemoryWritten{}, err
	}
	d := x.dated(recaller.FollowUp, value)
	// not for one whose key is only like it
	if _, own := likeness.Same([]recaller.Memory{m}, key); err == nil && own {
		again := *r
		again.Text = d.text
		return s.remindAgain(ctx, x, m, &again)
	}
	if d.due == nil {
		d.due = &r.DueAt
	}
	if _, hidden := s.Memories.FindKey(ctx, x.call.Tenant, x.conv.Caller, memory.Sight{}, key); hidden == nil && err != nil {
		key = keyFor(value) // that memory may not be told: this one is of its own
	}
	return s.Memories.Store(ctx, x.call.Tenant, x.conv.Caller, x.call.Once, memory.Input{
		Type: recaller.FollowUp, Key: key, Value: d.text, Source: recaller.SourceConversation,
		PrivacyScope: recaller.LineOnly, DueAt: d.due, DueDay: d.day, Provenance: x.provenance(), Call: x.recorded(),
		Reminder: r, Sight: x.sight(),
	})
}

// keyFor makes a key of what to remind of: "reminder_call_dentist". The same text gives the same key.
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

// cut shortens a key to n bytes, at a character.
func cut(key string, n int) string {
	if len(key) <= n {
		return key
	}
	return strings.ToValidUTF8(key[:n], "")
}
