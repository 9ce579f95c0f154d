package disktest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/vault"
)

// forget has a memory of the second person forgotten.
func (s *story) forget() error {
	var caller recaller.CallerID
	began := s.disk.Now()
	err := s.step("forgetting", func(ctx context.Context) (err error) {
		if caller, err = s.caller(ctx, 1); err != nil {
			return err
		}
		list, _, err := s.Store.Memories(ctx, kept, caller, recaller.MemoryFilter{Key: "pet_0"})
		if err != nil || len(list) == 0 || list[0].Status == recaller.MemoryForgotten {
			return err
		}
		_, err = s.memories.Forget(ctx, kept, list[0].ID)
		return err
	})
	if err != nil {
		return err
	}
	s.takenBack(began, "memory parrot of house 1 and song 0")
	s.acknowledged("forgetting", func(p *process) error {
		list, _, err := p.Store.Memories(context.Background(), kept, caller, recaller.MemoryFilter{Statuses: []recaller.MemoryStatus{recaller.MemoryActive}})
		for _, m := range list {
			if m.Key == "pet_0" {
				err = errors.New("it is active")
			}
		}
		return err
	})
	return nil
}

// takenBack ends facts.
func (s *story) takenBack(began int, what ...string) {
	for i := range s.facts {
		for _, w := range what {
			if s.facts[i].what == w && s.facts[i].until == 0 {
				s.facts[i].until = began
			}
		}
	}
}

// erase erases a person.
func (s *story) erase(i int) func() error { return func() error { return s.erased(i) } }

func (s *story) erased(i int) error {
	var caller recaller.CallerID
	if err := s.step("look", func(ctx context.Context) (err error) { caller, err = s.caller(ctx, i); return err }); err != nil {
		return err
	}
	gone, err := s.tracesOf(caller)
	if err != nil && len(s.failed) == 0 && s.tries == 1 {
		return err
	}
	began := s.disk.Now()
	for _, f := range s.facts {
		if strings.Contains(f.what, fmt.Sprint("call-", i)) || strings.Contains(f.what, fmt.Sprint("house ", i)) {
			s.takenBack(began, f.what)
		}
	}
	var receipt recaller.Receipt
	err = s.step("erasure", func(ctx context.Context) (err error) {
		receipt, err = s.privacy.Erase(ctx, kept, caller)
		if errors.Is(err, recaller.NotFound) { // a try before came further
			receipt, err = s.privacy.Finish(ctx, recaller.Job{Tenant: kept, Kind: "erase", Subject: string(caller)})
		}
		return err
	})
	if err != nil {
		return err
	}
	if len(receipt.Remains) > 0 {
		gone = nil
	}
	s.acknowledged("erasure", func(p *process) error {
		_, err := p.Store.Receipt(context.Background(), kept, caller)
		if err != nil {
			return err
		}
		if _, err := p.Store.Caller(context.Background(), kept, caller); !errors.Is(err, recaller.NotFound) {
			return fmt.Errorf("he can be read: %w", err)
		}
		_, found, err := p.keys.Key(context.Background(), vault.Scope{Tenant: kept, Caller: caller})
		if err == nil && !found {
			err = errors.New("his key has no tombstone")
		}
		return err
	}).gone = gone
	return nil
}

// tracesOf is what the files have of a caller: his wrapped key, and what the database can read.
func (s *story) tracesOf(caller recaller.CallerID) (list [][]byte, err error) {
	ctx := context.Background()
	key, _, err := s.keys.Key(ctx, vault.Scope{Tenant: kept, Caller: caller})
	if err != nil {
		return nil, err
	}
	list = append(list, key.Wrapped)
	err = s.engine.ReadSystem(ctx, func(tx store.Tx) error {
		for _, query := range []string{
			`SELECT vector FROM conversation_embeddings WHERE caller_id = $1`, `SELECT token FROM identities WHERE caller_id = $1`,
			`SELECT key_token FROM memories WHERE caller_id = $1`, `SELECT token FROM onces WHERE caller_id = $1`,
		} {
			err := tx.QueryAll(ctx, store.Query{SQL: query, Args: []any{caller}, Row: func(scan func(...any) error) error {
				var trace []byte
				err := scan(&trace)
				list = append(list, trace)
				return err
			}})
			if err != nil {
				return err
			}
		}
		return nil
	})
	return list, err
}
