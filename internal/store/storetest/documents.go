package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// paper is a document as a client writes it.
func (b *bench) paper(caller recaller.CallerID, title string, tags ...string) recaller.Document {
	return recaller.Document{
		ID: recaller.DocumentID(b.id("doc")), Caller: caller, Origin: recaller.DocumentWritten, Title: title,
		Content: title + " in full", Source: "handbook", Tags: tags, CreatedAt: b.now, UpdatedAt: b.now,
	}
}

func (b *bench) file(tenant recaller.TenantID, d recaller.Document) recaller.Document {
	b.Helper()
	out, err := b.Store.FileDocument(b.ctx, tenant, recaller.Filing{Document: d})
	b.ok(err)
	return out.Document
}

// filed are the titles of documents.
func filed(list []recaller.Document) string {
	titles := make([]string, len(list))
	for i, d := range list {
		titles[i] = d.Title
	}
	return strings.Join(titles, ", ")
}

func documentStory(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	version := func() int64 {
		v, err := b.Store.ContentVersion(b.ctx, "t1", caller)
		b.ok(err)
		return v
	}
	before := version()
	in := b.paper(caller, "Boiler", "Heating", "home")
	in.State = []byte(`{"n":1}`)
	out, err := b.Store.FileDocument(b.ctx, "t1", recaller.Filing{Document: in})
	b.ok(err)
	eq(b, "its first version", out.Document.Version, 1)
	eq(b, "it takes nothing's place", out.Before == nil, true)
	eq(b, "the change", fmt.Sprint(out.Change.Caller, out.Change.Version), fmt.Sprint(caller, before+1))
	eq(b, "the caller's version", version(), before+1)

	got, err := b.Store.Document(b.ctx, "t1", in.ID)
	b.ok(err)
	in.Version = 1
	eq(b, "as it was written", fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", in))

	_, err = b.Store.FileDocument(b.ctx, "t1", recaller.Filing{Document: b.withID(b.paper(caller, "Again"), in.ID)})
	b.fails(err, recaller.Conflict)

	got.Content, got.Tags, got.Pinned, got.UpdatedAt = "mended", []string{"done"}, true, b.later(time.Hour)
	out, err = b.Store.FileDocument(b.ctx, "t1", recaller.Filing{Document: got})
	b.ok(err)
	eq(b, "its second version", out.Document.Version, 2)
	eq(b, "what it was", out.Before.Content, "Boiler in full")
	_, err = b.Store.FileDocument(b.ctx, "t1", recaller.Filing{Document: got}) // of the version before
	b.fails(err, recaller.Conflict)
	eq(b, "who comes second writes nothing", version(), before+2)

	for tags, want := range map[string]string{"DONE": "Boiler", "heating": "", "done home": ""} {
		list, _, err := b.Store.Documents(b.ctx, "t1", recaller.DocumentFilter{Tags: strings.Fields(tags)})
		b.ok(err)
		eq(b, "tagged "+tags, filed(list), want)
	}
	snap, err := b.Store.Snapshot(b.ctx, "t1", caller)
	b.ok(err)
	eq(b, "pinned", filed(snap.Pinned), "Boiler")

	gone, err := b.Store.DeleteDocument(b.ctx, "t1", in.ID)
	b.ok(err)
	eq(b, "what was deleted", gone.Document.Content, "mended")
	eq(b, "is a change", gone.Change.Version, before+3)
	_, err = b.Store.Document(b.ctx, "t1", in.ID)
	b.fails(err, recaller.NotFound)
	_, err = b.Store.DeleteDocument(b.ctx, "t1", in.ID)
	b.fails(err, recaller.NotFound)
	_, err = b.Store.FileDocument(b.ctx, "t1", recaller.Filing{Document: out.Document})
	b.fails(err, recaller.Conflict)
	_, err = b.Store.FileDocument(b.ctx, "t1", recaller.Filing{Document: b.paper("nobody", "x")})
	b.fails(err, recaller.NotFound)
}

func (b *bench) withID(d recaller.Document, id recaller.DocumentID) recaller.Document {
	d.ID = id
	return d
}

// A tenant's own documents have no caller, a version of their own, and are in no caller's list.
func houseDocuments(b *bench) {
	version := func() int64 {
		v, err := b.Store.HouseVersion(b.ctx, "t1")
		b.ok(err)
		return v
	}
	eq(b, "before there are any", version(), 0)
	caller := b.open("t1", opening{}).Caller.ID
	b.file("t1", b.paper(caller, "His paper", "x"))
	eq(b, "a caller's do not count", version(), 0)
	papers := make([]recaller.Document, crowd)
	for i := range papers {
		papers[i] = b.paper("", "Prices", "x", "shop")
	}
	seen := make([]int64, crowd)
	for _, err := range atOnce(crowdOf(func(i int) error {
		out, err := b.Store.FileDocument(b.ctx, "t1", recaller.Filing{Document: papers[i]})
		seen[i] = out.Change.Version
		return err
	})...) {
		b.ok(err)
	}
	distinct := map[int64]bool{}
	for _, v := range seen {
		distinct[v] = true
	}
	eq(b, "each change has a version of its own", len(distinct), crowd)
	eq(b, "and they are counted", version(), crowd)
	list, _, err := b.Store.Documents(b.ctx, "t1", recaller.DocumentFilter{House: true})
	b.ok(err)
	eq(b, "the tenant's own", len(list), crowd)
	list, _, err = b.Store.Documents(b.ctx, "t1", recaller.DocumentFilter{Caller: caller})
	b.ok(err)
	eq(b, "the caller's", filed(list), "His paper")
	list, err = b.Store.CallerDocuments(b.ctx, "t1", "", recaller.DocumentWritten)
	b.ok(err)
	eq(b, "to be searched", len(list), crowd)
	_, err = b.Store.DeleteDocument(b.ctx, "t1", list[0].ID)
	b.ok(err)
	eq(b, "a deletion counts", version(), crowd+1)
}

// Documents are listed newest first, page by page, by whatever filter, archived ones on request.
func documentLists(b *bench) {
	one, two := b.open("t1", opening{}).Caller.ID, b.open("t1", opening{identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: "+15551230077"}}}).Caller.ID
	for i := range 7 {
		d := b.paper([]recaller.CallerID{one, two}[i%2], string(rune('a'+i)), "all", []string{"even", "odd"}[i%2])
		d.CreatedAt, d.UpdatedAt = b.later(time.Hour), b.now
		switch i {
		case 3:
			d.ArchivedAt = b.now
		case 4:
			d.Origin = recaller.DocumentSession
		case 5:
			d.Pinned = true
		}
		b.file("t1", d)
	}
	f := func(set func(*recaller.DocumentFilter)) string {
		f := recaller.DocumentFilter{Page: recaller.Page{Limit: 2}}
		set(&f)
		var all []recaller.Document
		for {
			list, more, err := b.Store.Documents(b.ctx, "t1", f)
			b.ok(err)
			if len(list) > 2 {
				b.Errorf("a page of %d", len(list))
			}
			if all = append(all, list...); more == "" {
				return filed(all)
			}
			f.Page.Cursor = more
		}
	}
	for want, set := range map[string]func(*recaller.DocumentFilter){
		"g, f, e, c, b, a":    func(*recaller.DocumentFilter) {},
		"g, f, e, d, c, b, a": func(f *recaller.DocumentFilter) { f.Archived = true },
		"g, f, c, b, a":       func(f *recaller.DocumentFilter) { f.Aged = b.now },
		"g, e, c, a":          func(f *recaller.DocumentFilter) { f.Caller = one },
		"f, b":                func(f *recaller.DocumentFilter) { f.Tags = []string{"All", "odd"} },
		"e":                   func(f *recaller.DocumentFilter) { f.Origin = recaller.DocumentSession },
		"f":                   func(f *recaller.DocumentFilter) { f.Pinned = true },
		"":                    func(f *recaller.DocumentFilter) { f.House = true },
	} {
		eq(b, "listed", f(set), want)
	}
	if _, _, err := b.Store.Documents(b.ctx, "t1", recaller.DocumentFilter{Page: recaller.Page{Cursor: "?"}}); err == nil {
		b.Error("a cursor that is none is taken")
	}
}

// A repeated Filing finds what the first one wrote, with its change of today.
func filedOnce(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	once := recaller.Once{Token: "key", Request: "digest"}
	first := b.paper(caller, "Once")
	job := &recaller.Job{ID: "j-doc", Kind: "document", Subject: string(first.ID), RunAt: b.now.AddDate(1, 0, 0)}
	jobs, err := b.Store.JobCount(b.ctx)
	b.ok(err)
	out, err := b.Store.FileDocument(b.ctx, "t1", recaller.Filing{Once: once, Document: first, Jobs: []recaller.Job{*job}})
	b.ok(err)
	after, err := b.Store.JobCount(b.ctx)
	b.ok(err)
	eq(b, "its job", after, jobs+1)
	eq(b, "not there before", out.Existing, false)
	for range 2 {
		again, err := b.Store.FileDocument(b.ctx, "t1", recaller.Filing{Once: once, Document: b.paper(caller, "Twice")})
		b.ok(err)
		eq(b, "there before", again.Existing, true)
		eq(b, "the first one", again.Document.ID, first.ID)
	}
	other := once
	other.Request = "another"
	_, err = b.Store.FileDocument(b.ctx, "t1", recaller.Filing{Once: other, Document: b.paper(caller, "Other")})
	b.fails(err, recaller.Conflict)
	papers := make([]recaller.Document, crowd)
	for i := range papers {
		papers[i] = b.paper("", "House")
	}
	ids := map[recaller.DocumentID]bool{}
	got := make([]recaller.DocumentID, crowd)
	for _, err := range atOnce(crowdOf(func(i int) error {
		out, err := b.Store.FileDocument(b.ctx, "t1", recaller.Filing{
			Once: recaller.Once{Token: "many", Request: "r"}, Document: papers[i],
		})
		got[i] = out.Document.ID
		return err
	})...) {
		b.ok(err)
	}
	for _, id := range got {
		ids[id] = true
	}
	eq(b, "of many at once there is one", len(ids), 1)
	list, err := b.Store.CallerDocuments(b.ctx, "t1", "", recaller.DocumentWritten)
	b.ok(err)
	eq(b, "written", len(list), 1)
}

// What became of a delivery changes no version; where the document changed meanwhile, it stays pending.
func deliveries(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	d := b.paper(caller, "Sent")
	d.Delivery.State = recaller.DeliveryPending
	d = b.file("t1", d)
	b.file("t1", b.paper(caller, "Not to be sent"))
	listed := func(state recaller.DeliveryState) string {
		list, _, err := b.Store.Documents(b.ctx, "t1", recaller.DocumentFilter{Delivery: state})
		b.ok(err)
		return filed(list)
	}
	eq(b, "pending", listed(recaller.DeliveryPending), "Sent")
	before, err := b.Store.ContentVersion(b.ctx, "t1", caller)
	b.ok(err)
	d.Delivery = recaller.Delivery{State: recaller.DeliveryDone, Remote: "there-1", Version: 1, At: b.now}
	b.ok(b.Store.MarkDelivery(b.ctx, "t1", d, 1))
	got, err := b.Store.Document(b.ctx, "t1", d.ID)
	b.ok(err)
	eq(b, "as it was marked", got.Delivery, d.Delivery)
	eq(b, "the version", got.Version, 1)
	after, err := b.Store.ContentVersion(b.ctx, "t1", caller)
	b.ok(err)
	eq(b, "no index is put out of date", after, before)
	eq(b, "delivered", listed(recaller.DeliveryDone), "Sent")

	got.Content, got.Delivery.State = "changed", recaller.DeliveryPending
	got = b.file("t1", got)
	d.Delivery = recaller.Delivery{State: recaller.DeliveryDone, Remote: "there-2", Version: 1, Tries: 3, At: b.now}
	b.ok(b.Store.MarkDelivery(b.ctx, "t1", d, 1))
	got, err = b.Store.Document(b.ctx, "t1", d.ID)
	b.ok(err)
	eq(b, "it changed meanwhile", string(got.Delivery.State)+" "+got.Delivery.Remote, "pending there-2")
	b.fails(b.Store.MarkDelivery(b.ctx, "t1", b.paper(caller, "nowhere"), 1), recaller.NotFound)
}

// An archived conversation leaves the history of a briefing, and a caller does not become a stranger by it.
func archivedHistory(b *bench) {
	said := make([]recaller.Opened, 3)
	for i := range said {
		said[i] = b.open("t1", opening{})
		b.say("t1", said[i], "user: hello")
		_, err := b.Store.CloseConversation(b.ctx, "t1", recaller.Closing{
			Conversation: said[i].Conversation.ID, Status: recaller.Completed, EndedAt: b.later(time.Hour),
		})
		b.ok(err)
	}
	caller := said[0].Caller.ID
	for i, o := range said {
		d := b.withID(b.paper(caller, "Call"), recaller.DocumentID(o.Conversation.ID))
		d.Origin, d.Conversation = recaller.DocumentSession, o.Conversation.ID
		d = b.file("t1", d)
		snap, err := b.Store.Snapshot(b.ctx, "t1", caller)
		b.ok(err)
		eq(b, "told", len(snap.History), len(said)-i)
		d.ArchivedAt = b.now
		b.file("t1", d)
		snap, err = b.Store.Snapshot(b.ctx, "t1", caller)
		b.ok(err)
		eq(b, "told after it was archived", len(snap.History), len(said)-i-1)
		eq(b, "a stranger", snap.Silent, false)
	}
}

// Of eight pinned documents a snapshot opens those that a briefing may tell: the newest by their words, and the newest
// that clients wrote. One that is damaged costs no other its place. Where something is forgotten, all are there.
func pinnedTold(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	ids := map[string]recaller.DocumentID{}
	for i, title := range []string{"h", "c", "e", "a", "g", "b", "d", "f"} { // in the order of their creation
		d := b.paper(caller, title)
		d.Pinned, d.Origin = true, recaller.DocumentPin
		if title > "d" {
			d.Origin = recaller.DocumentWritten
		}
		d.CreatedAt = b.now.Add(time.Duration(i) * time.Minute)
		d.UpdatedAt = b.now.Add(time.Duration('z'-title[0]) * time.Hour)
		ids[title] = b.file("t1", d).ID
	}
	told := func() string {
		snap, err := b.Store.Snapshot(b.ctx, "t1", caller)
		b.ok(err)
		return filed(snap.Pinned)
	}
	eq(b, "told", told(), "a, b, c, e, f, g")
	b.ok(b.Store.WithTenant(b.ctx, "t1", store.Writing, func(tx store.Tx) error {
		_, err := tx.Exec(b.ctx, `UPDATE documents SET version = 9 WHERE tenant_id = $1 AND id = $2`, "t1", ids["b"])
		return err
	}))
	eq(b, "told where one is damaged", told(), "a, c, d, e, f, g")
	m := b.remember("t1", caller, "dog", "Max").Memory
	b.forget(m.ID)
	eq(b, "where something is forgotten", told(), "a, c, d, e, f, g, h")
}

// A document whose row was changed without the key is damaged: it is told as such, left out of lists, and can go.
func documentsForged(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	whole, one := b.file("t1", b.paper(caller, "Whole")), b.file("t1", b.paper(caller, "Forged"))
	for _, change := range []string{
		`pinned = TRUE`, `archived_at = 1`, `created_at = 1`, `updated_at = 1`, `version = 9`, `origin = 'session'`, `conversation_id = 'c'`,
	} {
		var saved []byte
		b.ok(b.Store.WithTenant(b.ctx, "t1", store.Writing, func(tx store.Tx) error {
			if err := tx.QueryRow(b.ctx, `SELECT body FROM documents WHERE tenant_id = $1 AND id = $2`, []any{"t1", one.ID}, &saved); err != nil {
				return err
			}
			_, err := tx.Exec(b.ctx, `UPDATE documents SET `+change+` WHERE tenant_id = $1 AND id = $2`, "t1", one.ID)
			return err
		}))
		_, err := b.Store.Document(b.ctx, "t1", one.ID)
		if !recaller.IsDamaged(err) {
			b.Errorf("%s: got %v, want a damaged row", change, err)
		}
		list, _, err := b.Store.Documents(b.ctx, "t1", recaller.DocumentFilter{Caller: caller, Archived: true})
		b.ok(err)
		eq(b, "listed after "+change, filed(list), "Whole")
		b.ok(b.Store.WithTenant(b.ctx, "t1", store.Writing, func(tx store.Tx) error {
			_, err := tx.Exec(b.ctx, `UPDATE documents SET pinned = FALSE, archived_at = NULL, created_at = $3, updated_at = $3,
				version = 1, origin = 'written', conversation_id = '' WHERE tenant_id = $1 AND id = $2`, "t1", one.ID, one.CreatedAt.UnixMicro())
			return err
		}))
		_, err = b.Store.Document(b.ctx, "t1", one.ID)
		b.ok(err)
	}
	b.ok(b.Store.WithTenant(b.ctx, "t1", store.Writing, func(tx store.Tx) error {
		_, err := tx.Exec(b.ctx, `UPDATE documents SET version = 7 WHERE tenant_id = $1 AND id = $2`, "t1", one.ID)
		return err
	}))
	_, err := b.Store.DeleteDocument(b.ctx, "t1", one.ID)
	b.ok(err)
	_, err = b.Store.Document(b.ctx, "t1", whole.ID)
	b.ok(err)
}
