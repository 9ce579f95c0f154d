package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/recallerhq/recaller"
)

// companions are what is written in one commit with a memory.
type companions struct {
	once     once
	call     *recaller.ToolCall
	reminder *recaller.Reminder
	cancel   recaller.ReminderID
	at       time.Time
}

// writtenOnce is the result that a repeated write gets of its first time.
type writtenOnce struct {
	Memory   recaller.MemoryID   `json:"memory"`
	Reminder recaller.ReminderID `json:"reminder,omitempty"`
}

// UnmarshalJSON also reads the marks from before there were reminders, which are the memory's id alone.
func (w *writtenOnce) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		return json.Unmarshal(raw, &w.Memory)
	}
	type plain writtenOnce
	return json.Unmarshal(raw, (*plain)(w))
}

// together carries out what a rule decides of a memory, with its companions. A repeated request writes none of it, and
// finds the memory as it is.
func (w memoryWrite) together(ctx context.Context, tx Tx, with companions, rule rule) (recaller.MemoryWritten, error) {
	var before writtenOnce
	repeat, err := with.once.before(ctx, tx, &before)
	if err != nil {
		return recaller.MemoryWritten{}, err
	}
	if repeat {
		return w.repeated(ctx, tx, before)
	}
	out, err := w.decided(ctx, tx, rule)
	if err != nil {
		return out, err
	}
	if out.Change.Version == 0 { // nothing was written so far that would fail for a caller who is being erased
		if err := alive(ctx, tx, w.tenant, w.caller); err != nil {
			return out, err
		}
	}
	mark := writtenOnce{Memory: out.Memory.ID}
	if with.reminder != nil && out.Memory.ID != "" {
		if out.Reminder, err = w.remind(ctx, tx, out.Memory, *with.reminder, with.at); err != nil {
			return out, err
		}
		mark.Reminder = out.Reminder.ID
	}
	if with.cancel != "" && out.Memory.ID != "" {
		if out.Reminder, err = w.cancelOne(ctx, tx, out.Memory, with.cancel, with.at); err != nil {
			return out, err
		}
		mark.Reminder = with.cancel
	}
	if with.call != nil {
		if err := w.record(ctx, tx, out, *with.call); err != nil {
			return out, err
		}
	}
	return out, with.once.mark(ctx, tx, w.caller, mark, with.at)
}

func (w memoryWrite) repeated(ctx context.Context, tx Tx, before writtenOnce) (recaller.MemoryWritten, error) {
	out := recaller.MemoryWritten{Action: recaller.MemoryKept}
	if before.Memory == "" { // the first time left nothing either
		return out, nil
	}
	var err error
	if out.Memory, err = w.current(ctx, tx, before.Memory); err != nil || before.Reminder == "" {
		return out, err
	}
	row, err := readReminder(ctx, tx, w.tenant, before.Reminder)
	if err != nil {
		return out, err
	}
	r, err := w.box.openReminder(row)
	out.Reminder = &r
	return out, err
}

// Repeated finds the memory that an earlier write about a caller left with the same token, as it is now. found is false
// if there was no such write. If it had another request, it is a Conflict.
func (s *Store) Repeated(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, in recaller.Once,
) (m recaller.Memory, found bool, err error) {
	if in.Token == "" {
		return m, false, nil
	}
	w, err := s.memoryWrite(ctx, tenant, caller)
	if err != nil {
		return m, false, notFound(err, "there is no such caller")
	}
	err = s.OfCaller(ctx, tenant, caller, func(tx Tx) error {
		var before writtenOnce
		if found, err = newOnce(w.blind, tenant, in).before(ctx, tx, &before); err != nil || !found {
			return err
		}
		out, err := w.repeated(ctx, tx, before)
		m = out.Memory
		return err
	})
	return m, found, err
}
