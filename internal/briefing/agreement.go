package briefing

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/agreement"
	"github.com/recallerhq/recaller/internal/forgotten"
)

// Agreements returns the times agreed on with a caller as they stood at asOf (zero, or to come: now), soonest first, in
// the caller's zone. It leaves out what was said in words that are forgotten. Errors are those of the source.
func (s *Service) Agreements(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, asOf time.Time,
) ([]recaller.Agreement, error) {
	now := s.opts.Now()
	if asOf.IsZero() || !asOf.Before(now) {
		asOf = time.Time{}
	} else {
		now = asOf
	}
	timed, cancel := context.WithTimeout(ctx, pastDeadline)
	defer cancel()
	snap, err := s.read(timed, tenant, caller, asOf)
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return nil, recaller.Wrap(recaller.Timeout, err, "the agreements were not read in time")
	case err != nil:
		return nil, err
	}
	zone, _ := s.zones.of(snap.Caller, snap.Tenant)
	return agreed(snap, now.In(zone)), nil
}

// agreed folds all acts into what stands. Forgotten words are left out of it, but what they did still counts.
func agreed(snap recaller.Snapshot, now time.Time) []recaller.Agreement {
	return forgotten.New(snap.Forgotten).Agreements(agreement.Fold(snap.Acts, now))
}

// comingUp tells what is agreed, or held by one side, and still to come, soonest first, with the words that settled it.
func (c *composer) comingUp() {
	var open []recaller.Agreement
	for _, g := range c.agreed {
		if g.State == recaller.AgreementOpen || g.State == recaller.AgreementHeld {
			open = append(open, g)
		}
	}
	if len(open) == 0 {
		return
	}
	c.section("agreed", "Coming up", true, func() {
		if !c.compact {
			c.line("Both sides settled on these, in the words that are quoted.")
		}
	})
	for i, g := range open {
		c.unit(rankAgreed+i, func(u *unit) { c.agreement(u, g) })
	}
}

// agreement writes "- in 2 days, Thursday 12 February 2026, 9:00 AM. Agent: “Thursday at nine?” Caller: “Fine.” (said 9
// February 2026)".
func (c *composer) agreement(u *unit, g recaller.Agreement) {
	c.str("- " + c.ahead(g.At, g.Day))
	if g.State == recaller.AgreementHeld {
		c.str(" (held, not confirmed)")
	}
	var words []string
	for _, s := range g.By.Said {
		if s.Text != "" {
			words = append(words, c.side(s.Speaker)+": “"+s.Text+"”")
		}
	}
	if len(words) > 0 {
		c.str(". ")
		c.elastic(u, strings.Join(words, " "), maxValue)
	} else {
		if g.State == recaller.AgreementOpen {
			c.str(": agreed on")
		}
	}
	end := len(c.buf)
	c.str(" (said " + g.By.SaidAt.In(c.now.Location()).Format(fullDay) + ")\n")
	if u.data > 0 {
		u.tail = len(c.buf) - end
	}
}

// fullDay is the form of a day that must not be mistaken for another.
const fullDay = "2 January 2006"

// ahead says when something will be: "tomorrow, Tuesday 10 February 2026, 9:00 AM".
func (c *composer) ahead(t time.Time, day bool) string {
	t = t.In(c.now.Location())
	out := t.Format("Monday " + fullDay)
	if !day {
		out += t.Format(", 3:04 PM")
	}
	switch n := daysBetween(c.now, t); {
	case n == 0:
		return "today, " + out
	case n == 1:
		return "tomorrow, " + out
	case n <= dueAhead:
		return "in " + strconv.Itoa(n) + " days, " + out
	}
	return out
}
