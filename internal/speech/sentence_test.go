package speech_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller/internal/speech"
)

func pieces(text string) []string {
	var out []string
	for _, s := range speech.Sentences(text) {
		out = append(out, s.Text)
	}
	return out
}

// A bar in the text is where it should be cut.
func TestSentencesAreCutWhereTheyEnd(t *testing.T) {
	for _, text := range []string{
		"",
		"Yes.",
		"I saw Dr. Amato. |She was nice!",
		"Come at 8 a.m. on Friday. |Bring 3.5 litres.",
		"It's at 4 p.m. |Bring the key.",
		"It opens at 8 a.m. Tuesday.",
		"We live on St. Mary's Road. |You can't miss it.",
		"J. Smith rang. |So did Mary K. Jones.",
		"J. R. Tolkien wrote it. |Read it.",
		"Wir sind in der Bahnhofstr. 5 in Ulm. |Kommen Sie vorbei.",
		"Das Büro ist in der Bahnhofstr. |Kommen Sie vorbei.",
		"Bringen Sie etwas mit, z. B. Brot, d. h. etwas zu essen. |Danke.",
		"Bringen Sie etwas mit, z.B. Brot, d.h. Essen. |Danke.",
		"Am Montag bzw. Dienstag, ggf. Mittwoch, ca. 5 Uhr, inkl. Essen. |Passt das?",
		"Take bus No. 5 to Av. Brasil. |It is Lions vs. Tigers.",
		"La calle Mayor núm. 5, via Roma n. 7, Buch S. 12. |Ya está.",
		"I took vitamin C. |It helped.",
		"It opens at 5 p. m. |Come then.",
		"My address is www.lamp.com or 3.14. |Fine.",
		"Is it ready? |I paid $85.50 for it.",
		"¿Está listo? |Lo necesito mañana.",
		"Am 5. Mai um 15 Uhr. |Geht das?",
		"クレジットカードをなくしました。|新しいカードを送ってください。",
		"Saturday. No wait, Sunday. |Thanks.",
		"On the third, no, the fourth. |Thanks.",
		"Four Q... no, not Q, four K D. |Got it?",
		"I, uh... I'm not thinking about teeth right now.",
		"Wow... |That is a lot.",
		"ouch okay |have you been to us before",
		"yes i can see imran on tuesday at half past nine |what's the problem with it",
		"eight okay and listen the truck quit on me this morning wont go in reverse at all so now i do need that rental |cause i cant keep my brother in laws car past sunday hes got to drive it to amarillo",
		"ich habe am montag einen termin bei ihnen und der rohrbruch ist jetzt doch schlimmer geworden |aber ich kann am montag nicht weil ich arbeiten muss",
		"Nein, das geht nicht. |Können Sie am Dienstag?",
		"i have a photo and my aunt might have the receipt shes like that",
	} {
		want := strings.Split(strings.ReplaceAll(text, " |", "|"), "|")
		if text == "" {
			want = nil
		}
		if diff := cmp.Diff(want, pieces(strings.ReplaceAll(text, "|", ""))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestWhatAsksIsKnownAsAQuestion(t *testing.T) {
	for text, want := range map[string]bool{
		"Can you come on Friday?":               true,
		"can you come on friday":                true,
		"okay and what time suits you":          true,
		"what's the postcode":                   true,
		"how many players":                      true,
		"haben sie am dienstag zeit":            true,
		"para cuántas personas sería":           true,
		"i can come on friday":                  false,
		"what a day":                            false,
		"when i was there it rained":            false,
		"The doctor can see you on Friday.":     false,
		"Monday at nine?":                       true,
		"have you got anything in the morning.": true,
		"whats your claim number":               true,
		"she might have the receipt":            false,
		"i'll have that taken out":              false,
	} {
		all := speech.Sentences(text)
		if got := len(all) > 0 && all[len(all)-1].Question; got != want {
			t.Errorf("%q: got question %v, want %v", text, got, want)
		}
	}
}

func TestRepairsTellWhatIsTakenBack(t *testing.T) {
	tests := []struct{ text, back, instead string }{
		{"Can I come Thursday or, uh, no, wait, Friday. Friday I'm off.", "Thursday or, uh, ", "Friday"},
		{"Book it for Saturday, no wait, Sunday please", "Saturday, ", "Sunday"},
		{"Saturday. No wait, make it Sunday.", "Saturday. ", "Sunday"},
		{"the code is four Q... no, not Q, four K D.", "four Q... ", "not Q, four K D"},
		{"we are six, sorry, seven people", "six, ", "seven"},
		{"at half past ten I mean eleven", "ten ", "eleven"},
		{"am Montag, nein, Dienstag", "Montag, ", "Dienstag"},
		{"um vier, nein, fünf", "vier, ", "fünf"},
		{"às duas, não, às três", "duas, ", "às três"},
		{"el jueves, perdón, el viernes", "jueves, ", "el viernes"},
		{"No, Sunday is fine.", "", ""},
		{"I mean it is fine on Sunday.", "", ""},
		{"i'm free monday i mean most of the day", "", ""},
	}
	for _, tt := range tests {
		rs := speech.Repairs(tt.text)
		if tt.back == "" {
			if len(rs) > 0 {
				t.Errorf("%q: got a repair %+v, want none", tt.text, rs)
			}
			continue
		}
		if len(rs) != 1 {
			t.Errorf("%q: got %d repairs, want 1", tt.text, len(rs))
			continue
		}
		r := rs[0]
		if back, instead := tt.text[r.From:r.Marker], tt.text[r.Instead:r.To]; back != tt.back || instead != tt.instead {
			t.Errorf("%q: got %q taken back for %q, want %q for %q", tt.text, back, instead, tt.back, tt.instead)
		}
	}
}

func FuzzSentences(f *testing.F) {
	f.Add("Saturday. No wait, Sunday. It's $3.50, Mr. Lee...")
	f.Add("0\x85")
	f.Fuzz(func(t *testing.T, text string) {
		at := 0
		for _, s := range speech.Sentences(text) {
			if s.Start < at || s.End > len(text) || s.Text != text[s.Start:s.End] || s.Text == "" {
				t.Fatalf("piece %+v after %d of %d bytes", s, at, len(text))
			}
			at = s.End
		}
		for _, r := range speech.Repairs(text) {
			if r.From > r.Marker || r.Marker > r.Instead || r.Instead > r.To {
				t.Fatalf("repair %+v", r)
			}
		}
	})
}

func TestWhatTurnsASentence(t *testing.T) {
	for text, want := range map[string]bool{
		"but not on mondays": true, "no wait": true, "well": true, "uh no": true, "sorry i have hay fever": true,
		"it is at my shop though": true, "aber nicht am montag": true, "pero no quiere": true,
		"well i never": false, "i live on hay farm": false, "thursday works": false, "": false,
	} {
		if got := speech.Turns(strings.Fields(text)); got != want {
			t.Errorf("%q turns: got %v, want %v", text, got, want)
		}
	}
}
