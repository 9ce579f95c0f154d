package identity

import (
	"testing"

	"github.com/recallerhq/recaller/internal/worktest"
)

func TestWorkIsLinear(t *testing.T) { worktest.Linear(t, work, ".") }

func FuzzWork(f *testing.F) { worktest.Fuzz(f, work, ".") }

func work(text string) {
	for _, raw := range []string{text, "+49" + text} {
		_, _ = Phone(raw, "DE")
		_, _ = ExternalID(raw)
		Region(raw)
		Zone(raw)
	}
}
