package bridge

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/openai/openai-go/v3/realtime"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/realtime"
)

// What is sent to OpenAI is what its own library would send: it reads all of it, and writes the same.
func TestTheMakersLibraryReadsWhatIsSent(t *testing.T) {
	t.Parallel()
	w, about := Provider{Language: "en"}.withDefaults().wire(1), opening{instructions: "Be kind.", tools: functions(nil), greeting: "Hello."}
	said := w.resume([]realtime.Turn{{Speaker: recaller.User, Text: "Hello"}, {Speaker: recaller.Assistant, Text: "Hi"}})
	semantic := Provider{TurnDetection: json.RawMessage(`{"type":"semantic_vad","eagerness":"low","create_response":false,"interrupt_response":true}`)}.withDefaults().wire(1)
	tests := map[string]any{
		"opening":         w.open(about),
		"semantic":        semantic.open(about),
		"refresh":         w.refresh("Be kind."),
		"audio":           json.RawMessage(w.audio("/38A").text),
		"what was said":   said[0],
		"and answered":    said[1],
		"keys":            w.note("The caller pressed 1"),
		"a result":        w.answer(realtime.Call{ID: "call_1", Name: "recall"}, `{"success":true}`),
		"cut off":         w.cut("item_1", 1500),
		"speak":           w.ask(speak, about),
		"greet":           w.ask(greet, about),
		"go on":           w.ask(goOn, about),
		"speak, not call": w.ask(speakOnly, about),
		"stop":            w.stop(),
		"listen to that":  w.commit(),
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
