package bridge

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/openai/openai-go/v3/realtime"

	"github.com/recallerhq/recaller"
)

// What is sent to OpenAI is what its own library would send: it reads all of it, and writes the same.
func TestTheMakersLibraryReadsWhatIsSent(t *testing.T) {
	t.Parallel()
	p := Provider{Language: "en"}.withDefaults()
	semantic := Provider{TurnDetection: json.RawMessage(`{"type":"semantic_vad","eagerness":"low","create_response":false,"interrupt_response":true}`)}.withDefaults()
	tests := map[string]any{
		"opening":         p.opening("Be kind.", functions(nil)),
		"semantic":        semantic.opening("Be kind.", functions(nil)),
		"refresh":         p.refresh("Be kind."),
		"audio":           json.RawMessage(appended("/38A")),
		"what was said":   p.said("h1", recaller.User, "Hello"),
		"and answered":    p.said("h2", recaller.Assistant, "Hi"),
		"keys":            told("The caller pressed 1"),
		"a result":        answered("call_1", `{"success":true}`),
		"cut off":         truncate{"conversation.item.truncate", "item_1", 0, 1500},
		"speak":           responseCreate{"response.create", nil},
		"greet":           responseCreate{"response.create", &responseWire{Instructions: "Say hello."}},
		"speak, not call": responseCreate{"response.create", &responseWire{Choice: "none"}},
		"stop":            stop,
		"listen to that":  commit,
	}
	for name, what := range tests {
		text, err := json.Marshal(what)
		if err != nil {
			t.Fatal(err)
		}
		var event sdk.RealtimeClientEventUnionParam
		if err := json.Unmarshal(text, &event); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		again, err := json.Marshal(event)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var ours, theirs any
		if err := json.Unmarshal(text, &ours); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(again, &theirs); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(theirs, ours); diff != "" {
			t.Errorf("%s: (-theirs +ours)\n%s", name, diff)
		}
	}
}
