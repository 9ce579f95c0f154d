package conversation

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/guard"
)

// TurnInput is a turn as the edge was told it.
type TurnInput struct {
	Speaker     recaller.Speaker
	Text        string
	At          time.Time // zero: now
	Name        string
	Confidence  *float64 // nil: 1
	Interrupted bool
}

// MaxBatch bounds how many turns one request may bring.
const MaxBatch = 1000

// AddTurns commits turns to an active conversation, and returns them with ids and numbers. If it returns no error and
// durable is true, they survive kill -9. durable is false for ephemeral tenants. It is also false while the store is
// away, or does not answer within the patience: then the turns are held in order, and stored once when the store is
// back.
//
// Secrets in the texts are masked before anything is kept, unless the tenant turned that off before the conversation
// began (B11).
func (s *Service) AddTurns(
	ctx context.Context, tenant recaller.TenantID, ref string, once recaller.Once, in []TurnInput,
) (turns []recaller.Turn, durable bool, err error) {
	turns, err = s.turns(in, s.Now())
	if err != nil {
		return nil, false, err
	}
	got, err := s.add(ctx, tenant, ref, once, turns)
	if errors.Is(err, errOver) {
		return s.repeated(ctx, tenant, ref, once, turns)
	}
	if err != nil {
		return nil, false, err
	}
	for i, t := range got.turns { // an earlier try may have been answered: its ids and numbers stand
		turns[i].ID, turns[i].Number, turns[i].At = t.ID, t.Number, t.At
	}
	return turns, got.durable, nil
}

// add masks turns and has them carried out. It fails with errOver if the conversation has ended in the store.
func (s *Service) add(
	ctx context.Context, tenant recaller.TenantID, ref string, once recaller.Once, turns []recaller.Turn,
) (got answer, err error) {
	for range 2 { // one that was just closed as silent may have been resumed since
		e, err := s.entry(ctx, tenant, ref)
		if err != nil {
			return got, err
		}
		talk := s.maskTurns(e, turns)
		got, err = s.do(ctx, e, newWork(work{turns: slices.Clone(turns), talk: talk, once: once}, s.Now()))
		if !errors.Is(err, errOver) {
			return got, err
		}
		if e.isAway() { // the store does not know of the end, so asking it is no use
			return got, errEnded()
		}
		if s.Ledger.get(tenant, ref) != nil {
			break
		}
	}
	return got, errOver
}

// repeated answers a request to a conversation that has ended. If the request was carried out before the end, it gets
// its first answer again: the process may have crashed between its commit and its answer. Any other request is refused.
func (s *Service) repeated(
	ctx context.Context, tenantID recaller.TenantID, ref string, once recaller.Once, turns []recaller.Turn,
) ([]recaller.Turn, bool, error) {
	if once.Token == "" {
		return nil, false, errEnded()
	}
	tenant, err := s.Tenants.Tenant(ctx, tenantID)
	if err != nil {
		return nil, false, err
	}
	conv, err := s.find(ctx, tenantID, ref)
	if err != nil {
		return nil, false, err
	}
	if masks(tenant) {
		s.mask(guard.Dialogue{}, turns)
	}
	done, err := s.Store.AppendTurns(ctx, tenantID, recaller.Appending{
		Once: once, Conversation: conv.ID, Caller: conv.Caller, Turns: turns, At: s.Now(),
		CountOnly: tenant.Retention != recaller.Keep,
	})
	return done.Turns, err == nil && tenant.Retention != recaller.Ephemeral, err
}

// entry finds the live state of an active conversation. If this process does not lead it, entry takes it up from the
// store.
func (s *Service) entry(ctx context.Context, tenantID recaller.TenantID, ref string) (*entry, error) {
	if e := s.Ledger.get(tenantID, ref); e != nil {
		return e, nil
	}
	conv, err := s.find(ctx, tenantID, ref)
	if err != nil {
		return nil, err
	}
	if conv.Status != recaller.Active {
		return nil, errOver
	}
	tenant, err := s.Tenants.Tenant(ctx, tenantID)
	if err != nil {
		return nil, err
	}
	return s.takeUp(ctx, tenant, conv), nil
}

// maxAgain is how many of the last turns of a conversation are heard again when it is taken up.
const maxAgain = 64

// takeUp takes up a conversation that is stored and active. If its words cannot be read it is taken up without them.
func (s *Service) takeUp(ctx context.Context, tenant recaller.Tenant, conv recaller.Conversation) *entry {
	words, _ := within(ctx, s, s.Patience, func(ctx context.Context) ([]recaller.Turn, error) {
		if conv.Turns == 0 || tenant.Retention == recaller.Ephemeral {
			return nil, nil
		}
		return s.lasting(ctx, tenant.ID, conv)
	})
	who, err := within(ctx, s, s.Patience, func(ctx context.Context) (recaller.Caller, error) {
		return s.Store.Caller(ctx, tenant.ID, conv.Caller)
	})
	e := s.Ledger.takeUp(tenant, conv, words[max(0, len(words)-maxAgain):], s.Now())
	e.hasPIN(who.HasPIN || err != nil) // where nobody knows, rather too much is masked
	return e
}

func errEnded() error {
	return recaller.Errorf(recaller.Conflict, "the conversation has ended; start a new one")
}

func (s *Service) turns(in []TurnInput, now time.Time) ([]recaller.Turn, error) {
	if len(in) == 0 {
		return nil, recaller.InvalidField("turns", "is required: at least one turn")
	}
	if len(in) > MaxBatch {
		return nil, recaller.InvalidField("turns", "takes at most %d turns a request", MaxBatch)
	}
	out := make([]recaller.Turn, len(in))
	for i, t := range in {
		turn, err := cleanTurn(fieldf("turns[%d]", i), t, now)
		if err != nil {
			return nil, err
		}
		turn.ID = recaller.TurnID(s.NewID())
		out[i] = turn
	}
	return out, nil
}
