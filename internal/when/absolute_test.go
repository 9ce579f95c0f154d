package when

import (
	"testing"
	"time"
)

func TestAbsolute(t *testing.T) {
	saturday := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		text string
		bare bool
		want string
	}{
		{"Doctor next Tuesday", false, "Doctor next Tuesday (24 November 2026)"},
		{"Doctor next Tuesday (24 November 2026)", false, "Doctor next Tuesday (24 November 2026)"},
		{"Doctor on Tuesday", true, "Doctor on Tuesday (24 November 2026)"},
		{"Doctor on Tuesday", false, "Doctor on Tuesday"},
		{"Visits every Sunday", true, "Visits every Sunday"},
		{"Moved here on 3 May 2019", true, "Moved here on 3 May 2019"},
		{"Tomorrow the vet, next Friday the dentist", false, "Tomorrow (22 November 2026) the vet, next Friday (27 November 2026) the dentist"},
		{"War gestern beim Arzt", false, "War gestern (20 November 2026) beim Arzt"},
		{"Termin nächsten Dienstag", false, "Termin nächsten Dienstag (24 November 2026)"},
		{"Termin am Dienstag", true, "Termin am Dienstag (24 November 2026)"},
		{"Termin am Dienstag", false, "Termin am Dienstag"},
		{"Ist vor drei Tagen gestürzt", false, "Ist vor drei Tagen (18 November 2026) gestürzt"},
		{"Zieht am 14. Dezember um", true, "Zieht am 14. Dezember um"},
		{"Trinkt am Morgen Tee", true, "Trinkt am Morgen Tee"},
		{"Ayer fue al médico", false, "Ayer (20 November 2026) fue al médico"},
		{"Mañana viene el afinador", false, "Mañana (22 November 2026) viene el afinador"},
		{"Se cayó hace tres días", false, "Se cayó hace tres días (18 November 2026)"},
		{"Toma café por la mañana", true, "Toma café por la mañana"},
		{"Depois de amanhã viaja", false, "Depois de amanhã (23 November 2026) viaja"},
		{"Ontem foi ao médico", false, "Ontem (20 November 2026) foi ao médico"},
		{"", true, ""},
	} {
		if got := Absolute(tt.text, FindWith(tt.text, saturday, Options{Lean: Ahead}), tt.bare); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestRetold(t *testing.T) {
	t.Parallel()
	sunday := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	say := func(f Found) string { return f.At.Format("<Mon 2.1. 15:04>") }
	for text, want := range map[string]string{
		"the taxi comes tomorrow at 9 am (22 November 2026 at 9:00 AM)":  "the taxi comes <Sun 22.11. 09:00>",
		"Der Kater braucht morgen (22 November 2026) um 9 die Spritze":   "Der Kater braucht <Sun 22.11. 00:00> um 9 die Spritze",
		"Tomorrow (22 November 2026) and next Friday (27 November 2026)": "<Sun 22.11. 00:00> and <Fri 27.11. 00:00>",
		"next week (week of 23 November 2026) the plumber":               "next week (week of 23 November 2026) the plumber",
		"Doctor on Tuesday (24 November 2026)":                           "Doctor on Tuesday (24 November 2026)",
		"tomorrow (22 November 2026":                                     "tomorrow (22 November 2026",
		"tomorrow, the shop (22 November 2026)":                          "tomorrow, the shop (22 November 2026)",
		"the 22 November 2026":                                           "the 22 November 2026",
		"":                                                               "",
	} {
		if got := Retold(text, sunday, say); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
