package briefing

import (
	"strconv"

	"github.com/recallerhq/recaller"
)

// tenant says who the agent speaks for, in the tenant's own words (P3). Only what is set is said.
func (c *composer) tenant() {
	p := c.snap.Tenant.Profile
	name := p.Business
	if name == "" && profiled(p) {
		name = c.snap.Tenant.Name
	}
	if name == "" && !profiled(p) {
		return
	}
	c.section("tenant", "Who you are", false, nil)
	if name != "" {
		c.unit(rankWho, func(*unit) { c.who(name, p) })
	}
	c.ownLine(rankWho, "Personality", p.Personality)
	c.lines(rankProfile, "Operating Hours", p.Hours)
	c.lines(rankProfile+1, "Pricing", p.Pricing)
	c.services(rankProfile+2, p.Services)
	c.ownLine(rankProfile+3, "Phone", p.Phone)
	if name == "" {
		c.ownLine(rankProfile+4, "Description", p.Description)
		c.ownLine(rankProfile+4, "Location", p.Location)
	}
	c.instructions(p.Instructions)
	c.ownLine(rankGreeting, "Greeting (use on first message)", p.Greeting)
}

// profiled reports whether the tenant said anything of itself besides its name.
func profiled(p recaller.Profile) bool {
	return p.Description+p.Location+p.Phone+p.Personality+p.Greeting != "" ||
		len(p.Hours)+len(p.Pricing)+len(p.Services)+len(p.Instructions) > 0
}

// who writes "You are the assistant of Fox Hollow, a golf course located in Brookside, Ohio."
func (c *composer) who(name string, p recaller.Profile) {
	c.str("You are the assistant of ")
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
	if len(lines) == 0 {
		return
	}
	c.unit(rank, func(*unit) {
		c.str(label)
		for i, l := range lines {
			c.str(map[bool]string{true: ": ", false: ", "}[i == 0])
			c.own(l.Label)
			c.str(" ")
			c.own(l.Value)
		}
		c.str("\n")
	})
}

func (c *composer) services(rank int, services []string) {
	if len(services) == 0 {
		return
	}
	c.unit(rank, func(*unit) {
		c.str("Services")
		for i, s := range services {
			c.str(map[bool]string{true: ": ", false: ", "}[i == 0])
			c.own(s)
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
		c.grouped(rankInstructions+i, group, func(*unit) {
			c.str(strconv.Itoa(i+1) + ". ")
			c.own(text)
			c.str("\n")
		})
	}
}
