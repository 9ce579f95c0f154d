package decide

import (
	"github.com/recallerhq/recaller"
)

// Unfinished returns what is stored when a conversation left u, and old stands; nil: there is none. ok is false if old
// stays as it is:
//
//   - what an agent saved, or completed, in that conversation or since stands over what is found in its words;
//   - what was found in a later conversation stands over what is found in an earlier one;
//   - a conversation that settles a matter settles what was found in words, and never what an agent saved.
func Unfinished(old *recaller.Checkpoint, u recaller.Unfinished) (c recaller.Checkpoint, ok bool) {
	c = u.Checkpoint
	c.Source = recaller.CheckpointFound
	same := old != nil && old.Source == recaller.CheckpointFound && old.Conversation == c.Conversation
	switch {
	case u.Reworded && !same:
		return c, false
	case old != nil && !same && !old.LastActivity.Before(u.Since):
		return c, false
	case c.Summary != "" && same: // its own history has what stood before the conversation
		c.ID, c.CreatedAt, c.ContactID, c.Before = old.ID, old.CreatedAt, old.ContactID, old.Before
		return c, true
	case c.Summary != "":
		return Checkpoint(old, c), true
	case old == nil && !u.Settles, // else what it settles is found in words that no wrap-up has read yet
		old != nil && (old.Completed() || old.Source != recaller.CheckpointFound || !u.Settles && !same):
		return c, false
	}
	c.Intent, c.StagingData = recaller.CheckpointCompleted, []byte("{}")
	return Checkpoint(old, c), true
}
