package briefing

import (
	"slices"

	"github.com/recallerhq/recaller"
)

// golfPack is the pack of a golf course, for which a system prompt has P3's own words.
const golfPack = "golf"

// The ranks of what only a system prompt says; the others are those of notes. The business's facts go before role and
// tone, of which a model has some idea by itself, but after the tenant's own instructions.
const (
	rankWelcome  = 9
	rankRules    = 11
	rankBusiness = 12 // one more for each line
	rankRole     = 13
	rankTone     = 14
	rankClosing  = 15
)

// systemPrompt writes a whole system prompt: the parts of P3 in P3's order and words. What P3 does not know of stands
// between the history and the instructions. It differs from P3 in four things:
//   - what came from the caller stands in fences (B11), and a line says what they are;
//   - "COURSE" and the list of what a golf course does are for tenants with the golf pack; others have other words;
//   - what the tenant did not tell is left out, but for P3's sentences about prices and a golf course's hours;
//   - a returning caller is welcomed back (P's edge cases 2 and 5) beside the tenant's own greeting, never in its
//     place, because the greeting may hold what the law wants said.
func (c *composer) systemPrompt(due, rest []*recaller.Memory, resume resumable) {
	c.errand()
	c.role()
	c.personality()
	c.businessFacts()
	c.section("guidance", "", false, nil)
	c.unit(rankGuidance, func(*unit) { c.line(fenceMeaning) })
	c.customer()
	c.trust()
	c.history()
	c.pinned()
	c.comingUp()
	c.memories(rest)
	c.due(due)
	c.resume(resume)
	c.tools()
	c.clock()
	c.recalled()
	c.importantInstructions()
	c.greeting(resume)
	c.section("closing", "", false, nil)
	if c.weRing() { // it is we who want something
		return
	}
	c.unit(rankClosing, func(*unit) { c.line("Now, help the customer with their inquiry!") })
}

// recognised reports whether it is known, and may be told, whether somebody was here before.
func (c *composer) recognised() bool {
	return c.reason == "" && !c.told.guarded() && !c.snap.Caller.Withheld()
}

// weRing reports whether it is the agent who has rung the caller.
func (c *composer) weRing() bool {
	return c.errands != nil && c.errands.Errand.By != recaller.MeansText
}

func (c *composer) golf() bool { return slices.Contains(c.snap.Tenant.Packs, golfPack) }

// role says who the agent is and what it helps with.
func (c *composer) role() {
	p, name := c.snap.Tenant.Profile, c.business()
	c.section("tenant", "", false, nil)
	c.unit(rankWho, func(*unit) {
		lead := "You are an AI assistant"
		if name != "" {
			lead += " for "
		}
		c.who(lead, name, p)
	})
	helps := c.helpsWith()
	if len(helps) == 0 {
		return
	}
	c.unit(rankRole, func(*unit) { // in one unit: a part of it would read as all of it
		c.line("\nYour role is to help customers with:")
		for _, what := range helps {
			c.str("- ")
			c.capital(what)
			c.str("\n")
		}
	})
}

// helpsWith lists what the agent helps with; nothing if the tenant said nothing of itself.
func (c *composer) helpsWith() []string {
	if c.golf() {
		return []string{
			"Tee time bookings and availability",
			"Restaurant reservations and menu questions",
			"Event and wedding venue inquiries",
			"General course information (hours, pricing, services)",
			"Directions and contact information",
		}
	}
	if p := c.snap.Tenant.Profile; profiled(p) {
		return append(slices.Clone(p.Services), "General information (hours, pricing, services)",
			"Directions and contact information")
	}
	return nil
}

// personality says how the agent behaves: as the tenant wants, or friendly.
func (c *composer) personality() {
	own, rank := c.snap.Tenant.Profile.Personality, rankWho
	if own == "" {
		own, rank = "friendly", rankTone
	}
	c.section("personality", "", false, nil)
	c.unit(rank, func(*unit) {
		c.str("PERSONALITY: ")
		c.capital(own)
		c.str("\n")
	})
	staff := "- Sound like a friendly staff member"
	if c.golf() {
		staff += " at the course"
	}
	for _, line := range []string{
		"- Be warm, helpful, and conversational",
		staff,
		"- Keep responses concise (2-3 sentences max)",
		"- If you don't know something, offer to have a staff member call back",
	} {
		c.unit(rankTone, func(*unit) { c.line(line) })
	}
}

// capital writes the tenant's own words with an initial capital.
func (c *composer) capital(s string) {
	start := len(c.buf)
	c.own(s)
	if start < len(c.buf) && isSmall(c.buf[start]) {
		c.buf[start] -= 'a' - 'A'
	}
}

// businessFacts tells what the tenant said of itself.
func (c *composer) businessFacts() {
	p, name, heading := c.snap.Tenant.Profile, c.business(), "Business information"
	if name == "" {
		return
	}
	if c.golf() {
		heading = "Course information"
	}
	c.section("business", heading, false, nil)
	c.ownLine(rankBusiness, "- Name", name)
	c.ownLine(rankBusiness, "- Location", p.Location)
	c.ownLine(rankBusiness, "- Phone", p.Phone)
	c.listed(rankBusiness+1, "- Operating Hours", len(p.Hours), func(i int) {
		c.capital(p.Hours[i].Label)
		c.str(": ")
		c.own(p.Hours[i].Value)
	})
	if len(p.Hours) == 0 && c.golf() { // elsewhere it would be made up
		c.ownLine(rankBusiness+1, "- Operating Hours", "7am-7pm daily (typical hours)")
	}
	c.lines(rankBusiness+2, "- Pricing", p.Pricing)
	if len(p.Pricing) == 0 {
		c.ownLine(rankBusiness+2, "- Pricing", "Please ask for current rates")
	}
	c.services(rankBusiness+3, "- Services", p.Services)
}

// customer says who calls. The history tells what happened before, so this does only if nothing can be known.
func (c *composer) customer() {
	c.section("caller", "Customer information", true, func() {
		if c.amid || !c.recognised() {
			c.callerLead()
		}
	})
	c.callerNumber()
	c.callerName()
	c.callerPeople()
	c.callerTotal()
}

// importantInstructions lists P3's six instructions and then the tenant's own. If the budget is short, the first of the
// tenant's own go before P3's. Each keeps its number. Once the agent has spoken, it is not told how to greet.
func (c *composer) importantInstructions() {
	history := `Reference conversation history naturally`
	if c.stage != Underway && !c.weRing() && c.recognised() {
		history += ` (e.g., "Welcome back! Last time we discussed...")`
	}
	rules := []string{history}
	if c.stage == Opening && !c.weRing() {
		rules = append(rules, `If this is their first conversation, greet them warmly and ask how you can help`)
	}
	rules = append(rules,
		`Always confirm important details (dates, times, party size) before "booking"`,
		`For actual bookings, say "I've noted that down and someone will confirm shortly"`,
		`If asked about something outside your knowledge, offer callback: "Let me have a manager call you back"`,
		`Never make up information - if unsure, say so`)
	c.section("instructions", "Important instructions", false, nil)
	for i, text := range rules {
		c.unit(rankRules, func(*unit) { c.numbered(i+1, text) })
	}
	for i, text := range c.snap.Tenant.Profile.Instructions {
		c.unit(rankInstructions+i, func(*unit) { c.numbered(len(rules)+i+1, text) })
	}
}

// greeting says what to say first: the tenant's own words, and to a returning caller a welcome. Without words of the
// tenant's the welcome is the whole greeting; P3's default is for a caller who may be new. Where the platform has said the
// tenant's words, the welcome is left; where the agent has answered already, or reaches somebody itself, nothing is.
func (c *composer) greeting(resume resumable) {
	const heading = "GREETING (use on first message):"
	own, name := c.snap.Tenant.Profile.Greeting, c.business()
	back := !c.first() && c.recognised()
	switch {
	case c.errands != nil || c.stage == Underway || c.stage == Greeted && !back:
		return
	case c.stage == Greeted:
		c.welcome("welcome", "They have been here before. They were greeted, so begin your next words with this, in their language:", c.welcomeRest(resume, ""))
		return
	case own == "" && back:
		c.welcome("greeting", heading, c.welcomeRest(resume, "How can I help you today?"))
		return
	case own == "" && name == "":
		return
	}
	c.section("greeting", "", false, func() { c.line(heading) })
	c.unit(rankGreeting, func(*unit) {
		if own == "" {
			own = "Thanks for calling " + name + "!"
		}
		c.own(own)
		c.str("\n")
	})
	if back {
		c.welcome("welcome", "They have been here before, so say also:", c.welcomeRest(resume, ""))
	}
}

// welcomeRest returns what follows "Welcome back!" (P's edge cases 2 and 5). If a matter was left open, the resume part
// says how to take it up.
func (c *composer) welcomeRest(resume resumable, usual string) string {
	switch {
	case resume.disconnected():
		return "I see we got disconnected earlier. Let's pick up where we left off."
	case resume.checkpoint != nil, resume.broken != nil:
		return ""
	}
	return usual
}

// welcome adds a section with "Welcome back, Maria Lopez!". The name came from the caller, so the line is fenced.
func (c *composer) welcome(section, lead, rest string) {
	name := c.snap.Caller.Name
	if len(c.snap.People) > 0 { // it may be another
		name = ""
	}
	c.section(section, "", name != "", func() { c.line(lead) })
	c.unit(rankWelcome, func(*unit) {
		c.str("Welcome back")
		if name != "" {
			c.str(", ")
			c.data(name, maxName)
		}
		c.str("!")
		if rest != "" {
			c.str(" " + rest)
		}
		c.str("\n")
	})
}
