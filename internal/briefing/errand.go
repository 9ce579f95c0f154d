package briefing

import (
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/when"
)

// answered is how long after a text went out what is written counts as an answer to it, in a later conversation too.
const answered = 24 * time.Hour

// errandOf finds the reminder about which the caller is reached in the live conversation; nil: none.
func (c *composer) errandOf() *recaller.Reminder {
	texts := false
	for _, open := range c.snap.Open {
		texts = texts || open.Conversation.ID == c.live && open.Conversation.Channel.Text()
	}
	for i := range c.snap.Reached {
		r := &c.snap.Reached[i]
		e := r.Errand
		switch {
		case e == nil || c.live == "":
		case r.ReachedIn == c.live:
			return r
		case texts && e.By == recaller.MeansText && c.now.Sub(e.Since) < answered:
			return r
		}
	}
	return nil
}

// errand says, before all else, why the agent has rung the caller, or texted him.
func (c *composer) errand() {
	if c.errands == nil {
		return
	}
	r := c.errands
	texted := !c.weRing()
	heading := "Why you are ringing"
	if texted {
		heading = "What you texted about"
	}
	c.section("errand", heading, true, func() {
		if texted {
			c.line("You texted them about a reminder, and what they write may be an answer to that. Take it up if it is.")
			return
		}
		c.str("You are ringing them, because a reminder came due " + when.Phrase(r.DueAt, c.now, false) + ". ")
		c.line("Say who you are first, and make sure that you speak with the right person before you say what it is about. " +
			"Then remind them, answer what they ask, and end the call.")
	})
	if words := c.errandWords(r); words != "" {
		c.field(rankErrand, "Remind them of", words, maxValue)
		return
	}
	c.unit(rankErrand, func(*unit) {
		c.line("- What it is about is not known here, or not to be told: say that there is a reminder, and no more.")
	})
}

// errandWords is what to remind of; empty: it is not to be told. What its memory may not tell, it does not either.
func (c *composer) errandWords(r *recaller.Reminder) string {
	for _, m := range c.snap.Memories {
		if m.ID != r.Memory || m.Status != recaller.MemoryActive {
			continue
		}
		if r.Text == "" {
			return m.Value
		}
		m.Value = r.Text
		if forgotten.New(c.snap.Forgotten).Retold(m) || c.told.held && forgotten.New(forgotten.AsIf(c.snap.Private)).Retold(m) {
			return ""
		}
		return r.Text
	}
	return ""
}
