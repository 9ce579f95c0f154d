package store

import (
	"context"

	"github.com/recallerhq/recaller"
)

// PutDocumentIndexing replaces what a document is found by: see recaller.DocumentIndexing. Of a document that is gone,
// was changed meanwhile, or whose caller is being erased it writes nothing. It fails with Invalid if a vector has no
// direction.
func (s *Store) PutDocumentIndexing(
	ctx context.Context, tenant recaller.TenantID, in recaller.DocumentIndexing,
) error {
	x, err := s.indexing(ctx, tenant, in.Stems, in.Embeddings)
	if err != nil {
		return err
	}
	x.of(Documents, string(in.Document), in.Caller)
	x.vectors.At, x.only = in.At, in.Only
	write := func(tx Tx) error {
		var created int64 // to write the row has whoever changes or deletes the document take turns with this
		err := tx.QueryRow(ctx, `UPDATE documents SET version = version WHERE tenant_id = $1 AND id = $2
			AND caller_id = $3 AND version = $4`+notErasing+` RETURNING created_at`,
			[]any{tenant, in.Document, in.Caller, in.Version}, &created)
		if recaller.KindOf(err) == recaller.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		x.tokens.CreatedAt = fromMicros(created)
		return x.put(ctx, tx, s.engine)
	}
	if in.Caller == "" {
		return s.WithTenant(ctx, tenant, Writing, write)
	}
	return s.WithCaller(ctx, tenant, in.Caller, write)
}

// SimilarDocuments returns the documents that are nearest to the embedding in meaning, nearest first, with the cosine as
// score. Documents of callers who are being erased are not found. The filter's page is not regarded; limit is at most
// 1000.
func (s *Store) SimilarDocuments(
	ctx context.Context, tenant recaller.TenantID, e recaller.Embedding, f recaller.DocumentFilter, limit int,
) ([]recaller.NearDocument, error) {
	tags, err := s.tagTokens(ctx, tenant, f.Tags)
	if err != nil {
		return nil, err
	}
	found, err := s.similar(ctx, tenant, e, AmongDocuments(f, tags), limit)
	return asDocuments(found), err
}

func asDocuments(found []Near) []recaller.NearDocument {
	out := make([]recaller.NearDocument, len(found))
	for i, n := range found {
		out[i] = recaller.NearDocument{Document: recaller.DocumentID(n.ID), Score: n.Score}
	}
	return out
}

// MatchingDocuments finds among the same documents by their stems, and returns the best first, of equal ones the newest.
// Rare stems count more. If all are commonplace, in most documents or in very many, those that have all of them come
// first, newest first, and then the newest of the others. Of many stems the first sixteen count.
func (s *Store) MatchingDocuments(
	ctx context.Context, tenant recaller.TenantID, stems []string, f recaller.DocumentFilter, limit int,
) ([]recaller.NearDocument, error) {
	tags, err := s.tagTokens(ctx, tenant, f.Tags)
	if err != nil {
		return nil, err
	}
	found, err := s.matching(ctx, tenant, stems, AmongDocuments(f, tags), limit)
	return asDocuments(found), err
}

// UnembeddedDocuments returns a page of the documents that have no embedding by a model, by id, after an id; empty: from
// the first. limit is at most 1000. A page may be short, because what cannot be read is left out. more is where the next
// page begins; empty: there is none.
func (s *Store) UnembeddedDocuments(
	ctx context.Context, tenant recaller.TenantID, model string, after recaller.DocumentID, limit int,
) (list []recaller.Document, more recaller.DocumentID, err error) {
	if err := bounded(limit); err != nil {
		return nil, "", err
	}
	var rows []sealedDocument
	err = s.ask(ctx, tenant, "", Query{
		SQL: `SELECT ` + listedColumns + ` FROM documents WHERE tenant_id = $1 AND id > $2
			AND NOT EXISTS (SELECT 1 FROM document_embeddings e WHERE e.tenant_id = $1 AND e.document_id = documents.id
			AND e.model = $3 AND e.part = 0)` + notErasing + ` ORDER BY id LIMIT $4`,
		Args: []any{tenant, after, model, limit}, Row: documentRow(&rows),
	})
	if err != nil {
		return nil, "", err
	}
	if len(rows) == limit {
		more = rows[limit-1].ID
	}
	list, err = s.openTheirs(ctx, tenant, rows)
	return list, more, err
}
