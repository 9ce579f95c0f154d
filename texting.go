package recaller

import (
	"slices"
	"time"
)

// TextReply is who answers texts to a tenant's numbers.
type TextReply string

// Who answers texts.
const (
	ReplyNone  TextReply = "none"  // nobody here: they are kept; the default
	ReplyAgent TextReply = "agent" // the built-in agent
)

// TextReplies lists who may answer texts.
func TextReplies() []TextReply { return []TextReply{ReplyNone, ReplyAgent} }

// Valid reports whether r is one of them.
func (r TextReply) Valid() bool { return slices.Contains(TextReplies(), r) }

// Texting says what is done about texts to a tenant's numbers, by SMS or WhatsApp.
type Texting struct {
	Reply      TextReply     // empty: ReplyNone
	QuietAfter time.Duration // an exchange of texts that is silent for so long is over; 0: an hour
}

// Quiet is how long a conversation may be silent before it is over.
func (t Tenant) Quiet(c Conversation) time.Duration {
	if c.Thread != "" && c.Channel.Phone() {
		return t.Texting.QuietAfter
	}
	return t.IdleLimit
}

// Phone reports whether the channel carries texts from telephone to telephone.
func (c Channel) Phone() bool { return c == ChannelSMS || c == ChannelWhatsApp }

// JobText is the kind of the job that answers a text, or confirms what was told a number. Its subject is package texting's.
const JobText = "text"

// Stopping is what somebody told a number last about what it sends him. The zero value: nothing.
type Stopping struct {
	At time.Time // since when he wants nothing more; zero: he wants it, or wants it again
	By string    // a mark of what told it
}

// Stopped reports whether he wants nothing more.
func (s Stopping) Stopped() bool { return !s.At.IsZero() }
