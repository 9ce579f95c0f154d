// Package errand has callers rung, or texted, about reminders that came due, where their tenant says so (issue 17 item 8).
//
// An errand is a job, and stands in its reminder's row. It waits for its hour, is marked before the carrier is asked for
// a ring, and goes on by what the carrier tells (telephony): whoever finds it marked after a crash asks the carrier
// whether it came about, and rings only if it never did. So a telephone rings once for each try, and no try is lost (ADR
// 67). When it is over, the reminder is delivered or dead.
//
// What is to be done when is decided in steps, what is said in wording. It does not speak to the carrier (carrier), nor
// answer the call (telephony), and tells no webhook (reminder, notify).
package errand

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/errand/steps"
	"github.com/recallerhq/recaller/internal/errand/wording"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/identity"
	"github.com/recallerhq/recaller/internal/repeat"
)

// Store is what this package asks of the store.
type Store interface {
	Reminder(ctx context.Context, tenant recaller.TenantID, id recaller.ReminderID) (recaller.Reminder, error)
	// ChangeErrand writes what change makes of the errand of a pending reminder, with its job; any other is a Conflict.
	// change may be called more than once.
	ChangeErrand(
		ctx context.Context, tenant recaller.TenantID, id recaller.ReminderID, at time.Time, change recaller.ErrandChange,
	) (recaller.Reminder, error)
	// BusyErrands returns how many telephones of a tenant's callers ring.
	BusyErrands(ctx context.Context, tenant recaller.TenantID) (int, error)
	// CloseReminder closes a pending reminder; any other is a Conflict.
	CloseReminder(
		ctx context.Context, tenant recaller.TenantID, id recaller.ReminderID, status recaller.ReminderStatus,
		reason string, at time.Time,
	) (recaller.Reminder, error)
	// Private and Forgotten return every version of the memories that are.
	Private(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) ([]recaller.Memory, error)
	Forgotten(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) ([]recaller.Memory, error)
	// MemoryByID returns the newest version of a memory, whatever its status.
	MemoryByID(ctx context.Context, tenant recaller.TenantID, id recaller.MemoryID) (recaller.Memory, error)
	Caller(ctx context.Context, tenant recaller.TenantID, id recaller.CallerID) (recaller.Caller, error)
}

// Tenants returns the settings of a tenant, with the defaults filled in.
type Tenants interface {
	Tenant(ctx context.Context, id recaller.TenantID) (recaller.Tenant, error)
}

// Carrier rings and texts; *carrier.Client does. The kinds of its errors are told there.
type Carrier interface {
	Ring(ctx context.Context, r recaller.PhoneRing) (id string, err error)
	Text(ctx context.Context, t recaller.PhoneText) (id string, err error)
	// Calls and Sent return what a number was asked to bring another since a time; Call returns how a call stands.
	Calls(ctx context.Context, from, to string, since time.Time) ([]recaller.PhoneCall, error)
	Sent(ctx context.Context, from, to string, since time.Time) ([]recaller.PhoneCall, error)
	Call(ctx context.Context, id string) (recaller.PhoneCall, error)
}

// Chats keep what is texted, in the conversation in which an answer will be.
type Chats interface {
	// Tell keeps a text of the tenant's to a caller's number. The same id twice is one turn.
	Tell(
		ctx context.Context, tenant recaller.TenantID, ours, theirs, id, text string,
	) (recaller.ConversationID, error)
	// OptedOut reports whether a number told one of ours to stop.
	OptedOut(ctx context.Context, tenant recaller.TenantID, ours, theirs string) (bool, error)
}

// Deps are what a Service needs; all are required but Carrier.
type Deps struct {
	Store   Store
	Tenants Tenants
	Carrier Carrier // nil: nobody can be reached
	Chats   Chats
	// Heard returns what the caller said in a conversation; none if that is not kept.
	Heard func(ctx context.Context, tenant recaller.TenantID, conv recaller.ConversationID) ([]string, error)
	// Say keeps what was said in a conversation, by the tenant's side.
	Say      func(ctx context.Context, tenant recaller.TenantID, conv recaller.ConversationID, text string) error
	Enqueued func() // a job waits
	// Voice and Ended are the addresses that a carrier asks what to do with a call, and tells how it ended, without a query.
	Voice, Ended string
	// Texted is the address that a carrier tells what becomes of a text.
	Texted  string
	Log     *slog.Logger
	Metrics *Metrics
	Now     func() time.Time
}

// Service carries out the use cases. Safe for concurrent use.
type Service struct {
	Deps
	marking sync.Mutex // held over I/O: whoever counts the telephones that ring marks one more, before the next one counts
}

// New returns a Service.
func New(deps Deps) *Service { return &Service{Deps: deps} }

// Begin begins the errand of a reminder that comes due, if its caller is to be reached and it has not begun. It returns
// the reminder as it now is; one without an errand is told to webhooks only.
func (s *Service) Begin(
	ctx context.Context, tenant recaller.Tenant, r recaller.Reminder,
) (recaller.Reminder, error) {
	if begun(r) {
		return r, nil
	}
	means := steps.MeansOf(tenant, r)
	if means == recaller.MeansNone || s.Carrier == nil {
		return r, nil
	}
	told := !tenant.Webhook.Wants(recaller.EventReminderDue)
	if !told { // who has no number is the webhook's alone
		c, err := s.Store.Caller(ctx, tenant.ID, r.Caller)
		if err != nil || c.Phone() == "" {
			return r, err
		}
	}
	due := r.DueAt
	r, err := s.Store.ChangeErrand(ctx, tenant.ID, r.ID, s.Now(), func(r recaller.Reminder, _ besideFunc) (outcome, error) {
		if begun(r) || !r.DueAt.Equal(due) {
			return nil, nil
		}
		return &recaller.ErrandWrite{Errand: steps.Begin(r, means, told, s.Now())}, nil
	})
	if err == nil {
		s.Enqueued()
	}
	return r, err
}

type (
	besideFunc = func(now time.Time) (recaller.Errands, error)
	outcome    = *recaller.ErrandWrite
)

// begun reports whether the errand of the time that a reminder waits for has begun.
func begun(r recaller.Reminder) bool { return r.Errand != nil && r.Errand.Due.Equal(r.DueAt) }

// Told notes that the webhook was told of a reminder that has an errand, or never will be. The reminder ends if its caller
// was reached meanwhile, or could not be.
func (s *Service) Told(ctx context.Context, tenant recaller.TenantID, r recaller.Reminder) error {
	_, err := s.change(ctx, tenant, r, func(e recaller.Errand) (recaller.Errand, bool) {
		again := !e.Told
		e.Told = true
		return e, again
	})
	return err
}

// change writes what becomes of an errand, unless it is of another time, or over and told. make returns false to leave it
// as it is. A reminder that is closed by then is left as it is, too.
func (s *Service) change(
	ctx context.Context, tenant recaller.TenantID, r recaller.Reminder, make func(recaller.Errand) (recaller.Errand, bool),
) (recaller.Reminder, error) {
	due := r.DueAt
	now := s.Now()
	changed := false
	out, err := s.Store.ChangeErrand(ctx, tenant, r.ID, now, func(r recaller.Reminder, _ besideFunc) (outcome, error) {
		changed = false
		if !begun(r) || !r.DueAt.Equal(due) {
			return nil, nil
		}
		e, change := make(*r.Errand)
		if !change {
			return nil, nil
		}
		changed = true
		return s.write(r, e, now), nil
	})
	if gone(err) {
		return r, nil
	}
	if err == nil && changed {
		s.wrote(tenant, out)
	}
	return out, err
}

// write is what is to be written of an errand. When it is over, and all are told, so is this time of its reminder.
func (s *Service) write(r recaller.Reminder, e recaller.Errand, now time.Time) *recaller.ErrandWrite {
	w := &recaller.ErrandWrite{Errand: e, Close: steps.Closed(e)}
	if w.Close == "" {
		if at := overtakes(r); e.State == recaller.ErrandWaiting && !at.IsZero() && at.Before(e.Next) {
			w.Errand.Next = at
		}
		return w
	}
	from := now
	if e.Reason == recaller.ErrandOvertaken { // by a time that has just come: it is not skipped
		from = now.Add(-overtaken)
	}
	if r.DueAt.After(from) {
		from = r.DueAt
	}
	next, more, err := repeat.Next(r.Rule, from)
	switch {
	case err != nil: // it does not end as was meant, though this time may have come about
		w.Close, w.Reason = recaller.ReminderDead, unreadable
	case more:
		w.Next = next
	}
	return w
}

// unreadable is why a reminder repeats no more (recaller.Reminder.Reason).
const unreadable = "unreadable rule"

// overtakes is when the next time of a reminder that repeats comes; zero: it does not.
func overtakes(r recaller.Reminder) time.Time {
	next, more, err := repeat.Next(r.Rule, r.DueAt)
	if err != nil || !more {
		return time.Time{}
	}
	return next
}

// overtaken is how long ago the time may have come that overtakes another.
const overtaken = 5 * time.Minute

// wrote counts and logs where an errand stands, and wakes who goes on with it.
func (s *Service) wrote(tenant recaller.TenantID, r recaller.Reminder) {
	e := r.Errand
	s.Metrics.count(e.State)
	if e.State.Over() {
		s.Log.Info("an errand is over", "tenant", string(tenant), "reminder", string(r.ID), "state", string(e.State),
			"reason", e.Reason, "rings", e.Rings, "by", string(e.By))
	}
	s.Enqueued()
}

// gone reports whether an error means that the reminder is gone or closed.
func gone(err error) bool {
	return errors.Is(err, recaller.NotFound) || errors.Is(err, recaller.Conflict)
}

// matter is what there is to tell about a reminder, and to whom.
type matter struct {
	wording.Matter
	number  string // the caller's; empty: he has none
	zone    *time.Location
	private bool // it is told to nobody of whom it is not known who he is
}

// about reads what a reminder is of. NotFound: there is nothing to remind of any more.
func (s *Service) about(ctx context.Context, t recaller.Tenant, r recaller.Reminder) (m matter, err error) {
	mem, err := s.Store.MemoryByID(ctx, t.ID, r.Memory)
	if err != nil {
		return m, err
	}
	if mem.Status == recaller.MemoryForgotten {
		return m, recaller.Errorf(recaller.NotFound, "the memory was forgotten")
	}
	c, err := s.Store.Caller(ctx, t.ID, r.Caller)
	if err != nil {
		return m, err
	}
	if m.private, err = s.private(ctx, t, r, mem); err != nil {
		return m, err
	}
	m.number, m.zone = numberOf(c, r), identity.ZoneOf(c, t)
	m.Tenant, m.Words = t, r.Text
	if t.Rights(recaller.TrustClaimed).Tells(recaller.TellName) {
		m.Name = c.Name
	}
	if m.Words == "" {
		m.Words = mem.Value
	}
	m.Due, m.Now = r.DueAt.In(m.zone), s.Now().In(m.zone)
	for _, conv := range []recaller.ConversationID{r.Conversation, mem.Provenance.Conversation} {
		if conv == "" || len(m.Heard) > 0 {
			continue
		}
		if m.Heard, err = s.Heard(ctx, t.ID, conv); err != nil {
			s.Log.WarnContext(ctx, "it is not known what a caller speaks", "tenant", string(t.ID), "err", err)
		}
	}
	return m, nil
}

// numberOf is the number by which a caller is reached about a reminder: the one that was tried already, as long as it is his,
// since who has several may have got them by a merge.
func numberOf(c recaller.Caller, r recaller.Reminder) string {
	if begun(r) && slices.Contains(c.Phones(), r.Errand.To) {
		return r.Errand.To
	}
	return c.Phone()
}

// Ref says which ring of which reminder a call is.
type Ref struct {
	Reminder recaller.ReminderID
	Due      time.Time
	Ring     int
}

// The parameters of our addresses by which a carrier says which ring a call is.
const (
	reminderParameter = "reminder"
	dueParameter      = "due"
	ringParameter     = "ring"
)

// query is a Ref as it stands in an address.
func (f Ref) query() string {
	return url.Values{
		reminderParameter: {string(f.Reminder)}, dueParameter: {strconv.FormatInt(f.Due.UnixMicro(), 10)},
		ringParameter: {strconv.Itoa(f.Ring)},
	}.Encode()
}

// ReadRef reads a Ref from the query of an address; false: it has none.
func ReadRef(query url.Values) (f Ref, ok bool) {
	due, bad := strconv.ParseInt(query.Get(dueParameter), 10, 64)
	ring, bad2 := strconv.Atoi(query.Get(ringParameter))
	f = Ref{recaller.ReminderID(query.Get(reminderParameter)), time.UnixMicro(due).UTC(), ring}
	return f, f.Reminder != "" && len(f.Reminder) < 100 && bad == nil && bad2 == nil
}

// private reports whether what to remind of is told only to whoever is known to be the caller: of whoever picks up, or
// reads a text, nothing is known but the number. Words of its own may say what another memory keeps private, or what was
// forgotten.
func (s *Service) private(
	ctx context.Context, t recaller.Tenant, r recaller.Reminder, m recaller.Memory,
) (bool, error) {
	if m.PrivacyScope == recaller.Private || !t.Rights(recaller.TrustClaimed).Tells(recaller.TellAllButPrivate) {
		return true, nil
	}
	if r.Text == "" {
		return false, nil
	}
	hidden, err := s.Store.Private(ctx, t.ID, r.Caller)
	if err != nil {
		return true, err
	}
	gone, err := s.Store.Forgotten(ctx, t.ID, r.Caller)
	if err != nil {
		return true, err
	}
	m.Value = r.Text
	return forgotten.New(gone).Retold(m) || forgotten.New(forgotten.AsIf(hidden)).Retold(m), nil
}
