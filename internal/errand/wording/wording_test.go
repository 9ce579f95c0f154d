package wording

import (
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

var nine = time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC)

func matter(business, name, language, words string, heard ...string) Matter {
	return Matter{
		Tenant: recaller.Tenant{Name: "default", DefaultRegion: "US", Profile: recaller.Profile{Business: business}, Telephone: recaller.Telephone{Language: language}},
		Name:   name, Words: words, Heard: heard, Due: nine, Now: nine,
	}
}

func tardy(m Matter) Matter { m.Due = nine.Add(-11 * time.Hour); return m }

func TestTexts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		m    Matter
		want string
	}{
		{matter("Lakeside Dental", "Marta Ruiz", "", "Take the blue pills"), "Reminder from Lakeside Dental for Marta Ruiz: Take the blue pills. Reply STOP for no more texts."},
		{matter("Praxis Ohm", "Herr Kessler", "de-DE", "Zahnreinigung"), "Erinnerung von Praxis Ohm für Herrn Kessler: Zahnreinigung. Keine Nachrichten mehr? Antworten Sie STOP."},
		{tardy(matter("Taller El Molino", "José", "", "Traer el coche para cambiar los frenos el jueves a las diez")), "Recordatorio de Taller El Molino para José: Traer el coche para cambiar los frenos el jueves a las diez. Era para el martes a las 22:00. Para no recibir más mensajes, responda STOP."},
		{matter("Garage Petit", "", "fr-FR", "Contrôle technique"), "Rappel (Garage Petit) : Contrôle technique. Pour ne plus recevoir de messages, répondez STOP."},
		{matter("Studio Bianchi", "Giulia", "it-IT", "mutuo"), "Promemoria da Studio Bianchi per Giulia: mutuo. Per non ricevere altri messaggi, risponda STOP."},
		{tardy(matter("Oficina do Zé", "Inês", "", "Levar a cadela ao veterinário na sexta-feira de manhã")), "Lembrete de Oficina do Zé para Inês: Levar a cadela ao veterinário na sexta-feira de manhã. Era para terça-feira às 22:00. Para não receber mais mensagens, responda STOP."},
		{tardy(matter("Tandarts Smit", "mevrouw De Vries", "nl-NL", "controle")), "Herinnering van Tandarts Smit voor mevrouw De Vries: controle. Dat was voor dinsdag om 22:00. Geen berichten meer? Antwoord STOP."},
		{matter("", "", "", "call the bank!"), "Reminder: call the bank! Reply STOP for no more texts."},
		{tardy(matter("Lakeside Golf", "Tom", "", "Tee time\nSaturday 8:10\tbring   the\u202e guest;")), "Reminder from Lakeside Golf for Tom: Tee time Saturday 8:10 bring the guest. It was due on Tuesday at 10:00 PM. Reply STOP for no more texts."},
		{matter("日本歯科", "田中", "ja-JP", "予約の確認"), "Reminder from 日本歯科 for 田中: 予約の確認. Reply STOP for no more texts."},
		// "Tomorrow" was meant of another day.
		{matter("City Taxi", "", "", "the taxi comes tomorrow at 9 am (22 November 2026 at 9:00 AM)"), "Reminder from City Taxi: the taxi comes on Sunday 22 November at 9:00 AM. Reply STOP for no more texts."},
		{matter("Tierklinik", "", "de-DE", "Der Kater braucht morgen (22 November 2026) die Spritze"), "Erinnerung von Tierklinik: Der Kater braucht am Sonntag, 22.11. die Spritze. Keine Nachrichten mehr? Antworten Sie STOP."},
		{matter("Notaría Gil", "", "es-ES", "Firma mañana a las 10 (22 November 2026 at 10:00 AM)"), "Recordatorio de Notaría Gil: Firma el domingo 22/11 a las 10:00. Para no recibir más mensajes, responda STOP."},
		// Sentences end once, whatever ends what stands in them, and hidden characters part nothing.
		{matter("Kanzlei Weiß", "", "de-DE", `Er sagte: „Bitte ruft mich an.“`), "Erinnerung von Kanzlei Weiß: Er sagte: „Bitte ruft mich an.“ Keine Nachrichten mehr? Antworten Sie STOP."},
		{matter("日本歯科", "", "", "予約の確認。"), "Reminder from 日本歯科: 予約の確認。 Reply STOP for no more texts."},
		{matter("Praxis Ohm", "", "de-DE", "Zahn\u00adreinigung (Dr.\u00a0Ohm) 👩\u200d👧"), "Erinnerung von Praxis Ohm: Zahnreinigung (Dr. Ohm) 👩\u200d👧. Keine Nachrichten mehr? Antworten Sie STOP."},
		{matter("Café", "", "", "look at https://cafe.example/menu"), "Reminder from Café: look at https://cafe.example/menu Reply STOP for no more texts."},
		{matter("[{us}] % {whom}", "{us}", "", "pay {whom} [50]"), "Reminder from [{us}] % {whom} for {us}: pay {whom} [50]. Reply STOP for no more texts."},
		// What he said tells more than what the agent wrote down, and English that is a few words tells nothing.
		{matter("Hôtel du Lac", "Paul", "de-CH", "Anreise", "je voudrais confirmer la chambre pour deux nuits", "oui, c'est bien ça"), "Rappel (Hôtel du Lac) pour Paul : Anreise. Pour ne plus recevoir de messages, répondez STOP."},
		{matter("Praxis Ohm", "", "de-DE", "blood test"), "Erinnerung von Praxis Ohm: blood test. Keine Nachrichten mehr? Antworten Sie STOP."},
	} {
		if got := c.m.Text(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestOfATenantWithoutALanguageItIsThatOfItsCountry(t *testing.T) {
	t.Parallel()
	for region, want := range map[string]string{"AT": "Erinnerung", "MX": "Recordatorio", "FR": "Rappel", "BR": "Lembrete", "NL": "Herinnering", "IT": "Promemoria", "US": "Reminder", "JP": "Reminder", "": "Reminder"} {
		m := matter("", "", "", "Bello")
		m.Tenant.DefaultRegion = region
		if got := m.Text(); !strings.HasPrefix(got, want+":") && !strings.HasPrefix(got, want+" :") {
			t.Errorf("%s: got %s", region, got)
		}
	}
}

func TestWhatIsSpoken(t *testing.T) {
	t.Parallel()
	m := matter("Praxis Ohm", "Anna Weber", "en-GB", "Sie wollte den Termin beim Kardiologen am Montag bestätigen")
	for _, c := range []struct {
		say            func() (string, string)
		text, language string
	}{
		{m.Spoken, "Guten Tag, hier ist Praxis Ohm. Erinnerung für Anna Weber: Sie wollte den Termin beim Kardiologen am Montag bestätigen. Auf Wiederhören.", "de-DE"},
		{m.Opening, "Guten Tag, hier ist Praxis Ohm. Spreche ich mit Anna Weber?", "de-DE"},
		{m.Neutral, "Guten Tag, hier ist Praxis Ohm. Ich rufe wegen einer Erinnerung an. Bitte rufen Sie uns unter dieser Nummer zurück. Auf Wiederhören.", "de-DE"},
		{matter("Praxis Ohm", "Herr Dr. Weber", "de-DE", "").Opening, "Guten Tag, hier ist Praxis Ohm. Spreche ich mit Herrn Dr. Weber?", "de-DE"},
		{matter("Smith & Sons Inc.", "", "", "").Neutral, "Hello, this is Smith & Sons Inc. I am calling about a reminder. Please call us back on this number. Goodbye.", "en-US"},
		{matter("Yahoo!", "Bob", "", "").Opening, "Hello, this is Yahoo! Am I speaking with Bob?", "en-US"},
		{matter("", "Bob", "", "").Opening, "Hello. I am calling about a reminder. Am I speaking with Bob?", "en-US"},
		{matter("", "", "es-MX", "").Opening, "Hola. Es por un recordatorio. ¿Es un buen momento?", "es-MX"},
		{matter("", "Sam", "", "call the bank").Spoken, "Hello. Reminder for Sam: call the bank. Goodbye.", "en-US"},
		{matter("Padel", "", "", "").Neutral, "Hello, this is Padel. I am calling about a reminder. Please call us back on this number. Goodbye.", "en-US"},
	} {
		if text, language := c.say(); text != c.text || language != c.language {
			t.Errorf("got  %s (%s)\nwant %s (%s)", text, language, c.text, c.language)
		}
	}
}

// A day is told by its name: of one that is a week ago, or more, nothing is told.
func TestWhatWasDueLongAgoIsNotTakenForThisWeek(t *testing.T) {
	t.Parallel()
	for ago, want := range map[time.Duration]bool{30 * time.Minute: false, 2 * time.Hour: true, 5 * 24 * time.Hour: true, 7 * 24 * time.Hour: false} {
		m := matter("Lakeside Golf", "", "", "call the bank")
		m.Due = nine.Add(-ago)
		if got := m.Text(); strings.Contains(got, "It was due on ") != want {
			t.Errorf("%v: got %s", ago, got)
		}
	}
}

// An opening and a neutral sentence say nothing of the matter, in any language; a text is one line, and of few segments.
func TestNothingOfTheMatterIsSaidTooEarly(t *testing.T) {
	t.Parallel()
	for l := range voices {
		m := tardy(matter("Lakeside", strings.Repeat("Marta ", 40), l.String(), "quokka "+strings.Repeat("and so on ", 100)))
		opening, _ := m.Opening()
		neutral, _ := m.Neutral()
		if strings.Contains(opening+neutral, "quokka") || strings.Contains(neutral, "Marta") {
			t.Errorf("%v: got %q, %q", l, opening, neutral)
		}
		text := m.Text()
		if n := len([]rune(text)); n > 640 || strings.ContainsAny(text, "\n\t%") || !strings.Contains(text, "quokka") || !strings.Contains(text, "STOP") {
			t.Errorf("%v: %d characters: %s", l, n, text)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("Lakeside", "Marta", "de", "Take the pills")
	f.Fuzz(func(t *testing.T, business, name, language, words string) {
		m := tardy(matter(business, name, language, words))
		spoken, _ := m.Spoken()
		opening, _ := m.Opening()
		for _, text := range []string{m.Text(), spoken, opening} {
			if len([]rune(text)) > 800 || strings.ContainsAny(text, "\n\r\x00") {
				t.Errorf("%q", text)
			}
		}
	})
}
