package store

import (
	"context"
	"sync"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

// This file is for callers who said more than recall holds in memory. Their words are read in pieces, and the segments
// of their index are stored, sealed by the caller's key. Segments are a cache: nothing is lost with them, and storing
// one does not raise the content version.

// Outline reads, at one moment, what recall must know of a caller who said more than so many turns. For any other
// caller long is false and out has nothing but the Version.
func (s *Store) Outline(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, turns int,
) (out recaller.Outline, long bool, err error) {
	b, err := s.unseal(ctx, tenant, caller)
	if err != nil {
		return out, false, notFound(err, "there is no such caller")
	}
	err = s.OfCaller(ctx, tenant, caller, func(tx Tx) error {
		var stored int
		err := tx.QueryRow(ctx, `SELECT version, (SELECT COALESCE(sum(turns), 0) FROM conversations WHERE tenant_id = $1
			AND caller_id = $2)
			FROM callers WHERE tenant_id = $1 AND id = $2 AND erasing = FALSE`,
			[]any{tenant, caller}, &out.Version, &stored)
		if err != nil || stored <= turns {
			return notFound(err, "there is no such caller")
		}
		long = true
		if err := outlined(ctx, tx, tenant, caller, &out); err != nil {
			return err
		}
		return b.readKnown(ctx, tx, tenant, caller, &out.Corpus)
	})
	return out, long, err
}

// outlined reads what is not sealed of a caller's conversations. A conversation's mark is the beginning of its sealed
// summary. That holds a nonce, so it is another with each sealing.
func outlined(
	ctx context.Context, tx Tx, tenant recaller.TenantID, caller recaller.CallerID, out *recaller.Outline,
) error {
	return tx.QueryAll(ctx, Query{
		SQL:  `SELECT count(*) FROM conversations WHERE tenant_id = $1 AND caller_id = $2`,
		Args: []any{tenant, caller},
		Row: func(scan func(...any) error) error {
			var n int
			if err := scan(&n); err != nil {
				return err
			}
			out.Conversations, out.Marks = make([]recaller.Conversation, 0, n), make([]string, 0, n)
			return nil
		},
	}, Query{
		SQL: `SELECT id, channel, started_at, ended_at, turns, substr(summary, 1, ` + itoa(markBytes) + `)
			FROM conversations WHERE tenant_id = $1 AND caller_id = $2 ORDER BY started_at, id`,
		Args: []any{tenant, caller},
		Row: func(scan func(...any) error) error {
			c := recaller.Conversation{Caller: caller}
			var started int64
			var ended *int64
			var mark []byte
			if err := scan(&c.ID, &c.Channel, &started, &ended, &c.Turns, &mark); err != nil {
				return err
			}
			c.StartedAt, c.EndedAt = fromMicros(started), fromNull(ended)
			out.Conversations, out.Marks = append(out.Conversations, c), append(out.Marks, string(mark))
			return nil
		},
	})
}

// markBytes is the version of a sealed value and its nonce.
const markBytes = 13

// Words reads turns and conversations of a caller. What is not there is left out. What cannot be opened is left out
// too, and named in Damaged.
func (s *Store) Words(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, turns []recaller.TurnRange,
	conversations []recaller.ConversationID,
) (recaller.Words, error) {
	out := recaller.Words{Turns: make(map[recaller.ConversationID][]recaller.Turn, len(turns))}
	b, err := s.unseal(ctx, tenant, caller)
	if err != nil {
		return out, notFound(err, "there is no such caller")
	}
	take := func(conv recaller.ConversationID, t recaller.Turn) { out.Turns[conv] = append(out.Turns[conv], t) }
	damaged := func(id recaller.TurnID, _ error) error {
		out.Damaged = append(out.Damaged, recaller.DamagedRow{Table: "turns", ID: string(id)})
		return nil
	}
	queries := make([]Query, 0, len(turns)+len(conversations))
	for _, r := range turns {
		queries = append(queries, Query{
			SQL: `SELECT ` + turnColumns + ` FROM turns WHERE tenant_id = $1 AND caller_id = $2 AND conversation_id = $3
				AND number >= $4 AND number < $5` +
				notErasing + ` ORDER BY number`,
			Args: []any{tenant, caller, r.Conversation, r.From, r.To},
			Row:  b.turnRowOr(take, damaged),
		})
	}
	var rows []sealedConversation
	for _, id := range conversations {
		queries = append(queries, Query{
			SQL: `SELECT ` + conversationColumns + ` FROM conversations WHERE tenant_id = $1 AND id = $2
				AND caller_id = $3` + notErasing,
			Args: []any{tenant, id, caller},
			Row:  conversationRow(&rows),
		})
	}
	if len(queries) == 0 {
		return out, nil
	}
	if err := s.ask(ctx, tenant, caller, queries...); err != nil {
		return out, err
	}
	for _, row := range rows {
		c, err := b.open(row)
		if err != nil {
			out.Damaged = append(out.Damaged, recaller.DamagedRow{Table: "conversations", ID: string(row.ID)})
			continue
		}
		out.Conversations = append(out.Conversations, c)
	}
	return out, nil
}

// openedAtOnce is how many opened segments are with take at once: while it reads one, the next are opened.
const openedAtOnce = 3

// Segments passes the stored segments of a caller to take, as far as they are wanted and can be opened, and returns the
// names of all others. Several goroutines run take at once. A body is valid until take returns.
func (s *Store) Segments(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, wanted func(name string) bool,
	take func(name string, body []byte),
) (others []string, err error) {
	b, err := s.unseal(ctx, tenant, caller)
	if err != nil {
		return nil, notFound(err, "there is no such caller")
	}
	spare := make(chan []byte, openedAtOnce)
	for range openedAtOnce {
		spare <- nil
	}
	var taking sync.WaitGroup
	defer taking.Wait()
	err = s.OfCaller(ctx, tenant, caller, func(tx Tx) error {
		return tx.QueryAll(ctx, Query{
			SQL:  `SELECT name, body FROM recall_segments WHERE tenant_id = $1 AND caller_id = $2`,
			Args: []any{tenant, caller},
			Row: func(scan func(...any) error) error {
				var name string
				var sealed Borrowed
				if err := scan(&name, &sealed); err != nil {
					return err
				}
				if !wanted(name) {
					others = append(others, name)
					return nil
				}
				body := <-spare
				if plain, err := b.AppendOpen(body[:0], segmentPlace(name), sealed); err == nil {
					taking.Go(func() {
						take(name, plain)
						spare <- plain
					})
					return nil
				}
				spare <- body
				b.note(nil, segmentAt(name))
				others = append(others, name) // it is made anew
				return nil
			},
		})
	})
	return others, err
}

// PutSegment stores a segment of a caller's index in place of one of the same name, and deletes the others that are
// named. It fails with NotFound if the caller is gone, or is being erased.
func (s *Store) PutSegment(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, name string, body []byte, others []string,
) error {
	b, err := s.unseal(ctx, tenant, caller)
	if err != nil {
		return notFound(err, "there is no such caller")
	}
	sealed, err := b.Seal(segmentPlace(name), body)
	if err != nil {
		return err
	}
	return s.WithCaller(ctx, tenant, caller, func(tx Tx) error {
		if err := alive(ctx, tx, tenant, caller); err != nil {
			return err
		}
		for _, o := range append(others[:len(others):len(others)], name) {
			if _, err := tx.Exec(ctx, `DELETE FROM recall_segments WHERE tenant_id = $1 AND caller_id = $2
				AND name = $3`,
				tenant, caller, o); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, `INSERT INTO recall_segments (tenant_id, caller_id, name, body) VALUES ($1, $2, $3, $4)`,
			tenant, caller, name, sealed)
		return err
	})
}

func segmentAt(name string) recaller.DamagedRow {
	return recaller.DamagedRow{Table: "recall_segments", ID: name}
}

func segmentPlace(name string) vault.Place {
	return vault.Place{Table: "recall_segments.body", Record: name}
}
