package storetest

import (
	"fmt"
	"time"

	"github.com/recallerhq/recaller"
)

// thread begins a thread with a caller.
func (b *bench) thread(caller recaller.CallerID, external string) recaller.Thread {
	return recaller.Thread{
		ID: recaller.ThreadID(b.id("thread")), Caller: caller, ExternalID: external, Channel: recaller.ChannelTelegram,
		Title: "Xanthippe's house", Persona: recaller.PersonaChoice{Text: "patient"}, CreatedAt: b.now,
	}
}

// stretch opens a conversation of a thread and adds exchanges to it.
func (b *bench) stretch(t recaller.Thread, exchanges int) recaller.Conversation {
	b.Helper()
	in := b.request(opening{channel: recaller.ChannelTelegram})
	in.Conversation.Thread = t.ID
	out, err := b.Store.OpenConversation(b.ctx, "t1", in)
	b.ok(err)
	for range exchanges {
		_, err := b.Store.AppendTurns(b.ctx, "t1", recaller.Appending{
			Conversation: out.Conversation.ID, Caller: t.Caller, At: b.now, Turns: b.turns("user: and this", "assistant: yes"),
		})
		b.ok(err)
	}
	return out.Conversation
}

func threads(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	in := b.thread(caller, "zq-external")
	made, existing, err := b.Store.CreateThread(b.ctx, "t1", recaller.ThreadCreating{Thread: in})
	b.ok(err)
	eq(b, "existing", existing, false)
	marked(b, caller)
	in.Version, in.LastActivityAt = 1, in.CreatedAt
	eq(b, "as it was made", fmt.Sprintf("%+v", made), fmt.Sprintf("%+v", in))
	again, existing, err := b.Store.CreateThread(b.ctx, "t1", recaller.ThreadCreating{Thread: b.thread(caller, "zq-external")})
	b.ok(err)
	eq(b, "the same again", fmt.Sprint(again.ID, existing), fmt.Sprint(made.ID, true))
	stranger := b.open("t1", opening{identities: []recaller.Identity{{Kind: recaller.IdentityExternal, Value: "zq-caller"}}}).Caller.ID
	_, _, err = b.Store.CreateThread(b.ctx, "t1", recaller.ThreadCreating{Thread: b.thread(stranger, "zq-external")})
	b.fails(err, recaller.Invalid)
	once := recaller.Once{Token: "zq-token", Request: "r"}
	first, _, err := b.Store.CreateThread(b.ctx, "t1", recaller.ThreadCreating{Once: once, Thread: b.thread(caller, "")})
	b.ok(err)
	repeat, existing, err := b.Store.CreateThread(b.ctx, "t1", recaller.ThreadCreating{Once: once, Thread: b.thread(caller, "")})
	b.ok(err)
	eq(b, "a repeated request", fmt.Sprint(repeat.ID, existing), fmt.Sprint(first.ID, true))

	old := b.stretch(made, 2)
	_, err = b.Store.CloseConversation(b.ctx, "t1", recaller.Closing{Conversation: old.ID, Status: recaller.Completed, EndedAt: b.now})
	b.ok(err)
	b.later(1)
	live := b.stretch(made, 3)
	got, err := b.Store.Thread(b.ctx, "t1", "zq-external")
	b.ok(err)
	eq(b, "exchanges and conversations", fmt.Sprint(got.Exchanges, got.Conversations), "5 2")
	list, err := b.Store.Stretches(b.ctx, "t1", got, 5)
	b.ok(err)
	eq(b, "its conversations", fmt.Sprint(list[0].ID, list[0].Thread, list[1].ID), fmt.Sprint(live.ID, made.ID, old.ID))

	title, found := "The lake", "A found one"
	_, err = b.Store.ChangeThread(b.ctx, "t1", made.ID, recaller.ThreadPatch{Title: &found, Found: true})
	b.ok(err)
	sum := &recaller.ThreadSummary{Text: "Zwiebel", By: recaller.ByRules, Exchanges: 5, At: b.now}
	_, err = b.Store.ChangeThread(b.ctx, "t1", made.ID, recaller.ThreadPatch{Title: &title, Summary: sum})
	b.ok(err)
	late := *sum
	late.Text, late.Exchanges = "older", 4
	got, err = b.Store.ChangeThread(b.ctx, "t1", made.ID, recaller.ThreadPatch{Summary: &late})
	b.ok(err)
	eq(b, "changed", fmt.Sprint(got.Title, " ", got.Summary.Text, " ", got.Persona.Text), "The lake Zwiebel patient")
	stop := recaller.Stopping{At: b.now.Truncate(time.Microsecond), By: "zq-mark"}
	_, err = b.Store.ChangeThread(b.ctx, "t1", made.ID, recaller.ThreadPatch{Stopping: &stop})
	b.ok(err)
	got, err = b.Store.Thread(b.ctx, "t1", string(made.ID))
	b.ok(err)
	eq(b, "stopped", got.Stopping, stop)
	other, err := b.Store.Thread(b.ctx, "t2", "zq-external")
	b.ok(err)
	eq(b, "the second tenant's is not", other.Stopping, recaller.Stopping{})
	start := recaller.Stopping{By: "zq-later"}
	_, err = b.Store.ChangeThread(b.ctx, "t1", made.ID, recaller.ThreadPatch{Stopping: &start})
	b.ok(err)
	got, err = b.Store.Thread(b.ctx, "t1", string(made.ID))
	b.ok(err)
	eq(b, "started again", fmt.Sprint(got.Stopping, got.Stopping.Stopped(), got.Title), fmt.Sprint(start, false, title))
	_, err = b.Store.ChangeThread(b.ctx, "t1", "nobody's", recaller.ThreadPatch{Title: &title})
	b.fails(err, recaller.NotFound)

	moved, taken := "zq-moved", "zq-taken"
	_, _, err = b.Store.CreateThread(b.ctx, "t1", recaller.ThreadCreating{Thread: b.thread(stranger, taken)})
	b.ok(err)
	_, err = b.Store.ChangeThread(b.ctx, "t1", made.ID, recaller.ThreadPatch{ExternalID: &taken})
	b.fails(err, recaller.Conflict)
	_, err = b.Store.ChangeThread(b.ctx, "t1", made.ID, recaller.ThreadPatch{ExternalID: &moved})
	b.ok(err)
	got, err = b.Store.Thread(b.ctx, "t1", moved)
	b.ok(err)
	eq(b, "under its new external id", fmt.Sprint(got.ID, got.ExternalID), fmt.Sprint(made.ID, moved))
	_, err = b.Store.Thread(b.ctx, "t1", "zq-external")
	b.fails(err, recaller.NotFound)

	mine, _, err := b.Store.Threads(b.ctx, "t1", recaller.ThreadFilter{Caller: caller})
	b.ok(err)
	eq(b, "the caller's", len(mine), 2)
	their, err := b.Store.Thread(b.ctx, "t2", "zq-external")
	b.ok(err)
	eq(b, "the second tenant's", their.ID, b.noise.thread.ID)
}

// What the rows of threads say is held against what was sealed, and a conversation cannot be put into another thread.
func threadsForged(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	made, _, err := b.Store.CreateThread(b.ctx, "t1", recaller.ThreadCreating{Thread: b.thread(caller, "zq-external")})
	b.ok(err)
	other, _, err := b.Store.CreateThread(b.ctx, "t1", recaller.ThreadCreating{Thread: b.thread(caller, "other")})
	b.ok(err)
	conv := b.stretch(made, 1)
	b.raws(`UPDATE conversations SET thread_id = '` + string(other.ID) + `' WHERE id = '` + string(conv.ID) + `'`)
	list, err := b.Store.Stretches(b.ctx, "t1", other, 5)
	b.ok(err)
	eq(b, "of another thread", len(list), 0)
	for _, change := range []string{`channel = 'sms'`, `version = 7`, `created_at = 1`} {
		b.raws(`UPDATE threads SET ` + change + ` WHERE id = '` + string(made.ID) + `'`)
		_, err := b.Store.Thread(b.ctx, "t1", string(made.ID))
		eq(b, change, recaller.IsDamaged(err), true)
		b.raws(`UPDATE threads SET channel = 'telegram', version = 1, created_at = ` + fmt.Sprint(made.CreatedAt.UnixMicro()) +
			` WHERE id = '` + string(made.ID) + `'`)
	}
}

// A conversation that goes on may have steps before its end; the end takes their place.
func stepsBeforeTheEnd(b *bench) {
	conv := b.open("t1", opening{}).Conversation
	b.ok(b.Store.OpenSteps(b.ctx, "t1", conv, recaller.StepSummarise, recaller.StepExtract))
	b.ok(b.Store.OpenSteps(b.ctx, "t1", conv, recaller.StepExtract))
	steps, err := b.Store.Steps(b.ctx, "t1", conv)
	b.ok(err)
	eq(b, "steps", len(steps), 2)
	_, err = b.Store.CloseConversation(b.ctx, "t1", recaller.Closing{
		Conversation: conv.ID, Status: recaller.Completed, EndedAt: b.now, Steps: []recaller.PlannedStep{
			{Step: recaller.StepAnalyse, State: recaller.StepPending},
			{Step: recaller.StepExtract, State: recaller.StepSkipped, Reason: recaller.NotAskedFor},
		},
	})
	b.ok(err)
	steps, err = b.Store.Steps(b.ctx, "t1", conv)
	b.ok(err)
	for _, s := range steps {
		if s.Step == recaller.StepExtract {
			eq(b, "the end's", string(s.State), string(recaller.StepSkipped))
		}
	}
	b.ok(b.Store.OpenSteps(b.ctx, "t1", conv, recaller.StepPin))
	after, err := b.Store.Steps(b.ctx, "t1", conv)
	b.ok(err)
	eq(b, "none is added after the end", len(after), len(steps))
}

// marked: what was done is marked once, is seen by its token only, and is not what another write made.
func marked(b *bench, caller recaller.CallerID) {
	for _, want := range []bool{false, true} {
		before, err := b.Store.Mark(b.ctx, "t1", caller, "zq-done", b.now)
		b.ok(err)
		eq(b, "marked before", before, want)
	}
	for token, want := range map[string]bool{"zq-done": true, "zq-other": false} {
		is, err := b.Store.Marked(b.ctx, "t1", caller, token)
		b.ok(err)
		eq(b, "marked", is, want)
	}
	out, err := b.Store.OpenConversation(b.ctx, "t1", b.request(opening{channel: recaller.ChannelTelegram}))
	b.ok(err)
	once := recaller.Once{Token: "zq-append"}
	in := recaller.Appending{Once: once, Conversation: out.Conversation.ID, Caller: out.Caller.ID, At: b.now, Turns: b.turns("user: hello")}
	_, err = b.Store.AppendTurns(b.ctx, "t1", in)
	b.ok(err)
	ids, err := b.Store.AppendedBefore(b.ctx, "t1", out.Caller.ID, once)
	b.ok(err)
	eq(b, "turns that were added before", fmt.Sprint(ids), fmt.Sprint([]recaller.TurnID{in.Turns[0].ID}))
	ids, err = b.Store.AppendedBefore(b.ctx, "t1", out.Caller.ID, recaller.Once{Token: "zq-none"})
	b.ok(err)
	eq(b, "turns of no request", len(ids), 0)
}
