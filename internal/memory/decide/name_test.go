package decide

import (
	"fmt"
	"testing"

	"github.com/recallerhq/recaller"
)

func TestNames(t *testing.T) {
	t.Parallel()
	given := Caller{Name: "Ann", Source: recaller.NameGiven, TimeZone: "Europe/Lisbon"}
	said := Caller{Name: "Ann Okafor", Source: recaller.NameSaid}
	set := Caller{Name: "Ann", Source: recaller.NameSet}
	hidden := Caller{Hidden: Hidden{Name: "Ann Okafor", Source: recaller.NameSaid, With: "m"}}
	another := Caller{Name: "Maria", Source: recaller.NameSaid, Hidden: hidden.Hidden}
	store := func(name string) func(Known) (Decision, error) {
		return func(k Known) (Decision, error) {
			return Storing(k, recaller.Storing{Memory: mem("new", "name", name), Name: name})
		}
	}
	hear := func(name string) func(Known) (Decision, error) {
		return func(k Known) (Decision, error) { return Hearing(k, name) }
	}
	gives := func(name string) func(Known) (Decision, error) {
		return func(k Known) (Decision, error) {
			return k.decide(func(s *sight) (Decision, error) {
				return Decision{Caller: s.caller().becomes(s.caller().Told(name, recaller.NameGiven))}, nil
			})
		}
	}
	forget := func(name string) func(Known) (Decision, error) {
		return func(k Known) (Decision, error) {
			return Changing(k, recaller.Changing{
				ID: "m", Forget: true, Name: name, Unkept: []recaller.Memory{mem("m", "name", name)},
			})
		}
	}
	undo := func(k Known) (Decision, error) { return Undoing(k, recaller.Undoing{ID: "m", At: at(3)}) }
	for _, tt := range []struct {
		rule string
		is   Caller
		do   func(Known) (Decision, error)
		want string
	}{
		{"what he says replaces what a platform gave", given, store("Maria"), "Maria said"},
		{"what was set stays", set, store("Maria"), "as before"},
		{"the same name changes nothing", said, store("Ann Okafor"), "as before"},
		{"what he says may replace what he said", said, store("Maria"), "Maria said"},
		{"a name that is heard completes the known one", given, hear("Ann Okafor"), "Ann Okafor said"},
		{"but a part of it does not replace it", said, hear("Ann"), "as before"},
		{"nor does somebody else's, on the same line", said, hear("Bob Miller"), "as before"},
		{"a platform does not replace what he said", said, gives("Maria"), "as before"},
		{"nor bring back what he wants forgotten", hidden, gives("ann"), "as before"},
		{"it may give another", hidden, gives("Maria"), "Maria given"},
		{"he may say again what he wanted forgotten", hidden, store("Ann"), "Ann said"},
		{"with the memory of it his name goes", said, forget("ann"), "  hidden Ann Okafor said"},
		{"but for another name", said, forget("Bob"), "as before"},
		{"an undo brings it back", hidden, undo, "Ann Okafor said"},
		{"unless he has another by now", another, undo, "as before"},
		{"or it went with another memory", Caller{Hidden: Hidden{Name: "Ann", With: "x"}}, undo, "as before"},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			w := world{caller: tt.is, versions: []recaller.Memory{mem("m", "name", "Ann", forgotten(1, ""))}}
			d, _, err := w.run(t, tt.do)
			if err != nil {
				t.Fatal(err)
			}
			got := "as before"
			if c := d.Caller; c != nil {
				got = fmt.Sprint(c.Name, " ", c.Source)
				if c.Hidden != (Hidden{}) {
					got += fmt.Sprint(" hidden ", c.Hidden.Name, " ", c.Hidden.Source)
				}
				check(t, "the zone", c.TimeZone, tt.is.TimeZone)
			}
			check(t, "called", got, tt.want)
		})
	}
}
