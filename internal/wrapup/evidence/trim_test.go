package evidence_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/wrapup/evidence"
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
		{"Maria Lopez booked a tee time for four players", true},
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
		{"Tee Time Booking", true},
		{"Confirm the carts", true},
		{"Caller and Agent agreed", true},
		{"Sunday instead", true}, // the first word of a line may be anything
		{"Moved it to Sunday", false},
	}
	for _, test := range tests {
		got, dropped := evidence.Trim(recaller.Summary{Brief: "A booking.", Facts: []string{test.line}}, turns)
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
	}, turns)
	want := recaller.Summary{Brief: "Maria wants Saturday at ten. Sees Dr. Ames.", Topics: []string{"appointments"}, Decisions: []string{"Saturday at 10"}, By: "model-x"}
	if diff := cmp.Diff(want, got); diff != "" || dropped != 3 {
		t.Errorf("dropped %d, want 3 (-want +got):\n%s", dropped, diff)
	}
}

func TestGermanNounsAreNoNames(t *testing.T) {
	turns := talk("U: Ich brauche einen Termin am Dienstag um 10 Uhr.")
	got, dropped := evidence.Trim(recaller.Summary{
		Brief: "Der Anrufer möchte eine Terminvereinbarung und ist am Dienstag um 10 Uhr da.", Facts: []string{"Das Treffen ist um 11 Uhr"},
	}, turns)
	if got.Brief == "" || len(got.Facts) != 0 || dropped != 1 {
		t.Errorf("got %+v, dropped %d: want the sentence kept and the number dropped", got, dropped)
	}
}
