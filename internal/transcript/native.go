package transcript

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// nativeConversation is the shape of POST /v1/conversations/import. Fields that are not named here are left alone.
type nativeConversation struct {
	Caller struct {
		Phone      string `json:"phone"`
		ExternalID string `json:"external_id"`
		Name       string `json:"name"`
	} `json:"caller"`
	ExternalID    string             `json:"external_id"`
	Channel       recaller.Channel   `json:"channel"`
	Direction     recaller.Direction `json:"direction"`
	Status        recaller.Status    `json:"status"`
	StartedAt     string             `json:"started_at"`
	EndedAt       string             `json:"ended_at"`
	Duration      float64            `json:"duration_seconds"`
	RecordingURL  string             `json:"recording_url"`
	Wrapup        *bool              `json:"wrapup"`
	Turns         []nativeTurn       `json:"turns"`
	Conversations []json.RawMessage  `json:"conversations"`
}

type nativeTurn struct {
	Speaker     string   `json:"speaker"`
	Text        string   `json:"text"`
	At          string   `json:"at"`
	Name        string   `json:"name"`
	Confidence  *float64 `json:"confidence"`
	Interrupted bool     `json:"interrupted"`
}

func parseNative(r io.Reader, opts Options) iter.Seq2[Conversation, error] {
	return func(yield func(Conversation, error) bool) {
		ids := unique{}
		for it, err := range items(r) {
			if err != nil {
				yield(Conversation{}, err)
				return
			}
			for conv, err := range nativeItem(it, opts, ids) {
				if !yield(conv, err) || err != nil {
					return
				}
			}
		}
	}
}

// nativeItem reads one conversation, or several under "conversations".
func nativeItem(it item, opts Options, ids unique) iter.Seq2[Conversation, error] {
	return func(yield func(Conversation, error) bool) {
		var in nativeConversation
		if err := it.into(&in); err != nil {
			yield(Conversation{}, err)
			return
		}
		if in.Conversations == nil {
			yield(in.conversation(it.line, "", opts, ids))
			return
		}
		for i, raw := range in.Conversations {
			var one nativeConversation
			if err := (item{raw: raw, line: it.line}).into(&one); err != nil {
				yield(Conversation{}, err)
				return
			}
			if one.Wrapup == nil {
				one.Wrapup = in.Wrapup
			}
			if !yield(one.conversation(it.line, fmt.Sprintf("conversations[%d].", i), opts, ids)) {
				return
			}
		}
	}
}

// conversation checks what was read and fills in what the file leaves to the options.
func (in nativeConversation) conversation(line int, prefix string, opts Options, ids unique) (Conversation, error) {
	wrong := func(field, format string, args ...any) (Conversation, error) {
		return Conversation{}, at(line, prefix+field, format, args...)
	}
	c := Conversation{
		Caller: Caller{
			Phone: strings.TrimSpace(in.Caller.Phone), ExternalID: strings.TrimSpace(in.Caller.ExternalID),
			Name: in.Caller.Name,
		},
		ExternalID: in.ExternalID, Channel: in.Channel, Direction: in.Direction, Status: in.Status,
		StartedAt: opts.StartedAt, Duration: time.Duration(in.Duration * float64(time.Second)),
		RecordingURL: in.RecordingURL, NoWrapup: in.Wrapup != nil && !*in.Wrapup,
	}
	if !c.Caller.known() {
		c.Caller = opts.Caller
	}
	switch {
	case !c.Caller.known():
		return wrong("caller", "expected a phone or an external_id")
	case c.ExternalID != "" && ids[c.ExternalID] > 0:
		return wrong("external_id", "is the same as that of an earlier conversation")
	case c.Channel != "" && !c.Channel.Valid():
		return wrong("channel", "expected one of %v", recaller.Channels())
	case c.Direction != "" && !c.Direction.Valid():
		return wrong("direction", "expected inbound or outbound")
	case c.Status != "" && c.Status != recaller.Completed && c.Status != recaller.Failed:
		return wrong("status", "expected completed or failed")
	case in.StartedAt == "" && opts.StartedAt.IsZero():
		return wrong("started_at", "expected a time such as 2026-03-01T10:00:00Z")
	case in.Duration < 0:
		return wrong("duration_seconds", "expected a number of seconds")
	case len(in.Turns) == 0:
		return wrong("turns", "expected at least one turn")
	}
	ids.take(c.ExternalID)
	var ok bool
	if c.StartedAt, ok = timeOr(in.StartedAt, opts.StartedAt); !ok {
		return wrong("started_at", "expected a time such as 2026-03-01T10:00:00Z")
	}
	if c.EndedAt, ok = timeOr(in.EndedAt, time.Time{}); !ok || (!c.EndedAt.IsZero() && c.EndedAt.Before(c.StartedAt)) {
		return wrong("ended_at", "expected a time such as 2026-03-01T10:00:00Z, not before started_at")
	}
	for i, t := range in.Turns {
		turn, field, problem := t.turn()
		if problem != "" {
			return wrong(fmt.Sprintf("turns[%d].%s", i, field), "%s", problem)
		}
		c.add(turn)
	}
	return c.withDefaults(), nil
}

// turn checks a turn; on a problem it names the field and says what was expected.
func (in nativeTurn) turn() (turn recaller.Turn, field, problem string) {
	side := sideOf(in.Speaker)
	when, ok := timeOr(in.At, time.Time{})
	switch {
	case side == "":
		return turn, "speaker", "expected user or assistant"
	case strings.TrimSpace(in.Text) == "":
		return turn, "text", "expected what was said"
	case len(in.Text) > recaller.MaxTurnBytes:
		return turn, "text", fmt.Sprintf("expected at most %d bytes", recaller.MaxTurnBytes)
	case !ok:
		return turn, "at", "expected a time such as 2026-03-01T10:00:00Z"
	case in.Confidence != nil && (*in.Confidence < 0 || *in.Confidence > 1):
		return turn, "confidence", "expected a number from 0 to 1"
	}
	turn = recaller.Turn{
		Speaker: side, Text: in.Text, Name: in.Name, At: when, Confidence: 1, Interrupted: in.Interrupted,
	}
	if in.Confidence != nil {
		turn.Confidence = *in.Confidence
	}
	return turn, "", ""
}
