// Package realtime reads the events of realtime speech APIs, and derives the turns of a conversation from them (spec W7):
// OpenAI's, in both naming generations, xAI's (Read), and Deepgram's (Deepgram). It is pure: bytes and times in, turns
// and function calls out.
//
// It holds no connections, moves no audio and sends no events (a bridge does), and does not care what becomes of the
// turns (conversation).
//
// Turns come in the order of the conversation, not of arrival. The transcript of the caller's words may come after the
// agent's answer has begun, or ended. So the answer waits for it, for TranscriptWait at most. The agent's speech is
// generated faster than it is spoken. So a turn of the agent's is returned only when it has been heard: when it was cut
// off (conversation.item.truncate), when the caller's next words are in, or when its audio must have ended. Of a turn
// that was cut off, only what was heard is returned. A caller's words wait for no more than an earlier turn of the
// agent's, whose audio had to end first.
//
// Whoever moves the audio knows better than any clock what was heard, and says so: NewWatched, Played.
package realtime

import (
	"encoding/json"
	"time"

	"github.com/recallerhq/recaller"
)

// Turn is what one side said, whole, and returned once. It has at most recaller.MaxTurnBytes; the rest is cut off.
type Turn struct {
	Item        string // the API's id of the item
	Speaker     recaller.Speaker
	Text        string
	At          time.Time // when it began, as far as the events tell
	Confidence  float64   // of the recogniser, 0 to 1; 1: it gave none
	Interrupted bool      // it was cut off; Text is what was heard of it (B10)
}

// Call is a function that the model calls.
type Call struct {
	ID        string
	Name      string
	Arguments json.RawMessage // as the model wrote them: perhaps not valid JSON
}

// Fault is an error that the API reported. The session normally goes on. It holds no words.
type Fault struct {
	Type string
	Code string
	Item string // what it is about; empty: not known
}

// Output is what an event leads to.
type Output struct {
	Turns  []Turn // in the order of the conversation
	Calls  []Call // once each
	Faults []Fault
	Ended  bool // the session is over
}

// Bounds.
const (
	TranscriptWait = 10 * time.Second // how long a turn waits for what is missing before it
	MaxEvent       = 4 << 20          // bytes of one event; a longer one is refused

	placeWait = 3 * time.Second // how long an item waits for the one that it follows, which may never come

	maxItems = 256     // items that are held; past it the first one is returned as it is
	maxHeld  = 4 << 20 // bytes of their text
	maxSeen  = 4096    // remembered ids of items, calls and responses, so that nothing is returned twice
)

// Deriver derives the turns of one session. The zero value is ready. It is not safe for concurrent use.
type Deriver struct {
	items map[string]*item     // those that are held, and those of which only the beginning is known
	order []*item              // the held ones in the order of the conversation
	told  seen                 // items that are over
	calls seen                 // function calls that were returned
	aside seen                 // responses that are no part of the conversation
	late  map[string]time.Time // the caller's items that were given up waiting for, with when they began
	hasID bool                 // responses say to which conversation they belong

	pending map[string]Call // incomplete function calls, by item
	rate    float64         // bytes of output audio per millisecond; 0: not known
	bytes   int             // of the texts that are held
	voice   Pace            // of the agent: what was known before, and what was learnt
	learnt  Pace            // of it
	watched bool            // Played tells what was heard
}

// New returns a Deriver.
func New() *Deriver { return &Deriver{} }

// NewWatched returns a Deriver for one who moves the audio, of which a millisecond has so many bytes. A turn of the agent's
// that is spoken waits for Played, or for the truncate that cuts it off; it is never taken as heard because time has passed,
// or because the caller has spoken. voice is what is known of how fast the agent speaks: where words come before their
// sound, it says how long what was cut off in the making would have been.
func NewWatched(bytesPerMS int, voice Pace) *Deriver {
	return &Deriver{watched: true, rate: float64(bytesPerMS), voice: voice}
}

// Take takes in one event, of the server or of the client, with its arrival time. Times must not run backwards. Events
// that do not concern turns are ignored.
func (d *Deriver) Take(e Event, at time.Time) Output {
	var out Output
	d.take(e, at, &out)
	d.settle(at, &out)
	return out
}

// Tick notes that time has passed without an event.
func (d *Deriver) Tick(at time.Time) Output {
	var out Output
	d.settle(at, &out)
	return out
}

// Played notes that the audio of an item was played to its end.
func (d *Deriver) Played(item string, at time.Time) Output {
	if it := d.items[item]; it != nil {
		it.played, it.last = true, at
	}
	return d.Tick(at)
}

// Flush returns what is still held back, because the session is over. What was being said is returned as far as it is
// known.
func (d *Deriver) Flush(at time.Time) Output {
	out := Output{Ended: true}
	for len(d.order) > 0 {
		it := d.order[0]
		it.interrupted = it.interrupted || it.speaker == recaller.Assistant && d.unheard(it, at)
		d.tell(it, &out)
	}
	d.items = nil
	return out
}

// take takes in a known event.
func (d *Deriver) take(e Event, at time.Time, out *Output) {
	if d.isAside(e) {
		return
	}
	switch e.Kind {
	case SessionMade, SessionReady:
		d.format(e.Session)
	case SpeechStarted:
		d.begin(e.ItemID, recaller.User, at)
	case Committed:
		if !d.told.has(e.ItemID) {
			it := d.begin(e.ItemID, recaller.User, at)
			d.place(it, e.PreviousItemID)
			d.heardBefore(it)
		}
	case ItemAdded, ItemDone:
		d.added(e, at, out)
	case ItemDeleted:
		if it := d.items[e.ItemID]; it != nil && it.text() == "" {
			it.failed = true
		}
	case ItemTruncated:
		d.truncate(e, at)
	case Transcribing, Transcribed, TranscriptSoFar, TranscriptFailed:
		d.transcript(e, at, out)
	case Saying, Said:
		d.saying(e, at)
	case Audio:
		d.sound(e, decodedLen(e.Delta), at)
	case OutputAdded, OutputDone:
		d.output(e, at, out)
	case ArgumentsDone:
		d.call(e.ItemID, Call{ID: e.CallID, Name: e.Name, Arguments: json.RawMessage(e.Arguments)}, out)
	case ResponseDone:
		d.responded(e, at, out)
	case Failure, Warned:
		out.Faults = append(out.Faults, fault(e.Error, e.ItemID))
		out.Ended = out.Ended || e.Error != nil && e.Error.Code == "session_expired"
	case SpeechStopped, AudioDone, CallCancelled, ResponseBegun: // nothing that changes a turn
	}
}
