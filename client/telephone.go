package client

import "github.com/recallerhq/recaller"

// Telephone says how calls to a tenant's numbers are answered.
type Telephone struct {
	Answer    recaller.TelephoneAnswer `json:"answer" enum:"greeting,forward,relay,bridge" doc:"A greeting is spoken and the call ends, it is forwarded, or it goes on over a socket: relay as text, bridge as sound." example:"forward"`
	ForwardTo string                   `json:"forward_to" doc:"Where calls are forwarded to: a number in E.164 form, or a SIP address; empty if there is none." example:"sip:agent@example.com"`
	Listen    bool                     `json:"listen" doc:"Whether calls that are forwarded are listened to: what both sides say is kept as turns." example:"true"`
	Greeting  string                   `json:"greeting" doc:"What is spoken first; empty: the profile's greeting." example:"Lakeside Dental, good morning!"`
	Language  string                   `json:"language" doc:"Of what is spoken; empty: the platform's." example:"en-GB"`
	Voice     string                   `json:"voice" doc:"The voice, as the platform names it; empty: the platform's." example:"Polly.Amy-Neural"`
}

// TelephonePatch is what an update of that changes; nil fields stay, empty ones are cleared.
type TelephonePatch struct {
	Answer    *recaller.TelephoneAnswer `json:"answer,omitempty" enum:"greeting,forward,relay,bridge" doc:"What calls are answered with; greeting by default. One that the server cannot give is a 422." example:"forward"`
	ForwardTo *string                   `json:"forward_to,omitempty" doc:"A number, or a SIP address like sip:agent@example.com; required for forward." example:"sip:agent@example.com"`
	Listen    *bool                     `json:"listen,omitempty" doc:"Have calls that are forwarded listened to, and what both sides say kept as turns. Where no recogniser is configured it is a 422." example:"true"`
	Greeting  *string                   `json:"greeting,omitempty" doc:"What is spoken first, at most 4000 bytes; empty: the profile's greeting." example:"Lakeside Dental, good morning!"`
	Language  *string                   `json:"language,omitempty" doc:"Of what is spoken, as BCP 47 has it; empty: the platform's." example:"en-GB"`
	Voice     *string                   `json:"voice,omitempty" doc:"The voice, as the platform names it; empty: the platform's." example:"Polly.Amy-Neural"`
}
