package tenant_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/tenant"
	"github.com/recallerhq/recaller/internal/wrapup/label"
)

// pack is a keyword pack with one intent.
func pack(name, intent string, phrases ...string) []byte {
	return fmt.Appendf(nil, `{"name":%q,"intents":[{"label":%q,"phrases":["%s"]}]}`, name, intent, strings.Join(phrases, `","`))
}

// intent labels what a caller says, by the tenant's packs as another process finds them.
func (b *bench) intent(id recaller.TenantID, said string) string {
	b.Helper()
	s := b.serve()
	t, err := s.Tenant(b.Context(), id)
	b.ok(err)
	packs, err := s.Packs(b.Context(), t)
	b.ok(err)
	return label.Analyse([]recaller.Turn{{Speaker: recaller.User, Text: said, Confidence: 1}}, nil, false, packs).Intent
}

func (b *bench) use(id recaller.TenantID, packs ...string) error {
	b.Helper()
	_, err := b.Update(b.Context(), id, func(t *recaller.Tenant) error { t.Packs = packs; return nil })
	return err
}

func TestATenantLabelsByPacksOfItsOwn(t *testing.T) {
	b := newBench(t)
	clinic, _ := b.made("Clinic")
	other, _ := b.made("Other")
	b.ok(b.PutPack(t.Context(), clinic.ID, "clinic", pack("clinic", "vaccination", "jab", "flu shot")))
	if got := b.intent(clinic.ID, "I need a jab"); got == "vaccination" {
		t.Errorf("got %q from a pack that is not in use", got)
	}
	b.ok(b.use(clinic.ID, "clinic", "service"))
	if got := b.intent(clinic.ID, "I need a jab"); got != "vaccination" {
		t.Errorf("got %q, want vaccination", got)
	}
	b.ok(b.PutPack(t.Context(), clinic.ID, "clinic", pack("clinic", "shots", "jab")))
	if got := b.intent(clinic.ID, "I need a jab"); got != "shots" {
		t.Errorf("replaced: got %q, want shots", got)
	}
	b.is(b.use(other.ID, "clinic"), recaller.Invalid, "packs[0]")
	_, err := b.Pack(t.Context(), other.ID, "clinic")
	b.is(err, recaller.NotFound, "")
	b.is(b.DeletePack(t.Context(), other.ID, "clinic"), recaller.NotFound, "")
	list, err := b.PackList(t.Context(), clinic.ID)
	want := []tenant.PackInfo{{Name: "service", InUse: true}, {Name: "golf"}, {Name: "clinic", Own: true, InUse: true}}
	if err != nil || !slices.Equal(list, want) {
		t.Errorf("got %+v, %v; want %+v", list, err, want)
	}
	b.is(b.DeletePack(t.Context(), clinic.ID, "clinic"), recaller.Conflict, "")
	b.ok(b.use(clinic.ID, "service"))
	b.ok(b.DeletePack(t.Context(), clinic.ID, "clinic"))
	_, err = b.Pack(t.Context(), clinic.ID, "clinic")
	b.is(err, recaller.NotFound, "")
	if got, err := b.serve().Tenant(t.Context(), clinic.ID); err != nil || len(got.OwnPacks) != 0 {
		t.Errorf("got %q, %v; want none", got.OwnPacks, err)
	}
}

func TestAPackOfOnesOwnTakesThePlaceOfOurs(t *testing.T) {
	b := newBench(t)
	club, _ := b.made("Club")
	b.ok(b.use(club.ID, "golf"))
	ours := b.intent(club.ID, "I want to book a tee time")
	b.ok(b.PutPack(t.Context(), club.ID, "golf", pack("golf", "starting-time", "tee time")))
	if got := b.intent(club.ID, "I want to book a tee time"); got != "starting-time" || got == ours {
		t.Errorf("got %q, want its own", got)
	}
	raw, err := b.Pack(t.Context(), club.ID, "golf")
	if b.ok(err); !strings.Contains(string(raw), "starting-time") {
		t.Error("the pack is not its own")
	}
	b.ok(b.DeletePack(t.Context(), club.ID, "golf")) // though in use: ours is back
	if got := b.intent(club.ID, "I want to book a tee time"); got != ours {
		t.Errorf("got %q, want ours again: %q", got, ours)
	}
}

func TestPacksThatAreRefused(t *testing.T) {
	b := newBench(t)
	made, _ := b.made("First")
	for name, c := range map[string]struct {
		raw   []byte
		field string
	}{
		"no JSON":         {[]byte(`{`), "pack"},
		"another name":    {pack("golf", "x", "y"), "name"},
		"a bad label":     {pack("own", "Not A Label", "y"), "intents[0].label"},
		"no phrases":      {[]byte(`{"name":"own","topics":[{"label":"x"}]}`), "topics[0].phrases"},
		"too large":       {append(pack("own", "x", "y"), strings.Repeat(" ", label.MaxPackBytes)...), "pack"},
		"an unknown part": {[]byte(`{"name":"own","moods":[]}`), "moods"},
	} {
		t.Run(name, func(t *testing.T) {
			isError(t, b.PutPack(t.Context(), made.ID, "own", c.raw), recaller.Invalid, c.field)
		})
	}
	for i := range 8 {
		name := fmt.Sprint("own-", i)
		b.ok(b.PutPack(t.Context(), made.ID, name, pack(name, "x", "y")))
	}
	b.is(b.PutPack(t.Context(), made.ID, "own", pack("own", "x", "y")), recaller.Conflict, "")
	b.ok(b.PutPack(t.Context(), made.ID, "own-7", pack("own-7", "x", "z")))
	b.is(b.PutPack(t.Context(), "nobody", "own", pack("own", "x", "y")), recaller.NotFound, "")
}

func TestPacksSetAtOnceAreAllKept(t *testing.T) {
	b := newBench(t)
	made, _ := b.made("First")
	var wg sync.WaitGroup
	for i := range 6 {
		process := b.serve()
		wg.Go(func() {
			name := fmt.Sprint("own-", i)
			if err := process.PutPack(t.Context(), made.ID, name, pack(name, "x", "y")); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got, err := b.PackList(t.Context(), made.ID); err != nil || len(got) != 8 {
		t.Errorf("got %+v, %v; want ours and six", got, err)
	}
}

// A pack that was deleted in another process, of settings that name it as they were: labelling waits, it does not fail.
func TestSettingsOfAMomentAgo(t *testing.T) {
	b := newBench(t)
	made, _ := b.made("First")
	b.ok(b.PutPack(t.Context(), made.ID, "own", pack("own", "x", "y")))
	b.ok(b.use(made.ID, "own"))
	elsewhere := b.serve()
	old, err := elsewhere.Tenant(t.Context(), made.ID)
	b.ok(err)
	b.ok(b.use(made.ID, "service"))
	b.ok(b.DeletePack(t.Context(), made.ID, "own"))
	_, err = elsewhere.Packs(t.Context(), old)
	b.is(err, recaller.Unavailable, "")
	fresh, err := elsewhere.Tenant(t.Context(), made.ID)
	b.ok(err)
	packs, err := elsewhere.Packs(t.Context(), fresh)
	if b.ok(err); len(packs) != 1 || packs[0].Name() != "service" {
		t.Errorf("got %d packs, want ours alone", len(packs))
	}
}
