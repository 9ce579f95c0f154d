package store

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

const documentColumns = `id, caller_id, conversation_id, origin, pinned, archived_at, created_at, updated_at, version, body, delivery, delivered`

// documentBody is what is sealed of a document.
type documentBody struct {
	Title   string          `json:"title"`
	Content string          `json:"content"`
	Source  string          `json:"source,omitempty"`
	Tags    []string        `json:"tags,omitempty"`
	State   json.RawMessage `json:"state,omitempty"`
}

// deliveryBody is what is sealed of a document's delivery.
type deliveryBody struct {
	Remote  string `json:"remote,omitempty"`
	Version int64  `json:"version,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Tries   int    `json:"tries,omitempty"`
	At      int64  `json:"at,omitempty"`
}

// blindTag is the purpose of the tokens of tags.
const blindTag = "document.tag"

// sealedDocument is a document as it was read, its words still sealed.
type sealedDocument struct {
	recaller.Document
	body, delivered []byte
}

func scanDocument(scan func(...any) error) (d sealedDocument, err error) {
	var created, updated int64
	var archived *int64
	err = scan(&d.ID, &d.Caller, &d.Conversation, &d.Origin, &d.Pinned, &archived, &created, &updated, &d.Version, &d.body,
		&d.Delivery.State, &d.delivered)
	d.ArchivedAt, d.CreatedAt, d.UpdatedAt = fromNull(archived), fromMicros(created), fromMicros(updated)
	return d, err
}

func documentRow(list *[]sealedDocument) func(func(...any) error) error {
	return func(scan func(...any) error) error {
		d, err := scanDocument(scan)
		*list = append(*list, d)
		return err
	}
}

// document spells what a document's row shows.
func (b binding) document(d recaller.Document) binding {
	b = b.text(string(d.Conversation)).text(string(d.Origin)).flag(d.Pinned)
	return b.time(d.ArchivedAt).time(d.CreatedAt).time(d.UpdatedAt).num(d.Version)
}

func (b box) sealDocument(d recaller.Document) ([]byte, error) {
	body := documentBody{Title: d.Title, Content: d.Content, Source: d.Source, Tags: d.Tags, State: d.State}
	return b.putBound("documents.body", string(d.ID), binding{}.document(d), body)
}

func (b box) openDocument(row sealedDocument) (recaller.Document, error) {
	var body documentBody
	err := b.getBound("documents.body", string(row.ID), binding{}.document(row.Document), row.body, &body)
	d := row.Document
	d.Title, d.Content, d.Source, d.Tags, d.State = body.Title, body.Content, body.Source, body.Tags, body.State
	if err == nil && row.delivered != nil {
		var at deliveryBody
		err = b.getBound("documents.delivered", string(row.ID), binding{}.text(string(d.Delivery.State)), row.delivered, &at)
		d.Delivery.Remote, d.Delivery.Version, d.Delivery.Reason, d.Delivery.Tries = at.Remote, at.Version, at.Reason, at.Tries
		if at.At != 0 {
			d.Delivery.At = fromMicros(at.At)
		}
	}
	return d, err
}

// sealDelivery seals what is known of a document's delivery; nil if it is not to be delivered.
func (b box) sealDelivery(id recaller.DocumentID, v recaller.Delivery) ([]byte, error) {
	if v == (recaller.Delivery{}) {
		return nil, nil
	}
	body := deliveryBody{Remote: v.Remote, Version: v.Version, Reason: v.Reason, Tries: v.Tries}
	if !v.At.IsZero() {
		body.At = micros(v.At)
	}
	return b.putBound("documents.delivered", string(id), binding{}.text(string(v.State)), body)
}

// openDocuments opens rows of one caller, or of the tenant. What is damaged is noted and left out.
func (b box) openDocuments(rows []sealedDocument) (list []recaller.Document, err error) {
	for _, row := range rows {
		d, err := b.openDocument(row)
		if err == nil {
			list = append(list, d)
			continue
		}
		if err := b.leaveOut(err, recaller.DamagedRow{Table: "documents", ID: string(row.ID)}); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// documents writes documents of one caller, or of the tenant.
type documents struct {
	tenant recaller.TenantID
	caller recaller.CallerID
	box    box
	blind  vault.Blinder
}

func (s *Store) documents(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID,
) (w documents, err error) {
	w.tenant, w.caller = tenant, caller
	if w.box, err = s.unseal(ctx, tenant, caller); err != nil {
		return w, notFound(err, "there is no such caller")
	}
	w.blind, err = s.blinder(ctx, tenant)
	return w, err
}

// inTurn runs a write of documents, about the caller or across callers. version is that of the texts after it: the
// caller's, or the tenant's own.
func (s *Store) inTurn(ctx context.Context, w documents, fn func(tx Tx, version int64) error) error {
	if w.caller != "" {
		return s.WithCaller(ctx, w.tenant, w.caller, func(tx Tx) error {
			version, err := touch(ctx, tx, w.tenant, w.caller, time.Time{})
			if err != nil {
				return err
			}
			return fn(tx, version)
		})
	}
	return s.WithTenant(ctx, w.tenant, Writing, func(tx Tx) error {
		var version int64 // counting it first has writes of the tenant's own texts take turns
		err := tx.QueryRow(ctx, `UPDATE tenants SET texts = texts + 1 WHERE id = $1 RETURNING texts`,
			[]any{w.tenant}, &version)
		if err != nil {
			return notFound(err, "there is no such tenant")
		}
		return fn(tx, version)
	})
}

// errWritten is why a Filing is a Conflict.
var errWritten = recaller.Errorf(recaller.Conflict, "the document was changed meanwhile")

// filedOnce is what is kept of a Filing that is carried out once.
type filedOnce struct {
	ID recaller.DocumentID `json:"id"`
}

// FileDocument writes a document: see recaller.Filing. It fails with NotFound if the caller is gone.
func (s *Store) FileDocument(
	ctx context.Context, tenant recaller.TenantID, in recaller.Filing,
) (out recaller.Filed, err error) {
	w, err := s.documents(ctx, tenant, in.Document.Caller)
	if err != nil {
		return out, err
	}
	for range maxRaces {
		if out, err = s.fileDocument(ctx, w, in); !errors.Is(err, errRaced) {
			return out, err
		}
	}
	return out, recaller.Errorf(recaller.Unavailable, "another request with this Idempotency-Key is at work")
}

// fileDocument writes a document, unless an earlier Filing with the same token did. It fails with errRaced if that one
// came while this one was on its way: its commit may be shared with this one's, so it cannot be read before both ended.
func (s *Store) fileDocument(ctx context.Context, w documents, in recaller.Filing) (out recaller.Filed, err error) {
	tenant, mark := w.tenant, newOnce(w.blind, w.tenant, in.Once)
	if out, err = s.filedBefore(ctx, w, mark); out.Existing || err != nil {
		return out, err
	}
	d := in.Document
	d.Version++
	body, err := w.box.sealDocument(d)
	if err != nil {
		return out, err
	}
	delivered, err := w.box.sealDelivery(d.ID, d.Delivery)
	if err != nil {
		return out, err
	}
	err = s.inTurn(ctx, w, func(tx Tx, version int64) error {
		out = recaller.Filed{Document: d, Change: recaller.Change{Tenant: tenant, Caller: w.caller, Version: version}}
		var filed filedOnce
		if again, err := mark.before(ctx, tx, &filed); err != nil || again {
			if again {
				err = errRaced // two with one key at once: nothing of this one is written, nor its version counted
			}
			return err
		}
		if err := mark.mark(ctx, tx, w.caller, filedOnce{d.ID}, d.UpdatedAt); err != nil {
			return err
		}
		if out.Before, err = w.replace(ctx, tx, d, body, delivered); err != nil {
			return err
		}
		if err := w.tag(ctx, tx, out.Before, d); err != nil {
			return err
		}
		for _, job := range in.Jobs {
			if err := insertJob(ctx, tx, tenant, w.caller, job); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

// filedBefore finds what an earlier Filing with the same token wrote, as it is now.
func (s *Store) filedBefore(ctx context.Context, w documents, mark once) (out recaller.Filed, err error) {
	if mark.token == nil {
		return out, nil
	}
	var filed filedOnce
	err = s.read(ctx, w.tenant, w.caller, func(tx Tx) error {
		out.Existing, err = mark.before(ctx, tx, &filed)
		return err
	})
	if err != nil || !out.Existing {
		return out, err
	}
	out.Document, err = s.Document(ctx, w.tenant, filed.ID)
	return out, err
}

// replace writes the row of a document in place of the version before.
func (w documents) replace(
	ctx context.Context, tx Tx, d recaller.Document, body, delivered []byte,
) (before *recaller.Document, err error) {
	if d.Version > 1 {
		row, err := w.read(ctx, tx, d.ID)
		if recaller.KindOf(err) == recaller.NotFound || err == nil && row.Version != d.Version-1 {
			return nil, errWritten
		}
		if err != nil {
			return nil, err
		}
		old, err := w.box.openDocument(row)
		if err != nil && !damaged(err) {
			return nil, err
		}
		before = &old
	}
	args := []any{
		w.tenant, d.ID, w.caller, d.Conversation, d.Origin, d.Pinned, microsOrNil(d.ArchivedAt), micros(d.CreatedAt),
		micros(d.UpdatedAt), d.Version, body, d.Delivery.State, delivered,
	}
	if before == nil {
		_, err = tx.Exec(ctx, `INSERT INTO documents (tenant_id, id, caller_id, conversation_id, origin, pinned,
			archived_at, created_at, updated_at, version, body, delivery, delivered)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`, args...)
		return nil, err
	}
	_, err = tx.Exec(ctx, `UPDATE documents SET conversation_id = $4, origin = $5, pinned = $6, archived_at = $7,
		created_at = $8, updated_at = $9, version = $10, body = $11, delivery = $12, delivered = $13
		WHERE tenant_id = $1 AND id = $2 AND caller_id = $3`, args...)
	return before, err
}

// read reads the row of a document.
func (w documents) read(ctx context.Context, tx Tx, id recaller.DocumentID) (sealedDocument, error) {
	row, err := scanDocument(func(dest ...any) error {
		return tx.QueryRow(ctx, `SELECT `+documentColumns+` FROM documents WHERE tenant_id = $1 AND id = $2
			AND caller_id = $3`, []any{w.tenant, id, w.caller}, dest...)
	})
	return row, notFound(err, "there is no such document")
}

// tag writes the tokens of a document's tags, if they are others than before.
func (w documents) tag(ctx context.Context, tx Tx, before *recaller.Document, d recaller.Document) error {
	if before != nil && slices.Equal(before.Tags, d.Tags) && before.CreatedAt.Equal(d.CreatedAt) {
		return nil
	}
	if before != nil {
		if _, err := tx.Exec(ctx, `DELETE FROM document_tags WHERE tenant_id = $1 AND caller_id = $2
			AND document_id = $3`, w.tenant, w.caller, d.ID); err != nil {
			return err
		}
	}
	tokens := tagTokens(w.blind, d.Tags)
	rows := make([][]any, len(tokens))
	for i, token := range tokens {
		rows[i] = []any{w.tenant, token, micros(d.CreatedAt), d.ID, w.caller}
	}
	if len(rows) == 0 {
		return nil
	}
	return tx.ExecAll(ctx, `INSERT INTO document_tags (tenant_id, token, created_at, document_id, caller_id)
		VALUES ($1, $2, $3, $4, $5)`, rows)
}

// tagTokens blinds tags, each once, whatever its case.
func tagTokens(b vault.Blinder, tags []string) [][]byte {
	var lower []string
	for _, t := range tags {
		if t = strings.ToLower(t); !slices.Contains(lower, t) {
			lower = append(lower, t)
		}
	}
	out := make([][]byte, len(lower))
	for i, t := range lower {
		out[i] = b.Blind(blindTag, t)
	}
	return out
}

// DeleteDocument removes a document.
func (s *Store) DeleteDocument(
	ctx context.Context, tenant recaller.TenantID, id recaller.DocumentID,
) (out recaller.Filed, err error) {
	out.Document, err = s.Document(ctx, tenant, id)
	if err != nil && !recaller.IsDamaged(err) { // a damaged one may go
		return out, err
	}
	w, err := s.documents(ctx, tenant, out.Document.Caller)
	if err != nil {
		return out, err
	}
	err = s.inTurn(ctx, w, func(tx Tx, version int64) error {
		out.Change = recaller.Change{Tenant: tenant, Caller: w.caller, Version: version}
		n, err := tx.Exec(ctx, `DELETE FROM documents WHERE tenant_id = $1 AND id = $2 AND caller_id = $3`,
			tenant, id, w.caller)
		if err == nil && n == 0 {
			err = recaller.Errorf(recaller.NotFound, "there is no such document")
		}
		if err != nil {
			return err
		}
		for _, table := range []string{`document_tags`, `document_words`, `document_embeddings`} {
			if _, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE tenant_id = $1 AND caller_id = $2 AND document_id = $3`,
				tenant, w.caller, id); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

// MarkDelivery writes what became of a try to deliver a document. If the document was changed since the version that was
// tried, it stays pending, and only what is known of it there is kept.
func (s *Store) MarkDelivery(
	ctx context.Context, tenant recaller.TenantID, d recaller.Document, tried int64,
) error {
	w, err := s.documents(ctx, tenant, d.Caller)
	if err != nil {
		return err
	}
	mark := func(tx Tx) error {
		row, err := w.read(ctx, tx, d.ID)
		if err != nil {
			return err
		}
		v := d.Delivery
		if row.Version != tried {
			v.State, v.Tries = recaller.DeliveryPending, 0
		}
		sealed, err := w.box.sealDelivery(d.ID, v)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE documents SET delivery = $4, delivered = $5 WHERE tenant_id = $1 AND id = $2
			AND caller_id = $3`, tenant, d.ID, w.caller, v.State, sealed)
		return err
	}
	if w.caller == "" {
		return s.WithTenant(ctx, tenant, Writing, mark)
	}
	return s.WithCaller(ctx, tenant, w.caller, mark)
}
