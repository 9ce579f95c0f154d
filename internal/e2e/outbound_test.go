package e2e

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/carrier/carriertest"
	"github.com/recallerhq/recaller/internal/telephony/telephonytest"
)

// ringer is a server that can ring, by a fake Twilio which outlives it and counts.
type ringer struct {
	*testing.T
	s      *server
	twilio *carriertest.Carrier
	who    string // whom it rings
	number string
}

// agents is the tenant's number.
const agents = "+15550002222"

func ringing(t *testing.T, on backing) *ringer {
	t.Helper()
	r := &ringer{T: t, twilio: carriertest.New(t), number: number()}
	r.s = serveIn(t, on, "RECALLER_PUBLIC_URL="+telephonytest.Public, "TWILIO_AUTH_TOKEN="+telephonytest.Token,
		"TWILIO_ACCOUNT_SID="+carriertest.Account, "RECALLER_TWILIO_URL="+r.twilio.URL)
	by, from, midnight, numbers := recaller.MeansRing, agents, "00:00", []string{agents}
	_, err := r.s.admin.UpdateTenant(t.Context(), client.TenantPatch{TenantSettings: client.TenantSettings{
		Numbers: &numbers, Outbound: &client.OutboundPatch{Reminders: &by, From: &from, QuietFrom: &midnight, QuietTo: &midnight},
	}})
	if err != nil {
		t.Fatal(err)
	}
	p := phone{t, r.s.admin}
	call := p.ring(r.number)
	p.hangUp(call.Conversation.ID)
	r.who = call.Caller.ID
	return r
}

func (r *ringer) remind(key string, in time.Duration) string {
	r.Helper()
	set, err := r.s.admin.RemindCaller(r.Context(), r.who, client.CallerReminderInput{Key: key, Value: "Take the blue pills, " + key, DueAt: time.Now().Add(in)})
	if err != nil {
		r.Fatal(err)
	}
	return set.ID
}

// rung waits for the n-th ring.
func (r *ringer) rung(n int) carriertest.Ring {
	r.Helper()
	r.twilio.Wait(r.T, "a ring", func() bool { return len(r.twilio.Rings()) >= n })
	return r.twilio.Rings()[n-1]
}

// tells posts a webhook about a ring, as Twilio does.
func (r *ringer) tells(ring carriertest.Ring, address, status string) telephonytest.Answer {
	r.Helper()
	u, err := url.Parse(ring.Form.Get(address))
	if err != nil {
		r.Fatal(err)
	}
	form := telephonytest.Over(ring.ID, agents, r.number, status, time.Minute)
	form.Set("Direction", "outbound-api")
	form.Set("AnsweredBy", "human")
	return telephonytest.Platform{Server: r.s.url}.Post(r.T, u.RequestURI(), form)
}

func (r *ringer) talk(ring carriertest.Ring, key string) {
	r.Helper()
	a := r.tells(ring, "Url", "in-progress")
	if say := a.XML.Find("Say").Text; !strings.Contains(say, "Take the blue pills, "+key) {
		r.Errorf("%s: got %d %s", key, a.Status, a.Body)
	}
	r.tells(ring, "StatusCallback", "completed")
}

func (r *ringer) stands(id string) string {
	r.Helper()
	list, err := r.s.admin.CallerReminders(r.Context(), r.who, client.ReminderFilter{})
	if err != nil {
		r.Fatal(err)
	}
	for _, one := range list.Reminders {
		if one.ID == id && one.Errand != nil {
			return string(one.Status) + " " + string(one.Errand.State)
		}
	}
	return "nothing"
}

// A telephone rings once, whenever the server is killed around it: before it is due, while Twilio is asked and nobody knows
// whether it rings, while it rings, and while they talk. Nothing is lost.
func TestARingSurvivesKillNine(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		r := ringing(t, on)
		id := r.remind("before", time.Second)
		r.s.kill()
		for at := time.Now().Add(1200 * time.Millisecond); time.Until(at) > 0; {
			<-time.After(time.Until(at)) // it comes due while nobody is there
		}
		r.s.start()
		r.talk(r.rung(1), "before")
		eventually(t, "it rang after all", func() bool { return r.stands(id) == "delivered reached" })

		r.twilio.BreakOff() // Twilio carries it out, and its answer is lost
		id = r.remind("asked", time.Second)
		ring := r.rung(2)
		r.s.kill()
		r.s.start()
		if got := r.stands(id); got != "pending dialling" {
			t.Errorf("killed while Twilio was asked: it is %s", got)
		}
		r.talk(ring, "asked")
		eventually(t, "it is known", func() bool { return r.stands(id) == "delivered reached" })

		id = r.remind("ringing", time.Second)
		ring = r.rung(3)
		eventually(t, "it rings", func() bool { return r.stands(id) == "pending ringing" })
		r.s.restart()
		r.talk(ring, "ringing")
		eventually(t, "who picked up is told", func() bool { return r.stands(id) == "delivered reached" })

		id = r.remind("talking", time.Second)
		ring = r.rung(4)
		r.tells(ring, "Url", "in-progress")
		r.s.restart()
		if got := r.stands(id); got != "pending talking" {
			t.Errorf("killed while they talked: it is %s", got)
		}
		r.tells(ring, "StatusCallback", "completed")
		eventually(t, "they talked", func() bool { return r.stands(id) == "delivered reached" })
		r.s.restart()
		phone{t, r.s.admin}.ring(number()) // it serves, and its jobs have had their chance
		if n := len(r.twilio.Rings()); n != 4 {
			t.Errorf("it rang %d times, want once for each", n)
		}
	})
}

// One of two servers on a Postgres serves, the other is not let in until it is gone. Whoever of them took a reminder and was
// killed before it was due, while Twilio was asked, or while the telephone rang, the other one carries on: it rings once for
// each.
func TestTheStandbyCarriesOnWithARing(t *testing.T) {
	t.Parallel()
	r := ringing(t, onPostgres)
	one, other := r.s, r.s.standby()
	over := func() {
		t.Helper()
		other.takesOver(one, func() {})
		one, other, r.s = other, one, other
	}

	r.twilio.BreakOff() // Twilio carries it out, and its answer is lost
	asked := r.remind("asked", time.Second)
	ring := r.rung(1)
	over()
	if got := r.stands(asked); got != "pending dialling" {
		t.Errorf("killed while Twilio was asked: it is %s", got)
	}
	r.talk(ring, "asked")
	eventually(t, "it is known", func() bool { return r.stands(asked) == "delivered reached" })

	rang := r.remind("rang", time.Second)
	ring = r.rung(2)
	eventually(t, "it rings", func() bool { return r.stands(rang) == "pending ringing" })
	over()
	r.talk(ring, "rang")
	eventually(t, "who picked up is told", func() bool { return r.stands(rang) == "delivered reached" })

	waits := r.remind("waits", time.Second)
	over() // before it is due, or just after
	r.talk(r.rung(3), "waits")
	eventually(t, "the one that waited", func() bool { return r.stands(waits) == "delivered reached" })
	over()
	phone{t, r.s.admin}.ring(number()) // it serves, and its jobs have had their chance
	if n := len(r.twilio.Rings()); n != 3 {
		t.Errorf("it rang %d times, want once for each", n)
	}
}
