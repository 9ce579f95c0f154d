// Package steps says what becomes of an errand: when a telephone is rung, when a text goes out, when it waits and what
// for, and when it is over.
//
// It is pure: it is told the time, and what is known. It does not ring (carrier), nor write (store), and it knows no
// words (wording).
package steps

import (
	"cmp"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/errand/quiet"
	"github.com/recallerhq/recaller/internal/identity"
)

// Act is what is to be done next.
type Act string

// The acts.
const (
	Ring Act = "ring"
	Text Act = "text"
	Wait Act = "wait" // until Plan.At
	Fail Act = "fail"
)

// Plan is what is to be done next, and why it is no more than that.
type Plan struct {
	Act    Act
	At     time.Time // of Wait
	Reason string    // of Wait and Fail
}

// Bounds of what is tried.
const (
	Patience  = 24 * time.Hour   // from the beginning of an errand until it is given up, but for quiet hours
	Crowded   = 20 * time.Second // until it is looked again whether fewer telephones ring
	InCall    = 2 * time.Minute  // until it is looked again whether the caller still talks to the agent
	Away      = time.Minute      // until a carrier that was away is tried again; then longer
	MostAway  = 15 * time.Minute
	MostOfDay = 10 // rings of one caller's in a day
	// Ringing is how long a telephone rings.
	Ringing = 30 * time.Second
	// Doubt is when it is asked at the carrier whether a ring came about that nothing was heard of, and Sure is when one
	// that the carrier knows nothing of never did.
	Doubt = 30 * time.Second
	Sure  = 2 * time.Minute
	// Silence is after how long a call that nothing more was heard of is asked about, and Longest is after how long it is
	// over, whatever the carrier says.
	Silence = 5 * time.Minute
	Longest = 4 * time.Hour
)

// MeansOf is how the caller of a reminder is reached: as the reminder has it, where its tenant reaches callers at all.
func MeansOf(t recaller.Tenant, r recaller.Reminder) recaller.Means {
	if t.Outbound.From == "" || r.Means == "" {
		return t.Outbound.Reminders
	}
	return r.Means
}

// Begin is a new errand. told says that no webhook wants to know.
func Begin(r recaller.Reminder, means recaller.Means, told bool, now time.Time) recaller.Errand {
	return recaller.Errand{
		Due: r.DueAt, Means: means, State: recaller.ErrandWaiting, Begun: now, Since: now, Next: now, Told: told,
	}
}

// Moment is all that is known when an errand waits and is looked at.
type Moment struct {
	Errand   recaller.Errand
	Tenant   recaller.Tenant // with its defaults
	Means    recaller.Means  // as MeansOf has it now
	Number   string          // the caller's, in E.164 form; empty: he has none
	Zone     *time.Location
	OptedOut bool
	// Overtaken is when the next time of a reminder that repeats comes; zero: it does not.
	Overtaken time.Time
	Now       time.Time
}

// Next says what is to be done with an errand that waits.
func Next(m Moment) Plan {
	if p, fails := hopeless(m); fails {
		return p
	}
	hours, err := quiet.Read(m.Tenant.Outbound.QuietFrom, m.Tenant.Outbound.QuietTo)
	if end, still := hours.Until(m.Now, m.Zone); err == nil && still {
		return Plan{Act: Wait, At: end, Reason: recaller.ErrandQuiet}
	}
	if m.Now.Sub(m.Errand.Begun) > Patience {
		return Plan{Act: Fail, Reason: cmp.Or(settled(m.Errand.Reason), recaller.ErrandLate)}
	}
	switch means := m.Errand.Means; {
	case means.Rings() && m.Errand.Rings < m.Tenant.Outbound.Tries:
		return Plan{Act: Ring}
	case !means.Texts():
		return Plan{Act: Fail, Reason: cmp.Or(settled(m.Errand.Reason), recaller.ErrandNoAnswer)}
	case m.OptedOut:
		return Plan{Act: Fail, Reason: recaller.ErrandOptedOut}
	}
	return Plan{Act: Text}
}

// hopeless finds what stands against reaching a caller at all.
func hopeless(m Moment) (Plan, bool) {
	reason := ""
	switch {
	case !m.Overtaken.IsZero() && !m.Now.Before(m.Overtaken):
		reason = recaller.ErrandOvertaken
	case m.Means == recaller.MeansNone || m.Tenant.Outbound.From == "":
		reason = recaller.ErrandTurnedOff
	case m.Number == "":
		reason = recaller.ErrandNoNumber
	case !Allowed(m.Tenant, m.Number):
		reason = recaller.ErrandCountry
	}
	return Plan{Act: Fail, Reason: reason}, reason != ""
}

// Allowed reports whether a tenant reaches a number: one of its countries', and a person's. Who may call the tenant can
// show any number, and have it rung at the tenant's expense; so nothing else is dialled.
func Allowed(t recaller.Tenant, number string) bool {
	countries := t.Outbound.Countries
	if len(countries) == 0 {
		countries = []string{t.DefaultRegion}
	}
	region := identity.Region(number)
	return region != "" && slices.Contains(countries, region) && identity.Personal(number) &&
		!slices.Contains(t.Numbers, number)
}

// settled leaves out the reasons that say what an errand waits for: they are none for which it fails.
func settled(reason string) string {
	switch reason {
	case recaller.ErrandQuiet, recaller.ErrandInCall, recaller.ErrandCrowded, recaller.ErrandCarrier:
		return ""
	}
	return reason
}

// Dial marks, before the carrier is asked for it, that a telephone is rung; or says what the errand waits for.
func Dial(e recaller.Errand, t recaller.Tenant, number string, beside recaller.Errands, now time.Time) (recaller.Errand, Plan) {
	switch {
	case beside.Talking:
		return e, Plan{Act: Wait, At: now.Add(InCall), Reason: recaller.ErrandInCall}
	case beside.OfDay >= MostOfDay:
		return e, Plan{Act: Fail, Reason: recaller.ErrandOften}
	case beside.Busy >= t.Outbound.AtOnce:
		return e, Plan{Act: Wait, At: now.Add(Crowded), Reason: recaller.ErrandCrowded}
	}
	e.Rings++
	e.RungAt = now
	return asked(e, recaller.ErrandDialling, t, number, now), Plan{Act: Ring}
}

// Write marks, before the carrier is asked for it, that a text goes out.
func Write(e recaller.Errand, t recaller.Tenant, number string, now time.Time) recaller.Errand {
	return asked(e, recaller.ErrandTexting, t, number, now)
}

func asked(e recaller.Errand, state recaller.ErrandState, t recaller.Tenant, number string, now time.Time) recaller.Errand {
	e.State, e.Since, e.Next = state, now, now.Add(Doubt)
	e.To, e.From, e.Call, e.Reason = number, t.Outbound.From, "", ""
	return e
}

// Waits has an errand wait. A ring that never came about is not counted.
func Waits(e recaller.Errand, until time.Time, reason string, now time.Time) recaller.Errand {
	if e.State == recaller.ErrandDialling {
		e.Rings--
	}
	if e.State != recaller.ErrandWaiting || settled(e.Reason) == "" { // of a ring in vain it is known why
		e.Reason = reason
	}
	e.State, e.Since, e.Next, e.Call = recaller.ErrandWaiting, now, until, ""
	return e
}

// Retreats has an errand wait because the carrier could not be asked: longer, the longer it has been under way.
func Retreats(e recaller.Errand, now time.Time) recaller.Errand {
	pause := min(max(Away, now.Sub(e.Begun)/4), MostAway)
	return Waits(e, now.Add(pause), recaller.ErrandCarrier, now)
}

// Rung notes the call that came about.
func Rung(e recaller.Errand, call string, now time.Time) recaller.Errand {
	e.State, e.Since, e.Next, e.Call = recaller.ErrandRinging, now, now.Add(Silence), call
	return e
}

// Answered notes that somebody picked up.
func Answered(e recaller.Errand, call string, now time.Time) recaller.Errand {
	e.State, e.Since, e.Next, e.Call, e.Reason = recaller.ErrandTalking, now, now.Add(Silence), call, ""
	return e
}

// Reached ends an errand: the caller was told.
func Reached(e recaller.Errand, by recaller.Means, now time.Time) recaller.Errand {
	e.State, e.Since, e.Next, e.By, e.Reason = recaller.ErrandReached, now, time.Time{}, by, ""
	return e
}

// Failed ends an errand: the caller could not be reached.
func Failed(e recaller.Errand, reason string, now time.Time) recaller.Errand {
	e.State, e.Since, e.Next, e.Reason = recaller.ErrandFailed, now, time.Time{}, reason
	return e
}

// InVain says what becomes of an errand whose ring reached nobody.
func InVain(e recaller.Errand, t recaller.Tenant, reason string, now time.Time) recaller.Errand {
	switch reason {
	case recaller.ErrandMessage, recaller.ErrandRefused: // to ring again would be of no use, or too much
		e.Rings = max(e.Rings, t.Outbound.Tries)
	}
	e.State, e.Since, e.Reason, e.Call = recaller.ErrandWaiting, now, reason, ""
	switch {
	case e.Rings < t.Outbound.Tries:
		e.Next = now.Add(t.Outbound.Pause)
	case e.Means.Texts():
		e.Next = now
	default:
		return Failed(e, reason, now)
	}
	return e
}

// Ended says what becomes of an errand whose call the carrier says is over, in the carrier's word. A call that is
// completed, and of which nobody asked us what to do with it, told nobody anything.
func Ended(e recaller.Errand, t recaller.Tenant, status string, now time.Time) recaller.Errand {
	switch status {
	case "completed":
		if e.State == recaller.ErrandTalking && e.Reason == "" {
			return Reached(e, recaller.MeansRing, now)
		}
		return InVain(e, t, cmp.Or(settled(e.Reason), recaller.ErrandUnconnected), now)
	case "busy":
		return InVain(e, t, recaller.ErrandBusy, now)
	case "no-answer":
		return InVain(e, t, recaller.ErrandNoAnswer, now)
	}
	return InVain(e, t, recaller.ErrandCallFailed, now)
}

// Closed is what becomes of the reminder of an errand that is over; empty: it is not, or the webhook is still to be told.
func Closed(e recaller.Errand) recaller.ReminderStatus {
	switch {
	case !e.Told || !e.State.Over():
		return ""
	case e.State == recaller.ErrandReached:
		return recaller.ReminderDelivered
	}
	return recaller.ReminderDead
}
