package name

import (
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
)

// What people say to be polite, to begin or to end with, is nobody's name, however it is written and wherever it stands; a name
// beside it is read as if it was not there.
func TestWhatIsPoliteIsNoName(t *testing.T) {
	t.Parallel()
	polite := []string{
		"Good Morning", "Good Afternoon", "Good Evening", "Good Day", "Thank You", "Many Thanks", "Thanks Very Much", "No Problem", "No Worries", "Of Course", "Excuse Me",
		"Happy Birthday", "Merry Christmas", "Best Wishes", "Kind Regards", "Take Care", "Cheers Mate", "Sounds Good", "Very Well",
		"Vielen Dank", "Besten Dank", "Herzlichen Dank", "Schönen Dank", "Guten Tag", "Guten Morgen", "Guten Abend", "Gute Nacht", "Schönen Tag", "Schönes Wochenende", "Kein Problem", "Grüß Gott",
		"Alles Klar", "Alles Gute", "Frohe Weihnachten", "Mit freundlichen Grüßen", "Viele Grüße", "Auf Wiederhören", "Bis Morgen", "Keine Ahnung", "Entschuldigen Sie", "Einen Moment",
		"Muchas gracias", "Muchas Gracias", "Mil Gracias", "Buenos Días", "Buenas Tardes", "Buenas Noches", "Por Favor", "De Nada", "Hasta Luego", "Feliz Navidad", "Muy Bien", "Con Gusto", "Disculpe Usted",
		"Merci bien", "Merci Beaucoup", "Bonne Journée", "Bonne Soirée", "Bon Après-midi", "Très Bien", "Pas de problème", "Bien Sûr", "Je vous en prie", "S'il Vous Plaît", "Au Revoir", "Bonjour Madame",
		"Grazie Mille", "Molte Grazie", "Buon Giorno", "Buona Sera", "Buona Giornata", "Nessun Problema", "Va Bene", "Per Favore", "Tanti Saluti", "Buon Natale",
		"Muito Obrigado", "Muito Obrigada", "Bom Dia", "Boa Tarde", "Boa Noite", "Por Favor", "Sem Problema", "Com Licença", "Feliz Natal", "Tudo Bem",
		"Dank U", "Dank U Wel", "Hartelijk Dank", "Hartelijk Bedankt", "Goedemorgen Mevrouw", "Goede Middag", "Goeden Dag", "Geen Probleem", "Prettige Dag", "Tot Ziens", "Alsjeblieft Dank",
	}
	bad, all := 0, 0
	say := func(want string, turns ...recaller.Turn) {
		t.Helper()
		all++
		if got, _, ok := Said(turns); got != want || ok != (want != "") {
			bad++
			t.Errorf("%v: got %q, want %q", texts(turns), got, want)
		}
	}
	user := func(text string) recaller.Turn {
		return recaller.Turn{Speaker: recaller.User, Text: text, Confidence: 1}
	}
	agent := func(text string) recaller.Turn {
		return recaller.Turn{Speaker: recaller.Assistant, Text: text, Confidence: 1}
	}
	for _, p := range polite {
		say("", user(p+"."))
		say("", user(p+"!"))
		say("", user(p+", that is all."))
		say("", agent("Anything else?"), user(p+"."))
		say("", agent("Who is calling, please?"), user(p+"."))
		say("", agent("Hello, how can I help?"), user("I am fine. "+p+"."))
		say("", user("Ich bin im Auto. "+p+"."))
		say("", user(strings.ToLower(p)))
		say("", agent("Who is calling?"), user(strings.ToLower(p)))
		if got, _, _ := Said([]recaller.Turn{user(strings.ToLower("Hier ist Jürgen Holzer " + p))}); !strings.HasPrefix("Jürgen Holzer", got) {
			t.Errorf("%s, without marks: got %q", p, got) // less of the name may be known, and no more
		}
		say("Yolanda Pertuz", user(p+". My name is Yolanda Pertuz."))
		say("Yolanda Pertuz", user("My name is Yolanda Pertuz. "+p+"."))
		say("Jürgen Holzer", user("Ich bin Jürgen Holzer. "+p+"."))
		say("Jürgen Holzer", user("Hier ist Jürgen Holzer, "+p+"."))
		say("Jürgen Holzer", agent("Wie ist Ihr Name?"), user("Jürgen Holzer. "+p+"."))
		say("Jürgen", agent("Wie ist Ihr Name?"), user("Jürgen. "+p+"."))
	}
	t.Logf("%d of n=%d are wrong", bad, all)
}

func texts(turns []recaller.Turn) (out []string) {
	for _, t := range turns {
		out = append(out, t.Text)
	}
	return out
}

// In German what somebody is has a capital, as a name has: "Ich bin Rentnerin".
func TestWhatSomebodyIsIsNoName(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"Ich bin Rentner.": "", "Ich bin Lehrerin.": "", "Ich bin Patientin.": "", "Ich bin Vegetarier.": "", "Ich bin Handwerker.": "", "Ich bin Allergiker.": "",
		"Ich bin Österreicher.": "", "Ich bin Landwirt aus Tirol.": "", "Guten Tag, ich bin Neukunde.": "", "Ich bin zu Hause.": "",
		"Ich bin im Urlaub.": "", "Ich bin im Auto.": "", "Ich bin auf Reisen.": "", "Ich bin unter Druck.": "",
		"Ich bin Maria.": "Maria", "Ich bin Frau Huber.": "Huber", "Ich bin Maria Huber.": "Maria Huber", "Hier ist Huber.": "Huber",
	} {
		if got, _, _ := Said([]recaller.Turn{{Speaker: recaller.User, Text: said, Confidence: 1}}); got != want {
			t.Errorf("%s got %q, want %q", said, got, want)
		}
	}
	asked := []recaller.Turn{{Speaker: recaller.Assistant, Text: "Wie ist Ihr Name?", Confidence: 1}, {Speaker: recaller.User, Text: "Ich bin Huber.", Confidence: 1}}
	if got, _, _ := Said(asked); got != "Huber" {
		t.Errorf("asked for it: got %q", got)
	}
}
