package answer

import (
	"encoding/json"

	"github.com/recallerhq/recaller"
)

// The schemas keep to what every provider's strict mode takes: all fields required, no others, and no bounds of lengths
// or numbers, which some refuse. Reading an answer holds the bounds.
const (
	memoriesSchema = `{"type":"object","properties":{"memories":{"type":"array","items":{"type":"object","properties":{` +
		`"type":{"type":"string","enum":["fact","preference","context","follow_up","wellbeing","history"]},` +
		`"key":{"type":"string","description":"a short English name of the thing, in snake_case"},` +
		`"value":{"type":"string","description":"what is to be remembered, at most 200 characters, in the language of the conversation"},` +
		`"confidence":{"type":"number","description":"from 0 to 1"},` +
		`"turns":{"type":"array","items":{"type":"integer"},"description":"the numbers of the turns that say it"},` +
		`"due":{"type":"string","description":"when a follow_up is due, as the caller said it; empty if not said"}},` +
		`"required":["type","key","value","confidence","turns","due"],"additionalProperties":false}}},` +
		`"required":["memories"],"additionalProperties":false}`

	lineList      = `{"type":"array","items":{"type":"string"}}`
	summarySchema = `{"type":"object","properties":{` +
		`"brief":{"type":"string","description":"one or two sentences, at most 300 characters"},` +
		`"topics":` + lineList + `,"decisions":` + lineList + `,"actions":` + lineList + `,"facts":` + lineList + `,` +
		`"next":{"type":"string","description":"context for the next call; empty if there is none"}},` +
		`"required":["brief","topics","decisions","actions","facts","next"],"additionalProperties":false}`
)

// MemoriesSchema is the form that the extraction asks for.
func MemoriesSchema() recaller.Schema {
	return recaller.Schema{Name: "memories", JSON: json.RawMessage(memoriesSchema)}
}

// SummarySchema is the form that the summary asks for.
func SummarySchema() recaller.Schema {
	return recaller.Schema{Name: "summary", JSON: json.RawMessage(summarySchema)}
}
