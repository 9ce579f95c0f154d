//go:build measure

package app

import (
	"os"
	"os/exec"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/telephony/telephonytest"
)

// Twilio's own library signs what we take, and writes what we answer. Of a thousand webhooks half are forged, and the rest
// are 250 calls that are told twice at once. `make telephone-twilio` gets and runs it.
func TestTwiliosLibrary(t *testing.T) {
	node := os.Getenv("RECALLER_TWILIO_NODE")
	if node == "" {
		t.Fatal("make telephone-twilio runs it")
	}
	e := connected(t)
	forward, to := recaller.AnswerForward, hillside
	e.choose(client.TelephonePatch{Answer: &forward, ForwardTo: &to})
	script := exec.CommandContext(t.Context(), node, "../../tools/telephone/twilio.mjs", e.url, telephonytest.Public, telephonytest.Token, lakeside, hillside)
	out, err := script.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
	seen := 0
	for cursor := ""; ; {
		page, err := e.Conversations(t.Context(), client.ConversationFilter{Page: client.Page{Cursor: cursor, Limit: 200}})
		if err != nil {
			t.Fatal(err)
		}
		seen += len(page.Conversations)
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	if seen != 251 {
		t.Errorf("got %d conversations, want 251", seen)
	}
}
