package forgotten_test

import (
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
)

// What a turn says beside what is to be forgotten is told, and nothing of that: neither in other words of the same
// turn, nor read back, nor in a question. "" is a turn that is not told at all.
func TestWhatATurnSaysBesideIsTold(t *testing.T) {
	t.Parallel()
	address := gone("address", "12 Elm Street, Leeds", 2)
	pin := gone("pin", "4417", 2)
	debt := gone("debt", "owes his brother two thousand pounds since the divorce", 2)
	dirección := gone("direccion", "Calle Olmo 12", 2)
	adresse := gone("adresse", "Lindenstraße 14 in Potsdam", 2)
	asking, answer := said(3, recaller.User, "", 0), said(4, recaller.Assistant, "", time.Second)
	source, earlier := said(2, recaller.User, "", -time.Hour), said(7, recaller.User, "", -time.Hour)
	for _, tt := range []struct {
		of         recaller.Memory
		turn       recaller.Turn
		says, want string
	}{
		{
			address, asking,
			"Forget my old address, and can I book Thursday at ten?",
			"… can I book Thursday at ten?",
		},
		{address, asking, "forget my old address and can i book thursday at ten", "… can i book thursday at ten"},
		{
			address, asking,
			"Can I book Thursday at ten? And please forget 12 Elm Street, yes, Elm Street, in Leeds.",
			"Can I book Thursday at ten? …",
		},
		{
			address, asking,
			"Could you delete my address? I need a plumber on Friday.",
			"… I need a plumber on Friday.",
		},
		{
			address, asking,
			"Wipe my address please. We sold the flat over the bakery. Thursday at ten, please.",
			"… Thursday at ten, please.",
		},
		{address, asking, "Forget my old address; my new one is 5 Oak Road.", "… my new one is 5 Oak Road."},
		{
			address, asking,
			"Please forget my address. Was it Elm Street? Can I come on Friday?",
			"… Can I come on Friday?",
		},
		{
			address, asking,
			"Do you still have Elm Street? Forget that. And could you send the bill by mail?",
			"… could you send the bill by mail?",
		},
		{address, asking, "I need money, we had to leave Elm Street. Forget that.", ""},
		{address, asking, "Please forget my address, and can you forget that it was over the bakery?", ""},
		{address, asking, "I'd rather you had no address of mine.", ""},
		{
			debt, asking,
			"Forget what I said about my brother. He gambles. Can I book Thursday at ten?",
			"… Can I book Thursday at ten?",
		},
		{
			debt, asking,
			"Forget what I said about my brother. Can he come too? Can I book Thursday at ten?",
			"… Can I book Thursday at ten?",
		},
		{
			debt, asking,
			"Can you lend me money? Forget that, please. I need a plumber on Friday.",
			"… I need a plumber on Friday.",
		},
		{
			adresse, asking,
			"Vergessen Sie bitte meine alte Adresse, und kann ich am Donnerstag um zehn kommen?",
			"… kann ich am Donnerstag um zehn kommen?",
		},
		{
			adresse, asking,
			"vergessen sie die lindenstraße vierzehn und ich brauche am freitag einen klempner",
			"… ich brauche am freitag einen klempner",
		},
		{adresse, asking, "Löschen Sie bitte meine Adresse. Ich brauche am Freitag jemanden in Potsdam.", ""},
		{
			dirección, asking,
			"Olvide mi dirección antigua, y ¿puedo reservar el jueves a las diez?",
			"… ¿puedo reservar el jueves a las diez?",
		},
		{dirección, asking, "borre lo de calle olmo y quiero reservar el jueves", "… quiero reservar el jueves"},
		{
			address, asking,
			"Oubliez mon adresse, et puis-je réserver jeudi à dix heures ?",
			"… puis-je réserver jeudi à dix heures",
		},

		{
			address, answer,
			"Of course, I've removed 12 Elm Street. Thursday at ten is booked.",
			"… Thursday at ten is booked.",
		},
		{
			address, answer,
			"So not Elm Street any more? Shall I book Thursday at ten?",
			"… Shall I book Thursday at ten?",
		},
		{
			debt, answer,
			"I'm sorry, families are hard. I'll delete it. Thursday at ten is booked.",
			"… Thursday at ten is booked.",
		},
		{adresse, answer, "Das ist gelöscht. Am Donnerstag um zehn passt es.", "… Am Donnerstag um zehn passt es."},
		{dirección, answer, "Borrado. ¿Le va bien el jueves en Calle Olmo?", ""},

		{
			pin, source,
			"My pin is 4417. Can I book Thursday at ten? It's four four one seven again.",
			"… Can I book Thursday at ten? …",
		},
		{
			pin, source,
			"My pin is 4417, and I need a plumber on Thursday, did you get four four one seven?",
			"… I need a plumber on Thursday …",
		},
		{
			pin, source,
			"mein pin ist vier vier eins sieben und kann ich am donnerstag kommen",
			"… kann ich am donnerstag kommen",
		},
		{
			pin, source,
			"mi pin es cuatro cuatro uno siete y quiero reservar el jueves",
			"… quiero reservar el jueves",
		},
		{
			debt, source,
			"I lost my job, and I owe my brother two thousand pounds since the divorce. Can I book Thursday?",
			"… Can I book Thursday?",
		},
		{debt, source, "We are broke, and can I book Thursday?", ""},
		{
			address, earlier,
			"I live at 12 Elm Street in Leeds. Can someone come on Monday?",
			"… Can someone come on Monday?",
		},
	} {
		conv := map[int]recaller.ConversationID{3: "now", 4: "now"}[tt.turn.Number]
		if conv == "" {
			conv = "past"
		}
		tt.turn.Text = tt.says
		if got := forgotten.New([]recaller.Memory{tt.of}).Told(conv, tt.turn); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.says, got, tt.want)
		}
	}
}

// A line that quotes a turn tells as much of it as the turn does, with its day.
func TestALineTellsWhatStandsBesideForgottenWords(t *testing.T) {
	t.Parallel()
	v := forgotten.New([]recaller.Memory{gone("address", "12 Elm Street, Leeds", 2)})
	conv := recaller.Conversation{ID: "past", StartedAt: asked.Add(-time.Hour), Summary: &recaller.Summary{
		Brief: "Caller: “I live at 12 Elm Street in Leeds, and can someone come on Monday [19 October 2026]?”",
		Facts: []string{"Caller: “I live at 12 Elm Street in Leeds”"},
	}}
	turns := []recaller.Turn{said(2, recaller.User, "I live at 12 Elm Street in Leeds, and can someone come on Monday?", -time.Hour)}
	got := v.Summary(conv, turns)
	if want := "Caller: “… can someone come on Monday [19 October 2026]?”"; got == nil || got.Brief != want || len(got.Facts) != 0 {
		t.Errorf("got %+v, want %q alone", got, want)
	}
}

// What nothing was kept of is made to be closed from the words that are meant alone: others do not go with it.
func TestTheWordsThatARequestMeans(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ ref, says, want string }{
		{"my door code", "My door code is 4711. Can I book Thursday at ten?", "My door code is 4711. …"},
		{"my address", "I live at 12 Elm Street, and can I book Thursday?", "I live at 12 Elm Street …"},
		{"my old address", "Forget my old address, and can I book Thursday?", "Forget my old address …"},
		{"my door code", "It's 4711, then a hash. Can I get a plumber on Monday?", "It's 4711, then a hash. …"},
		{"the choir", "Can I book Thursday at ten? I sing.", "Can I book Thursday at ten? I sing."},
		{"the choir", "I sing there. Thursday is best.", "I sing there. Thursday is best."},
	} {
		turn := said(2, recaller.User, tt.says, 0)
		if got := forgotten.Spoken(tt.ref, asked, nil).Core(turn); got.Text != tt.want || got.Number != turn.Number {
			t.Errorf("%q: got %q, want %q", tt.says, got.Text, tt.want)
		}
	}
}
