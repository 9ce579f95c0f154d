package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// Two numbers turn out to be one person's, and then not. At each moment everything is with one of the two: what is told,
// found and searched; at once, and after a restart.
func TestTwoCallersAreOnePerson(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		for _, retention := range []string{"keep", "archive"} {
			t.Run(retention, func(t *testing.T) {
				t.Parallel()
				s := serveIn(t, on, "RECALLER_RETENTION="+retention)
				p := phone{t, s.admin}
				home, mobile := number(), number()
				first := p.call(home, user("My boiler is a Vaillant, it leaks."), agent("We will come on Friday."))
				second := p.call(mobile, user("I keep a parrot called Otto."), agent("How nice."))
				a, b := first.Caller.ID, second.Caller.ID
				told := func(when string, has, lacks string) {
					t.Helper()
					if !recalls(p.recall(has, "parrot"), "Otto") {
						t.Errorf("%s: the parrot is not found with whom it is", when)
					}
					if lacks != "" && recalls(p.recall(lacks, "parrot"), "Otto") {
						t.Errorf("%s: the parrot is found with whom it is not", when)
					}
					found, err := s.admin.SearchConversations(t.Context(), client.SearchRequest{Query: "parrot", CallerID: has})
					if err != nil || len(found.Results) == 0 {
						t.Errorf("%s: the search over all conversations found %d, %v", when, len(found.Results), err)
					}
					rec, err := s.admin.Conversation(t.Context(), second.Conversation.ID)
					if err != nil || rec.Conversation.CallerID != has || len(rec.Turns) != 2 {
						t.Errorf("%s: got conversation of %s with %d turns, %v", when, rec.Conversation.CallerID, len(rec.Turns), err)
					}
				}
				told("at first", b, a)
				merged, err := s.admin.MergeCallers(t.Context(), a, client.CallerMerge{From: b})
				if err != nil || merged.Caller.ID != a || merged.Move.Conversations != 1 {
					t.Fatalf("got %+v, %v", merged, err)
				}
				told("merged", a, b)
				if was, err := s.admin.Caller(t.Context(), b); err != nil || was.MergedInto != a {
					t.Errorf("got %+v, %v; want whom it was merged into", was, err)
				}
				if _, err := s.admin.EraseCaller(t.Context(), b); !client.IsConflict(err) {
					t.Errorf("erasing who was merged: got %v, want a 409", err)
				}
				ring := p.ring(mobile)
				holds(t, "the briefing", ring.Briefing.Text, "boiler", "parrot")
				if ring.Caller.ID != a {
					t.Error("the second number leads to somebody else")
				}
				p.hangUp(ring.Conversation.ID)
				p.writtenUp(ring.Conversation.ID)
				s.restart()
				p.c = s.admin
				told("after a restart", a, b)
				moves, err := s.admin.CallerMoves(t.Context(), a)
				if err != nil || len(moves.Moves) != 1 || moves.Moves[0].ID != merged.Move.ID {
					t.Fatalf("got moves %+v, %v", moves, err)
				}
				if _, err := s.admin.UndoMove(t.Context(), merged.Move.ID); err != nil {
					t.Fatal(err)
				}
				told("two again", b, a)
				holds(t, "the briefing", p.ring(mobile).Briefing.Text, "parrot", "!boiler")
				if _, err := s.admin.UndoMove(t.Context(), merged.Move.ID); !client.IsNotFound(err) {
					t.Errorf("undone again: got %v, want 404", err)
				}
				s.restart()
				p.c = s.admin
				told("after another restart", b, a)
			})
		}
	})
}

// One caller was two people: what belongs to some calls goes to somebody new, whom the number is shared with.
func TestOneCallerIsTwoPeople(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		s := serveIn(t, on)
		p := phone{t, s.admin}
		from := number()
		karl := p.call(from, user("My boiler is a Vaillant, it leaks."), agent("We will come on Friday."))
		p.start(client.StartRequest{Caller: client.CallerRef{Phone: from}, ExternalID: "CA-anna"})
		p.say("CA-anna", user("I keep a parrot called Otto."), agent("How nice."))
		p.hangUp("CA-anna")
		p.writtenUp("CA-anna")
		_, err := s.admin.SplitCaller(t.Context(), karl.Caller.ID, client.CallerSplit{Conversations: []string{"CA-anna", "CA-nobody"}})
		if err == nil || !strings.Contains(err.Error(), "conversations[1]: must be the id of a conversation with the caller") {
			t.Errorf("got %v, want the one that is not there named", err)
		}
		out, err := s.admin.SplitCaller(t.Context(), karl.Caller.ID, client.CallerSplit{Conversations: []string{"CA-anna"}, Name: "Anna"})
		if err != nil || out.Caller.Name != "Anna" || !out.Caller.Identities[0].Shared {
			t.Fatalf("got %+v, %v", out, err)
		}
		if !recalls(p.recall(out.Caller.ID, "parrot"), "Otto") || recalls(p.recall(karl.Caller.ID, "parrot"), "Otto") {
			t.Error("the parrot is not hers alone")
		}
		ring := p.ring(from)
		holds(t, "his briefing", ring.Briefing.Text, "boiler", "!parrot")
		p.hangUp(ring.Conversation.ID)
		p.writtenUp(ring.Conversation.ID)
		if _, err := s.admin.UndoMove(t.Context(), out.Move.ID); err != nil {
			t.Fatal(err)
		}
		if !recalls(p.recall(karl.Caller.ID, "parrot"), "Otto") {
			t.Error("the parrot did not come back")
		}
	})
}

// kill -9 amid merges and their undoing: everything is with one of the two, or with each his own, never half.
func TestKillNineAmidAMerge(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		s := serveIn(t, on)
		p := phone{t, s.admin}
		home, mobile := number(), number()
		a := p.call(home, user("My boiler is a Vaillant.")).Caller.ID
		var talks []string
		var b string
		for i := range 6 {
			call := p.call(mobile, user(fmt.Sprintf("I keep a parrot called Otto, part %d.", i)), agent("Yes."))
			talks, b = append(talks, call.Conversation.ID), call.Caller.ID
		}
		for round := range 6 {
			ctx, stop := context.WithCancel(context.Background())
			done, moved := make(chan struct{}), make(chan struct{}, 1000)
			go func() {
				defer close(done)
				for ctx.Err() == nil {
					out, err := s.admin.MergeCallers(ctx, a, client.CallerMerge{From: b})
					if err == nil {
						_, err = s.admin.UndoMove(ctx, out.Move.ID)
					}
					if err != nil {
						return
					}
					moved <- struct{}{}
				}
			}()
			for range round { // the next is under way when it is killed
				<-moved
			}
			s.kill()
			stop()
			<-done
			s.start()
			p.c = s.admin
			var whose []string
			for _, id := range talks {
				rec, err := s.admin.Conversation(t.Context(), id)
				if err != nil || len(rec.Turns) != 2 {
					t.Fatalf("round %d: got %d turns, %v", round, len(rec.Turns), err)
				}
				whose = append(whose, rec.Conversation.CallerID)
			}
			slices.Sort(whose)
			if whose = slices.Compact(whose); len(whose) != 1 {
				t.Fatalf("round %d: the calls are with %d callers", round, len(whose))
			}
			found, err := s.admin.CallersByPhone(t.Context(), mobile)
			if err != nil || len(found) != 1 || found[0].ID != whose[0] {
				t.Errorf("round %d: the number is not with the calls: %v", round, err)
			}
			if !recalls(p.recall(whose[0], "parrot"), "Otto") {
				t.Errorf("round %d: the words are not with the calls", round)
			}
			moves, err := s.admin.CallerMoves(t.Context(), a)
			if merged := whose[0] == a; err != nil || merged != (len(moves.Moves) == 1) {
				t.Errorf("round %d: merged: %v, but %d moves, %v", round, merged, len(moves.Moves), err)
			}
			for _, m := range moves.Moves {
				if _, err := s.admin.UndoMove(t.Context(), m.ID); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// An erasure takes along who was merged into the caller: their words can be read nowhere any more, and nothing is undone.
func TestAnErasureTakesAlongWhoWasMerged(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		s := serveIn(t, on)
		p := phone{t, s.admin}
		a, b := p.call(number(), user("My boiler is a Vaillant.")), p.call(number(), user("I keep a parrot called Otto."))
		merged, err := s.admin.MergeCallers(t.Context(), a.Caller.ID, client.CallerMerge{From: b.Caller.ID})
		if err != nil {
			t.Fatal(err)
		}
		exported, err := s.admin.ExportCaller(t.Context(), a.Caller.ID)
		if err != nil || len(exported.Conversations) != 2 || len(exported.Moves) != 1 {
			t.Errorf("the export has %d conversations and %d moves, %v", len(exported.Conversations), len(exported.Moves), err)
		}
		receipt, err := s.admin.EraseCaller(t.Context(), a.Caller.ID)
		if err != nil || receipt.Erased["conversations"] != 2 || receipt.Erased["moves"] != 1 {
			t.Fatalf("got %+v, %v", receipt.Erased, err)
		}
		for _, id := range []string{a.Caller.ID, b.Caller.ID} {
			if _, err := s.admin.Caller(t.Context(), id); !client.IsNotFound(err) {
				t.Errorf("somebody is left: %v", err)
			}
		}
		his, err := s.admin.EraseCaller(t.Context(), b.Caller.ID) // is answered with his receipt
		if err != nil || his.KeyFingerprint == receipt.KeyFingerprint || his.Caller != recaller.CallerID(b.Caller.ID) {
			t.Errorf("got %+v, %v; want a receipt of his own", his, err)
		}
		if _, err := s.admin.UndoMove(t.Context(), merged.Move.ID); !client.IsNotFound(err) {
			t.Errorf("undone after the erasure: got %v, want 404", err)
		}
	})
}
