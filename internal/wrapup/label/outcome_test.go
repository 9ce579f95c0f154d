package label

import (
	"testing"

	"github.com/recallerhq/recaller"
)

// What is only held, put off or thought over is not booked; what is called off in other words than "cancel" is
// cancelled.
func TestOutcomesInOtherWords(t *testing.T) {
	for _, tt := range []struct {
		want  string
		turns []recaller.Turn
	}{
		{Unresolved, call("user: Could somebody tune it before Easter?", "assistant: Monday the thirtieth at two?",
			"user: Pencil that in, would you.", "assistant: I can hold Monday at two for you until noon on Friday.", "user: Right you are.")},
		{Answered, call("user: What does a half day cost?", "assistant: Eleven hundred. Rosa is free on Friday the eighteenth.",
			"user: I'll have to run it by my wife. Don't book anything.", "assistant: Of course.")},
		{Answered, call("user: Was kostet das Abo?", "assistant: Vierzig Euro. Ich hätte Sonntag um drei frei.",
			"user: Das muss ich mir noch überlegen.", "assistant: Gern.")},
		{Booked, call("user: I'm down for tonight and I have a cold.", "assistant: Would the ninth of December do, the same time?",
			"user: The ninth is fine.", "assistant: Moved.", "user: And we'd like to join.", "assistant: I will email you the forms.")},
		{Cancelled, call("user: It's about my place on Thursday. I'm out, I'm afraid.", "assistant: That's all right, you're crossed off the list.")},
		{Cancelled, call("user: el coche de mañana, déjelo", "assistant: ¿anulo entonces el coche de mañana?", "user: sí, anulado")},
		{Booked, call("user: I won't be needing the visit on the fifth. Have you a slot on the tenth?", "assistant: The visit on the fifth is cancelled.",
			"assistant: I could do the tenth at nine.", "user: The tenth at nine, lovely.")},
		{Callback, call("user: I want somebody to explain this bill.", "assistant: Our accountant can call you on Friday at four.",
			"user: Friday at four then.", "assistant: I've put that on the file.")},
		{Resolved, call("user: Somebody used my card in a shop that I never saw.", "assistant: I'll block the card.", "user: Good.")},
	} {
		if got := Analyse(tt.turns, nil, false, must(t, "service")).Outcome; got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.turns[0].Text, got, tt.want)
		}
	}
}

// A time that both sides settled on is a booking where no table knows the words, unless somebody only calls then.
func TestWhatWasAgreedOnIsABooking(t *testing.T) {
	act := func(turns ...int) recaller.Act {
		a := recaller.Act{Kind: recaller.ActSettled}
		for _, n := range turns {
			a.Said = append(a.Said, recaller.Saying{Turn: n})
		}
		return a
	}
	ink := call("user: then ink it", "assistant: inked monday the thirtieth at two o'clock", "user: champion")
	if got := Analyse(ink, []recaller.Act{act(1)}, false, must(t, "service")).Outcome; got != Booked {
		t.Errorf("got %s of what both agreed on, want %s", got, Booked)
	}
	ring := call("user: I need to talk to the vet", "assistant: She can call you on Friday at ten.", "user: Friday at ten.")
	if got := Analyse(ring, []recaller.Act{act(1, 2)}, false, must(t, "service")).Outcome; got != Callback {
		t.Errorf("got %s of a call that was promised, want %s", got, Callback)
	}
}
