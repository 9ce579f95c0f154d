package search_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/document"
	"github.com/recallerhq/recaller/internal/search"
)

// papers is a house with documents.
type papers struct {
	*house
	documents *document.Service
	service   *search.Service
}

func newPapers(t *testing.T) *papers {
	p := &papers{house: newHouse(t)}
	p.documents = document.New(document.Deps{
		Store: p.Store, Tenants: p.tenants, Words: p.house, Changed: func(recaller.Change) {}, Enqueued: func() {},
		Masked: func(string) {}, Now: p.Clock.Now, NewID: p.NewID,
		Findable: func(ctx context.Context, tenant recaller.TenantID, d recaller.Document) {
			p.ok(p.service.IndexWords(ctx, tenant, d))
		},
	})
	p.service = p.with(func(d *search.Deps) { d.Documents = p.documents })
	return p
}

// writes files a document a minute after the one before, and has it embedded unless it is to wait.
func (p *papers) writes(in document.Input) recaller.Document {
	p.Helper()
	p.Clock.Advance(time.Minute)
	d, err := p.documents.Create(p.ctx, golf, recaller.Once{}, in)
	p.ok(err)
	p.embeds(d)
	return d
}

func (p *papers) embeds(d recaller.Document) {
	p.Helper()
	p.ok(p.service.IndexDocument(p.ctx, recaller.Job{Tenant: golf, Kind: recaller.JobDocument, Subject: string(d.ID), Caller: d.Caller}))
}

// finds returns the titles of what a query finds.
func (p *papers) finds(q search.DocumentQuery) string {
	p.Helper()
	r, err := p.service.SearchDocuments(p.ctx, golf, q)
	p.ok(err)
	titles := make([]string, len(r.Found))
	for i, f := range r.Found {
		titles[i] = f.Title
	}
	return strings.Join(titles, ", ")
}

// forget has a memory stored and forgotten, and the job of that done.
func (p *papers) forget(caller recaller.CallerID, key, value string) {
	p.Helper()
	m := recaller.Memory{
		ID: recaller.MemoryID(p.NewID()), Caller: caller, Type: recaller.Fact, Key: key, Value: value, Source: recaller.SourceAPI,
		PrivacyScope: recaller.LineOnly, CreatedAt: p.Clock.Now(), ConfirmedAt: p.Clock.Now(),
	}
	_, err := p.Store.StoreMemory(p.ctx, golf, recaller.Storing{Memory: m})
	p.ok(err)
	p.Clock.Advance(time.Minute)
	_, err = p.Store.ChangeMemory(p.ctx, golf, recaller.Changing{ID: m.ID, Forget: true, Patch: recaller.MemoryPatch{At: p.Clock.Now()}})
	p.ok(err)
	p.ok(p.service.Reindex(p.ctx, recaller.Job{Tenant: golf, Caller: caller, Subject: fmt.Sprintf("%s.%d.", caller, p.Clock.Now().UnixMicro())}))
}

// sorted puts titles in the order of letters, where any order will do.
func sorted(titles string) string {
	list := strings.Split(titles, ", ")
	slices.Sort(list)
	return strings.Join(list, ", ")
}

func text(s string) search.DocumentQuery { return search.DocumentQuery{Text: s} }

func TestDocumentsAreFoundByWordsAndByMeaning(t *testing.T) {
	t.Parallel()
	p := newPapers(t)
	ana := p.hold(past{words: []string{"Hello."}}).Caller
	p.writes(document.Input{Title: "Weddings", Content: "Up to eighty guests.", Tags: []string{"events"}})
	p.writes(document.Input{Title: "Brides", Content: "The bride has a room of her own."})
	p.writes(document.Input{Title: "Lessons", Content: "Forty minutes each."})
	p.writes(document.Input{Title: "About Ana", Content: "Asked about a wedding.", Caller: ana})
	for q, want := range map[string]string{
		"xylophone":      "",
		"forty minutes":  "Lessons",
		"events":         "Weddings",                    // a tag
		"bride":          "About Ana, Brides, Weddings", // which mean the same to this embedder
		"WEDDINGS party": "About Ana, Brides, Weddings",
	} {
		if got := sorted(p.finds(text(q))); got != want {
			t.Errorf("%s: got %q, want %q", q, got, want)
		}
	}
	for what, tt := range map[string]struct {
		filter recaller.DocumentFilter
		want   string
	}{
		"one caller's":         {recaller.DocumentFilter{Caller: ana}, "About Ana"},
		"the business's":       {recaller.DocumentFilter{House: true}, "Brides, Weddings"},
		"both":                 {recaller.DocumentFilter{Caller: ana, House: true}, "About Ana, Brides, Weddings"},
		"a tag":                {recaller.DocumentFilter{Tags: []string{"Events"}}, "Weddings"},
		"a tag that none has":  {recaller.DocumentFilter{Tags: []string{"none"}}, ""},
		"of another's":         {recaller.DocumentFilter{Caller: "nobody"}, ""},
		"of one's own, tagged": {recaller.DocumentFilter{Caller: ana, Tags: []string{"events"}}, ""},
	} {
		if got := sorted(p.finds(search.DocumentQuery{Text: "wedding guests", Filter: tt.filter})); got != tt.want {
			t.Errorf("%s: got %q, want %q", what, got, tt.want)
		}
	}
	if r, err := p.service.SearchDocuments(p.ctx, "tennis", text("wedding")); err == nil && len(r.Found) > 0 {
		t.Errorf("another tenant found %+v", r.Found)
	}
	if got := p.counted("recaller_document_queries_total"); got["nothing"] == 0 || got["found"] == 0 {
		t.Errorf("counted %v", got)
	}
}

// V's client asks "voice call summary" and means the last calls: a query whose words are all in titles, tags and sources
// asks for that sort of document, newest first, however many there are.
func TestAQueryThatNamesASortMeansTheNewest(t *testing.T) {
	t.Parallel()
	p := newPapers(t)
	for i := range 130 {
		p.Clock.Advance(time.Minute)
		d, err := p.documents.Create(p.ctx, golf, recaller.Once{}, document.Input{
			Title: fmt.Sprintf("Voice Call Summary — %d", i), Content: strings.Repeat("It was about tea. ", 1+i%7),
			Source: "voice-call", Tags: []string{"voice-session", "phone-call"},
		})
		p.ok(err)
		if i%40 == 0 {
			p.embeds(d)
		}
	}
	p.writes(document.Input{Title: "Phones", Content: "How to make a voice call."})
	last := "Voice Call Summary — 129, Voice Call Summary — 128, Voice Call Summary — 127"
	for _, q := range []search.DocumentQuery{
		{Text: "voice call summary", Limit: 3},
		{Text: "voice-session", Limit: 3, Filter: recaller.DocumentFilter{Tags: []string{"voice-session"}}},
		{Limit: 3, Filter: recaller.DocumentFilter{Tags: []string{"voice-session"}}},
	} {
		if got := p.finds(q); got != last {
			t.Errorf("%+v: got %q, want the last three", q, got)
		}
	}
}

func TestADocumentThatChangesIsFoundAsItIs(t *testing.T) {
	t.Parallel()
	p := newPapers(t)
	d := p.writes(document.Input{Title: "Note", Content: "The old mill by the river."})
	content := "A lighthouse at sea."
	d, err := p.documents.Update(p.ctx, golf, d.ID, document.Patch{Content: &content})
	p.ok(err)
	p.embeds(d)
	if got := p.finds(text("mill river")); got != "" {
		t.Errorf("found by what it said before: %q", got)
	}
	if got := p.finds(text("lighthouse")); got != "Note" {
		t.Errorf("got %q", got)
	}
	archived := true
	d, err = p.documents.Update(p.ctx, golf, d.ID, document.Patch{Archived: &archived})
	p.ok(err)
	p.embeds(d)
	if got := p.finds(text("lighthouse")); got != "" {
		t.Errorf("an archived one is found: %q", got)
	}
	if got := p.finds(search.DocumentQuery{Text: "lighthouse", Filter: recaller.DocumentFilter{Archived: true}}); got != "Note" {
		t.Errorf("with archived ones: got %q", got)
	}
	p.ok(p.documents.Delete(p.ctx, golf, d.ID))
	p.embeds(d) // its job may run after it is gone
	if got := p.finds(search.DocumentQuery{Text: "lighthouse", Filter: recaller.DocumentFilter{Archived: true}}); got != "" {
		t.Errorf("a deleted one is found: %q", got)
	}
}

// What a caller had forgotten finds none of his documents any more.
func TestForgottenWordsFindNoDocument(t *testing.T) {
	t.Parallel()
	p := newPapers(t)
	ana := p.hold(past{words: []string{"Hello."}}).Caller
	p.writes(document.Input{Title: "About Ana", Content: "She plays chess.\nHer dog is called Pluto.", Caller: ana})
	if got := p.finds(text("Pluto")); got != "About Ana" {
		t.Fatalf("before: got %q", got)
	}
	p.forget(ana, "dog_name", "Pluto")
	if got := p.finds(text("Pluto")); got != "" {
		t.Errorf("got %q", got)
	}
	r, err := p.service.SearchDocuments(p.ctx, golf, text("chess"))
	p.ok(err)
	if len(r.Found) != 1 || strings.Contains(r.Found[0].Snippet, "Pluto") || !strings.Contains(r.Found[0].Snippet, "chess") {
		t.Errorf("got %+v", r.Found)
	}
}

func TestDocumentsAreFoundByWordsWhileTheEmbedderIsAway(t *testing.T) {
	t.Parallel()
	p := newPapers(t)
	d := p.writes(document.Input{Title: "Weddings", Content: "Up to eighty guests."})
	p.embedder.Before("Embed", away)
	r, err := p.service.SearchDocuments(p.ctx, golf, text("eighty guests"))
	p.ok(err)
	if len(r.Found) != 1 || r.Degraded != search.DegradedEmbedder {
		t.Errorf("got %+v", r)
	}
	job := recaller.Job{Tenant: golf, Kind: recaller.JobDocument, Subject: string(d.ID)}
	if err := p.service.IndexDocument(p.ctx, job); err == nil {
		t.Error("its job does not run again")
	}
}

func TestBadQueriesForDocuments(t *testing.T) {
	t.Parallel()
	p := newPapers(t)
	for field, q := range map[string]search.DocumentQuery{
		"text": {Text: " "}, "text ": {Text: strings.Repeat("x", search.MaxQuery+1)}, "limit": {Text: "x", Limit: -1}, "limit ": {Text: "x", Limit: search.MaxLimit + 1},
	} {
		_, err := p.service.SearchDocuments(p.ctx, golf, q)
		var e *recaller.Error
		if !errors.As(err, &e) || e.Kind != recaller.Invalid || e.Field != strings.TrimSpace(field) {
			t.Errorf("%s: got %v", field, err)
		}
	}
}

// A snippet is the part that fits, with its lines as they are, and never longer than a result may be.
func TestSnippets(t *testing.T) {
	t.Parallel()
	p := newPapers(t)
	long := strings.Repeat("Nothing of note is said in this line of the paper.\n", 40) + "The ferry leaves at nine.\n" + strings.Repeat("ä", 2000)
	p.writes(document.Input{Title: "Travel", Content: long})
	short := p.writes(document.Input{Title: "Menu", Content: "Soup.\n\nFish with lemon."})
	r, err := p.service.SearchDocuments(p.ctx, golf, text("when does the ferry leave"))
	p.ok(err)
	if len(r.Found) == 0 || !strings.HasPrefix(r.Found[0].Snippet, "…The ferry leaves at nine.") {
		t.Errorf("got %+v", r.Found)
	}
	for _, f := range r.Found {
		if n := utf8.RuneCountInString(f.Snippet); n > search.SnippetLength || !utf8.ValidString(f.Snippet) {
			t.Errorf("a snippet of %d characters", n)
		}
	}
	r, err = p.service.SearchDocuments(p.ctx, golf, text("lemon fish"))
	p.ok(err)
	if len(r.Found) == 0 || r.Found[0].ID != short.ID || r.Found[0].Snippet != short.Content {
		t.Errorf("got %+v", r.Found)
	}
}

// The night embeds what could not be embedded when it was written, and what another model has embedded.
func TestTheNightEmbedsDocuments(t *testing.T) {
	t.Parallel()
	p := newPapers(t)
	p.embedder.Before("Embed", away)
	for range 7 {
		p.Clock.Advance(time.Minute)
		_, err := p.documents.Create(p.ctx, golf, recaller.Once{}, document.Input{Title: "Brides", Content: "The bride has a room of her own."})
		p.ok(err)
	}
	if n, err := p.service.RetryDocuments(p.ctx); n != 0 || err != nil {
		t.Errorf("while it is away: %d, %v", n, err)
	}
	p.embedder.Clear()
	for _, want := range []int{7, 0} {
		if n, err := p.service.RetryDocuments(p.ctx); n != want || err != nil {
			t.Errorf("got %d, %v; want %d", n, err, want)
		}
	}
	another := p.with(func(d *search.Deps) { d.Documents, d.Embedder = p.documents, third{} })
	if n, err := another.RetryDocuments(p.ctx); n != 7 || err != nil {
		t.Errorf("by another model: %d, %v", n, err)
	}
}
