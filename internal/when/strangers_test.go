package when

import (
	"strings"
	"testing"
	"time"
)

// Weekdays that make a stretch are somebody's shifts as often as the days of one week: no day is told of them.
func TestNoDayIsToldOfAStretchOfWeekdays(t *testing.T) {
	now := time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"works nights Monday to Wednesday":                      "",
		"we are open Tuesday through Friday":                    "",
		"arbeitet Montag bis Mittwoch nachts":                   "",
		"trabaja de lunes a miércoles":                          "",
		"works Monday to Wednesday from next month":             "December 2026",
		"we'll move it from Thursday to Friday":                 "4 December 2026",
		"I'm away from 1 December to 3 December":                "1 December 2026, 3 December 2026",
		"I'll be there on Monday, and on Wednesday I'm in Rome": "30 November 2026, 2 December 2026",
		"le guardo el miércoles a las once hasta el lunes":      "2 December 2026 at 11:00 AM, 30 November 2026",
	} {
		got := ""
		for _, f := range FindWith(text, now, Options{Lean: Ahead}) {
			if f.Known() {
				got = strings.TrimPrefix(got+", "+f.String(), ", ")
			}
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// A day and a month with points between them are a date in German where a word says so, and an hour where one does.
func TestGermanDaysInNumbers(t *testing.T) {
	now := time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"Schulaufgabe Mathe am 3.12.":                   "3 December 2026",
		"ich komme am 3.12. um 15 Uhr":                  "3 December 2026 at 3:00 PM",
		"der Termin ist um 18.30 Uhr am 3.12.":          "3 December 2026 at 6:30 PM",
		"vom 3.12. bis 5.12. bin ich weg":               "3 December 2026, 5 December 2026",
		"Bis zum 15.1. brauche ich die Unterlagen.":     "15 January 2027",
		"das Paket wiegt 3.12 Kilo":                     "",
		"die Version 2.10 ist da":                       "",
		"am 31.2. wird das nichts":                      "",
		"I am 3.12 miles away":                          "",
		"wir schließen heute bis 18.30 Uhr die Anträge": "28 November 2026 at 6:30 PM",
	} {
		got := ""
		for _, f := range FindWith(text, now, Options{Lean: Ahead}) {
			if f.Known() {
				got = strings.TrimPrefix(got+", "+f.String(), ", ")
			}
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// Portuguese says the minutes behind "e".
func TestPortugueseMinutes(t *testing.T) {
	now := time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"quinta às seis e meia com o professor": "3 December 2026 at 6:30 PM",
		"amanhã às oito e quarenta e cinco":     "29 November 2026 at 8:45 AM",
		"amanhã às cinco e dez da tarde":        "29 November 2026 at 5:10 PM",
		"amanhã às seis e dois amigos também":   "29 November 2026 at 6:00 PM",
		"amanhã às nove e depois almoçamos":     "29 November 2026 at 9:00 AM",
	} {
		if got := FindWith(text, now, Options{Lean: Ahead}); len(got) != 1 || got[0].String() != want {
			t.Errorf("%s: got %v, want %s", text, got, want)
		}
	}
}

// What was set for a day, and what somebody said of a thing, is told before that day and after it: no day is told of it.
// A weekday behind "yesterday" is yesterday.
func TestWhoReportsDoesNotTellWhichDay(t *testing.T) {
	now := time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"you said second fitting on the fourth":                    "",
		"they said delivery Tuesday":                               "",
		"you said on Friday that it works":                         "27 November 2026",
		"he said he came on Tuesday":                               "24 November 2026",
		"Ich hatte am Freitag einen Termin, da kann ich nicht":     "",
		"Ich hatte am Freitag Fieber":                              "27 November 2026",
		"eu tinha consulta na sexta":                               "",
		"no, today's Saturday isn't it, so yesterday, friday":      "28 November 2026, 28 November 2026, 27 November 2026, 27 November 2026",
		"tomorrow, Sunday the 29th":                                "29 November 2026, 29 November 2026",
		"I came yesterday, and on Friday nobody was there at all.": "27 November 2026, 27 November 2026",
	} {
		got := ""
		for _, f := range Find(text, now) {
			if f.Known() {
				got = strings.TrimPrefix(got+", "+f.String(), ", ")
			}
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
