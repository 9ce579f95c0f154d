package label

import (
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
)

// An assistant that writes essays books nothing, and who asks it something has no appointment.
func TestLongAnswersSettleNothing(t *testing.T) {
	t.Parallel()
	advice := strings.Repeat("You could book a table for Friday at seven, and the appointment is confirmed on Monday at nine o'clock once they call you back. ", 5)
	turns := []recaller.Turn{
		{Number: 0, Speaker: recaller.User, Text: "What would you plan for a week in Lisbon?", Confidence: 1},
		{Number: 1, Speaker: recaller.Assistant, Text: advice + "Enjoy the tiles and the trams.", Confidence: 1},
		{Number: 2, Speaker: recaller.User, Text: "Great, which of them is nearest to the castle?", Confidence: 1},
		{Number: 3, Speaker: recaller.Assistant, Text: advice + "Those are the nearest.", Confidence: 1},
	}
	got := Analyse(turns, nil, false, must(t, "service"))
	if got.Outcome != Answered || got.Intent != GeneralInfo {
		t.Errorf("got %s, %s; want general info, and a question that was answered", got.Intent, got.Outcome)
	}
	pasted := "Please shorten this. " + strings.Repeat("I want to cancel my order, your service is a disgrace, and I demand a refund of every penny at once. ", 12)
	turns[0].Text = pasted
	if got := Analyse(turns, nil, false, must(t, "service")); got.Intent != GeneralInfo {
		t.Errorf("something pasted: got %s, want general info", got.Intent)
	}
}
