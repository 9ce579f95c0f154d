package conversation_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/usecasetest"
)

func TestTurnsAreKeptAsTheTenantWants(t *testing.T) {
	b := newBench(t)
	for _, tenant := range tenants {
		started := b.begin(tenant, conversation.Start{ExternalID: "CA1"})
		id := string(started.Conversation.ID)
		b.changes.Take()
		said1, durable, err := b.AddTurns(t.Context(), tenant, id, recaller.Once{}, []conversation.TurnInput{
			{Speaker: recaller.User, Text: "my parrot is called Kiki", Name: "Ana", Confidence: ptr(0.5), At: at(b.Clock, -time.Second)},
		})
		b.ok(err)
		if durable != (tenant != ephemeral) {
			t.Errorf("%s: durable is %v", tenant, durable)
		}
		b.say(tenant, "CA1", "assistant: what a name", "user: isn't it")
		b.wantHeard(tenant, id, "0 my parrot is called Kiki", "1 what a name", "2 isn't it")
		b.wantVersions(2, 2)
		rec, err := b.Get(t.Context(), tenant, id, true)
		b.ok(err)
		if got := rec.Turns[0]; got.ID != said1[0].ID || got.Name != "Ana" || got.Confidence != 0.5 || !got.At.Equal(at(b.Clock, -time.Second)) {
			t.Errorf("%s: got turn %+v, want it as it was told", tenant, got)
		}
		if got := rec.Turns[1]; got.Confidence != 1 || !got.At.Equal(b.Clock.Now()) {
			t.Errorf("%s: got turn %+v, want the defaults", tenant, got)
		}
		if rec.Conversation.Turns != 3 {
			t.Errorf("%s: the conversation counts %d turns, want 3", tenant, rec.Conversation.Turns)
		}
	}
	if live := b.LiveTurns(keep, callerOf(b, keep)); len(live) != 0 {
		t.Errorf("words that are stored are held in memory too: %v", live)
	}
	if live := b.LiveTurns(ephemeral, callerOf(b, ephemeral)); len(live) != 1 {
		t.Errorf("ephemeral words: got %v, want those of one conversation", live)
	}
	b.restart()
	for tenant, want := range map[recaller.TenantID]int{keep: 3, archived: 3, ephemeral: 0} {
		if got := b.heard(tenant, "CA1"); len(got) != want {
			t.Errorf("%s: after a restart heard %q, want %d turns", tenant, got, want)
		}
	}
	onlySealed(t, b.Dir, "parrot", "Kiki", "what a name")
	archives, err := filepath.Glob(filepath.Join(b.Dir, "archive", "*", "*", "*"))
	if err != nil || len(archives) != 1 || !strings.Contains(archives[0], string(archived)) {
		t.Errorf("archive files: got %q, %v; want one, of the tenant that wants it", archives, err)
	}
}

func callerOf(b *bench, tenant recaller.TenantID) recaller.CallerID {
	b.Helper()
	c, err := b.Store.CallerByIdentity(b.Context(), tenant, recaller.Identity{Kind: recaller.IdentityPhone, Value: phone})
	b.ok(err)
	return c.ID
}

// onlySealed fails if a file under dir holds one of the words.
func onlySealed(t *testing.T, dir string, words ...string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		for _, w := range words {
			if bytes.Contains(raw, []byte(w)) {
				t.Errorf("%s holds the words %q", filepath.Base(path), w)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestTurnsNameTheFieldAtFault(t *testing.T) {
	b := newBench(t)
	id := string(b.begin(keep, conversation.Start{}).Conversation.ID)
	good := conversation.TurnInput{Speaker: recaller.User, Text: "hello"}
	with := func(change func(*conversation.TurnInput)) []conversation.TurnInput {
		bad := good
		change(&bad)
		return []conversation.TurnInput{good, bad}
	}
	tests := []struct {
		name  string
		in    []conversation.TurnInput
		field string
	}{
		{"none", nil, "turns"},
		{"too many", slices.Repeat([]conversation.TurnInput{good}, conversation.MaxBatch+1), "turns"},
		{"nobody speaks", with(func(t *conversation.TurnInput) { t.Speaker = "" }), "turns[1].speaker"},
		{"somebody else speaks", with(func(t *conversation.TurnInput) { t.Speaker = "system" }), "turns[1].speaker"},
		{"nothing is said", with(func(t *conversation.TurnInput) { t.Text = "" }), "turns[1].text"},
		{"only space is said", with(func(t *conversation.TurnInput) { t.Text = " \n\t" }), "turns[1].text"},
		{"too much is said", with(func(t *conversation.TurnInput) { t.Text = strings.Repeat("x", recaller.MaxTurnBytes+1) }), "turns[1].text"},
		{"no text at all", with(func(t *conversation.TurnInput) { t.Text = "\xff" }), "turns[1].text"},
		{"confidence above one", with(func(t *conversation.TurnInput) { t.Confidence = ptr(1.01) }), "turns[1].confidence"},
		{"confidence below zero", with(func(t *conversation.TurnInput) { t.Confidence = ptr(-0.1) }), "turns[1].confidence"},
		{"confidence that is no number", with(func(t *conversation.TurnInput) { t.Confidence = ptr(math.NaN()) }), "turns[1].confidence"},
		{"a name too long", with(func(t *conversation.TurnInput) { t.Name = strings.Repeat("x", 201) }), "turns[1].name"},
		{"a name of two lines", with(func(t *conversation.TurnInput) { t.Name = "a\nb" }), "turns[1].name"},
		{"a time of long ago", with(func(t *conversation.TurnInput) { t.At = time.Unix(-1, 0) }), "turns[1].at"},
		{"a time to come", with(func(t *conversation.TurnInput) { t.At = at(b.Clock, 25*time.Hour) }), "turns[1].at"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := b.AddTurns(t.Context(), keep, id, recaller.Once{}, test.in)
			isError(t, err, recaller.Invalid, test.field)
		})
	}
	if got := b.heard(keep, id); len(got) != 0 {
		t.Errorf("a batch that was refused left %q", got)
	}
	largest := slices.Repeat([]conversation.TurnInput{good}, conversation.MaxBatch)
	largest[0].Text = strings.Repeat("x", recaller.MaxTurnBytes)
	turns, _, err := b.AddTurns(t.Context(), keep, id, recaller.Once{}, largest)
	if err != nil || len(turns) != conversation.MaxBatch || turns[conversation.MaxBatch-1].Number != conversation.MaxBatch-1 {
		t.Errorf("the largest batch: got %d turns, %v", len(turns), err)
	}
}

func TestTurnsForNoConversation(t *testing.T) {
	b := newBench(t)
	_, _, err := b.AddTurns(t.Context(), keep, "nothing", recaller.Once{}, said("user: hello"))
	b.is(err, recaller.NotFound, "")
	id := string(b.begin(keep, conversation.Start{}).Conversation.ID)
	_, _, err = b.AddTurns(t.Context(), archived, id, recaller.Once{}, said("user: another tenant's"))
	b.is(err, recaller.NotFound, "")
	_, err = b.End(t.Context(), keep, id, conversation.End{})
	b.ok(err)
	for range 2 { // the live state has it no more, nor does looking for it bring it back
		_, _, err = b.AddTurns(t.Context(), keep, id, recaller.Once{}, said("user: too late"))
		b.is(err, recaller.Conflict, "")
	}
}

// The answer of a write may be lost on its way; the client then repeats the request.
func TestRepeatedTurnsAreKeptOnce(t *testing.T) {
	for _, tenant := range tenants {
		t.Run(string(tenant), func(t *testing.T) {
			b := newBench(t)
			id := string(b.begin(tenant, conversation.Start{}).Conversation.ID)
			b.say(tenant, id, "user: one")
			once := recaller.Once{Token: "t1", Request: "r"}
			first, _, err := b.AddTurns(t.Context(), tenant, id, once, said("user: two", "assistant: three", "user: four"))
			b.ok(err)
			b.changes.Take()
			second, _, err := b.AddTurns(t.Context(), tenant, id, once, said("user: two", "assistant: three", "user: four"))
			b.ok(err)
			for i := range first {
				if second[i].ID != first[i].ID || second[i].Number != first[i].Number {
					t.Errorf("repeat: got turn %+v, want %+v", second[i], first[i])
				}
			}
			if told := b.changes.Take(); len(told) != 0 {
				t.Errorf("the repeat told %d changes", len(told))
			}
			b.say(tenant, id, "assistant: five")
			b.wantHeard(tenant, id, "0 one", "1 two", "2 three", "3 four", "4 five")
			_, _, err = b.AddTurns(t.Context(), tenant, id, recaller.Once{Token: "t1", Request: "another"}, said("user: other"))
			b.is(err, recaller.Conflict, "")
			b.say(tenant, id, "user: six") // a conflict of requests is not the conversation's end
			b.wantHeard(tenant, id, "0 one", "1 two", "2 three", "3 four", "4 five", "5 six")
		})
	}
}

// The store carried a write out and its answer got lost: the turns are there once, whether the client repeats its
// request or goes on with what was said next, and whether the request has a name or not.
func TestTurnsWhoseAnswerWasLostAreThereOnce(t *testing.T) {
	for _, tenant := range tenants {
		for name, once := range map[string]recaller.Once{"named": {Token: "t1", Request: "r"}, "unnamed": {}} {
			t.Run(string(tenant)+" "+name, func(t *testing.T) {
				b := newBench(t)
				id := string(b.begin(tenant, conversation.Start{}).Conversation.ID)
				b.say(tenant, id, "user: one")
				b.faults.After("append", usecasetest.Once(usecasetest.Away()))
				first, durable, err := b.AddTurns(t.Context(), tenant, id, once, said("user: two", "user: three"))
				if err != nil || durable != (tenant != ephemeral) { // it was tried again at once
					t.Errorf("got durable %v, %v", durable, err)
				}
				if name == "named" {
					again, _, err := b.AddTurns(t.Context(), tenant, id, once, said("user: two", "user: three"))
					if err != nil || again[0].ID != first[0].ID || again[1].Number != 2 {
						t.Errorf("repeated: got %+v, %v; want the first answer %+v", again, err, first)
					}
				}
				b.say(tenant, id, "assistant: four")
				b.FlushHeld(t.Context())
				b.say(tenant, id, "user: five")
				want := []string{"0 one", "1 two", "2 three", "3 four", "4 five"}
				b.wantHeard(tenant, id, want...)
				if tenant != ephemeral {
					b.restart()
					b.wantHeard(tenant, id, want...)
				}
			})
		}
	}
}

// latecomer is a store whose first write of turns loses its connection, and is carried out after its repeat.
type latecomer struct {
	conversation.Store
	first func() error
}

func (s *latecomer) AppendTurns(ctx context.Context, tenant recaller.TenantID, in recaller.Appending) (recaller.Appended, error) {
	write := func() (recaller.Appended, error) { return s.Store.AppendTurns(context.WithoutCancel(ctx), tenant, in) }
	if s.first == nil {
		in.Turns = slices.Clone(in.Turns)
		s.first = func() error { _, err := write(); return err }
		return recaller.Appended{}, usecasetest.Away()
	}
	return write()
}

func TestTurnsWhoseFirstWriteCommitsAfterItsRepeatAreThereOnce(t *testing.T) {
	for _, tenant := range tenants {
		t.Run(string(tenant), func(t *testing.T) {
			b := newBench(t)
			b.say(tenant, string(b.begin(tenant, conversation.Start{ExternalID: "CA1"}).Conversation.ID), "user: one")
			late := &latecomer{Store: b.Store}
			b.serveOn(late)
			b.say(tenant, "CA1", "user: two", "assistant: three")
			b.ok(late.first())
			b.say(tenant, "CA1", "user: four")
			got, err := b.Find(t.Context(), tenant, "CA1")
			if err != nil || got.Turns != 4 {
				t.Errorf("got %d turns, %v; want 4", got.Turns, err)
			}
			if tenant != ephemeral {
				b.wantHeard(tenant, "CA1", "0 one", "1 two", "2 three", "3 four")
			}
		})
	}
}

// What the store fails for another reason than being away is refused, and leaves nothing.
func TestFailedTurnsLeaveNothing(t *testing.T) {
	for _, tenant := range tenants {
		t.Run(string(tenant), func(t *testing.T) {
			b := newBench(t)
			id := string(b.begin(tenant, conversation.Start{}).Conversation.ID)
			b.changes.Take()
			b.faults.Before("append", usecasetest.Once(recaller.Errorf(recaller.Internal, "no")))
			_, _, err := b.AddTurns(t.Context(), tenant, id, recaller.Once{}, said("user: never", "user: kept"))
			b.is(err, recaller.Internal, "")
			b.wantHeard(tenant, id)
			b.say(tenant, id, "user: one")
			b.wantHeard(tenant, id, "0 one")
			b.wantVersions(2, 1)
		})
	}
}

// A write failed that was carried out all the same, and the client was told so: the turns that were stored keep their
// places.
func TestTurnsThatWereRefusedAndStoredAreNotOverwritten(t *testing.T) {
	for _, tenant := range []recaller.TenantID{keep, archived} {
		b := newBench(t)
		id := string(b.begin(tenant, conversation.Start{}).Conversation.ID)
		b.say(tenant, id, "user: one")
		b.faults.After("append", usecasetest.Once(recaller.Errorf(recaller.Internal, "no")))
		_, _, err := b.AddTurns(t.Context(), tenant, id, recaller.Once{}, said("user: two", "user: three"))
		b.is(err, recaller.Internal, "")
		b.say(tenant, id, "assistant: four")
		b.wantHeard(tenant, id, "0 one", "1 two", "2 three", "3 four")
	}
}

// Where there is no room for what is said, in the store or in the archive, it is held, and written once there is.
func TestAFullStoreHoldsTurns(t *testing.T) {
	for _, tenant := range tenants {
		for _, call := range []string{"append", "archive"} {
			b := newBench(t)
			id := string(b.begin(tenant, conversation.Start{}).Conversation.ID)
			full := func() error { return recaller.Errorf(recaller.Full, "the disk is full") }
			b.faults.Before("append", full)
			b.faults.Before(call, full)
			_, durable, err := b.AddTurns(t.Context(), tenant, id, recaller.Once{}, said("user: one"))
			if err != nil || durable {
				t.Errorf("%s: got durable %v, %v; want it held", tenant, durable, err)
			}
			if n := b.FlushHeld(t.Context()); n != 1 {
				t.Errorf("%s: %d conversations wait, want 1", tenant, n)
			}
			b.faults.Clear()
			if n := b.FlushHeld(t.Context()); n != 0 {
				t.Errorf("%s: %d conversations wait, want none", tenant, n)
			}
			b.say(tenant, id, "user: two")
			b.wantHeard(tenant, id, "0 one", "1 two")
		}
	}
}

func TestManyWritersOfOneConversationKeepOrderAndLoseNone(t *testing.T) {
	const writers, each = 8, 12
	for _, tenant := range tenants {
		t.Run(string(tenant), func(t *testing.T) {
			b := newBench(t)
			id := string(b.begin(tenant, conversation.Start{}).Conversation.ID)
			b.changes.Take()
			var wg sync.WaitGroup
			for w := range writers {
				wg.Go(func() {
					for n := range each {
						_, _, err := b.AddTurns(context.Background(), tenant, id, recaller.Once{}, said(fmt.Sprintf("user: %d.%d", w, n)))
						if err != nil {
							t.Error(err)
						}
						_, _ = b.Find(context.Background(), tenant, id)
						b.LiveTurns(tenant, callerOf(b, tenant))
					}
				})
			}
			wg.Wait()
			rec, err := b.Get(t.Context(), tenant, id, true)
			b.ok(err)
			next := make([]int, writers)
			for i, turn := range rec.Turns {
				var w, n int
				if _, err := fmt.Sscanf(turn.Text, "%d.%d", &w, &n); err != nil || turn.Number != i || next[w] != n {
					t.Fatalf("turn %d: got number %d, text %q, want writer's %d next", i, turn.Number, turn.Text, next[w])
				}
				next[w]++
			}
			if len(rec.Turns) != writers*each {
				t.Errorf("got %d turns, want %d", len(rec.Turns), writers*each)
			}
			b.wantVersions(2, writers*each)
		})
	}
}

// Another process began the conversation: this one finds it in the store, and goes on with the numbers.
func TestConversationOfAnotherProcessIsTakenUp(t *testing.T) {
	for _, tenant := range tenants {
		t.Run(string(tenant), func(t *testing.T) {
			b := newBench(t)
			b.begin(tenant, conversation.Start{ExternalID: "CA1"})
			b.say(tenant, "CA1", "user: one", "assistant: two")
			b.serve()
			b.say(tenant, "CA1", "user: three")
			want := []string{"0 one", "1 two", "2 three"}
			if tenant == ephemeral { // the words before are gone with their process
				want = want[2:]
			}
			b.wantHeard(tenant, "CA1", want...)
		})
	}
}

// The conversation ended past this process, which still has it live: it lets go of it.
func TestConversationEndedElsewhereTakesNoTurns(t *testing.T) {
	b := newBench(t)
	id := string(b.begin(keep, conversation.Start{ExternalID: "CA1"}).Conversation.ID)
	here := b.Service
	b.serve()
	_, err := b.End(t.Context(), keep, id, conversation.End{Reason: "elsewhere"})
	b.ok(err)
	b.Service = here
	for range 2 {
		_, _, err = b.AddTurns(t.Context(), keep, "CA1", recaller.Once{}, said("user: hello?"))
		b.is(err, recaller.Conflict, "")
	}
	got, err := b.End(t.Context(), keep, id, conversation.End{Reason: "here"})
	if err != nil || got.EndReason != "elsewhere" {
		t.Errorf("end: got %+v, %v; want the first end", got, err)
	}
}

func TestWaitingForATurnEndsWithTheRequest(t *testing.T) {
	b := newBench(t)
	id := string(b.begin(keep, conversation.Start{}).Conversation.ID)
	hanging, goOn := make(chan struct{}), make(chan struct{})
	b.faults.Before("append", func() error { close(hanging); <-goOn; return nil })
	first := make(chan error, 1)
	go func() {
		_, _, err := b.AddTurns(context.Background(), keep, id, recaller.Once{}, said("user: one"))
		first <- err
	}()
	<-hanging
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := b.AddTurns(ctx, keep, id, recaller.Once{}, said("user: two"))
	b.is(err, recaller.Timeout, "")
	if _, err := b.Find(t.Context(), keep, id); err != nil { // reading waits for nobody's write
		t.Error(err)
	}
	b.faults.Clear()
	close(goOn)
	b.ok(<-first)
	b.wantHeard(keep, id, "0 one")
}

// Ephemeral words are bounded: of a conversation without end the oldest go.
func TestEphemeralWordsAreBounded(t *testing.T) {
	b := newBench(t)
	id := string(b.begin(ephemeral, conversation.Start{}).Conversation.ID)
	long := "user: " + strings.Repeat("x", recaller.MaxTurnBytes)
	for range 80 {
		b.say(ephemeral, id, long)
	}
	rec, err := b.Get(t.Context(), ephemeral, id, true)
	b.ok(err)
	if n := len(rec.Turns); n != 64 || rec.Turns[n-1].Number != 79 || rec.Conversation.Turns != 80 {
		t.Errorf("got %d turns of %d, want the last 64 of 80", n, rec.Conversation.Turns)
	}
}

func TestErrorsHoldNoWords(t *testing.T) {
	b := newBench(t)
	id := string(b.begin(keep, conversation.Start{}).Conversation.ID)
	_, _, err := b.AddTurns(t.Context(), keep, id, recaller.Once{}, []conversation.TurnInput{{Speaker: "secretive", Text: "secret words"}})
	_, err2 := b.Start(t.Context(), keep, conversation.Start{Caller: conversation.CallerRef{Phone: "secret"}})
	if text := errors.Join(err, err2).Error(); strings.Contains(text, "secret") {
		t.Errorf("the error repeats what was sent: %s", text)
	}
}
