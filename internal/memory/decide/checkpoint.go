package decide

import (
	"bytes"
	"slices"

	"github.com/recallerhq/recaller"
)

// How much of the history of a checkpoint is kept. It is sealed with the checkpoint and read with it.
const (
	maxStates     = 10
	maxStateBytes = 32 << 10 // of all states together
)

// Checkpoint returns what is stored when c takes the place of old (H1); old is nil if there was none. It keeps the id,
// the age, and the link to a contact where c has none, as long as the matter is the same: one that was completed is
// over. The state of old goes to the history, of which the oldest part is dropped if there is too much. The same state
// again is no new one.
func Checkpoint(old *recaller.Checkpoint, c recaller.Checkpoint) recaller.Checkpoint {
	if old == nil {
		return c
	}
	c.ID, c.Before = old.ID, old.Before
	if old.Completed() {
		return c
	}
	if !c.Completed() {
		c.CreatedAt = old.CreatedAt
		if c.ContactID == "" {
			c.ContactID = old.ContactID
		}
	}
	was := recaller.CheckpointState{
		Intent: old.Intent, Summary: old.Summary, StagingData: old.StagingData, ContactID: old.ContactID, Source: old.Source,
		At: old.LastActivity,
	}
	if same(was, c) {
		return c
	}
	c.Before = bounded(append([]recaller.CheckpointState{was}, old.Before...))
	return c
}

func same(was recaller.CheckpointState, c recaller.Checkpoint) bool {
	return was.Intent == c.Intent && was.Summary == c.Summary && was.ContactID == c.ContactID &&
		bytes.Equal(was.StagingData, c.StagingData)
}

// bounded drops the oldest states past the bounds. The newest stays whatever its size.
func bounded(states []recaller.CheckpointState) []recaller.CheckpointState {
	size := 0
	for i, s := range states {
		size += len(s.Intent) + len(s.Summary) + len(s.StagingData) + len(s.ContactID)
		if i > 0 && (i >= maxStates || size > maxStateBytes) {
			return slices.Clip(states[:i])
		}
	}
	return states
}
