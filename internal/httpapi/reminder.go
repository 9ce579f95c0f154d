package httpapi

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/identity"
	"github.com/recallerhq/recaller/internal/memory"
	"github.com/recallerhq/recaller/internal/repeat"
)

// ReminderPath names a reminder.
type ReminderPath struct {
	ID string `path:"id" doc:"The reminder's id." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a41"`
}

func (s *server) reminderRoutes() {
	add(s, route{
		id: "list-reminders", method: http.MethodGet, path: "/v1/reminders", tag: tagReminders,
		summary: "List reminders",
		about: "By due time, latest first, of one caller or of all. Those of status `dead` are the dead-letter list: " +
			"every try to deliver them failed.",
	}, s.listReminders)
	add(s, route{
		id: "caller-reminders", method: http.MethodGet, path: "/v1/callers/{id}/reminders", tag: tagReminders,
		summary: "List a caller's reminders", about: "By due time, latest first.",
	}, s.callerReminders)
	add(s, route{
		id: "set-reminder", method: http.MethodPost, path: "/v1/memories/{id}/reminder", tag: tagReminders,
		status: http.StatusCreated, summary: "Set a reminder", statuses: []int{http.StatusConflict},
		about: "The tenant's webhook is told of the memory at `due_at`, once or as it repeats, across restarts, " +
			"beside its other reminders. Forgetting the memory cancels them.",
	}, s.setReminder)
	add(s, route{
		id: "remind-caller", method: http.MethodPost, path: "/v1/callers/{id}/reminders", tag: tagReminders,
		status: http.StatusCreated, summary: "Set a reminder with its memory", statuses: []int{http.StatusConflict},
		about: "Stores what to remind of as a follow_up, and sets the reminder, in one commit.",
	}, s.remindCaller)
	add(s, route{
		id: "cancel-reminder", method: http.MethodDelete, path: "/v1/reminders/{id}", tag: tagReminders,
		summary: "Cancel a reminder",
		about: "One that is pending; one that is not is a 409. Of one that repeats nothing comes any more. The " +
			"memory stays.", statuses: []int{http.StatusConflict},
	}, func(ctx context.Context, x *exchange, in *ReminderPath) (*plain[client.Reminder], error) {
		r, err := s.Reminders.Cancel(ctx, x.Tenant, recaller.ReminderID(in.ID))
		return body200(reminderOut(r), err)
	})
	add(s, route{
		id: "retry-reminder", method: http.MethodPost, path: "/v1/reminders/{id}/retry", tag: tagReminders,
		summary: "Try a dead reminder again",
		about: "Every try to deliver it failed; it is pending again and fires at once. One that is not dead is a " +
			"409, a repeat of this too, so Idempotency-Key is not taken.", statuses: []int{http.StatusConflict},
	}, func(ctx context.Context, x *exchange, in *ReminderPath) (*plain[client.Reminder], error) {
		r, err := s.Reminders.Retry(ctx, x.Tenant, recaller.ReminderID(in.ID))
		return body200(reminderOut(r), err)
	})
}

// ReminderStatus asks for reminders of one status.
type ReminderStatus struct {
	Status string `query:"status" enum:"pending,delivered,cancelled,dead" doc:"Only reminders of this status." example:"dead"`
}

func (s *server) listReminders(ctx context.Context, x *exchange, in *struct {
	Paging
	ReminderStatus
	CallerID string `query:"caller_id" doc:"Only reminders of this caller." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3c"`
},
) (*plain[client.ReminderList], error) {
	return s.reminders(ctx, x, recaller.ReminderFilter{
		Caller: recaller.CallerID(in.CallerID), Status: recaller.ReminderStatus(in.Status), Page: in.page(),
	})
}

func (s *server) callerReminders(ctx context.Context, x *exchange, in *struct {
	CallerPath
	Paging
	ReminderStatus
},
) (*plain[client.ReminderList], error) {
	id := recaller.CallerID(in.ID)
	if _, err := s.Callers.Get(ctx, x.Tenant, id); err != nil {
		return nil, err
	}
	return s.reminders(ctx, x, recaller.ReminderFilter{Caller: id, Status: recaller.ReminderStatus(in.Status), Page: in.page()})
}

func (s *server) reminders(
	ctx context.Context, x *exchange, f recaller.ReminderFilter,
) (*plain[client.ReminderList], error) {
	ctx, damage := recaller.WithDamage(ctx)
	found, next, err := s.Reminders.List(ctx, x.Tenant, f)
	return body200(client.ReminderList{
		Reminders: list(found, reminderOut), NextCursor: next, Damaged: damage.Count(),
	}, err)
}

func (s *server) setReminder(ctx context.Context, x *exchange, in *struct {
	Idempotent
	MemoryPath
	Body client.ReminderInput
},
) (*plain[client.Reminder], error) {
	once, err := x.Once()
	if err != nil {
		return nil, err
	}
	r, err := s.reminderTold(ctx, x, func() (recaller.CallerID, error) {
		versions, err := s.Memories.History(ctx, x.Tenant, recaller.MemoryID(in.ID))
		if err != nil || len(versions) == 0 {
			return "", err
		}
		return versions[0].Caller, nil
	}, in.Body.DueAt, in.Body.Repeat)
	if err != nil {
		return nil, err
	}
	r.Text, r.Means = strings.TrimSpace(in.Body.Text), in.Body.By
	return reminderSet(s.Memories.Change(ctx, x.Tenant, recaller.MemoryID(in.ID),
		memory.Change{Once: once, Reminder: r}))
}

func (s *server) remindCaller(ctx context.Context, x *exchange, in *struct {
	Idempotent
	CallerPath
	Body client.CallerReminderInput
},
) (*plain[client.Reminder], error) {
	once, err := x.Once()
	if err != nil {
		return nil, err
	}
	caller := recaller.CallerID(in.ID)
	r, err := s.reminderTold(ctx, x, func() (recaller.CallerID, error) { return caller, nil }, in.Body.DueAt,
		in.Body.Repeat)
	if err != nil {
		return nil, err
	}
	r.Means = in.Body.By
	return reminderSet(s.Memories.Store(ctx, x.Tenant, caller, once, memory.Input{
		Type: recaller.FollowUp, Key: in.Body.Key, Value: in.Body.Value, DueAt: &r.DueAt, Reminder: r,
	}))
}

// reminderTold reads when a reminder comes. It reads the repetition in the caller's zone.
func (s *server) reminderTold(
	ctx context.Context, x *exchange, of func() (recaller.CallerID, error), due time.Time, often string,
) (*recaller.Reminder, error) {
	due, err := told("due_at", due)
	if err != nil || often == "" {
		return &recaller.Reminder{DueAt: due}, err
	}
	caller, err := of()
	if err != nil {
		return nil, err
	}
	c, err := s.Callers.Get(ctx, x.Tenant, caller)
	if err != nil {
		return nil, err
	}
	t, err := s.Tenants.Tenant(ctx, x.Tenant)
	if err != nil {
		return nil, err
	}
	now := s.opts.Now().In(identity.ZoneOf(c, t))
	if !due.After(now) {
		return nil, recaller.InvalidField("due_at", "must lie ahead")
	}
	rule, at, err := repeat.Read(often, due, now)
	if err != nil {
		return nil, recaller.InvalidField("repeat", "%v", err)
	}
	return &recaller.Reminder{DueAt: at, Rule: rule}, nil
}

func reminderSet(w recaller.MemoryWritten, err error) (*plain[client.Reminder], error) {
	if err != nil {
		return nil, err
	}
	if w.Reminder == nil {
		return nil, recaller.Errorf(recaller.Internal, "the memory was changed without its reminder")
	}
	return &plain[client.Reminder]{reminderOut(*w.Reminder)}, nil
}
