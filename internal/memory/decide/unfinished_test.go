package decide

import (
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

func TestWhatIsFoundInWordsNeverStandsOverAnAgentsOwn(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	at := func(minutes int) time.Time { return began.Add(time.Duration(minutes) * time.Minute) }
	saved := func(minutes int) *recaller.Checkpoint {
		return &recaller.Checkpoint{ID: "1", Summary: "Saved.", StagingData: []byte("{}"), ContactID: "crm-1", Source: recaller.CheckpointSaved, LastActivity: at(minutes), CreatedAt: at(minutes)}
	}
	completed := func(minutes int) *recaller.Checkpoint {
		c := saved(minutes)
		c.Intent, c.Summary = "completed", ""
		return c
	}
	found := func(conv recaller.ConversationID, minutes int) *recaller.Checkpoint {
		c := saved(minutes)
		c.Summary, c.Source, c.Conversation = "Found.", recaller.CheckpointFound, conv
		return c
	}
	settled := func(conv recaller.ConversationID, minutes int) *recaller.Checkpoint {
		c := found(conv, minutes)
		c.Intent, c.Summary = "completed", ""
		return c
	}
	open := recaller.Unfinished{Since: began, Checkpoint: recaller.Checkpoint{
		ID: "2", Summary: "New.", StagingData: []byte("{}"), Conversation: "c2", LastActivity: at(5), CreatedAt: at(5),
	}}
	nothing, settles, reworded := open, open, open
	nothing.Summary = ""
	settles.Summary, settles.Settles = "", true
	reworded.Reworded = true
	for _, tt := range []struct {
		name string
		old  *recaller.Checkpoint
		u    recaller.Unfinished
		want string
	}{
		{"the first", nil, open, "New."},
		{"nothing, where nothing was", nil, nothing, ""},
		{"after what an agent saved before", saved(-10), open, "New. after Saved."},
		{"what an agent saved in the conversation", saved(3), open, ""},
		{"what an agent saved since", saved(60), open, ""},
		{"what an agent completed before", completed(-10), open, "New."},
		{"what an agent completed in the conversation", completed(3), open, ""},
		{"what an agent completed since", completed(60), open, ""},
		{"after what was found in an earlier one", found("c1", -10), open, "New. after Found."},
		{"what was found in a later one", found("c3", 30), open, ""},
		{"what was found in the same, with fewer words", found("c2", 3), open, "New."},
		{"settled in the same, which went on", settled("c2", 3), open, "New."},
		{"an earlier one is settled", found("c1", -10), settles, "completed after Found."},
		{"one that is not stored yet is settled", nil, settles, "completed"},
		{"a later one is not", found("c3", 30), settles, ""},
		{"what an agent saved is not", saved(-10), settles, ""},
		{"an earlier one stays", found("c1", -10), nothing, ""},
		{"the same, of which nothing is left", found("c2", 3), nothing, "completed after Found."},
		{"the same in other words", found("c2", 5), reworded, "New."},
		{"in other words, where it was deleted", nil, reworded, ""},
		{"in other words, where an agent saved", saved(6), reworded, ""},
	} {
		got := ""
		if c, ok := Unfinished(tt.old, tt.u); ok {
			if got = c.Summary; c.Completed() {
				got = "completed"
			}
			if len(c.Before) > 0 {
				got += " after " + c.Before[0].Summary
			}
			if c.Source != recaller.CheckpointFound || tt.old != nil && c.ID != tt.old.ID {
				t.Errorf("%s: got %+v", tt.name, c)
			}
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
