// Package document is the use cases of documents: titled, tagged texts of a caller, or of the tenant itself, such as its
// handbook, prices and policies (spec V6). A client writes them; the wrap-up writes one of each voice conversation (V5).
// The package validates, masks the secrets that people say, and cuts documents into the passages that recall finds.
//
// It is not for finding documents in all of a tenant's (search), nor for finding their passages in a call (recall), nor
// for what a summary says (wrapup).
package document

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/guard"
)

// Store is what this package asks of the store.
type Store interface {
	// FileDocument writes a document: see recaller.Filing.
	FileDocument(ctx context.Context, tenant recaller.TenantID, in recaller.Filing) (recaller.Filed, error)
	Document(ctx context.Context, tenant recaller.TenantID, id recaller.DocumentID) (recaller.Document, error)
	Documents(
		ctx context.Context, tenant recaller.TenantID, f recaller.DocumentFilter,
	) (list []recaller.Document, next string, err error)
	// CallerDocuments returns all documents of the origins that are not archived, of a caller or, with an empty one, of
	// the tenant itself, oldest first.
	CallerDocuments(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, origins ...recaller.DocumentOrigin,
	) ([]recaller.Document, error)
	// MarkDelivery writes what became of a try to deliver a document, as it was at a version.
	MarkDelivery(ctx context.Context, tenant recaller.TenantID, d recaller.Document, tried int64) error
	DeleteDocument(ctx context.Context, tenant recaller.TenantID, id recaller.DocumentID) (recaller.Filed, error)
	// Forgotten returns every version of the memories that are forgotten.
	Forgotten(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) ([]recaller.Memory, error)
	// Conversation finds one by its id or its external id.
	Conversation(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Conversation, error)
}

// Tenants gives the settings of a tenant, defaults filled in.
type Tenants interface {
	Tenant(ctx context.Context, id recaller.TenantID) (recaller.Tenant, error)
}

// Words reads a conversation's turns from wherever the retention keeps them; none is no error.
type Words interface {
	Turns(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) ([]recaller.Turn, error)
}

// Deps are what a Service needs; all are required but Outside.
type Deps struct {
	Store   Store
	Tenants Tenants
	Words   Words
	Changed func(recaller.Change) // is told of every committed change
	// Findable has a document found by its words.
	Findable func(context.Context, recaller.TenantID, recaller.Document)
	Enqueued func()            // a job was left: to embed a document
	Masked   func(kind string) // a secret of this kind was taken out of what is stored (B11)
	Now      func() time.Time
	NewID    func() string
	Outside  Outside // where documents of conversations are delivered to, too; nil: nowhere
}

// Service carries out the use cases. Safe for concurrent use.
type Service struct{ Deps }

// New returns a Service.
func New(deps Deps) *Service { return &Service{deps} }

// Input is a document as the edge was told it.
type Input struct {
	Caller       recaller.CallerID // empty: it is the tenant's own
	Conversation string            // that it is about, by its id or external id; empty: none
	Title        string
	Content      string
	Source       string
	Tags         []string
	Pinned       bool
}

// Create writes a document. It can be found by its words once Create has returned, and by meaning soon after.
func (s *Service) Create(
	ctx context.Context, tenant recaller.TenantID, once recaller.Once, in Input,
) (recaller.Document, error) {
	tags, err := in.validate()
	if err != nil {
		return recaller.Document{}, err
	}
	now := s.Now()
	d := recaller.Document{
		ID: recaller.DocumentID(s.NewID()), Caller: in.Caller, Origin: recaller.DocumentWritten,
		Title: guard.Tidy(in.Title), Content: guard.Tidy(in.Content), Source: guard.Tidy(in.Source), Tags: tags, Pinned: in.Pinned,
		CreatedAt: now, UpdatedAt: now,
	}
	if d, err = s.about(ctx, tenant, d, in.Conversation); err != nil {
		return d, err
	}
	if d, err = s.masked(ctx, tenant, d); err != nil {
		return d, err
	}
	return s.file(ctx, tenant, once, d)
}

// about links a document to the conversation that it is about, which must be one of its caller's.
func (s *Service) about(
	ctx context.Context, tenant recaller.TenantID, d recaller.Document, ref string,
) (recaller.Document, error) {
	if ref == "" {
		return d, nil
	}
	conv, err := s.Store.Conversation(ctx, tenant, ref)
	switch {
	case recaller.KindOf(err) == recaller.NotFound:
		return d, recaller.InvalidField("conversation_id", "must be the id of a conversation of the caller")
	case err != nil:
		return d, err
	case d.Caller == "":
		d.Caller = conv.Caller
	case d.Caller != conv.Caller:
		return d, recaller.InvalidField("conversation_id", "must be the id of a conversation of the caller")
	}
	d.Conversation = conv.ID
	return d, nil
}

// file writes a document, and tells of it.
func (s *Service) file(
	ctx context.Context, tenant recaller.TenantID, once recaller.Once, d recaller.Document,
) (recaller.Document, error) {
	out, err := s.Store.FileDocument(ctx, tenant, recaller.Filing{
		Once: once, Document: d, Jobs: s.jobs(d),
	})
	if err != nil || out.Existing {
		return out.Document, err
	}
	s.told(out)
	if d, err := s.toldOne(ctx, tenant, out.Document); err == nil { // else its job does it
		s.Findable(ctx, tenant, d)
	}
	s.Enqueued()
	return out.Document, nil
}

// told tells the feed what changed for who searches.
func (s *Service) told(out recaller.Filed) {
	out.Change.Texts = changed(out.Before, out.Document)
	s.Changed(out.Change)
}

// Get returns a document without what its caller had forgotten.
func (s *Service) Get(
	ctx context.Context, tenant recaller.TenantID, id recaller.DocumentID,
) (recaller.Document, error) {
	d, err := s.Store.Document(ctx, tenant, id)
	if err != nil {
		return d, err
	}
	return s.toldOne(ctx, tenant, d)
}

// List returns a page of documents, newest first, without what their callers had forgotten; where damage hides that,
// they are left out. Of conversations it leaves out those that are older than the tenant's archiving of documents, but
// not if archived ones are asked for, or the tenant's settings are damaged.
func (s *Service) List(
	ctx context.Context, tenant recaller.TenantID, f recaller.DocumentFilter,
) (list []recaller.Document, next string, err error) {
	if err := checkTags(f.Tags); err != nil {
		return nil, "", err
	}
	if aged, err := s.Aged(ctx, tenant, f); err == nil {
		f = aged
	} else if !recaller.LeftOut(ctx, err) {
		return nil, "", err
	}
	if list, next, err = s.Store.Documents(ctx, tenant, f); err != nil {
		return nil, "", err
	}
	list, err = s.Told(ctx, tenant, list)
	return list, next, err
}

// Aged returns a filter that knows since when documents of conversations count as archived (V9).
func (s *Service) Aged(
	ctx context.Context, tenant recaller.TenantID, f recaller.DocumentFilter,
) (recaller.DocumentFilter, error) {
	t, err := s.Tenants.Tenant(ctx, tenant)
	if err != nil || f.Archived {
		return f, err
	}
	f.Aged = t.Aged(s.Now())
	return f, nil
}

// Patch is what an update of a document changes; nil fields stay.
type Patch struct {
	Title    *string
	Content  *string
	Append   bool // Content comes behind what is there, in a line of its own
	Source   *string
	Tags     *[]string
	Pinned   *bool
	Archived *bool
}

// maxRaces is how often an update that met another one is tried again.
const maxRaces = 8

// Update changes a document. One whose words a client has changed is the client's from then on: nobody else rewrites it.
func (s *Service) Update(
	ctx context.Context, tenant recaller.TenantID, id recaller.DocumentID, p Patch,
) (d recaller.Document, err error) {
	for range maxRaces {
		if d, err = s.update(ctx, tenant, id, p); !errors.Is(err, recaller.Conflict) {
			break
		}
	}
	if err != nil {
		return d, err
	}
	return s.toldOne(ctx, tenant, d)
}

func (s *Service) update(
	ctx context.Context, tenant recaller.TenantID, id recaller.DocumentID, p Patch,
) (recaller.Document, error) {
	old, err := s.Store.Document(ctx, tenant, id)
	if err != nil {
		return old, err
	}
	d, err := p.apply(old, s.Now())
	if err != nil {
		return d, err
	}
	if d, err = s.masked(ctx, tenant, d); err != nil || same(old, d) {
		return d, err
	}
	if d.Delivery.State != "" && d.UpdatedAt != old.UpdatedAt {
		d.Delivery = pending(d.Delivery)
	}
	return s.file(ctx, tenant, recaller.Once{}, d)
}

// same reports whether a document is as it was.
func same(a, b recaller.Document) bool {
	return a.Title == b.Title && a.Content == b.Content && a.Source == b.Source && a.Pinned == b.Pinned &&
		a.Origin == b.Origin && a.Delivery == b.Delivery && a.Conversation == b.Conversation && a.CreatedAt.Equal(b.CreatedAt) &&
		slices.Equal(a.Tags, b.Tags) && a.ArchivedAt.Equal(b.ArchivedAt) && string(a.State) == string(b.State)
}

// apply returns the document as the patch makes it.
func (p Patch) apply(d recaller.Document, now time.Time) (recaller.Document, error) {
	before := d
	if p.Title != nil {
		d.Title = guard.Tidy(*p.Title)
	}
	if p.Content != nil {
		if d.Content = guard.Tidy(*p.Content); p.Append {
			d.Content = strings.TrimSpace(before.Content + "\n" + d.Content)
		}
	}
	if p.Source != nil {
		d.Source = guard.Tidy(*p.Source)
	}
	if p.Tags != nil {
		d.Tags = *p.Tags
	}
	tags, err := Input{Title: d.Title, Content: d.Content, Source: d.Source, Tags: d.Tags}.validate()
	if err != nil {
		return d, err
	}
	d.Tags = tags
	if p.Pinned != nil {
		d.Pinned = *p.Pinned
	}
	switch {
	case p.Archived == nil:
	case !*p.Archived:
		d.ArchivedAt = time.Time{}
	case d.ArchivedAt.IsZero():
		d.ArchivedAt = now
	}
	if d.Title != before.Title || d.Content != before.Content {
		d.UpdatedAt, d.Origin = now, recaller.DocumentWritten
	}
	return d, nil
}

// Delete removes a document.
func (s *Service) Delete(ctx context.Context, tenant recaller.TenantID, id recaller.DocumentID) error {
	out, err := s.Store.DeleteDocument(ctx, tenant, id)
	if err != nil {
		return err
	}
	gone := out.Document
	out.Before, out.Document = &gone, recaller.Document{ID: id}
	s.told(out)
	return nil
}

// masked masks the secrets in a caller's document, which may quote what was said (B11). The tenant's own stay as they
// are: it may well be a password that the agent is to tell every guest.
func (s *Service) masked(
	ctx context.Context, tenant recaller.TenantID, d recaller.Document,
) (recaller.Document, error) {
	if d.Caller == "" {
		return d, nil
	}
	t, err := s.Tenants.Tenant(ctx, tenant)
	if err != nil || t.Masking == recaller.MaskingOff {
		return d, err
	}
	for _, text := range []*string{&d.Title, &d.Content} {
		masked, found := guard.Mask(*text, "")
		for _, kind := range found {
			s.Masked(string(kind))
		}
		*text = masked
	}
	return d, nil
}
