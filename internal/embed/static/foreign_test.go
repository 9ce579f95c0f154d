package static_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/embed/static"
	"github.com/recallerhq/recaller/internal/recall/token"
)

func TestForeignTextsAreLikeThoseThatMeanTheSame(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text, nearer, farther string
	}{
		{"German", "Mein Hund ist krank und will nicht fressen.", "Was fehlt dem Tier?", "Was kostet die Wohnung?"},
		{"German, work", "Ich arbeite als Bäckerin in der Nacht.", "Welchen Beruf hat sie?", "Wo hat sie den Schlüssel?"},
		{"German, compounds", "Der Zahnarzttermin ist am Freitag.", "Wann geht er zum Zahnarzt?", "Wann kommt der Zug?"},
		{"Spanish", "Me duele mucho la rodilla cuando camino.", "¿Qué problema de salud tiene?", "¿Qué coche quiere comprar?"},
		{"Spanish, family", "Mi hija se casa en junio.", "¿Cuándo es la boda?", "¿Cuándo llega el paquete?"},
		{"French", "La chaudière ne marche plus et il fait froid.", "Quel est le problème de chauffage ?", "Quel est son plat préféré ?"},
		{"French, health", "Elle tousse depuis trois semaines et elle a de la fièvre.", "De quelle maladie souffre-t-elle ?", "Quelle voiture veut-elle acheter ?"},
		{"Italian", "Mio figlio ha la febbre e la tosse.", "Il bambino è malato?", "La macchina è rotta?"},
		{"Italian, food", "Non posso mangiare formaggio né bere latte.", "Che cibo deve evitare?", "Che treno deve prendere?"},
		{"Portuguese", "O meu carro avariou na estrada.", "Que problema tem o veículo?", "Que problema tem a escola?"},
		{"Portuguese, home", "Vou mudar de casa no fim do mês.", "Para que apartamento se muda ele?", "Que remédio ele toma?"},
		{"German and English", "Mein Auto ist auf dem Weg zur Arbeit kaputt gegangen.", "The vehicle needs a mechanic.", "The kitchen needs a painter."},
		{"English and Spanish", "She is allergic to nuts.", "¿Qué alergias tiene a la comida?", "¿Qué billete de tren tiene?"},
		{"French and Italian", "Le chat ne veut rien manger depuis hier.", "Che cosa ha il gatto?", "Che cosa ha comprato la signora?"},
	} {
		if near, far := cosine(test.text, test.nearer), cosine(test.text, test.farther); near <= far {
			t.Errorf("%s: got %.3f, want more than %.3f", test.name, near, far)
		}
	}
}

func TestAWordHasItsOwnRowInEachLanguage(t *testing.T) {
	t.Parallel()
	rows := map[uint32]token.Language{}
	for _, l := range []token.Language{token.English, token.German, token.Spanish, token.French, token.Portuguese, token.Italian} {
		got := static.RowsIn(l, []byte("animal"), nil)
		if l == token.German {
			got = static.RowsIn(l, []byte("tier"), nil)
		}
		if len(got) != 1 {
			t.Fatalf("%s: got %d rows, want 1", l, len(got))
		}
		if other, ok := rows[got[0]]; ok {
			t.Errorf("%s and %s share a row", l, other)
		}
		rows[got[0]] = l
	}
}

func TestWhichRowsAWordHas(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		language token.Language
		word     string
		want     int
	}{
		{"a word", token.German, "wohnung", 1},
		{"one that says nothing", token.German, "nicht", 0},
		{"one put together of two", token.German, "wohnungsschlussel", 2},
		{"one put together in a language that does not", token.Spanish, "casaperro", 0},
		{"an English guest", token.Italian, "thermostat", 1},
		{"nothing that is known", token.French, "xqzvwk", 0},
		{"a language without rows", token.Dutch, "huis", 0},
		{"none", token.Portuguese, "", 0},
		{"more letters than a name has", token.German, strings.Repeat("donau", 10), 0},
	} {
		if got := len(static.RowsIn(test.language, []byte(test.word), nil)); got != test.want {
			t.Errorf("%s: got %d rows, want %d", test.name, got, test.want)
		}
	}
	forms := [2]string{"termin", "termine"}
	if a, b := static.RowsIn(token.German, []byte(forms[0]), nil), static.RowsIn(token.German, []byte(forms[1]), nil); len(a) != 1 || len(b) != 1 || a[0] != b[0] {
		t.Errorf("got %v and %v, want one row for all forms of a word", a, b)
	}
}

func TestForeignWordsThatSayMuchCountMore(t *testing.T) {
	t.Parallel()
	weight := func(word string) float32 {
		rows := static.RowsIn(token.Spanish, []byte(word), nil)
		if len(rows) != 1 {
			t.Fatalf("%s: got %d rows, want 1", word, len(rows))
		}
		return static.Weight(rows[0])
	}
	if common, rare := weight("bien"), weight("dentista"); common >= rare || rare < 0.5 || rare > 2 {
		t.Errorf("got %.3f and %.3f, want less for the word that everybody says, and about 1 for the other", common, rare)
	}
}

func TestAForeignVectorIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	const want = "510431c7"
	sum := sha256.New()
	for _, text := range []string{
		"Können Sie den Zahnarzttermin bitte auf Donnerstag verschieben? Ich muss arbeiten.",
		"¿Puede cambiar la cita con el dentista al jueves? Es que tengo que trabajar.",
		"Je voudrais déplacer le rendez-vous chez le dentiste à jeudi, s'il vous plaît.",
		"Vorrei spostare l'appuntamento dal dentista a giovedì, perché devo lavorare.",
		"Queria mudar a consulta do dentista para quinta-feira, porque tenho de trabalhar.",
	} {
		for _, x := range static.Vector(text) {
			sum.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)))
		}
	}
	if got := hex.EncodeToString(sum.Sum(nil)[:4]); got != want {
		t.Errorf("got %s, want %s: %s makes other vectors than it did", got, want, static.Model)
	}
}

func FuzzRowsIn(f *testing.F) {
	for _, seed := range []string{"", "wohnungsschlussel", "\x00\xff", "l", "ñ", strings.Repeat("n", 64)} {
		f.Add(byte(token.German), seed)
	}
	f.Fuzz(func(t *testing.T, l byte, word string) {
		var sum static.Sum
		rows := static.RowsIn(token.Language(l), []byte(word), nil)
		for _, row := range rows {
			sum.Add(row, 1)
			if w := static.Weight(row); !(w > 0 && w < 20) {
				t.Errorf("a row weighs %v", w)
			}
		}
		if !static.Knows(token.Language(l)) && len(rows) > 0 {
			t.Error("a language without rows has some")
		}
	})
}

func BenchmarkForeignVector(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		static.Vector("Ich möchte meinen Termin beim Zahnarzt bitte auf Donnerstag verschieben, wenn das geht.")
	}
}
