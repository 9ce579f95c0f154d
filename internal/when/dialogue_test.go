package when

import (
	"strings"
	"testing"
	"time"
)

// talkOf reads lines "a: …" of an agent and "u: …" of a caller, said on Wednesday 14 October 2026.
func talkOf(t *testing.T, text string) [][]Found {
	t.Helper()
	at := time.Date(2026, 10, 14, 10, 5, 0, 0, zone(t, "America/Chicago"))
	var turns []Said
	for line := range strings.Lines(text) {
		who, words, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if ok {
			turns = append(turns, Said{Text: words, At: at, Caller: who == "u"})
		}
	}
	return Dialogue(turns, Options{})
}

// In a conversation what was said before settles what is meant. The days of each turn stand after it: - for none.
func TestDaysOfADialogue(t *testing.T) {
	for name, text := range map[string]string{
		"an answer lies where its question asks": `
			a: When did it happen? | -
			u: Saturday. | 2026-10-10
			a: And what day would suit you? | -
			u: Saturday. | 2026-10-17`,
		"a question without a verb leaves open what happened": `
			a: I can open a claim for you. Date of the accident? | -
			u: Friday. | -`,
		"a day with its number is the one that is spoken of": `
			a: I have Tuesday the twenty-seventh at four. | 2026-10-27 16:00
			u: tuesday okay yeah do that | 2026-10-27
			a: Done. | -`,
		"of two such days none is told": `
			a: The part is due on Friday the thirtieth. | 2026-10-30
			u: And the bill? | -
			a: It comes separately. | -
			u: Fine. | -
			a: You'll have it by Friday. | -`,
		"what is due by a day is due by the coming one": `
			a: The school trip is on Thursday, November fifth. The form is due by Friday. | 2026-11-05, 2026-10-16
			u: He'll have it back by Friday. | 2026-10-16`,
		"the week that was named": `
			a: We start those Monday the twenty-sixth. What works? | 2026-10-26
			u: That week. Thursday would be good. | 2026-10-29
			a: Is Friday any good? | 2026-10-30`,
		"next week and then its day": `
			a: We're full, I can only do next week. | -
			u: Friday then, please. | 2026-10-23`,
		"what counts from a day": `
			u: My scan is on Tuesday the twentieth. | 2026-10-20
			a: Tuesday the twentieth. Shall I ring the evening before? | 2026-10-20, 2026-10-19`,
		"days of every week": `
			a: Which days would you need him? | -
			u: Tuesday and Thursday, from two to six. | -
			a: He could come this Thursday. | 2026-10-15
			u: Thursday I'm working. I do Tuesday to Thursday at the depot. | 2026-10-15`,
		"days that somebody counts up as his": `
			a: I've got tomorrow at nine or Monday at ten. | 2026-10-15 09:00, 2026-10-19 10:00
			u: I'm on dialysis Monday, Wednesday, Friday, so you just named the two I can't. | -`,
		"días de cada semana": `
			a: ¿Qué días lo necesitaría? | -
			u: Martes y jueves, de dos a seis. | -`,
		"so many days before a day": `
			a: The wedding is on Friday the thirtieth. We set up two days before. | 2026-10-30, 2026-10-28
			u: And the tent goes when? | -
			a: It goes on Monday, the second of November. The chairs go two days after. | 2026-11-02, 2026-11-04
			u: I rang two days before. | -
			a: I see. | -
			u: It took two weeks after. | -`,
		"ein Tag so viele davor": `
			a: Mittwoch, der vierte November, ab sieben Uhr. Das Gerüst kommt zwei Tage vorher. | 2026-11-04 07:00, 2026-11-02
			u: Gut. | -`,
		"the weekday before a day, with its hour": `
			a: Friday the thirtieth at ten. I'll ring you the Thursday before at five. | 2026-10-30 10:00, 2026-10-29 17:00`,
		"the number of a day that was named": `
			a: I can do Friday, November sixth. | 2026-11-06
			u: the sixth is good | 2026-11-06`,
		"a time alone names no day": `
			a: See you Friday. | 2026-10-16
			u: At three? | -`,
		"what was taken back is not spoken of any more": `
			u: Can you do the twentieth, no wait, the twenty-first? | 2026-10-20, 2026-10-21
			a: Wednesday the twenty-first is free. | 2026-10-21`,
		"an answer to what day in general is no date": `
			a: Saturdays or weekdays? | -
			u: Saturday. | -`,
		"the day of a report counts from what was said before": `
			u: He did it lovely on the Monday. | -
			u: She left a message about Thursday. | -`,
		"a number with its weekday is the day that is both": `
			u: I did think the twenty-sixth, but that's a Thursday. | 2026-11-26
			u: The thirteenth is a Friday, isn't it? | 2026-11-13`,
		"a number beside a day that was named is of its month": `
			u: We're getting married December nineteenth. | 2026-12-19
			a: We have the whole day on the twentieth, or Friday the eighteenth. | 2026-12-20, 2026-12-18
			u: And the second? | -`,
		"first thing is no number": `
			u: Not today, it's the football. Monday, first thing. | 2026-10-14, 2026-10-19`,
		"what was just spoken of is not taken for the last one": `
			a: Your scan is Thursday the twenty-second at nine. | 2026-10-22 09:00
			a: joe noted and please be here half an hour before so half past eight on thursday | 2026-10-22 08:30`,
		"what has become free is free": `
			a: Mittwoch ist Frau Yildiz voll. Freitag um halb fünf nachmittags ist gerade frei geworden. | 2026-10-21, 2026-10-16 16:30
			u: Am Freitag ist mir die Kette gerissen. | -`,
		"the Friday is the one that was offered": `
			a: The crematorium has Wednesday the twenty-first, or Friday the twenty-third at a quarter to three. | 2026-10-21, 2026-10-23 14:45
			u: What's the early one cost? | -
			a: Six hundred. | -
			u: The Friday then. | 2026-10-23
			a: I can hold Friday until tomorrow at five. | 2026-10-23, 2026-10-15 17:00`,
		"a day that is counted in weeks is another than the bare one": `
			u: She has her hip done a fortnight on Tuesday. | 2026-11-03
			a: I can do this coming Saturday, or Tuesday between ten and one. | 2026-10-17
			u: On the Tuesday she rests. | -`,
		"a day that nobody could place is not one that was named before": `
			u: I've an exam on Tuesday the twenty-seventh. | 2026-10-27
			u: We were in Whitby at Easter. | 2026-04-05
			a: You came back on the Tuesday. | -
			u: I was back on shift that Tuesday at six. | -`,
		"a slip of the tongue is no day of another season": `
			a: We visit on Wednesday the twenty-first. | 2026-10-21
			u: Can't do the twenty-first. | 2026-10-21
			a: Thursday the twenty-second then. So Thursday the twenty-first at half past nine. | 2026-10-22
			u: You what? Thursday's the twenty-second. | 2026-10-22`,
		"what follows a later day in one breath may come after it": `
			a: four o'clock friday the twenty third of october kunle signs and we collect sunday at nine | 2026-10-23 16:00
			u: sunday at nine we are in church | -
			a: collection sunday the twenty fifth at one p m | 2026-10-25 13:00`,
		"a bare day of the agent's is an offer, whatever was told before": `
			u: Wednesday three I'm working, how can. Night got or not? | -
			a: Tuesday evening, seven thirty or eight fifteen. | -`,
		"German without marks": `
			a: das war unser fehler wir pflanzen um ohne kosten passt ihnen der montag | -`,
		"what is due lies ahead of a like number that is past": `
			u: The driver came on the ninth. | 2026-10-09
			a: And the bill is due on the ninth, so you're early. | 2026-11-09`,
		"one's own matter is not of the day that the agent holds": `
			a: I can hold Wednesday the eleventh of November until next Friday, the twenty-third. | 2026-11-11, 2026-10-23
			u: Sweet. I'm back from camp on Wednesday, so I'll call you. | -`,
		"where two Fridays fit none is told": `
			a: Sunday the fifteenth of November, two till eight. | 2026-11-15
			a: I'll need the bond by Friday the thirteenth, and I have the form from the second. | 2026-11-13`,
		"the Friday of an offer is no Friday that is past": `
			u: I've been burning wood since Friday. | 2026-10-09
			a: I could do Tuesday the twentieth, or the Friday. | 2026-10-20, 2026-10-23
			u: I need it till Saturday not Friday. | -`,
		"German": `
			a: Wann ist es passiert? | -
			u: Am Sonntag. | 2026-10-11
			a: Ich hätte Donnerstag, den zweiundzwanzigsten. | 2026-10-22
			u: Der Donnerstag passt. | 2026-10-22`,
		"Spanish": `
			u: Se rompió el lunes. | 2026-10-12
			a: ¿Le va bien el viernes veintitrés a las diez? | 2026-10-23 10:00
			u: Sí, el viernes está bien. | 2026-10-23`,
		"Portuguese": `
			a: Fica renovado até terça-feira, dia vinte e sete de outubro, e não paga multa. | 2026-10-27
			u: Amanhã vou aí entregar o livro. | 2026-10-15
			a: Há um grupo na quinta, dia vinte e dois de outubro, às três da tarde. | 2026-10-22 15:00
			u: Amanhã já não posso. Quero ir na sexta-feira. | 2026-10-15, 2026-10-16
			a: Temos na quinta, dia vinte e dois de outubro, ao meio-dia. | 2026-10-22 12:00
			a: temos vaga na quinta dia vinte e dois de outubro ao meio dia | 2026-10-22 12:00
			u: Preciso do livro no dia vinte e um de novembro. | 2026-11-21
			a: Pode ser no dia trinta e um de dezembro. | 2026-12-31`,
	} {
		t.Run(name, func(t *testing.T) {
			var plain, want []string
			for line := range strings.Lines(strings.TrimSpace(text)) {
				said, days, _ := strings.Cut(strings.TrimSpace(line), " | ")
				plain, want = append(plain, said), append(want, days)
			}
			for i, found := range talkOf(t, strings.Join(plain, "\n")) {
				got := strings.Join(told(found), ", ")
				if got == "" {
					got = "-"
				}
				if got != want[i] {
					t.Errorf("%q: got %s, want %s", plain[i], got, want[i])
				}
			}
		})
	}
}

// A feast is kept where the caller lives.
func TestFeastsByCountry(t *testing.T) {
	for _, tt := range []struct{ place, text, want string }{
		{"America/Chicago", "We're away on Thanksgiving.", "2026-11-26"},
		{"America/Halifax", "We're away on Thanksgiving.", "2026-10-12"},
		{"Europe/London", "Is there a table on Mother's Day?", "2026-03-15"},
		{"America/Chicago", "Is there a table on Mother's Day?", "2026-05-10"},
		{"Pacific/Auckland", "We come on Father's Day.", "2026-09-06"},
	} {
		said := time.Date(2026, 3, 2, 10, 0, 0, 0, zone(t, tt.place))
		if got := strings.Join(told(Find(tt.text, said)), ", "); got != tt.want {
			t.Errorf("%s, %q: got %s, want %s", tt.place, tt.text, got, tt.want)
		}
	}
}
