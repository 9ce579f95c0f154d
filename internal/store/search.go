package store

import (
	"context"
	"encoding/base32"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// Index finds conversations among all of a tenant's (P7). Each database has its own, because each has its own way with
// vectors and its own full-text index. Embeddings of different models are never compared.
type Index interface {
	// PutVectors replaces a conversation's embeddings by one model.
	PutVectors(ctx context.Context, tx Tx, v Vectors) error
	// PutTokens replaces the tokens of a conversation.
	PutTokens(ctx context.Context, tx Tx, t Tokens) error
	// Similar ranks the findable conversations by cosine, nearest first; of one with several embeddings the nearest
	// counts.
	Similar(ctx context.Context, read Door, q Nearest) ([]recaller.Near, error)
	// Matching ranks the findable conversations that have any of the tokens, best first.
	Matching(ctx context.Context, read Door, q Matching) ([]recaller.Near, error)
	// Similarities returns the cosine of each of the conversations that has an embedding by the model. Of several
	// embeddings the nearest counts.
	Similarities(ctx context.Context, read Door, q Compared) (map[recaller.ConversationID]float64, error)
}

// Door runs fn on a snapshot of the tenant's rows. Each call sees a newer snapshot, and holds a connection while fn
// runs.
type Door func(ctx context.Context, fn func(Tx) error) error

// Vectors are the embeddings of a conversation to be written, all by one model and of one width: one for each part of
// it, in order.
type Vectors struct {
	Tenant       recaller.TenantID
	Conversation recaller.ConversationID
	Caller       recaller.CallerID
	Parts        []recaller.Embedding // of length 1; at least one
	At           time.Time
}

// Tokens are the blind tokens of a conversation to be written, with how often each stem was said.
type Tokens struct {
	Tenant       recaller.TenantID
	Conversation recaller.ConversationID
	Caller       recaller.CallerID
	Counts       map[string]int
}

// Nearest asks for the conversations whose embeddings are nearest to one.
type Nearest struct {
	Tenant    recaller.TenantID
	Embedding recaller.Embedding // of length 1
	Filter    recaller.SearchFilter
	Limit     int
}

// Matching asks for the conversations that tokens match best.
type Matching struct {
	Tenant recaller.TenantID
	Tokens []string // letters and digits; at most maxStems
	Filter recaller.SearchFilter
	Limit  int
}

// Compared asks how near given conversations are to an embedding.
type Compared struct {
	Tenant    recaller.TenantID
	Embedding recaller.Embedding // of length 1
	IDs       []recaller.ConversationID
}

// Bounds of a search.
const (
	maxFound = 1000 // conversations that are asked for at once
	maxStems = 16   // of a query: a look-up each
	maxWidth = 4000 // of a vector: what an index of Postgres takes
)

// blindStem is the purpose of the tokens that conversations are found by.
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
	v := Vectors{Tenant: tenant, Conversation: in.Conversation, Caller: in.Caller, At: in.At}
	for _, part := range in.Embeddings {
		e, err := direction(part)
		if err != nil {
			return err
		}
		if v.Parts = append(v.Parts, e); e.Model != v.Parts[0].Model || len(e.Vector) != len(v.Parts[0].Vector) {
			return recaller.InvalidField("embeddings", "must all be by one model, and of one width")
		}
	}
	t := Tokens{Tenant: tenant, Conversation: in.Conversation, Caller: in.Caller, Counts: make(map[string]int, len(in.Stems))}
	if in.Stems != nil {
		said := slices.Collect(maps.Keys(in.Stems))
		tokens, err := s.tokens(ctx, tenant, said)
		if err != nil {
			return err
		}
		for i, stem := range said {
			t.Counts[tokens[i]] += in.Stems[stem]
		}
	}
	return s.WithCaller(ctx, tenant, in.Caller, func(tx Tx) error {
		var one int
		err := tx.QueryRow(ctx, `SELECT 1 FROM conversations WHERE tenant_id = $1 AND id = $2
			AND caller_id = $3`+notErasing,
			[]any{tenant, in.Conversation, in.Caller}, &one)
		if err != nil {
			return notFound(err, "there is no such conversation")
		}
		if in.Stems != nil {
			if err := s.engine.PutTokens(ctx, tx, t); err != nil {
				return err
			}
		}
		if len(v.Parts) == 0 {
			return nil
		}
		if in.Only {
			if _, err := tx.Exec(ctx, `DELETE FROM conversation_embeddings WHERE tenant_id = $1 AND conversation_id = $2
				AND model <> $3`,
				tenant, in.Conversation, v.Parts[0].Model); err != nil {
				return err
			}
		}
		return s.engine.PutVectors(ctx, tx, v)
	})
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
	e, err := direction(e)
	if err != nil {
		return nil, err
	}
	if err := bounded(limit); err != nil {
		return nil, err
	}
	return s.engine.Similar(ctx, s.door(tenant), Nearest{tenant, e, f, limit})
}

// Matching finds among the same conversations by the stems that were said in them, and returns the best first. Rare
// stems count more. If all are frequent, only the newest conversations are ranked. Of many stems the first sixteen
// count.
func (s *Store) Matching(
	ctx context.Context, tenant recaller.TenantID, stems []string, f recaller.SearchFilter, limit int,
) ([]recaller.Near, error) {
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
	return s.engine.Matching(ctx, s.door(tenant), Matching{tenant, tokens, f, limit})
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
	return s.engine.Similarities(ctx, s.door(tenant), Compared{tenant, e, ids})
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

// Findable returns the condition that a search may answer row c of conversations: it has ended, its caller is not being
// erased, and the filter lets it through. The tenant is $1. The arguments of the condition are appended to args.
func Findable(f recaller.SearchFilter, args *[]any) string {
	q := where{args: *args}
	for _, c := range []struct{ column, value string }{
		{"c.caller_id", string(f.Caller)},
		{"c.channel", string(f.Channel)},
		{"c.intent", f.Intent},
		{"c.sentiment", f.Sentiment},
		{"c.outcome", f.Outcome},
	} {
		if c.value != "" {
			q.eq(c.column, c.value)
		}
	}
	if !f.After.IsZero() {
		q.and("c.started_at >= " + q.param(micros(f.After)))
	}
	if !f.Before.IsZero() {
		q.and("c.started_at < " + q.param(micros(f.Before)))
	}
	*args = q.args
	return `c.status <> 'active' AND NOT EXISTS (SELECT 1 FROM callers k WHERE k.tenant_id = $1 AND k.id = c.caller_id
		AND k.erasing)` + q.String()
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
