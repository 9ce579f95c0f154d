package store

import (
	"context"
	"slices"

	"github.com/recallerhq/recaller"
)

// Document returns a document. A damaged one is a DamagedRow, and comes with what its row shows.
func (s *Store) Document(
	ctx context.Context, tenant recaller.TenantID, id recaller.DocumentID,
) (recaller.Document, error) {
	rows, err := s.documentRows(ctx, tenant, []recaller.DocumentID{id})
	if err == nil && len(rows) == 0 {
		err = recaller.Errorf(recaller.NotFound, "there is no such document")
	}
	if err != nil {
		return recaller.Document{}, err
	}
	b, err := s.unseal(ctx, tenant, rows[0].Caller)
	if err != nil {
		return recaller.Document{}, notFound(err, "there is no such document")
	}
	return b.openDocument(rows[0])
}

// DocumentsByID returns documents in the order of their ids. Those that are not there, or that cannot be read, are left
// out.
func (s *Store) DocumentsByID(
	ctx context.Context, tenant recaller.TenantID, ids []recaller.DocumentID,
) ([]recaller.Document, error) {
	rows, err := s.documentRows(ctx, tenant, ids)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(rows, func(a, b sealedDocument) int { return slices.Index(ids, a.ID) - slices.Index(ids, b.ID) })
	return s.openTheirs(ctx, tenant, rows)
}

// maxByID is how many documents are read at once.
const maxByID = 1000

func (s *Store) documentRows(
	ctx context.Context, tenant recaller.TenantID, ids []recaller.DocumentID,
) (rows []sealedDocument, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	if err := bounded(min(len(ids), maxByID+1)); err != nil {
		return nil, err
	}
	q := where{args: []any{tenant}}
	q.in("id", padded(anys(ids)))
	err = s.ask(ctx, tenant, "", Query{
		SQL:  `SELECT ` + documentColumns + ` FROM documents WHERE tenant_id = $1` + notErasing + q.String(),
		Args: q.args, Row: documentRow(&rows),
	})
	return rows, err
}

// openTheirs opens documents of several callers. It leaves out what is damaged, and documents of those whose key is
// missing or was destroyed.
func (s *Store) openTheirs(
	ctx context.Context, tenant recaller.TenantID, rows []sealedDocument,
) (list []recaller.Document, err error) {
	boxes := map[recaller.CallerID]*box{}
	for _, row := range rows {
		b, known := boxes[row.Caller]
		if !known {
			one, err := s.unseal(ctx, tenant, row.Caller)
			switch {
			case err == nil:
				b = &one
			case recaller.IsKeyMissing(err), recaller.KindOf(err) == recaller.NotFound:
			default:
				return nil, err
			}
			boxes[row.Caller] = b
		}
		if b == nil {
			continue
		}
		open, err := b.openDocuments([]sealedDocument{row})
		if err != nil {
			return nil, err
		}
		list = append(list, open...)
	}
	return list, nil
}

// Documents lists documents, newest first. A page may be short, because what cannot be read is left out; only the last
// page has no cursor.
func (s *Store) Documents(
	ctx context.Context, tenant recaller.TenantID, f recaller.DocumentFilter,
) (list []recaller.Document, cur string, err error) {
	from, limit, err := after(f.Page)
	if err != nil {
		return nil, "", err
	}
	query, args, err := s.listing(ctx, tenant, f, from, limit+1)
	if err != nil {
		return nil, "", err
	}
	var rows []sealedDocument
	err = s.read(ctx, tenant, f.Caller, func(tx Tx) error {
		return tx.QueryAll(ctx, Query{SQL: query, Args: args, Row: documentRow(&rows)})
	})
	if err != nil {
		return nil, "", err
	}
	rows, cur = next(rows, limit, func(d sealedDocument) cursor {
		return cursor{At: micros(d.CreatedAt), ID: string(d.ID)}
	})
	list, err = s.openTheirs(ctx, tenant, rows)
	return list, cur, err
}

// listing spells the query for a page of documents. With a tag it goes along the tag's documents.
func (s *Store) listing(
	ctx context.Context, tenant recaller.TenantID, f recaller.DocumentFilter, from cursor, limit int,
) (query string, args []any, err error) {
	q := where{args: []any{tenant}}
	tokens, err := s.tagTokens(ctx, tenant, f.Tags)
	if err != nil {
		return "", nil, err
	}
	table, at, id := `documents`, `created_at`, `id`
	if len(tokens) > 0 {
		table, at, id = `document_tags g JOIN documents ON documents.tenant_id = $1 AND documents.id = g.document_id`,
			`g.created_at`, `g.document_id`
		q.and(`g.tenant_id = $1`)
		q.eq(`g.token`, tokens[0])
		tokens = tokens[1:]
	}
	q.and(`(` + at + `, ` + id + `) < (` + q.param(from.At) + `, ` + q.param(from.ID) + `)`)
	filing(&q, `documents`, f, tokens)
	query = `SELECT ` + listedColumns + ` FROM ` + table + ` WHERE documents.tenant_id = $1` + q.String() + `
		AND NOT EXISTS (SELECT 1 FROM callers k WHERE k.tenant_id = $1 AND k.id = documents.caller_id AND k.erasing)
		ORDER BY ` + at + ` DESC, ` + id + ` DESC LIMIT ` + q.param(limit)
	return query, q.args, nil
}

// filing adds the conditions of a filter on a row of documents, by what the query calls it. Its tags are given as tokens.
// The limit has SQLite look up each row's tag; else it may read all of the tenant's documents.
func filing(q *where, row string, f recaller.DocumentFilter, tokens [][]byte) {
	switch {
	case f.Caller != "":
		q.eq(row+`.caller_id`, f.Caller)
	case f.House:
		q.and(row + `.caller_id = ''`)
	}
	if f.Origin != "" {
		q.eq(row+`.origin`, f.Origin)
	}
	if f.Pinned {
		q.and(row + `.pinned`)
	}
	if f.Delivery != "" {
		q.and(row + `.delivery <> ''`) // spelled out so that the partial index serves it
		q.eq(row+`.delivery`, f.Delivery)
	}
	for _, token := range tokens {
		q.and(`EXISTS (SELECT 1 FROM document_tags o WHERE o.tenant_id = $1 AND o.token = ` + q.param(token) + `
			AND o.created_at = ` + row + `.created_at AND o.document_id = ` + row + `.id LIMIT 1)`)
	}
	if f.Archived {
		return
	}
	q.and(row + `.archived_at IS NULL`)
	if !f.Aged.IsZero() {
		notOld(q, row, f)
	}
}

// notOld leaves out old documents of conversations: by ranges, so that Postgres reads none of them.
func notOld(q *where, row string, f recaller.DocumentFilter) {
	o := row + `.origin`
	q.and(`(` + o + ` < 'session' OR ` + o + ` > 'session' OR ` + o + ` = 'session' AND ` +
		row + `.created_at >= ` + q.param(micros(f.Aged)) + `)`)
}

func (s *Store) tagTokens(ctx context.Context, tenant recaller.TenantID, tags []string) ([][]byte, error) {
	if len(tags) == 0 {
		return nil, nil
	}
	b, err := s.blinder(ctx, tenant)
	if err != nil {
		return nil, err
	}
	return tagTokens(b, tags), nil
}

// CallerDocuments returns all documents of a caller, or of the tenant itself, that are told: those of the origins that
// are not archived, oldest first. What is damaged is left out.
func (s *Store) CallerDocuments(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, origins ...recaller.DocumentOrigin,
) ([]recaller.Document, error) {
	b, err := s.unseal(ctx, tenant, caller)
	if err != nil {
		return nil, notFound(err, "there is no such caller")
	}
	q := where{args: []any{tenant, caller}}
	q.in("origin", anys(origins))
	var rows []sealedDocument
	err = s.read(ctx, tenant, caller, func(tx Tx) error {
		return tx.QueryAll(ctx, Query{
			SQL: `SELECT ` + documentColumns + ` FROM documents WHERE tenant_id = $1 AND caller_id = $2
				AND archived_at IS NULL` + notErasing + q.String() + ` ORDER BY created_at, id`,
			Args: q.args, Row: documentRow(&rows),
		})
	})
	if err != nil {
		return nil, err
	}
	return b.openDocuments(rows)
}

// HouseVersion returns the content version of the tenant's own texts; 0 if there were never any.
func (s *Store) HouseVersion(ctx context.Context, tenant recaller.TenantID) (version int64, err error) {
	err = s.ask(ctx, tenant, "", Query{
		SQL: `SELECT texts FROM tenants WHERE id = $1`, Args: []any{tenant},
		Row: func(scan func(...any) error) error { return scan(&version) },
	})
	return version, err
}

// pinnedQuery reads a caller's pinned documents into rows, the newest first.
func pinnedQuery(tenant recaller.TenantID, caller recaller.CallerID, rows *[]sealedDocument) Query {
	return Query{
		SQL: `SELECT ` + documentColumns + ` FROM documents WHERE tenant_id = $1 AND caller_id = $2 AND pinned
			AND archived_at IS NULL ORDER BY created_at DESC, id DESC LIMIT ` + itoa(snapshotPinned),
		Args: []any{tenant, caller}, Row: documentRow(rows),
	}
}

// listedColumns are documentColumns where a table is joined that has some of them too.
const listedColumns = `documents.id, documents.caller_id, documents.conversation_id, documents.origin, documents.pinned,
	documents.archived_at, documents.created_at, documents.updated_at, documents.version, documents.body, documents.delivery, documents.delivered`
