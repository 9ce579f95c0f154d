package tool

import (
	"context"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/errand/steps"
	"github.com/recallerhq/recaller/internal/errand/wording"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/memory"
)

// Waiting is a pending reminder, with what it is of.
type Waiting struct {
	recaller.Reminder
	Text     string
	Reaching string // how the caller is reached, in few words; empty: he is not, it is the webhook's
}

// reaching says how the caller is reached about a reminder; empty: he is not, or his number is none that is rung.
func (x exchange) reaching(r recaller.Reminder) string {
	if !steps.Allowed(x.tenant, x.caller.Phone()) {
		return ""
	}
	return wording.Standing(r, steps.MeansOf(x.tenant, r), x.now)
}

// waiting reads the caller's pending reminders, soonest first: of one memory, or of all if of is "".
func (s *Service) waiting(ctx context.Context, x exchange, of recaller.MemoryID) (list []recaller.Reminder, err error) {
	f := recaller.ReminderFilter{Caller: x.conv.Caller, Status: recaller.ReminderPending}
	for {
		page, next, err := s.Store.Reminders(ctx, x.call.Tenant, f)
		if err != nil {
			return nil, err
		}
		for _, r := range page {
			if of == "" || r.Memory == of {
				list = append(list, r)
			}
		}
		if f.Page.Cursor = next; next == "" {
			slices.Reverse(list)
			return list, nil
		}
	}
}

// ownReminder finds a reminder of this caller.
func (s *Service) ownReminder(ctx context.Context, x exchange, id string) (recaller.Reminder, error) {
	r, err := s.Store.Reminder(ctx, x.call.Tenant, recaller.ReminderID(id))
	if err == nil && r.Caller != x.conv.Caller {
		err = errNoReminder
	}
	if err != nil {
		return r, err
	}
	seen, err := s.told(ctx, x, []recaller.Reminder{r})
	if err == nil && len(seen) == 0 {
		err = errNoReminder
	}
	return r, err
}

var errNoReminder = recaller.Errorf(recaller.NotFound, "there is no such reminder")

// told returns the reminders that may be told here: none of a memory that is out of sight, nor in words that say what is
// private.
func (s *Service) told(ctx context.Context, x exchange, list []recaller.Reminder) ([]recaller.Reminder, error) {
	if x.rights.Tells(recaller.TellAll) || len(list) == 0 {
		return list, nil
	}
	private, err := s.Store.Private(ctx, x.call.Tenant, x.conv.Caller)
	if err != nil {
		return nil, err
	}
	view := forgotten.New(forgotten.AsIf(private))
	var out []recaller.Reminder
	for _, r := range list {
		m, err := s.Store.MemoryByID(ctx, x.call.Tenant, r.Memory)
		if err != nil {
			return nil, err
		}
		seen, err := s.Memories.Sees(ctx, x.call.Tenant, x.sight(), m)
		if err != nil {
			return nil, err
		}
		if seen && (r.Text == "" || !view.Retold(recaller.Memory{Type: recaller.FollowUp, Value: r.Text})) {
			out = append(out, r)
		}
	}
	return out, nil
}

// soonest returns when a memory is next reminded of: at due, or earlier by another of its reminders than except.
func (s *Service) soonest(
	ctx context.Context, x exchange, of recaller.MemoryID, due time.Time, except recaller.ReminderID,
) (time.Time, error) {
	list, err := s.waiting(ctx, x, of)
	for _, r := range list {
		if r.ID != except && r.DueAt.Before(due) {
			due = r.DueAt
		}
	}
	return due, err
}

// cancelReminder carries out cancel_reminder: by the reminder's id, or by a memory that has only one.
func (s *Service) cancelReminder(ctx context.Context, x exchange) (Result, error) {
	id, err := x.args.Text("reminderId")
	if err != nil {
		return Result{}, err
	}
	if _, err := x.args.Text("key"); err != nil {
		return Result{}, err
	}
	var r recaller.Reminder
	if id != "" {
		r, err = s.ownReminder(ctx, x, id)
	} else {
		r, err = s.onlyReminder(ctx, x)
	}
	if err != nil {
		return Result{}, err
	}
	w, err := s.Memories.Change(ctx, x.call.Tenant, r.Memory,
		memory.Change{Once: x.call.Once, Call: x.recorded(), Cancel: r.ID})
	return Result{MemoryID: w.Memory.ID, Action: w.Action, Reminder: w.Reminder}, err
}

// onlyReminder finds the one reminder of the memory that a call names.
func (s *Service) onlyReminder(ctx context.Context, x exchange) (r recaller.Reminder, err error) {
	m, err := s.target(ctx, x)
	if err != nil {
		return r, err
	}
	list, err := s.waiting(ctx, x, m.ID)
	switch {
	case err != nil:
		return r, err
	case len(list) == 0:
		return r, recaller.Errorf(recaller.NotFound, "the memory has no reminder that waits")
	case len(list) > 1:
		return r, recaller.Errorf(recaller.Conflict,
			"the memory has several reminders: list_reminders tells their ids, name one as reminderId")
	}
	return list[0], nil
}

// listReminders carries out list_reminders: the pending ones of the caller, or of one memory.
func (s *Service) listReminders(ctx context.Context, x exchange) (Result, error) {
	var of recaller.Memory
	if x.args.Given("key") || x.args.Given("memoryId") {
		var err error
		if of, err = s.target(ctx, x); err != nil {
			return Result{}, err
		}
	}
	list, err := s.waiting(ctx, x, of.ID)
	if err != nil {
		return Result{}, err
	}
	if list, err = s.told(ctx, x, list); err != nil {
		return Result{}, err
	}
	res := Result{MemoryID: of.ID, Waiting: []Waiting{}}
	for _, r := range list {
		w := Waiting{Reminder: r, Text: r.Text, Reaching: x.reaching(r)}
		if w.Text == "" {
			m, err := s.Store.MemoryByID(ctx, x.call.Tenant, r.Memory)
			if err != nil {
				return Result{}, err
			}
			w.Text = m.Value
		}
		res.Waiting = append(res.Waiting, w)
	}
	record := x.record(recaller.ToolListed)
	record.ID, record.At, record.Memory = s.NewID(), s.Now(), of.ID
	return res, s.Store.RecordToolCall(ctx, x.call.Tenant, record)
}
