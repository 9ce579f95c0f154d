package summary

import "strings"

// next says where the conversation was left. What is said already needs no saying again.
func (c *composer) next(said string) string {
	if open := c.open(said); open != "" {
		return "Open: " + uncapital(open) + "."
	}
	if c.settled() {
		return "Dealt with; nothing was left open."
	}
	return ""
}

// open is the last thing that was promised, by the agent before the caller, and is not said yet.
func (c *composer) open(said string) string {
	for _, kind := range []deedKind{promised, pledged} {
		for i := len(c.deeds) - 1; i >= 0; i-- {
			if d := c.deeds[i]; d.kind == kind && size(d.text) <= longestFact+2 && !tells(said, d) {
				return d.text
			}
		}
	}
	return ""
}

// tells reports whether a text says what was done or promised.
func tells(text string, d deed) bool {
	what := strings.TrimPrefix(strings.TrimPrefix(d.text, agentTo), callerTo)
	return strings.Contains(strings.ToLower(text), strings.ToLower(what))
}

// settled reports whether something was done and nothing promised or advised.
func (c *composer) settled() bool {
	did := false
	for _, d := range c.deeds {
		switch d.kind {
		case done:
			did = true
		case promised, pledged, advised:
			return false
		}
	}
	return did
}

// closed reports whether the conversation ended as conversations do.
func (c *composer) closed() bool {
	for _, u := range c.units[max(0, len(c.units)-6):] {
		if u.thanks {
			return true
		}
	}
	return false
}

// brokenOff tells the last thing said in a conversation that has no end; "" where it has one.
func (c *composer) brokenOff() string {
	if c.closed() || c.opts.Typed && len(c.units) > 0 && !c.units[len(c.units)-1].caller() {
		return "" // what was typed last has its answer
	}
	for i := len(c.units) - 1; i >= 0; i-- {
		u := c.units[i]
		if u.idle || len(u.words) < 2 {
			continue
		}
		who := "Caller"
		if !u.caller() {
			who = "Agent"
		}
		words := clip(capital(render(u.words)), 14)
		if u.ask {
			return "Ended without a goodbye; " + strings.ToLower(who) + " had just asked “" + strings.TrimSuffix(words, "?") + "?”"
		}
		return "Ended without a goodbye; " + strings.ToLower(who) + " had just said “" + words + "”."
	}
	return ""
}
