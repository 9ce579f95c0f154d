package caller

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// Mover moves what is stored from one caller to another; *store.Store has it.
type Mover interface {
	Merge(ctx context.Context, tenant recaller.TenantID, in recaller.Merging) (recaller.Moved, error)
	Split(ctx context.Context, tenant recaller.TenantID, in recaller.Splitting) (recaller.Moved, error)
	UndoMove(ctx context.Context, tenant recaller.TenantID, in recaller.Unmoving) (recaller.Moved, error)
	Move(ctx context.Context, tenant recaller.TenantID, id recaller.MoveID) (recaller.Move, error)
	Conversation(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Conversation, error)
	Moves(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, now time.Time) ([]recaller.Move, error)
	Release(ctx context.Context, tenant recaller.TenantID, in recaller.Releasing) (recaller.Caller, recaller.Change, error)
	// MovedTalks returns the ids of the conversations that a move took along.
	MovedTalks(ctx context.Context, tenant recaller.TenantID, id recaller.MoveID) ([]recaller.ConversationID, error)
}

// Files are the sealed transcripts beside the store; *archive.Archive has them.
type Files interface {
	// Copy copies the files of conversations, or of all, to another caller. It may be repeated.
	Copy(ctx context.Context, tenant recaller.TenantID, from, to recaller.CallerID, of ...recaller.ConversationID) error
	// Drop deletes the files of conversations, or of all.
	Drop(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, of ...recaller.ConversationID) error
}

// Live is what this process holds of conversations; *conversation.Service has it.
type Live interface {
	// Moved has what is held of conversations follow to whose they are now.
	Moved(tenant recaller.TenantID, to recaller.CallerID, talks []recaller.ConversationID)
	// HasPIN has what a caller says masked accordingly, in conversations that go on.
	HasPIN(tenant recaller.TenantID, caller recaller.CallerID, has bool)
}

// Merge makes all that is from's to's, and leaves from as a name of his. It can be undone for MoveUndoable.
func (s *Service) Merge(
	ctx context.Context, tenant recaller.TenantID, once recaller.Once, from, to recaller.CallerID,
) (recaller.Moved, error) {
	if from == "" {
		return recaller.Moved{}, recaller.InvalidField("from", "must be the id of a caller")
	}
	for _, id := range []recaller.CallerID{to, from} { // so that no file is made for nobody
		if _, err := s.Store.Caller(ctx, tenant, id); err != nil {
			return recaller.Moved{}, err
		}
	}
	if from != to {
		if err := s.Files.Copy(ctx, tenant, from, to); err != nil {
			return recaller.Moved{}, err
		}
	}
	out, err := patiently(ctx, func() (recaller.Moved, error) {
		return s.Mover.Merge(ctx, tenant, recaller.Merging{
			Once: once, ID: recaller.MoveID(s.NewID()), From: from, To: to, At: s.Now(),
		})
	})
	return s.followed(ctx, tenant, from, to, out, err)
}

// Split makes conversations of from a new caller's, whom it returns. It can be undone for MoveUndoable.
func (s *Service) Split(
	ctx context.Context, tenant recaller.TenantID, once recaller.Once, from recaller.CallerID, name string,
	talks []recaller.ConversationID,
) (recaller.Moved, error) {
	if err := recaller.ValidName(name); err != nil {
		return recaller.Moved{}, err
	}
	if len(talks) == 0 {
		return recaller.Moved{}, recaller.InvalidField("conversations", "must have at least one id")
	}
	if _, err := s.Store.Caller(ctx, tenant, from); err != nil {
		return recaller.Moved{}, err
	}
	talks, err := s.named(ctx, tenant, talks)
	if err != nil {
		return recaller.Moved{}, err
	}
	to := recaller.CallerID(s.NewID())
	if err := s.Files.Copy(ctx, tenant, from, to, talks...); err != nil {
		return recaller.Moved{}, errors.Join(err, s.Files.Drop(ctx, tenant, to))
	}
	out, err := patiently(ctx, func() (recaller.Moved, error) {
		return s.Mover.Split(ctx, tenant, recaller.Splitting{
			Once: once, ID: recaller.MoveID(s.NewID()), From: from, NewCaller: to,
			Name: strings.TrimSpace(name), Conversations: talks, At: s.Now(),
		})
	})
	if err != nil || out.Existing {
		return out, errors.Join(err, s.Files.Drop(ctx, tenant, to))
	}
	return s.followed(ctx, tenant, from, to, out, nil)
}

// named returns the ids of conversations that are named by their ids or external ids.
func (s *Service) named(
	ctx context.Context, tenant recaller.TenantID, refs []recaller.ConversationID,
) ([]recaller.ConversationID, error) {
	ids := make([]recaller.ConversationID, len(refs))
	for i, ref := range refs {
		c, err := s.Mover.Conversation(ctx, tenant, string(ref))
		if recaller.KindOf(err) == recaller.NotFound {
			err = recaller.InvalidField(fmt.Sprintf("conversations[%d]", i), "must be the id of a conversation with the caller")
		}
		if err != nil {
			return nil, err
		}
		ids[i] = c.ID
	}
	return ids, nil
}

// Undo takes back what a move took along, with what was made of it since. What came after stays.
func (s *Service) Undo(
	ctx context.Context, tenant recaller.TenantID, id recaller.MoveID,
) (recaller.Moved, error) {
	v, err := s.Mover.Move(ctx, tenant, id)
	if err != nil {
		return recaller.Moved{}, err
	}
	talks, err := s.Mover.MovedTalks(ctx, tenant, id)
	if err == nil && len(talks) > 0 {
		err = s.Files.Copy(ctx, tenant, v.To, v.From, talks...)
	}
	if err != nil {
		return recaller.Moved{}, err
	}
	out, err := patiently(ctx, func() (recaller.Moved, error) {
		return s.Mover.UndoMove(ctx, tenant, recaller.Unmoving{ID: id, At: s.Now()})
	})
	return s.followed(ctx, tenant, v.To, v.From, out, err)
}

// How long a move waits for what is being written about the caller: a write-up after a call takes a moment, but with a
// model it may take longer.
const (
	firstPause  = 20 * time.Millisecond
	mostPatient = 3 * time.Second
)

// patiently tries a move again while something is being written about the caller.
func patiently(ctx context.Context, move func() (recaller.Moved, error)) (recaller.Moved, error) {
	waited := time.Duration(0)
	for pause := firstPause; ; pause *= 2 {
		out, err := move()
		if !errors.Is(err, recaller.ErrBeingWritten) || waited >= mostPatient {
			return out, err
		}
		waited += pause
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return out, err
		}
	}
}

// Moves lists the moves from or to a caller that can be undone, latest first.
func (s *Service) Moves(
	ctx context.Context, tenant recaller.TenantID, id recaller.CallerID,
) ([]recaller.Move, error) {
	if _, err := s.Store.Caller(ctx, tenant, id); err != nil {
		return nil, err
	}
	return s.Mover.Moves(ctx, tenant, id, s.Now())
}

// followed has all that is held beside the store follow what was moved.
func (s *Service) followed(
	ctx context.Context, tenant recaller.TenantID, from, to recaller.CallerID, out recaller.Moved, err error,
) (recaller.Moved, error) {
	if err != nil || out.Existing {
		return out, err
	}
	s.Live.Moved(tenant, to, out.Talks)
	for _, c := range out.Changes {
		s.Changed(c)
	}
	for _, id := range []recaller.CallerID{from, to} {
		s.Anew(tenant, id)
	}
	if len(out.Talks) == 0 {
		return out, nil
	}
	return out, s.Files.Drop(ctx, tenant, from, out.Talks...)
}

// Release takes a number from a caller, who keeps all else: it is somebody else's now. Whoever rings from it next is new,
// unless others are known to use it.
func (s *Service) Release(
	ctx context.Context, tenant recaller.TenantID, id recaller.CallerID, phone string,
) (recaller.Caller, error) {
	is, err := s.Identity(ctx, tenant, phone)
	if err != nil || is.Kind != recaller.IdentityPhone {
		return recaller.Caller{}, recaller.InvalidField("phone", "must be a telephone number")
	}
	c, change, err := s.Mover.Release(ctx, tenant, recaller.Releasing{Caller: id, Identity: is, At: s.Now()})
	if err == nil {
		s.Changed(change)
	}
	return c, err
}
