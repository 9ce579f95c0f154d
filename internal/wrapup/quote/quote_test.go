package quote_test

import (
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/wrapup/quote"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// base is a Wednesday.
var base = time.Date(2026, 10, 14, 10, 0, 0, 0, time.UTC)

func turn(text string) reading.Turn {
	return reading.Of([]recaller.Turn{{Speaker: recaller.User, Text: text}}, base, false).Turns[0]
}

func TestAQuotationIsWhatWasSaid(t *testing.T) {
	for text, want := range map[string]string{
		"The boiler is broken.":                           "“The boiler is broken.”",
		"Um, the boiler, uh, is broken.":                  "“the boiler … is broken.”",
		"It's, like, really cold, you know, in here.":     "“It's … really cold … in here.”",
		"I like it, you know that.":                       "“I like it, you know that.”",
		"He said \"no\" and (I think) [noise] hung up.":   "“He said 'no' and – I think – … hung up.”",
		"Come tomorrow at nine.":                          "“Come tomorrow at nine [Thursday 15 October 2026].”",
		"Come tomorrow between nine and eleven, please.":  "“Come tomorrow between nine and eleven [Thursday 15 October 2026], please.”",
		"I lost it at the the station.":                   "“I lost it at … the station.”",
		"It is M U L Q U E E N Y, a plumber.":             "“It is M U L Q U E E N Y, a plumber.”",
		"See you on 16 October 2026.":                     "“See you on 16 October 2026.”",
		"Some day next month, on Sundays, in a few weeks": "“Some day next month, on Sundays, in a few weeks”",
		"The boiler [heard on Monday] is broken.":         "“The boiler … is broken.”",
		"[10:32 am] Come tomorrow.":                       "“Come tomorrow [Thursday 15 October 2026].”",
		"uh":                                              "",
		"And the gate sticks.":                            "“the gate sticks.”",
		"So, um, and I have two goats.":                   "“I have two goats.”",
		"Oh, well, it's the gate again.":                  "“it's the gate again.”",
		"So much for that, and I said so.":                "“So much for that, and I said so.”",
		"Oh, one six one, four nine six.":                 "“Oh, one six one, four nine six.”",
		"Y, A, S, M, I, N.":                               "“Y, A, S, M, I, N.”",
		"Well water is what we drink.":                    "“Well water is what we drink.”",
		"Und ich habe zwei Ziegen, und ich mag sie.":      "“ich habe zwei Ziegen, und ich mag sie.”",
		"Um mein Auto geht es.":                           "“Um mein Auto geht es.”",
		"Y mi hermano vive abajo.":                        "“mi hermano vive abajo.”",
		"äh, am Montag passt es":                          "“am Montag [Monday 19 October 2026] passt es”",
	} {
		if got := quote.Of(turn(text), 0, len(text)); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}
