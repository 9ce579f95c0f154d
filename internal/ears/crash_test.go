package ears_test

import (
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller/internal/bridge"
	"github.com/recallerhq/recaller/internal/bridge/bridgetest"
	"github.com/recallerhq/recaller/internal/rehearsal"
)

// A defect of ours, in whatever listens to a call, ends the listening and nothing else: nothing of it goes on, and what was
// heard before is kept.
func TestADefectEndsTheListening(t *testing.T) {
	telephone := plot{spoil: func(c bridge.Conn) bridge.Conn { return bridgetest.Poison{Conn: c, In: "read"} }}
	recogniser := func(in string) plot {
		return plot{dial: func(_ int, c bridge.Conn) (bridge.Conn, bool) { return bridgetest.Poison{Conn: c, In: in}, false }}
	}
	places := map[string]plot{
		"reading the telephone": telephone,
		"dialling":              {dial: func(int, bridge.Conn) (bridge.Conn, bool) { panic("poisoned") }},
		"reading a recogniser":  recogniser("read"),
		"writing to it":         recogniser("write"),
		"its ping":              recogniser("ping"),
		"the loop":              {at: "a recogniser broke", hears: rehearsal.RecogniserOptions{Break: func(int) time.Duration { return 5 * second }}},
		"the beginning":         {at: "a call is listened to"},
	}
	for name, p := range places {
		t.Run(name, func(t *testing.T) {
			stages(t, p, func(s *stage) {
				s.phone.Tell(rehearsal.Tone(50, second))
				s.pass(30 * second)
				o := s.over(bridge.Crashed)
				if o.Unkept != 0 || (name == "the loop" || name == "its ping") && o.Kept != 1 {
					s.Errorf("got %+v", o)
				}
				if log := s.log.String(); !strings.Contains(log, "panic in a call over a media stream") || strings.Contains(log, "poisoned:") {
					s.Errorf("the log says\n%s", log)
				}
			})
		})
	}
}
