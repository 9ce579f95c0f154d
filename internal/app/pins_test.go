package app

import (
	"strings"
	"testing"
)

// What comes up in three calls is told in the fourth.
func TestAMatterThatComesBackIsTold(t *testing.T) {
	t.Parallel()
	h := build(t, t.TempDir(), Options{}).start()
	for _, said := range []string{"The Orlando sale is on my mind.", "Any news of the Orlando sale?", "The buyer of the Orlando house wants to see the roof."} {
		call := h.ring("+14155550199").Conversation.ID
		h.say(call, said)
		h.hangUp(call)
		h.writtenUp(call)
	}
	b := h.ring("+14155550199").Briefing.Text
	_, pinned, found := strings.Cut(b, "## Matters that come back")
	if !found || !strings.Contains(pinned, "- Orlando sale: About: ") || !strings.Contains(pinned, "wants to see the roof") {
		t.Errorf("got %s", b)
	}
}
