package storetest

import (
	"fmt"

	"github.com/recallerhq/recaller"
)

// turnVectors are vectors of turns with their numbers, all alike but for the first number of each.
func turnVectors(c recaller.Conversation, model string, numbers ...int) recaller.TurnVectors {
	v := recaller.TurnVectors{Conversation: c.ID, Model: model, Width: 4, Numbers: numbers}
	for _, n := range numbers {
		v.Data = append(v.Data, int8(n), -127, 0, 127)
	}
	return v
}

// vectorsKept: vectors of turns are kept as they were put, by conversation and number; those of another model make
// room.
func vectorsKept(b *bench) {
	first, second := b.finished("t1", number), b.finished("t1", number)
	caller := first.Caller
	kept := func(model string) string {
		list, err := b.Store.TurnVectors(b.ctx, "t1", caller, model)
		b.ok(err)
		out := ""
		for _, v := range list {
			out += fmt.Sprint(v.Conversation == first.ID, v.Numbers, v.Width, v.Data, " ")
		}
		return out
	}
	put := func(list ...recaller.TurnVectors) {
		b.Helper()
		b.ok(b.Store.PutTurnVectors(b.ctx, "t1", caller, list))
	}
	eq(b, "before anything was put", kept("m"), "")
	put(turnVectors(first, "m", 1, 5), turnVectors(second, "m", 0))
	put(turnVectors(first, "m", 6))
	const both = "true [1 5] 4 [1 -127 0 127 5 -127 0 127] true [6] 4 [6 -127 0 127] "
	eq(b, "what is kept", kept("m"), both+"false [0] 4 [0 -127 0 127] ")
	put(turnVectors(first, "m", 6))
	eq(b, "put twice it is there once", kept("m"), both+"false [0] 4 [0 -127 0 127] ")
	put(turnVectors(second, "n", 0))
	eq(b, "another model's take their place", kept("m"), both)
	eq(b, "by the other model", kept("n"), "false [0] 4 [0 -127 0 127] ")

	for _, wrong := range []recaller.TurnVectors{
		{Conversation: first.ID, Model: "m", Width: 4},
		{Conversation: first.ID, Width: 1, Numbers: []int{0}, Data: []int8{1}},
		{Conversation: first.ID, Model: "m", Width: 2, Numbers: []int{0}, Data: []int8{1}},
	} {
		b.fails(b.Store.PutTurnVectors(b.ctx, "t1", caller, []recaller.TurnVectors{wrong}), recaller.Invalid)
	}
	b.fails(b.Store.PutTurnVectors(b.ctx, "t1", caller, []recaller.TurnVectors{turnVectors(recaller.Conversation{ID: "nobody's"}, "m", 0)}), recaller.NotFound)

	b.ok(b.Store.BeginErasure(b.ctx, "t1", caller, b.eraseJob(caller)))
	b.fails(b.Store.PutTurnVectors(b.ctx, "t1", caller, []recaller.TurnVectors{turnVectors(first, "m", 9)}), recaller.NotFound)
	out, err := b.Store.EraseRows(b.ctx, "t1", caller)
	b.ok(err)
	eq(b, "rows that were erased", out.Rows["turn_vectors"], 3)
}
