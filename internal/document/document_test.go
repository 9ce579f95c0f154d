package document_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/document"
	"github.com/recallerhq/recaller/internal/usecasetest"
)

const tenant recaller.TenantID = "t1"

// bench is the service on a store of its own, with one caller.
type bench struct {
	*testing.T
	*usecasetest.Place
	*document.Service
	settings usecasetest.Settings
	changes  *usecasetest.Changes
	masked   []string
	words    map[recaller.DocumentID]string // as they were made findable
	mu       sync.Mutex
	ana      recaller.Opened
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{T: t, Place: usecasetest.Open(t), changes: &usecasetest.Changes{}, words: map[recaller.DocumentID]string{}}
	b.settings = usecasetest.Settings{tenant: b.MakeTenant(t, recaller.Tenant{ID: tenant, Name: "First"})}
	b.ana = b.calls("+12025550143")
	b.Service = document.New(document.Deps{
		Store: b.Place.Store, Tenants: b.settings, Words: b, Changed: b.changes.Add, Enqueued: func() {},
		Findable: func(_ context.Context, _ recaller.TenantID, d recaller.Document) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.words[d.ID] = d.Content
		},
		Masked: func(kind string) { b.masked = append(b.masked, kind) }, Now: b.Clock.Now, NewID: b.NewID,
	})
	return b
}

// Turns implements document.Words.
func (b *bench) Turns(ctx context.Context, t recaller.TenantID, c recaller.Conversation) ([]recaller.Turn, error) {
	return b.Place.Store.Turns(ctx, t, c)
}

func (b *bench) calls(phone string) recaller.Opened {
	b.Helper()
	opened, err := b.Place.Store.OpenConversation(b.Context(), tenant, recaller.Opening{
		Identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: phone}}, NewCaller: recaller.CallerID(b.NewID()),
		Conversation: recaller.Conversation{
			ID: recaller.ConversationID(b.NewID()), Channel: recaller.ChannelVoice, Direction: recaller.Inbound,
			Status: recaller.Active, StartedAt: b.Clock.Now(), LastActivityAt: b.Clock.Now(),
		},
	})
	b.ok(err)
	return opened
}

func (b *bench) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bench) writes(in document.Input) recaller.Document {
	b.Helper()
	d, err := b.Create(b.Context(), tenant, recaller.Once{}, in)
	b.ok(err)
	return d
}

func (b *bench) changes1(d recaller.Document, p document.Patch) recaller.Document {
	b.Helper()
	d, err := b.Update(b.Context(), tenant, d.ID, p)
	b.ok(err)
	return d
}

// texts are the passages that recall has, as "title: text".
func (b *bench) texts(caller recaller.CallerID) (out []string) {
	b.Helper()
	list, err := b.Texts(b.Context(), tenant, caller)
	b.ok(err)
	for _, t := range list {
		out = append(out, t.Title+": "+t.Text)
	}
	return out
}

func ptr[T any](v T) *T { return &v }

func TestADocumentIsWrittenChangedAndDeleted(t *testing.T) {
	b := newBench(t)
	d := b.writes(document.Input{Title: " Prices ", Content: "A cut is 40.", Source: "handbook", Tags: []string{" Prices", "prices", "", "hair"}})
	if d.Title != "Prices" || !slices.Equal(d.Tags, []string{"Prices", "hair"}) || d.Origin != recaller.DocumentWritten || d.Caller != "" {
		t.Errorf("got %+v, want it trimmed, each tag once, the tenant's own", d)
	}
	if b.words[d.ID] != "A cut is 40." {
		t.Error("its words cannot be found")
	}
	b.Clock.Advance(time.Hour)
	d = b.changes1(d, document.Patch{Content: ptr("A beard is 20."), Append: true})
	if d.Content != "A cut is 40.\nA beard is 20." || !d.UpdatedAt.Equal(b.Clock.Now()) || d.CreatedAt.Equal(d.UpdatedAt) {
		t.Errorf("got %+v, want the line behind the other", d)
	}
	version := d.Version
	if d = b.changes1(d, document.Patch{Title: ptr("Prices")}); d.Version != version {
		t.Errorf("what changes nothing made version %d", d.Version)
	}
	d = b.changes1(d, document.Patch{Content: ptr("All is 50."), Title: ptr("Prices 2027"), Tags: &[]string{"new"}, Source: ptr("")})
	if d.Content != "All is 50." || d.Title != "Prices 2027" || !slices.Equal(d.Tags, []string{"new"}) || d.Source != "" {
		t.Errorf("got %+v, want all of it replaced", d)
	}
	if got := b.texts(""); !slices.Equal(got, []string{"Prices 2027: All is 50."}) {
		t.Errorf("recall has %q", got)
	}
	b.ok(b.Delete(b.Context(), tenant, d.ID))
	if _, err := b.Get(b.Context(), tenant, d.ID); !errors.Is(err, recaller.NotFound) {
		t.Errorf("got %v, want that it is gone", err)
	}
	if err := b.Delete(b.Context(), tenant, d.ID); !errors.Is(err, recaller.NotFound) {
		t.Errorf("got %v, want that it is gone", err)
	}
	if _, err := b.Update(b.Context(), tenant, d.ID, document.Patch{Title: ptr("x")}); !errors.Is(err, recaller.NotFound) {
		t.Errorf("got %v, want that it is gone", err)
	}
}

func TestBadDocumentsAreRefusedByField(t *testing.T) {
	b := newBench(t)
	good := document.Input{Title: "t", Content: "c"}
	for field, in := range map[string]document.Input{
		"title":           {Content: "c"},
		"title ":          {Title: strings.Repeat("x", document.MaxTitle+1), Content: "c"},
		"content":         {Title: "t", Content: " \n"},
		"content ":        {Title: "t", Content: strings.Repeat("x", document.MaxContent+1)},
		"content  ":       {Title: "t", Content: "a\xff"},
		"source":          {Title: "t", Content: "c", Source: strings.Repeat("x", document.MaxSource+1)},
		"tags":            {Title: "t", Content: "c", Tags: slices.Repeat([]string{"x"}, document.MaxTags+1)},
		"tags ":           {Title: "t", Content: "c", Tags: []string{strings.Repeat("x", document.MaxTag+1)}},
		"conversation_id": {Title: "t", Content: "c", Conversation: "nothing"},
		"conversation_id ": {
			Title: "t", Content: "c", Caller: b.calls("+12025550144").Caller.ID, Conversation: string(b.ana.Conversation.ID),
		},
	} {
		_, err := b.Create(t.Context(), tenant, recaller.Once{}, in)
		var e *recaller.Error
		if !errors.As(err, &e) || e.Kind != recaller.Invalid || e.Field != strings.TrimSpace(field) {
			t.Errorf("%s: got %v", field, err)
		}
	}
	if _, err := b.Create(t.Context(), tenant, recaller.Once{}, document.Input{Title: "t", Content: "c", Caller: "nobody"}); !errors.Is(err, recaller.NotFound) {
		t.Errorf("of nobody: got %v", err)
	}
	d := b.writes(good)
	full := strings.Repeat("x", document.MaxContent)
	if _, err := b.Update(t.Context(), tenant, d.ID, document.Patch{Content: &full, Append: true}); !errors.Is(err, recaller.Invalid) {
		t.Errorf("more than fits: got %v", err)
	}
	of := b.writes(document.Input{Title: "t", Content: "c", Conversation: string(b.ana.Conversation.ID)})
	if of.Caller != b.ana.Caller.ID || of.Conversation != b.ana.Conversation.ID {
		t.Errorf("got %+v, want it to be of the conversation's caller", of)
	}
}

// Appends that meet are all there, each once.
func TestAppendsThatMeetLoseNothing(t *testing.T) {
	b := newBench(t)
	d := b.writes(document.Input{Title: "Log", Content: "begin", Caller: b.ana.Caller.ID})
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			for {
				_, err := b.Update(b.Context(), tenant, d.ID, document.Patch{Content: ptr(fmt.Sprintf("line %d", i)), Append: true})
				if err == nil {
					return
				}
				if !errors.Is(err, recaller.Conflict) {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	d, err := b.Get(b.Context(), tenant, d.ID)
	b.ok(err)
	lines := strings.Split(d.Content, "\n")
	slices.Sort(lines[1:])
	if want := "begin|line 0|line 1|line 2|line 3|line 4|line 5"; strings.Join(lines, "|") != want {
		t.Errorf("got %q", lines)
	}
}

// What a caller's document says in secret is masked; the business may well tell its guests a password.
func TestSecretsAreMaskedInCallersDocumentsOnly(t *testing.T) {
	b := newBench(t)
	const secret = "The card is 4111 1111 1111 1111."
	if d := b.writes(document.Input{Title: "Note", Content: secret, Caller: b.ana.Caller.ID}); strings.Contains(d.Content, "4111") || len(b.masked) != 1 {
		t.Errorf("got %q, and %v masked", d.Content, b.masked)
	}
	if d := b.writes(document.Input{Title: "Test cards", Content: secret}); d.Content != secret {
		t.Errorf("the tenant's own: got %q", d.Content)
	}
	settings := b.settings[tenant]
	settings.Masking = recaller.MaskingOff
	b.settings[tenant] = settings
	if d := b.writes(document.Input{Title: "Note", Content: secret, Caller: b.ana.Caller.ID}); d.Content != secret {
		t.Errorf("where masking is off: got %q", d.Content)
	}
}

// The feed is told which passages a write made, and which it took away, so that an index that follows it has the same
// as one that is made anew.
func TestChangesTellThePassages(t *testing.T) {
	b := newBench(t)
	have := map[string]string{}
	follow := func(what string) {
		t.Helper()
		for _, c := range b.changes.Take() {
			for _, text := range c.Texts {
				key := fmt.Sprint(text.ID, "#", text.Part)
				if have[key] = text.Title + ": " + text.Text; text.Text == "" {
					delete(have, key)
				}
			}
		}
		var got []string
		for _, v := range have {
			got = append(got, v)
		}
		want := b.texts(b.ana.Caller.ID)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: followed %q, anew %q", what, got, want)
		}
	}
	long := "# One\n" + strings.Repeat("First things are said here. ", 60) + "\n# Two\nSecond things."
	d := b.writes(document.Input{Title: "Paper", Content: long, Caller: b.ana.Caller.ID})
	follow("written")
	if n := len(have); n < 3 {
		t.Errorf("a long document makes %d passages", n)
	}
	b.changes1(d, document.Patch{Content: ptr("Short now.")})
	follow("shortened")
	b.changes1(d, document.Patch{Archived: ptr(true)})
	if follow("archived"); len(have) != 0 {
		t.Errorf("archived, but recall has %v", have)
	}
	d = b.changes1(d, document.Patch{Archived: ptr(false), Title: ptr("Sheet")})
	follow("brought back")
	b.ok(b.Delete(b.Context(), tenant, d.ID))
	if follow("deleted"); len(have) != 0 {
		t.Errorf("deleted, but recall has %v", have)
	}
}

// What a caller had forgotten is in none of his documents from then on, whoever wrote them, and whatever is appended.
func TestWhatIsForgottenIsInNoDocument(t *testing.T) {
	b := newBench(t)
	caller := b.ana.Caller.ID
	d := b.writes(document.Input{Title: "About Ana", Content: "She likes tea.\nHer dog is called Pluto.", Caller: caller})
	m := recaller.Memory{
		ID: "m1", Caller: caller, Type: recaller.Fact, Key: "dog_name", Value: "Pluto", Source: recaller.SourceAPI,
		PrivacyScope: recaller.LineOnly, CreatedAt: b.Clock.Now(), ConfirmedAt: b.Clock.Now(),
	}
	_, err := b.Place.Store.StoreMemory(b.Context(), tenant, recaller.Storing{Memory: m})
	b.ok(err)
	b.Clock.Advance(time.Hour)
	_, err = b.Place.Store.ChangeMemory(b.Context(), tenant, recaller.Changing{ID: "m1", Forget: true, Patch: recaller.MemoryPatch{At: b.Clock.Now()}})
	b.ok(err)
	b.Clock.Advance(time.Hour)
	for what, d := range map[string]recaller.Document{
		"read": func() recaller.Document { d, err := b.Get(b.Context(), tenant, d.ID); b.ok(err); return d }(),
		"listed": func() recaller.Document {
			list, _, err := b.List(b.Context(), tenant, recaller.DocumentFilter{Caller: caller})
			b.ok(err)
			return list[0]
		}(),
		"appended to": b.changes1(d, document.Patch{Content: ptr("She moves in May."), Append: true}),
	} {
		if strings.Contains(d.Content, "Pluto") || !strings.Contains(d.Content, "likes tea") {
			t.Errorf("%s: got %q", what, d.Content)
		}
	}
	stored, err := b.Place.Store.Document(b.Context(), tenant, d.ID)
	b.ok(err)
	if !strings.Contains(stored.Content, "Pluto") || !strings.Contains(stored.Content, "moves in May") {
		t.Errorf("stored is %q: nothing is rewritten", stored.Content)
	}
	if words := b.words[d.ID]; strings.Contains(words, "Pluto") {
		t.Errorf("found by %q", words)
	}
}

// Documents of conversations are archived when they are old enough for the tenant; others are not.
func TestOldDocumentsOfConversationsAreArchived(t *testing.T) {
	b := newBench(t)
	conv := b.ana.Conversation
	conv.Turns, conv.EndedAt, conv.Summary = 2, b.Clock.Now(), &recaller.Summary{Brief: "Tea."}
	caller, err := b.Place.Store.Caller(b.Context(), tenant, b.ana.Caller.ID)
	b.ok(err)
	if there, err := b.FileSession(b.Context(), b.settings[tenant], caller, conv); err != nil || !there {
		t.Fatalf("got %v, %v", there, err)
	}
	b.writes(document.Input{Title: "Written", Content: "Tea.", Caller: caller.ID})
	listed := func(archived bool) (n int) {
		list, _, err := b.List(b.Context(), tenant, recaller.DocumentFilter{Archived: archived})
		b.ok(err)
		return len(list)
	}
	b.Clock.Advance(31 * 24 * time.Hour)
	if n := listed(false); n != 2 {
		t.Errorf("listed are %d, want both: nothing is archived unless the tenant wants it", n)
	}
	settings := b.settings[tenant]
	settings.DocumentArchiveDays = 30
	b.settings[tenant] = settings
	if n := listed(false); n != 1 {
		t.Errorf("listed are %d after 31 of 30 days, want the written one", n)
	}
	if n := listed(true); n != 2 {
		t.Errorf("with archived ones %d, want both", n)
	}
}
