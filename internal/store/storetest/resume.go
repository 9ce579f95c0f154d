package storetest

import (
	"fmt"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// resumed has a conversation that was cut go on, in the middle of its wrap-up: what its end left is undone, what was
// found stays, and the earlier wrap-up writes nothing more, even once the conversation has ended again.
func resumed(b *bench) {
	o := b.open("t1", opening{external: "CA9"})
	b.say("t1", o, "user: my name is Bob and I keep bees")
	closing := b.closing(o, recaller.Failed)
	closing.Cut, closing.Duration = true, time.Minute
	closed, err := b.Store.CloseConversation(b.ctx, "t1", closing)
	b.ok(err)
	eq(b, "it is told so", closed.Conversation.Cut, true)
	step := func(s recaller.Step, r recaller.StepResult) recaller.StepWritten {
		b.Helper()
		r.Conversation, r.Caller, r.Step, r.State, r.At = o.Conversation.ID, o.Caller.ID, s, recaller.StepDone, b.now
		r.Turns = closed.Conversation.Turns
		out, err := b.Store.WriteStep(b.ctx, "t1", r)
		b.ok(err)
		return out
	}
	step(recaller.StepSummarise, recaller.StepResult{Summary: &recaller.Summary{Brief: "Bob keeps bees."}})
	found := recaller.StepResult{Remembers: true, Memories: []recaller.Memory{b.memory(o.Caller.ID, "hobby", "bees")}}
	eq(b, "found", len(step(recaller.StepExtract, found).Stored), 1)
	jobs := b.jobCount()

	again := b.request(opening{external: "CA9"})
	_, err = b.Store.OpenConversation(b.ctx, "t1", again)
	b.fails(err, recaller.Conflict) // nobody asked for it to go on
	again.Resume, again.Conversation.StartedAt = true, b.later(time.Hour)
	out, err := b.Store.OpenConversation(b.ctx, "t1", again)
	b.ok(err)
	b.own(out)
	eq(b, "resumed", out.Resumed && out.Existing, true)
	eq(b, "the same", out.Conversation.ID, o.Conversation.ID)
	eq(b, "one more version", out.Change.Version > closed.Change.Version, true)
	eq(b, "its job is gone", b.jobCount(), jobs-1)
	got, err := b.Store.Conversation(b.ctx, "t1", "CA9")
	b.ok(err)
	eq(b, "status", got.Status, recaller.Active)
	eq(b, "nothing of its end", got.Cut || got.EndReason != "" || got.Duration != 0 || !got.EndedAt.IsZero() || got.Summary != nil, false)
	eq(b, "the idle clock", got.LastActivityAt, b.now)
	eq(b, "what it is", got.PlatformIDs["twilio"], "CACA9")
	left, err := b.Store.Steps(b.ctx, "t1", got)
	b.ok(err)
	eq(b, "no steps", len(left), 0)
	caller, err := b.Store.Caller(b.ctx, "t1", o.Caller.ID)
	b.ok(err)
	eq(b, "not counted", caller.Conversations, 0)
	eq(b, "nor its time", caller.TotalDuration, 0)
	eq(b, "a result that was on its way", step(recaller.StepAnalyse, recaller.StepResult{}).Already, true)
	second, err := b.Store.OpenConversation(b.ctx, "t1", again)
	b.ok(err)
	eq(b, "a second start finds it", second.Existing && !second.Resumed, true)

	eq(b, "the numbers go on", b.say("t1", o, "user: and wasps").Turns[0].Number, 1)
	b.close(o, recaller.Completed)
	eq(b, "a result of fewer words", step(recaller.StepSummarise, recaller.StepResult{}).Already, true)
	out2, err := b.Store.WriteStep(b.ctx, "t1", recaller.StepResult{
		Conversation: o.Conversation.ID, Caller: o.Caller.ID, Step: recaller.StepExtract, State: recaller.StepDone, At: b.now,
		Turns: 2, Remembers: true, Memories: []recaller.Memory{b.memory(o.Caller.ID, "hobby", "bees")},
	})
	b.ok(err)
	eq(b, "what was found is found, and is there once", out2.Stored[0].Action, recaller.MemoryKept)
	caller, err = b.Store.Caller(b.ctx, "t1", o.Caller.ID)
	b.ok(err)
	eq(b, "counted once", caller.Conversations, 1)
	_, err = b.Store.OpenConversation(b.ctx, "t1", again)
	b.fails(err, recaller.Conflict) // somebody ended it
}

// probed asks whether there is room to write.
func probed(b *bench) {
	before := b.jobCount()
	for range 2 {
		b.ok(b.Store.Probe(b.ctx))
	}
	eq(b, "nothing is left", b.jobCount(), before)
}

// addedByTwo has two servers add turns to one conversation in turn, so that each is wrong about how far it has come: what
// the first try wrote before that came out is nowhere.
func addedByTwo(b *bench) {
	o := b.open("t1", opening{})
	one, two := b.Store, store.New(b.Engine, b.Vault)
	version := b.say("t1", o, "user: hello").Change.Version
	for i, by := range []*store.Store{one, two, two, one, one, two} {
		out, err := by.AppendTurns(b.ctx, "t1", recaller.Appending{
			Conversation: o.Conversation.ID, Caller: o.Caller.ID, Turns: b.turns("user: and then", "assistant: yes"), At: b.now,
		})
		b.ok(err)
		version++
		eq(b, fmt.Sprint("number, version ", i), fmt.Sprint(out.Turns[0].Number, out.Change.Version), fmt.Sprint(1+2*i, version))
	}
	last := b.turns("user: bye")
	last[0].Number = 13
	for i, by := range []*store.Store{one, two} { // which thinks that there are thirteen, too, and finds its turn there
		out, err := by.AppendTurns(b.ctx, "t1", recaller.Appending{
			Numbered: true, Conversation: o.Conversation.ID, Caller: o.Caller.ID, Turns: last, At: b.now,
		})
		b.ok(err)
		eq(b, fmt.Sprint("number, repeat ", i), fmt.Sprint(out.Turns[0].Number, out.Change.Version == 0), fmt.Sprint(13, i > 0))
	}
	conv, err := b.Store.Conversation(b.ctx, "t1", string(o.Conversation.ID))
	b.ok(err)
	turns, err := b.Store.Turns(b.ctx, "t1", conv)
	b.ok(err)
	eq(b, "turns, counted and read", fmt.Sprint(conv.Turns, len(turns)), "14 14")
	now, err := b.Store.ContentVersion(b.ctx, "t1", o.Caller.ID)
	b.ok(err)
	eq(b, "content version", now, version+1)
	_, err = two.CloseConversation(b.ctx, "t1", b.closing(o, recaller.Completed))
	b.ok(err)
	_, err = one.AppendTurns(b.ctx, "t1", recaller.Appending{Conversation: o.Conversation.ID, Caller: o.Caller.ID, Turns: b.turns("user: late"), At: b.now})
	b.fails(err, recaller.Conflict)
}
