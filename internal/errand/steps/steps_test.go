package steps

import (
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

var noon = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

func golf() recaller.Tenant {
	return recaller.Tenant{DefaultRegion: "DE", TimeZone: "Europe/Berlin", Numbers: []string{"+4930901820"}, Outbound: recaller.Reaching{
		Reminders: recaller.MeansRingThenText, From: "+4930901820", Pause: 10 * time.Minute,
	}}.WithDefaults()
}

func moment(change func(*Moment)) Moment {
	m := Moment{
		Tenant: golf(), Means: recaller.MeansRingThenText, Number: "+4915112345678", Zone: time.UTC, Now: noon,
		Errand: recaller.Errand{Means: recaller.MeansRingThenText, State: recaller.ErrandWaiting, Begun: noon, Due: noon},
	}
	change(&m)
	return m
}

func TestWhatIsDoneNext(t *testing.T) {
	t.Parallel()
	night := time.Date(2026, 3, 10, 23, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		change func(*Moment)
		want   Plan
	}{
		"it is rung":  {func(*Moment) {}, Plan{Act: Ring}},
		"once more":   {func(m *Moment) { m.Errand.Rings, m.Errand.Reason = 2, "busy" }, Plan{Act: Ring}},
		"then texted": {func(m *Moment) { m.Errand.Rings, m.Errand.Reason = 3, "busy" }, Plan{Act: Text}},
		"or given up": {func(m *Moment) { m.Errand.Rings, m.Errand.Reason, m.Errand.Means = 3, "busy", "ring" }, Plan{Act: Fail, Reason: "busy"}},
		"fewer tries are set meanwhile": {func(m *Moment) {
			m.Errand.Rings, m.Errand.Reason, m.Errand.Means, m.Tenant.Outbound.Tries = 2, "quiet hours", "ring", 1
		}, Plan{Act: Fail, Reason: "no-answer"}},
		"texted at once":              {func(m *Moment) { m.Errand.Means = "text" }, Plan{Act: Text}},
		"he said STOP":                {func(m *Moment) { m.Errand.Means, m.OptedOut = "text", true }, Plan{Act: Fail, Reason: "opted out"}},
		"who said STOP is still rung": {func(m *Moment) { m.OptedOut = true }, Plan{Act: Ring}},
		"at night":                    {func(m *Moment) { m.Now = night }, Plan{Wait, night.Add(10 * time.Hour), "quiet hours"}},
		"a text at night":             {func(m *Moment) { m.Now, m.Errand.Means = night, "text" }, Plan{Wait, night.Add(10 * time.Hour), "quiet hours"}},
		"no quiet hours": {func(m *Moment) {
			m.Now, m.Tenant.Outbound.QuietFrom, m.Tenant.Outbound.QuietTo = night, "00:00", "00:00"
		}, Plan{Act: Ring}},
		"night where he is":            {func(m *Moment) { m.Zone = time.FixedZone("", 10*3600) }, Plan{Wait, noon.Add(11 * time.Hour), "quiet hours"}},
		"the next time has come":       {func(m *Moment) { m.Overtaken = noon }, Plan{Act: Fail, Reason: "overtaken"}},
		"the next time is to come":     {func(m *Moment) { m.Overtaken = noon.Add(1) }, Plan{Act: Ring}},
		"turned off":                   {func(m *Moment) { m.Means = recaller.MeansNone }, Plan{Act: Fail, Reason: "turned off"}},
		"no number of the tenant's":    {func(m *Moment) { m.Tenant.Outbound.From = "" }, Plan{Act: Fail, Reason: "turned off"}},
		"he has no number":             {func(m *Moment) { m.Number = "" }, Plan{Act: Fail, Reason: "no number"}},
		"a number abroad":              {func(m *Moment) { m.Number = "+12125550123" }, Plan{Act: Fail, Reason: "country"}},
		"abroad, where that is set":    {func(m *Moment) { m.Number, m.Tenant.Outbound.Countries = "+12125550123", []string{"DE", "US"} }, Plan{Act: Ring}},
		"not at home, where it is not": {func(m *Moment) { m.Tenant.Outbound.Countries = []string{"US"} }, Plan{Act: Fail, Reason: "country"}},
		"the Bahamas are not the US":   {func(m *Moment) { m.Number, m.Tenant.Outbound.Countries = "+12423221234", []string{"US"} }, Plan{Act: Fail, Reason: "country"}},
		"a premium number":             {func(m *Moment) { m.Number = "+499001234567" }, Plan{Act: Fail, Reason: "country"}},
		"a satellite":                  {func(m *Moment) { m.Number, m.Tenant.Outbound.Countries = "+881612345678", []string{"DE", ""} }, Plan{Act: Fail, Reason: "country"}},
		"a shared rate":                {func(m *Moment) { m.Number = "+491801123456" }, Plan{Act: Fail, Reason: "country"}},
		"the tenant itself":            {func(m *Moment) { m.Number = "+4930901820" }, Plan{Act: Fail, Reason: "country"}},
		"a day in vain":                {func(m *Moment) { m.Errand.Begun, m.Errand.Reason = noon.Add(-25*time.Hour), "carrier away" }, Plan{Act: Fail, Reason: "too late"}},
		"a night is not in vain":       {func(m *Moment) { m.Errand.Begun, m.Errand.Reason = noon.Add(-14*time.Hour), "quiet hours" }, Plan{Act: Ring}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Next(moment(c.change)); got.Act != c.want.Act || got.Reason != c.want.Reason || !got.At.Equal(c.want.At) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestARingIsMarkedBeforeItIsAskedFor(t *testing.T) {
	t.Parallel()
	e := moment(func(*Moment) {}).Errand
	got, p := Dial(e, golf(), "+4915112345678", recaller.Errands{Busy: 4, OfDay: 9}, noon)
	if p.Act != Ring || got.State != recaller.ErrandDialling || got.Rings != 1 || got.To != "+4915112345678" || got.From != "+4930901820" || !got.Next.Equal(noon.Add(Doubt)) {
		t.Errorf("got %+v, %+v", got, p)
	}
	for name, c := range map[string]struct {
		beside recaller.Errands
		act    Act
		reason string
	}{
		"five ring already":   {recaller.Errands{Busy: 5}, Wait, "too many calls"},
		"he talks to us":      {recaller.Errands{Talking: true, Busy: 5, OfDay: 10}, Wait, "in a call"},
		"he was rung all day": {recaller.Errands{OfDay: 10, Busy: 5}, Fail, "too often"},
	} {
		got, p := Dial(e, golf(), "+4915112345678", c.beside, noon)
		if p.Act != c.act || p.Reason != c.reason || got != e {
			t.Errorf("%s: got %+v, %+v", name, got, p)
		}
	}
}

func TestHowACallEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		e      recaller.Errand
		status string
		state  recaller.ErrandState
		reason string
		in     time.Duration
		rings  int
	}{
		"they talked":                   {recaller.Errand{State: "talking", Rings: 1}, "completed", "reached", "", 0, 1},
		"a machine took it":             {recaller.Errand{State: "talking", Reason: "machine", Rings: 1}, "completed", "waiting", "machine", 10 * time.Minute, 1},
		"a message was left":            {recaller.Errand{State: "talking", Reason: "voicemail", Rings: 1, Means: "ring_then_text"}, "completed", "waiting", "voicemail", 0, 3},
		"a message, and no texts":       {recaller.Errand{State: "talking", Reason: "voicemail", Rings: 1, Means: "ring"}, "completed", "failed", "voicemail", 0, 3},
		"nobody asked us what to do":    {recaller.Errand{State: "ringing", Rings: 1}, "completed", "waiting", "no answer from us", 10 * time.Minute, 1},
		"busy":                          {recaller.Errand{State: "ringing", Rings: 1, Reason: "quiet hours"}, "busy", "waiting", "busy", 10 * time.Minute, 1},
		"the last time":                 {recaller.Errand{State: "ringing", Rings: 3, Means: "ring"}, "no-answer", "failed", "no-answer", 0, 3},
		"the last time, before a text":  {recaller.Errand{State: "ringing", Rings: 3, Means: "ring_then_text"}, "no-answer", "waiting", "no-answer", 0, 3},
		"an end that is heard of first": {recaller.Errand{State: "dialling", Rings: 1}, "canceled", "waiting", "failed", 10 * time.Minute, 1},
	} {
		got := Ended(c.e, golf(), c.status, noon)
		next := time.Time{}
		if c.state == recaller.ErrandWaiting {
			next = noon.Add(c.in)
		}
		if got.State != c.state || got.Reason != c.reason || !got.Next.Equal(next) || got.Rings != c.rings {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

// A ring that never came about is not counted, and a carrier that stays away is asked ever less.
func TestACarrierThatIsAway(t *testing.T) {
	t.Parallel()
	e, _ := Dial(recaller.Errand{Begun: noon}, golf(), "+4915112345678", recaller.Errands{}, noon)
	e = Retreats(e, noon)
	if e.State != recaller.ErrandWaiting || e.Rings != 0 || e.Reason != "carrier away" || !e.Next.Equal(noon.Add(time.Minute)) {
		t.Errorf("got %+v", e)
	}
	asked, now := 0, noon
	for now.Sub(noon) < 24*time.Hour {
		e, _ = Dial(e, golf(), "+4915112345678", recaller.Errands{}, now)
		e = Retreats(e, now)
		asked, now = asked+1, e.Next
	}
	if asked < 90 || asked > 130 || e.Rings != 0 {
		t.Errorf("asked %d times in a day, %d rings", asked, e.Rings)
	}
}

func TestAReminderIsOverOnceAllAreTold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		e    recaller.Errand
		want recaller.ReminderStatus
	}{
		{recaller.Errand{State: "reached", Told: true}, "delivered"},
		{recaller.Errand{State: "failed", Told: true}, "dead"},
		{recaller.Errand{State: "reached"}, ""},
		{recaller.Errand{State: "talking", Told: true}, ""},
	} {
		if got := Closed(c.e); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.e, got, c.want)
		}
	}
}
