package conversation_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/usecasetest"
)

func TestConversationEnds(t *testing.T) {
	b := newBench(t)
	for _, tenant := range tenants {
		id := string(b.begin(tenant, conversation.Start{ExternalID: "CA1"}).Conversation.ID)
		b.say(tenant, id, "user: goodbye")
		b.changes.Take()
		b.jobs = 0
		b.Clock.Advance(90 * time.Second)
		got, err := b.End(t.Context(), tenant, "CA1", conversation.End{Reason: "hangup", RecordingURL: "https://example.com/1"})
		b.ok(err)
		if got.Status != recaller.Completed || !got.EndedAt.Equal(b.Clock.Now()) || got.Duration != 90*time.Second || got.EndReason != "hangup" || got.RecordingURL == "" {
			t.Errorf("%s: got %+v, want it completed now after 90 s", tenant, got)
		}
		b.wantVersions(3, 1)
		if b.jobs != 1 {
			t.Errorf("%s: the workers were woken %d times, want once", tenant, b.jobs)
		}
		rec, err := b.Get(t.Context(), tenant, id, false)
		b.ok(err)
		if len(rec.Steps) != planned || rec.Turns != nil {
			t.Errorf("%s: got steps %+v and turns %v, want all steps pending, no turns", tenant, rec.Steps, rec.Turns)
		}
		again, err := b.End(t.Context(), tenant, id, conversation.End{Status: recaller.Failed, Reason: "again"})
		if err != nil || again.Status != recaller.Completed || again.EndReason != "hangup" {
			t.Errorf("%s: ended again: got %+v, %v; want it as it was", tenant, again, err)
		}
		if told := b.changes.Take(); len(told) != 0 || b.jobs != 1 {
			t.Errorf("%s: ended again: told %d changes, woke %d times", tenant, len(told), b.jobs)
		}
		caller, err := b.Store.Caller(t.Context(), tenant, got.Caller)
		if err != nil || caller.Conversations != 1 || caller.TotalDuration != 90*time.Second {
			t.Errorf("%s: got caller %+v, %v; want one conversation of 90 s counted", tenant, caller, err)
		}
	}
}

func TestEndAsThePlatformTellsIt(t *testing.T) {
	b := newBench(t)
	start := b.Clock.Now()
	tests := []struct {
		name     string
		in       conversation.End
		status   recaller.Status
		ended    time.Time
		duration time.Duration
	}{
		{"as told", conversation.End{Status: recaller.Failed, EndedAt: start.Add(time.Minute), Duration: 50 * time.Second}, recaller.Failed, start.Add(time.Minute), 50 * time.Second},
		{"duration from the times", conversation.End{EndedAt: start.Add(time.Minute)}, recaller.Completed, start.Add(time.Minute), time.Minute},
		{"in the second in which it began", conversation.End{EndedAt: start.Truncate(time.Second)}, recaller.Completed, start, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			id := string(b.begin(keep, conversation.Start{}).Conversation.ID)
			got, err := b.End(t.Context(), keep, id, test.in)
			if err != nil || got.Status != test.status || !got.EndedAt.Equal(test.ended) || got.Duration != test.duration {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func TestEndNamesTheFieldAtFault(t *testing.T) {
	b := newBench(t)
	id := string(b.begin(keep, conversation.Start{}).Conversation.ID)
	tests := []struct {
		name  string
		in    conversation.End
		field string
	}{
		{"active", conversation.End{Status: recaller.Active}, "status"},
		{"another status", conversation.End{Status: "gone"}, "status"},
		{"a negative duration", conversation.End{Duration: -1}, "duration_seconds"},
		{"a reason too long", conversation.End{Reason: strings.Repeat("x", 201)}, "reason"},
		{"a reason of two lines", conversation.End{Reason: "a\nb"}, "reason"},
		{"a url too long", conversation.End{RecordingURL: strings.Repeat("x", 2001)}, "recording_url"},
		{"a recording that is no web address", conversation.End{RecordingURL: "javascript:alert(1)"}, "recording_url"},
		{"a recording without a host", conversation.End{RecordingURL: "https:///4711.wav"}, "recording_url"},
		{"before it began", conversation.End{EndedAt: at(b.Clock, -time.Minute)}, "ended_at"},
		{"a time to come", conversation.End{EndedAt: at(b.Clock, 25*time.Hour)}, "ended_at"},
		{"a time of long ago", conversation.End{EndedAt: time.Unix(-1, 0)}, "ended_at"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := b.End(t.Context(), keep, id, test.in)
			isError(t, err, recaller.Invalid, test.field)
		})
	}
	_, err := b.End(t.Context(), keep, "nothing", conversation.End{})
	b.is(err, recaller.NotFound, "")
	if got, err := b.Find(t.Context(), keep, id); err != nil || got.Status != recaller.Active {
		t.Errorf("got %+v, %v; want it active still", got, err)
	}
}

// One hiccup of the store is not noticed, whether the end was carried out or not.
func TestAnEndIsTriedAgainAtOnce(t *testing.T) {
	for name, lose := range map[string]bool{"the write failed": false, "the answer was lost": true} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			id := string(b.begin(keep, conversation.Start{}).Conversation.ID)
			if lose {
				b.faults.After("close", usecasetest.Once(usecasetest.Away()))
			} else {
				b.faults.Before("close", usecasetest.Once(usecasetest.Away()))
			}
			got, err := b.End(t.Context(), keep, id, conversation.End{Reason: "hangup"})
			if err != nil || got.Status != recaller.Completed || got.EndReason != "hangup" {
				t.Errorf("got %+v, %v; want it ended", got, err)
			}
			_, _, err = b.AddTurns(t.Context(), keep, id, recaller.Once{}, said("user: too late"))
			b.is(err, recaller.Conflict, "")
			if conversations, _ := b.Waiting(); conversations != 0 {
				t.Errorf("%d conversations wait", conversations)
			}
		})
	}
}

// An end that the store fails for another reason than being away is refused, and can be repeated.
func TestEndThatFailsCanBeRepeated(t *testing.T) {
	b := newBench(t)
	id := string(b.begin(keep, conversation.Start{}).Conversation.ID)
	b.faults.Before("close", usecasetest.Once(recaller.Errorf(recaller.Internal, "the disk is full")))
	_, err := b.End(t.Context(), keep, id, conversation.End{Reason: "hangup"})
	b.is(err, recaller.Internal, "")
	b.say(keep, id, "user: one more thing")
	got, err := b.End(t.Context(), keep, id, conversation.End{Reason: "hangup"})
	if err != nil || got.Status != recaller.Completed || got.EndReason != "hangup" || got.Turns != 1 {
		t.Errorf("got %+v, %v; want it ended", got, err)
	}
}

// Ephemeral words wait for their wrap-up, and for that only.
func TestEphemeralWordsGoWhenTheyAreWrittenUp(t *testing.T) {
	b := newBench(t)
	started := b.begin(ephemeral, conversation.Start{ExternalID: "CA1"})
	conv := started.Conversation
	b.say(ephemeral, "CA1", "user: my parrot is called Kiki")
	if b.Discard(ephemeral, conv) {
		t.Error("words of an active conversation were discarded")
	}
	conv, err := b.End(t.Context(), ephemeral, "CA1", conversation.End{})
	b.ok(err)
	b.wantHeard(ephemeral, string(conv.ID), "0 my parrot is called Kiki")
	if !b.Discard(ephemeral, conv) || b.Discard(ephemeral, conv) {
		t.Error("discard: want words to be there once")
	}
	b.wantHeard(ephemeral, "CA1")

	silent := b.begin(ephemeral, conversation.Start{})
	conv, err = b.End(t.Context(), ephemeral, string(silent.Conversation.ID), conversation.End{})
	b.ok(err)
	if b.Discard(ephemeral, conv) {
		t.Error("a conversation without words had some")
	}
	if held := b.LiveTurns(ephemeral, started.Caller.ID); len(held) != 0 {
		t.Errorf("words are still held: %v", held)
	}
}

func TestConversationsAreListedNewestFirst(t *testing.T) {
	b := newBench(t)
	var ids []recaller.ConversationID
	for range 3 {
		ids = append(ids, b.begin(keep, conversation.Start{}).Conversation.ID)
		b.Clock.Advance(time.Minute)
	}
	b.begin(archived, conversation.Start{})
	first, next, err := b.List(t.Context(), keep, recaller.ConversationFilter{Page: recaller.Page{Limit: 2}})
	b.ok(err)
	second, end, err := b.List(t.Context(), keep, recaller.ConversationFilter{Page: recaller.Page{Limit: 2, Cursor: next}})
	b.ok(err)
	if len(first) != 2 || len(second) != 1 || end != "" || first[0].ID != ids[2] || second[0].ID != ids[0] {
		t.Errorf("got %d and %d conversations, want the newest first on two pages", len(first), len(second))
	}
}

// Where something was forgotten, the words tell what of a summary may be told. One conversation whose words are damaged
// is listed without its summary, and said to be; the others are as ever.
func TestAListWithDamagedWords(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var convs []recaller.Conversation
	for i := range 12 {
		started := b.begin(archived, conversation.Start{})
		b.say(archived, string(started.Conversation.ID), "user: my dog is called Max", "user: and the boiler leaks")
		ended, err := b.End(t.Context(), archived, string(started.Conversation.ID), conversation.End{})
		b.ok(err)
		_, err = b.Store.WriteStep(t.Context(), archived, recaller.StepResult{
			Conversation: ended.ID, Caller: ended.Caller, Step: recaller.StepSummarise, State: recaller.StepDone, By: "rules", At: b.Clock.Now(),
			Summary: &recaller.Summary{Brief: "Caller: “and the boiler leaks”", By: "rules"},
		})
		b.ok(err)
		convs = append(convs, ended)
		if i == 11 {
			now := b.Clock.Now()
			m, err := b.Store.StoreMemory(t.Context(), archived, recaller.Storing{Memory: recaller.Memory{
				ID: "dog", Caller: ended.Caller, Type: recaller.Fact, Key: "dog_name", Value: "Max", Confidence: 1,
				Source: recaller.SourceAPI, PrivacyScope: recaller.LineOnly, CreatedAt: now, ConfirmedAt: now,
			}})
			b.ok(err)
			_, err = b.Store.ChangeMemory(t.Context(), archived, recaller.Changing{ID: m.Memory.ID, Forget: true, Patch: recaller.MemoryPatch{At: now}})
			b.ok(err)
		}
		b.Clock.Advance(time.Minute)
	}
	b.ok(filepath.WalkDir(filepath.Join(b.Dir, "archive"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(path, string(convs[3].ID)) {
			return err
		}
		raw, err := os.ReadFile(path)
		b.ok(err)
		raw[len(raw)-1] ^= 1
		return os.WriteFile(path, raw, 0o600)
	}))
	list, _, err := b.List(t.Context(), archived, recaller.ConversationFilter{})
	b.ok(err)
	for _, c := range list {
		damaged := c.ID == convs[3].ID
		if c.Unreadable != damaged || (c.Summary == nil) != damaged {
			t.Errorf("%s: got unreadable %v, summary %v; want damaged %v", c.ID, c.Unreadable, c.Summary, damaged)
		}
	}
	if len(list) != len(convs) {
		t.Errorf("%d are listed, want all", len(list))
	}
}

// A recording is told when the platform has it. What is wrong with it is named; of another tenant's call nothing is known.
func TestARecordingIsToldAfterTheEnd(t *testing.T) {
	b := newBench(t)
	const link = "https://recordings.example.com/1"
	b.begin(keep, conversation.Start{ExternalID: "CA1"})
	b.is(b.Recorded(t.Context(), keep, "CA1", link), recaller.Conflict, "")
	_, err := b.End(t.Context(), keep, "CA1", conversation.End{})
	b.ok(err)
	for _, bad := range []string{"", "ftp://example.com/1", "https://example.com/\n"} {
		b.is(b.Recorded(t.Context(), keep, "CA1", bad), recaller.Invalid, "recording_url")
	}
	b.ok(b.Recorded(t.Context(), keep, "CA1", link))
	if got, err := b.Find(t.Context(), keep, "CA1"); err != nil || got.RecordingURL != link {
		t.Errorf("got %q, %v, want the recording", got.RecordingURL, err)
	}
	b.is(b.Recorded(t.Context(), tenants[1], "CA1", link), recaller.NotFound, "")
	b.storeIsAway()
	b.is(b.Recorded(t.Context(), keep, "CA1", link), recaller.Unavailable, "")
}
