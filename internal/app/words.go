package app

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/archive"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/identity"
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/tenant"
)

// words joins what the store has of a caller with the words that the retention keeps elsewhere: in the archive, or only
// in process memory. Recall and briefing read through it.
type words struct {
	noVoice bool // past voice calls are not shown in briefings (V10)
	store   *store.Store
	tenants *tenant.Service
	archive *archive.Archive
	live    func(recaller.TenantID, recaller.CallerID) map[recaller.ConversationID][]recaller.Turn
	held    func(recaller.TenantID, recaller.CallerID) map[recaller.ConversationID][]recaller.Turn // answered, and not stored yet
}

// versionDeadline is how long a search waits for the store to tell whether its index is current.
const versionDeadline = 250 * time.Millisecond

// ContentVersion implements recall.Source. While the store is away there is no newer version than those that are indexed: an
// index that this process has serves as it is.
func (w *words) ContentVersion(ctx context.Context, tenant recaller.TenantID, c recaller.CallerID) (int64, error) {
	timed, cancel := context.WithTimeout(ctx, versionDeadline)
	defer cancel()
	v, err := w.store.ContentVersion(timed, tenant, c)
	if ctx.Err() == nil && (errors.Is(err, recaller.Unavailable) || errors.Is(err, recaller.Timeout)) {
		return 0, nil
	}
	return v, err
}

// Corpus implements recall.Source.
func (w *words) Corpus(ctx context.Context, tenant recaller.TenantID, c recaller.CallerID) (recaller.Corpus, error) {
	held := w.held(tenant, c) // first: what is stored meanwhile is in the corpus as well
	out, err := w.store.Corpus(ctx, tenant, c)
	if err != nil {
		return out, err
	}
	var live map[recaller.ConversationID][]recaller.Turn
	for _, conv := range out.Conversations {
		turns := out.Turns[conv.ID]
		if conv.Turns > 0 && len(turns) == 0 {
			if live == nil {
				live = w.live(tenant, c)
			}
			if turns = live[conv.ID]; turns == nil {
				if turns, err = w.archive.Turns(ctx, tenant, conv); err != nil {
					return out, err
				}
			}
		}
		for _, t := range held[conv.ID] {
			if len(turns) == 0 || turns[len(turns)-1].Number < t.Number {
				turns = append(turns, t)
			}
		}
		if len(turns) > 0 {
			out.Turns[conv.ID] = turns
		}
	}
	out.Zone, err = w.zone(ctx, tenant, c)
	return out, err
}

// Outline implements recall.Long. Only of a tenant whose turns are kept anybody is long.
func (w *words) Outline(ctx context.Context, tenant recaller.TenantID, c recaller.CallerID, turns int) (out recaller.Outline, long bool, err error) {
	t, err := w.tenants.Tenant(ctx, tenant)
	if err != nil || t.Retention != recaller.Keep {
		return out, false, err
	}
	held := w.held(tenant, c) // first: what is stored meanwhile is in the outline as well
	if out, long, err = w.store.Outline(ctx, tenant, c, turns); err != nil || !long {
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
func (w *words) Words(
	ctx context.Context, tenant recaller.TenantID, c recaller.CallerID, turns []recaller.TurnRange, conversations []recaller.ConversationID,
) (recaller.Words, error) {
	held := w.held(tenant, c) // first: what is stored meanwhile is read as well
	out, err := w.store.Words(ctx, tenant, c, turns, conversations)
	if len(held) == 0 {
		return out, err
	}
	for _, r := range turns {
		said := out.Turns[r.Conversation]
		for _, t := range held[r.Conversation] {
			if t.Number >= r.From && t.Number < r.To && (len(said) == 0 || said[len(said)-1].Number < t.Number) {
				said = append(said, t)
			}
		}
		if len(said) > 0 {
			out.Turns[r.Conversation] = said
		}
	}
	return out, err
}

// zone returns the zone in which a caller's days begin. Of a corpus it is read last: should the caller's change meanwhile, then by a
// write that the corpus does not have, and that an index of it still takes in. The tenant's counts from the next build on, which
// a change by this process brings about.
func (w *words) zone(ctx context.Context, tenant recaller.TenantID, c recaller.CallerID) (*time.Location, error) {
	t, err := w.tenants.Tenant(ctx, tenant)
	if err != nil {
		return nil, err
	}
	caller, err := w.store.Caller(ctx, tenant, c)
	return identity.ZoneOf(caller, t), err
}

// TurnVectors implements recall.Vectors: of a tenant whose turns are not kept nothing is kept.
func (w *words) TurnVectors(ctx context.Context, tenant recaller.TenantID, c recaller.CallerID, model string) (list []recaller.TurnVectors, kept bool, err error) {
	t, err := w.tenants.Tenant(ctx, tenant)
	if err != nil || t.Retention != recaller.Keep {
		return nil, false, err
	}
	list, err = w.store.TurnVectors(ctx, tenant, c, model)
	return list, err == nil, err
}

// PutTurnVectors implements recall.Vectors.
func (w *words) PutTurnVectors(ctx context.Context, tenant recaller.TenantID, c recaller.CallerID, v []recaller.TurnVectors) error {
	return w.store.PutTurnVectors(ctx, tenant, c, v)
}

// lastWords is how many turns of a conversation that broke off a briefing may see.
const lastWords = 16

// Snapshot implements briefing.Source.
func (w *words) Snapshot(ctx context.Context, tenant recaller.TenantID, c recaller.CallerID) (recaller.Snapshot, error) {
	held := w.held(tenant, c) // first: what is stored meanwhile is in the snapshot as well
	snap, err := w.store.Snapshot(ctx, tenant, c)
	for i := range snap.Open {
		if err == nil {
			err = w.lastOf(ctx, tenant, c, &snap.Open[i], held)
		}
	}
	return w.shown(ctx, tenant, snap, err)
}

// SnapshotAt implements briefing.Source.
func (w *words) SnapshotAt(ctx context.Context, tenant recaller.TenantID, c recaller.CallerID, at time.Time) (recaller.Snapshot, error) {
	snap, err := w.store.SnapshotAt(ctx, tenant, c, at)
	return w.shown(ctx, tenant, snap, err)
}

// shown leaves out what briefings do not show, and adds last words that the archive has.
func (w *words) shown(ctx context.Context, tenant recaller.TenantID, snap recaller.Snapshot, err error) (recaller.Snapshot, error) {
	if w.noVoice {
		snap.History = slices.DeleteFunc(snap.History, func(c recaller.Conversation) bool { return !c.Channel.Text() })
		snap.Acts = slices.DeleteFunc(snap.Acts, func(a recaller.Act) bool {
			return !slices.ContainsFunc(snap.History, func(c recaller.Conversation) bool { return c.ID == a.Conversation })
		})
	}
	if err != nil || snap.BrokenOff == nil || len(snap.BrokenOff.Turns) > 0 || snap.BrokenOff.Conversation.Turns == 0 {
		return snap, err
	}
	turns, err := w.archive.Turns(ctx, tenant, snap.BrokenOff.Conversation)
	snap.BrokenOff.Turns = turns[max(0, len(turns)-lastWords):]
	return snap, err
}

// lastOf puts to the stored words of an open conversation those that are kept elsewhere.
func (w *words) lastOf(
	ctx context.Context, tenant recaller.TenantID, c recaller.CallerID, open *recaller.BrokenOff, held map[recaller.ConversationID][]recaller.Turn,
) (err error) {
	turns := open.Turns
	if len(turns) == 0 && open.Conversation.Turns > 0 {
		if turns = w.live(tenant, c)[open.Conversation.ID]; len(turns) == 0 {
			if turns, err = w.archive.Turns(ctx, tenant, open.Conversation); err != nil {
				return err
			}
		}
	}
	for _, t := range held[open.Conversation.ID] {
		if len(turns) == 0 || turns[len(turns)-1].Number < t.Number {
			turns = append(turns, t)
		}
	}
	open.Turns = turns[max(0, len(turns)-lastWords):]
	return nil
}

// recaller finds what fits a briefing's query.
func (a *App) recaller() briefing.Recaller {
	if a.cfg.Voice.Enabled {
		return a.recall
	}
	return written{a.recall}
}

// written recalls what was not said in voice calls, for those are not shown in briefings (V10).
type written struct{ recall *recall.Service }

// Recall implements briefing.Recaller.
func (w written) Recall(ctx context.Context, tenant recaller.TenantID, c recaller.CallerID, q recall.Query) (recall.Result, error) {
	q.Written = true
	return w.recall.Recall(ctx, tenant, c, q)
}
