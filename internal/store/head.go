package store

import (
	"context"
	"encoding/binary"
	"sync"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

// head is how far an active conversation has come. It is sealed with the counts that its row shows, anew with each
// append, so that no turn goes missing from its end unseen. When the conversation ends, its body takes that over.
type head struct {
	turns, users int
	at           int64 // of the last activity
	kept         int   // how many of the turns the store has the words of; -1: not known, it is from before there were heads
	// broken says that the counts were found to be others than were written. What is said further is kept all the same.
	broken bool
}

func headPlace(conv recaller.ConversationID, h head) vault.Place {
	return vault.Place{
		Table: "conversations.head", Record: string(conv),
		Bound: binding{}.num(int64(h.turns)).num(int64(h.users)).num(h.at),
	}
}

func (b box) sealHead(conv recaller.ConversationID, h head) ([]byte, error) {
	return b.Seal(headPlace(conv, h), binding(binary.AppendUvarint(nil, uint64(h.kept))).flag(h.broken))
}

// openHead reads how far an active conversation has come. It fails with a DamagedRow where the row shows other counts
// than were written.
func (b box) openHead(c sealedConversation) (head, error) {
	h := head{turns: c.Turns, users: c.users, at: micros(c.LastActivityAt)}
	if c.head == nil {
		switch {
		case h.turns == 0 && h.users == 0:
			return h, nil
		case b.unbound:
			h.kept = -1
			return h, nil
		}
		return h, damagedAt("conversations", string(c.ID))
	}
	plain, err := b.openBound(nil, headPlace(c.ID, h), c.head)
	if err != nil {
		return h, err
	}
	kept, n := binary.Uvarint(plain)
	if n <= 0 || len(plain) != n+1 {
		return h, damagedAt("conversations", string(c.ID))
	}
	h.kept, h.broken = int(kept), plain[n] != 0
	return h, nil
}

// after is the head once the turns are there too.
func (h head) after(in recaller.Appending) head {
	h.turns, h.users, h.at = h.turns+len(in.Turns), h.users+userTurns(in.Turns), micros(in.At)
	if !in.CountOnly {
		h.kept += len(in.Turns)
	}
	return h
}

// standing reads the head of a conversation to which turns are added, broken or not.
func (b box) standing(
	ctx context.Context, tx Tx, tenant recaller.TenantID, caller recaller.CallerID, c sealedConversation,
) (head, error) {
	h, err := b.openHead(c)
	if err != nil {
		if !damaged(err) {
			return h, err
		}
		h.broken, h.kept = true, -1
	}
	err = h.recount(ctx, tx, tenant, caller, c.ID)
	return h, err
}

// recount counts the turns that the store has the words of, where that is not known.
func (h *head) recount(
	ctx context.Context, tx Tx, tenant recaller.TenantID, caller recaller.CallerID, conv recaller.ConversationID,
) error {
	if h.kept >= 0 {
		return nil
	}
	return tx.QueryRow(ctx, `SELECT count(*) FROM turns WHERE tenant_id = $1 AND caller_id = $2
		AND conversation_id = $3`, []any{tenant, caller, conv}, &h.kept)
}

// heads remembers the heads of conversations to which turns were added, so that the next append reads none. The row
// decides: where it shows other counts, the head is read. Safe for concurrent use.
type heads struct {
	mu sync.Mutex
	m  map[headKey]head
}

type headKey struct {
	tenant recaller.TenantID
	conv   recaller.ConversationID
}

// maxHeads is how many conversations are remembered, some 100 bytes each.
const maxHeads = 20_000

func (s *heads) get(k headKey) (head, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.m[k]
	return h, ok
}

func (s *heads) put(k headKey, h head) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.m == nil {
		s.m = map[headKey]head{}
	}
	for old := range s.m {
		if len(s.m) < maxHeads {
			break
		}
		delete(s.m, old)
	}
	s.m[k] = h
}

func (s *heads) drop(k headKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.m, k)
}
