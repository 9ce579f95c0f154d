// Package utterance makes utterances of what a streaming recogniser writes down (spec V12): of Deepgram's streaming
// transcripts, as /v1/listen sends them, and Flux (/v2/listen). It is pure: messages in, utterances out.
//
// Only what is final counts. A recogniser tells an utterance in several parts, of which each is final for its piece of
// audio; Joiner puts them together. Weaver puts what the two sides of a call said in the order in which they began.
//
// It holds no connections and keeps nothing (ears does).
package utterance

import (
	"encoding/json"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/recallerhq/recaller"
)

// Utterance is what somebody said in one go. It is never empty, and has at most recaller.MaxTurnBytes.
type Utterance struct {
	Text       string
	Start, End time.Duration // in the audio of the session
	Confidence float64       // 0 to 1
}

// Heard is what a message leads to.
type Heard struct {
	Utterances []Utterance
	Fault      string // the recogniser's code of an error
	IsLast     bool   // nothing more comes
}

// MaxMessage bounds a message, in bytes; a longer one is refused.
const MaxMessage = 1 << 20

// Joiner joins what a recogniser writes down in one session. The zero value is ready. It is not safe for concurrent use.
type Joiner struct {
	parts      []string // final, and not an utterance yet
	bytes      int
	sure       float64 // of the parts, weighted by their letters
	start, end time.Duration

	open  bool // something is being said that is not final
	since time.Duration
	turn  int64 // Flux's number of the last turn that ended, plus one
}

// Open reports since when something is being said which is no utterance yet.
func (j *Joiner) Open() (since time.Duration, ok bool) {
	switch {
	case len(j.parts) > 0:
		return j.start, true
	case j.open:
		return j.since, true
	}
	return 0, false
}

// message is the union of the messages that mean something here.
type message struct {
	Start   float64 `json:"start"`
	Length  float64 `json:"duration"`
	Final   bool    `json:"is_final"`
	Ends    bool    `json:"speech_final"`
	Asked   bool    `json:"from_finalize"` // it was asked for all that is there
	Code    string  `json:"code"`
	Channel struct {
		Alternatives []written `json:"alternatives"`
	} `json:"channel"`

	// Flux
	Event string  `json:"event"`
	Turn  int64   `json:"turn_index"`
	From  float64 `json:"audio_window_start"`
	To    float64 `json:"audio_window_end"`
	written
}

// written is what was written down.
type written struct {
	Transcript string   `json:"transcript"`
	Confidence *float64 `json:"confidence"`
	Words      []word   `json:"words"`
}

type word struct {
	Start      *float64 `json:"start"`
	End        *float64 `json:"end"`
	Confidence *float64 `json:"confidence"`
}

// Read takes a message. After an error (recaller.Invalid), which holds nothing of it, all is as before.
func (j *Joiner) Read(raw []byte) (Heard, error) {
	if len(raw) > MaxMessage {
		return Heard{}, recaller.InvalidField("message", "must be at most %d bytes", MaxMessage)
	}
	if !gjson.ValidBytes(raw) {
		return Heard{}, recaller.InvalidField("message", "must be a JSON object with a type")
	}
	kind := gjson.GetBytes(raw, "type")
	if kind.Type != gjson.String {
		return Heard{}, recaller.InvalidField("message.type", "is required")
	}
	var m message
	switch kind.Str {
	case "Results", "TurnInfo", "Error":
		if err := json.Unmarshal(raw, &m); err != nil {
			return Heard{}, recaller.InvalidField("message", "has a field of the wrong type")
		}
	}
	switch kind.Str {
	case "Results":
		return Heard{Utterances: j.results(m)}, nil
	case "UtteranceEnd":
		return Heard{Utterances: j.Flush()}, nil
	case "TurnInfo":
		return Heard{Utterances: j.turnInfo(m)}, nil
	case "Metadata":
		return Heard{Utterances: j.Flush(), IsLast: true}, nil
	case "Error":
		return Heard{Fault: m.Code}, nil
	}
	return Heard{}, nil
}

// results takes what was written down of a piece of audio.
func (j *Joiner) results(m message) (out []Utterance) {
	w := written{}
	if len(m.Channel.Alternatives) > 0 {
		w = m.Channel.Alternatives[0]
	}
	text := strings.TrimSpace(w.Transcript)
	from, to := w.span(m.Start, m.Start+m.Length)
	if !m.Final && !m.Ends && !m.Asked {
		if text != "" && !j.open {
			j.open, j.since = true, from
		}
		return nil
	}
	j.open = false
	if text != "" {
		out = j.add(text, from, to, w.sure())
	}
	if m.Ends || m.Asked {
		out = append(out, j.Flush()...)
	}
	return out
}

// turnInfo takes where a turn of Flux's stands. A turn ends once.
func (j *Joiner) turnInfo(m message) []Utterance {
	text := strings.TrimSpace(m.Transcript)
	from, to := m.span(m.From, m.To)
	switch {
	case m.Turn < j.turn:
		return nil
	case m.Event != "EndOfTurn":
		if text != "" && !j.open {
			j.open, j.since = true, from
		}
		return nil
	}
	j.open, j.turn = false, m.Turn+1
	if text == "" {
		return nil
	}
	return append(j.add(text, from, to, m.sure()), j.Flush()...)
}

// add takes a part that is final. What is too long for one utterance becomes several.
func (j *Joiner) add(text string, from, to time.Duration, sure float64) (out []Utterance) {
	text = strings.ToValidUTF8(text, "\uFFFD")
	for len(text) > recaller.MaxTurnBytes {
		n := recaller.MaxTurnBytes
		for n > 0 && !utf8.RuneStart(text[n]) {
			n--
		}
		out = append(out, j.add(text[:n], from, to, sure)...)
		text = strings.TrimSpace(text[n:])
	}
	if j.bytes+len(text)+len(j.parts) > recaller.MaxTurnBytes {
		out = append(out, j.Flush()...)
	}
	if text == "" {
		return out
	}
	if len(j.parts) == 0 {
		j.start = from
	}
	j.parts, j.bytes, j.end = append(j.parts, text), j.bytes+len(text), max(to, j.start)
	j.sure += sure * float64(len(text))
	return out
}

// Flush returns what is final and no utterance yet, because nothing more comes.
func (j *Joiner) Flush() []Utterance {
	if len(j.parts) == 0 {
		return nil
	}
	u := Utterance{strings.Join(j.parts, " "), j.start, j.end, min(1, j.sure/float64(j.bytes))}
	j.parts, j.bytes, j.sure = nil, 0, 0
	return []Utterance{u}
}

// span is where the words are in the audio; without times of theirs, where the piece is.
func (w written) span(from, to float64) (time.Duration, time.Duration) {
	if n := len(w.Words); n > 0 {
		if first := w.Words[0].Start; first != nil {
			from = *first
		}
		if last := w.Words[n-1].End; last != nil {
			to = *last
		}
	}
	return seconds(from), seconds(to)
}

// sure is how sure the recogniser is: by its own word, else by those of the words; 1 if it does not say.
func (w written) sure() float64 {
	if w.Confidence != nil {
		return share(*w.Confidence)
	}
	sum, n := 0.0, 0
	for _, one := range w.Words {
		if one.Confidence != nil {
			sum, n = sum+share(*one.Confidence), n+1
		}
	}
	if n == 0 {
		return 1
	}
	return sum / float64(n)
}

func share(f float64) float64 {
	if math.IsNaN(f) {
		return 0
	}
	return min(1, max(0, f))
}

// maxSeconds bounds a place in a session: a day.
const maxSeconds = 24 * 3600

func seconds(f float64) time.Duration {
	if math.IsNaN(f) {
		return 0
	}
	return time.Duration(min(maxSeconds, max(0, f)) * float64(time.Second))
}
