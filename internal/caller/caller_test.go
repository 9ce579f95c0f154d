package caller_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/caller"
	"github.com/recallerhq/recaller/internal/usecasetest"
)

// bench is a Service on a real store, with two callers in one tenant and one of them in another.
type bench struct {
	*testing.T
	*usecasetest.Place
	*caller.Service
	changes  *usecasetest.Changes
	ana, bob recaller.Caller
}

const tenant recaller.TenantID = "t1"

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{T: t, Place: usecasetest.Open(t), changes: &usecasetest.Changes{}}
	settings := usecasetest.Settings{}
	for _, id := range []recaller.TenantID{tenant, "t2"} {
		settings[id] = b.MakeTenant(t, recaller.Tenant{ID: id, Name: string(id), DefaultRegion: "DE"})
	}
	b.ana = b.calls(tenant, "Ana", recaller.Identity{Kind: recaller.IdentityPhone, Value: "+4930901820"}, recaller.Identity{Kind: recaller.IdentityExternal, Value: "ana-7"})
	b.Clock.Advance(time.Minute)
	b.bob = b.calls(tenant, "", recaller.Identity{Kind: recaller.IdentityPhone, Value: "+12025550143"})
	b.calls("t2", "Somebody else", recaller.Identity{Kind: recaller.IdentityPhone, Value: "+4930901820"})
	b.Service = caller.New(caller.Deps{Store: b.Place.Store, Tenants: settings, Changed: b.changes.Add, Now: b.Clock.Now, NewID: b.NewID})
	return b
}

func (b *bench) calls(tenant recaller.TenantID, name string, ids ...recaller.Identity) recaller.Caller {
	b.Helper()
	opened, err := b.Place.Store.OpenConversation(b.Context(), tenant, recaller.Opening{
		Identities: ids, NewCaller: recaller.CallerID(b.NewID()), Name: name, NameSource: recaller.NameGiven,
		Conversation: recaller.Conversation{
			ID: recaller.ConversationID(b.NewID()), Channel: recaller.ChannelVoice, Direction: recaller.Inbound,
			Status: recaller.Active, StartedAt: b.Clock.Now(), LastActivityAt: b.Clock.Now(),
		},
	})
	b.ok(err)
	return opened.Caller
}

func (b *bench) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func isError(t *testing.T, err error, kind recaller.Kind, field string) {
	t.Helper()
	var e *recaller.Error
	if !errors.As(err, &e) || e.Kind != kind || e.Field != field {
		t.Errorf("got error %v, want kind %q, field %q", err, kind, field)
	}
}

func ptr[T any](v T) *T { return &v }

func TestCallerIsFoundHoweverTheNumberIsSpelled(t *testing.T) {
	b := newBench(t)
	for _, spelling := range []string{"+4930901820", "030 901820", "+49 (0)30 90-18-20", "0049 30 901820", "tel:+49-30-901820", "4930901820"} {
		got, err := b.ByPhone(t.Context(), tenant, spelling)
		if err != nil || got.ID != b.ana.ID || got.Name != "Ana" {
			t.Errorf("%q: got %+v, %v; want Ana", spelling, got, err)
		}
	}
	for spelling, kind := range map[string]recaller.Kind{"+4930901821": recaller.NotFound, "ana": recaller.Invalid, "": recaller.Invalid, "anonymous": recaller.Invalid} {
		if _, err := b.ByPhone(t.Context(), tenant, spelling); !errors.Is(err, kind) {
			t.Errorf("%q: got %v, want %s", spelling, err, kind)
		}
	}
	_, err := b.ByPhone(t.Context(), "nobody", "+4930901820")
	isError(t, err, recaller.NotFound, "")
}

func TestCallerIsFoundByIDAndExternalID(t *testing.T) {
	b := newBench(t)
	for _, raw := range []string{"ana-7", " ana-7 "} {
		if got, err := b.ByExternalID(t.Context(), tenant, raw); err != nil || got.ID != b.ana.ID {
			t.Errorf("%q: got %+v, %v; want Ana", raw, got, err)
		}
	}
	_, err := b.ByExternalID(t.Context(), tenant, "ANA-7")
	isError(t, err, recaller.NotFound, "")
	_, err = b.ByExternalID(t.Context(), "t2", "ana-7")
	isError(t, err, recaller.NotFound, "")
	_, err = b.ByExternalID(t.Context(), tenant, "a\nb")
	isError(t, err, recaller.Invalid, "caller.external_id")
	if got, err := b.Get(t.Context(), tenant, b.bob.ID); err != nil || got.Phone() != "+12025550143" {
		t.Errorf("by id: got %+v, %v; want Bob", got, err)
	}
	_, err = b.Get(t.Context(), "t2", b.bob.ID)
	isError(t, err, recaller.NotFound, "")
}

func TestCallersAreListedLastSeenFirst(t *testing.T) {
	b := newBench(t)
	first, next, err := b.List(t.Context(), tenant, recaller.Page{Limit: 1})
	b.ok(err)
	second, end, err := b.List(t.Context(), tenant, recaller.Page{Limit: 1, Cursor: next})
	b.ok(err)
	if len(first) != 1 || len(second) != 1 || first[0].ID != b.bob.ID || second[0].ID != b.ana.ID || end != "" {
		t.Errorf("got %+v then %+v, want Bob, then Ana", first, second)
	}
	_, _, err = b.List(t.Context(), tenant, recaller.Page{Cursor: "?"})
	isError(t, err, recaller.Invalid, "cursor")
}

func TestOperatorSetsNameAndZone(t *testing.T) {
	b := newBench(t)
	steps := []struct {
		name       string
		patch      recaller.CallerPatch
		want       string
		source     recaller.NameSource
		zone       string
		nowVersion int64
	}{
		{"a zone", recaller.CallerPatch{TimeZone: ptr("Europe/Berlin")}, "Ana", recaller.NameGiven, "Europe/Berlin", 2},
		{"a name", recaller.CallerPatch{Name: ptr("Ana María")}, "Ana María", recaller.NameSet, "Europe/Berlin", 3},
		{"both", recaller.CallerPatch{Name: ptr("A. M."), TimeZone: ptr("Asia/Kolkata")}, "A. M.", recaller.NameSet, "Asia/Kolkata", 4},
		{"no zone", recaller.CallerPatch{TimeZone: ptr("")}, "A. M.", recaller.NameSet, "", 5},
		{"no name", recaller.CallerPatch{Name: ptr("")}, "", "", "", 6},
	}
	for _, step := range steps {
		got, err := b.Update(t.Context(), tenant, b.ana.ID, step.patch)
		if err != nil || got.Name != step.want || got.NameSource != step.source || got.TimeZone != step.zone {
			t.Errorf("%s: got %+v, %v", step.name, got, err)
		}
		told := b.changes.Take()
		if len(told) != 1 || told[0].Caller != b.ana.ID || told[0].Version != step.nowVersion {
			t.Errorf("%s: told %+v, want one change to version %d", step.name, told, step.nowVersion)
		}
	}
	stored, err := b.Get(t.Context(), tenant, b.ana.ID)
	if err != nil || stored.Name != "" || stored.TimeZone != "" || stored.ExternalID() != "ana-7" {
		t.Errorf("stored: got %+v, %v; want both cleared, identities kept", stored, err)
	}
	again := b.calls(tenant, "Ana", recaller.Identity{Kind: recaller.IdentityExternal, Value: "ana-7"})
	if again.Name != "Ana" {
		t.Errorf("a name that was cleared: got %q at the next call, want the one given then", again.Name)
	}
}

func TestUpdateNamesTheFieldAtFault(t *testing.T) {
	b := newBench(t)
	tests := []struct {
		name  string
		patch recaller.CallerPatch
		field string
	}{
		{"nothing", recaller.CallerPatch{}, ""},
		{"a name too long", recaller.CallerPatch{Name: ptr(strings.Repeat("x", 201))}, "name"},
		{"a name of two lines", recaller.CallerPatch{Name: ptr("Ana\nBob")}, "name"},
		{"no text", recaller.CallerPatch{Name: ptr("\xff")}, "name"},
		{"no zone", recaller.CallerPatch{TimeZone: ptr("Berlin")}, "time_zone"},
		{"the server's zone", recaller.CallerPatch{TimeZone: ptr("Local")}, "time_zone"},
		{"a zone outside", recaller.CallerPatch{TimeZone: ptr("../../etc/passwd")}, "time_zone"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := b.Update(t.Context(), tenant, b.ana.ID, test.patch)
			isError(t, err, recaller.Invalid, test.field)
		})
	}
	_, err := b.Update(t.Context(), "t2", b.ana.ID, recaller.CallerPatch{Name: ptr("x")})
	isError(t, err, recaller.NotFound, "")
	if told := b.changes.Take(); len(told) != 0 {
		t.Errorf("told %+v, want nothing", told)
	}
}
