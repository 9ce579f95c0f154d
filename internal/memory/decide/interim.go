package decide

import (
	"slices"

	"github.com/recallerhq/recaller"
)

// Settling decides what becomes of the interim memories of a conversation, which rules found in it while its model was
// away, now that the step has a result. They make room for it, and nothing is left of them. One that says what was
// found stays and stands for that: stands has it by its place in the result. Where the step came to no result, all of
// them stay: they are all that there will be. What somebody counts on is interim no more, so it is not among them.
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
