package e2e

import (
	"context"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// H6, "The Disconnection": the call drops one second after the caller said what it was about. Whatever cut it off, the
// next call can carry on at once, even where a process was killed and nobody has said that the call ended.
func TestTheDisconnection(t *testing.T) {
	t.Parallel()
	hangUp := func(s *server, call string) {
		phone{t, s.admin}.end(call, client.EndRequest{Status: recaller.Failed, Reason: "carrier lost", DurationSeconds: 21})
	}
	for _, c := range []struct {
		name      string
		retention string
		cut       func(s *server, call string)
		status    recaller.Status
		tells     string
	}{
		{"the platform says so", "keep", hangUp, recaller.Failed, "broke off"},
		{"kill -9", "keep", func(s *server, _ string) { s.restart() }, recaller.Active, "most likely broke off"},
		{"kill -9 with an archive", "archive", func(s *server, _ string) { s.restart() }, recaller.Active, "most likely broke off"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			onBothStores(t, func(t *testing.T, on backing) {
				s := serveIn(t, on, "RECALLER_WORKERS=1", "RECALLER_RETENTION="+c.retention)
				const from = "(415) 555-0199"
				first := phone{t, s.admin}.ring(from)
				phone{t, s.admin}.say(first.Conversation.ID, user("Hi, I need a repair at 742 Evergreen Terrace."),
					agent("Okay, what seems to be the problem?"), user("The pipes are leaking under the sink."), agent("Got it."))
				c.cut(s, first.Conversation.ID)

				p := phone{t, s.admin}
				again := p.ring(from)
				if again.Caller.ID != first.Caller.ID || again.Briefing.Degraded {
					t.Errorf("got caller %+v, degraded %v; want the known caller and a whole briefing", again.Caller, again.Briefing.Degraded)
				}
				holds(t, "where to pick up", part(again.Briefing, "resume"), c.tells, "742 Evergreen Terrace", "leaking under the sink", "cut off")

				if got := p.read(first.Conversation.ID).Conversation.Status; got != c.status {
					t.Errorf("got status %s, want %s", got, c.status)
				}
				hangUp(s, first.Conversation.ID) // the platform tells at last, or once more
				rec := p.writtenUp(first.Conversation.ID)
				if rec.Conversation.Status != recaller.Failed || rec.Conversation.EndReason != "carrier lost" {
					t.Errorf("got status %s for %q, want failed as the platform says", rec.Conversation.Status, rec.Conversation.EndReason)
				}
				if len(rec.Turns) != 4 {
					t.Errorf("got %d turns, want the 4 that were acknowledged", len(rec.Turns))
				}
				wantSteps(t, rec, recaller.StepDone, recaller.StepDone, recaller.StepSkipped) // W9: shorter than 30 seconds
				holds(t, "the summary", rec.Conversation.Summary.Brief, "742 Evergreen Terrace")
			})
		})
	}
}

// wantSteps wants the first steps of a wrap-up in their order, each in its state and with the marks of having been
// done.
func wantSteps(t *testing.T, rec client.ConversationRecord, want ...recaller.StepState) {
	t.Helper()
	steps := []recaller.Step{recaller.StepSummarise, recaller.StepAnalyse, recaller.StepExtract, recaller.StepPin, recaller.StepEmbed, recaller.StepDocument}
	if rec.Conversation.Channel.Text() { // which leaves no document
		steps = steps[:len(steps)-1]
	}
	if len(rec.Wrapup.Steps) != len(steps) {
		t.Fatalf("got steps %+v, want %v", rec.Wrapup.Steps, steps)
	}
	for i, step := range rec.Wrapup.Steps[:len(want)] {
		if step.Step != steps[i] || step.State != want[i] || step.FinishedAt.IsZero() || step.Attempts < 1 {
			t.Errorf("got step %+v, want %s %s", step, steps[i], want[i])
		}
		if (step.State == recaller.StepDone) != (step.By == "rules") || (step.State == recaller.StepSkipped) != (step.Reason != "") {
			t.Errorf("step %+v does not say by whom, or why not", step)
		}
	}
}

// The words of an ephemeral tenant do not survive a crash, and the briefing does not pretend that they did.
func TestADropOfEphemeralWords(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		s := serveIn(t, on, "RECALLER_RETENTION=ephemeral")
		first := phone{t, s.admin}.ring("+14155550198")
		added, err := s.admin.AddTurns(context.Background(), first.Conversation.ID, user("My secret garden is at Rumpelstilzchen Lane."))
		if err != nil || added.Durable {
			t.Fatalf("got durable %v, %v; want it said that the words are not durable", added.Durable, err)
		}
		s.restart()

		p := phone{t, s.admin}
		p.end(first.Conversation.ID, client.EndRequest{Status: recaller.Failed})
		rec := p.writtenUp(first.Conversation.ID)
		if rec.Conversation.Status != recaller.Failed || len(rec.Turns) != 0 || rec.Conversation.TurnCount != 1 {
			t.Errorf("got status %s with %d of %d turns; want failed, with none of 1", rec.Conversation.Status, len(rec.Turns), rec.Conversation.TurnCount)
		}
		wantSteps(t, rec, recaller.StepSkipped, recaller.StepSkipped, recaller.StepSkipped)
		holds(t, "the briefing", p.ring("+14155550198").Briefing.Text, "A returning caller", "!Rumpelstilzchen")
		findNothing(t, s, "after the crash", secrets{words: []string{"Rumpelstilzchen"}, there: first.Conversation.ID})
	})
}
