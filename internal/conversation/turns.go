package conversation

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
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
// for a conversation that began so.
func (s *Service) AddTurns(ctx context.Context, tenant recaller.TenantID, ref string, once recaller.Once, in []TurnInput) (turns []recaller.Turn, durable bool, err error) {
	turns, err = s.turns(in, s.Now())
	if err != nil {
		return nil, false, err
	}
	e, err := s.entry(ctx, tenant, ref)
	if err != nil {
		return nil, false, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.done {
		return nil, false, ended()
	}
	if e.opening != nil {
		return e.buffer(turns)
	}
	appended, err := s.append(ctx, tenant, e, once, turns)
	if err != nil {
		return nil, false, err
	}
	s.Metrics.turns.Add(float64(len(turns)))
	return appended, e.retention != recaller.Ephemeral, nil
}

// append commits turns by the tenant's retention. The entry's lock is held.
func (s *Service) append(ctx context.Context, tenant recaller.TenantID, e *entry, once recaller.Once, turns []recaller.Turn) ([]recaller.Turn, error) {
	if e.retention == recaller.Archive { // first the words, then their count: what is counted is there
		for i := range turns {
			turns[i].Number = e.conv.Turns + i
		}
		if err := s.Archive.Append(ctx, tenant, e.conv, turns); err != nil {
			return nil, err
		}
	}
	done, err := s.Store.AppendTurns(ctx, tenant, recaller.Appending{
		Once: once, Conversation: e.conv.ID, Caller: e.conv.Caller, Turns: turns, At: s.Now(),
		CountOnly: e.retention != recaller.Keep,
	})
	if err != nil || done.Change.Version == 0 { // 0: a repeated request, the words are kept already
		return done.Turns, err
	}
	if e.retention == recaller.Ephemeral {
		e.words = append(e.words, done.Turns...)
	}
	e.conv.Turns += len(done.Turns)
	conv := e.conv
	done.Change.Conversation = &conv
	s.Changed(done.Change)
	return done.Turns, nil
}

// buffer keeps turns in memory while the store is away.
func (e *entry) buffer(turns []recaller.Turn) ([]recaller.Turn, bool, error) {
	if len(e.pending)+len(turns) > maxHeldTurns {
		return nil, false, recaller.Errorf(recaller.Unavailable, "the store is away and this conversation holds its limit of %d turns", maxHeldTurns)
	}
	for i := range turns {
		turns[i].Number = len(e.pending) + i
	}
	e.pending = append(e.pending, turns...)
	return turns, false, nil
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
	return s.live.add(tenant, conv), nil
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

func cleanTurn(field string, in TurnInput, now time.Time) (recaller.Turn, error) {
	t := recaller.Turn{Speaker: in.Speaker, Text: in.Text, Name: in.Name, At: in.At, Confidence: 1, Interrupted: in.Interrupted}
	switch {
	case !t.Speaker.Valid():
		return t, recaller.InvalidField(field+".speaker", "must be user or assistant")
	case strings.TrimSpace(t.Text) == "":
		return t, recaller.InvalidField(field+".text", "must not be empty")
	case len(t.Text) > recaller.MaxTurnBytes:
		return t, recaller.InvalidField(field+".text", "must be at most %d bytes", recaller.MaxTurnBytes)
	case !utf8.ValidString(t.Text):
		return t, recaller.InvalidField(field+".text", "must be valid UTF-8")
	}
	if in.Confidence != nil {
		t.Confidence = *in.Confidence
	}
	if !(t.Confidence >= 0 && t.Confidence <= 1) {
		return t, recaller.InvalidField(field+".confidence", "must be between 0 and 1")
	}
	name, err := cleanName(field+".name", t.Name)
	if err != nil {
		return t, err
	}
	t.Name = name
	if t.At.IsZero() {
		t.At = now
	}
	if err := plausible(field+".at", t.At, now); err != nil {
		return t, err
	}
	return t, nil
}

// plausible refuses times that can only be mistakes: milliseconds taken for seconds, a year 1.
func plausible(field string, at, now time.Time) error {
	if at.Year() < 1970 || at.After(now.Add(24*time.Hour)) {
		return recaller.InvalidField(field, "must be an RFC 3339 time between 1970 and tomorrow")
	}
	return nil
}
