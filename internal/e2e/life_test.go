package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// tenantWith makes a tenant of a retention and returns its telephone.
func tenantWith(t *testing.T, s *server, retention recaller.Retention) phone {
	t.Helper()
	made, err := s.admin.CreateTenant(t.Context(), client.NewTenant{Name: "A house", TenantSettings: client.TenantSettings{Retention: &retention}})
	if err != nil {
		t.Fatal(err)
	}
	return phone{t, s.client(t, made.APIKey)}
}

// Spec 2.1: while a call goes on its words can be read and recalled whatever the retention; afterwards what it says.
func TestTheThreeRetentions(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		s := house(t, on)
		for retention, kept := range map[recaller.Retention]bool{recaller.Keep: true, recaller.Archive: true, recaller.Ephemeral: false} {
			t.Run(string(retention), func(t *testing.T) {
				t.Parallel()
				p := tenantWith(t, s, retention)
				from := number()
				call := p.ring(from)
				added, err := p.c.AddTurns(t.Context(), call.Conversation.ID, user("My daughter Henrike visits on Sundays."), agent("How lovely."),
					user("I need a repair of the dishwasher."))
				if err != nil || added.Durable != kept {
					t.Fatalf("got durable %v, %v; want %v", added.Durable, err, kept)
				}
				if rec := p.read(call.Conversation.ID); len(rec.Turns) != 3 {
					t.Errorf("during the call: got %d turns, want 3", len(rec.Turns))
				}
				if !recalls(p.recall(call.Caller.ID, "dishwasher repair"), "I need a repair of the dishwasher.") {
					t.Error("during the call: the turn is not recalled")
				}
				p.hangUp(call.Conversation.ID)
				rec := p.writtenUp(call.Conversation.ID)
				wantSteps(t, rec, recaller.StepDone, recaller.StepDone, recaller.StepDone)
				brief, told := []string{"dishwasher"}, []string{"dishwasher", "Henrike"}
				if !kept { // rules quote, and nothing raw outlives the call
					brief = []string{"No words of this conversation are kept", "!dishwasher", "!Henrike"}
					told = brief
				}
				holds(t, "the summary", rec.Conversation.Summary.Brief, brief...)
				if kept {
					if rec = p.read(call.Conversation.ID); len(rec.Turns) != 3 || !recalls(p.recall(call.Caller.ID, "dishwasher repair"), "I need a repair of the dishwasher.") {
						t.Errorf("afterwards: got %d turns, or the turn is not recalled", len(rec.Turns))
					}
				} else { // the words go when the last step is done with them
					eventually(t, "the words are gone", func() bool {
						return len(p.read(call.Conversation.ID).Turns) == 0 && !recalls(p.recall(call.Caller.ID, "dishwasher repair"), "I need a repair of the dishwasher.")
					})
				}
				holds(t, "the next briefing", p.ring(from).Briefing.Text, told...)
			})
		}
	})
}

// Nobody said in which zone the caller lives: days are those of the clock by which the platform told the call's time.
func TestDaysOfAnImportedCallAreThoseOfItsClock(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		p := phone{t, house(t, on).admin}
		evening := time.Date(2026, 3, 5, 19, 10, 0, 0, time.FixedZone("", -6*3600)) // a Thursday; Friday already in UTC
		done, err := p.c.ImportConversation(t.Context(), client.ImportRequest{
			Caller: client.CallerRef{ExternalID: "evening"}, StartedAt: evening, EndedAt: evening.Add(time.Minute),
			Turns: []client.TurnInput{user("I need a plumber. The pipe burst yesterday."), agent("I'll send Gil tomorrow at nine."), user("Thank you.")},
		})
		if err != nil {
			t.Fatal(err)
		}
		rec := p.writtenUp(done.Conversation.ID)
		holds(t, "the summary", fmt.Sprint(*rec.Conversation.Summary), "4 March 2026", "6 March 2026", "!5 March 2026", "!7 March 2026")
	})
}

// P11: a conversation may be as long as it likes.
func TestTenThousandTurns(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		p := phone{t, house(t, on).admin}
		const turns, batch = 10_000, 1000
		call := p.ring(number())
		for n := 0; n < turns; n += batch {
			list := make([]client.TurnInput, batch)
			for i := range list {
				list[i] = user(fmt.Sprintf("This is sentence number %d of a long story about gardens.", n+i))
			}
			if n == 7000 {
				list[500] = user("By the way, the spare key is under the terracotta pot.")
			}
			if _, err := p.c.AddTurns(t.Context(), call.Conversation.ID, list...); err != nil {
				t.Fatal(err)
			}
		}
		found := p.recall(call.Caller.ID, "where is the spare key?")
		if len(found) == 0 || found[0].Turn == nil || *found[0].Turn != 7500 {
			t.Errorf("got %+v, want turn 7500 first", found)
		}
		p.hangUp(call.Conversation.ID)
		rec := p.writtenUp(call.Conversation.ID)
		if len(rec.Turns) != turns {
			t.Fatalf("got %d turns, want %d", len(rec.Turns), turns)
		}
		for i, turn := range rec.Turns {
			if turn.Number != i {
				t.Fatalf("turn %d has the number %d", i, turn.Number)
			}
		}
		wantSteps(t, rec, recaller.StepDone, recaller.StepDone, recaller.StepDone)
	})
}

// Imports are there, and found, when they are answered; again changes nothing; wrapup: false leaves the write-up out.
func TestImports(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		p := phone{t, house(t, on).admin}
		from := number()
		past := func(id, words string) client.ImportRequest {
			return client.ImportRequest{
				Caller: client.CallerRef{Phone: from}, ExternalID: from + id, StartedAt: time.Date(2026, 2, 10, 14, 0, 0, 0, time.UTC),
				EndedAt: time.Date(2026, 2, 10, 14, 5, 0, 0, time.UTC), Turns: []client.TurnInput{user(words), agent("I see.")},
			}
		}
		one, err := p.c.ImportConversation(t.Context(), past("a", "I lost my umbrella on the ferry."))
		if err != nil || one.Existing {
			t.Fatalf("got %+v, %v", one, err)
		}
		if !recalls(p.recall(one.Caller.ID, "umbrella"), "I lost my umbrella on the ferry.") {
			t.Error("what was imported is not recalled at once")
		}
		again, err := p.c.ImportConversation(t.Context(), past("a", "I lost my umbrella on the ferry."))
		if err != nil || !again.Existing || again.Conversation.ID != one.Conversation.ID {
			t.Errorf("imported again: got %+v, %v; want the one that is there", again, err)
		}
		silent := past("b", "The cellar is flooded.")
		silent.Wrapup = new(bool)
		broken := past("c", "")
		batch, err := p.c.ImportConversations(t.Context(), []client.ImportRequest{past("a", "x"), silent, broken, past("d", "I play the saxophone.")})
		if err != nil || batch.Existing != 1 || batch.Imported != 2 || batch.Failed != 1 {
			t.Fatalf("got %+v, %v; want 1 that was there, 2 new, 1 refused", batch, err)
		}
		if e := batch.Results[2].Error; e == nil || e.Field != "turns[0].text" {
			t.Errorf("got %+v, want the empty text at fault", batch.Results[2])
		}
		rec := p.writtenUp(from + "d")
		wantSteps(t, rec, recaller.StepDone, recaller.StepDone, recaller.StepDone)
		if !rec.Conversation.Imported || rec.Conversation.DurationSeconds != 300 || rec.Conversation.StartedAt.Day() != 10 {
			t.Errorf("got %+v, want the conversation as it was", rec.Conversation)
		}
		if rec := p.read(from + "b"); !rec.Wrapup.Done || rec.Wrapup.Steps[0].State != recaller.StepSkipped || rec.Conversation.Summary != nil || len(rec.Turns) != 2 {
			t.Errorf("wrapup: false: got %+v, want words and no write-up", rec)
		}
		if !recalls(p.recall(one.Caller.ID, "flooded cellar"), "The cellar is flooded.") {
			t.Error("wrapup: false: not recalled")
		}
	})
}

// W9: of reminder calls and calls under thirty seconds nothing is extracted; they are summed up all the same.
func TestWhatIsNotExtracted(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		p := phone{t, house(t, on).admin}
		for name, c := range map[string]struct {
			start client.StartRequest
			end   client.EndRequest
			last  recaller.StepState
		}{
			"a reminder call":   {client.StartRequest{Reminder: true, Direction: recaller.Outbound}, client.EndRequest{DurationSeconds: 120}, recaller.StepSkipped},
			"a short call":      {client.StartRequest{}, client.EndRequest{DurationSeconds: 29.9}, recaller.StepSkipped},
			"a call":            {client.StartRequest{}, client.EndRequest{DurationSeconds: 30}, recaller.StepDone},
			"a short text chat": {client.StartRequest{Channel: recaller.ChannelSMS}, client.EndRequest{DurationSeconds: 1}, recaller.StepDone},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				p := phone{t, p.c}
				c.start.Caller.Phone = number()
				call := p.start(c.start)
				p.say(call.Conversation.ID, user("I have three grandchildren and I need a repair of the fence."))
				p.end(call.Conversation.ID, c.end)
				rec := p.writtenUp(call.Conversation.ID)
				wantSteps(t, rec, recaller.StepDone, recaller.StepDone, c.last)
				if got := len(p.memories(call.Caller.ID)) > 0; got != (c.last == recaller.StepDone) {
					t.Errorf("memories were found: %v", got)
				}
				holds(t, "the summary", rec.Conversation.Summary.Brief, "fence")
			})
		}
	})
}

// What the caller said of himself becomes memories that point at his words; what the assistant said, questions,
// negations and other people's lives do not.
func TestWhatBecomesAMemory(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		p := phone{t, house(t, on).admin}
		from := number()
		call := p.call(from,
			agent("You have a lovely sailing boat, and you live in Honolulu."),
			user("I have three grandchildren."),
			agent("Do you like broccoli?"),
			user("Do you have a swimming pool?"),
			user("I don't have a motorcycle."),
			user("If I had a helicopter I would fly to work."),
			user("I used to be a teacher."),
		)
		var all strings.Builder
		for _, m := range p.memories(call.Caller.ID) {
			fmt.Fprintf(&all, "%s: %s\n", m.Key, m.Value)
			if m.Source != recaller.SourceExtraction || m.Provenance == nil || m.Provenance.ConversationID != call.Conversation.ID || len(m.Provenance.Turns) == 0 {
				t.Errorf("memory %+v does not point at its words", m)
			}
		}
		holds(t, "the memories", strings.ToLower(all.String()), "grandchildren", "teacher",
			"!sailing", "!honolulu", "!broccoli", "!swimming", "!motorcycle", "!helicopter")
		holds(t, "the next briefing", p.ring(from).Briefing.Text, "grandchildren", "teacher")
	})
}

// B8: "tomorrow" is a day in the caller's zone: at half past midnight in Berlin it is not the day that UTC has.
func TestTomorrowIsTheCallersTomorrow(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		p := phone{t, house(t, on).admin}
		done, err := p.c.ImportConversation(t.Context(), client.ImportRequest{
			Caller: client.CallerRef{Phone: "+4930901820"}, StartedAt: time.Date(2026, 3, 2, 23, 30, 0, 0, time.UTC), ExternalID: "tomorrow",
			EndedAt: time.Date(2026, 3, 2, 23, 40, 0, 0, time.UTC),
			Turns:   []client.TurnInput{user("I have a doctor's appointment tomorrow at 3 pm."), agent("Good luck.")},
		})
		if err != nil {
			t.Fatal(err)
		}
		p.writtenUp("tomorrow")
		due, err := p.c.Memories(t.Context(), done.Caller.ID, client.MemoryFilter{Due: true})
		if err != nil || len(due.Memories) != 1 {
			t.Fatalf("got %+v, %v; want one follow-up", due.Memories, err)
		}
		want := time.Date(2026, 3, 4, 14, 0, 0, 0, time.UTC) // three in the afternoon in Berlin, two in UTC
		if m := due.Memories[0]; m.Type != recaller.FollowUp || !m.DueAt.Equal(want) || m.DueDay {
			t.Errorf("got %s due %v, want a follow-up due %v", m.Type, m.DueAt, want)
		}
	})
}

// A memory has versions and a history; forgotten, it leaves briefing and recall at once.
func TestMemoriesChangeAndGo(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		p := phone{t, house(t, on).admin}
		from := number()
		call := p.call(from, user("I need a repair."), agent("Yes."))
		id := storeMemory(t, p.c, call.Caller.ID, "Favourite_Drink", "Peppermint tea")
		if again := storeMemory(t, p.c, call.Caller.ID, "favourite_drink", "Rooibos tea"); again != id {
			t.Errorf("another case of the key made another memory")
		}
		holds(t, "the briefing", p.briefing(call.Caller.ID), "Rooibos", "!Peppermint")
		if found := p.recall(call.Caller.ID, "which tea"); !recalls(found, "Rooibos") || recalls(found, "Peppermint") {
			t.Errorf("got %+v, want the new value only", found)
		}
		if _, err := p.c.ForgetMemory(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		holds(t, "the briefing", p.briefing(call.Caller.ID), "!Rooibos")
		if recalls(p.recall(call.Caller.ID, "rooibos tea"), "Rooibos") {
			t.Error("a forgotten memory is recalled")
		}
		versions, err := p.c.MemoryHistoryWithForgotten(t.Context(), id)
		if err != nil || len(versions) != 2 || versions[0].Status != recaller.MemoryForgotten || versions[1].Status != recaller.MemorySuperseded || versions[1].Value != "Peppermint tea" {
			t.Errorf("got %+v, %v; want the forgotten version and the one before it", versions, err)
		}
	})
}

// H1, H4: a checkpoint is told, replaced, and cleared by "completed". The 72 hours are in package app, which has a
// clock.
func TestCheckpoints(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		p := phone{t, house(t, on).admin}
		from := number()
		call := p.call(from, user("I need a repair."), agent("Yes."))
		put := func(in client.CheckpointInput) client.CheckpointResponse {
			t.Helper()
			out, err := p.c.PutCheckpoint(t.Context(), call.Caller.ID, in)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		first := put(client.CheckpointInput{Intent: "job_creation", Summary: "Leak at 742 Evergreen Terrace"})
		second := put(client.CheckpointInput{Intent: "job_creation", Summary: "Leak under the sink", StagingData: json.RawMessage(`{"address":"742 Evergreen Terrace"}`)})
		if !second.Checkpoint.CreatedAt.Equal(first.Checkpoint.CreatedAt) && second.Checkpoint.ID == first.Checkpoint.ID {
			t.Errorf("got %+v after %+v: one matter that began twice", second.Checkpoint, first.Checkpoint)
		}
		holds(t, "where to pick up", part(p.ring(from).Briefing, "resume"), "Leak under the sink", "742 Evergreen Terrace")
		if done := put(client.CheckpointInput{Intent: "completed"}); !done.Cleared || done.Checkpoint != nil {
			t.Errorf("got %+v, want it cleared", done)
		}
		_, err := p.c.Checkpoint(t.Context(), call.Caller.ID)
		refused(t, err, http.StatusNotFound)
		holds(t, "the briefing", p.ring(from).Briefing.Text, "!Leak under the sink")
	})
}

// What comes twice is done once, and what comes in the wrong order does no harm.
func TestTwiceAndOutOfOrder(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		p := phone{t, house(t, on).admin}
		from := number()
		start := client.StartRequest{Caller: client.CallerRef{Phone: from}, ExternalID: "CA" + from}
		first, second := p.start(start), p.start(start)
		if first.Existing || !second.Existing || second.Conversation.ID != first.Conversation.ID {
			t.Errorf("started twice: got %+v and %+v, want one conversation", first.Conversation, second.Conversation)
		}
		start.Caller.Phone = number()
		_, err := p.c.StartConversation(t.Context(), start)
		if r := refused(t, err, http.StatusUnprocessableEntity); r.Field != "external_id" {
			t.Errorf("another caller's conversation: got the field %q, want external_id", r.Field)
		}
		p.hangUp("CA" + from)
		p.end("CA"+from, client.EndRequest{Status: recaller.Failed, DurationSeconds: 7})
		rec := p.writtenUp("CA" + from)
		if rec.Conversation.Status != recaller.Completed || rec.Conversation.DurationSeconds != 180 {
			t.Errorf("ended twice: got %+v, want the first end", rec.Conversation)
		}
		_, err = p.c.AddTurns(t.Context(), "CA"+from, user("Hello?"))
		refused(t, err, http.StatusConflict)
		_, err = p.c.AddTurns(t.Context(), "not begun", user("Hello?"))
		refused(t, err, http.StatusNotFound)
	})
}
