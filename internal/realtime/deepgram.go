package realtime

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/recallerhq/recaller"
)

// Deepgram reads the events of one session of Deepgram's voice agent, as the events that other APIs would have sent. Its
// own have no ids, so it makes some: what belongs together is known by the order. Get one from NewDeepgram; it is not safe
// for concurrent use.
//
// A reply is all that the agent says from its first sign to AgentAudioDone, or until the caller speaks: then what still
// comes of it is of no use, until there is a sign of another one.
type Deepgram struct {
	prefix string
	n      int      // ids that were made
	caller string   // what the caller says, or has said; empty: nothing, or its words are known
	before string   // what he said last whose place is known; empty: nothing
	placed bool     // it has its place in the conversation, before a reply
	reply  string   // what the agent is; empty: nothing
	speaks bool     // the reply has words
	sounds bool     // it has audio
	late   string   // a reply that is over and has no words yet
	cut    bool     // the last reply was spoken over
	hidden []string // what was told in the caller's name
}

// maxHidden is how many texts are remembered that nobody said.
const maxHidden = 8

// NewDeepgram returns a reader whose ids begin with a prefix.
func NewDeepgram(prefix string) *Deepgram { return &Deepgram{prefix: prefix} }

// Hide says that a text is told to the agent in the caller's name. If it comes back, it is no turn.
func (d *Deepgram) Hide(text string) {
	d.hidden = append(d.hidden[max(0, len(d.hidden)-maxHidden+1):], text)
}

// deepgramEvent is the union of the events that mean something here.
type deepgramEvent struct {
	Role      string             `json:"role"`
	Content   string             `json:"content"`
	Code      string             `json:"code"`
	Functions []deepgramFunction `json:"functions"`
}

type deepgramFunction struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Ours      *bool  `json:"client_side"`
}

// Read reads a message: audio if it is binary, otherwise an event. It returns none for one that means nothing here. An
// error is recaller.Invalid, and changes nothing.
func (d *Deepgram) Read(raw []byte, binary bool) ([]Event, error) {
	if binary {
		return d.sound(raw), nil
	}
	name, err := nameOf(raw)
	if err != nil {
		return nil, err
	}
	var in deepgramEvent
	switch name {
	case "ConversationText", "FunctionCallRequest", "FunctionCallCancelled", "Error", "Warning":
		if err := json.Unmarshal(raw, &in); err != nil {
			return nil, recaller.InvalidField("event", "has a field of the wrong type")
		}
	}
	for _, f := range in.Functions {
		if f.ID == "" || f.Name == "" || len(f.ID) > maxID || len(f.Name) > maxID {
			return nil, recaller.InvalidField("event.functions", "must have an id and a name of at most %d bytes", maxID)
		}
	}
	return d.event(name, in), nil
}

func (d *Deepgram) event(name string, in deepgramEvent) []Event {
	switch name {
	case "Welcome":
		return []Event{{Kind: SessionMade}}
	case "SettingsApplied":
		return []Event{{Kind: SessionReady}}
	case "UserStartedSpeaking":
		return d.interrupted()
	case "ConversationText":
		return d.said(in.Role, strings.TrimSpace(in.Content))
	case "AgentThinking", "AgentStartedSpeaking":
		return d.begin()
	case "AgentAudioDone":
		return d.silent()
	case "FunctionCallRequest":
		return d.called(in.Functions)
	case "FunctionCallCancelled":
		var out []Event
		for _, f := range in.Functions {
			out = append(out, Event{Kind: CallCancelled, CallID: f.ID})
		}
		return out
	case "Error":
		return []Event{{Kind: Failure, Error: &wireError{name, in.Code}}}
	case "Warning", "InjectionRefused":
		return []Event{{Kind: Warned, Error: &wireError{name, in.Code}}}
	}
	return nil
}

func (d *Deepgram) id(kind string) string {
	d.n++
	return d.prefix + kind + strconv.Itoa(d.n)
}

// begin begins a reply if there is none.
func (d *Deepgram) begin() (out []Event) {
	d.cut = false
	if d.reply != "" {
		return nil
	}
	d.reply, d.speaks, d.sounds, d.late = d.id("reply"), false, false, ""
	if d.caller != "" && !d.placed { // it has paused, and what is said now is said after it
		out, d.placed, d.before = append(out, Event{Kind: Committed, ItemID: d.caller}), true, d.caller
	}
	return append(out, Event{Kind: ResponseBegun, Response: &Response{ID: d.reply}})
}

// end ends the reply if there is one.
func (d *Deepgram) end(status string) []Event {
	if d.reply == "" {
		return nil
	}
	r := &Response{ID: d.reply, Status: status}
	if d.speaks || d.sounds {
		r.Output = []Item{{ID: d.reply, Type: "message", Role: string(recaller.Assistant)}}
	}
	d.reply = ""
	return []Event{{Kind: ResponseDone, Response: r}}
}

const completed = "completed"

// interrupted takes the beginning of speech. A reply that is being made ends with it.
func (d *Deepgram) interrupted() []Event {
	var out []Event
	if d.placed { // it was no speech, or its words come with the next ones
		out = append(out, Event{Kind: TranscriptFailed, ItemID: d.caller})
	}
	if d.caller == "" || d.placed {
		d.caller, d.placed = d.id("caller"), false
	}
	d.cut = d.cut || d.reply != ""
	return append(append(out, Event{Kind: SpeechStarted, ItemID: d.caller}), d.end("cancelled")...)
}

// said takes words.
func (d *Deepgram) said(role, text string) []Event {
	switch {
	case text == "":
	case role == string(recaller.User):
		if i := slices.Index(d.hidden, text); i >= 0 {
			d.hidden = slices.Delete(d.hidden, i, i+1)
			return nil
		}
		return d.heard(text)
	case role == string(recaller.Assistant) && !d.cut: // what comes of a reply that was spoken over, nobody hears
		var out []Event
		of := d.late
		if d.late = ""; of == "" {
			out, d.speaks = d.begin(), true
			of = d.reply
		}
		return append(out, Event{Kind: Saying, IsVoice: true, IsAhead: true, ItemID: of, ResponseID: of, Delta: " " + text})
	}
	return nil
}

// heard takes what the caller has said. It comes before the reply, as a rule. Words that come while a reply is made were
// said before it, and it goes on: whoever speaks over it is told of before his words are.
func (d *Deepgram) heard(text string) (out []Event) {
	if d.caller == "" {
		d.caller, d.placed = d.id("caller"), false
	}
	if !d.placed {
		placed := Event{Kind: Committed, ItemID: d.caller}
		if d.reply == "" {
			d.late, d.cut = "", false
		} else {
			placed.PreviousItemID = new(cmp.Or(d.before, "root"))
		}
		out = append(out, placed)
	}
	out = append(out, Event{Kind: Transcribed, ItemID: d.caller, Transcript: text})
	d.before, d.caller, d.placed = d.caller, "", false
	return out
}

// sound takes audio.
func (d *Deepgram) sound(raw []byte) []Event {
	if len(raw) == 0 || d.cut {
		return nil
	}
	out := d.begin()
	d.sounds = true
	return append(out, Event{
		Kind: Audio, IsVoice: true, ItemID: d.reply, ResponseID: d.reply, Delta: base64.StdEncoding.EncodeToString(raw),
	})
}

// silent takes the end of the audio. If no words have come, they may still.
func (d *Deepgram) silent() []Event {
	if d.reply == "" {
		return nil
	}
	if d.sounds && !d.speaks {
		d.late = d.reply
	}
	return append([]Event{{Kind: AudioDone, ItemID: d.reply}}, d.end(completed)...)
}

// called takes calls. A reply that only calls is over with that: another one follows the results.
func (d *Deepgram) called(list []deepgramFunction) []Event {
	out := d.begin()
	for _, f := range list {
		if f.Ours == nil || *f.Ours {
			out = append(out, Event{Kind: ArgumentsDone, ItemID: f.ID, CallID: f.ID, Name: f.Name, Arguments: cmp.Or(f.Arguments, "{}")})
		}
	}
	if !d.speaks && !d.sounds {
		out = append(out, d.end(completed)...)
	}
	return out
}
