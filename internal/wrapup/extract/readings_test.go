package extract

import "testing"

// A number is shown as it is written only where it is sure which digits belong to it.
func TestNumbersThatAreReadOut(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Oh seven seven double oh nine.":                             " [077009]",
		"Oh seven seven double oh nine hundred four one two.":        "",
		"Four four one nine is the gate.":                            " [4419]",
		"My father bought it in nineteen eighty four.":               " [1984]",
		"H, X, seven, four, K, D.":                                   " [HX74KD]",
		"It is twenty four one two six.":                             "",
		"Two hundred and five.":                                      " [205]",
		"About twelve of them, and the code is five five eight one.": " [5581]",
	} {
		if got := readings(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
