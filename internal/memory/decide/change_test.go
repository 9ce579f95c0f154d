package decide

import (
	"fmt"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

func ptr[T any](v T) *T { return &v }

func TestChanging(t *testing.T) {
	t.Parallel()
	tea := mem("old", "tea", "Assam", also("drink"))
	two := []recaller.Memory{tea, mem("same", "beverage", "Assam")}
	for _, tt := range []struct {
		rule  string
		known []recaller.Memory
		in    recaller.Changing
		want  string
		looks string
	}{
		{
			"a change closes the version and opens the next",
			[]recaller.Memory{tea},
			recaller.Changing{Patch: recaller.MemoryPatch{Value: ptr("Oolong")}},
			"updated; ~old.1 superseded tea=Assam (updated) also drink; +old.2 active tea=Oolong also drink", "newest",
		},
		{
			"for the reason that is told",
			[]recaller.Memory{tea},
			recaller.Changing{Patch: recaller.MemoryPatch{PrivacyScope: ptr(recaller.LineOnly), Reason: recaller.ClosedPrivate}},
			"updated; ~old.1 superseded tea=Assam (private) also drink; +old.2 active tea=Assam also drink", "newest",
		},
		{
			"but only for one from the closed set",
			[]recaller.Memory{tea},
			recaller.Changing{Patch: recaller.MemoryPatch{Value: ptr("x"), Reason: "since she said so"}},
			"invalid", "newest",
		},
		{
			"a key that is changed stays as an alias",
			[]recaller.Memory{tea},
			recaller.Changing{Patch: recaller.MemoryPatch{Key: ptr("hot_drink")}},
			"updated; ~old.1 superseded tea=Assam (updated) also drink; +old.2 active hot_drink=Assam also drink,tea", "newest",
		},
		{
			"a key that comes back is no alias any more",
			[]recaller.Memory{tea},
			recaller.Changing{Patch: recaller.MemoryPatch{Key: ptr("Drink")}},
			"updated; ~old.1 superseded tea=Assam (updated) also drink; +old.2 active Drink=Assam also tea", "newest",
		},
		{
			"a change settles what was disputed, and what was interim is counted on",
			[]recaller.Memory{mem("old", "tea", "Assam", disputed("Ceylon", 1), interim)},
			recaller.Changing{Patch: recaller.MemoryPatch{Value: ptr("Oolong")}},
			"updated; ~old.1 superseded tea=Assam (updated) interim or Ceylon; +old.2 active tea=Oolong", "newest",
		},
		{
			"where nothing but a reminder is asked for, the memory stays",
			[]recaller.Memory{tea},
			recaller.Changing{Reminder: &recaller.Reminder{}},
			"kept", "newest",
		},
		{
			"or the end of one",
			[]recaller.Memory{tea},
			recaller.Changing{Cancel: "r"},
			"kept", "newest",
		},
		{
			"who is to be reminded of an interim memory counts on it",
			[]recaller.Memory{mem("old", "tea", "Assam", interim)},
			recaller.Changing{Reminder: &recaller.Reminder{}},
			"kept; ~old.1 active tea=Assam", "newest",
		},
		{
			"a reminder may come with a change",
			[]recaller.Memory{mem("old", "tea", "Assam")},
			recaller.Changing{Reminder: &recaller.Reminder{}, Patch: recaller.MemoryPatch{Alias: "drink"}},
			"updated; ~old.1 superseded tea=Assam (updated); +old.2 active tea=Assam also drink", "newest",
		},
		{
			"what is forgotten is not changed",
			[]recaller.Memory{mem("old", "tea", "Assam", forgotten(1, ""))},
			recaller.Changing{Patch: recaller.MemoryPatch{Value: ptr("x")}},
			"conflict", "newest",
		},
		{
			"nor forgotten again",
			[]recaller.Memory{mem("old", "tea", "Assam", forgotten(1, ""))},
			recaller.Changing{Forget: true},
			"conflict", "newest",
		},
		{
			"what is not there is not found",
			nil,
			recaller.Changing{Forget: true},
			"not found", "newest",
		},
		{
			"forgetting closes the memory",
			[]recaller.Memory{tea},
			recaller.Changing{Forget: true},
			"forgotten; ~old.1 forgotten tea=Assam (forgotten) also drink", "newest",
		},
		{
			"those that say the same go with it, once",
			two,
			recaller.Changing{Forget: true, Also: []recaller.MemoryID{"same", "old", "same"}},
			"forgotten; ~same.1 forgotten beverage=Assam (forgotten); ~old.1 forgotten tea=Assam (forgotten) also drink",
			"newest newest",
		},
		{
			"but for those that changed meanwhile",
			[]recaller.Memory{tea, mem("same", "beverage", "Assam", forgotten(1, ""))},
			recaller.Changing{Forget: true, Also: []recaller.MemoryID{"same", "nobody's"}},
			"forgotten; ~old.1 forgotten tea=Assam (forgotten) also drink", "newest newest newest",
		},
		{
			"what no memory was kept of is made to be closed",
			nil,
			recaller.Changing{
				Forget: true, Also: []recaller.MemoryID{"more"},
				Unkept: []recaller.Memory{mem("old", "said", "a secret"), mem("more", "said too", "another")},
			},
			"forgotten; +old.1 active said=a secret; +more.1 active said too=another; " +
				"~more.1 forgotten said too=another (forgotten); ~old.1 forgotten said=a secret (forgotten)", "",
		},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			tt.in.ID, tt.in.Patch.At = "old", at(9)
			d, looks, err := world{versions: tt.known}.run(t, func(k Known) (Decision, error) { return Changing(k, tt.in) })
			check(t, "decided", told(d, err), tt.want)
			check(t, "had to see", looks, tt.looks)
		})
	}
}

func TestChangingIsAsOfNow(t *testing.T) {
	t.Parallel()
	day := ptr(at(5))
	d, _, err := world{versions: []recaller.Memory{mem("old", "tea", "Assam")}}.run(t, func(k Known) (Decision, error) {
		return Changing(k, recaller.Changing{ID: "old", Patch: recaller.MemoryPatch{DueAt: &day, DueDay: true, At: at(3)}})
	})
	m := d.Memory
	got := fmt.Sprint(err, m.CreatedAt, m.ConfirmedAt, *m.DueAt, m.DueDay)
	check(t, "the new version", got, fmt.Sprint(nil, at(3), at(3), at(5), true))
	check(t, "the old one", fmt.Sprint(d.Previous.ClosedAt, d.Previous.DueAt), fmt.Sprint(at(3), (*time.Time)(nil)))
}

func TestForgettingTellsHow(t *testing.T) {
	t.Parallel()
	words := recaller.Provenance{Conversation: "c1", Turns: []int{4}}
	asked := recaller.Forgetting{At: at(2), Asked: words, Named: []string{"tea"}}
	known := world{versions: []recaller.Memory{mem("old", "tea", "Assam"), mem("same", "drink", "Assam")}}
	forget := func(how recaller.Forgetting) Decision {
		d, _, err := known.run(t, func(k Known) (Decision, error) {
			return Changing(k, recaller.Changing{
				ID: "old", Also: []recaller.MemoryID{"same"}, Forget: true, Forgetting: how, Patch: recaller.MemoryPatch{At: at(3)},
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	d := forget(asked)
	check(t, "the memory keeps what was named", fmt.Sprintf("%+v", *d.Memory.Forgetting), fmt.Sprintf("%+v", asked))
	asked.With, asked.Named = "old", nil
	with := *d.Writes[0].Memory.Forgetting
	check(t, "what goes with it names the memory", fmt.Sprintf("%+v", with), fmt.Sprintf("%+v", asked))
	check(t, "the reminders of both go", fmt.Sprint(d.Forgotten), "[same old]")
	check(t, "and both are found no more", d.Reindex.String(), at(3).String())
	d = forget(recaller.Forgetting{})
	check(t, "asked for now where nobody said when", d.Memory.Forgetting.At.String(), at(3).String())
}

// What a caller asked for in words was read before the commit: what changed since is passed over.
func TestAsked(t *testing.T) {
	t.Parallel()
	tea, gone := mem("old", "tea", "Assam"), mem("old", "tea", "Assam", forgotten(1, ""))
	for _, tt := range []struct {
		rule  string
		known []recaller.Memory
		want  string
	}{
		{"an active memory is forgotten", []recaller.Memory{tea}, "forgotten; ~old.1 forgotten tea=Assam (forgotten)"},
		{"one that was forgotten meanwhile is passed over", []recaller.Memory{gone}, "kept"},
		{"and so is one that is not there any more", nil, "kept"},
	} {
		d, looks, err := world{versions: tt.known}.run(t, func(k Known) (Decision, error) {
			return Asked(k, recaller.Changing{ID: "old", Patch: recaller.MemoryPatch{At: at(1)}})
		})
		check(t, tt.rule, told(d, err)+"; saw "+looks, tt.want+"; saw newest")
	}
}

func TestUndoing(t *testing.T) {
	t.Parallel()
	only := mem("old", "tea", "Assam")
	first := mem("old", "tea", "Assam", closed(recaller.MemorySuperseded, 1))
	second := mem("old", "tea", "Oolong", version(2), on(1))
	gone := mem("old", "tea", "Oolong", version(2), on(1), forgotten(2, ""))
	same := mem("same", "drink", "Ceylon", version(3), forgotten(2, "old"))
	before := mem("same", "drink", "Oolong", forgotten(1, "old"))
	other := mem("other", "car", "a van", forgotten(2, ""))
	for _, tt := range []struct {
		rule    string
		known   []recaller.Memory
		version int
		want    string
		looks   string
	}{
		{
			"the version before comes back as a new one",
			[]recaller.Memory{second, first},
			0,
			"restored; ~old.2 superseded tea=Oolong (undone); +old.3 active tea=Assam", "newest exact",
		},
		{
			"any version may",
			[]recaller.Memory{mem("old", "tea", "Ceylon", version(3)), second, first},
			1,
			"restored; ~old.3 superseded tea=Ceylon (undone); +old.4 active tea=Assam", "newest exact",
		},
		{"of a first version nothing is to be undone", []recaller.Memory{only}, 0, "conflict", "newest"},
		{"nor by the active one", []recaller.Memory{second, first}, 2, "conflict", "newest"},
		{"a version that never was is not found", []recaller.Memory{second, first}, 7, "not found", "newest exact"},
		{"nor is a memory", nil, 0, "not found", "newest"},
		{
			"the last version of one that was forgotten comes back",
			[]recaller.Memory{gone, first},
			0,
			"restored; +old.3 active tea=Oolong", "newest gone name",
		},
		{
			"an earlier one of it may",
			[]recaller.Memory{gone, first},
			1,
			"restored; +old.3 active tea=Assam", "newest exact gone name",
		},
		{
			"with it comes what went with it",
			[]recaller.Memory{gone, first, same, other},
			0,
			"restored; +same.4 active drink=Ceylon; +old.3 active tea=Oolong", "newest gone keyed name",
		},
		{
			"once, though it went with it before",
			[]recaller.Memory{gone, first, same, before},
			0,
			"restored; +same.4 active drink=Ceylon; +old.3 active tea=Oolong", "newest gone keyed name",
		},
		{
			"but not where another memory has the key by now",
			[]recaller.Memory{gone, first, same, mem("new", "Drink", "milk")},
			0,
			"restored; +old.3 active tea=Oolong", "newest gone keyed name",
		},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			d, looks, err := world{versions: tt.known}.run(t, func(k Known) (Decision, error) {
				return Undoing(k, recaller.Undoing{ID: "old", Version: tt.version, At: at(8)})
			})
			check(t, "decided", told(d, err), tt.want)
			check(t, "had to see", looks, tt.looks)
			for _, m := range d.Told() {
				if m.Status == recaller.MemoryActive && (!m.CreatedAt.Equal(at(8)) || m.Forgetting != nil) {
					t.Errorf("%s is as of %v, forgotten %v; want as of the undo, not forgotten", m.ID, m.CreatedAt, m.Forgetting)
				}
			}
		})
	}
}
