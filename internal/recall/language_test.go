package recall_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall"
)

// spoken reads a conversation of token's tests and the questions to it: by the number of the turn that answers them,
// from 0.
func spoken(t *testing.T, path string) (turns []string, asked map[string]int) {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	asked = map[string]int{}
	for line := range strings.Lines(string(file)) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "turn":
			turns = append(turns, rest)
		case "ask":
			number, question, _ := strings.Cut(rest, " ")
			n, err := strconv.Atoi(number)
			if err != nil {
				t.Fatal(err)
			}
			asked[question] = n - 1
		}
	}
	return turns, asked
}

// A caller who speaks a language alone, and one who speaks English too, with the words in other forms, or without their
// accents.
func TestEveryLanguageIsSearchedByItsOwnRules(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("token", "testdata", "??.txt"))
	if err != nil || len(files) < 5 {
		t.Fatalf("got %d conversations and %v", len(files), err)
	}
	for _, path := range files {
		language := strings.TrimSuffix(filepath.Base(path), ".txt")
		turns, asked := spoken(t, path)
		st := newStore()
		for _, text := range turns {
			st.say("acme", "one", "c", day(1), text, "…")
			st.say("acme", "both", "c", day(1), text, "…")
		}
		st.say("acme", "both", "en1", day(2), "I would like to know when my parcel arrives.", "It is on its way to you.")
		st.say("acme", "both", "en2", day(3), "The other thing is that my heating does not work.", "Somebody will come and have a look at it.")
		s := recall.New(st, recall.Options{})
		for question, turn := range asked {
			for _, who := range []string{"one", "both"} {
				if got := found(t, s, "acme", who, recall.Query{Text: question}); len(got) == 0 || got[0] != "c/"+strconv.Itoa(2*turn) {
					t.Errorf("%s, %s language: a question to turn %d: got %v", language, who, turn, got)
				}
			}
		}
		if got := found(t, s, "acme", "both", recall.Query{Text: "parcels arriving"}); len(got) == 0 || got[0] != "en1/0" {
			t.Errorf("%s: English beside it: got %v, want en1/0 first", language, got)
		}
	}
}

// A conversation is searched by the rules of its language as soon as it shows which that is, whether its index was
// there or not.
func TestALanguageShowsWhileTheyTalk(t *testing.T) {
	t.Parallel()
	st := newStore()
	st.say("acme", "ann", "c0", day(1), "I would like to know when my parcel arrives.", "It is on its way to you.")
	s := recall.New(st, recall.Options{})
	found(t, s, "acme", "ann", recall.Query{Text: "parcel"}) // the index is there
	for _, text := range []string{
		"Hallo", "Guten Tag", "Ich habe zwei Wohnungen gemietet", "Und wo sind die beiden?", "Die eine ist in Köln, und die andere haben wir in Bonn gefunden",
	} {
		s.Apply(st.say("acme", "ann", "c1", day(2), text))
		anew := recall.New(st, recall.Options{})
		for _, q := range []string{"Wohnung", "Köln", "koelner Wohnungen", "wo haben sie gemietet", "parcels"} {
			got := found(t, s, "acme", "ann", recall.Query{Text: q})
			if want := found(t, anew, "acme", "ann", recall.Query{Text: q}); !slices.Equal(got, want) {
				t.Errorf("after %q, asked for %q: got %v, read anew %v", text, q, got, want)
			}
		}
	}
	if got := found(t, s, "acme", "ann", recall.Query{Text: "eine Wohnung"}); len(got) == 0 || got[0] != "c1/2" {
		t.Errorf("another form of a word: got %v, want c1/2 first", got)
	}
}

// While the store is away an index cannot be built anew: what is held is searched by the rules that the index goes by.
func TestAnotherLanguageIsHeldWhileTheStoreIsAway(t *testing.T) {
	t.Parallel()
	st := newStore()
	st.say("acme", "ann", "c0", day(1), "I would like to know when my parcel arrives.", "It is on its way to you.")
	s := recall.New(st, recall.Options{})
	found(t, s, "acme", "ann", recall.Query{Text: "parcel"}) // the index is there
	reads := st.readCount()
	s.Hold(recaller.Change{
		Tenant: "acme", Caller: "ann", Conversation: &recaller.Conversation{ID: "c1", StartedAt: day(2)},
		Turns: []recaller.Turn{{ID: "c1/0", Text: "Ich habe die Wohnung gemietet, und wir sind dort sehr zufrieden mit allem.", At: day(2)}},
	})
	for q, want := range map[string]string{"Wohnung": "c1/0", "parcels": "c0/0"} {
		if got := found(t, s, "acme", "ann", recall.Query{Text: q}); len(got) == 0 || got[0] != want {
			t.Errorf("%q: got %v, want %s first", q, got, want)
		}
	}
	if now := st.readCount(); now != reads {
		t.Errorf("everything was read %d times more", now-reads)
	}
}

// What is asked in words that nobody said is found by what they mean, in the language of the call and in English.
func TestAQuestionFindsAnAnswerThatSharesNoWordWithIt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		language, answer string
		other            []string
		questions        []string
	}{
		{
			"German", "Mein Hund ist krank und will seit gestern nicht mehr fressen.",
			[]string{"Die Wohnung liegt im dritten Stock und hat einen Balkon.", "Ich bezahle die Rechnung am Montag mit der Karte.", "Wir fahren im Sommer mit dem Zug ans Meer."},
			[]string{"Was ist mit dem Tier?", "What is wrong with the pet?"},
		},
		{
			"Spanish", "Me duele la rodilla cuando subo las escaleras.",
			[]string{"Vivo en el tercer piso de la calle Mayor.", "Pago la factura el lunes con la tarjeta.", "En verano vamos a la playa con los niños."},
			[]string{"¿Qué problema de salud tiene?", "Does she have a medical problem with her leg?"},
		},
		{
			"French", "La chaudière ne marche plus et il fait très froid dans la maison.",
			[]string{"Mon fils joue du piano tous les mardis.", "Je vous envoie la facture par la poste.", "Nous partons à la mer avec les enfants."},
			[]string{"Quel est le souci de chauffage ?", "What is the trouble with the heating?"},
		},
		{
			"Italian", "Mio figlio ha la febbre e la tosse da tre giorni.",
			[]string{"La macchina è dal meccanico fino a venerdì.", "Pago il conto lunedì con la carta.", "In estate andiamo al mare con il treno."},
			[]string{"Il bambino è malato?", "Is the child sick?"},
		},
		{
			"Portuguese", "O meu carro avariou na estrada e ficou parado.",
			[]string{"A minha filha toca piano todas as terças.", "Pago a conta na segunda com o cartão.", "No verão vamos à praia com as crianças."},
			[]string{"Que problema tem o veículo?", "What happened to the vehicle?"},
		},
	} {
		st := newStore()
		texts := append(slices.Clone(test.other), test.answer)
		for i, text := range texts {
			st.say("acme", "one", "c"+strconv.Itoa(i), day(i+1), text, "…")
		}
		s := recall.New(st, recall.Options{})
		want := "c" + strconv.Itoa(len(test.other)) + "/0"
		for _, question := range test.questions {
			if got := found(t, s, "acme", "one", recall.Query{Text: question, Weak: true}); len(got) == 0 || got[0] != want {
				t.Errorf("%s: got %v for a question, want %s first", test.language, got, want)
			}
		}
	}
}
