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

// history tells the last conversations, newest first. V2 wants them under "Recent Voice Calls", P2 as a numbered list
// under "Conversation History (most recent first):". So V2's words are the heading, and P2's are the line below it. If
// other channels are among them, the heading says so, and each item names its own.
func (c *composer) history() {
	list := c.snap.History
	if c.first() && c.snap.Caller.Withheld() {
		return
	}
	if c.first() {
		c.section("history", "", false, nil)
		c.unit(rankFirst, func(*unit) { c.line(firstConversation) })
		return
	}
	if len(list) == 0 {
		return
	}
	heading := historyHeading(list)
	if c.whole {
		heading = "" // P2's line is one
	}
	c.section("history", heading, true, func() { c.line("Conversation History (most recent first):") })
	for i, conv := range list {
		rank := rankHistory + i*historyStep
		if c.briefs != nil {
			c.briefs[conv.ID] = len(c.units)
		}
		c.unit(rank, func(u *unit) { c.conversation(u, i+1, conv) })
		if i == 0 && conv.Summary != nil && !c.whole {
			c.detail(rank+1, "Next time", conv.Summary.Next)
			told := firstOf(conv.Summary)
			c.detail(rank+2, "Action items", strings.Join(unsaid(conv.Summary.Actions, told), "; "))
			others := slices.DeleteFunc(slices.Clone(conv.Summary.Decisions),
				func(line string) bool { return line == told })
			c.detail(rank+3, "Decisions", strings.Join(others, "; "))
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

// conversation writes one item in P2's form, in notes with what P2 leaves out, in brackets:
//
//  1. October 25, 2024 - Tee Time Booking (voice, yesterday)
//     Summary: Booked a tee time for Saturday at 10 for four players.
//     Outcome: Booking Confirmed
//
// P2 has a blank line between two items, and says where there is no outcome.
func (c *composer) conversation(u *unit, number int, conv recaller.Conversation) {
	if c.whole && number > 1 {
		c.str("\n")
	}
	c.str(strconv.Itoa(number) + ". ")
	c.date(conv.StartedAt)
	c.str(" - ")
	c.intent(conv)
	outcome := outcomeOf(conv)
	if !c.whole {
		c.aside(conv)
	} else if outcome == "" {
		outcome = "unknown"
	}
	c.str("\n   Summary: ")
	u.data = len(c.buf)
	c.brief(conv)
	end := len(c.buf)
	c.str("\n")
	if outcome != "" {
		c.str("   Outcome: ")
		c.data(titled(outcome), maxKey)
		c.str("\n")
	}
	u.tail = len(c.buf) - end
}

// aside names the channel, says how long ago the conversation was, and whether it broke off.
func (c *composer) aside(conv recaller.Conversation) {
	c.str(" (" + channelWord(conv))
	if at := conv.StartedAt.In(c.now.Location()); daysBetween(at, c.now) < 7 {
		c.str(", " + when.Phrase(at, c.now, true))
	}
	if conv.Status == recaller.Failed {
		c.str(", broke off")
	}
	c.str(")")
}

func (c *composer) intent(conv recaller.Conversation) {
	switch {
	case conv.Reminder:
		c.str("Reminder Call")
	case conv.Analysis != nil && conv.Analysis.Intent != "":
		c.data(titled(conv.Analysis.Intent), maxKey)
	case conv.Analysis != nil, c.whole:
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

// brief writes the summary, or what there is to say before there is one. If the conversation broke off, it says so, and
// where (P9).
func (c *composer) brief(conv recaller.Conversation) {
	from, failed := len(c.buf), conv.Status == recaller.Failed
	if failed && c.whole { // notes say it in the brackets
		c.str(disconnected(conv.Channel) + " ")
	}
	words := len(c.buf)
	if conv.Summary != nil {
		c.data(firstOf(conv.Summary), maxBrief)
	}
	if len(c.buf) > words {
		return
	}
	c.buf = c.buf[:from]
	switch {
	case failed:
		c.brokeOff(conv)
	case c.whole, conv.Analysis != nil: // it was written up, and may not be told
		c.str("No summary available")
	default:
		c.str("Not written up yet.")
	}
}

// unsaid returns the lines of a section whose words the first line does not say: a promise that the brief quotes is an
// action item as well, and is told once.
func unsaid(lines []string, told string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
		_, words, quoted := strings.Cut(line, "“")
		return quoted && len(told) <= maxBrief && strings.Contains(told, strings.TrimSuffix(words, "”"))
	})
}

// firstOf returns the brief of a summary, or else its first line.
func firstOf(s *recaller.Summary) string {
	for _, lines := range [][]string{{s.Brief}, s.Topics, s.Decisions, s.Actions, s.Facts} {
		for _, line := range lines {
			if line != "" {
				return line
			}
		}
	}
	return ""
}

// brokeOff says that a conversation without a summary broke off, and with what words, if they are known.
func (c *composer) brokeOff(conv recaller.Conversation) {
	c.str(disconnected(conv.Channel))
	broken := c.snap.BrokenOff
	switch {
	case broken == nil || broken.Conversation.ID != conv.ID:
	case c.cutOff == conv.ID:
		c.str(" Its last words are below.")
	case len(broken.Turns) > 0:
		c.str(" Last words: ")
		c.turn(lastOfCaller(broken.Turns))
	}
}

// disconnected is P9's summary of a conversation that broke off.
func disconnected(ch recaller.Channel) string {
	if ch.Text() {
		return "Chat disconnected mid-conversation."
	}
	return "Call disconnected mid-conversation."
}

// lastOfCaller returns the caller's last turn, or the last of all if the caller said nothing.
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

// channelWord names a channel for a reader, with the direction if the agent's side began.
func channelWord(conv recaller.Conversation) string {
	word := "voice"
	switch conv.Channel {
	case recaller.ChannelSMS:
		word = "SMS"
	case recaller.ChannelWhatsApp:
		word = "WhatsApp"
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
