package realtime

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/recallerhq/recaller"
)

// kind is what an event means, whatever it is called.
type kind int

const (
	sessionSet kind = iota + 1
	speechStarted
	committed
	itemAdded
	itemDone
	itemDeleted
	itemTruncated
	transcribing     // a piece of a transcript
	transcriptSoFar  // a whole transcript that may change
	transcribed      // the transcript
	transcriptFailed // there will be no transcript
	saying           // a piece of what the agent says
	said             // all that the agent says in one part
	audio
	outputAdded
	outputDone
	argumentsDone
	responseBegun
	responseDone
	failure
)

// kinds holds the events that mean something here, by their names in both generations, client events among them.
var kinds = map[string]kind{
	"session.created": sessionSet, "session.updated": sessionSet,
	"input_audio_buffer.speech_started":                     speechStarted,
	"input_audio_buffer.committed":                          committed,
	"conversation.item.added":                               itemAdded,
	"conversation.item.created":                             itemAdded,
	"conversation.item.done":                                itemDone,
	"conversation.item.retrieved":                           itemDone,
	"conversation.item.deleted":                             itemDeleted,
	"conversation.item.truncate":                            itemTruncated,
	"conversation.item.truncated":                           itemTruncated,
	"conversation.item.input_audio_transcription.delta":     transcribing,
	"conversation.item.input_audio_transcription.updated":   transcriptSoFar,
	"conversation.item.input_audio_transcription.completed": transcribed,
	"conversation.item.input_audio_transcription.failed":    transcriptFailed,
	"response.output_audio_transcript.delta":                saying,
	"response.audio_transcript.delta":                       saying,
	"response.output_text.delta":                            saying,
	"response.text.delta":                                   saying,
	"response.output_audio_transcript.done":                 said,
	"response.audio_transcript.done":                        said,
	"response.output_text.done":                             said,
	"response.text.done":                                    said,
	"response.output_audio.delta":                           audio,
	"response.audio.delta":                                  audio,
	"response.output_item.added":                            outputAdded,
	"response.output_item.done":                             outputDone,
	"response.function_call_arguments.done":                 argumentsDone,
	"response.created":                                      responseBegun,
	"response.done":                                         responseDone,
	"error":                                                 failure,
}

// event is the union of the events that mean something here.
type event struct {
	kind    kind
	isVoice bool // it speaks of audio, not of written text

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
	Item           *wireItem  `json:"item"`
	Response       *response  `json:"response"`
	Error          *wireError `json:"error"`
}

type logprob struct {
	Logprob float64 `json:"logprob"`
}

type wireItem struct {
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

type response struct {
	ID             string          `json:"id"`
	Status         string          `json:"status"`
	ConversationID json.RawMessage `json:"conversation_id"`
	Output         []wireItem      `json:"output"`
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

// parse reads an event. known is false for one that means nothing here; of that only the name is read.
func parse(raw []byte) (e event, known bool, err error) {
	if len(raw) > MaxEvent {
		return e, false, recaller.InvalidField("event", "must be at most %d bytes", MaxEvent)
	}
	var name struct {
		Type *string `json:"type"`
	}
	if err := json.Unmarshal(raw, &name); err != nil {
		return e, false, recaller.InvalidField("event", "must be a JSON object with a type")
	}
	if name.Type == nil || *name.Type == "" {
		return e, false, recaller.InvalidField("event.type", "is required")
	}
	k, known := kinds[*name.Type]
	if !known {
		return e, false, nil
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return event{}, false, recaller.InvalidField("event", "has a field of the wrong type")
	}
	e.kind, e.isVoice = k, strings.Contains(*name.Type, "audio")
	if needsItem(k) && e.ItemID == "" {
		return event{}, false, recaller.InvalidField("event.item_id", "is required")
	}
	if len(e.ItemID) > maxID || len(e.CallID) > maxID || len(e.ResponseID) > maxID {
		return event{}, false, recaller.InvalidField("event", "has an id of more than %d bytes", maxID)
	}
	return e, true, nil
}

// maxID bounds the ids that the APIs give.
const maxID = 256

// needsItem reports whether an event makes no sense without the id of its item.
func needsItem(k kind) bool {
	switch k {
	case committed, itemTruncated, transcribing, transcriptSoFar, transcribed, transcriptFailed, saying, said, audio:
		return true
	case sessionSet, speechStarted, itemAdded, itemDone, itemDeleted, outputAdded, outputDone, argumentsDone,
		responseBegun, responseDone, failure:
	}
	return false
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
