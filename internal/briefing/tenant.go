package briefing

import (
	"strconv"

	"github.com/recallerhq/recaller"
)

// tenant says who the agent speaks for, in the tenant's own words (P3). It says only what is set.
func (c *composer) tenant() {
	p, name := c.snap.Tenant.Profile, c.business()
	if name == "" {
		return
	}
	c.section("tenant", "Who you are", false, nil)
	c.unit(rankWho, func(*unit) { c.who("You are the assistant of ", name, p) })
	c.ownLine(rankWho, "Personality", p.Personality)
	c.lines(rankProfile, "Operating Hours", p.Hours)
	c.lines(rankProfile+1, "Pricing", p.Pricing)
	c.services(rankProfile+2, "Services", p.Services)
	c.ownLine(rankProfile+3, "Phone", p.Phone)
	c.instructions(p.Instructions)
	if c.errands == nil && !c.amid { // else nobody has called, or they were greeted
		c.ownLine(rankGreeting, "Greeting (use on first message)", p.Greeting)
	}
}

// business returns the tenant's name towards callers. It is empty if the tenant said nothing of itself, because every
// tenant has some name.
func (c *composer) business() string {
	p := c.snap.Tenant.Profile
	if p.Business == "" && profiled(p) {
		return c.snap.Tenant.Name
	}
	return p.Business
}

// profiled reports whether the tenant said anything of itself besides its name.
func profiled(p recaller.Profile) bool {
	return p.Description+p.Location+p.Phone+p.Personality+p.Greeting != "" ||
		len(p.Hours)+len(p.Pricing)+len(p.Services)+len(p.Instructions) > 0
}

// who writes "You are the assistant of Fox Hollow, a golf course located in Brookside, Ohio."
func (c *composer) who(lead, name string, p recaller.Profile) {
	c.str(lead)
	c.own(name)
	if p.Description != "" {
		c.str(", ")
		c.own(p.Description)
	}
	if p.Location != "" {
		if p.Description == "" {
			c.str(",")
		}
		c.str(" located in ")
		c.own(p.Location)
	}
	if c.buf[len(c.buf)-1] != '.' {
		c.str(".")
	}
	c.str("\n")
}

// ownLine adds one line of the tenant's own words.
func (c *composer) ownLine(rank int, label, value string) {
	if value == "" {
		return
	}
	c.unit(rank, func(*unit) {
		c.str(label + ": ")
		c.own(value)
		c.str("\n")
	})
}

func (c *composer) lines(rank int, label string, lines []recaller.Line) {
	c.listed(rank, label, len(lines), func(i int) {
		c.own(lines[i].Label)
		c.str(" ")
		c.own(lines[i].Value)
	})
}

func (c *composer) services(rank int, label string, services []string) {
	c.listed(rank, label, len(services), func(i int) { c.own(services[i]) })
}

// listed adds one line that lists n items, or none if n is 0.
func (c *composer) listed(rank int, label string, n int, item func(i int)) {
	if n == 0 {
		return
	}
	c.unit(rank, func(*unit) {
		c.str(label + ": ")
		for i := range n {
			if i > 0 {
				c.str(", ")
			}
			item(i)
		}
		c.str("\n")
	})
}

func (c *composer) instructions(list []string) {
	if len(list) == 0 {
		return
	}
	group := c.group("Instructions:")
	for i, text := range list {
		c.grouped(rankInstructions+i, group, func(*unit) { c.numbered(i+1, text) })
	}
}

func (c *composer) numbered(n int, text string) {
	c.str(strconv.Itoa(n) + ". ")
	c.own(text)
	c.str("\n")
}
