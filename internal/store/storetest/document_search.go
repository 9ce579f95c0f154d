package storetest

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

// every is a filter that leaves all documents, archived ones too.
var every = recaller.DocumentFilter{Archived: true}

// indexPaper has a document found by an embedding, by stems, or both.
func (b *bench) indexPaper(tenant recaller.TenantID, d recaller.Document, e *recaller.Embedding, stems string) {
	b.Helper()
	in := recaller.DocumentIndexing{Document: d.ID, Caller: d.Caller, Version: d.Version, At: b.now}
	if e != nil {
		in.Embeddings = []recaller.Embedding{*e}
	}
	if stems != "" {
		in.Stems = said(stems)
	}
	b.ok(b.Store.PutDocumentIndexing(b.ctx, tenant, in))
}

// papers files documents of a caller, each an hour after the one before.
func (b *bench) papers(caller recaller.CallerID, titles ...string) []recaller.Document {
	b.Helper()
	out := make([]recaller.Document, len(titles))
	for i, title := range titles {
		b.later(time.Hour)
		out[i] = b.file("t1", b.paper(caller, title))
	}
	return out
}

// titles are those of what was found in the first tenant, in their order.
func (b *bench) titles(found []recaller.NearDocument, err error) string {
	b.Helper()
	b.ok(err)
	ids := make([]recaller.DocumentID, len(found))
	for i, n := range found {
		ids[i] = n.Document
		if n.Document == b.noise.document.ID || n.Document == b.noise.house.ID {
			b.Fatal("the second tenant's document was found")
		}
		if i > 0 && n.Score > found[i-1].Score {
			b.Errorf("%v scores more than the one before it", n.Document)
		}
	}
	list, err := b.Store.DocumentsByID(b.ctx, "t1", ids)
	b.ok(err)
	if len(list) != len(found) {
		b.Errorf("of %d documents that were found %d are there", len(found), len(list))
	}
	return filed(list)
}

func (b *bench) similarPapers(e *recaller.Embedding, f recaller.DocumentFilter, limit int) string {
	b.Helper()
	found, err := b.Store.SimilarDocuments(b.ctx, "t1", *e, f, limit)
	return b.titles(found, err)
}

func (b *bench) matchingPapers(stems string, f recaller.DocumentFilter, limit int) string {
	b.Helper()
	found, err := b.Store.MatchingDocuments(b.ctx, "t1", strings.Fields(stems), f, limit)
	return b.titles(found, err)
}

func documentsByMeaning(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	eq(b, "before there is any", b.similarPapers(toward(0), every, 10), "")
	his, house := b.papers(caller, "east", "north"), b.papers("", "west", "unread")
	b.indexPaper("t1", his[0], toward(10), "")
	b.indexPaper("t1", his[1], toward(80), "tea")
	b.indexPaper("t1", house[0], toward(170), "")
	eq(b, "nearest first", b.similarPapers(toward(0), every, 10), "east, north, west")
	eq(b, "from the other side", b.similarPapers(toward(180), every, 2), "west, north")
	found, err := b.Store.SimilarDocuments(b.ctx, "t1", *toward(0), every, 1)
	b.ok(err)
	if want := math.Cos(10 * math.Pi / 180); math.Abs(found[0].Score-want) > 0.01 {
		b.Errorf("got cosine %v, want %v", found[0].Score, want)
	}
	eq(b, "no conversation is one", b.similar(toward(0), recaller.SearchFilter{}, 10), "[]")

	long := recaller.DocumentIndexing{Document: house[1].ID, Version: 1, At: b.now, Embeddings: []recaller.Embedding{*toward(180), *toward(90), *toward(1)}}
	b.ok(b.Store.PutDocumentIndexing(b.ctx, "t1", long))
	eq(b, "a long one by its nearest part, once", b.similarPapers(toward(0), every, 10), "unread, east, north, west")
	eq(b, "of the tenant's own", b.similarPapers(toward(0), recaller.DocumentFilter{House: true}, 10), "unread, west")
	eq(b, "by another part", b.similarPapers(toward(92), every, 1), "unread")
	long.Embeddings = long.Embeddings[:2]
	b.ok(b.Store.PutDocumentIndexing(b.ctx, "t1", long))
	eq(b, "without that part", b.similarPapers(toward(0), every, 10), "east, north, unread, west")

	other := *toward(0)
	other.Model = "m-2"
	eq(b, "another model's are not compared", b.similarPapers(&other, every, 10), "")
	b.indexPaper("t1", his[1], &other, "")
	eq(b, "the other model has its own", b.similarPapers(&other, every, 10), "north")
	eq(b, "beside the first", b.similarPapers(toward(90), every, 1), "unread")
	b.ok(b.Store.PutDocumentIndexing(b.ctx, "t1", recaller.DocumentIndexing{
		Document: his[1].ID, Caller: caller, Version: 1, Embeddings: []recaller.Embedding{*toward(0)}, Only: true, At: b.now,
	}))
	eq(b, "the other model's is gone", b.similarPapers(&other, every, 10), "")

	_, err = b.Store.DeleteDocument(b.ctx, "t1", his[1].ID)
	b.ok(err)
	_, err = b.Store.DeleteDocument(b.ctx, "t1", house[1].ID)
	b.ok(err)
	eq(b, "what was deleted is not found", b.similarPapers(toward(0), every, 10), "east, west")
	eq(b, "nor by its words", b.matchingPapers("tea", every, 10), "")
	eq(b, "rows of it", fmt.Sprint(b.rows("document_embeddings", "t1"), b.rows("document_words", "t1")), "2 0")

	for what, e := range map[string]recaller.Embedding{"no model": {Vector: []float32{1}}, "no numbers": {Model: "m"}, "no length": {Model: "m", Vector: make([]float32, 3)}} {
		err := b.Store.PutDocumentIndexing(b.ctx, "t1", recaller.DocumentIndexing{Document: his[0].ID, Caller: caller, Version: 1, Embeddings: []recaller.Embedding{e}, At: b.now})
		eq(b, what+" is stored", recaller.KindOf(err), recaller.Invalid)
		_, err = b.Store.SimilarDocuments(b.ctx, "t1", e, every, 1)
		eq(b, what+" is looked for", recaller.KindOf(err), recaller.Invalid)
	}
	for _, limit := range []int{0, 1001} {
		_, err := b.Store.SimilarDocuments(b.ctx, "t1", *toward(0), every, limit)
		b.fails(err, recaller.Invalid)
		_, err = b.Store.MatchingDocuments(b.ctx, "t1", []string{"tea"}, every, limit)
		b.fails(err, recaller.Invalid)
	}
}

func documentsByWords(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	eq(b, "before there is any", b.matchingPapers("tea", every, 10), "")
	list := append(b.papers(caller, "tea", "coffee"), b.papers("", "both", "else", "more")...)
	for i, stems := range []string{"tea tea tea tea milk order", "coffee milk order", "tea coffee milk order cake cup", "beer", "wine"} {
		b.indexPaper("t1", list[i], nil, stems)
	}
	eq(b, "said by one", b.matchingPapers("cake", every, 10), "both")
	eq(b, "said often, and among few words, is more", b.matchingPapers("tea", every, 10), "tea, both")
	eq(b, "a rare word is more than a common one", b.matchingPapers("milk cake", every, 1), "both")
	eq(b, "nobody said it", b.matchingPapers("rum", every, 10), "")
	eq(b, "no words", b.matchingPapers("", every, 10), "")
	eq(b, "among the tenant's own", b.matchingPapers("tea coffee", recaller.DocumentFilter{House: true}, 10), "both")
	eq(b, "no conversation is found", b.matching("tea", recaller.SearchFilter{}, 10), "[]")

	b.indexPaper("t1", list[2], nil, "gin gin")
	eq(b, "new words replace the old ones", b.matchingPapers("cake tea", every, 10), "tea")
	eq(b, "and are found", b.matchingPapers("gin", every, 10), "both")
	b.indexPaper("t1", list[2], toward(90), "")
	eq(b, "a new embedding leaves them", b.matchingPapers("gin", every, 10), "both")
	b.ok(b.Store.PutDocumentIndexing(b.ctx, "t1", recaller.DocumentIndexing{Document: list[2].ID, Version: 1, Stems: map[string]int{}, At: b.now}))
	eq(b, "none take their place", b.matchingPapers("gin", every, 10), "")
}

// What a word does not tell apart comes newest first, by when the documents were made: neither by their ids, nor by when
// they were indexed.
func documentsNewest(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	list := b.papers(caller, "first", "second", "third", "fourth")
	past := b.paper(caller, "of old") // its id is the latest
	past.CreatedAt = past.CreatedAt.AddDate(-1, 0, 0)
	list = append(list, b.file("t1", past))
	stems := []string{"voice call summary boiler", "voice call summary summary summary a b c d e", "voice call summary", "voice call", "voice call summary"}
	for _, i := range []int{3, 2, 4, 0, 1} {
		b.indexPaper("t1", list[i], nil, stems[i])
	}
	eq(b, "in all but one", b.matchingPapers("voice call summary", every, 3), "third, second, first")
	eq(b, "and then those that lack one", b.matchingPapers("voice call summary", every, 10), "third, second, first, of old, fourth")
	eq(b, "one word", b.matchingPapers("voice", every, 10), "fourth, third, second, first, of old")
	eq(b, "one that few have counts", b.matchingPapers("voice boiler", every, 1), "first")
	for _, d := range b.papers("", "e1", "e2", "e3", "e4", "e5", "e6") {
		b.indexPaper("t1", d, nil, "else")
	}
	for i := range list {
		b.indexPaper("t1", list[i], nil, "same")
	}
	eq(b, "those that match as well", b.matchingPapers("same", every, 10), "fourth, third, second, first, of old")
}

func documentSearchFilters(b *bench) {
	one, two := b.open("t1", opening{}).Caller.ID, b.open("t1", opening{identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: "+15551230077"}}}).Caller.ID
	var aged time.Time
	for i, caller := range []recaller.CallerID{one, two, "", one, two, ""} {
		d := b.paper(caller, string(rune('a'+i)), "all", []string{"Even", "odd"}[i%2])
		d.CreatedAt, d.UpdatedAt = b.later(time.Hour), b.now
		switch i {
		case 0:
			d.Origin = recaller.DocumentSession
		case 1:
			d.ArchivedAt, aged = b.now, b.now
		case 3:
			d.Origin, d.Pinned = recaller.DocumentPin, true
		case 4:
			d.Origin = recaller.DocumentSession
		}
		b.indexPaper("t1", b.file("t1", d), toward(float64(10*i)), "tea")
	}
	sorted := func(titles string) string {
		list := strings.Split(titles, ", ")
		slices.Sort(list)
		return strings.Join(list, ", ")
	}
	for _, c := range []struct {
		what   string
		filter recaller.DocumentFilter
		want   string
	}{
		{"all", every, "a, b, c, d, e, f"},
		{"what is not archived", recaller.DocumentFilter{}, "a, c, d, e, f"},
		{"nor too old", recaller.DocumentFilter{Aged: aged}, "c, d, e, f"},
		{"a caller", recaller.DocumentFilter{Caller: one, Archived: true}, "a, d"},
		{"a caller, not archived", recaller.DocumentFilter{Caller: two}, "e"},
		{"a caller, not too old", recaller.DocumentFilter{Caller: one, Aged: aged}, "d"},
		{"somebody else", recaller.DocumentFilter{Caller: "nobody", Archived: true}, ""},
		{"the second tenant's caller", recaller.DocumentFilter{Caller: b.noise.opened.Caller.ID, Archived: true}, ""},
		{"the tenant's own", recaller.DocumentFilter{House: true, Archived: true}, "c, f"},
		{"an origin", recaller.DocumentFilter{Origin: recaller.DocumentSession, Archived: true}, "a, e"},
		{"an origin, not too old", recaller.DocumentFilter{Origin: recaller.DocumentSession, Aged: aged}, "e"},
		{"pinned", recaller.DocumentFilter{Pinned: true}, "d"},
		{"pinned, of somebody else", recaller.DocumentFilter{Pinned: true, Caller: two}, ""},
		{"a tag", recaller.DocumentFilter{Tags: []string{"ODD"}, Archived: true}, "b, d, f"},
		{"tags", recaller.DocumentFilter{Tags: []string{"All", "even"}, Archived: true}, "a, c, e"},
		{"a tag, not archived", recaller.DocumentFilter{Tags: []string{"odd"}}, "d, f"},
		{"a tag of a caller", recaller.DocumentFilter{Tags: []string{"odd"}, Caller: one, Archived: true}, "d"},
		{"a tag of the tenant's own", recaller.DocumentFilter{Tags: []string{"odd"}, House: true, Archived: true}, "f"},
		{"what is to be delivered", recaller.DocumentFilter{Delivery: recaller.DeliveryPending, Archived: true}, ""},
		{"no such tag", recaller.DocumentFilter{Tags: []string{"odd", "none"}, Archived: true}, ""},
		{"all of them", recaller.DocumentFilter{Tags: []string{"all", "odd"}, Caller: one, Origin: recaller.DocumentPin, Pinned: true, Aged: aged}, "d"},
	} {
		eq(b, "by meaning, "+c.what, b.similarPapers(toward(-30), c.filter, 10), c.want)
		eq(b, "by words, "+c.what, sorted(b.matchingPapers("tea", c.filter, 10)), c.want)
	}
	eq(b, "the nearest that is let through", b.similarPapers(toward(-30), recaller.DocumentFilter{Tags: []string{"odd"}}, 1), "d")
	eq(b, "the newest that is let through", b.matchingPapers("tea", recaller.DocumentFilter{Origin: recaller.DocumentSession}, 1), "e")
}

// Only the version that was read is indexed, and nothing of a caller who is being erased.
func documentIndexing(b *bench) {
	gone, stays := b.open("t1", opening{}).Caller.ID, b.open("t1", opening{identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: "+15551230077"}}}).Caller.ID
	his, house := b.papers(gone, "his")[0], b.papers("", "house")[0]
	other := b.papers(stays, "other")[0]
	for _, d := range []recaller.Document{his, house, other} {
		b.indexPaper("t1", d, toward(0), "tea")
	}
	found := func(f recaller.DocumentFilter) string {
		b.Helper()
		return b.similarPapers(toward(0), f, 1) + " | " + b.similarPapers(toward(0), f, 10) + " | " + b.matchingPapers("tea", f, 10)
	}
	eq(b, "all", len(strings.Split(found(every), ", ")), 5)

	read := []recaller.Document{his, house}
	for i := range read {
		d := read[i]
		d.Content = "changed"
		read[i] = b.file("t1", d)
	}
	for _, d := range []recaller.Document{his, house} { // as they were before
		b.indexPaper("t1", d, toward(90), "late")
	}
	eq(b, "by what was read before the change", b.matchingPapers("late", every, 10), "")
	for _, d := range read {
		b.indexPaper("t1", d, nil, "beer")
	}
	eq(b, "by what it is now", b.matchingPapers("beer", every, 10), "house, his")
	wrong := recaller.DocumentIndexing{Document: read[0].ID, Caller: stays, Version: read[0].Version, Stems: said("late"), At: b.now}
	b.ok(b.Store.PutDocumentIndexing(b.ctx, "t1", wrong))
	wrong.Caller = ""
	b.ok(b.Store.PutDocumentIndexing(b.ctx, "t1", wrong))
	wrong.Document = "nobody's"
	b.ok(b.Store.PutDocumentIndexing(b.ctx, "t1", wrong))
	eq(b, "under another's name", b.matchingPapers("late", every, 10), "")

	b.ok(b.Store.BeginErasure(b.ctx, "t1", gone, b.eraseJob(gone)))
	hidden := func(when string) {
		b.Helper()
		for _, f := range []recaller.DocumentFilter{every, {}, {Caller: gone}} {
			if strings.Contains(found(f)+b.matchingPapers("beer", f, 10), "his") {
				b.Errorf("%s: an erased caller's document is found by %+v", when, f)
			}
		}
		left, _, err := b.Store.UnembeddedDocuments(b.ctx, "t1", "m-2", "", 10)
		b.ok(err)
		eq(b, when+", to be embedded", filed(left), "house, other")
		b.indexPaper("t1", read[0], toward(0), "late")
	}
	hidden("while he is erased")
	_, err := b.Vault.Destroy(b.ctx, vault.Scope{Tenant: "t1", Caller: gone})
	b.ok(err)
	hidden("when his key is gone")
	out, err := b.Store.EraseRows(b.ctx, "t1", gone)
	b.ok(err)
	eq(b, "rows of what they were found by", fmt.Sprint(out.Rows["document_embeddings"], out.Rows["document_word_indexes"]), "1 1")
	hidden("when he is erased")
	eq(b, "rows that are left", fmt.Sprint(b.rows("document_embeddings", "t1"), b.rows("document_words", "t1")), "2 2")
	eq(b, "nothing came late", b.matchingPapers("late", every, 10), "")
}

func documentsUnembedded(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	all := append(b.papers(caller, "a", "b"), b.papers("", "c", "d", "e")...)
	list := func(model string, after recaller.DocumentID, limit int) string {
		b.Helper()
		found, more, err := b.Store.UnembeddedDocuments(b.ctx, "t1", model, after, limit)
		b.ok(err)
		b.own(found)
		if full := len(found) == limit; full != (more != "") || full && more != found[limit-1].ID {
			b.Errorf("%d of %d were found, and the next page begins after %q", len(found), limit, more)
		}
		return filed(found)
	}
	eq(b, "all", list(model, "", 10), "a, b, c, d, e")
	eq(b, "a page", list(model, "", 2), "a, b")
	eq(b, "the next", list(model, all[1].ID, 2), "c, d")
	b.indexPaper("t1", all[1], toward(0), "")
	b.indexPaper("t1", all[2], nil, "tea")
	b.indexPaper("t1", all[3], toward(0), "tea")
	eq(b, "without those that have one", list(model, "", 10), "a, c, e")
	eq(b, "another model has made none", list("m-2", "", 10), "a, b, c, d, e")
	_, _, err := b.Store.UnembeddedDocuments(b.ctx, "t1", model, "", 0)
	b.fails(err, recaller.Invalid)
}
