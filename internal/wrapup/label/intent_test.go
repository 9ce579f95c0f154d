package label

import "testing"

// Where few words tell the intent, what came of the call does: a time that was settled, what was called off, anger,
// thanks.
func TestTheCourseOfACallTellsTheIntent(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		turns      []string
	}{
		{"a time was settled", "appointment", []string{
			"assistant: Saddlery.", "user: It's the girth of my mare's, somebody will have to see how it sits.",
			"assistant: I could do Tuesday at nine.", "user: Tuesday at nine is perfect.",
		}},
		{"a price was asked on the way to it", "repair-visit", []string{
			"assistant: Saddlery.", "user: Can you send someone out to fix the gate? And how much is that?",
			"assistant: Forty. I could do Tuesday at nine.", "user: Tuesday at nine is perfect.",
		}},
		{"anger without a word of complaint", "complaint", []string{
			"assistant: Saddlery.", "user: You sold me rubbish and you laughed about it. I'm furious.",
			"assistant: I'm so sorry.", "user: You people are liars.",
		}},
		{"whether one has to book is asked, and nothing is booked", "hours", []string{
			"assistant: Sattlerei.", "user: Wann haben Sie geöffnet?", "assistant: Ab neun.", "user: Und brauch ich einen Termin?", "assistant: Nein.",
			"user: Gut, danke.",
		}},
		{"thanks for something", GeneralInfo, []string{
			"assistant: Saddlery.", "user: I only called to say thank you, the bridle you repaired is lovely.", "assistant: That's so kind.", "user: Bye.",
		}},
		{"what is told weighs less than what is asked for", "pricing", []string{
			"assistant: Taller.", "user: Ayer vino el electricista. Quería saber cuánto cuesta una silla de montar.", "assistant: Doscientos.", "user: Vale.",
		}},
		{"the greeting is for anybody", "payment", []string{
			"assistant: Repairs, complaints and refunds, how may I help?", "user: I want to pay my bill.", "assistant: Thank you, that has gone through.",
		}},
		{"what he wants is cut off", "booking", []string{"assistant: Saddlery.", "user: I want to book a table for"}},
	} {
		turns := call(tt.turns...)
		turns[len(turns)-1].Interrupted = tt.want == "booking"
		if got := Analyse(turns, nil, false, must(t, "service")).Intent; got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestWhoIsRungByNameIsKeptCompany(t *testing.T) {
	for _, tt := range []struct {
		opening, answer string
		want            string
	}{
		{"Good evening, Agnes. It's Tom. How was the market?", "Oh, wet. I met the doctor there.", "companionship"},
		{"Guten Abend, Frau Seidel, hier ist Tom. Wie war der Markt?", "Nass. Den Doktor hab ich getroffen.", "companionship"},
		{"Hola, Inés, soy Tomás. ¿Qué tal el mercado?", "Con lluvia. Vi al médico.", "companionship"},
		{"Good evening, Agnes. It's Tom. How was the market?", "I need to see a doctor.", "appointment"},
		{"Good evening, Agnes Street Surgery. How can I help?", "Oh, my knee. I met the doctor there.", "health-consultation"},
		{"Agnes Street Surgery. How can I help?", "Oh, my knee. I met the doctor there.", "health-consultation"},
	} {
		turns := call("assistant: "+tt.opening, "user: "+tt.answer, "assistant: Did you?", "user: Yes.")
		if got := Analyse(turns, nil, false, must(t, "service")).Intent; got != tt.want {
			t.Errorf("%s %s: got %s, want %s", tt.opening, tt.answer, got, tt.want)
		}
	}
}
