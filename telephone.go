package recaller

import "slices"

// TelephoneAnswer is what a call to a tenant's number is answered with.
type TelephoneAnswer string

// The answers.
const (
	AnswerGreeting TelephoneAnswer = "greeting" // a sentence is spoken, and the call ends; the default
	AnswerForward  TelephoneAnswer = "forward"  // the call goes on to a number, or to an agent behind a SIP address
	AnswerRelay    TelephoneAnswer = "relay"    // the platform hears and speaks, and what is said goes over a socket as text
	AnswerBridge   TelephoneAnswer = "bridge"   // the sound goes over a socket, both ways
)

// TelephoneAnswers lists the answers.
func TelephoneAnswers() []TelephoneAnswer {
	return []TelephoneAnswer{AnswerGreeting, AnswerForward, AnswerRelay, AnswerBridge}
}

// Valid reports whether a is one of the answers.
func (a TelephoneAnswer) Valid() bool { return slices.Contains(TelephoneAnswers(), a) }

// Telephone says how calls to a tenant's numbers are answered.
type Telephone struct {
	Answer    TelephoneAnswer // empty: AnswerGreeting
	ForwardTo string          // a number in E.164 form, or a SIP address: "sip:agent@example.com"
	Listen    bool            // calls that are forwarded are listened to, and what is said is kept
	Greeting  string          // what is spoken first; empty: the profile's greeting
	Language  string          // of what is spoken, as BCP 47 has it: "en-GB"; empty: the platform's
	Voice     string          // as the platform names it; empty: the platform's
}

// Attestation is what the network of telephones says of the number that a call shows (STIR/SHAKEN, RFC 8224). It is
// evidence, and no proof of who speaks. The zero value: nothing was told.
type Attestation struct {
	Level  string `json:"level,omitempty"`  // "A": the number is the customer's; "B": only the customer is known; "C": neither; empty: not told
	Passed bool   `json:"passed,omitempty"` // the platform says that the signature was checked, and is right
	Told   string `json:"told,omitempty"`   // the platform's own word
}
