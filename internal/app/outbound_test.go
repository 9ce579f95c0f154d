package app

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/carrier/carriertest"
	"github.com/recallerhq/recaller/internal/telephony"
	"github.com/recallerhq/recaller/internal/telephony/telephonytest"
)

// dialling is a Recaller that can ring and text, by a fake Twilio.
type dialling struct {
	*exchange
	twilio *carriertest.Carrier
}

func diallingOut(t *testing.T, env ...string) *dialling {
	t.Helper()
	twilio := carriertest.New(t)
	e := connected(t, append([]string{"TWILIO_ACCOUNT_SID=" + carriertest.Account, "RECALLER_TWILIO_URL=" + twilio.URL}, env...)...)
	twilio.Clock(e.clock.Now)
	region, zone := "US", "UTC"
	e.set(client.TenantSettings{DefaultRegion: &region, TimeZone: &zone, Profile: &client.ProfilePatch{Business: ptr("Lakeside Dental")}})
	return &dialling{e, twilio}
}

func ptr[T any](v T) *T { return &v }

// reach has callers reached by some means, at any hour.
func (d *dialling) reach(by recaller.Means, change ...func(*client.OutboundPatch)) {
	d.t.Helper()
	p := client.OutboundPatch{Reminders: &by, From: ptr(lakeside), QuietFrom: ptr("00:00"), QuietTo: ptr("00:00")}
	for _, c := range change {
		c(&p)
	}
	d.set(client.TenantSettings{Outbound: &p})
}

// met has Marta call, and hang up. It returns who she is.
func (d *dialling) met() string {
	d.t.Helper()
	d.rings("CA-in", marta, lakeside, "Say Hangup")
	d.ends("CA-in", marta, lakeside, "completed", 40*time.Second)
	return d.all(d.Client)[0].CallerID
}

// reminds sets a reminder of Marta's, and lets it come due.
func (d *dialling) reminds(who, key, value string) client.Reminder {
	d.t.Helper()
	r, err := d.RemindCaller(d.t.Context(), who, client.CallerReminderInput{Key: key, Value: value, DueAt: d.clock.Now().Add(time.Minute)})
	if err != nil {
		d.t.Fatal(err)
	}
	d.clock.turn(time.Minute + time.Second)
	d.app.enqueued()
	return r
}

// rung waits until the carrier was asked for so many rings, and returns the last one.
func (d *dialling) rung(n int) carriertest.Ring {
	d.t.Helper()
	d.twilio.Wait(d.t, "a ring", func() bool { return len(d.twilio.Rings()) >= n })
	return d.twilio.Rings()[n-1]
}

// picksUp has somebody pick up, as Twilio tells it.
func (d *dialling) picksUp(r carriertest.Ring, by, verbs string) telephonytest.Answer {
	d.t.Helper()
	form := telephonytest.Ringing(r.ID, r.Form.Get("From"), r.Form.Get("To"))
	form.Set("Direction", "outbound-api")
	form.Set("CallStatus", "in-progress")
	if by != "" {
		form.Set("AnsweredBy", by)
	}
	return d.wants(d.Post(d.t, target(d.t, r.Form.Get("Url")), form), verbs)
}

func (d *dialling) hangsUp(r carriertest.Ring, status string) {
	d.t.Helper()
	form := telephonytest.Over(r.ID, r.Form.Get("From"), r.Form.Get("To"), status, 30*time.Second)
	form.Set("Direction", "outbound-api")
	d.wants(d.Post(d.t, target(d.t, r.Form.Get("StatusCallback")), form), "")
}

// target is an address of ours without its host.
func target(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil || !strings.HasPrefix(address, telephonytest.Public) {
		t.Fatalf("%s, %v", address, err)
	}
	return u.RequestURI()
}

func (d *dialling) stands(who, id string) client.Reminder {
	d.t.Helper()
	list, err := d.CallerReminders(d.t.Context(), who, client.ReminderFilter{})
	if err != nil {
		d.t.Fatal(err)
	}
	for _, r := range list.Reminders {
		if r.ID == id {
			return r
		}
	}
	d.t.Fatalf("no reminder %s", id)
	return client.Reminder{}
}

// A reminder comes due: her telephone rings, she is told, and it is a conversation of hers: outbound, a reminder call, with
// what was said in it.
func TestAReminderRingsAndIsSpoken(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		d := diallingOut(t, env...)
		who := d.met()
		d.reach(recaller.MeansRing)
		r := d.reminds(who, "pills", "Take the blue pills")
		ring := d.rung(1)
		if ring.Form.Get("To") != marta || ring.Form.Get("From") != lakeside {
			t.Errorf("got %v", ring.Form)
		}
		got := d.picksUp(ring, "human", "Say Hangup")
		const said = "Hello, this is Lakeside Dental. Reminder: Take the blue pills. Goodbye."
		if say := got.XML.Find("Say"); say.Text != said || say.Attr("language") != "en-US" {
			t.Errorf("got %s", got.Body)
		}
		if again := d.picksUp(ring, "human", "Say Hangup"); again.XML.Find("Say").Text != said {
			t.Errorf("the same webhook again: %s", again.Body)
		}
		d.hangsUp(ring, "completed")
		s := d.stands(who, r.ID)
		if s.Status != recaller.ReminderDelivered || s.Errand == nil || s.Errand.State != recaller.ErrandReached || s.Errand.By != recaller.MeansRing || s.Errand.Conversation == "" {
			t.Fatalf("got %+v, %+v", s, s.Errand)
		}
		conv, err := d.Conversation(t.Context(), s.Errand.Conversation)
		if err != nil || conv.Conversation.Direction != recaller.Outbound || !conv.Conversation.Reminder || conv.Conversation.CallerID != who || conv.Conversation.Status != recaller.Completed || len(conv.Turns) != 1 || conv.Turns[0].Text != said {
			t.Errorf("got %+v, %v", conv, err)
		}
		if list := d.all(d.Client); len(list) != 2 {
			t.Errorf("%d conversations, want hers and ours", len(list))
		}
	})
}

// An agent of the tenant's own is told how a caller is reached, too: before, and after a ring in vain.
func TestTheToolsTellHowACallerIsReached(t *testing.T) {
	t.Parallel()
	d := diallingOut(t)
	d.met()
	d.reach(recaller.MeansRing)
	in := client.ToolContext{CallSessionID: "CA-in", LineID: marta, AccountID: "default"}
	waits := func() string {
		t.Helper()
		got, err := d.ListRemindersTool(t.Context(), client.ListRemindersCall{ToolContext: in})
		if err != nil || len(got.Reminders) != 1 {
			t.Fatalf("got %+v, %v", got, err)
		}
		return got.Reminders[0].Reaching
	}
	set, err := d.SetReminderTool(t.Context(), client.SetReminderCall{ToolContext: in, Value: "Take the blue pills", DueAt: "in two minutes"})
	if err != nil || set.Reaching != "the caller will be rung" || waits() != set.Reaching {
		t.Fatalf("got %+v, %v, then %s", set, err, waits())
	}
	d.reach(recaller.MeansRing, func(p *client.OutboundPatch) { p.Countries = &[]string{"DE"} })
	if got := waits(); got != "" {
		t.Errorf("of a number that is not rung: got %s", got)
	}
	d.reach(recaller.MeansRing, func(p *client.OutboundPatch) { p.Countries = &[]string{"US"} })
	d.clock.turn(3 * time.Minute)
	d.app.enqueued()
	d.hangsUp(d.rung(1), "busy")
	if got := waits(); !strings.HasPrefix(got, "rung once in vain (busy), goes on t") { // oday, or tomorrow
		t.Errorf("got %s", got)
	}
}

// Nobody is there: it is rung again, then texted; her answer comes into the same conversation, whose briefing says what it
// may be about. STOP ends it.
func TestATextAndItsAnswer(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		d := diallingOut(t, env...)
		who := d.met()
		d.reach(recaller.MeansRingThenText, func(p *client.OutboundPatch) { p.Tries = ptr(1) })
		r := d.reminds(who, "pills", "Take the blue pills")
		ring := d.rung(1)
		d.hangsUp(ring, "no-answer")
		texts := d.twilio.WaitTexts(t, 1)
		if texts[0].To != marta || !strings.HasSuffix(texts[0].StatusTo, telephony.TextStatusPath) || texts[0].Words != "Reminder from Lakeside Dental: Take the blue pills. Reply STOP for no more texts." {
			t.Errorf("got %+v", texts[0])
		}
		d.eventually("delivered", func() bool { return d.stands(who, r.ID).Status == recaller.ReminderDelivered })
		conv := d.stands(who, r.ID).Errand.Conversation
		form := url.Values{"MessageSid": {"SM1"}, "AccountSid": {carriertest.Account}, "From": {marta}, "To": {lakeside}, "Body": {"Done, thank you"}, "NumMedia": {"0"}}
		d.Post(t, telephony.TextPath, form)
		got, err := d.Conversation(t.Context(), conv)
		if err != nil || len(got.Turns) != 2 || got.Turns[0].Speaker != recaller.Assistant || got.Turns[1].Text != "Done, thank you" || got.Conversation.Channel != recaller.ChannelSMS {
			t.Fatalf("got %+v, %v", got, err)
		}
		b, err := d.ConversationBriefing(t.Context(), conv, client.BriefingQuery{})
		if err != nil || !strings.Contains(b.Text, "You texted them about a reminder") || !strings.Contains(b.Text, "Remind them of: Take the blue pills") {
			t.Errorf("got %v, %s", err, b.Text)
		}
		form.Set("MessageSid", "SM2")
		form.Set("Body", "STOP")
		d.Post(t, telephony.TextPath, form)
		d.reach(recaller.MeansText)
		r = d.reminds(who, "bins", "Put the bins out")
		d.eventually("not texted", func() bool { return d.stands(who, r.ID).Status == recaller.ReminderDead })
		if s := d.stands(who, r.ID); s.Reason != "opted out" || s.Errand.State != recaller.ErrandFailed {
			t.Errorf("got %+v, %+v", s, s.Errand)
		}
	})
}

// Two callers turn out to be one: her errand, which was tried in vain, and her reminder go along; it rings where it rang,
// once, and is his. What was not over by then comes back when the merge is undone, with its time.
func TestAnErrandGoesWithWhomItIsOf(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		d := diallingOut(t, env...)
		number, other := marta, "+15550000044"
		d.rings("CA-other", other, lakeside, "Say Hangup")
		d.ends("CA-other", other, lakeside, "completed", 40*time.Second)
		to := d.all(d.Client)[0].CallerID
		who := d.met()
		try, err := d.MergeCallers(t.Context(), to, client.CallerMerge{From: who})
		if err == nil {
			_, err = d.UndoMove(t.Context(), try.Move.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
		if try.Caller.Phone == number { // so that it is not the first one of both
			number, who, to = other, to, who
		}
		d.reach(recaller.MeansRing)
		pills := d.reminds(who, "pills", "Take the blue pills")
		d.hangsUp(d.rung(1), "busy")
		bins, err := d.RemindCaller(t.Context(), who, client.CallerReminderInput{Key: "bins", Value: "Put the bins out", DueAt: d.clock.Now().Add(time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		moved, err := d.MergeCallers(t.Context(), to, client.CallerMerge{From: who})
		if err != nil {
			t.Fatal(err)
		}
		if s := d.stands(to, pills.ID); s.Status != recaller.ReminderPending || s.Errand.State != recaller.ErrandWaiting || s.Errand.Reason != "busy" || d.stands(to, bins.ID).Status != recaller.ReminderPending {
			t.Errorf("merged: got %+v, %+v", s, s.Errand)
		}
		d.clock.turn(21 * time.Minute)
		d.app.enqueued()
		ring := d.rung(2)
		if ring.Form.Get("To") != number {
			t.Errorf("it rang %s, want where it rang first", ring.Form.Get("To"))
		}
		d.picksUp(ring, "human", "Say Hangup")
		if got, err := d.Conversation(t.Context(), ring.ID); err != nil || got.Conversation.CallerID != to || got.Conversation.Direction != recaller.Outbound {
			t.Errorf("got %+v, %v, want a call with whom she is now", got.Conversation, err)
		}
		if _, err := d.UndoMove(t.Context(), moved.Move.ID); err != nil { // while they talk
			t.Fatal(err)
		}
		d.hangsUp(ring, "completed")
		if s := d.stands(who, pills.ID); s.Status != recaller.ReminderDelivered || s.Errand.Rings != 2 {
			t.Errorf("undone: got %+v, %+v", s, s.Errand)
		}
		d.clock.turn(time.Hour)
		d.app.enqueued()
		ring = d.rung(3)
		d.picksUp(ring, "human", "Say Hangup")
		d.hangsUp(ring, "completed")
		s := d.stands(who, bins.ID)
		if s.Status != recaller.ReminderDelivered || ring.Form.Get("To") != number {
			t.Errorf("the other: it rang %s, and is %+v", ring.Form.Get("To"), s)
		}
		if got, err := d.Conversation(t.Context(), s.Errand.Conversation); err != nil || got.Conversation.CallerID != who {
			t.Errorf("got %+v, %v, want a call with her", got.Conversation, err)
		}
		if n := len(d.twilio.Rings()); n != 3 {
			t.Errorf("it rang %d times, want 3", n)
		}
	})
}

// refusal wants a field to be refused.
func refusal(t *testing.T, err error, field string) {
	t.Helper()
	var p *client.Problem
	if !errors.As(err, &p) || p.Status != http.StatusUnprocessableEntity || p.Field != field {
		t.Errorf("got %v, want %s refused", err, field)
	}
}

// What the settings must be, and what a reminder may say itself.
func TestOutboundSettings(t *testing.T) {
	t.Parallel()
	mute := connected(t)
	ring, from := recaller.MeansRing, lakeside
	refused := func(c *client.Client, p client.OutboundPatch, field string) {
		t.Helper()
		_, err := c.UpdateTenant(t.Context(), client.TenantPatch{TenantSettings: client.TenantSettings{Outbound: &p}})
		refusal(t, err, field)
	}
	refused(mute.Client, client.OutboundPatch{Reminders: &ring, From: &from}, "outbound.reminders")
	d := diallingOut(t)
	got := d.set(client.TenantSettings{}).Outbound
	if got.Reminders != recaller.MeansNone || got.QuietFrom != "21:00" || got.QuietTo != "09:00" || got.Tries != 3 || got.PauseSeconds != 1200 || got.Voicemail != recaller.VoicemailHangUp || got.AtOnce != 5 || len(got.Countries) != 0 {
		t.Errorf("by default: got %+v", got)
	}
	refused(d.Client, client.OutboundPatch{Reminders: &ring}, "outbound.from")
	refused(d.Client, client.OutboundPatch{From: ptr(hillside)}, "outbound.from")
	refused(d.Client, client.OutboundPatch{QuietFrom: ptr("9pm")}, "outbound.quiet_from")
	refused(d.Client, client.OutboundPatch{QuietTo: ptr("25:00")}, "outbound.quiet_to")
	refused(d.Client, client.OutboundPatch{Countries: &[]string{"US", "Atlantis"}}, "outbound.countries")
	who := d.met()
	in := client.CallerReminderInput{Key: "pills", Value: "Take the blue pills", DueAt: d.clock.Now().Add(time.Minute), By: recaller.MeansRing}
	_, err := d.RemindCaller(t.Context(), who, in)
	refusal(t, err, "by")
	d.reach(recaller.MeansNone)
	r, err := d.RemindCaller(t.Context(), who, in)
	if err != nil || r.By != recaller.MeansRing {
		t.Fatalf("got %+v, %v", r, err)
	}
	d.clock.turn(2 * time.Minute)
	d.app.enqueued()
	d.rung(1)
}
