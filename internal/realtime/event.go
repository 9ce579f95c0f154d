package realtime

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/recallerhq/recaller"
)

// Kind is what an event means, whatever it is called.
type Kind int

// The kinds.
const (
	SessionMade      Kind = iota + 1
	SessionReady          // it has taken its settings
	SpeechStarted         // the caller began to speak
	SpeechStopped         // he paused
	Committed             // what he said is an item
	ItemAdded             // an item of the conversation, whoever put it there
	ItemDone              // it is complete
	ItemDeleted           // it is no part of the conversation any more
	ItemTruncated         // it was cut off after AudioEndMS
	Transcribing          // a piece of a transcript
	TranscriptSoFar       // a whole transcript that may change
	Transcribed           // the transcript
	TranscriptFailed      // there will be no transcript
	Saying                // a piece of what the agent says
	Said                  // all that the agent says in one part
	Audio                 // a piece of it as sound: Delta is base64
	AudioDone             // there is no more sound of it
	OutputAdded           // an item of a response
	OutputDone            // it is complete
	ArgumentsDone         // the model calls a function
	CallCancelled         // a call that is not wanted any more: it takes no result
	ResponseBegun
	ResponseDone
	Warned // the session goes on
	Failure
)

// kinds holds the events that mean something here, by their names in both generations, client events among them.
var kinds = map[string]Kind{
	"session.created": SessionMade, "session.updated": SessionReady,
	"input_audio_buffer.speech_started":                     SpeechStarted,
	"input_audio_buffer.speech_stopped":                     SpeechStopped,
	"input_audio_buffer.committed":                          Committed,
	"conversation.item.added":                               ItemAdded,
	"conversation.item.created":                             ItemAdded,
	"conversation.item.done":                                ItemDone,
	"conversation.item.retrieved":                           ItemDone,
	"conversation.item.deleted":                             ItemDeleted,
	"conversation.item.truncate":                            ItemTruncated,
	"conversation.item.truncated":                           ItemTruncated,
	"conversation.item.input_audio_transcription.delta":     Transcribing,
	"conversation.item.input_audio_transcription.updated":   TranscriptSoFar,
	"conversation.item.input_audio_transcription.completed": Transcribed,
	"conversation.item.input_audio_transcription.failed":    TranscriptFailed,
	"response.output_audio_transcript.delta":                Saying,
	"response.audio_transcript.delta":                       Saying,
	"response.output_text.delta":                            Saying,
	"response.text.delta":                                   Saying,
	"response.output_audio_transcript.done":                 Said,
	"response.audio_transcript.done":                        Said,
	"response.output_text.done":                             Said,
	"response.text.done":                                    Said,
	"response.output_audio.delta":                           Audio,
	"response.audio.delta":                                  Audio,
	"response.output_audio.done":                            AudioDone,
	"response.audio.done":                                   AudioDone,
	"response.output_item.added":                            OutputAdded,
	"response.output_item.done":                             OutputDone,
	"response.function_call_arguments.done":                 ArgumentsDone,
	"response.created":                                      ResponseBegun,
	"response.done":                                         ResponseDone,
	"error":                                                 Failure,
}

// Event is the union of the events that mean something here, in the words of OpenAI's API.
type Event struct {
	Kind    Kind `json:"-"`
	IsVoice bool `json:"-"` // it speaks of audio, not of written text
	IsAhead bool `json:"-"` // of Saying: its words come before their audio, not with it

	ItemID         string     `json:"item_id"`
	PreviousItemID *string    `json:"previous_item_id"`
	ContentIndex   int        `json:"content_index"`
	ResponseID     string     `json:"response_id"`
	CallID         string     `json:"call_id"`
	Name           string     `json:"name"`
	Arguments      string     `json:"arguments"`
	Transcript     string     `json:"transcript"`
	Text           string     `json:"text"`
	Delta          string     `json:"delta"`
	AudioEndMS     float64    `json:"audio_end_ms"`
	Logprobs       []logprob  `json:"logprobs"`
	Session        *session   `json:"session"`
	Item           *Item      `json:"item"`
	Response       *Response  `json:"response"`
	Error          *wireError `json:"error"`
}

type logprob struct {
	Logprob float64 `json:"logprob"`
}

// Item is an item of a conversation, as an event tells of it.
type Item struct {
	ID        string    `json:"id"`
	Type      string    `json:"type"`
	Role      string    `json:"role"`
	Status    string    `json:"status"`
	Content   []content `json:"content"`
	CallID    string    `json:"call_id"`
	Name      string    `json:"name"`
	Arguments string    `json:"arguments"`
}

type content struct {
	Type       string `json:"type"`
	Text       string `json:"text"`
	Transcript string `json:"transcript"`
}

// Response is what the model answers, as an event tells of it.
type Response struct {
	ID             string          `json:"id"`
	Status         string          `json:"status"`
	ConversationID json.RawMessage `json:"conversation_id"`
	Output         []Item          `json:"output"`
	StatusDetails  *struct {
		Error *wireError `json:"error"`
	} `json:"status_details"`
	Usage *struct {
		OutputTokenDetails struct {
			AudioTokens int `json:"audio_tokens"`
		} `json:"output_token_details"`
	} `json:"usage"`
}

type wireError struct {
	Type string `json:"type"`
	Code string `json:"code"`
}

type session struct {
	OutputAudioFormat string `json:"output_audio_format"` // beta
	Audio             struct {
		Output struct {
			Format struct {
				Type string `json:"type"`
				Rate int    `json:"rate"`
			} `json:"format"`
		} `json:"output"`
	} `json:"audio"`
}

// Read reads an event of OpenAI's or xAI's; ok is false for one that means nothing here, of which only the name is read.
// After an error (recaller.Invalid) nothing is amiss but the event. Of a piece of audio no more is looked at than is needed.
func Read(raw []byte) (e Event, ok bool, err error) {
	name, err := nameOf(raw)
	if err != nil {
		return e, false, err
	}
	kind, ok := kinds[name]
	switch {
	case !ok:
		return e, false, nil
	case kind == Audio:
		of := gjson.GetManyBytes(raw, "item_id", "response_id", "delta")
		e = Event{ItemID: of[0].String(), ResponseID: of[1].String(), Delta: of[2].String()}
	default:
		if err := json.Unmarshal(raw, &e); err != nil {
			return Event{}, false, recaller.InvalidField("event", "has a field of the wrong type")
		}
	}
	e.Kind, e.IsVoice = kind, strings.Contains(name, "audio")
	if needsItem(kind) && e.ItemID == "" {
		return Event{}, false, recaller.InvalidField("event.item_id", "is required")
	}
	if len(e.ItemID) > maxID || len(e.CallID) > maxID || len(e.ResponseID) > maxID {
		return Event{}, false, recaller.InvalidField("event", "has an id of more than %d bytes", maxID)
	}
	return e, true, nil
}

// nameOf reads the name of an event.
func nameOf(raw []byte) (string, error) {
	if len(raw) > MaxEvent {
		return "", recaller.InvalidField("event", "must be at most %d bytes", MaxEvent)
	}
	if !gjson.ValidBytes(raw) {
		return "", recaller.InvalidField("event", "must be a JSON object with a type")
	}
	name := gjson.GetBytes(raw, "type")
	if name.Type != gjson.String || name.Str == "" {
		return "", recaller.InvalidField("event.type", "is required")
	}
	return name.Str, nil
}

// maxID bounds the ids that the APIs give.
const maxID = 256

// needsItem reports whether an event makes no sense without the id of its item.
func needsItem(k Kind) bool {
	switch k {
	case Committed, ItemTruncated, Transcribing, TranscriptSoFar, Transcribed, TranscriptFailed, Saying, Said, Audio:
		return true
	default:
		return false
	}
}

func fault(e *wireError, item string) Fault {
	if e == nil {
		return Fault{Item: item}
	}
	return Fault{Type: e.Type, Code: e.Code, Item: item}
}

// decodedLen returns how many bytes a base64 text stands for.
func decodedLen(s string) int {
	return base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(s, "=")))
}
