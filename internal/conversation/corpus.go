package conversation

import (
	"context"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/identity"
)

// Source is what Words needs of the store.
type Source interface {
	ContentVersion(ctx context.Context, tenant recaller.TenantID, c recaller.CallerID) (int64, error)
	HouseVersion(ctx context.Context, tenant recaller.TenantID) (int64, error)
	Corpus(ctx context.Context, tenant recaller.TenantID, c recaller.CallerID) (recaller.Corpus, error)
	Outline(ctx context.Context, tenant recaller.TenantID, c recaller.CallerID, turns int) (recaller.Outline, bool, error)
	Words(
		ctx context.Context, tenant recaller.TenantID, c recaller.CallerID,
		turns []recaller.TurnRange, conversations []recaller.ConversationID,
	) (recaller.Words, error)
	Caller(ctx context.Context, tenant recaller.TenantID, c recaller.CallerID) (recaller.Caller, error)
	Snapshot(ctx context.Context, tenant recaller.TenantID, c recaller.CallerID) (recaller.Snapshot, error)
	SnapshotAt(ctx context.Context, tenant recaller.TenantID, c recaller.CallerID, at time.Time) (recaller.Snapshot, error)
	TurnVectors(
		ctx context.Context, tenant recaller.TenantID, c recaller.CallerID, model string,
	) ([]recaller.TurnVectors, error)
	PutTurnVectors(ctx context.Context, tenant recaller.TenantID, c recaller.CallerID, v []recaller.TurnVectors) error
}

// Words reads what a caller said, wherever it is. Recall and briefing read through it. Safe for concurrent use. All
// fields are required.
type Words struct {
	Ledger  *Ledger // that of the Service
	Store   Source
	Archive Archive
	Tenants Tenants
}

// versionDeadline is how long a search waits for the store to say whether its index is current.
const versionDeadline = 250 * time.Millisecond

// ContentVersion implements recall.Source. While the store is away it returns 0, no newer version than any that is
// indexed, so that recall goes on with the index that it has.
func (w *Words) ContentVersion(ctx context.Context, tenant recaller.TenantID, c recaller.CallerID) (int64, error) {
	timed, cancel := context.WithTimeout(ctx, versionDeadline)
	defer cancel()
	v, err := w.Store.ContentVersion(timed, tenant, c)
	if ctx.Err() == nil && away(err) {
		return 0, nil
	}
	return v, err
}

// HouseVersion is the store's. While the store does not answer it fails in time, so that a caller's own words are found
// without the tenant's texts.
func (w *Words) HouseVersion(ctx context.Context, tenant recaller.TenantID) (int64, error) {
	timed, cancel := context.WithTimeout(ctx, versionDeadline)
	defer cancel()
	return w.Store.HouseVersion(timed, tenant)
}

// Corpus implements recall.Source.
func (w *Words) Corpus(ctx context.Context, tenant recaller.TenantID, c recaller.CallerID) (recaller.Corpus, error) {
	held := w.Ledger.held(tenant, c)
	out, err := w.Store.Corpus(ctx, tenant, c)
	if err != nil {
		return out, err
	}
	for _, conv := range out.Conversations {
		turns, err := w.Ledger.whole(ctx, w.Archive, tenant, conv, out.Turns[conv.ID], held[conv.ID])
		if err != nil {
			return out, err
		}
		if len(turns) > 0 {
			out.Turns[conv.ID] = turns
		}
	}
	out.Zone, err = w.zone(ctx, tenant, c)
	return out, err
}

// Outline implements recall.Long. A caller is long only where the tenant keeps turns in the store.
func (w *Words) Outline(
	ctx context.Context, tenant recaller.TenantID, c recaller.CallerID, turns int,
) (out recaller.Outline, long bool, err error) {
	if kept, err := w.inStore(ctx, tenant); err != nil || !kept {
		return out, false, err
	}
	held := w.Ledger.held(tenant, c)
	if out, long, err = w.Store.Outline(ctx, tenant, c, turns); err != nil || !long {
		return out, false, err
	}
	for i := range out.Conversations {
		conv := &out.Conversations[i]
		for _, t := range held[conv.ID] {
			conv.Turns = max(conv.Turns, t.Number+1)
		}
	}
	out.Zone, err = w.zone(ctx, tenant, c)
	return out, true, err
}

// Words implements recall.Long.
func (w *Words) Words(
	ctx context.Context, tenant recaller.TenantID, c recaller.CallerID,
	turns []recaller.TurnRange, conversations []recaller.ConversationID,
) (recaller.Words, error) {
	held := w.Ledger.held(tenant, c)
	out, err := w.Store.Words(ctx, tenant, c, turns, conversations)
	if len(held) == 0 {
		return out, err
	}
	for _, r := range turns {
		var within []recaller.Turn
		for _, t := range held[r.Conversation] {
			if t.Number >= r.From && t.Number < r.To {
				within = append(within, t)
			}
		}
		if said := behind(out.Turns[r.Conversation], within); len(said) > 0 {
			out.Turns[r.Conversation] = said
		}
	}
	return out, err
}

// Snapshot implements briefing.Source.
func (w *Words) Snapshot(
	ctx context.Context, tenant recaller.TenantID, c recaller.CallerID,
) (recaller.Snapshot, error) {
	held := w.Ledger.held(tenant, c)
	snap, err := w.Store.Snapshot(ctx, tenant, c)
	for i := range snap.Open {
		if err == nil {
			err = w.last(ctx, tenant, &snap.Open[i], held)
		}
	}
	if err != nil || snap.BrokenOff == nil {
		return snap, err
	}
	return snap, w.last(ctx, tenant, snap.BrokenOff, held)
}

// SnapshotAt implements briefing.Source.
func (w *Words) SnapshotAt(
	ctx context.Context, tenant recaller.TenantID, c recaller.CallerID, at time.Time,
) (recaller.Snapshot, error) {
	snap, err := w.Store.SnapshotAt(ctx, tenant, c, at)
	if err != nil || snap.BrokenOff == nil {
		return snap, err
	}
	return snap, w.last(ctx, tenant, snap.BrokenOff, nil)
}

// last completes the last words of a conversation: it adds those that the store does not have, and cuts to lastWords.
func (w *Words) last(
	ctx context.Context, tenant recaller.TenantID,
	of *recaller.BrokenOff, held map[recaller.ConversationID][]recaller.Turn,
) error {
	turns, err := w.Ledger.whole(ctx, w.Archive, tenant, of.Conversation, of.Turns, held[of.Conversation.ID])
	of.Turns = turns[max(0, len(turns)-lastWords):]
	return err
}

// TurnVectors implements recall.Vectors. Nothing is kept for a tenant that does not keep turns in the store.
func (w *Words) TurnVectors(
	ctx context.Context, tenant recaller.TenantID, c recaller.CallerID, model string,
) (list []recaller.TurnVectors, kept bool, err error) {
	if kept, err := w.inStore(ctx, tenant); err != nil || !kept {
		return nil, false, err
	}
	list, err = w.Store.TurnVectors(ctx, tenant, c, model)
	return list, err == nil, err
}

// PutTurnVectors implements recall.Vectors.
func (w *Words) PutTurnVectors(
	ctx context.Context, tenant recaller.TenantID, c recaller.CallerID, v []recaller.TurnVectors,
) error {
	return w.Store.PutTurnVectors(ctx, tenant, c, v)
}

// inStore reports whether a tenant keeps turns in the store.
func (w *Words) inStore(ctx context.Context, tenant recaller.TenantID) (bool, error) {
	t, err := w.Tenants.Tenant(ctx, tenant)
	return t.Retention == recaller.Keep, err
}

// zone returns the zone in which a caller's days begin. Corpus and Outline read it last. If the caller's zone changes
// meanwhile, the write that changed it has a version that the corpus does not have yet, and the index will take it in.
// A new zone of the tenant counts from the next build on; changing it in this process brings one about.
func (w *Words) zone(ctx context.Context, tenant recaller.TenantID, c recaller.CallerID) (*time.Location, error) {
	t, err := w.Tenants.Tenant(ctx, tenant)
	if err != nil {
		return nil, err
	}
	caller, err := w.Store.Caller(ctx, tenant, c)
	return identity.ZoneOf(caller, t), err
}
