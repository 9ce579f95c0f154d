package summary

import "strings"

// next says where the conversation was left.
func (c *composer) next(brief string) string {
	if len(c.units) == 0 {
		return ""
	}
	if !c.closed() {
		return c.brokenOff()
	}
	for i := len(c.deeds) - 1; i >= 0; i-- {
		d := c.deeds[i]
		if d.kind == promised && size(d.text) <= longestFact+2 && !c.spare(d, brief) {
			if what, ok := strings.CutPrefix(d.text, "Agent: "); ok {
				return "Open: agent to " + what + "."
			}
			return "Open: " + uncapital(d.text) + "."
		}
	}
	for i := len(c.deeds) - 1; i >= 0; i-- {
		if d := c.deeds[i]; d.kind == pledged && size(d.text) <= longestFact+2 && !c.spare(d, brief) {
			return "Open: " + strings.Replace(d.text, "Caller: ", "caller to ", 1) + "."
		}
	}
	if c.settled() {
		return "Dealt with; nothing was left open."
	}
	return ""
}

// spare reports whether a deed stands in the brief already and need not be told again.
func (c *composer) spare(d deed, brief string) bool {
	what := strings.TrimPrefix(d.text, "Agent: ")
	return strings.Contains(strings.ToLower(brief), strings.ToLower(what))
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

// brokenOff tells the last thing said in a conversation that has no end.
func (c *composer) brokenOff() string {
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
