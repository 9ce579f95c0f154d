package label

import (
	"testing"

	"github.com/recallerhq/recaller"
)

// Who is in pain or afraid wants what he asks for, and a business that greets by a name keeps nobody company.
func TestAMoodIsNoComplaintAndAGreetingNoCompany(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		not   string
		words []string // the agent begins
	}{
		{"complaint", []string{"Northfield Bank.", "I'm worried sick, I've lost my card, I need it stopped.", "I've blocked it. A new one is on its way.", "Thank you."}},
		{"complaint", []string{"Heating service.", "The boiler has packed up and it's awful, we're freezing. Can you send somebody?", "Tomorrow at nine?", "Yes please."}},
		{"companionship", []string{"Good morning, Mr Osei?", "Yes, speaking.", "Your blood results are back. Can you come in on Monday at ten?", "Monday at ten, yes."}},
		{"companionship", []string{"Hello, Grandhotel.", "Hi, do you have a pool?", "We do. Is it for the weekend?", "Yes."}},
	} {
		var turns []recaller.Turn
		for i, text := range tt.words {
			speaker := []recaller.Speaker{recaller.Assistant, recaller.User}[i%2]
			turns = append(turns, recaller.Turn{Number: i, Speaker: speaker, Text: text, Confidence: 1})
		}
		if got := Analyse(turns, nil, false, must(t, "service")); got.Intent == tt.not {
			t.Errorf("%q: got %s", tt.words[1], got.Intent)
		}
	}
}
