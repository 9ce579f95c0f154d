package token_test

import (
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/recall/token"
)

func TestLanguagesAreToldFromAFewPlainWords(t *testing.T) {
	t.Parallel()
	for want, texts := range map[string][]string{
		"en":  {"when does my daughter come", "My cat is called Miso.", "Call José about the piñata on Monday", "I moved to Berlin and it was great"},
		"de":  {"wann kommt meine Tochter", "Ich habe morgen einen Termin beim Arzt.", "koennen wir das verschieben"},
		"es":  {"¿cuándo viene mi hija?", "Quiero cambiar mi cita para mañana", "necesito hablar con usted sobre la factura"},
		"fr":  {"quand est-ce que ma fille arrive", "J'ai rendez-vous chez le médecin", "je voudrais changer mon rendez vous"},
		"pt":  {"quando chega a minha filha", "Não posso ir à consulta amanhã", "eu preciso falar com você sobre isso"},
		"it":  {"quando arriva mia figlia", "Ho un appuntamento dal medico domani", "vorrei spostare la visita perche non posso"},
		"nl":  {"wanneer komt mijn dochter", "Ik heb morgen een afspraak bij de huisarts"},
		"sv":  {"när kommer min dotter och hennes man", "Jag vill ändra tiden hos läkaren"},
		"no":  {"hva heter datteren din og hvor bor hun", "Jeg vil gjerne endre timen hos legen i morgen, og hva koster det?"},
		"da":  {"hvad hedder din datter og hvornår kommer hun", "Jeg vil gerne flytte min tid hos lægen, hvad gør jeg nu?"},
		"fi":  {"milloin minun tyttäreni tulee", "Haluan siirtää ajan koska en pääse huomenna"},
		"ru":  {"когда приедет моя дочь", "Мне нужно перенести встречу"},
		"hu":  {"mikor jön a lányom és hol lakik", "Szeretnék időpontot kérni, mert fáj a fogam"},
		"ro":  {"când vine fiica mea la noi", "Vreau să schimb programarea pentru că nu pot veni"},
		"tr":  {"kızım ne zaman geliyor", "Yarın için randevu istiyorum"},
		"ja":  {"娘はいつ来ますか", "iPhoneを買いました"},
		"zh":  {"我女儿什么时候来"},
		"ko":  {"딸이 언제 와요"},
		"th":  {"ลูกสาวจะมาเมื่อไหร่"},
		"ar":  {"متى تأتي ابنتي"},
		"he":  {"מתי הבת שלי באה"},
		"el":  {"πότε έρχεται η κόρη μου"},
		"hi":  {"मेरी बेटी कब आ रही है"},
		"und": {"", "12 34", "kdy přijde moje dcera", "kiedy przyjdzie moja córka", "коли приїде моя донька", "khi nào con gái tôi đến", "ok ação"},
	} {
		for _, text := range texts {
			if got := language(text); got.String() != want {
				t.Errorf("%q: got %v, want %v", text, got, want)
			}
		}
	}
}

func TestEnglishIsTheFallbackOnlyWhereNothingSpeaksAgainstIt(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]token.Language{
		"Dentist Monday":        token.English,
		"Zażółć gęślą":          token.Unknown,
		"Übergröße Mädchenrock": token.Unknown,
		"alpha beta gamma delta epsilon zeta eta theta iota kappa": token.Unknown, // ten words, and no function word
	} {
		if got := language(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

func TestTheLanguageOfMostOfTheConversationIsTold(t *testing.T) {
	t.Parallel()
	english := "I would like to change my appointment with the doctor, because I can not come on Monday. "
	for _, c := range []struct {
		about, text string
		want        token.Language
	}{
		{"an English lesson of Japanese", strings.Repeat(english, 3) + "今日は means good day", token.English},
		{"English that quotes Spanish", strings.Repeat(english, 2) + "How do I say that? Quiero cambiar mi cita.", token.English},
		{"German with English products", "Ich habe mir gestern das neue iPhone im Apple Store gekauft, und es war nicht billig.", token.German},
		{"Japanese with English names", "明日John SmithさんとMicrosoftの会議があります", token.Japanese},
		{"half English, half Russian", "my doctor said that it is fine. мне врач сказал что все хорошо и можно", token.Unknown},
	} {
		if got := language(c.text); got != c.want {
			t.Errorf("%s: got %v, want %v", c.about, got, c.want)
		}
	}
}

func TestADetectorStartsAnewAfterReset(t *testing.T) {
	t.Parallel()
	var d token.Detector
	d.Add("wann kommt meine Tochter")
	if d.Tokens() != 4 {
		t.Errorf("got %d tokens, want 4", d.Tokens())
	}
	d.Reset()
	if got := d.Language(); got != token.Unknown || d.Tokens() != 0 {
		t.Errorf("got %v of %d tokens after Reset, want Unknown of none", got, d.Tokens())
	}
	d.Add("when does my daughter come")
	if got := d.Language(); got != token.English {
		t.Errorf("got %v, want English", got)
	}
}

func TestDetectingAllocatesNothing(t *testing.T) {
	const text = "Wann kommt meine Tochter? Über die Donaudampfschifffahrtsgesellschaft, l'hôpital, 東京"
	var d token.Detector
	d.Add(text)
	if n := testing.AllocsPerRun(100, func() { d.Add(text) }); n != 0 {
		t.Errorf("got %v allocations a text, want none", n)
	}
}

func BenchmarkDetector(b *testing.B) {
	const text = "Wann kommt meine Tochter eigentlich zu Besuch? I would like to know when the doctor can see me again next week."
	var d token.Detector
	b.ReportAllocs()
	for b.Loop() {
		d.Add(text)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(d.Tokens()), "ns/token")
}

func FuzzLanguages(f *testing.F) {
	for _, s := range []string{"l'hôpital", "gegangen", "abcdefghijklmnopqrstuvwxyz", "sésése", "ieueieue", "jeje", "약을", "الى", "ии", "ıiüöu", "gee", "zz"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var d token.Detector
		d.Add(text)
		sc := token.Scanner{}
		for l := token.Unknown; l <= token.Hindi; l++ {
			for sc.Reset(text); sc.Next(); {
				tok := string(sc.Word(l))
				term := l.Term(tok)
				if (term == "") != l.Stop(tok) {
					t.Fatalf("%v: %q has term %q, and is it a stop word: %v", l, tok, term, l.Stop(tok))
				}
				if !strings.Contains(text, "\xff") && len(term) > 2*token.MaxBytes {
					t.Fatalf("%v: a term of %d bytes", l, len(term))
				}
			}
		}
	})
}
