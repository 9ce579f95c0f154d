package endpoint

import (
	"errors"
	"testing"
	"time"
)

var (
	errDown   = errors.New("down")
	errBroken = errors.New("broken")
)

// desk is a breaker with a clock of its own, and what it told: the failure that it opened for, "closed", or nothing.
type desk struct {
	*breaker
	t    *testing.T
	now  time.Time
	told string
}

func setup(t *testing.T, heeds bool) *desk {
	t.Helper()
	d := &desk{t: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	d.breaker = &breaker{Heeds: heeds, Now: func() time.Time { return d.now }, Tell: func(failed error) {
		d.told += "closed"
		if failed != nil {
			d.told = failed.Error()
		}
	}}
	return d
}

// enter wants a request to be let through, and returns what ends it.
func (d *desk) enter(when string) func(outcome) {
	d.t.Helper()
	done, why := d.Enter()
	if done == nil {
		d.t.Fatalf("%s: nothing is let through, because of %v", when, why)
	}
	return done
}

// shut wants nothing to be let through, for the reason.
func (d *desk) shut(when string, reason error) {
	d.t.Helper()
	if done, why := d.Enter(); done != nil || !errors.Is(why, reason) {
		d.t.Errorf("%s: let through: %v, because of %v; want nothing, because of %v", when, done != nil, why, reason)
	}
}

// fail has n requests fail.
func (d *desk) fail(n int) {
	d.t.Helper()
	for range n {
		d.enter("until it opens")(outcome{Failed: errDown})
	}
}

// says wants it to have told that since the last time, and no more.
func (d *desk) says(want string) {
	d.t.Helper()
	if d.told != want {
		d.t.Errorf("it told %q, want %q", d.told, want)
	}
	d.told = ""
}

func TestFiveFailuresInARowOpenIt(t *testing.T) {
	t.Parallel()
	for _, heeds := range []bool{false, true} {
		d := setup(t, heeds)
		d.fail(4)
		d.enter("an answer")(outcome{})
		d.fail(4)
		d.enter("nobody waits")(outcome{Failed: errDown, Abandoned: true})
		d.says("")
		d.fail(1)
		d.says("down")
		d.shut("open", errDown)
	}
}

func TestEachProbeThatFailsMakesItCoolForLonger(t *testing.T) {
	t.Parallel()
	d := setup(t, false)
	for range 2 {
		d.fail(5)
		d.says("down")
		last := errDown
		for _, cooling := range []time.Duration{5, 10, 20, 40, 80, 160, 300, 300} {
			d.now = d.now.Add(cooling*time.Second - time.Nanosecond)
			d.shut("just before it has cooled", last)
			d.now = d.now.Add(time.Nanosecond)
			probe := d.enter("a probe")
			d.shut("beside the probe", last)
			last = errBroken
			probe(outcome{Failed: last})
			d.shut("after the probe", last)
		}
		d.says("")
		d.now = d.now.Add(5 * time.Minute)
		d.enter("the last probe")(outcome{})
		d.says("closed")
	}
}

func TestAProbeThatNobodyWaitedForLeavesRoomForTheNext(t *testing.T) {
	t.Parallel()
	d := setup(t, false)
	d.fail(5)
	d.now = d.now.Add(5 * time.Second)
	d.enter("a probe")(outcome{Failed: errDown, Abandoned: true})
	d.enter("the next probe")(outcome{})
	d.enter("as ever")(outcome{})
}

func TestPausesAreKept(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		heeds       bool
		fails       int // before the pause is asked for
		pause, want time.Duration
	}{
		"at once":                   {true, 0, time.Minute, time.Minute},
		"no longer than is sound":   {true, 0, 24 * time.Hour, 5 * time.Minute},
		"no shorter than a cooling": {true, 0, time.Second, 5 * time.Second},
		"once it is open":           {false, 4, time.Minute, time.Minute},
		"not before":                {false, 3, time.Minute, 0},
		"none":                      {true, 3, 0, 0},
	} {
		d := setup(t, test.heeds)
		d.fail(test.fails)
		d.enter(name)(outcome{Failed: errBroken, Pause: test.pause})
		if test.want == 0 {
			d.enter(name)(outcome{})
			continue
		}
		d.says("broken")
		d.now = d.now.Add(test.want - time.Nanosecond)
		d.shut(name, errBroken)
		d.now = d.now.Add(time.Nanosecond)
		d.enter(name)(outcome{Failed: errDown, Pause: time.Minute}) // a probe may be asked for one too
		d.now = d.now.Add(time.Minute - time.Nanosecond)
		d.shut(name, errDown)
		d.now = d.now.Add(time.Nanosecond)
		d.enter(name)(outcome{})
	}
}

func TestWhatBeganBeforeItOpenedTellsLittle(t *testing.T) {
	t.Parallel()
	for _, heeds := range []bool{false, true} {
		d := setup(t, heeds)
		before, after := d.enter("before"), d.enter("before")
		d.fail(5)
		d.says("down")
		before(outcome{Failed: errBroken})
		d.shut("a failure from before", errDown)
		after(outcome{})
		if heeds {
			d.shut("an answer from before", errDown)
			d.says("")
			continue
		}
		d.enter("an answer from before")(outcome{})
		d.says("closed")
	}
}
