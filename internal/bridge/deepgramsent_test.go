package bridge

import (
	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/realtime"
)

// DeepgramSent is a message of each kind that Deepgram's agent is sent, for the tests outside.
func DeepgramSent() []any {
	about := opening{instructions: "Be kind.", tools: functions(nil), greeting: "Hello."}
	again := about
	again.history = []realtime.Turn{{Speaker: recaller.User, Text: "Hello"}, {Speaker: recaller.Assistant, Text: "Hi"}}
	w := Provider{Maker: Deepgram, Language: "en"}.withDefaults().wire(1)
	flux := Provider{Maker: Deepgram, Language: "de", Transcriber: "flux-general-multi", Model: "anthropic/claude-haiku-4-5"}.withDefaults().wire(1)
	return []any{
		w.open(about), w.open(again), flux.open(about), w.alive(), w.refresh("Be kind."), w.note("The caller pressed 1"), w.commit(),
		w.answer(realtime.Call{ID: "call_1", Name: "recall"}, `{"success":true}`),
	}
}
