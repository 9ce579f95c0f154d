package tool_test

import (
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

// told adds a turn of Ana's to a conversation.
func (b *bench) told(was recaller.Opened, text string) {
	b.Helper()
	_, err := b.Place.Store.AppendTurns(b.Context(), tenant, recaller.Appending{
		Conversation: was.Conversation.ID, Caller: was.Caller.ID, At: b.Clock.Now(),
		Turns: []recaller.Turn{{ID: recaller.TurnID(b.NewID()), Speaker: recaller.User, Text: text, At: b.Clock.Now(), Confidence: 1}},
	})
	b.ok(err)
}

// What is recalled in a call is short enough to be spoken, says when it was in words, and is not of the call itself.
func TestRecallInACall(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.told(b.ana, "The boiler costs 999 dollars elsewhere.")
	b.told(b.calls("CA0", b.ana.Caller.Identities...), "The quote you gave me for the boiler was 480 dollars, "+strings.Repeat("and so on ", 60))
	b.Clock.Advance(24 * time.Hour)
	res, err := b.call(recaller.ToolRecall, `{"query":"what did the boiler cost"}`)
	b.ok(err)
	if len(res.Recalled) == 0 || len(res.Recalled) > 3 {
		t.Fatalf("got %+v, want one to three results", res.Recalled)
	}
	first := res.Recalled[0]
	if !strings.HasPrefix(first.Text, "The quote you gave me") || !strings.HasSuffix(first.Text, " …") || len(first.Text) > 250 ||
		first.Speaker != recaller.User || first.When != "yesterday" {
		t.Errorf("got %+v", first)
	}
	for _, r := range res.Recalled {
		if strings.Contains(r.Text, "999") {
			t.Errorf("%q was said in the call itself", r.Text)
		}
	}
	b.want("on the record", b.record(b.ana.Conversation.ID), []string{"recall recalled 0"})
	_, err = b.call(recaller.ToolRecall, `{}`)
	b.is(err, recaller.Invalid, "query")
}

// A checkpoint is saved, read and cleared in a call; the conversation says whose it is.
func TestCheckpointsInACall(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	res, err := b.call(recaller.ToolReadCheckpoint, ``)
	b.ok(err)
	if res.Checkpoint != nil || res.Message != "No previous conversation found within 72 hours" {
		t.Errorf("got %+v, want nothing found", res)
	}
	res, err = b.call(recaller.ToolSaveCheckpoint, `{"summary":"A leak","intent":"job_creation","staging_data":"{\"address\":\"742 Evergreen Terrace\"}"}`)
	b.ok(err)
	b.want("the answer", res.Message, "Conversation state saved successfully")
	b.Clock.Advance(time.Hour)
	res, err = b.call(recaller.ToolReadCheckpoint, `{}`)
	b.ok(err)
	if c := res.Checkpoint; c == nil || c.Caller != b.ana.Caller.ID || c.Summary != "A leak" || string(c.StagingData) != `{"address":"742 Evergreen Terrace"}` {
		t.Errorf("got %+v", res.Checkpoint)
	}
	b.want("when", res.Message, "Saved an hour ago.")
	for args, field := range map[string]string{
		`{"intent":"x"}`: "summary", `{"summary":"s","stagingData":"{no"}`: "", `{"summary":"s","stagingData":[1]}`: "stagingData",
		`{"summary":"s","priority":1}`: "priority",
	} {
		_, err := b.call(recaller.ToolSaveCheckpoint, args)
		b.is(err, recaller.Invalid, field)
	}
	_, err = b.call(recaller.ToolSaveCheckpoint, `{"intent":"completed"}`)
	b.ok(err)
	res, err = b.call(recaller.ToolReadCheckpoint, `{}`)
	b.ok(err)
	if res.Checkpoint != nil {
		t.Errorf("got %+v after it was completed", res.Checkpoint)
	}
}
