package recall_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/postgres"
	"github.com/recallerhq/recaller/internal/store/postgres/postgrestest"
	"github.com/recallerhq/recaller/internal/store/sqlite"
	"github.com/recallerhq/recaller/internal/store/sqlite/sqlitetest"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/vaulttest"
)

// diary is a caller's life on a real store, day by day, and the recall that hears of every write.
type diary struct {
	*testing.T
	store  *store.Store
	heard  *recall.Service
	caller recaller.CallerID
	conv   recaller.Conversation
	ids    int
	builds int // how often heard had to read everything
}

func newDiary(t *testing.T, e store.Engine) *diary {
	ring, err := vault.NewRing(vault.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	d := &diary{T: t, store: store.New(e, vault.New(ring, vaulttest.NewMemory(), vault.Options{}))}
	d.heard = recall.New(d.store, recall.Options{})
	tenant := recaller.Tenant{ID: "acme", Name: "Acme", CreatedAt: day(1)}.WithDefaults()
	d.ok(d.store.CreateTenant(t.Context(), tenant, recaller.APIKey{ID: "key", Tenant: "acme", Scope: recaller.ScopeAdmin, CreatedAt: day(1)}, []byte("hash")))
	o, err := d.store.OpenConversation(t.Context(), "acme", recaller.Opening{
		Identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: "+15551230001"}}, NewCaller: "ann",
		Conversation: recaller.Conversation{ID: "c1", Channel: recaller.ChannelVoice, Direction: recaller.Inbound, Status: recaller.Active, StartedAt: day(1), LastActivityAt: day(1)},
	})
	d.ok(err)
	d.caller, d.conv = o.Caller.ID, o.Conversation
	return d
}

func (d *diary) ok(err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}

// told hands a write's change on, as the server does.
func (d *diary) told(w recaller.MemoryWritten, err error) recaller.MemoryID {
	d.Helper()
	d.ok(err)
	d.heard.Apply(w.Change)
	return w.Memory.ID
}

func (d *diary) remember(on int, key, value string) recaller.MemoryID {
	d.Helper()
	d.ids++
	return d.told(d.store.StoreMemory(d.Context(), "acme", recaller.Storing{Memory: recaller.Memory{
		ID: recaller.MemoryID(fmt.Sprint("m", d.ids)), Caller: d.caller, Type: recaller.Fact, Key: key, Value: value, Confidence: 1,
		Source: recaller.SourceAPI, PrivacyScope: recaller.LineOnly, CreatedAt: day(on), ConfirmedAt: day(on),
	}}))
}

func (d *diary) forget(on int, id recaller.MemoryID) {
	d.Helper()
	d.told(d.store.ChangeMemory(d.Context(), "acme", recaller.Changing{ID: id, Forget: true, Patch: recaller.MemoryPatch{At: day(on)}}))
}

func (d *diary) undo(on int, id recaller.MemoryID) {
	d.Helper()
	d.told(d.store.UndoMemory(d.Context(), "acme", recaller.Undoing{ID: id, At: day(on)}))
}

func (d *diary) say(on int, text string) {
	d.Helper()
	d.ids++
	turns := []recaller.Turn{{ID: recaller.TurnID(fmt.Sprint("t", d.ids)), Speaker: recaller.User, Text: text, At: day(on), Confidence: 1}}
	out, err := d.store.AppendTurns(d.Context(), "acme", recaller.Appending{Conversation: d.conv.ID, Caller: d.caller, Turns: turns, At: day(on)})
	d.ok(err)
	change := out.Change
	change.Conversation = &d.conv
	d.heard.Apply(change)
}

// recalled returns what is found as of noon of a day (0 is now), with its score, best first.
func (d *diary) recalled(s *recall.Service, on int, text string) []string {
	d.Helper()
	q := recall.Query{Text: text, Limit: recall.MaxLimit, Neighbours: -1}
	if on > 0 {
		q.AsOf = day(on)
	}
	res, err := s.Recall(d.Context(), "acme", d.caller, q)
	d.ok(err)
	if s == d.heard && res.Built {
		d.builds++
	}
	var out []string
	for _, h := range res.Hits {
		out = append(out, fmt.Sprintf("%s %s %s %.4f", h.Kind, h.Text, h.At.UTC().Format(time.DateOnly), h.Score))
	}
	return out
}

// lastDay is after all that happens in a diary.
const lastDay = 20

// same wants whoever heard of every write and whoever reads it all anew to answer alike, whatever day is asked about.
func (d *diary) same(stage string) {
	d.Helper()
	anew := recall.New(d.store, recall.Options{})
	for on := range lastDay + 1 {
		const all = "tea pin hint Assam Oolong Sencha cat dog bird"
		if a, b := d.recalled(d.heard, on, all), d.recalled(anew, on, all); !slices.Equal(a, b) {
			d.Errorf("%s, day %d: in memory\n\t%s\nafter a restart\n\t%s", stage, on, strings.Join(a, "\n\t"), strings.Join(b, "\n\t"))
		}
	}
}

// finds wants these texts to be found as of a day, in any order.
func (d *diary) finds(stage string, on int, text string, want ...string) {
	d.Helper()
	var got []string
	for _, hit := range d.recalled(d.heard, on, text) {
		words := strings.Fields(hit)
		got = append(got, strings.Join(words[1:len(words)-2], " "))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		d.Errorf("%s: as of day %d %q finds %q, want %q", stage, on, text, got, want)
	}
}

func TestAsOfAnswersWithWhatWasKnownThen(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		e, err := sqlitetest.Open(t.Context(), filepath.Join(t.TempDir(), "recaller.db"), sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = e.Close() })
		knownThen(newDiary(t, e))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		e, err := postgres.Open(t.Context(), postgrestest.Database(t).App, postgrestest.Secrets(), postgres.Options{Connections: 2})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = e.Close() })
		knownThen(newDiary(t, e))
	})
}

func knownThen(d *diary) {
	d.finds("nobody said anything", 0, "tea")
	d.remember(2, "tea", "Assam")
	d.say(3, "No more Assam for me.")
	d.remember(4, "tea", "Oolong")
	d.same("another tea")
	d.finds("another tea", 1, "tea Assam")
	d.finds("another tea", 2, "tea Assam", "tea: Assam")
	d.finds("another tea", 3, "tea Assam", "tea: Assam", "No more Assam for me.")
	d.finds("another tea", 4, "tea Assam", "tea: Oolong", "No more Assam for me.")
	d.finds("another tea", 0, "tea Assam", "tea: Oolong", "No more Assam for me.")
	d.remember(5, "tea", "oolong") // said again
	d.same("no news")

	pin := d.remember(6, "pin_hint", "the cat")
	d.remember(8, "pin_hint", "the dog")
	d.finds("two hints", 7, "hint", "pin_hint: the cat")
	d.finds("two hints", 9, "hint", "pin_hint: the dog")
	d.same("two hints")
	d.forget(10, pin)
	for on := range lastDay + 1 {
		d.finds("forgotten", on, "pin hint cat dog")
	}
	d.same("forgotten")

	d.undo(12, pin)
	d.finds("brought back", 0, "hint", "pin_hint: the dog")
	d.finds("brought back", 7, "hint", "pin_hint: the cat")
	d.finds("brought back", 9, "hint") // that version was forgotten
	d.finds("brought back", 11, "hint")
	d.same("brought back")
	d.remember(13, "pin_hint", "the bird")
	d.finds("changed after that", 12, "hint", "pin_hint: the dog")
	d.same("changed after that")
	d.forget(14, pin)
	d.remember(15, "pin_hint", "the fish")
	d.finds("told anew", 13, "hint")
	d.finds("told anew", 15, "hint", "pin_hint: the fish")
	d.same("told anew")

	tea := d.remember(16, "tea", "Sencha")
	d.undo(17, tea)
	d.finds("a mistake, but it was believed", 16, "tea", "tea: Sencha")
	d.finds("taken back", 17, "tea", "tea: Oolong")
	d.same("taken back")
	d.finds("long ago", 2, "tea", "tea: Assam")
	if d.builds != 2 {
		d.Errorf("everything was read %d times, want twice: at first, and when a memory was brought back", d.builds)
	}
}
