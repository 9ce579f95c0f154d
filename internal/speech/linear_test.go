package speech_test

import (
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller/internal/speech"
)

// A text ten times as long may take ten times as long, and some, but not a hundred times.
func TestLongTextsAreReadInLinearTime(t *testing.T) {
	for _, piece := range []string{"no wait ", "what is ", "so i ", "okay ", "five ", "[", "a.", "... ", "monday sorry "} {
		began := time.Now()
		speech.Sentences(strings.Repeat(piece, 20_000))
		speech.Repairs(strings.Repeat(piece, 20_000))
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("%q repeated took %v", piece, took)
		}
	}
}
