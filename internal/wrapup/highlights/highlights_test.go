package highlights

import "testing"

func TestCarried(t *testing.T) {
	tests := []struct {
		highlight, text string
		want            bool
	}{
		{"Eczema", "They had eczema before", true},
		{"Asthma", "No asthma", false},
		{"No fever", "Temperature: 37", false},
		{"No fever", "No fever or rash", true},
		{"No fever", "They have a fever", false},
		{"Emmolients", "Agent: give them some emollients", true},
		{"4/7 hx of dry itchy skin", "Itchy, dry skin for four days", true},
		{"4/7 hx of dry itchy skin", "Skin", false},
		{"dysuria", "It hurts when they pee", true},
		{"dysuria", "They pee", false},
		{"UTI/cystitis", "Agent's view: a urinary tract infection", true},
		{"sore throat", "", false},
	}
	for _, tt := range tests {
		if got := Carried(tt.highlight, tt.text); got != tt.want {
			t.Errorf("%q in %q: got %v, want %v", tt.highlight, tt.text, got, tt.want)
		}
	}
}

func TestEmptyHighlightsCountForNothing(t *testing.T) {
	if got := Measure([]string{"", "cough"}, "a dry cough"); got != (Share{Carried: 1, Of: 1}) {
		t.Errorf("got %+v, want 1 of 1", got)
	}
}
