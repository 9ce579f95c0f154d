package decide

import (
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/worktest"
)

func TestWorkIsLinear(t *testing.T) { worktest.Linear(t, work, ".") }

func FuzzWork(f *testing.F) { worktest.Fuzz(f, work, ".") }

func work(text string) {
	_ = BareKey(text)
	var memories []recaller.Memory
	for _, t := range worktest.Many(text) {
		memories = append(memories, recaller.Memory{ID: recaller.MemoryID(t.ID), Key: t.Text, Aliases: []string{t.Text}})
	}
	keys := KeysOf(memories, memories)
	Settling(keys, recaller.StepResult{Memories: memories})
	Caller{}.Told(text, recaller.NameSaid)
}
