package sqlite

import (
	"context"
	"strconv"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// maxSaid is how often a stem counts in one conversation: more says no more to the ranking.
const maxSaid = 8

// PutTokens implements store.Index.
func (e *Engine) PutTokens(ctx context.Context, tx store.Tx, t store.Tokens) error {
	// A trigger takes the tokens of a row that goes.
	if _, err := tx.Exec(ctx, `DELETE FROM conversation_words WHERE tenant_id = $1 AND conversation_id = $2`,
		t.Tenant, t.Conversation); err != nil {
		return err
	}
	if len(t.Counts) == 0 {
		return nil
	}
	var id int64
	err := tx.QueryRow(ctx, `INSERT INTO conversation_words (tenant_id, conversation_id, caller_id) VALUES ($1, $2, $3)
		RETURNING id`,
		[]any{t.Tenant, t.Conversation, t.Caller}, &id)
	if err != nil {
		return err
	}
	var said []string
	for token, n := range t.Counts {
		for range min(n, maxSaid) {
			said = append(said, token)
		}
	}
	_, err = tx.Exec(ctx, `INSERT INTO conversation_tokens (rowid, tokens) VALUES ($1, $2)`,
		id, strings.Join(said, " "))
	return err
}

// Matching implements store.Index. Of the conversations that have one of the telling tokens the newest are ranked.
func (e *Engine) Matching(ctx context.Context, read store.Door, q store.Matching) (found []recaller.Near, err error) {
	a := asked{q.Tenant, q.Filter, q.Limit}
	err = read(ctx, func(tx store.Tx) error {
		tokens, all, err := telling(ctx, tx, q)
		if err != nil || len(tokens) == 0 {
			return err
		}
		args := []any{q.Tenant, strings.Join(tokens, " OR ")}
		near, err := ranked(ctx, tx, ``, args)
		if err != nil {
			return err
		}
		found, _, err = a.answerable(ctx, tx, ofWords, near)
		if err != nil || len(found) == q.Limit || all {
			return err
		}
		// What the filter leaves is not among the newest, so it is few: all of it is ranked. With the plus, the words
		// are looked through once; without, SQLite would look for each conversation on its own.
		near, err = ranked(ctx, tx, ` AND +conversation_tokens.rowid IN (SELECT w.id FROM `+a.left(&args)+`
			CROSS JOIN conversation_words w ON w.tenant_id = $1 AND w.conversation_id = c.id)`, args)
		if err != nil {
			return err
		}
		found, _, err = a.answerable(ctx, tx, ofWords, near)
		return err
	})
	return found, err
}

// telling chooses the tokens that count; all tells that every conversation that has one of them can be ranked.
func telling(ctx context.Context, tx store.Tx, q store.Matching) (tokens []string, all bool, err error) {
	limit := ` LIMIT ` + strconv.Itoa(store.MaxRanked+1) + `)`
	counts := make([]int, len(q.Tokens))
	total := 0
	queries := []store.Query{{
		SQL:  `SELECT count(*) FROM (SELECT 1 FROM conversation_words WHERE tenant_id = $1` + limit,
		Args: []any{q.Tenant},
		Row:  func(scan func(...any) error) error { return scan(&total) },
	}}
	for i, token := range q.Tokens {
		queries = append(queries, store.Query{
			SQL:  `SELECT count(*) FROM (SELECT 1 FROM conversation_tokens WHERE tokens MATCH $1` + limit,
			Args: []any{token},
			Row:  func(scan func(...any) error) error { return scan(&counts[i]) },
		})
	}
	if err := tx.QueryAll(ctx, queries...); err != nil {
		return nil, false, err
	}
	tokens, all = store.Telling(q.Tokens, counts, total)
	return tokens, all, nil
}

// ranked ranks the newest conversations that have any of the tokens, $2 in FTS5's spelling, by the ids of their words.
func ranked(ctx context.Context, tx store.Tx, condition string, args []any) ([]scored[int64], error) {
	top := best[int64]{limit: store.MaxRanked}
	err := tx.QueryAll(ctx, store.Query{
		SQL: `SELECT conversation_tokens.rowid, -bm25(conversation_tokens) FROM conversation_tokens
			WHERE conversation_tokens.tokens MATCH $2` + condition + `
			ORDER BY conversation_tokens.rowid DESC LIMIT ` + strconv.Itoa(store.MaxRanked),
		Args: args,
		Row: func(scan func(...any) error) error {
			var id int64
			var score float64
			err := scan(&id, &score)
			top.add(id, score)
			return err
		},
	})
	return top.sorted(), err
}
