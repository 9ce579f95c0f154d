package memory

import (
	"fmt"
	"slices"
	"testing"

	"github.com/recallerhq/recaller"
)

var ana = who{"t1", "ana"}

func told(version int64, memories ...recaller.Memory) recaller.Change {
	return recaller.Change{Tenant: ana.tenant, Caller: ana.caller, Version: version, Memories: memories}
}

func known(id, value string, status recaller.MemoryStatus) recaller.Memory {
	return recaller.Memory{ID: recaller.MemoryID(id), Value: value, Status: status}
}

func values(list []recaller.Memory) (out []string) {
	for _, m := range list {
		out = append(out, m.Value)
	}
	return out
}

func TestAViewFollowsWhatIsWritten(t *testing.T) {
	t.Parallel()
	v := newViews()
	before := []recaller.Memory{known("dog", "Max", recaller.MemoryActive), known("tea", "green tea", recaller.MemoryActive)}
	v.put(ana, 7, before)
	v.apply(told(8)) // a turn
	v.apply(told(9, known("dog", "Max", recaller.MemorySuperseded), known("dog", "Max, a beagle", recaller.MemoryActive)))
	v.apply(told(10, known("tea", "green tea", recaller.MemoryForgotten)))
	v.apply(told(9, known("dog", "late news", recaller.MemoryActive))) // of a change that is in it already
	v.apply(recaller.Change{Tenant: "t2", Caller: "ana", Version: 11, Memories: []recaller.Memory{known("dog", "another's", recaller.MemoryActive)}})
	got, version := v.of(ana)
	if version != 10 || !slices.Equal(values(got), []string{"Max, a beagle"}) {
		t.Errorf("got %v of version %d; want the new version alone, of 10", values(got), version)
	}
	if !slices.Equal(values(before), []string{"Max", "green tea"}) {
		t.Errorf("what a reader held became %v", values(before))
	}
}

func TestAViewThatMissedAChangeIsLetGo(t *testing.T) {
	t.Parallel()
	v := newViews()
	v.put(ana, 7, nil)
	v.apply(told(9))
	if _, version := v.of(ana); version != -1 || v.held != 0 {
		t.Errorf("the view stayed, with %d held", v.held)
	}
	v.put(ana, 9, nil)
	v.drop(ana)
	if _, version := v.of(ana); version != -1 || v.held != 0 {
		t.Errorf("an erased caller's view stayed, with %d held", v.held)
	}
}

func TestViewsAreBounded(t *testing.T) {
	t.Parallel()
	v := newViews()
	each := make([]recaller.Memory, 99)
	for i := range 3 * maxHeld / 100 {
		v.put(who{"t1", recaller.CallerID(fmt.Sprint(i))}, 1, each)
		v.of(who{"t1", "0"}) // is used all the time
	}
	if v.held > maxHeld || len(v.by) != maxHeld/100 || v.order.Len() != len(v.by) {
		t.Errorf("got %d held in %d views, want at most %d", v.held, len(v.by), maxHeld)
	}
	if _, version := v.of(who{"t1", "0"}); version != 1 {
		t.Error("the view that is used all the time is gone")
	}
	if _, version := v.of(who{"t1", "1"}); version != -1 {
		t.Error("the view that was not used for longest is still there")
	}
}
