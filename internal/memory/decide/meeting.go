package decide

import (
	"time"

	"github.com/recallerhq/recaller"
)

// ReasonMerged is why a memory was closed whose caller was merged into another who has a memory with its key.
const ReasonMerged = "merged"

// Meeting decides which of two active memories with one key gives way when their callers turn out to be one person, and
// returns it closed. The later one stands: it is what the person said last. One that rules found meanwhile gives way to
// one that stands, and of two that say the same the one that was confirmed earlier.
func Meeting(stays, comes recaller.Memory, at time.Time) recaller.Memory {
	gives := stays
	switch {
	case stays.Interim != comes.Interim:
		if comes.Interim {
			gives = comes
		}
	case sameWords(stays.Value, comes.Value):
		if comes.ConfirmedAt.Before(stays.ConfirmedAt) {
			gives = comes
		}
	case !comes.CreatedAt.After(stays.CreatedAt):
		gives = comes
	}
	gives.Status, gives.ClosedReason, gives.ClosedAt = recaller.MemorySuperseded, ReasonMerged, at.UTC()
	gives.Interim = false
	return gives
}

// Parting returns a memory active again that gave way in a Meeting, and reports whether it did.
func Parting(m recaller.Memory) (recaller.Memory, bool) {
	if m.Status != recaller.MemorySuperseded || m.ClosedReason != ReasonMerged {
		return m, false
	}
	m.Status, m.ClosedReason, m.ClosedAt = recaller.MemoryActive, "", time.Time{}
	return m, true
}
