package storetest

import (
	"time"

	"github.com/recallerhq/recaller"
)

// unfinished has the wrap-up of conversations leave what is unfinished in them, in the commit of its step, and reads what
// no wrap-up has read yet.
func unfinished(b *bench) {
	first := b.open("t1", opening{external: "CA1"})
	caller := first.Caller.ID
	b.say("t1", first, "user: my sink leaks")
	known := func() (recaller.Resumable, string) {
		b.Helper()
		r, err := b.Store.Resumable(b.ctx, "t1", caller)
		b.ok(err)
		unread := ""
		for _, c := range r.Unread {
			unread += c.ExternalID + " "
		}
		return r, unread
	}
	r, unread := known()
	eq(b, "one that goes on", unread, "CA1 ")
	eq(b, "whose it is", r.Caller.ID, caller)
	eq(b, "no checkpoint", r.Checkpoint == nil, true)

	closed, err := b.Store.CloseConversation(b.ctx, "t1", b.closing(first, recaller.Failed))
	b.ok(err)
	_, unread = known()
	eq(b, "one that waits for its wrap-up", unread, "CA1 ")
	write := func(o recaller.Opened, state recaller.StepState, summary string, u recaller.Unfinished) {
		b.Helper()
		u.Caller, u.Conversation, u.Since, u.StagingData = caller, o.Conversation.ID, o.Conversation.StartedAt, []byte(`{"address":"1 Mill Lane"}`)
		u.ID, u.LastActivity, u.CreatedAt = recaller.CheckpointID(o.Conversation.ID), b.now, b.now
		_, err := b.Store.WriteStep(b.ctx, "t1", recaller.StepResult{
			Conversation: o.Conversation.ID, Caller: caller, Step: recaller.StepSummarise, State: state, At: b.now,
			Summary: &recaller.Summary{Brief: summary}, Unfinished: &u,
		})
		b.ok(err)
	}
	write(first, recaller.StepPending, "an interim one", recaller.Unfinished{Checkpoint: recaller.Checkpoint{Summary: "a leak"}})
	r, unread = known()
	eq(b, "read once", unread, "")
	b.own(*r.Checkpoint)
	eq(b, "what it left", r.Checkpoint.Summary, "a leak")
	eq(b, "who says so", r.Checkpoint.Source, recaller.CheckpointFound)
	eq(b, "in whose words", r.Checkpoint.Conversation, closed.Conversation.ID)
	write(first, recaller.StepDone, "the model's", recaller.Unfinished{Reworded: true, Checkpoint: recaller.Checkpoint{Summary: "a leaking sink"}})
	r, _ = known()
	eq(b, "in better words", r.Checkpoint.Summary, "a leaking sink")
	eq(b, "which are no new state", len(r.Checkpoint.Before), 0)

	b.later(time.Hour)
	second := b.open("t1", opening{external: "CA2"})
	b.say("t1", second, "user: it is fixed")
	b.close(second, recaller.Completed)
	_, unread = known()
	eq(b, "the one that no wrap-up has read", unread, "CA2 ")
	write(second, recaller.StepDone, "it is fixed", recaller.Unfinished{Settles: true})
	r, _ = known()
	eq(b, "settled", r.Checkpoint.Completed(), true)
	eq(b, "what it was", r.Checkpoint.Before[0].Summary+" "+string(r.Checkpoint.Before[0].Source), "a leaking sink automatic")

	b.later(time.Hour)
	third := b.open("t1", opening{external: "CA3"})
	b.say("t1", third, "user: my roof leaks")
	_, err = b.Store.PutCheckpoint(b.ctx, "t1", recaller.Checkpoint{
		ID: "cp", Caller: caller, Summary: "the agent's own", StagingData: []byte("{}"), LastActivity: b.later(time.Minute), CreatedAt: b.now,
		Source: recaller.CheckpointSaved,
	})
	b.ok(err)
	b.close(third, recaller.Failed)
	write(third, recaller.StepDone, "a roof", recaller.Unfinished{Checkpoint: recaller.Checkpoint{Summary: "a roof"}})
	r, _ = known()
	eq(b, "the agent's own stands", r.Checkpoint.Summary+" "+string(r.Checkpoint.Source), "the agent's own agent")
	_, err = b.Store.Resumable(b.ctx, "t1", "nobody")
	b.fails(err, recaller.NotFound)
}
