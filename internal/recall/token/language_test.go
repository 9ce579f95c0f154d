package token_test

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/recall/token"
)

// terms returns the distinct terms of a text in language l, as an index has them.
func terms(l token.Language, text string) map[string]bool {
	got := map[string]bool{}
	sc := token.Scanner{}
	for sc.Reset(text); sc.Next(); {
		if t := l.Term(string(sc.Word(l))); t != "" {
			got[t] = true
		}
	}
	return got
}

func language(texts ...string) token.Language {
	var d token.Detector
	for _, t := range texts {
		d.Add(t)
	}
	return d.Language()
}

func TestEveryLanguageTagIsDifferent(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for l := token.Unknown; l <= token.Hindi; l++ {
		if seen[l.String()] {
			t.Errorf("two languages are %q", l)
		}
		seen[l.String()] = true
	}
	if got := token.Language(200).String(); got != "und" {
		t.Errorf("got tag %q for a language that is none, want und", got)
	}
}

// Each file has the turns of a conversation and questions with the number of the turn that answers them: their words
// are in other forms or without accents, and must meet that turn's words more than any other's.
func TestQuestionsMeetTheTurnThatAnswersThem(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations in testdata: %v", err)
	}
	for _, file := range files {
		tag := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(tag, func(t *testing.T) {
			t.Parallel()
			turns, asked := conversation(t, file)
			l := language(turns...)
			if l.String() != tag {
				t.Fatalf("got language %v, want %v", l, tag)
			}
			for question, right := range asked {
				q := terms(l, question)
				met := make([]int, len(turns))
				for i, turn := range turns {
					for w := range terms(l, turn) {
						if q[w] {
							met[i]++
						}
					}
				}
				for i, n := range met {
					if i != right && n >= met[right] {
						t.Errorf("%q meets %d words of turn %d and %d of the right one, %d", question, n, i+1, met[right], right+1)
					}
				}
			}
		})
	}
}

func conversation(t *testing.T, file string) (turns []string, asked map[string]int) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	asked = map[string]int{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		kind, text, _ := strings.Cut(lines.Text(), " ")
		if kind == "turn" {
			turns = append(turns, text)
			continue
		}
		number, question, _ := strings.Cut(text, " ")
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n > len(turns) {
			t.Fatalf("%s: turn %q is none", file, number)
		}
		asked[question] = n - 1
	}
	return turns, asked
}

func TestFormsWithAndWithoutAccentsAreOneTerm(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		language token.Language
		forms    string
	}{
		{token.German, "Müller Mueller"},
		{token.German, "Straße strasse Strassen Straßen"},
		{token.German, "Äpfel Aepfel Apfel"},
		{token.German, "gekauft kaufen kaufte kauft"},
		{token.German, "gehen gegangen ging geht"},
		{token.German, "Haus Häuser Haeusern"},
		{token.Spanish, "canción cancion canciones"},
		{token.Spanish, "habitación habitacion habitaciones"},
		{token.Spanish, "lápiz lapiz lápices"},
		{token.Spanish, "cuesta cuestan costar costó"},
		{token.Spanish, "mujer mujeres"},
		{token.French, "élève eleve élèves eleves"},
		{token.French, "qualité qualites qualités"},
		{token.French, "préférer prefere préférée"},
		{token.French, "chanter chantent chanté chantée"},
		{token.Portuguese, "coração coracao corações coracoes"},
		{token.Portuguese, "pão pães paes"},
		{token.Portuguese, "animal animais"},
		{token.Portuguese, "viagem viagens"},
		{token.Italian, "città citta"},
		{token.Italian, "amica amiche"},
		{token.Dutch, "huis huizen huisje"},
		{token.Dutch, "werken werkt werkte gewerkt"},
		{token.Swedish, "flickor flickorna flicka"},
		{token.Norwegian, "bøker boker bøkene"},
		{token.Danish, "huset huse huset"},
		{token.Finnish, "talossa talo talosta"},
		{token.Hungarian, "házban hazban házból"},
		{token.Romanian, "mașină masina mașini"},
		{token.Russian, "новый новая новыи новым"},
		{token.Russian, "ёлка елка ёлки"},
		{token.Turkish, "kızlar kizlar kız"},
		{token.Turkish, "yemek yemeği"},
		{token.Korean, "약을 약이 약은 약"},
		{token.Arabic, "المدرسة مدرسه مَدْرَسَة"},
		{token.Hebrew, "שָׁלוֹם שלום"},
	} {
		forms := scan(c.forms)
		for _, f := range forms[1:] {
			if got, want := c.language.Term(f), c.language.Term(forms[0]); got != want || got == "" {
				t.Errorf("%v term of %q: got %q, want %q as of %q", c.language, f, got, want, forms[0])
			}
		}
	}
}

func TestLanguagesHaveTheirOwnStopWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		language token.Language
		text     string
		want     bool
	}{
		{token.German, "die der nicht wann ich für", true},
		{token.German, "arzt mai will2 termin", false},
		{token.English, "the what", true},
		{token.English, "die hat", false},
		{token.Spanish, "cuándo él dónde", true},
		{token.Unknown, "the die el", false},
		{token.Japanese, "です", true},
		{token.Language(99), "the die el", false},
	} {
		for _, w := range scan(c.text) {
			if got := c.language.Stop(w); got != c.want {
				t.Errorf("is %q a stop word of %v: got %v, want %v", w, c.language, got, c.want)
			}
			if got := c.language.Term(w) == ""; got != c.want {
				t.Errorf("has %q no term in %v: got %v, want %v", w, c.language, got, c.want)
			}
		}
	}
}

// Folding takes the accents that tell these names and nouns from function words.
func TestNamesAndNounsAreSearchedForThoughTheyLookLikeStopWords(t *testing.T) {
	t.Parallel()
	for l, list := range map[token.Language]string{
		token.German:     "Ware",
		token.Spanish:    "té Ella uñas sobre Haya",
		token.French:     "or car mémé Ben",
		token.Portuguese: "pêlo pelos lã",
		token.Italian:    "tè sei Mia Sara pero",
		token.Dutch:      "haar weer meer Ben",
		token.Swedish:    "far Hans val Mina",
		token.Norwegian:  "far Hans matte",
		token.Danish:     "far Hans have Sine måtte",
		token.Finnish:    "Mika ala voi häntä",
		token.Hungarian:  "öt bár fél",
		token.Romanian:   "mai pește pană cui",
		token.Turkish:    "su işe",
		token.Arabic:     "علي",
	} {
		for _, w := range scan(list) {
			if l.Term(w) == "" {
				t.Errorf("%v: %q is not searched for", l, w)
			}
		}
	}
}

// Each line is a noun that the table of irregular forms knows, or that a verb's form looks like, with its plural and
// its cases.
func TestANounMeetsItsPlural(t *testing.T) {
	t.Parallel()
	for l, lines := range map[token.Language][]string{
		token.German: {
			"Mutter Mütter Müttern Mama Mamas Mutti Muttis Mami Mamis", "Vater Väter Vätern Papa Papas Vati Vatis", "Großmutter Großmütter Oma Omas Omi Omis",
			"Großvater Großväter Opa Opas", "Enkelin Enkelinnen Enkel Enkeln", "Arzt Ärzte Ärzten Ärztin Ärztinnen Aerztin", "Handy Handys Telefon Telefone",
			"Umzug Umzugs Umzüge Umzügen Umzuege", "Schnitt Schnitte", "Stand Stände", "weiß weiße",
		},
		token.Spanish: {
			"madre madres mamá mamás mami mamis", "padre padres papá papás papi papis", "dolor dolores", "juego juegos", "compra compras", "hecho hechos",
			"vino vinos", "traje trajes", "puesto puestos", "vista vistas", "vuelta vueltas", "té tés",
		},
		token.French: {
			"mère mères maman mamans", "père pères papa papas", "médecin médecins docteur docteurs", "œil yeux", "mort morts", "reçu reçus", "devoir devoirs",
			"lit lits", "prise prises", "vue vues", "part parts", "allée allées", "nouvelle nouvelles",
		},
		token.Portuguese: {"mãe mães mamãe mamães", "pai papai papais", "país países", "pão pães", "cão cães cachorro cachorros", "dor dores", "visto vistos", "posto postos", "dado dados"},
		token.Italian: {
			"madre madri mamma mamme", "padre padri papà babbo babbi", "uomo uomini", "letto letti", "messa messe", "presa prese", "fatto fatti", "morto morti", "rotta rotte", "visto visti",
		},
		token.Dutch: {"moeder moeders mama mama's", "vader vaders papa papa's", "grootmoeder grootmoeders oma oma's", "grootvader grootvaders opa opa's", "kind kinderen", "haar haren"},
	} {
		for _, line := range lines {
			forms := scan(line)
			for _, f := range forms[1:] {
				if got, want := l.Term(f), l.Term(forms[0]); got != want || got == "" {
					t.Errorf("%v term of %q: got %q, want %q as of %q", l, f, got, want, forms[0])
				}
			}
		}
	}
	for _, c := range []struct {
		language   token.Language
		noun, verb string
	}{
		{token.Spanish, "vino", "venir"}, {token.Italian, "letto", "leggere"}, {token.French, "lit", "lire"}, {token.Portuguese, "pais", "pai"}, {token.French, "bois", "boire"},
	} {
		if c.language.Term(c.noun) == c.language.Term(c.verb) {
			t.Errorf("%v: %q is found by %q", c.language, c.noun, c.verb)
		}
	}
}

func TestShortFormsHaveTheirPlainForm(t *testing.T) {
	t.Parallel()
	for l, forms := range map[token.Language]string{token.Spanish: "voy va", token.French: "vais va", token.Italian: "vado va", token.German: "Ärztin Aerztin"} {
		words := scan(forms)
		if got, want := l.Term(words[1]), l.Term(words[0]); got != want {
			t.Errorf("%v term of %q: got %q, want %q as of %q", l, words[1], got, want, words[0])
		}
	}
}

func TestALatinWordInAnotherScriptIsEnglish(t *testing.T) {
	t.Parallel()
	for _, l := range []token.Language{token.Russian, token.Greek, token.Japanese} {
		if got, want := l.Term("meetings"), token.Term("meetings"); got != want || l.Term("the") != "" {
			t.Errorf("%v term of a guest: got %q, want %q; of \"the\": %q", l, got, want, l.Term("the"))
		}
	}
}

func TestEnglishIsAsItWas(t *testing.T) {
	t.Parallel()
	for _, w := range strings.Fields("the appointment appointments bought kids 1800.50 привет at&t running may whatever") {
		if got, want := token.English.Term(w), token.Term(w); got != want {
			t.Errorf("English term of %q: got %q, want %q", w, got, want)
		}
	}
}

func TestAnUnknownLanguageIsFoundAsItIsWritten(t *testing.T) {
	t.Parallel()
	for _, w := range scan("Dziękuję the appointments książki 茶会 80d") {
		if got := token.Unknown.Term(w); got != w {
			t.Errorf("got %q, want %q", got, w)
		}
	}
}

func TestNumbersAndMarksAreTheSameInEveryLanguage(t *testing.T) {
	t.Parallel()
	for l := token.Unknown; l <= token.Hindi; l++ {
		for _, w := range []string{"1800.50", "80d", "at&t"} {
			if got := l.Term(w); got != w {
				t.Errorf("%v term: got %q, want %q", l, got, w)
			}
		}
	}
}

func TestApostrophesPartWordsOnlyWhereTheLanguageSaysSo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		language token.Language
		text     string
		want     string
	}{
		{token.French, "L'hôpital aujourd'hui, qu’elle d'Artagnan", "hopital aujourdhui elle artagnan"},
		{token.Italian, "dell'anno c'è un'amica", "anno e amica"},
		{token.English, "L'Oréal don't O'Brien John's", "loreal dont obrien john"},
		{token.French, "l'", "l"},
	} {
		var got []string
		sc := token.Scanner{}
		for sc.Reset(c.text); sc.Next(); {
			got = append(got, string(sc.Word(c.language)))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%v: got %q, want %q", c.language, got, c.want)
		}
	}
}
