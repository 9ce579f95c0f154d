package client

import "github.com/recallerhq/recaller"

// Texting says what is done about texts to a tenant's numbers, by SMS and WhatsApp.
type Texting struct {
	Reply        recaller.TextReply `json:"reply" enum:"none,agent" doc:"Who answers them: nobody here, or the built-in agent. They are kept either way." example:"agent"`
	QuietMinutes float64            `json:"quiet_minutes" doc:"An exchange of texts that is silent for so long is over: it is written up, and the next text begins another." example:"60"`
}

// TextingPatch is what an update of that changes; nil fields stay.
type TextingPatch struct {
	Reply        *recaller.TextReply `json:"reply,omitempty" enum:"none,agent" doc:"Who answers texts; none by default. One that the server cannot give is a 422." example:"agent"`
	QuietMinutes *float64            `json:"quiet_minutes,omitempty" minimum:"1" maximum:"10080" doc:"An exchange of texts that is silent for so long is over; 60 by default." example:"60"`
}
