package forgotten_test

import (
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
)

// What a caller says, what the agent answers, and which of these memories are to be forgotten.
var held = map[string]string{
	"callum":  "“Callum. He's lost his job, at the garage, and his mother doesn't know.”",
	"loan":    "“i loaned my nephew roald four thousand dollars in january for his truck”",
	"ivf":     "“Yeah, I'm doing IVF, so I'm on hormones”",
	"books":   "“my son owns nine books and wants mine thrown out”",
	"shirts":  "“the treadmill I gave to my son, who can use it to dry shirts on”",
	"keysafe": "“the key safe is four zero seven seven”",
	"address": "“I live at 29 Hallam Street”",
	"hund":    "“Mein Hund beißt manchmal”",
	"hermano": "“Mi hermano está en la cárcel”",
	"ex":      "“I had a bit of trouble with an ex”",

	"caller_name": "Nadja Perl",
	"cat_name":    "Tinker",
}

func TestWhatACallerAsksInWordsToForget(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ said, answer, want string }{
		{"What I told you about Callum. Before Christmas. I want you to forget that. Take it out.", "I'll take out what you told me about Callum.", "callum"},
		{"please forget what i said about callum", "Of course.", "callum"},
		{"that thing about callum i told you strike that", "", "callum"},
		{"Now listen. That money business I told you. With the boy. Forget it. Strike it out.", "All right. I'll strike what you told me about the money.", "loan"},
		{"forget about the loan i told you about would you", "that's forgotten", "loan"},
		{"i told you about the um the ivf stuff and i don't want that written down anywhere like i've changed my mind", "of course i'll have that taken out", "ivf"},
		{"the ivf thing i mentioned can you delete that from my file", "done", "ivf"},
		{"I don't want what I said about the IVF written down.", "", "ivf"},
		{"And forget what I said about my son and the books.", "It's forgotten.", "books"},
		{"listen that key safe number i gave craig i want that deleting dont keep it written down anywhere", "yeah ill take that off the file", "keysafe"},
		{"Please delete my address from your notes.", "It's deleted.", "address"},
		{"Could you wipe my address, I've moved on.", "That's gone.", "address"},
		{"I'd like you to forget what I told you about the ex.", "That's gone.", "ex"},
		{"Please delete the ex, don't write it down.", "", "ex"},
		{"No. Forget that bit about the ex, would you. Just unit two.", "That's gone. See you on Monday.", "ex"},
		{"Bitte vergessen Sie das mit dem Hund.", "Das ist gelöscht.", "hund"},
		{"Was ich Ihnen über den Hund gesagt habe, streichen Sie das bitte.", "Gestrichen.", "hund"},
		{"können sie das mit dem hund bitte löschen", "ist gelöscht", "hund"},
		{"Olvide lo de mi hermano, por favor.", "Olvidado.", "hermano"},
		{"borre lo que le dije sobre mi hermano", "lo borro ahora", "hermano"},
		{"Can you take it out, what I said about the key safe?", "Yes.", "keysafe"},
		{"can you take that out of your notes what i told you about my nephew roald", "sure", "loan"},

		{"Please forget my address.", "", "address"},
		{"could you just delete my address", "", "address"},
		{"Vergessen Sie bitte meine Adresse.", "", "address"},
		{"löschen sie doch bitte meine adresse", "", "address"},
		{"Olvide mi dirección.", "", "address"},
		{"¿Puede borrar mi dirección, por favor?", "Borrada.", "address"},
		{"Forget my name.", "", "caller_name"},
		{"Vergessen Sie meinen Namen.", "", "caller_name"},
		{"olvide mi nombre por favor", "", "caller_name"},
		{"Forget my cat's name.", "", "cat_name"},

		{"Don't forget my address.", "", ""},
		{"Vergessen Sie nicht meine Adresse.", "Nein.", ""},
		{"No olvide mi dirección.", "", ""},
		{"I forget my address sometimes.", "", ""},
		{"Forget my booking, I'll try elsewhere.", "All right.", ""},
		{"Forget it, I'll call somebody else.", "I'm sorry to hear that.", ""},
		{"forget it i'll ring the other garage", "okay goodbye", ""},
		{"I forget, was it Callum who rang?", "He did.", ""},
		{"Don't forget to tell Callum about the books.", "I won't.", ""},
		{"dont forget my address has changed", "noted", ""},
		{"Before I forget, my son wants his books.", "I'll note that.", ""},
		{"I forgot my password.", "I'll reset it.", ""},
		{"tell me about the list because i'll forget the list", "I will.", ""},
		{"I never forget what my son said about books.", "Lovely.", ""},
		{"We always forget the key safe.", "That happens.", ""},
		{"He forgot about the loan I told you about.", "Oh dear.", ""},
		{"Could you take out the old key safe on Monday?", "Yes, it comes off.", ""},
		{"Please remove the treadmill on the way.", "Will do.", ""},
		{"Delete the second item from the order.", "It's deleted.", ""},
		{"Forget the discount, just book it.", "It's booked.", ""},
		{"Can you cancel and delete my booking?", "It's deleted.", ""},
		{"I told my son to throw the books out.", "All right.", ""},
		{"Write that down, Callum is my grandson.", "I have.", ""},
		{"Vergessen Sie nicht den Hund.", "Nein.", ""},
		{"Ich vergesse immer den Namen vom Hund.", "Das macht nichts.", ""},
		{"No olvide a mi hermano.", "Claro.", ""},
		{"Forget Monday, make it Tuesday.", "Tuesday then.", ""},
		{"Did you forget my address?", "No.", ""},
		{"In case you forget my address, I'll text it.", "Thanks.", ""},
		{"You've forgotten my birthday.", "I'm sorry.", ""},
		{"You shouldn't delete my address.", "I won't.", ""},
		{"Unforgettable, that trip with my son.", "I bet.", ""},
		{"there's a strike at the garage where Callum works", "So I hear.", ""},
	} {
		turns := []recaller.Turn{said(4, recaller.User, tt.said, 0), said(5, recaller.Assistant, tt.answer, time.Second)}
		var got []string
		for _, r := range forgotten.Requests(turns) {
			for key, value := range held {
				m := recaller.Memory{Key: key, Value: value, CreatedAt: asked.Add(-time.Hour), Provenance: recaller.Provenance{Conversation: "past", Turns: []int{9}}}
				if len(r.Means("now", []recaller.Memory{m})) > 0 {
					got = append(got, key)
				}
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%q, %q: got %v, want %q", tt.said, tt.answer, got, tt.want)
		}
	}
}

func TestWhatIsToldAfterTheRequestOrLongBeforeAPointingOneStays(t *testing.T) {
	t.Parallel()
	turns := []recaller.Turn{
		said(3, recaller.User, "I have a dog called Tinker.", 0), said(4, recaller.User, "And I owe my brother money.", 0),
		said(5, recaller.Assistant, "I see.", 0), said(6, recaller.User, "Actually, strike that, I don't want it written down.", 0), said(7, recaller.Assistant, "Gone.", time.Second),
	}
	requests := forgotten.Requests(turns)
	if len(requests) != 1 {
		t.Fatalf("got %d requests, want 1", len(requests))
	}
	at := func(conv recaller.ConversationID, turn int) recaller.Memory {
		return recaller.Memory{Key: "k", Value: "“I owe money”", CreatedAt: asked, Provenance: recaller.Provenance{Conversation: conv, Turns: []int{turn}}}
	}
	got := requests[0].Means("now", []recaller.Memory{at("now", 1), at("now", 3), at("now", 4), at("now", 8), at("past", 4)})
	if len(got) != 1 || got[0].Provenance.Turns[0] != 4 {
		t.Errorf("got %v, want only what was told last before it", got)
	}
}
