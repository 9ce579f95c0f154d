package thread

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/embed/static"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/memory"
)

// How like in meaning a memory must be to the words that ask to forget it: docs/threads.md tells on what they were tuned.
const (
	likeEnough = 0.25 // it may be meant
	likeSure   = 0.3  // it is meant,
	likeClear  = 0.12 // if no other comes so near to it
	mostMeant  = 5    // candidates
	mostKnown  = 200  // memories that are compared
)

// meant finds the memory that words mean though they are not its own. *memory.SeveralError if several may be meant.
func (s *Service) meant(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, sight memory.Sight, text string,
) (recaller.Memory, error) {
	known, err := s.Memories.Known(ctx, tenant, caller, sight)
	if err != nil {
		return recaller.Memory{}, err
	}
	known = known[:min(len(known), mostKnown)]
	type like struct {
		m      recaller.Memory
		cosine float32
	}
	asked := static.Vector(text)
	var fits []like
	for _, m := range known {
		c := max(cosine(asked, static.Vector(m.Value)), cosine(asked, static.Vector(strings.ReplaceAll(m.Key, "_", " ")+": "+m.Value)))
		if c >= likeEnough {
			fits = append(fits, like{m, c})
		}
	}
	if len(fits) == 0 {
		return recaller.Memory{}, recaller.Errorf(recaller.NotFound, "nothing of it is remembered")
	}
	slices.SortStableFunc(fits, func(a, b like) int { return cmp.Compare(b.cosine, a.cosine) })
	best := fits[0]
	same := forgotten.Same(best.m, known) // they go with it
	rest := slices.IndexFunc(fits[1:], func(f like) bool { return !slices.Contains(same, f.m.ID) }) + 1
	if best.cosine >= likeSure && (rest == 0 || best.cosine-fits[rest].cosine >= likeClear) {
		return best.m, nil
	}
	several := &memory.SeveralError{}
	for _, f := range fits[:min(len(fits), mostMeant)] {
		several.Candidates = append(several.Candidates, f.m)
	}
	return recaller.Memory{}, several
}

// cosine is how like two vectors of length 1 are.
func cosine(a, b []float32) (sum float32) {
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}
