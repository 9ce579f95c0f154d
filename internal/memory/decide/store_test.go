package decide

import (
	"fmt"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
)

func TestStoring(t *testing.T) {
	t.Parallel()
	tea := mem("old", "tea", "Assam")
	for _, tt := range []struct {
		rule  string
		known []recaller.Memory
		in    recaller.Storing
		want  string
		looks string
	}{
		{
			"a key that is new makes a memory",
			nil,
			recaller.Storing{Memory: mem("new", "tea", "Assam")},
			"created; +new.1 active tea=Assam", "keyed",
		},
		{
			"a new memory does not have its own key as an alias",
			nil,
			recaller.Storing{Memory: mem("new", "tea", "Assam", also("Tea ", "drink", "DRINK"))},
			"created; +new.1 active tea=Assam also drink", "keyed",
		},
		{
			"the same value, but for case and space, confirms it",
			[]recaller.Memory{tea},
			recaller.Storing{Memory: mem("new", "TEA", " assam")},
			"confirmed; ~old.1 active tea=Assam", "keyed",
		},
		{
			"another value supersedes it, and the key is written as it was told last",
			[]recaller.Memory{tea},
			recaller.Storing{Memory: mem("new", "Tea", "Oolong")},
			"updated; ~old.1 superseded tea=Assam (updated); +old.2 active Tea=Oolong", "keyed",
		},
		{
			"the same value as another type supersedes it",
			[]recaller.Memory{tea},
			recaller.Storing{Memory: mem("new", "tea", "Assam", func(m *recaller.Memory) { m.Type = recaller.Preference })},
			"updated; ~old.1 superseded tea=Assam (updated); +old.2 active tea=Assam", "keyed",
		},
		{
			"the same without its time says nothing new",
			[]recaller.Memory{mem("old", "call", "ring", due(5))},
			recaller.Storing{Memory: mem("new", "call", "ring")},
			"confirmed; ~old.1 active call=ring", "keyed",
		},
		{
			"the same at another time supersedes it",
			[]recaller.Memory{mem("old", "call", "ring", due(5))},
			recaller.Storing{Memory: mem("new", "call", "ring", due(6))},
			"updated; ~old.1 superseded call=ring (updated); +old.2 active call=ring", "keyed",
		},
		{
			"another value settles what was disputed, and keeps the aliases",
			[]recaller.Memory{mem("old", "tea", "Assam", disputed("Ceylon", 1), also("drink"))},
			recaller.Storing{Memory: mem("new", "tea", "Oolong")},
			"updated; ~old.1 superseded tea=Assam (updated) or Ceylon also drink; +old.2 active tea=Oolong also drink", "keyed",
		},
		{
			"a confirmation settles what was disputed, and has somebody count on what was interim",
			[]recaller.Memory{mem("old", "tea", "Assam", disputed("Ceylon", 1), interim)},
			recaller.Storing{Memory: mem("new", "tea", "Assam")},
			"confirmed; ~old.1 active tea=Assam", "keyed",
		},
		{
			"what contests a memory stands beside it, and changes nothing else of it",
			[]recaller.Memory{tea},
			recaller.Storing{Memory: mem("new", "tea", "Ceylon", on(1)), Mode: recaller.Contest},
			"kept; ~old.1 active tea=Assam or Ceylon", "keyed past",
		},
		{
			"what contests it with the same value changes nothing",
			[]recaller.Memory{tea},
			recaller.Storing{Memory: mem("new", "tea", "assam", on(1)), Mode: recaller.Contest},
			"kept", "keyed",
		},
		{
			"what contests it with what was said before changes nothing",
			[]recaller.Memory{mem("old", "tea", "Assam", version(2)), mem("old", "tea", "Ceylon", closed(recaller.MemorySuperseded, 0))},
			recaller.Storing{Memory: mem("new", "tea", "Ceylon", on(1)), Mode: recaller.Contest},
			"kept", "keyed past",
		},
		{
			"what would contest a memory that is gone by now makes one",
			nil,
			recaller.Storing{Memory: mem("new", "tea", "Ceylon", on(1)), Mode: recaller.Contest},
			"created; +new.1 active tea=Ceylon", "keyed",
		},
		{
			"a near-duplicate that says the same leaves its key as an alias",
			[]recaller.Memory{tea},
			recaller.Storing{Memory: mem("new", "drink", "assam"), Into: "old"},
			"merged; ~old.1 active tea=Assam also drink", "keyed newest",
		},
		{
			"a near-duplicate that says more supersedes it, under the key that is known",
			[]recaller.Memory{tea},
			recaller.Storing{Memory: mem("new", "drink", "Assam with milk"), Into: "old"},
			"merged; ~old.1 superseded tea=Assam (merged); +old.2 active tea=Assam with milk also drink", "keyed newest",
		},
		{
			"an active memory with the key comes before the one to merge into",
			[]recaller.Memory{tea, mem("own", "drink", "milk")},
			recaller.Storing{Memory: mem("new", "drink", "Assam"), Into: "old"},
			"updated; ~own.1 superseded drink=milk (updated); +own.2 active drink=Assam", "keyed",
		},
		{
			"what was to be merged into a memory that is forgotten is a memory of its own",
			[]recaller.Memory{mem("old", "tea", "Assam", forgotten(1, ""))},
			recaller.Storing{Memory: mem("new", "drink", "Assam"), Into: "old"},
			"created; +new.1 active drink=Assam", "keyed newest",
		},
		{
			"and so is what was to be merged into one that is not there",
			nil,
			recaller.Storing{Memory: mem("new", "drink", "Assam"), Into: "nobody's"},
			"created; +new.1 active drink=Assam", "keyed newest",
		},
		{
			"if absent, what is there is left alone",
			[]recaller.Memory{tea},
			recaller.Storing{Memory: mem("new", "tea", "Oolong"), Mode: recaller.IfAbsent},
			"kept", "keyed",
		},
		{
			"if absent, what is there and interim is counted on from now on",
			[]recaller.Memory{mem("old", "tea", "Assam", interim)},
			recaller.Storing{Memory: mem("new", "tea", "Oolong"), Mode: recaller.IfAbsent},
			"kept; ~old.1 active tea=Assam", "keyed",
		},
		{
			"if absent, what no conversation told is created without looking back",
			nil,
			recaller.Storing{Memory: mem("new", "tea", "Oolong"), Mode: recaller.IfAbsent},
			"created; +new.1 active tea=Oolong", "keyed",
		},
		{
			"if absent, what was closed in its conversation after it was said stays closed",
			[]recaller.Memory{mem("old", "tea", "Assam", in("c1"), forgotten(2, ""))},
			recaller.Storing{Memory: mem("new", "tea", "Assam", in("c1"), on(1)), Mode: recaller.IfAbsent},
			"kept", "keyed closed",
		},
		{
			"if absent, what is said after that is created",
			[]recaller.Memory{mem("old", "tea", "Assam", in("c1"), forgotten(2, ""))},
			recaller.Storing{Memory: mem("new", "tea", "Assam", in("c1"), on(3)), Mode: recaller.IfAbsent},
			"created; +new.1 active tea=Assam", "keyed closed",
		},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			d, looks, err := world{versions: tt.known}.run(t, func(k Known) (Decision, error) { return Storing(k, tt.in) })
			check(t, "decided", told(d, err), tt.want)
			check(t, "had to see", looks, tt.looks)
		})
	}
}

func TestConfirmingRaisesConfidenceOnly(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ was, told, want float64 }{{0.8, 0.9, 0.9}, {0.8, 0.3, 0.8}} {
		again := mem("new", "tea", "Assam", on(4))
		again.Confidence = tt.told
		old := mem("old", "tea", "Assam")
		old.Confidence = tt.was
		d, _, err := world{versions: []recaller.Memory{old}}.run(t, func(k Known) (Decision, error) {
			return Storing(k, recaller.Storing{Memory: again})
		})
		got := fmt.Sprint(err, d.Memory.Confidence, d.Memory.ConfirmedAt, d.Memory.CreatedAt)
		check(t, "confirmed", got, fmt.Sprint(nil, tt.want, at(4), at(0)))
	}
}

func TestMergingMakesNothingPublic(t *testing.T) {
	t.Parallel()
	scoped := func(m recaller.Memory, s recaller.PrivacyScope) recaller.Memory {
		m.PrivacyScope = s
		return m
	}
	old := func(s recaller.PrivacyScope) recaller.Memory { return scoped(mem("old", "illness", "asthma"), s) }
	more := func(s recaller.PrivacyScope) recaller.Memory {
		return scoped(mem("new", "health", "asthma since 1990"), s)
	}
	for _, tt := range []struct {
		rule      string
		old, more recaller.Memory
		want      recaller.PrivacyScope
	}{
		{"who made it private did not name this key", old(recaller.LineOnly), more(recaller.Shared), recaller.LineOnly},
		{"what was public may be made private", old(recaller.Shared), more(recaller.LineOnly), recaller.LineOnly},
		{"what is public stays so", old(recaller.Shared), more(recaller.Shared), recaller.Shared},
	} {
		d, _, err := world{versions: []recaller.Memory{tt.old}}.run(t, func(k Known) (Decision, error) {
			return Storing(k, recaller.Storing{Memory: tt.more, Into: "old"})
		})
		check(t, tt.rule, fmt.Sprint(err, d.Memory.PrivacyScope), fmt.Sprint(nil, tt.want))
	}
}

func TestAliasesAreBounded(t *testing.T) {
	t.Parallel()
	var many []string
	for i := range 25 {
		many = append(many, fmt.Sprint("alias ", i))
	}
	got := aliases("tea", many, []string{" Tea", "ALIAS 24", "", " last "})
	ends := fmt.Sprint(len(got), " ", got[0], " ", strings.Join(got[18:], ","))
	check(t, "the newest stay", ends, "20 alias 6 alias 24,last")
}

// A decision is told as what there is after it: each version once, the memory that is answered last.
func TestToldIsWhatThereIsAfterwards(t *testing.T) {
	t.Parallel()
	d, _, err := world{}.run(t, func(k Known) (Decision, error) {
		return Changing(k, recaller.Changing{
			ID: "one", Also: []recaller.MemoryID{"two"}, Forget: true, Patch: recaller.MemoryPatch{At: at(1)},
			Unkept: []recaller.Memory{mem("one", "a", "b"), mem("two", "c", "d")},
		})
	})
	var list []string
	for _, m := range d.Told() {
		list = append(list, fmt.Sprint(m.ID, " ", m.Status))
	}
	check(t, "told", fmt.Sprint(err, list), "<nil> [two forgotten one forgotten]")
}
