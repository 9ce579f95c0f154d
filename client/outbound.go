package client

import "github.com/recallerhq/recaller"

// Outbound says how a tenant's callers are reached about reminders that come due.
type Outbound struct {
	Reminders    recaller.Means     `json:"reminders" enum:"none,ring,text,ring_then_text" doc:"By what means; of none, only webhooks and streams are told." example:"ring_then_text"`
	From         string             `json:"from" doc:"The number of the tenant's that rings and texts; empty if there is none." example:"+14155550100"`
	QuietFrom    string             `json:"quiet_from" doc:"From when on nobody is reached, by the caller's clock." example:"21:00"`
	QuietTo      string             `json:"quiet_to" doc:"Until when nobody is; the same time as quiet_from: there are no such hours." example:"09:00"`
	Tries        int                `json:"tries" doc:"How often a telephone is rung." example:"3"`
	PauseSeconds float64            `json:"pause_seconds" doc:"Between two rings." example:"1200"`
	Voicemail    recaller.Voicemail `json:"voicemail" enum:"hang_up,message,ignore" doc:"What an answering machine is told: nothing; who rang, and nothing of the matter; or nobody asks whether it is one." example:"hang_up"`
	Countries    []string           `json:"countries" nullable:"false" doc:"The countries whose numbers are reached; none: the default_region alone." example:"[\"US\"]"`
	AtOnce       int                `json:"at_once" doc:"How many telephones ring at once." example:"5"`
}

// OutboundPatch is what an update of that changes; nil fields stay.
type OutboundPatch struct {
	Reminders    *recaller.Means     `json:"reminders,omitempty" enum:"none,ring,text,ring_then_text" doc:"By what means; none by default. One reminder may say otherwise, where there is a number to ring from. It is a 422 where the server cannot ring or text." example:"ring_then_text"`
	From         *string             `json:"from,omitempty" doc:"One of the tenant's numbers." example:"+14155550100"`
	QuietFrom    *string             `json:"quiet_from,omitempty" doc:"From when on nobody is reached, by the caller's clock; 21:00 by default." example:"21:00"`
	QuietTo      *string             `json:"quiet_to,omitempty" doc:"Until when nobody is; 09:00 by default." example:"09:00"`
	Tries        *int                `json:"tries,omitempty" minimum:"1" maximum:"6" doc:"How often a telephone is rung; 3 by default." example:"3"`
	PauseSeconds *float64            `json:"pause_seconds,omitempty" minimum:"60" maximum:"43200" doc:"Between two rings; 20 minutes by default." example:"1200"`
	Voicemail    *recaller.Voicemail `json:"voicemail,omitempty" enum:"hang_up,message,ignore" doc:"What an answering machine is told; hang_up by default." example:"hang_up"`
	Countries    *[]string           `json:"countries,omitempty" nullable:"false" doc:"The countries whose numbers are reached: two letters each." example:"[\"US\"]"`
	AtOnce       *int                `json:"at_once,omitempty" minimum:"1" maximum:"100" doc:"How many telephones ring at once; 5 by default." example:"5"`
}
