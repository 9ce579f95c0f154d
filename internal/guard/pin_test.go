package guard

import "testing"

func TestASpokenPINIsRead(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"4711": "4711", "four seven one one": "4711", "double three oh eight": "3308", "vier sieben eins eins": "4711",
		"47-11": "4711", "4 7 1 1": "4711", "It's four, seven, um, one, one.": "4711", "forty seven eleven": "4711",
		"0815 42": "081542", "[password]": "", "my dog": "", "471": "", "1234567890123": "", "4711 or was it 4712?": "",
		"my PIN is 4711": "4711", "": "",
	} {
		if got := PIN(said); got != want {
			t.Errorf("%q: got %q, want %q", said, got, want)
		}
	}
}

func TestWhatMayBeAPINIsMasked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ said, known, want string }{
		{"It is 4711.", "", "It is [password]."},
		{"four seven one one, right?", "", "[password], right?"},
		{"for 3 people at 7", "", "for 3 people at 7"},
		{"4711 and 9024", "9024", "4711 and [password]"},
		{"0301 2345 6789 0124 711", "", "[password]"}, // a PIN may stand in it,
		{"[password]", "", "[password]"},
	} {
		if got, _ := PINs(c.said, c.known); got != c.want {
			t.Errorf("%q: got %q, want %q", c.said, got, c.want)
		}
	}
}
