package decide

import (
	"slices"

	"github.com/recallerhq/recaller"
)

// Settling decides what happens to the interim memories of a conversation, now that the step has a result. Rules found
// them while the model was away. They are removed to make room for the result.
//
// Two kinds stay. One that says the same as a memory of the result stands for it: stands has it by its place in the
// result. And all stay if the step has no result, because nothing else will come. A memory that somebody counts on is
// not interim any more, so it is not among them.
func Settling(keys Keys, in recaller.StepResult) (d Decision, stands map[int]recaller.Memory) {
	stands = map[int]recaller.Memory{}
	for _, m := range keys.interim {
		if m.Provenance.Conversation != in.Conversation {
			continue
		}
		i := slices.IndexFunc(in.Memories, func(f recaller.Memory) bool { return sameFinding(m, f) })
		if i < 0 && (in.State == recaller.StepDone || in.State == recaller.StepPending) {
			d.Writes = append(d.Writes, removed(m))
			continue
		}
		m.Interim = in.State == recaller.StepPending
		if i >= 0 {
			m.Confidence, m.Provenance = in.Memories[i].Confidence, in.Memories[i].Provenance
			stands[i] = m
		}
		d.Writes = append(d.Writes, Write{Update, m})
	}
	return d, stands
}
