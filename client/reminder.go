package client

import (
	"context"
	"net/http"
	"time"

	"github.com/recallerhq/recaller"
)

// Reminder is a time at which the tenant's webhook is told of a memory. It comes once, or repeats.
type Reminder struct {
	ID             string                  `json:"id" doc:"Its id." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a41"`
	CallerID       string                  `json:"caller_id" doc:"Whom it is for." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3c"`
	MemoryID       string                  `json:"memory_id" doc:"What to remind of: the memory as it is when the reminder fires." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3e"`
	ConversationID string                  `json:"conversation_id,omitempty" doc:"The conversation in which it was set." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3b"`
	DueAt          time.Time               `json:"due_at" doc:"When it comes due." example:"2026-03-10T07:30:00Z"`
	Text           string                  `json:"text,omitempty" doc:"Words of its own; left out: it is of what the memory says." example:"bring the pictures"`
	Repeats        string                  `json:"repeats,omitempty" doc:"How it repeats, where it does; due_at is the next time then. What was delivered of it is listed by itself." example:"every Monday"`
	Rule           string                  `json:"rule,omitempty" doc:"The same as RFC 5545 writes it, with the first time and the zone." example:"DTSTART;TZID=Europe/London:20260309T090000\nRRULE:FREQ=WEEKLY;BYDAY=MO"`
	Status         recaller.ReminderStatus `json:"status" enum:"pending,delivered,cancelled,dead" doc:"Where it stands. delivered: the webhook took it, and where the caller is rung or texted, he was reached; dead: every try failed, and it can be tried again." example:"pending"`
	Attempts       int                     `json:"attempts" doc:"Tries at delivery that failed." example:"0"`
	Reason         string                  `json:"reason,omitempty" doc:"Why the last try failed: no webhook, or unreachable, whatever its receiver did, of which the log of the server has more; or unreadable rule: it repeats no more, though this time may have been delivered; or why the caller was not reached, as in errand." example:"unreachable"`
	By             recaller.Means          `json:"by,omitempty" enum:"none,ring,text,ring_then_text" doc:"By what means its caller is reached, where it says so itself; left out: as the tenant has it." example:"ring"`
	Errand         *Errand                 `json:"errand,omitempty" doc:"What is done to reach the caller, once it came due; left out: nothing."`
	CreatedAt      time.Time               `json:"created_at" doc:"When it was set." example:"2026-03-02T09:34:11Z"`
	ClosedAt       time.Time               `json:"closed_at,omitzero" doc:"When it was delivered, cancelled or given up on." example:"2026-03-10T07:30:01Z"`
	Unreadable     bool                    `json:"unreadable,omitempty" doc:"Its own words cannot be read: they are damaged, or, in a list, the caller's key is missing." example:"false"`
}

// ReminderInput is a reminder to set.
type ReminderInput struct {
	DueAt  time.Time `json:"due_at" doc:"When it comes due; of one that repeats the first time." example:"2026-03-10T07:30:00Z"`
	Repeat string    `json:"repeat,omitempty" doc:"How it repeats, in the caller's zone: words, or an RRULE." example:"every Monday at 9"`
	Text   string    `json:"text,omitempty" doc:"Words of its own, at most 2000 bytes; else it is of what the memory says." example:"bring the pictures"`

	By recaller.Means `json:"by,omitempty" enum:"none,ring,text,ring_then_text" doc:"By what means its caller is reached; left out: as the tenant has it. It needs the tenant's outbound.from." example:"ring"`
}

// CallerReminderInput is a reminder together with its memory.
type CallerReminderInput struct {
	Value  string    `json:"value" doc:"What to remind of. It is stored as a follow_up." example:"Doctor's appointment"`
	Key    string    `json:"key" doc:"The key of that memory. One that there is gets the value." example:"doctor_appointment"`
	DueAt  time.Time `json:"due_at" doc:"When it comes due; of one that repeats the first time." example:"2026-03-10T07:30:00Z"`
	Repeat string    `json:"repeat,omitempty" doc:"How it repeats, in the caller's zone: words, or an RRULE." example:"every Monday at 9"`

	By recaller.Means `json:"by,omitempty" enum:"none,ring,text,ring_then_text" doc:"By what means its caller is reached; left out: as the tenant has it. It needs the tenant's outbound.from." example:"ring"`
}

// Errand is what is done to reach the caller of a reminder that came due.
type Errand struct {
	State        recaller.ErrandState `json:"state" enum:"waiting,dialling,ringing,talking,texting,reached,failed" doc:"Where it stands." example:"waiting"`
	Reason       string               `json:"reason,omitempty" doc:"What it waits for, or why it failed: quiet hours, in a call, too many calls, carrier away, busy, no-answer, failed, machine, voicemail, no number, country, bad number, opted out, turned off, too often, too late, overtaken, or no answer from us." example:"quiet hours"`
	Rings        int                  `json:"rings" doc:"How often the telephone was rung." example:"1"`
	NextAt       time.Time            `json:"next_at,omitzero" doc:"When it goes on." example:"2026-03-11T08:00:00Z"`
	By           recaller.Means       `json:"by,omitempty" enum:"ring,text" doc:"By what the caller was reached." example:"ring"`
	Conversation string               `json:"conversation_id,omitempty" doc:"The conversation in which he was." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3b"`
}

// ReminderList is one page of reminders.
type ReminderList struct {
	Reminders  []Reminder `json:"reminders" nullable:"false" doc:"By due time, latest first."`
	NextCursor string     `json:"next_cursor,omitempty" doc:"Asks for the next page; left out on the last." example:"MDE5OWI3"`
	Damaged    int        `json:"damaged,omitempty" doc:"How many stored rows of the list are damaged: they are left out, or marked unreadable. The log and recaller doctor name them; left out where there are none." example:"1"`
}

// ReminderFilter selects reminders; its zero value selects all.
type ReminderFilter struct {
	CallerID string
	Status   recaller.ReminderStatus
	Page     Page
}

// Reminders lists the tenant's reminders by due time, latest first. RetryReminder takes those of status dead.
func (c *Client) Reminders(ctx context.Context, f ReminderFilter) (ReminderList, error) {
	q := f.Page.query()
	set(q, "status", string(f.Status))
	set(q, "caller_id", f.CallerID)
	var out ReminderList
	return out, c.get(ctx, path("reminders"), q, &out)
}

// CallerReminders lists a caller's reminders, by due time, latest first.
func (c *Client) CallerReminders(ctx context.Context, caller string, f ReminderFilter) (ReminderList, error) {
	q := f.Page.query()
	set(q, "status", string(f.Status))
	var out ReminderList
	return out, c.get(ctx, path("callers", caller, "reminders"), q, &out)
}

// SetReminder adds a reminder to a memory: the tenant's webhook is told of it at the given time. Setting the same text
// for the same time again sets no second reminder.
func (c *Client) SetReminder(ctx context.Context, memory string, in ReminderInput) (Reminder, error) {
	var out Reminder
	return out, c.post(ctx, path("memories", memory, "reminder"), in, &out)
}

// RemindCaller stores a memory and sets a reminder of it.
func (c *Client) RemindCaller(ctx context.Context, caller string, in CallerReminderInput) (Reminder, error) {
	var out Reminder
	return out, c.post(ctx, path("callers", caller, "reminders"), in, &out)
}

// CancelReminder cancels a pending reminder, and with it all repetitions to come.
func (c *Client) CancelReminder(ctx context.Context, id string) (Reminder, error) {
	var out Reminder
	return out, c.do(ctx, request{method: http.MethodDelete, path: path("reminders", id), out: &out})
}

// RetryReminder tries a dead reminder again. It is never retried itself: a repeat would find the reminder pending,
// which is a conflict.
func (c *Client) RetryReminder(ctx context.Context, id string) (Reminder, error) {
	var out Reminder
	return out, c.do(ctx, request{method: http.MethodPost, path: path("reminders", id, "retry"), out: &out, once: true})
}
