package storetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
)

// segmentsKept: segments of a caller's index are kept as they were put; the others are named, and go when that is asked
// for.
func segmentsKept(b *bench) {
	caller := b.finished("t1", number).Caller
	kept := func(wanted ...string) string {
		var got []string
		others, err := b.Store.Segments(b.ctx, "t1", caller, func(name string) bool { return slices.Contains(wanted, name) }, func(name string, body []byte) {
			got = append(got, name+"="+string(body))
		})
		b.ok(err)
		slices.Sort(got)
		slices.Sort(others)
		return fmt.Sprint(got, others)
	}
	before, err := b.Store.ContentVersion(b.ctx, "t1", caller)
	b.ok(err)
	eq(b, "before anything was put", kept("a"), "[] []")
	b.ok(b.Store.PutSegment(b.ctx, "t1", caller, "a", []byte("one"), nil))
	b.ok(b.Store.PutSegment(b.ctx, "t1", caller, "b", []byte("two"), nil))
	eq(b, "what is wanted", kept("a"), "[a=one] [b]")
	b.ok(b.Store.PutSegment(b.ctx, "t1", caller, "a", []byte("three"), []string{"b", "nobody's"}))
	eq(b, "put anew, the other let go", kept("a", "b"), "[a=three] []")
	after, err := b.Store.ContentVersion(b.ctx, "t1", caller)
	b.ok(err)
	eq(b, "the content's version", after, before)

	b.ok(b.Store.BeginErasure(b.ctx, "t1", caller, b.eraseJob(caller)))
	b.fails(b.Store.PutSegment(b.ctx, "t1", caller, "c", nil, nil), recaller.NotFound)
	out, err := b.Store.EraseRows(b.ctx, "t1", caller)
	b.ok(err)
	eq(b, "rows that were erased", out.Rows["recall_segments"], 1)
}

// readInPieces: of a caller who said much there is an outline, and turns and conversations by need.
func readInPieces(b *bench) {
	o := b.open("t1", opening{external: "CA77"})
	b.say("t1", o, "user: one", "assistant: two", "user: three")
	caller, conv := o.Caller.ID, o.Conversation.ID
	b.remember("t1", caller, "tea", "Assam")
	outline := func(turns int) (recaller.Outline, bool) {
		out, long, err := b.Store.Outline(b.ctx, "t1", caller, turns)
		b.ok(err)
		return out, long
	}
	if _, long := outline(3); long {
		b.Error("three turns are more than three")
	}
	first, long := outline(2)
	eq(b, "three turns are more than two", long, true)
	version, err := b.Store.ContentVersion(b.ctx, "t1", caller)
	b.ok(err)
	eq(b, "the version", first.Version, version)
	eq(b, "conversations, turns and memories", fmt.Sprint(len(first.Conversations), first.Conversations[0].Turns, len(first.Memories), len(first.Turns)), "1 3 1 0")
	eq(b, "nothing sealed is opened", first.Conversations[0].ExternalID, "")

	words, err := b.Store.Words(b.ctx, "t1", caller, []recaller.TurnRange{{Conversation: conv, From: 1, To: 9}, {Conversation: "nobody's", To: 9}},
		[]recaller.ConversationID{conv, "nobody's"})
	b.ok(err)
	var said []string
	for _, t := range words.Turns[conv] {
		said = append(said, fmt.Sprint(t.Number, " ", t.Text))
	}
	eq(b, "turns from the second on", strings.Join(said, ", "), "1 two, 2 three")
	eq(b, "conversations", fmt.Sprint(len(words.Conversations), words.Conversations[0].ExternalID), "1CA77")
	body := func(of recaller.Turn) spot { return spot{"t1", "turns", "body", "id = '" + string(of.ID) + "'"} }
	hurt, whole := words.Turns[conv][0], b.raw(body(words.Turns[conv][0]))
	b.putRaw(body(hurt), b.raw(body(words.Turns[conv][1])))
	words, err = b.Store.Words(b.ctx, "t1", caller, []recaller.TurnRange{{Conversation: conv, To: 9}}, nil)
	b.ok(err)
	eq(b, "beside a damaged turn", fmt.Sprint(len(words.Turns[conv]), words.Damaged), "2 [the row "+string(hurt.ID)+" of turns is damaged]")
	b.putRaw(body(hurt), whole)
	words, err = b.Store.Words(b.ctx, "t1", caller, nil, nil)
	b.ok(err)
	eq(b, "nothing is wanted", fmt.Sprint(len(words.Turns), len(words.Conversations)), "0 0")

	b.close(o, recaller.Completed)
	ended, _ := outline(2)
	eq(b, "it has ended", ended.Conversations[0].EndedAt.IsZero(), false)
	_, err = b.Store.WriteStep(b.ctx, "t1", recaller.StepResult{
		Conversation: conv, Caller: caller, Step: recaller.StepSummarise, State: recaller.StepDone, By: "rules", At: b.now, Summary: &recaller.Summary{Brief: "They counted.", By: "rules"},
	})
	b.ok(err)
	told, _ := outline(2)
	if told.Marks[0] == ended.Marks[0] {
		b.Error("a new summary has the mark of none")
	}
	again, _ := outline(2)
	eq(b, "the mark of the same summary", again.Marks[0], told.Marks[0])

	b.ok(b.Store.BeginErasure(b.ctx, "t1", caller, b.eraseJob(caller)))
	_, _, err = b.Store.Outline(b.ctx, "t1", caller, 2)
	b.fails(err, recaller.NotFound)
	words, err = b.Store.Words(b.ctx, "t1", caller, []recaller.TurnRange{{Conversation: conv, To: 9}}, []recaller.ConversationID{conv})
	b.ok(err)
	eq(b, "of one who is being erased", fmt.Sprint(len(words.Turns), len(words.Conversations)), "0 0")
}
