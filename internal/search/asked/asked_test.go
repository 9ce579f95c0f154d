package asked

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// now is a Tuesday.
var now = time.Date(2026, 11, 24, 10, 0, 0, 0, time.UTC)

func TestDescriptionsAreToldFromTheMatter(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Find all frustrated customers":                  "sentiment negative",
		"frustrated":                                     "sentiment negative",
		"people who were very angry about the bill":      "sentiment negative",
		"guests upset about noise":                       "sentiment negative",
		"happy callers last week":                        "sentiment positive, time 2026-11-16–2026-11-23",
		"verärgerte Kunden":                              "sentiment negative",
		"clientes enfadados por la factura":              "sentiment negative",
		"angry dog in the garden":                        "",
		"happy birthday cake":                            "",
		"he was happy with the room":                     "",
		"unresolved calls":                               "outcome unresolved",
		"callers who cancelled":                          "outcome cancelled",
		"cancelled flight refund":                        "",
		"callers who cancelled their wedding":            "",
		"people who booked":                              "outcome booking-made",
		"booked out in May":                              "",
		"text messages about parking":                    "channel sms",
		"wrote by telegram about keys":                   "channel telegram",
		"whatsapp messages about the lease":              "channel whatsapp",
		"web chats about allergies":                      "channel web-chat",
		"complaints over the phone":                      "channel voice",
		"lost phone":                                     "",
		"text on the cake":                               "",
		"complaints about noise yesterday":               "time 2026-11-23–2026-11-24",
		"who called in October":                          "time 2026-10-01–2026-11-01",
		"wedding in October":                             "",
		"a table for yesterday":                          "",
		"last week's invoice":                            "",
		"calls since last Monday":                        "time 2026-11-23–",
		"frustrated customers by text messages":          "sentiment negative, channel sms",
		"an appointment on Friday":                       "",
		"weddings":                                       "",
		"":                                               "",
		"unresolved complaints from angry callers today": "sentiment negative, time 2026-11-24–2026-11-25",
	} {
		var got []string
		for _, d := range Read(text, now) {
			v := d.Value
			if d.Field == Time {
				v = d.From.Format(time.DateOnly) + "–"
				if !d.Until.IsZero() {
					v += d.Until.Format(time.DateOnly)
				}
			}
			got = append(got, fmt.Sprint(d.Field, " ", v))
			if !strings.Contains(text, d.Words) || d.Words == "" || !d.Covers(strings.Index(text, d.Words)) {
				t.Errorf("%q: the words are %q", text, d.Words)
			}
		}
		if joined := strings.Join(got, ", "); joined != want {
			t.Errorf("%q: got %q, want %q", text, joined, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("frustrated customers last week by text message")
	f.Fuzz(func(t *testing.T, text string) {
		for _, d := range Read(text, now) {
			if d.start < 0 || d.end > len(text) || d.start >= d.end {
				t.Errorf("%q: %d to %d", text, d.start, d.end)
			}
		}
	})
}
