package store

import (
	"context"
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
)

// StoreMemory stores a memory by its key, with what goes with it (the caller's name, a reminder, the record of the tool
// call), in one commit. An active memory with this key comes before the one that it is to be merged into.
func (s *Store) StoreMemory(ctx context.Context, tenant recaller.TenantID, in recaller.Storing) (recaller.MemoryWritten, error) {
	w, err := s.memoryWrite(ctx, tenant, in.Memory.Caller)
	if err != nil {
		return recaller.MemoryWritten{}, notFound(err, "there is no such caller")
	}
	with := companions{once: newOnce(w.blind, tenant, in.Once), call: in.Call, reminder: in.Reminder, at: in.Memory.CreatedAt}
	var out recaller.MemoryWritten
	err = s.WithCaller(ctx, tenant, w.caller, func(tx Tx) error {
		out, err = w.together(ctx, tx, with, func() (recaller.MemoryWritten, error) {
			out, err := w.store(ctx, tx, in)
			if err != nil || in.Name == "" {
				return out, err
			}
			return out, w.box.writeName(ctx, tx, tenant, in.Memory.Caller, func(recaller.Caller) string { return in.Name })
		})
		return err
	})
	return out, err
}

// store stores a memory by its key, or into the one that it is a near-duplicate of.
func (w memoryWrite) store(ctx context.Context, tx Tx, in recaller.Storing) (recaller.MemoryWritten, error) {
	m := in.Memory
	old, err := w.byKey(ctx, tx, m.Key)
	other := false // the same under another key
	if recaller.KindOf(err) == recaller.NotFound && in.Into != "" {
		old, err = w.active(ctx, tx, in.Into)
		other = err == nil
	}
	switch {
	case recaller.KindOf(err) == recaller.NotFound:
		return w.create(ctx, tx, m, in.Mode)
	case err != nil:
		return recaller.MemoryWritten{}, err
	case in.Mode == recaller.IfAbsent:
		return w.keep(ctx, tx, old)
	case other:
		return w.merge(ctx, tx, old, m)
	case old.Type == m.Type && sameFact(old, m):
		return w.confirm(ctx, tx, old, m, recaller.MemoryConfirmed)
	}
	m.ID, m.Aliases = old.ID, aliases(m.Key, old.Aliases, m.Aliases)
	return w.supersede(ctx, tx, old, m, recaller.ClosedUpdated, recaller.MemoryUpdated)
}

// merge keeps the key of a memory that is a near-duplicate as an alias, and its value if it is another.
func (w memoryWrite) merge(ctx context.Context, tx Tx, old, m recaller.Memory) (recaller.MemoryWritten, error) {
	known := aliases(old.Key, old.Aliases, []string{m.Key}, m.Aliases)
	if sameFact(old, m) {
		old.Aliases = known
		return w.confirm(ctx, tx, old, m, recaller.MemoryMerged)
	}
	m.ID, m.Key, m.Type, m.Aliases = old.ID, old.Key, old.Type, known
	if old.PrivacyScope == recaller.LineOnly { // who made it private did not name this key
		m.PrivacyScope = recaller.LineOnly
	}
	return w.supersede(ctx, tx, old, m, recaller.ClosedMerged, recaller.MemoryMerged)
}

// sameFact reports whether a memory that was told again says nothing new.
func sameFact(old, again recaller.Memory) bool {
	if again.DueAt != nil && (old.DueAt == nil || micros(*again.DueAt) != micros(*old.DueAt)) {
		return false
	}
	return sameWords(old.Value, again.Value)
}

// sameWords compares values: case and space do not count.
func sameWords(a, b string) bool {
	return strings.EqualFold(strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " "))
}

// maxAliases bounds the aliases of a memory; the oldest go first.
const maxAliases = 20

// aliases joins lists of other keys of a memory: none twice, and never its own key.
func aliases(key string, lists ...[]string) []string {
	seen := map[string]bool{NormalKey(key): true, "": true}
	var out []string
	for _, alias := range slices.Concat(lists...) {
		if n := NormalKey(alias); !seen[n] {
			seen[n] = true
			out = append(out, strings.TrimSpace(alias))
		}
	}
	return out[max(0, len(out)-maxAliases):]
}

// create stores a memory whose key no active one has. What was stored and closed in a conversation is not found in its words
// from before that again (W9).
func (w memoryWrite) create(ctx context.Context, tx Tx, m recaller.Memory, mode recaller.MemoryMode) (recaller.MemoryWritten, error) {
	if mode == recaller.IfAbsent {
		if closed, err := w.closedSince(ctx, tx, m); err != nil || closed {
			return recaller.MemoryWritten{Action: recaller.MemoryKept}, err
		}
	}
	m.Version, m.Status, m.Aliases = 1, recaller.MemoryActive, aliases(m.Key, m.Aliases)
	if err := w.insert(ctx, tx, m); err != nil {
		return recaller.MemoryWritten{}, err
	}
	return w.written(ctx, tx, recaller.MemoryCreated, m)
}

// closedSince reports whether a memory with a key was closed in the conversation that this one comes from, after its words were said.
func (w memoryWrite) closedSince(ctx context.Context, tx Tx, m recaller.Memory) (bool, error) {
	if m.Provenance.Conversation == "" {
		return false, nil
	}
	var before int
	err := tx.QueryRow(ctx, `SELECT version FROM memories WHERE tenant_id = $1 AND caller_id = $2 AND key_token = $3
		AND status <> 'active' AND conversation_id = $4 AND closed_at >= $5 LIMIT 1`,
		[]any{w.tenant, w.caller, w.token(m.Key), m.Provenance.Conversation, micros(m.CreatedAt)}, &before)
	if recaller.KindOf(err) == recaller.NotFound {
		return false, nil
	}
	return err == nil, err
}

// confirm moves confidence and last confirmation of a memory that was told again, and settles what was disputed.
func (w memoryWrite) confirm(ctx context.Context, tx Tx, old, again recaller.Memory, action recaller.MemoryAction) (recaller.MemoryWritten, error) {
	old.Confidence, old.ConfirmedAt, old.Dispute, old.Interim = max(old.Confidence, again.Confidence), again.ConfirmedAt, nil, false
	if err := w.rewrite(ctx, tx, old); err != nil {
		return recaller.MemoryWritten{}, err
	}
	return w.written(ctx, tx, action, old)
}
