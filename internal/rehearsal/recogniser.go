package rehearsal

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/recallerhq/recaller/internal/bridge"
	"github.com/recallerhq/recaller/internal/mediastream"
)

// RecogniserOptions say how a Recogniser behaves.
type RecogniserOptions struct {
	Now func() time.Time
	// Listen writes down what was said, in parts that become final one after the other.
	Listen func(audio []byte) []string
	Flux   bool          // it speaks /v2/listen
	Late   time.Duration // from a pause to the words
	Noisy  bool          // the end of an utterance is told by UtteranceEnd only
	Refuse func(session int) error
	// Break says after how much audio a session breaks off; 0: it does not.
	Break func(session int) time.Duration
}

// Recogniser is the server's side of Deepgram's streaming transcripts. Safe for concurrent use.
type Recogniser struct {
	RecogniserOptions

	sessions
	queries []string
}

// NewRecogniser returns a Recogniser.
func NewRecogniser(o RecogniserOptions) *Recogniser {
	r := &Recogniser{RecogniserOptions: o}
	r.refuse, r.sessions.lead = o.Refuse, r.lead
	return r
}

// Queries returns what sessions were opened with over real sockets.
func (r *Recogniser) Queries() []string { return locked(&r.sessions, &r.queries) }

// ServeHTTP serves sessions over real sockets.
func (r *Recogniser) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	note(&r.sessions, &r.queries, req.URL.Path+"?"+req.URL.RawQuery)
	r.sessions.ServeHTTP(w, req)
}

// How Deepgram hears.
const (
	endpointing = 300 * time.Millisecond
	wordless    = time.Second
	reports     = 500 * time.Millisecond // between two messages about what is being said
	hungry      = 10 * time.Second       // without audio, or a sign
)

// hearing is a session.
type hearing struct {
	*Recogniser
	ctx   context.Context
	conn  bridge.Conn
	place time.Duration // in the audio
	since time.Duration // of what is being said
	told  time.Duration // of it
	said  []byte
	hush  time.Duration
	owed  time.Duration // where an utterance ended that is still to be told by UtteranceEnd; 0: none
	turn  int
	over  bool
	// sequence is the number of the last message; Flux only.
	sequence int
}

// lead leads a session to its end.
func (r *Recogniser) lead(ctx context.Context, conn bridge.Conn, n int) {
	h := &hearing{Recogniser: r, ctx: ctx, conn: conn}
	breaks := time.Duration(0)
	if r.Break != nil {
		breaks = r.Break(n)
	}
	if r.Flux {
		h.tell(map[string]any{"type": "Connected", "request_id": "r", "sequence_id": 0})
	}
	for !h.over {
		limited, cancel := context.WithTimeout(ctx, hungry)
		raw, binary, err := conn.Read(limited)
		cancel()
		switch {
		case err != nil:
			_ = conn.Drop() // NET-0001, or nobody is there
			return
		case binary:
			h.hears(raw)
		default:
			h.control(raw)
		}
		if breaks > 0 && h.place >= breaks {
			_ = conn.Drop() // as a server does that breaks off
			return
		}
	}
	_ = conn.Close() // nobody waits for it
}

func (h *hearing) tell(m map[string]any) {
	text, err := json.Marshal(m)
	if err != nil {
		return // no text fails to be one
	}
	_ = h.conn.Write(h.ctx, text) // the next read says that nobody is there
}

func (h *hearing) control(raw []byte) {
	name := gjson.GetBytes(raw, "type").String()
	note(&h.sessions, &h.got, name)
	switch name {
	case "CloseStream":
		if !h.Flux {
			h.ends("close")
			h.tell(map[string]any{
				"type": "Metadata", "request_id": "r", "duration": h.place.Seconds(), "channels": 1,
				"transaction_key": "deprecated", "sha256": "", "created": "2026-01-01T00:00:00.000Z",
			})
		}
		h.over = true
	case "Finalize":
		h.ends("finalize")
	case "ForceEndTurn":
		h.ends("manual")
	}
}

// hears takes audio.
func (h *hearing) hears(audio []byte) {
	took := time.Duration(len(audio)/mediastream.BytesPerMS) * time.Millisecond
	switch {
	case isSpeech(audio):
		if len(h.said) == 0 {
			h.since, h.told = h.place, 0
		}
		h.said, h.hush = append(h.said, audio...), 0
		if length := h.place + took - h.since; length-h.told >= reports {
			h.told = length
			h.report()
		}
	case len(h.said) > 0:
		if h.hush += took; h.hush >= endpointing {
			h.ends("")
		}
	case h.owed > 0:
		if h.hush += took; h.hush >= wordless {
			h.tell(map[string]any{"type": "UtteranceEnd", "channel": []int{0, 1}, "last_word_end": h.owed.Seconds()})
			h.owed = 0
		}
	}
	h.place += took
}

// report tells of what is being said, which is not final.
func (h *hearing) report() {
	words := strings.Join(h.Listen(bytes.Clone(h.said)), " ")
	guess := "so " + words[:len(words)/2]
	if h.Flux {
		h.info("Update", guess)
		return
	}
	h.results(guess, h.since, h.place, false, false, "")
}

// ends tells of what was said: each part is final, and the last one ends the utterance.
func (h *hearing) ends(why string) {
	if len(h.said) == 0 {
		if why == "finalize" {
			h.results("", h.place, h.place, true, false, why)
		}
		return
	}
	parts := h.Listen(h.said)
	if h.Late > 0 && why == "" {
		time.Sleep(h.Late)
	}
	if h.Flux {
		h.info("EndOfTurn", strings.Join(parts, " "))
		h.turn++
	} else {
		length := h.place - h.since
		for i, part := range parts {
			from := h.since + length*time.Duration(i)/time.Duration(len(parts))
			last := i == len(parts)-1
			h.results(part, from, from+length/time.Duration(len(parts)), true, last && !h.Noisy && why == "", why)
		}
		h.owed = 0
		if h.Noisy {
			h.owed = h.place
		}
	}
	h.said, h.hush = nil, 0
}

func (h *hearing) results(text string, from, to time.Duration, final, ends bool, why string) {
	words := []map[string]any{}
	if text != "" {
		words = append(words, map[string]any{"word": text, "start": from.Seconds(), "end": to.Seconds(), "confidence": 0.9})
	}
	h.tell(map[string]any{
		"type": "Results", "channel_index": []int{0, 1}, "start": from.Seconds(), "duration": (to - from).Seconds(), "is_final": final,
		"speech_final": ends, "from_finalize": why == "finalize",
		"channel": map[string]any{"alternatives": []any{map[string]any{"transcript": text, "confidence": 0.9, "words": words}}},
		"metadata": map[string]any{
			"request_id": "r", "model_uuid": "m", "model_info": map[string]any{"name": "general", "version": "1", "arch": "nova-3"},
		},
	})
}

func (h *hearing) info(event, text string) {
	h.sequence++
	h.tell(map[string]any{
		"type": "TurnInfo", "request_id": "r", "sequence_id": h.sequence, "event": event, "turn_index": h.turn, "audio_window_start": h.since.Seconds(),
		"audio_window_end": h.place.Seconds(), "transcript": text, "words": []any{map[string]any{"word": text, "confidence": 0.9}},
		"end_of_turn_confidence": 0.8,
	})
}
