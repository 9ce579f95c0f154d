package asked

import (
	"testing"

	"github.com/recallerhq/recaller/internal/worktest"
)

func TestWorkIsLinear(t *testing.T) { worktest.Linear(t, work, ".", "../../when") }

func FuzzWork(f *testing.F) { worktest.Fuzz(f, work, ".", "../../when") }

func work(text string) { Read(text, worktest.Base) }
