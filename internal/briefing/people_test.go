package briefing

import (
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
)

// A number that several people use is told as such, with who was here most often, and what to do.
func TestSeveralPeopleUseANumber(t *testing.T) {
	t.Parallel()
	snap := returning()
	snap.Caller.Name, snap.Caller.Conversations = "Karl", 5
	snap.People = []recaller.Caller{{Name: "Anna", Conversations: 2}, {Conversations: 1}}
	part := partNamed(t, composed(snap, now, Request{}), "caller")
	for _, want := range []string{"Several people use this number: ", "Karl (most often), Anna, somebody whose name is not known", "ask before you tell"} {
		if !strings.Contains(part.Text, want) {
			t.Errorf("got %q, want %q in it", part.Text, want)
		}
	}
	if strings.Contains(part.Text, "someone_else") {
		t.Error("an agent without tools is told of one")
	}
	if text := partNamed(t, composed(withTools(snap), now, Request{}), "caller").Text; !strings.Contains(text, "call someone_else") {
		t.Errorf("got %q, want the tool named", text)
	}
	snap.People[0].Conversations = 9
	if text := partNamed(t, composed(snap, now, Request{}), "caller").Text; !strings.Contains(text, "Anna (most often), Karl") {
		t.Errorf("got %q, want Anna first", text)
	}
	snap.People = nil
	if text := composed(snap, now, Request{}).Text; strings.Contains(text, "Several people") {
		t.Error("one person is told as several")
	}
}
