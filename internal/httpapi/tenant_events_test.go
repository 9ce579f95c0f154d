package httpapi

import (
	"testing"
	"time"
)

// Where headers cannot be set, the last event that a listener has is named in the address. One that was not told here says
// that others were missed.
func TestAListenerToTheTenantNamesTheLastEvent(t *testing.T) {
	t.Parallel()
	h := setup(t, func(_ *Deps, o *Options) { o.Heartbeat = 100 * time.Millisecond })
	in := connect(t, h, tenantEventsPath+"?last_event_id=1000000")
	got := ""
	for got == "" || got == "\n" { // the first line is told at once, or is a heartbeat
		var err error
		if got, err = in.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	if got != "event: events.missed\n" {
		t.Errorf("got %q, want to be told that events were missed", got)
	}
}
