package conversation

import (
	"context"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/guard"
)

// Import asks to store a past conversation.
type Import struct {
	Start        Start
	StartedAt    time.Time
	Offset       time.Duration   // of the clock in which the start was told: see recaller.Conversation
	EndedAt      time.Time       // zero: the last turn's time
	Status       recaller.Status // empty: completed
	Turns        []TurnInput     // in order; times default to the start and never run backwards
	Duration     time.Duration   // as the platform told it; 0: from the times
	RecordingURL string
	NoWrapup     bool
}

// Imported is one imported conversation.
type Imported struct {
	Conversation recaller.Conversation
	Caller       recaller.Caller
	Existing     bool // its external id was there already; nothing was written
}

// MaxImportTurns bounds the turns of one imported conversation.
const MaxImportTurns = 20000

// CheckImport refuses what Import would refuse of the request by itself, without looking at what is stored. It stores
// nothing. It returns the conversation as it would be, without ids.
func (s *Service) CheckImport(ctx context.Context, tenantID recaller.TenantID, in Import) (Imported, error) {
	tenant, err := s.Tenants.Tenant(ctx, tenantID)
	if err != nil {
		return Imported{}, err
	}
	req, err := s.importing(tenant, in)
	conv := req.Opening.Conversation
	conv.ID, conv.Turns = "", len(req.Turns)
	return Imported{Conversation: conv}, err
}

// Import stores a past conversation. When it returns, the words are durable and can be recalled; the wrap-up runs in
// the background. To complete an import that failed half-way, repeat it.
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
	var words *entry
	if req.CountOnly && req.Job != nil { // the store keeps no words, and the wrap-up, which may begin at once, needs them
		var ok bool
		if words, ok = s.Ledger.keep(tenant, conv, slices.Clone(req.Turns), s.Now()); !ok {
			return Imported{}, recaller.Errorf(recaller.Exhausted,
				"too many imported conversations wait to be written up; try again later")
		}
	}
	done, err := s.Store.ImportConversation(ctx, tenantID, req)
	if words != nil && (err != nil || done.Existing) {
		s.drop(words)
	}
	if err != nil {
		return Imported{}, err
	}
	out := Imported{Conversation: done.Conversation, Caller: done.Caller, Existing: done.Existing}
	if done.Existing {
		out.Conversation.Summary = nil // it may say what was forgotten, as at a start
		return out, s.mend(ctx, tenant, done.Conversation, req.Turns)
	}
	return out, s.imported(ctx, tenant, done, req, words)
}

// imported does what follows the commit of an import. If the archive fails, the words stay in memory for the wrap-up.
func (s *Service) imported(
	ctx context.Context, tenant recaller.Tenant, done recaller.Opened, req recaller.Importing, words *entry,
) (err error) {
	if tenant.Retention == recaller.Archive {
		err = s.Archive.Append(ctx, tenant.ID, done.Conversation, req.Turns)
	}
	switch {
	case words == nil:
	case tenant.Retention == recaller.Archive && err == nil:
		s.drop(words)
	default:
		s.Ledger.belongs(words, done.Caller.ID)
	}
	if req.CountOnly && (words != nil || tenant.Retention == recaller.Archive) && err == nil {
		done.Change.Turns = req.Turns
	}
	s.Feed.Committed(done.Change)
	if err != nil {
		s.Feed.Anew(tenant.ID, done.Caller.ID)
	}
	s.Metrics.imported.Inc()
	s.Enqueued()
	return err
}

// mend writes the archive file of an import whose earlier try failed after the store's commit.
func (s *Service) mend(
	ctx context.Context, tenant recaller.Tenant, conv recaller.Conversation, turns []recaller.Turn,
) error {
	if tenant.Retention != recaller.Archive || !conv.Imported || conv.Turns == 0 || conv.Turns != len(turns) {
		return nil
	}
	there, err := s.lasting(ctx, tenant.ID, conv)
	if err != nil || len(there) > 0 {
		return err
	}
	err = s.Archive.Append(ctx, tenant.ID, conv, turns)
	s.Feed.Anew(tenant.ID, conv.Caller)
	return err
}

func (s *Service) importing(tenant recaller.Tenant, in Import) (recaller.Importing, error) {
	now := s.Now()
	if in.StartedAt.IsZero() {
		return recaller.Importing{}, recaller.InvalidField("started_at", "is required: an RFC 3339 time")
	}
	if err := plausible("started_at", in.StartedAt, now); err != nil {
		return recaller.Importing{}, err
	}
	if in.Turns == nil {
		return recaller.Importing{}, recaller.InvalidField("turns", "is required")
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
	if masks(tenant) {
		s.mask(guard.Dialogue{}, turns)
	}
	req := recaller.Importing{Opening: opening, Turns: turns, CountOnly: tenant.Retention != recaller.Keep}
	counted := opening.Conversation
	counted.Turns = len(turns)
	req.Steps, req.Job = s.wrapup(tenant, counted, !in.NoWrapup && len(turns) > 0)
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

// finish turns the conversation of an opening into a past one.
func finish(c *recaller.Conversation, in Import, turns []recaller.Turn, now time.Time) error {
	c.Imported, c.StartedAt, c.Offset, c.EndedAt, c.Status = true, in.StartedAt, in.Offset, in.EndedAt, in.Status
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
	if err := recording(in.RecordingURL, in.Duration); err != nil {
		return err
	}
	c.LastActivityAt, c.Duration, c.EndReason = c.EndedAt, duration(in.Duration, c.StartedAt, c.EndedAt), "imported"
	c.RecordingURL = in.RecordingURL
	return nil
}
