package disktest

import (
	"math/rand/v2"

	"github.com/recallerhq/recaller/internal/durable"
)

// fate decides what becomes of writes that were not synced. nil: all come to pass.
type fate struct {
	rng *rand.Rand
	manner
}

// manner is how a disk loses.
type manner int

const (
	allLost  manner = iota // nothing that was not synced is there
	allKept                // all of it is
	inOrder                // what was asked first is there, and the next write is torn
	byWrite                // each write is there or not
	byPage                 // each page of 4096 bytes has what it had after one of the writes to it
	bySector               // each sector has
	manners
)

func newFate(rng *rand.Rand) *fate {
	if rng == nil {
		return &fate{manner: allLost}
	}
	return &fate{rng, manner(rng.IntN(int(manners)))}
}

// carriedOut returns what a file has of which sure is there for sure.
func carriedOut(sure []byte, open []durable.Step, f *fate) []byte {
	if f == nil || len(open) == 0 || f.manner == allKept {
		return applied(sure, open)
	}
	if f.manner == allLost {
		return sure
	}
	sure, open = f.cut(sure, open)
	if len(open) == 0 {
		return sure
	}
	switch f.manner {
	case inOrder:
		n := f.rng.IntN(len(open))
		return applied(applied(sure, open[:n]), f.torn(open[n]))
	case byWrite:
		var kept []durable.Step
		for _, s := range open {
			if f.rng.IntN(2) == 0 {
				kept = append(kept, s)
			}
		}
		return applied(sure, kept)
	case byPage:
		return f.mixed(sure, open, 8*Sector)
	default:
		return f.mixed(sure, open, Sector)
	}
}

// applied returns a file after steps.
func applied(file []byte, steps []durable.Step) []byte {
	out := append([]byte(nil), file...)
	for _, s := range steps {
		if s.Kind == durable.Truncated {
			out = resized(out, int(s.Offset))
			continue
		}
		if end := int(s.Offset) + len(s.Data); end > len(out) {
			out = resized(out, end)
		}
		copy(out[s.Offset:], s.Data)
	}
	return out
}

func resized(file []byte, size int) []byte {
	if size <= len(file) {
		return file[:size]
	}
	return append(file, make([]byte, size-len(file))...)
}

// torn returns the part of a write that the disk came to.
func (f *fate) torn(s durable.Step) []durable.Step {
	if s.Kind == durable.Truncated {
		return nil
	}
	first := int(s.Offset) / Sector
	last := (int(s.Offset) + len(s.Data)) / Sector
	s.Data = s.Data[:max(0, (first+f.rng.IntN(last-first+1))*Sector-int(s.Offset))]
	return []durable.Step{s}
}

// cut decides how many of the times that a file was cut came to pass, and returns the file as it was then and what was
// written until it was cut again. A file system's journal has it so: the blocks that a file lost are not given to
// others, nor written, before its new length is on the disk.
func (f *fate) cut(sure []byte, open []durable.Step) ([]byte, []durable.Step) {
	var cuts []int
	size := len(sure)
	for i, s := range open {
		if s.Kind != durable.Truncated {
			size = max(size, int(s.Offset)+len(s.Data))
			continue
		}
		if int(s.Offset) < size {
			cuts = append(cuts, i)
		}
		size = int(s.Offset)
	}
	n := f.rng.IntN(len(cuts) + 1)
	until := len(open)
	if n < len(cuts) {
		until = cuts[n]
	}
	if n == 0 {
		return sure, open[:until]
	}
	last := cuts[n-1]
	before := f.mixed(sure, open[:last], Sector) // of what is below the cut some may be lost
	return applied(before, open[last:last+1]), open[last+1 : until]
}

// mixed returns a file each of whose blocks is as it was after one of the steps, and as long as it was after one.
func (f *fate) mixed(sure []byte, open []durable.Step, block int) []byte {
	size, sizes := len(sure), []int{len(sure)}
	longest := size
	for _, s := range open {
		if size = max(size, int(s.Offset)+len(s.Data)); s.Kind == durable.Truncated {
			size = int(s.Offset)
		}
		sizes, longest = append(sizes, size), max(longest, size)
	}
	blocks := (longest + block - 1) / block
	left := make([]int, blocks) // how many of the steps that touch it come to pass
	each := func(s durable.Step, fn func(b int)) {
		end := int(s.Offset) + len(s.Data)
		if s.Kind == durable.Truncated {
			end = longest
		}
		for b := int(s.Offset) / block; b*block < end; b++ {
			fn(b)
		}
	}
	for _, s := range open {
		each(s, func(b int) { left[b]++ })
	}
	for b, n := range left {
		left[b] = f.rng.IntN(n + 1)
	}
	out := resized(append([]byte(nil), sure...), longest)
	for _, s := range open {
		each(s, func(b int) {
			if left[b]--; left[b] < 0 {
				return
			}
			from, to := max(b*block, int(s.Offset)), min((b+1)*block, longest)
			if s.Kind == durable.Truncated {
				clear(out[from:to])
				return
			}
			to = min(to, int(s.Offset)+len(s.Data))
			copy(out[from:to], s.Data[from-int(s.Offset):])
		})
	}
	return out[:sizes[f.rng.IntN(len(sizes))]]
}
