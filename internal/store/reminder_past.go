package store

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// This file keeps how reminders stood before they were moved, so that SnapshotAt can tell how they stood at a past
// time.

// maxWas bounds the earlier times that a reminder keeps; the oldest are dropped.
const maxWas = 20

// reminderBody is what is sealed of a reminder. Without earlier times it is the text alone, as a string.
type reminderBody struct {
	Text string        `json:"t,omitempty"`
	Was  []reminderWas `json:"w"`
}

// reminderWas is how a reminder stood until it was moved, in microseconds.
type reminderWas struct {
	Until int64  `json:"u"`
	Due   int64  `json:"d"`
	Rule  string `json:"r,omitempty"`
	Text  string `json:"t,omitempty"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (b *reminderBody) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		return json.Unmarshal(raw, &b.Text)
	}
	type whole reminderBody
	return json.Unmarshal(raw, (*whole)(b))
}

// standing is a reminder with its earlier times.
type standing struct {
	recaller.Reminder
	was []reminderWas
}

func (b box) openReminderBody(r sealedReminder) (body reminderBody, err error) {
	if len(r.body) == 0 {
		return body, nil
	}
	return body, b.get("reminders.body", string(r.ID), r.body, &body)
}

// openStanding opens a reminder. One whose own words are damaged is marked, and goes without.
func (b box) openStanding(row sealedReminder) (standing, error) {
	body, err := b.openReminderBody(row)
	if err != nil {
		row.Unreadable = true
		err = b.leaveOut(err, recaller.DamagedRow{Table: "reminders", ID: string(row.ID)})
	}
	row.Text = body.Text
	if err == nil && len(row.errand) > 0 {
		row.Errand = new(recaller.Errand)
		if err = b.get("reminders.errand", string(row.ID), row.errand, row.Errand); err != nil {
			row.Errand = nil
			err = b.leaveOut(err, recaller.DamagedRow{Table: "reminders", ID: string(row.ID)})
		}
	}
	return standing{row.Reminder, body.Was}, err
}

// sealReminderBody seals a reminder's own words and earlier times; nil where it has none.
func (b box) sealReminderBody(id recaller.ReminderID, body reminderBody) ([]byte, error) {
	switch {
	case len(body.Was) > 0:
		return b.put("reminders.body", string(id), body)
	case body.Text == "":
		return nil, nil
	}
	return b.put("reminders.body", string(id), body.Text)
}

// moved returns the body of a reminder that takes the place of s at a time. If it differs, s becomes one of its earlier
// times.
func (s standing) moved(to recaller.Reminder, at time.Time) reminderBody {
	body := reminderBody{Text: to.Text, Was: s.was}
	if micros(s.DueAt) != micros(to.DueAt) || s.Rule != to.Rule || s.Text != to.Text {
		body.Was = append(body.Was, reminderWas{Until: micros(at), Due: micros(s.DueAt), Rule: s.Rule, Text: s.Text})
	}
	body.Was = body.Was[max(0, len(body.Was)-maxWas):]
	return body
}

// at returns the reminder as it stood at a time at which it was pending.
func (s standing) at(t time.Time) recaller.Reminder {
	r := s.Reminder
	r.Status, r.ClosedAt, r.Attempts, r.Reason = recaller.ReminderPending, time.Time{}, 0, ""
	r.Errand, r.ReachedIn = nil, ""
	for _, w := range s.was {
		if w.Until > micros(t) {
			r.DueAt, r.Rule, r.Text = fromMicros(w.Due), w.Rule, w.Text
			break
		}
	}
	return r
}

// standingAtQuery reads the reminders of a caller that were pending at a time. Among them are the occurrences of a
// repeating reminder that were delivered or given up on since.
func (b box) standingAtQuery(tenant recaller.TenantID, caller recaller.CallerID, at time.Time, list *[]standing) Query {
	return Query{
		SQL: `SELECT ` + reminderColumns + ` FROM reminders WHERE tenant_id = $1 AND caller_id = $2 AND created_at <= $3
			AND (closed_at IS NULL OR closed_at > $3) ORDER BY due_at, id`,
		Args: []any{tenant, caller, micros(at)},
		Row: func(scan func(...any) error) error {
			row, err := scanReminder(scan)
			if err != nil {
				return err
			}
			r, err := b.openStanding(row)
			*list = append(*list, r)
			return err
		},
	}
}

// occurrence returns what follows the reminder's id in the id of an occurrence (recaller.Reminder.Occurrence).
func (s standing) occurrence() string {
	bare := s.Reminder
	bare.ID = ""
	return string(bare.Occurrence())
}

// remindersAt returns the reminders that were pending at a time, soonest first. One that repeats waited for the first
// of its occurrences since.
func remindersAt(list []standing, at time.Time) []recaller.Reminder {
	var out []recaller.Reminder
	place := map[recaller.ReminderID]int{}
	for _, s := range list {
		id := recaller.ReminderID(strings.TrimSuffix(string(s.ID), s.occurrence()))
		r := s.at(at)
		i, known := place[id]
		switch {
		case !known:
			r.ID, place[id] = id, len(out)
			out = append(out, r)
			continue
		case r.Rule != "": // r is the one that repeats; what came before it is an occurrence
			r.DueAt = earlier(r.DueAt, out[i].DueAt)
			out[i] = r
		default:
			out[i].DueAt = earlier(r.DueAt, out[i].DueAt)
		}
	}
	slices.SortStableFunc(out, func(a, b recaller.Reminder) int { return a.DueAt.Compare(b.DueAt) })
	return out[:min(len(out), snapshotMemories)]
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
