package guard

import (
	"testing"

	"github.com/recallerhq/recaller/internal/worktest"
)

func TestWorkIsLinear(t *testing.T) { worktest.Linear(t, work, ".", "../speech") }

func FuzzWork(f *testing.F) { worktest.Fuzz(f, work, ".", "../speech") }

// work masks a text that is known to hold a secret, by itself, as an answer, and as a value of an object.
func work(text string) {
	Mask("my password is hunter2, "+text, "What is your card number, and the password?")
	Mask(text, "And the PIN?")
}
