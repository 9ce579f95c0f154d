package briefing

import (
	"slices"
	"strconv"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/when"
)

// firstConversation is P2's sentence for a caller with whom nothing was ever said.
const firstConversation = "This is the customer's first conversation. No prior history."

// history tells the last conversations, newest first. V2 wants them under "Recent Voice Calls" and P2 as a numbered list
// under "Conversation History (most recent first):": both are here, V2's as the heading and P2's as the line below it.
// Where other channels are among them the heading says so, and each item names its own.
func (c *composer) history() {
	list := c.snap.History
	if c.first() {
		c.section("history", "", false, nil)
		c.unit(rankFirst, func(*unit) { c.line(firstConversation) })
		return
	}
	if len(list) == 0 {
		return
	}
	c.section("history", historyHeading(list), true, func() { c.line("Conversation History (most recent first):") })
	for i, conv := range list {
		rank := rankHistory + i*historyStep
		c.unit(rank, func(u *unit) { c.conversation(u, i+1, conv) })
		if i == 0 && conv.Summary != nil {
			c.detail(rank+1, "Next time", conv.Summary.Next)
			c.detail(rank+2, "Action items", strings.Join(conv.Summary.Actions, "; "))
			c.detail(rank+3, "Decisions", strings.Join(conv.Summary.Decisions, "; "))
		}
	}
}

func historyHeading(list []recaller.Conversation) string {
	voice, text := false, false
	for _, conv := range list {
		voice = voice || !conv.Channel.Text()
		text = text || conv.Channel.Text()
	}
	switch {
	case voice && text:
		return "Recent Voice Calls and Messages"
	case text:
		return "Recent Messages"
	}
	return "Recent Voice Calls"
}

// conversation writes one item in P2's form:
//
//  1. October 25, 2024 - Tee Time Booking (voice, yesterday)
//     Summary: Booked a tee time for Saturday at 10 for four players.
//     Outcome: Booking Confirmed
func (c *composer) conversation(u *unit, number int, conv recaller.Conversation) {
	c.str(strconv.Itoa(number) + ". ")
	c.date(conv.StartedAt)
	c.str(" - ")
	c.intent(conv)
	c.str(" (" + channelWord(conv))
	if at := conv.StartedAt.In(c.now.Location()); daysBetween(at, c.now) < 7 {
		c.str(", " + when.Phrase(at, c.now, true))
	}
	if conv.Status == recaller.Failed {
		c.str(", broke off")
	}
	c.str(")\n   Summary: ")
	u.data = len(c.buf)
	c.brief(conv)
	end := len(c.buf)
	c.str("\n")
	if outcome := outcomeOf(conv); outcome != "" {
		c.str("   Outcome: ")
		c.data(titled(outcome), maxKey)
		c.str("\n")
	}
	u.tail = len(c.buf) - end
}

func (c *composer) intent(conv recaller.Conversation) {
	switch {
	case conv.Reminder:
		c.str("Reminder Call")
	case conv.Analysis != nil && conv.Analysis.Intent != "":
		c.data(titled(conv.Analysis.Intent), maxKey)
	case conv.Analysis != nil:
		c.str("General Inquiry")
	case conv.Channel.Text():
		c.str("Messages")
	default:
		c.str("Call")
	}
}

func outcomeOf(conv recaller.Conversation) string {
	if conv.Analysis == nil {
		return ""
	}
	return conv.Analysis.Outcome
}

// brief writes the summary, or what there is to say before there is one.
func (c *composer) brief(conv recaller.Conversation) {
	if conv.Summary != nil {
		from := len(c.buf)
		if c.data(conv.Summary.Brief, maxBrief); len(c.buf) > from {
			return
		}
	}
	broken := c.snap.BrokenOff
	switch {
	case conv.Status != recaller.Failed:
		c.str("Not written up yet.")
	case c.cutOff && broken.Conversation.ID == conv.ID:
		c.str("Broke off before it was finished; its last words are at the end.")
	case broken != nil && broken.Conversation.ID == conv.ID && len(broken.Turns) > 0:
		c.str("Broke off before it was finished. Last words: ")
		c.turn(lastOfCaller(broken.Turns))
	default:
		c.str("Broke off before it was finished; not written up yet.")
	}
}

// lastOfCaller returns the caller's last turn, or the last of all where the caller said nothing.
func lastOfCaller(turns []recaller.Turn) recaller.Turn {
	for _, t := range slices.Backward(turns) {
		if t.Speaker == recaller.User {
			return t
		}
	}
	return turns[len(turns)-1]
}

func (c *composer) detail(rank int, label, value string) {
	if value == "" {
		return
	}
	c.unit(rank, func(u *unit) {
		c.str("   " + label + ": ")
		c.elastic(u, value, maxBrief)
		c.str("\n")
	})
}

// channelWord names a channel for a reader, with the direction where the agent's side began.
func channelWord(conv recaller.Conversation) string {
	word := "voice"
	switch conv.Channel {
	case recaller.ChannelSMS:
		word = "SMS"
	case recaller.ChannelWebChat:
		word = "web chat"
	case recaller.ChannelTelegram:
		word = "Telegram"
	case recaller.ChannelAPI:
		word = "chat"
	}
	if conv.Direction == recaller.Outbound {
		word += ", we called"
		if conv.Channel.Text() {
			word = strings.TrimSuffix(word, "called") + "wrote"
		}
	}
	return word
}
