package transcript_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/transcript"
)

// TestTheDemoHoldsWhatItAsks holds demo/ together: its calls are read, and every question's answer is where it says, in
// the words of the caller who is asked about.
func TestTheDemoHoldsWhatItAsks(t *testing.T) {
	t.Parallel()
	calls, err := parse(read(t, "../../demo/calls.jsonl"), transcript.Options{})
	if err != nil {
		t.Fatal(err)
	}
	byID := map[string]transcript.Conversation{}
	failed := 0
	for _, c := range calls {
		checkWhole(t, c)
		byID[c.ExternalID] = c
		if c.Status == recaller.Failed {
			failed++
		}
	}
	if len(byID) != len(calls) || failed != 1 || calls[len(calls)-1].Status != recaller.Failed {
		t.Errorf("got %d calls, %d of them failed, want ids of their own and the last one dropped", len(calls), failed)
	}
	var people []struct {
		Name, Phone string
		Questions   []struct {
			Query, Conversation, Words string
			Turn                       int
		}
	}
	if err := json.Unmarshal([]byte(read(t, "../../demo/questions.json")), &people); err != nil {
		t.Fatal(err)
	}
	for _, person := range people {
		if len(person.Questions) != 5 {
			t.Errorf("%s: got %d questions, want 5", person.Phone, len(person.Questions))
		}
		for _, q := range person.Questions {
			c, ok := byID[q.Conversation]
			if !ok || c.Caller.Phone != person.Phone || q.Turn >= len(c.Turns) {
				t.Errorf("%q: no turn %d of a call %q from that person", q.Query, q.Turn, q.Conversation)
				continue
			}
			if turn := c.Turns[q.Turn]; turn.Speaker != recaller.User || !strings.Contains(turn.Text, q.Words) {
				t.Errorf("%q: turn %d of %s does not hold the answer", q.Query, q.Turn, q.Conversation)
			}
		}
	}
}
