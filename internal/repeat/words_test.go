package repeat_test

import (
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller/internal/repeat"
)

// It is a Wednesday, ten in the morning by the clocks of London, when these are said. What is wanted is the first two
// times and how the rule is said, or a part of the words with which it is refused.
func TestWhatPeopleSay(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Europe/London")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 10, 14, 10, 0, 0, 0, zone)
	for text, want := range map[string]string{
		// Two repetitions, or two times of a day, are a reminder each.
		"every Monday and every other Thursday":       "one repetition",
		"every other Monday and Thursdays at 9":       "one repetition",
		"Mondays at 9 and on the 3rd of every month":  "one repetition",
		"jeden Montag und jeden zweiten Donnerstag":   "one repetition",
		"cada lunes y un jueves cada dos semanas":     "one repetition",
		"every day and every Monday":                  "one repetition",
		"every day at 8 and at 20:00":                 "one time of day",
		"every day at 8, 12 and 18":                   "one time of day",
		"jeden Tag um 8 und um 20 Uhr":                "one time of day",
		"todos los días a las 8 y a las 20:00":        "one time of day",
		"every morning and evening":                   "one time of day",
		"twice a day":                                 "which days or at what time",
		"dreimal pro Woche":                           "which days or at what time",
		"dos veces al día":                            "which days or at what time",
		"every Monday and every Thursday at 9":        "Thu 15 Oct 09:00, Mon 19 Oct 09:00, every Monday and Thursday",
		"every Monday, Wednesday and Friday at 7 pm":  "Wed 14 Oct 19:00, Fri 16 Oct 19:00, every Monday, Wednesday and Friday",
		"every Monday at 9am":                         "Mon 19 Oct 09:00, Mon 26 Oct 09:00, every Monday",
		"every other Monday at 9":                     "Mon 19 Oct 09:00, Mon 2 Nov 09:00, every other Monday",
		"every two weeks on Monday and Thursday at 9": "Thu 15 Oct 09:00, Mon 26 Oct 09:00, every other week on Monday and Thursday",

		// What is counted: weeks, or the days of a month.
		"every 2 weekdays":                              "which day",
		"every other weekday at 9":                      "which day",
		"every third Monday":                            "which day",
		"every second Tuesday at 9":                     "Tue 20 Oct 09:00, Tue 3 Nov 09:00, every other Tuesday",
		"every second and fourth Tuesday of the month":  "Tue 27 Oct 09:00, Tue 10 Nov 09:00, every month on the second Tuesday and the fourth Tuesday",
		"every third Monday of the month at 9":          "Mon 19 Oct 09:00, Mon 16 Nov 09:00, every month on the third Monday",
		"the first Monday of every other month":         "Mon 2 Nov 09:00, Mon 4 Jan 09:00, every other month on the first Monday",
		"the last Friday of every month":                "Fri 30 Oct 09:00, Fri 27 Nov 09:00, every month on the last Friday",
		"every month on Monday":                         "which day",
		"every last weekday of the month at 9":          "Fri 30 Oct 09:00, Mon 30 Nov 09:00, every month on the last weekday",
		"monthly on the 1st and the 15th":               "Thu 15 Oct 09:00, Sun 1 Nov 09:00, every month on the 1st and the 15th",
		"monthly on the 31st":                           "every month has",
		"every month on the last day":                   "Sat 31 Oct 09:00, Mon 30 Nov 09:00, every month on the last day",
		"every quarter on the 1st":                      "Sun 1 Nov 09:00, Mon 1 Feb 09:00, every 3 months on the 1st",
		"every year on 5 January":                       "Tue 5 Jan 09:00, Wed 5 Jan 09:00, every year on 5 January",
		"every January 5th at noon":                     "Tue 5 Jan 12:00, Wed 5 Jan 12:00, every year on 5 January",
		"every year on 29 February":                     "day of the year",
		"jeden zweiten Montag um 9 Uhr":                 "Mon 19 Oct 09:00, Mon 2 Nov 09:00, every other Monday",
		"jeden zweiten Montag im Monat um 9 Uhr":        "Mon 9 Nov 09:00, Mon 14 Dec 09:00, every month on the second Monday",
		"am letzten Freitag jedes Monats um 10 Uhr":     "Fri 30 Oct 10:00, Fri 27 Nov 10:00, every month on the last Friday",
		"monatlich am 3.":                               "Tue 3 Nov 09:00, Thu 3 Dec 09:00, every month on the 3rd",
		"jedes Jahr am 5. Januar":                       "Tue 5 Jan 09:00, Wed 5 Jan 09:00, every year on 5 January",
		"alle drei Tage um 8 Uhr":                       "Sat 17 Oct 08:00, Tue 20 Oct 08:00, every 3 days",
		"alle 14 Tage montags um 9 Uhr":                 "Mon 19 Oct 09:00, Mon 2 Nov 09:00, every other Monday",
		"alle acht Tage":                                "every week",
		"montags und donnerstags um halb sieben abends": "Thu 15 Oct 18:30, Mon 19 Oct 18:30, every Monday and Thursday",
		"jeden Morgen um 7":                             "Thu 15 Oct 07:00, Fri 16 Oct 07:00, every day",
		"jeden Abend um 8":                              "Wed 14 Oct 20:00, Thu 15 Oct 20:00, every day",
		"am Wochenende um 11 Uhr":                       "how often",
		"jedes Wochenende um 11 Uhr":                    "Sat 17 Oct 11:00, Sun 18 Oct 11:00, every Saturday and Sunday",
		"cada quince días":                              "Wed 28 Oct 09:00, Wed 11 Nov 09:00, every other Wednesday",
		"cada ocho días a las 9":                        "every week",
		"cada dos días a las 8":                         "Fri 16 Oct 08:00, Sun 18 Oct 08:00, every other day",
		"todos los lunes y jueves a las 9 de la noche":  "Thu 15 Oct 21:00, Mon 19 Oct 21:00, every Monday and Thursday",
		"todas las mañanas a las ocho y media":          "Thu 15 Oct 08:30, Fri 16 Oct 08:30, every day",
		"el primer lunes de cada mes a las 10":          "Mon 2 Nov 10:00, Mon 7 Dec 10:00, every month on the first Monday",
		"cada mes el día 3":                             "Tue 3 Nov 09:00, Thu 3 Dec 09:00, every month on the 3rd",
		"cada 5 de enero":                               "Tue 5 Jan 09:00, Wed 5 Jan 09:00, every year on 5 January",
		"de lunes a viernes a las 7:30":                 "Thu 15 Oct 07:30, Fri 16 Oct 07:30, every weekday",
		"von Montag bis Freitag um 7:30 Uhr":            "Thu 15 Oct 07:30, Fri 16 Oct 07:30, every weekday",
		"Mon-Thu at 9":                                  "Thu 15 Oct 09:00, Mon 19 Oct 09:00, every Monday, Tuesday, Wednesday and Thursday",
		"los sábados a las 11":                          "Sat 17 Oct 11:00, Sat 24 Oct 11:00, every Saturday",

		// What is left out.
		"weekdays except Friday at 9":          "Thu 15 Oct 09:00, Mon 19 Oct 09:00, every Monday, Tuesday, Wednesday and Thursday",
		"every day except Saturday and Sunday": "Thu 15 Oct 09:00, Fri 16 Oct 09:00, every weekday",
		"jeden Tag außer Sonntag um 8":         "Thu 15 Oct 08:00, Fri 16 Oct 08:00, every day but Sunday",
		"todos los días menos el domingo":      "Thu 15 Oct 09:00, Fri 16 Oct 09:00, every day but Sunday",
		"every Monday except the first":        "one repetition",
		"every Monday except Mondays":          "a day over",

		// How long.
		"every Friday at 9 until Christmas":        "Fri 16 Oct 09:00, Fri 23 Oct 09:00, every Friday until 25 December 2026",
		"every day until Friday at 8":              "Thu 15 Oct 08:00, Fri 16 Oct 08:00, every day until 16 October 2026",
		"jeden Tag um 9 bis zum 24. Dezember":      "Thu 15 Oct 09:00, Fri 16 Oct 09:00, every day until 24 December 2026",
		"jeden Montag bis Weihnachten":             "Mon 19 Oct 09:00, Mon 26 Oct 09:00, every Monday until 25 December 2026",
		"cada lunes hasta el 24 de diciembre":      "Mon 19 Oct 09:00, Mon 26 Oct 09:00, every Monday until 24 December 2026",
		"every day at 9 until the end of November": "Thu 15 Oct 09:00, Fri 16 Oct 09:00, every day until 30 November 2026",
		"every day until December":                 "the last day",
		"every day until she is well":              "the last day",
		"every day at 9 for ten days":              "Thu 15 Oct 09:00, Fri 16 Oct 09:00, every day until 25 October 2026",
		"zehn Tage lang jeden Tag um 9":            "Thu 15 Oct 09:00, Fri 16 Oct 09:00, every day until 25 October 2026",
		"every Monday for six weeks":               "Mon 19 Oct 09:00, Mon 26 Oct 09:00, every Monday until 30 November 2026",
		"cada día durante dos semanas a las 8":     "Thu 15 Oct 08:00, Fri 16 Oct 08:00, every day until 29 October 2026",
		"every day 10 times":                       "which days or at what time",

		// Clocks and hours.
		"every Friday at midnight":        "between two days",
		"every Friday night at 1":         "between two days",
		"every evening at 9 am":           "time of day",
		"every morning at 6":              "Thu 15 Oct 06:00, Fri 16 Oct 06:00, every day",
		"every Monday at 6 am":            "Mon 19 Oct 06:00, Mon 26 Oct 06:00, every Monday",
		"every day at 25:00":              "time of day",
		"every day at sunset":             "time of day",
		"every 30 minutes":                "every hour",
		"every two hours from 8 to 20":    "the hours one by one",
		"Monday mornings at 8":            "Mon 19 Oct 08:00, Mon 26 Oct 08:00, every Monday",
		"mañana a las 9":                  "how often",
		"morgen um 8 Uhr abends":          "how often",
		"not every Monday":                "time of day",
		"every so often":                  "how often",
		"no later than every Monday at 9": "time of day",
		"biweekly on Monday":              "mean one thing",

		// As strangers say it.
		"every weekday morning":                           "Thu 15 Oct 09:00, Fri 16 Oct 09:00, every weekday",
		"every single day at 7pm":                         "Wed 14 Oct 19:00, Thu 15 Oct 19:00, every day",
		"on Mondays and Wednesdays at half past six":      "Wed 14 Oct 18:30, Mon 19 Oct 18:30, every Monday and Wednesday",
		"every Tuesday & Thursday, 8:15":                  "Thu 15 Oct 08:15, Tue 20 Oct 08:15, every Tuesday and Thursday",
		"each Friday afternoon at 4":                      "Fri 16 Oct 16:00, Fri 23 Oct 16:00, every Friday",
		"every Sunday night":                              "Sun 18 Oct 20:00, Sun 25 Oct 20:00, every Sunday",
		"every other day except Sunday":                   "one repetition",
		"every first of the month at 10":                  "Sun 1 Nov 10:00, Tue 1 Dec 10:00, every month on the 1st",
		"on the 15th of each month":                       "Thu 15 Oct 09:00, Sun 15 Nov 09:00, every month on the 15th",
		"every 29th":                                      "every month has",
		"every six months":                                "Wed 14 Apr 09:00, Thu 14 Oct 09:00, every 6 months on the 14th",
		"every year":                                      "Thu 14 Oct 09:00, Sat 14 Oct 09:00, every year on 14 October",
		"every hour":                                      "Wed 14 Oct 11:00, Wed 14 Oct 12:00, every hour",
		"every hour on Mondays":                           "one repetition",
		"every Monday from 9 to 10":                       "time of day",
		"every day starting tomorrow at 9":                "time of day",
		"every Monday or Thursday":                        "time of day",
		"every full moon":                                 "how often",
		"every day at 8 o'clock please":                   "Thu 15 Oct 08:00, Fri 16 Oct 08:00, every day",
		"bitte jeden Dienstag um Viertel nach acht":       "Tue 20 Oct 08:15, Tue 27 Oct 08:15, every Tuesday",
		"jeden Donnerstagabend":                           "how often",
		"werktags um 8":                                   "mean one thing",
		"alle zwei Wochen dienstags um 20 Uhr":            "Tue 20 Oct 20:00, Tue 3 Nov 20:00, every other Tuesday",
		"täglich um 18:30 Uhr":                            "Wed 14 Oct 18:30, Thu 15 Oct 18:30, every day",
		"jeden ersten Samstag im Monat um 10":             "Sat 7 Nov 10:00, Sat 5 Dec 10:00, every month on the first Saturday",
		"am 15. jedes Monats um 9 Uhr":                    "Thu 15 Oct 09:00, Sun 15 Nov 09:00, every month on the 15th",
		"jeden Mittag":                                    "Wed 14 Oct 12:00, Thu 15 Oct 12:00, every day",
		"nicht jeden Montag":                              "time of day",
		"cada viernes al mediodía":                        "Fri 16 Oct 12:00, Fri 23 Oct 12:00, every Friday",
		"cada dos semanas los martes a las 5 de la tarde": "Tue 20 Oct 17:00, Tue 3 Nov 17:00, every other Tuesday",
		"el último viernes de cada mes a las 12":          "Fri 30 Oct 12:00, Fri 27 Nov 12:00, every month on the last Friday",
		"cada tercer lunes":                               "which day",
		"entre semana a las 8":                            "Thu 15 Oct 08:00, Fri 16 Oct 08:00, every weekday",
		"todos los fines de semana a las 10":              "Sat 17 Oct 10:00, Sun 18 Oct 10:00, every Saturday and Sunday",
		"cada lunes a las ocho menos cuarto":              "Mon 19 Oct 07:45, Mon 26 Oct 07:45, every Monday",
		"diariamente a las 21:00":                         "Wed 14 Oct 21:00, Thu 15 Oct 21:00, every day",
		"un lunes sí y otro no":                           "how often",
		"cada 31 de mes":                                  "every month has",
		"mensualmente el 31":                              "time of day",

		"FREQ=WEEKLY;BYDAY=MO;COUNT=4":                 "Mon 19 Oct 09:00, Mon 26 Oct 09:00, every Monday, 4 times in all",
		"FREQ=DAILY;COUNT=1":                           "Thu 15 Oct 09:00, , every day, once only",
		"FREQ=DAILY;UNTIL=20261015":                    "Thu 15 Oct 09:00, , every day until 15 October 2026",
		"FREQ=MONTHLY;BYMONTHDAY=31":                   "Sat 31 Oct 09:00, Thu 31 Dec 09:00, every month on the 31st of those that have it",
		"FREQ=YEARLY;BYMONTH=11;BYDAY=4TH":             "Thu 26 Nov 09:00, Thu 25 Nov 09:00, every year on the fourth Thursday of November",
		"FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1": "Mon 2 Nov 09:00, Tue 1 Dec 09:00, every month on the first weekday",
		"FREQ=MONTHLY;BYDAY=MO":                        "a rule with",
		"FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13":          "a rule with",
	} {
		rule, at, err := repeat.Read(text, time.Time{}, now)
		if err != nil {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q is refused with %q, want %q", text, err, want)
			}
			continue
		}
		const layout = "Mon 2 Jan 15:04"
		got := at.Format(layout) + ", "
		if next, more, _ := repeat.Next(rule, at); more {
			got += next.In(zone).Format(layout)
		}
		if got += ", " + repeat.Words(rule); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
