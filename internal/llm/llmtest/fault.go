package llmtest

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
)

// These faults know the formats; endpointtest has those that do not.

// TooLong refuses a question that is longer than the model reads.
func TooLong() endpointtest.Fault {
	return endpointtest.Failure("too long", nil, endpointtest.Problem{
		Status: http.StatusBadRequest, Kind: "invalid_request_error", Code: "context_length_exceeded",
		Message: "this model's maximum context length is 8192 tokens",
	})
}

// BreakStream ends a streamed answer with an error event after its first word; a whole one with a cut.
func BreakStream() endpointtest.Fault {
	return endpointtest.Fault{Name: "break stream", Send: func(x *endpointtest.Exchange) {
		own := x.Wire.(*exchange)
		if !own.q.Stream {
			endpointtest.CutBody().Send(x)
			return
		}
		x.Head()
		x.First()
		x.Part(own.speaks.broken(x.Quote()))
	}}
}

// InvalidJSON answers what begins as JSON and is none.
func InvalidJSON() endpointtest.Fault {
	return endpointtest.Fault{Name: "invalid json", Instead: func(x *endpointtest.Exchange) {
		x.Write(http.StatusOK, "application/json", []byte(`{"id":"x","choices":[{"message":{"content":"`+x.Wire.Asked()))
	}}
}

// Huge answers with a body of at least n bytes.
func Huge(n int) endpointtest.Fault {
	return changed("huge", func(a *answered) {
		a.text = strings.Repeat(strings.Repeat("and_so_on_", 1000)+" ", n/10_000+1)
	})
}

// NoChoices answers with an empty list where the answer should be.
func NoChoices() endpointtest.Fault {
	return changed("no choices", func(a *answered) { a.nothing = true })
}

// NoContent answers with an empty text.
func NoContent() endpointtest.Fault { return changed("no content", func(a *answered) { a.text = "" }) }

// Truncated answers until the limit was reached: with half of the answer.
func Truncated() endpointtest.Fault {
	return changed("truncated", func(a *answered) {
		runes := []rune(a.text)
		a.text, a.end = string(runes[:len(runes)/2]), endLength
	})
}

// Refusal is a model that will not answer.
func Refusal() endpointtest.Fault {
	return changed("refusal", func(a *answered) { a.end = endRefusal })
}

// Filtered is a provider whose filter holds the answer back.
func Filtered() endpointtest.Fault {
	return changed("filtered", func(a *answered) { a.end = endFilter })
}

// Whole answers in one piece, though the answer was to be streamed.
func Whole() endpointtest.Fault {
	return endpointtest.Fault{Name: "whole", Change: func(w endpointtest.Wire) { w.(*exchange).q.Stream = false }}
}

// NonsenseArguments has the arguments of all calls break off. In a whole answer of Anthropic's there are none then.
func NonsenseArguments() endpointtest.Fault {
	return changed("nonsense arguments", func(a *answered) {
		for i, c := range a.calls {
			a.calls[i].Arguments = c.Arguments[:len(c.Arguments)/2]
		}
	})
}

// Endless calls more tools than there are.
func Endless() endpointtest.Fault {
	return changed("endless", func(a *answered) {
		for i := range 100 {
			a.calls = append(a.calls, Call{"more_" + strconv.Itoa(i), "more", "{}"})
		}
	})
}

// Prose puts words around the answer, and fences.
func Prose() endpointtest.Fault {
	return changed("prose", func(a *answered) {
		a.text = "Sure! Here is what you asked for:\n```json\n" + a.text + "\n```\nTell me if you need anything else."
	})
}

// Thinking puts a thought before the answer, as local reasoning models do.
func Thinking() endpointtest.Fault {
	return changed("thinking", func(a *answered) { a.text = "<think>\nThey want {\"JSON\"}. Let me see.\n</think>\n\n" + a.text })
}

// Nonsense answers something else than what was asked for.
func Nonsense() endpointtest.Fault {
	return changed("nonsense", func(a *answered) { a.text = "The sea is calm today, and the moon lies fair upon the straits." })
}

func changed(name string, change func(a *answered)) endpointtest.Fault {
	return endpointtest.Fault{Name: name, Change: func(w endpointtest.Wire) { change(&w.(*exchange).answer) }}
}

// unknownPart refuses a request for a part of it, in words that are the providers'.
func unknownPart(part Part, vague bool) endpointtest.Fault {
	message := "Unsupported parameter: '" + string(part) + "' is not supported with this model."
	param := string(part)
	switch part {
	case PartSchema, PartObject:
		message, param = "This response_format type is unavailable: "+string(part), "response_format"
	case PartMaxTokens:
		message += " Use 'max_completion_tokens' instead."
	case PartTemperature:
		message = "Unsupported value: 'temperature' does not support this value with this model. Only the default (1) value is supported."
	}
	if vague {
		message, param = "bad request", ""
	}
	return endpointtest.Failure("refused "+string(part), nil, endpointtest.Problem{
		Status: http.StatusBadRequest, Kind: "invalid_request_error", Param: param, Message: message,
	})
}
