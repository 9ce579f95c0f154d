package evidence_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/wrapup/evidence"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

func TestASummaryLosesTheLinesWithNamesAndNumbersThatNobodySaid(t *testing.T) {
	turns := talk(
		"A: Thanks for calling Fox Hollow. How can I help?", "U: Hi, it's maria lopez, I need a tee time for Saturday at ten.", "A: For how many players?",
		"U: Four. And two carts. My number is five five five oh one two three.", "A: Done. That's $25 each. Pat will confirm.",
	)
	turns[0].Name = "Alice"
	tests := []struct {
		line string
		kept bool
	}{
		{"Maria Lopez needs a tee time for four players", true},
		{"Maria Lopez booked a tee time for four players", false},
		{"Booked with Maria Gomez", false},
		{"Saturday at 10, 4 players, 2 carts", true},
		{"Saturday at 11", false},
		{"$25 for each player", true},
		{"$250 in all", false},
		{"Pat confirms", true},
		{"Send Bob the invoice", false},
		{"Phone: 555-0123", true},
		{"Phone: 555-0199", false},
		{"Spoke with Alice of Fox Hollow", true},
		{"The caller asked for one tee time", true},
		{"Tee Time Booking", false},
		{"Confirm the carts", true},
		{"Caller and Agent agreed", false},
		{"Sunday instead", false},
		{"Moved it to Sunday", false},
	}
	for _, test := range tests {
		got, dropped := evidence.Trim(recaller.Summary{Facts: []string{test.line}}, reading.Of(turns, saturday, false))
		if kept := len(got.Facts) == 1; kept != test.kept || kept == (dropped == 1) {
			t.Errorf("%q: kept %v, dropped %d, want kept %v", test.line, kept, dropped, test.kept)
		}
	}
}

func TestProseLosesOnlyTheSentencesThatNobodySaid(t *testing.T) {
	turns := talk("U: I'm Maria. I want Saturday at ten.", "A: Dr. Ames will see you.")
	got, dropped := evidence.Trim(recaller.Summary{
		Brief: "Maria wants Saturday at ten. She was told to ask Bob Smith. Sees Dr. Ames.", Topics: []string{"appointments"}, Decisions: []string{"Saturday at 10", "Room 12"},
		Next: "Bring form 17.", By: "model-x",
	}, reading.Of(turns, saturday, false))
	want := recaller.Summary{Brief: "Maria wants Saturday at ten. Sees Dr. Ames.", Decisions: []string{"Saturday at 10"}, By: "model-x"}
	if diff := cmp.Diff(want, got); diff != "" || dropped != 4 {
		t.Errorf("dropped %d, want 4 (-want +got):\n%s", dropped, diff)
	}
}

func TestASentenceThatGoesTakesAlongWhatLeansOnIt(t *testing.T) {
	turns := talk("U: My dad turns seventy. He wants no party at all. I need a cake for nine.")
	got, dropped := evidence.Trim(recaller.Summary{
		Brief: "Caller bakes a cake for Bob. He wants no party. Caller needs a cake for nine.", Next: "He wants no party.",
	}, reading.Of(turns, saturday, false))
	if got.Brief != "Caller needs a cake for nine." || got.Next != "He wants no party." || dropped != 2 {
		t.Errorf("got %+v, dropped %d", got, dropped)
	}
}

func TestGermanNounsAreNoNames(t *testing.T) {
	turns := talk("U: Ich brauche einen Termin am Dienstag um 10 Uhr.")
	got, dropped := evidence.Trim(recaller.Summary{
		Brief: "Der Anrufer braucht einen Termin am Dienstag um 10 Uhr.", Facts: []string{"Das Treffen ist um 11 Uhr"},
	}, reading.Of(turns, saturday, false))
	if got.Brief == "" || len(got.Facts) != 0 || dropped != 1 {
		t.Errorf("got %+v, dropped %d: want the sentence kept and the number dropped", got, dropped)
	}
}

func TestASummaryTellsOnlyWhatWasSaidAndOfWhomItWasSaid(t *testing.T) {
	turns := talk(
		"A: Hello, my name is Jennifer, thank you for calling Copper Bank.", "U: hi it's maria lopez, has the new debit card been sent yet?",
		"A: I can't see that yet. I'll ask the card team and phone you back on Monday.", "U: Fine. And could you book me a meeting about a loan?",
		"A: I have booked you a meeting with Pat Ames on Thursday at ten. Is your address still 14 Mill Lane?", "U: Yes. I haven't paid the fee, is that all right?",
		"A: That's all right.", "U: My brother may come along. I don't want any paper statements.",
	)
	tests := []struct {
		line string
		kept bool
	}{
		{"Caller asked about a new debit card", true},
		{"Confirmed the card was sent", false},
		{"The debit card has been sent", false},
		{"Agent will phone back on Monday", true},
		{"Caller will phone the card team back on Monday", false},
		{"Agent sent the debit card on Monday", false},
		{"My name is Jennifer", false},
		{"Is the address still 14 Mill Lane?", false},
		{"Caller's name is Jennifer", false},
		{"Jennifer asked about a debit card", false},
		{"Agent Jennifer booked a meeting about a loan", true},
		{"Maria Lopez asked about a debit card", true},
		{"I booked you a meeting", false},
		{"Meeting booked with Pat Ames on Thursday at 10", true},
		{"Meeting booked with Pat Ames on Thursday at 11", false},
		{"Meeting with Pat Ames on Friday at ten", false},
		{"Caller's address is 14 Mill Lane", true},
		{"Caller's address is 15 Mill Lane", false},
		{"Caller paid the fee", false},
		{"Caller has not paid the fee", true},
		{"Caller wants paper statements", false},
		{"Caller does not want paper statements", true},
		{"The loan was approved", false},
		{"Caller was satisfied with the service", false},
		{"Caller asked “has the new debit card been sent yet?”", true},
		{"Caller said “the new debit card has been sent”", false},
		{"Agent asked “has the new debit card been sent yet?”", false},
		{"Assistant: I will send the card", false},
		{"Agent promised to send the debit card", false},
		{"Caller's brother may come along", true},
		{"The loan is for the caller's brother", false},
	}
	for _, test := range tests {
		got, _ := evidence.Trim(recaller.Summary{Brief: "A loan.", Facts: []string{test.line}}, reading.Of(turns, saturday, false))
		if kept := len(got.Facts) == 1; kept != test.kept {
			t.Errorf("%q: kept %v, want %v", test.line, kept, test.kept)
		}
	}
}

func TestWhatWasOfferedOrBiddenIsNotToldAsChosenOrDone(t *testing.T) {
	turns := talk(
		"U: I need a cake for my dad.", "A: What flavour, chocolate, carrot or lemon poppy seed?", "U: Oh, lemon poppy seed. Call the cell, not the house.",
		"A: Sure. How is it paid?", "U: By card. Please knock on the green door at the back. I want to text my sister the price.", "A: All right.",
		"U: Can you send the receipt to my brother?", "A: I will. Do you want candles?", "U: Yes.",
	)
	tests := []struct {
		line string
		kept bool
	}{
		{"The cake is lemon poppy seed", true},
		{"The cake is made of chocolate and lemon poppy seed", false},
		{"Caller wants a chocolate cake", false},
		{"Flavour is chocolate or lemon poppy seed", true},
		{"Caller wants candles", true},
		{"Caller wants to call the cell, not the house", false},
		{"Call the cell, not the house", true},
		{"Caller wants to text the price to the sister", true},
		{"Caller wants to send the receipt to the brother", false},
		{"Caller knocked on the green door at the back", false},
		{"Knock on the green door at the back", true},
	}
	for _, test := range tests {
		got, _ := evidence.Trim(recaller.Summary{Facts: []string{test.line}}, reading.Of(turns, saturday, false))
		if kept := len(got.Facts) == 1; kept != test.kept {
			t.Errorf("%q: kept %v, want %v", test.line, kept, test.kept)
		}
	}
}
