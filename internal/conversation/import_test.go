package conversation_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
)

// past is an import of a call three days ago.
func past(b *bench, external string, words ...string) conversation.Import {
	return conversation.Import{
		Start:     conversation.Start{Caller: conversation.CallerRef{Phone: phone}, ExternalID: external},
		StartedAt: at(b.Clock, -72*time.Hour), EndedAt: at(b.Clock, -71*time.Hour), Turns: said(words...),
	}
}

func TestPastConversationIsKeptAsItWas(t *testing.T) {
	b := newBench(t)
	for _, tenant := range tenants {
		in := past(b, "CA1", "user: my parrot is called Kiki", "assistant: what a name")
		in.Turns[1].At = in.StartedAt.Add(time.Minute)
		got, err := b.Import(t.Context(), tenant, in)
		b.ok(err)
		c := got.Conversation
		if got.Existing || !c.Imported || c.Status != recaller.Completed || !c.StartedAt.Equal(in.StartedAt) || !c.EndedAt.Equal(in.EndedAt) || c.Duration != time.Hour || c.Turns != 2 {
			t.Errorf("%s: got %+v, want the call as it was", tenant, c)
		}
		if got.Caller.Phone() != phone || !got.Caller.FirstSeen.Equal(in.StartedAt) || got.Caller.Conversations != 1 {
			t.Errorf("%s: got caller %+v, want one first seen then", tenant, got.Caller)
		}
		b.wantHeard(tenant, "CA1", "0 my parrot is called Kiki", "1 what a name")
		rec, err := b.Get(t.Context(), tenant, "CA1", true)
		b.ok(err)
		if !rec.Turns[0].At.Equal(in.StartedAt) || !rec.Turns[1].At.Equal(in.Turns[1].At) || len(rec.Steps) != planned || rec.Steps[0].State != recaller.StepPending {
			t.Errorf("%s: got %+v, want the turns' own times and a wrap-up that waits", tenant, rec)
		}
		told := b.changes.Take()
		if len(told) != 1 || len(told[0].Turns) != 2 {
			t.Errorf("%s: told %+v, want one change with the words", tenant, told)
		}
		had := b.Discard(tenant, c)
		if had != (tenant == ephemeral) {
			t.Errorf("%s: words held for the wrap-up: %v", tenant, had)
		}
		want := 2
		if tenant == ephemeral {
			want = 0
		}
		if got := b.heard(tenant, "CA1"); len(got) != want {
			t.Errorf("%s: after the wrap-up heard %q", tenant, got)
		}
	}
	onlySealed(t, b.Dir, "parrot", "Kiki", "what a name")
}

func TestAPastCallIsAsLongAsItsPlatformTells(t *testing.T) {
	b := newBench(t)
	in := past(b, "CA1", "user: hello")
	in.Duration, in.RecordingURL = 50*time.Second, "https://recordings.example.com/1.wav"
	got, err := b.Import(t.Context(), keep, in)
	b.ok(err)
	if c := got.Conversation; c.Duration != in.Duration || c.RecordingURL != in.RecordingURL || got.Caller.TotalDuration != in.Duration {
		t.Errorf("got %+v of %+v, want 50 s and the recording", c, got.Caller)
	}
	in.Start.ExternalID, in.RecordingURL = "CA2", "ftp://recordings.example.com/1.wav"
	_, err = b.Import(t.Context(), keep, in)
	b.is(err, recaller.Invalid, "recording_url")
}

func TestAnImportIsCheckedWithoutATrace(t *testing.T) {
	b := newBench(t)
	in := past(b, "CA1", "user: hello")
	got, err := b.CheckImport(t.Context(), keep, in)
	if b.ok(err); got.Conversation.ID != "" || got.Conversation.Turns != 1 {
		t.Errorf("got %+v, want the call as it would be", got.Conversation)
	}
	in.EndedAt = at(b.Clock, -73*time.Hour)
	_, err = b.CheckImport(t.Context(), keep, in)
	b.is(err, recaller.Invalid, "ended_at")
	if list, _, err := b.List(t.Context(), keep, recaller.ConversationFilter{}); len(list) > 0 || err != nil {
		t.Errorf("a check left %d conversations, %v", len(list), err)
	}
}

// The words of an ephemeral import can be recalled until they are written up.
func TestWordsOfAnEphemeralImportAreTheCallers(t *testing.T) {
	b := newBench(t)
	got, err := b.Import(t.Context(), ephemeral, past(b, "CA1", "user: hello"))
	b.ok(err)
	if live := b.LiveTurns(ephemeral, got.Caller.ID); len(live[got.Conversation.ID]) != 1 {
		t.Errorf("got %v, want the words", live)
	}
	quiet := past(b, "CA2", "user: hello")
	quiet.NoWrapup = true
	got, err = b.Import(t.Context(), ephemeral, quiet)
	b.ok(err)
	if live := b.LiveTurns(ephemeral, got.Caller.ID); len(live[got.Conversation.ID]) != 0 {
		t.Errorf("words that no wrap-up will ask for are held: %v", live)
	}
	rec, err := b.Get(t.Context(), ephemeral, "CA2", false)
	if err != nil || len(rec.Steps) != planned || rec.Steps[0].State != recaller.StepSkipped {
		t.Errorf("got steps %+v, %v; want them skipped", rec.Steps, err)
	}
}

func TestRepeatedImportWritesNothing(t *testing.T) {
	b := newBench(t)
	for _, tenant := range tenants {
		first, err := b.Import(t.Context(), tenant, past(b, "CA1", "user: hello"))
		b.ok(err)
		b.Discard(tenant, first.Conversation)
		b.changes.Take()
		again, err := b.Import(t.Context(), tenant, past(b, "CA1", "user: hello"))
		b.ok(err)
		if !again.Existing || again.Conversation.ID != first.Conversation.ID || len(b.changes.Take()) != 0 {
			t.Errorf("%s: got %+v, want the first one", tenant, again)
		}
		want := []string{"0 hello"}
		if tenant == ephemeral {
			want = nil
		}
		b.wantHeard(tenant, "CA1", want...)
	}
}

// What is long is written up by workers of its own.
func TestALongConversationIsAnotherKindOfWork(t *testing.T) {
	b := newBench(t)
	for n, want := range map[int]string{1999: recaller.JobWrapup, 2000: recaller.JobLongWrapup} {
		_, err := b.Import(t.Context(), keep, conversation.Import{
			Start:     conversation.Start{Caller: conversation.CallerRef{Phone: phone}, ExternalID: want},
			StartedAt: b.Clock.Now(), Turns: slices.Repeat(said("user: word"), n),
		})
		b.ok(err)
		jobs, err := b.Store.DueJobs(t.Context(), b.Clock.Now(), keep, 10)
		b.ok(err)
		if !slices.ContainsFunc(jobs, func(j recaller.Job) bool { return j.Kind == want }) || len(jobs) == 0 {
			t.Errorf("%d turns: got %+v, want one of the kind %s", n, jobs, want)
		}
	}
}

func TestImportOfALiveConversationLeavesItAlone(t *testing.T) {
	for _, tenant := range tenants {
		b := newBench(t)
		id := b.begin(tenant, conversation.Start{ExternalID: "CA1"}).Conversation.ID
		b.say(tenant, "CA1", "user: one")
		got, err := b.Import(t.Context(), tenant, past(b, "CA1", "user: other words"))
		b.ok(err)
		if !got.Existing || got.Conversation.ID != id || got.Conversation.Status != recaller.Active {
			t.Errorf("%s: got %+v, want the live one", tenant, got.Conversation)
		}
		b.say(tenant, "CA1", "user: two")
		b.wantHeard(tenant, "CA1", "0 one", "1 two")
	}
}

// The process dies between the store's commit and the archive's file; the client, who had no answer, repeats.
func TestImportCutShortIsMadeWhole(t *testing.T) {
	b := newBench(t)
	b.faults.Before("archive", func() error { return recaller.Errorf(recaller.Full, "the disk is full") })
	_, err := b.Import(t.Context(), archived, past(b, "CA1", "user: one", "user: two"))
	b.is(err, recaller.Full, "")
	conv, err := b.Find(t.Context(), archived, "CA1")
	b.ok(err)
	b.wantHeard(archived, "CA1", "0 one", "1 two") // still in memory, for the wrap-up
	if !b.Discard(archived, conv) {
		t.Error("the words did not wait for the wrap-up")
	}
	b.restart()
	b.wantHeard(archived, "CA1")
	b.faults.Clear()
	b.stale = nil
	for range 2 {
		again, err := b.Import(t.Context(), archived, past(b, "CA1", "user: one", "user: two"))
		if err != nil || !again.Existing {
			t.Fatalf("got %+v, %v; want the one that is there", again, err)
		}
		b.wantHeard(archived, "CA1", "0 one", "1 two")
	}
	if want := []recaller.CallerID{conv.Caller}; !slices.Equal(b.stale, want) {
		t.Errorf("indexes told to read anew: %v, want %v", b.stale, want)
	}
}

// A call that ended here, whose file's days are over, is not brought back by the platform's own copy of it.
func TestImportDoesNotBringBackWhatExpired(t *testing.T) {
	b := newBench(t)
	b.begin(archived, conversation.Start{ExternalID: "CA1"})
	b.say(archived, "CA1", "user: one")
	conv, err := b.End(t.Context(), archived, "CA1", conversation.End{})
	b.ok(err)
	_, err = b.Archive.DeleteCaller(t.Context(), archived, conv.Caller)
	b.ok(err)
	_, err = b.Import(t.Context(), archived, past(b, "CA1", "user: one"))
	b.ok(err)
	b.wantHeard(archived, "CA1")
}

func TestImportThatTheStoreRefusesHoldsNothing(t *testing.T) {
	b := newBench(t)
	b.storeIsAway()
	_, err := b.Import(t.Context(), ephemeral, past(b, "CA1", "user: one"))
	b.is(err, recaller.Unavailable, "")
	b.faults.Clear()
	_, err = b.Find(t.Context(), ephemeral, "CA1")
	b.is(err, recaller.NotFound, "")
	_, err = b.Import(t.Context(), ephemeral, past(b, "CA1", "user: one"))
	b.ok(err)
	b.wantHeard(ephemeral, "CA1", "0 one")
}

func TestImportFillsInWhatWasNotTold(t *testing.T) {
	b := newBench(t)
	in := past(b, "CA1", "user: one", "assistant: two", "user: three")
	in.EndedAt = time.Time{}
	in.Turns[1].At = in.StartedAt.Add(time.Minute)
	in.Turns[2].At = in.StartedAt // runs backwards
	in.Status = recaller.Failed
	got, err := b.Import(t.Context(), keep, in)
	b.ok(err)
	if c := got.Conversation; !c.EndedAt.Equal(in.Turns[1].At) || c.Status != recaller.Failed || c.Duration != time.Minute {
		t.Errorf("got %+v, want it to end with the last turn", c)
	}
	empty := past(b, "CA2")
	empty.EndedAt = time.Time{}
	got, err = b.Import(t.Context(), keep, empty)
	if err != nil || !got.Conversation.EndedAt.Equal(empty.StartedAt) {
		t.Errorf("got %+v, %v; want a call without words that ended at once", got.Conversation, err)
	}
}

func TestImportNamesTheFieldAtFault(t *testing.T) {
	b := newBench(t)
	with := func(change func(*conversation.Import)) conversation.Import {
		in := past(b, "", "user: one", "assistant: two")
		change(&in)
		return in
	}
	tests := []struct {
		name  string
		in    conversation.Import
		field string
	}{
		{"nobody", with(func(in *conversation.Import) { in.Start.Caller = conversation.CallerRef{} }), "caller"},
		{"no time", with(func(in *conversation.Import) { in.StartedAt = time.Time{} }), "started_at"},
		{"a time to come", with(func(in *conversation.Import) { in.StartedAt = at(b.Clock, 25*time.Hour) }), "started_at"},
		{"it ends before it starts", with(func(in *conversation.Import) { in.EndedAt = in.StartedAt.Add(-1) }), "ended_at"},
		{"it ends in time to come", with(func(in *conversation.Import) { in.EndedAt = at(b.Clock, 25*time.Hour) }), "ended_at"},
		{"active", with(func(in *conversation.Import) { in.Status = recaller.Active }), "status"},
		{"a turn without words", with(func(in *conversation.Import) { in.Turns[1].Text = "" }), "turns[1].text"},
		{"too many turns", with(func(in *conversation.Import) {
			in.Turns = slices.Repeat(in.Turns, conversation.MaxImportTurns)
		}), "turns"},
		{"an external id too long", with(func(in *conversation.Import) { in.Start.ExternalID = strings.Repeat("x", 300) }), "external_id"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := b.Import(t.Context(), keep, test.in)
			isError(t, err, recaller.Invalid, test.field)
		})
	}
}

// Words that no file holds wait in memory for their wrap-up, and only so many.
func TestImportsThatWaitAreBounded(t *testing.T) {
	b := newBench(t)
	in := past(b, "", "user: "+strings.Repeat("x", recaller.MaxTurnBytes))
	in.Turns = slices.Repeat(in.Turns, 200)
	var taken []recaller.Conversation
	var err error
	for err == nil && len(taken) < 10 {
		var got conversation.Imported
		if got, err = b.Import(t.Context(), ephemeral, in); err == nil {
			taken = append(taken, got.Conversation)
		}
	}
	b.is(err, recaller.Exhausted, "")
	if len(taken) < 2 {
		t.Fatalf("%d imports were taken, want some", len(taken))
	}
	b.Discard(ephemeral, taken[0])
	if _, err := b.Import(t.Context(), ephemeral, in); err != nil {
		t.Errorf("after one was written up: %v", err)
	}
}
