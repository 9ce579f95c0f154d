package recaller

import (
	"slices"
	"time"
)

// Carrier is a telephone platform by whose API texts and calls go out.
type Carrier string

// The carriers.
const (
	CarrierTwilio Carrier = "twilio"
	CarrierTelnyx Carrier = "telnyx"
)

// Carriers lists the carriers.
func Carriers() []Carrier { return []Carrier{CarrierTwilio, CarrierTelnyx} }

// Valid reports whether c is one of the carriers.
func (c Carrier) Valid() bool { return slices.Contains(Carriers(), c) }

// PhoneText is a text that goes out to a telephone.
type PhoneText struct {
	Carrier  Carrier
	Channel  Channel // ChannelSMS or ChannelWhatsApp
	From     string  // the tenant's number, in E.164 form
	To       string  // in E.164 form
	Words    string
	StatusTo string // the address that is told what becomes of it; empty: none
}

// PhoneRing is a call that goes out to a telephone.
type PhoneRing struct {
	Carrier  Carrier
	From     string        // the tenant's number, in E.164 form
	To       string        // in E.164 form
	AnswerAt string        // the address that is asked what to do once somebody picks up
	StatusTo string        // the address that is told how the call goes; empty: none
	Events   []string      // which events that is told of, as the carrier names them; none: only the end
	Ringing  time.Duration // until nobody answers; 0: as long as the carrier lets it ring
	// Detect has the carrier find out whether a machine answers, before it asks AnswerAt: "Enable", or "DetectMessageEnd",
	// which waits until a machine has said its own; empty: it does not.
	Detect string
}

// ErrOptedOut is a carrier's refusal to text somebody who told it to stop. Its kind is Forbidden.
var ErrOptedOut = Errorf(Forbidden, "who is texted told the carrier to stop")

// PhoneCall is a call, or a text, that a carrier knows of.
type PhoneCall struct {
	ID     string
	Status string    // in the carrier's word
	At     time.Time // when the carrier was asked for it
}

// Over reports whether a call is over, in the carrier's word.
func (c PhoneCall) Over() bool {
	return slices.Contains([]string{"completed", "busy", "failed", "no-answer", "canceled"}, c.Status)
}
