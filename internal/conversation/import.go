package conversation

import (
	"context"
	"time"

	"github.com/recallerhq/recaller"
)

// Import asks for a past conversation to be kept as it was.
type Import struct {
	Start     Start
	StartedAt time.Time
	EndedAt   time.Time       // zero: the last turn's time
	Status    recaller.Status // empty: completed
	Turns     []TurnInput     // in order; times default to the start and never run backwards
	NoWrapup  bool
}

// Imported is one imported conversation.
type Imported struct {
	Conversation recaller.Conversation
	Caller       recaller.Caller
	Existing     bool // its external id was there already; nothing was written
}

// MaxImportTurns bounds the turns of one imported conversation.
const MaxImportTurns = 20000

// Import stores a past conversation. When it returns, the words are durable and can be recalled; the wrap-up runs in
// the background.
func (s *Service) Import(ctx context.Context, tenantID recaller.TenantID, in Import) (Imported, error) {
	tenant, err := s.Tenants.Tenant(ctx, tenantID)
	if err != nil {
		return Imported{}, err
	}
	req, err := s.importing(tenant, in)
	if err != nil {
		return Imported{}, err
	}
	conv := req.Opening.Conversation
	if req.CountOnly { // the words are not in the store: the wrap-up, which may begin at once, finds them here
		s.keepWords(tenant, conv, req.Turns)
	}
	done, err := s.Store.ImportConversation(ctx, tenantID, req)
	if err == nil && tenant.Retention == recaller.Archive {
		err = s.archive(ctx, tenantID, done.Conversation, req.Turns)
	}
	if err != nil || done.Existing || tenant.Retention == recaller.Archive || req.Job == nil {
		s.Discard(tenantID, conv)
	}
	if err != nil {
		return Imported{}, err
	}
	if !done.Existing {
		if tenant.Retention == recaller.Archive {
			done.Change.Turns = req.Turns
		}
		s.Changed(done.Change)
		s.Metrics.imported.Inc()
		s.Enqueued()
	}
	return Imported{Conversation: done.Conversation, Caller: done.Caller, Existing: done.Existing}, nil
}

// archive writes the words of an imported conversation to its file, unless they are there: a crash may have come between
// the store's commit and the file of an earlier try.
func (s *Service) archive(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, turns []recaller.Turn) error {
	there, err := s.Archive.Turns(ctx, tenant, conv)
	if err != nil || len(there) >= conv.Turns {
		return err
	}
	return s.Archive.Append(ctx, tenant, conv, turns)
}

// keepWords holds the words of an import that are not in the store.
func (s *Service) keepWords(tenant recaller.Tenant, conv recaller.Conversation, turns []recaller.Turn) {
	e := s.live.add(tenant, conv)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.words, e.done = turns, true
}

func (s *Service) importing(tenant recaller.Tenant, in Import) (recaller.Importing, error) {
	now := s.Now()
	if in.StartedAt.IsZero() {
		return recaller.Importing{}, recaller.InvalidField("started_at", "is required: an RFC 3339 time")
	}
	if err := plausible("started_at", in.StartedAt, now); err != nil {
		return recaller.Importing{}, err
	}
	if len(in.Turns) > MaxImportTurns {
		return recaller.Importing{}, recaller.InvalidField("turns", "takes at most %d turns a conversation", MaxImportTurns)
	}
	opening, err := s.opening(tenant, in.Start)
	if err != nil {
		return recaller.Importing{}, err
	}
	turns, err := s.importTurns(in, now)
	if err != nil {
		return recaller.Importing{}, err
	}
	if err := finish(&opening.Conversation, in, turns, now); err != nil {
		return recaller.Importing{}, err
	}
	req := recaller.Importing{Opening: opening, Turns: turns, CountOnly: tenant.Retention != recaller.Keep}
	if !in.NoWrapup && len(turns) > 0 {
		req.Job = s.wrapup(opening.Conversation.ID)
	}
	return req, nil
}

func (s *Service) importTurns(in Import, now time.Time) ([]recaller.Turn, error) {
	turns := make([]recaller.Turn, len(in.Turns))
	at := in.StartedAt
	for i, t := range in.Turns {
		if t.At.Before(at) {
			t.At = at
		}
		turn, err := cleanTurn(fieldf("turns[%d]", i), t, now)
		if err != nil {
			return nil, err
		}
		turn.ID, turn.Number, at = recaller.TurnID(s.NewID()), i, turn.At
		turns[i] = turn
	}
	return turns, nil
}

// finish makes an opening's conversation a past one.
func finish(c *recaller.Conversation, in Import, turns []recaller.Turn, now time.Time) error {
	c.Imported, c.StartedAt, c.EndedAt, c.Status = true, in.StartedAt, in.EndedAt, in.Status
	if c.EndedAt.IsZero() {
		c.EndedAt = c.StartedAt
		if len(turns) > 0 {
			c.EndedAt = turns[len(turns)-1].At
		}
	}
	if c.EndedAt.Before(c.StartedAt) {
		return recaller.InvalidField("ended_at", "must not be before started_at")
	}
	if err := plausible("ended_at", c.EndedAt, now); err != nil {
		return err
	}
	if c.Status == "" {
		c.Status = recaller.Completed
	}
	if c.Status != recaller.Completed && c.Status != recaller.Failed {
		return recaller.InvalidField("status", "must be completed or failed")
	}
	c.LastActivityAt, c.Duration, c.EndReason = c.EndedAt, c.EndedAt.Sub(c.StartedAt), "imported"
	return nil
}
