package conversation

import (
	"context"
	"errors"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/guard"
)

// TurnInput is a turn as an edge was told it.
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

// AddTurns commits turns to an active conversation and returns them with ids and numbers. When it returns without an
// error and durable is true, they survive kill -9. durable is false for ephemeral tenants, and while the store is away
// for a conversation that began so. Secrets in the texts are masked before anything is kept, unless the tenant turned that
// off before the conversation began (B11).
func (s *Service) AddTurns(ctx context.Context, tenant recaller.TenantID, ref string, once recaller.Once, in []TurnInput) (turns []recaller.Turn, durable bool, err error) {
	turns, err = s.turns(in, s.Now())
	if err != nil {
		return nil, false, err
	}
	e, err := s.entry(ctx, tenant, ref)
	if errors.Is(err, recaller.Conflict) {
		return s.repeated(ctx, tenant, ref, once, turns)
	}
	if err != nil {
		return nil, false, err
	}
	s.maskTurns(e, turns)
	if isHeld, err := e.buffer(s.live, turns, s.Now()); isHeld {
		if err != nil {
			return nil, false, err
		}
		return turns, false, nil
	}
	if err := e.take(ctx); err != nil {
		return nil, false, err
	}
	defer e.leave()
	if _, isOver := e.now(); isOver {
		return s.repeated(ctx, tenant, ref, once, turns)
	}
	added, err := s.append(ctx, e, once, turns)
	if err != nil {
		s.lookAgain(ctx, e, err)
		return nil, false, err
	}
	return added, e.retention != recaller.Ephemeral, nil
}

// repeated answers for a conversation that has ended. A request that was carried out before the end gets its first answer
// again, for the end may be a crash that came between its commit and its answer; any other is refused.
func (s *Service) repeated(ctx context.Context, tenantID recaller.TenantID, ref string, once recaller.Once, turns []recaller.Turn) ([]recaller.Turn, bool, error) {
	if once.Token == "" {
		return nil, false, ended()
	}
	tenant, err := s.Tenants.Tenant(ctx, tenantID)
	if err != nil {
		return nil, false, err
	}
	conv, err := s.Store.Conversation(ctx, tenantID, ref)
	if err != nil {
		return nil, false, err
	}
	if masks(tenant) {
		s.mask(guard.Dialogue{}, turns)
	}
	done, err := s.Store.AppendTurns(ctx, tenantID, recaller.Appending{
		Once: once, Conversation: conv.ID, Caller: conv.Caller, Turns: turns, At: s.Now(), CountOnly: tenant.Retention != recaller.Keep,
	})
	return done.Turns, err == nil && tenant.Retention != recaller.Ephemeral, err
}

// append commits turns by the tenant's retention. The entry's order is held.
func (s *Service) append(ctx context.Context, e *entry, once recaller.Once, turns []recaller.Turn) ([]recaller.Turn, error) {
	conv, err := s.counted(ctx, e)
	if err != nil {
		return nil, err
	}
	if e.retention == recaller.Archive { // first the words, then their count: what is counted is there
		for i := range turns {
			turns[i].Number = conv.Turns + i
		}
		if err := s.Archive.Append(ctx, e.tenant, conv, turns); err != nil {
			return nil, err
		}
	}
	now := s.Now()
	done, err := s.Store.AppendTurns(ctx, e.tenant, recaller.Appending{
		Once: once, Conversation: conv.ID, Caller: conv.Caller, Turns: turns, At: now, CountOnly: e.retention != recaller.Keep,
	})
	if err != nil {
		e.doubt()
		return nil, err
	}
	isNew := done.Change.Version > 0 // else a repeated request, whose words are kept already
	conv = e.appended(done.Turns, now)
	if isNew {
		done.Change.Conversation = &conv
		s.Metrics.turns.Add(float64(len(turns)))
		s.Changed(done.Change)
	}
	return done.Turns, nil
}

// counted returns the conversation with the number of its turns, which decides where an archive keeps the next ones. A
// write that failed may have been carried out all the same: then the store is asked.
func (s *Service) counted(ctx context.Context, e *entry) (recaller.Conversation, error) {
	conv, inDoubt := e.counts()
	if !inDoubt || e.retention != recaller.Archive {
		return conv, nil
	}
	stored, err := s.Store.Conversation(ctx, e.tenant, string(e.id))
	if err != nil {
		return conv, err
	}
	return e.recount(stored.Turns), nil
}

// lookAgain lets go of a conversation that the store refuses to write because it was ended or erased past this process.
func (s *Service) lookAgain(ctx context.Context, e *entry, cause error) {
	if !refused(cause) {
		return
	}
	conv, err := s.Store.Conversation(ctx, e.tenant, string(e.id))
	switch {
	case recaller.KindOf(err) == recaller.NotFound:
		s.drop(e)
	case err == nil && conv.Status != recaller.Active:
		s.retire(e)
	}
}

// entry finds the live state of an active conversation, taking it up from the store if this process does not hold it.
func (s *Service) entry(ctx context.Context, tenantID recaller.TenantID, ref string) (*entry, error) {
	if e := s.live.get(tenantID, ref); e != nil {
		return e, nil
	}
	conv, err := s.Store.Conversation(ctx, tenantID, ref)
	if err != nil {
		return nil, err
	}
	if conv.Status != recaller.Active {
		return nil, ended()
	}
	tenant, err := s.Tenants.Tenant(ctx, tenantID)
	if err != nil {
		return nil, err
	}
	return s.live.add(tenant, conv, s.Now()), nil
}

func ended() error {
	return recaller.Errorf(recaller.Conflict, "the conversation has ended; start a new one")
}

func (s *Service) turns(in []TurnInput, now time.Time) ([]recaller.Turn, error) {
	if len(in) == 0 {
		return nil, recaller.InvalidField("turns", "needs at least one turn")
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
