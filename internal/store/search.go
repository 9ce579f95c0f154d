package store

import (
	"context"
	"encoding/base32"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
)

// Bounds of a search.
const (
	maxFound = 1000 // things that are asked for at once
	maxStems = 16   // of a query: a look-up each
	maxWidth = 4000 // of a vector: what an index of Postgres takes
)

// blindStem is the purpose of the tokens that conversations and documents are found by.
const blindStem = "search.stem"

// tokenDigits is how many digits of a blind token the databases index. Ten are 50 bits: two stems of a tenant hardly
// ever get the same token, and a conversation's few hundred tokens stay small.
const tokenDigits = 10

// tokens blinds stems, all of one tenant's.
func (s *Store) tokens(ctx context.Context, tenant recaller.TenantID, stems []string) ([]string, error) {
	b, err := s.blinder(ctx, tenant)
	if err != nil {
		return nil, err
	}
	out := make([]string, len(stems))
	for i, stem := range stems {
		out[i] = strings.ToLower(base32.HexEncoding.EncodeToString(b.Blind(blindStem, stem))[:tokenDigits])
	}
	return out, nil
}

// PutIndexing replaces what a conversation is found by. It fails with NotFound if the caller has no such conversation,
// is gone, or is being erased; with Invalid if a vector has no direction.
func (s *Store) PutIndexing(ctx context.Context, tenant recaller.TenantID, in recaller.Indexing) error {
	x, err := s.indexing(ctx, tenant, in.Stems, in.Embeddings)
	if err != nil {
		return err
	}
	x.of(Conversations, string(in.Conversation), in.Caller)
	x.vectors.At, x.only = in.At, in.Only
	return s.WithCaller(ctx, tenant, in.Caller, func(tx Tx) error {
		var one int
		err := tx.QueryRow(ctx, `SELECT 1 FROM conversations WHERE tenant_id = $1 AND id = $2
			AND caller_id = $3`+notErasing,
			[]any{tenant, in.Conversation, in.Caller}, &one)
		if err != nil {
			return notFound(err, "there is no such conversation")
		}
		return x.put(ctx, tx, s.engine)
	})
}

// indexing is what one thing is to be found by.
type indexing struct {
	vectors Vectors
	tokens  Tokens // without Counts those that are there stay
	only    bool
}

// indexing makes ready what a thing is to be found by.
func (s *Store) indexing(
	ctx context.Context, tenant recaller.TenantID, stems map[string]int, embeddings []recaller.Embedding,
) (x indexing, err error) {
	x.vectors.Tenant, x.tokens.Tenant = tenant, tenant
	for _, part := range embeddings {
		e, err := direction(part)
		if err != nil {
			return x, err
		}
		x.vectors.Parts = append(x.vectors.Parts, e)
		if first := x.vectors.Parts[0]; e.Model != first.Model || len(e.Vector) != len(first.Vector) {
			return x, recaller.InvalidField("embeddings", "must all be by one model, and of one width")
		}
	}
	if stems == nil {
		return x, nil
	}
	said := slices.Collect(maps.Keys(stems))
	tokens, err := s.tokens(ctx, tenant, said)
	x.tokens.Counts = make(map[string]int, len(said))
	for i, token := range tokens {
		x.tokens.Counts[token] += stems[said[i]]
	}
	return x, err
}

// of says what it is about.
func (x *indexing) of(thing Thing, id string, caller recaller.CallerID) {
	x.vectors.Of, x.vectors.ID, x.vectors.Caller = thing, id, caller
	x.tokens.Of, x.tokens.ID, x.tokens.Caller = thing, id, caller
}

// put writes it.
func (x *indexing) put(ctx context.Context, tx Tx, to Index) error {
	if x.tokens.Counts != nil {
		if err := to.PutTokens(ctx, tx, x.tokens); err != nil {
			return err
		}
	}
	v := x.vectors
	if len(v.Parts) == 0 {
		return nil
	}
	if x.only {
		if _, err := tx.Exec(ctx, `DELETE FROM `+v.Of.Embeddings()+` WHERE tenant_id = $1 AND `+v.Of.Key()+` = $2
			AND model <> $3`,
			v.Tenant, v.ID, v.Parts[0].Model); err != nil {
			return err
		}
	}
	return to.PutVectors(ctx, tx, v)
}

// direction returns the embedding scaled to length 1.
func direction(e recaller.Embedding) (recaller.Embedding, error) {
	if e.Model == "" {
		return e, recaller.InvalidField("embedding.model", "must be given")
	}
	if len(e.Vector) == 0 || len(e.Vector) > maxWidth {
		return e, recaller.InvalidField("embedding.vector", "must have between 1 and %d numbers", maxWidth)
	}
	var square float64
	for _, x := range e.Vector {
		square += float64(x) * float64(x)
	}
	length := math.Sqrt(square)
	if !(length > 1e-6) || math.IsInf(length, 0) { // NaN is not greater
		return e, recaller.InvalidField("embedding.vector", "must have a length")
	}
	out := make([]float32, len(e.Vector))
	for i, x := range e.Vector {
		out[i] = float32(float64(x) / length)
	}
	e.Vector = out
	return e, nil
}

// Similar returns the conversations that are nearest to the embedding in meaning, nearest first, with the cosine as
// score. It finds only ended conversations of callers who are not being erased. limit is at most 1000.
func (s *Store) Similar(
	ctx context.Context, tenant recaller.TenantID, e recaller.Embedding, f recaller.SearchFilter, limit int,
) ([]recaller.Near, error) {
	found, err := s.similar(ctx, tenant, e, AmongConversations(f), limit)
	return asConversations(found), err
}

func (s *Store) similar(
	ctx context.Context, tenant recaller.TenantID, e recaller.Embedding, among Among, limit int,
) ([]Near, error) {
	e, err := direction(e)
	if err != nil {
		return nil, err
	}
	if err := bounded(limit); err != nil {
		return nil, err
	}
	return s.engine.Similar(ctx, s.door(tenant), Nearest{among, tenant, e, limit})
}

func asConversations(found []Near) []recaller.Near {
	out := make([]recaller.Near, len(found))
	for i, n := range found {
		out[i] = recaller.Near{Conversation: recaller.ConversationID(n.ID), Score: n.Score}
	}
	return out
}

// Matching finds among the same conversations by the stems that were said in them, and returns the best first. Rare
// stems count more. If all are frequent, only the newest conversations are ranked. Of many stems the first sixteen
// count.
func (s *Store) Matching(
	ctx context.Context, tenant recaller.TenantID, stems []string, f recaller.SearchFilter, limit int,
) ([]recaller.Near, error) {
	found, err := s.matching(ctx, tenant, stems, AmongConversations(f), limit)
	return asConversations(found), err
}

func (s *Store) matching(
	ctx context.Context, tenant recaller.TenantID, stems []string, among Among, limit int,
) ([]Near, error) {
	if err := bounded(limit); err != nil {
		return nil, err
	}
	var distinct []string
	for _, stem := range stems {
		if len(distinct) < maxStems && !slices.Contains(distinct, stem) {
			distinct = append(distinct, stem)
		}
	}
	if len(distinct) == 0 {
		return nil, nil
	}
	tokens, err := s.tokens(ctx, tenant, distinct)
	if err != nil {
		return nil, err
	}
	return s.engine.Matching(ctx, s.door(tenant), Matching{among, tenant, tokens, limit})
}

// Similarities returns the cosine of given conversations; those without an embedding by the model are left out.
func (s *Store) Similarities(
	ctx context.Context, tenant recaller.TenantID, e recaller.Embedding, ids []recaller.ConversationID,
) (map[recaller.ConversationID]float64, error) {
	e, err := direction(e)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return map[recaller.ConversationID]float64{}, nil
	}
	if err := bounded(len(ids)); err != nil {
		return nil, err
	}
	q := Compared{Of: Conversations, Tenant: tenant, Embedding: e, IDs: make([]string, len(ids))}
	for i, id := range ids {
		q.IDs[i] = string(id)
	}
	found, err := s.engine.Similarities(ctx, s.door(tenant), q)
	out := make(map[recaller.ConversationID]float64, len(found))
	for id, cosine := range found {
		out[recaller.ConversationID(id)] = cosine
	}
	return out, err
}

func bounded(limit int) error {
	if limit < 1 || limit > maxFound {
		return recaller.InvalidField("limit", "must be between 1 and %d", maxFound)
	}
	return nil
}

func (s *Store) door(tenant recaller.TenantID) Door {
	return func(ctx context.Context, fn func(Tx) error) error { return s.WithTenant(ctx, tenant, Reading, fn) }
}

// padded repeats the last value, so that lists of many lengths make few statements.
func padded(list []any) []any {
	n := 8
	for n < len(list) {
		n *= 4
	}
	for len(list) < n {
		list = append(list, list[len(list)-1])
	}
	return list
}

// Unembedded returns a page of ended conversations that need an embedding, by id. A conversation needs one if it has
// none by the model, or if its step is open, because what it has is of an interim summary. It needs none if the step
// was skipped, or was given up on with this model. Nor does it if it lacks the step, and another of its steps was left
// out because nobody asked for it. more is where the next page begins; empty: there is none.
func (s *Store) Unembedded(
	ctx context.Context, tenant recaller.TenantID, in recaller.Embeddable,
) (list []recaller.Conversation, more recaller.ConversationID, err error) {
	if err := bounded(in.Limit); err != nil {
		return nil, "", err
	}
	rows, err := s.sealedConversations(ctx, tenant, `SELECT `+conversationColumns+` FROM conversations c
		WHERE tenant_id = $1 AND id > $3 AND status <> 'active'`+notErasing+`
		AND CASE COALESCE((SELECT CASE WHEN s.state = 'failed' AND s.done_by <> $2 THEN 'done' ELSE s.state END
				FROM steps s WHERE s.tenant_id = $1 AND s.conversation_id = c.id AND s.step = $5),
			(SELECT 'skipped' FROM steps s WHERE s.tenant_id = $1 AND s.conversation_id = c.id AND s.reason = $6 LIMIT 1), '')
			WHEN 'pending' THEN TRUE WHEN 'skipped' THEN FALSE WHEN 'failed' THEN FALSE
			ELSE (SELECT e.made_at FROM conversation_embeddings e WHERE e.tenant_id = $1 AND e.conversation_id = c.id
			AND e.model = $2 AND e.part = 0) IS NULL END
		ORDER BY id LIMIT $4`, tenant, in.Model, in.After, in.Limit, in.Step, recaller.NotAskedFor)
	if err != nil {
		return nil, "", err
	}
	if len(rows) == in.Limit {
		more = rows[in.Limit-1].ID
	}
	list, err = s.openAll(ctx, tenant, rows)
	return list, more, err
}

func (s *Store) sealedConversations(
	ctx context.Context, tenant recaller.TenantID, query string, args ...any,
) (rows []sealedConversation, err error) {
	err = s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		rows, err = scanConversations(ctx, tx, query, args...)
		return err
	})
	return rows, err
}
