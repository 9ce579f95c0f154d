package decide

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
)

func TestACheckpointTakesThePlaceOfTheOneBefore(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	leak := recaller.Checkpoint{ID: "1", Intent: "job_creation", Summary: "A leak.", StagingData: []byte(`{"a":1}`), ContactID: "crm-1", LastActivity: began, CreatedAt: began}
	was := recaller.CheckpointState{Intent: "job_creation", Summary: "A leak.", StagingData: []byte(`{"a":1}`), ContactID: "crm-1", At: began}
	later := began.Add(time.Hour)
	next := func(change func(*recaller.Checkpoint)) recaller.Checkpoint {
		c := recaller.Checkpoint{ID: "2", Intent: "job_creation", Summary: "A leak.", StagingData: []byte(`{"a":1}`), LastActivity: later, CreatedAt: later}
		change(&c)
		return c
	}
	done := recaller.Checkpoint{ID: "1", Intent: "completed", StagingData: []byte("{}"), LastActivity: began, CreatedAt: began, Before: []recaller.CheckpointState{was}}
	for _, test := range []struct {
		name string
		old  *recaller.Checkpoint
		new  recaller.Checkpoint
		want func(*recaller.Checkpoint)
	}{
		{"the first is stored as it is", nil, next(func(*recaller.Checkpoint) {}), func(c *recaller.Checkpoint) { c.ID = "2"; c.CreatedAt = later }},
		{"the same again is no new state", &leak, next(func(*recaller.Checkpoint) {}), func(c *recaller.Checkpoint) { c.ContactID = "crm-1" }},
		{
			"another summary", &leak, next(func(c *recaller.Checkpoint) { c.Summary = "Two leaks." }),
			func(c *recaller.Checkpoint) {
				c.Summary, c.ContactID, c.Before = "Two leaks.", "crm-1", []recaller.CheckpointState{was}
			},
		},
		{
			"another contact", &leak, next(func(c *recaller.Checkpoint) { c.ContactID = "crm-2" }),
			func(c *recaller.Checkpoint) { c.ContactID, c.Before = "crm-2", []recaller.CheckpointState{was} },
		},
		{
			"completed", &leak, next(func(c *recaller.Checkpoint) { c.Intent, c.Summary, c.StagingData = "Completed", "", []byte("{}") }),
			func(c *recaller.Checkpoint) {
				c.Intent, c.Summary, c.StagingData, c.CreatedAt, c.Before = "Completed", "", []byte("{}"), later, []recaller.CheckpointState{was}
			},
		},
		{
			"a new matter after one that was completed", &done, next(func(c *recaller.Checkpoint) { c.Summary = "Garden." }),
			func(c *recaller.Checkpoint) {
				c.Summary, c.CreatedAt, c.Before = "Garden.", later, []recaller.CheckpointState{was}
			},
		},
	} {
		want := next(func(*recaller.Checkpoint) {})
		want.ID, want.CreatedAt = "1", began
		test.want(&want)
		if diff := cmp.Diff(want, Checkpoint(test.old, test.new)); diff != "" {
			t.Errorf("%s: -want +got\n%s", test.name, diff)
		}
	}
}

func TestTheHistoryOfACheckpointIsBounded(t *testing.T) {
	t.Parallel()
	c := recaller.Checkpoint{ID: "1", Summary: "state 0", StagingData: []byte("{}")}
	save := func(summary string, staging int) {
		old := c
		c = Checkpoint(&old, recaller.Checkpoint{Summary: summary, StagingData: []byte(`{"x":"` + strings.Repeat("x", staging) + `"}`)})
	}
	for i := 1; i <= 50; i++ {
		save(fmt.Sprintf("state %d", i), 10)
	}
	if len(c.Before) != maxStates || c.Before[0].Summary != "state 49" {
		t.Errorf("got %d states, the newest %q; want %d and state 49", len(c.Before), c.Before[0].Summary, maxStates)
	}
	for i := range 5 {
		save(fmt.Sprintf("large %d", i), 60<<10)
	}
	if len(c.Before) != 1 || c.Before[0].Summary != "large 3" {
		t.Errorf("got %d states, the newest %q; want the newest alone", len(c.Before), c.Before[0].Summary)
	}
}
