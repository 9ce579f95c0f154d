package store

import (
	"container/list"
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/recallerhq/recaller"
)

// Bounds of what is kept.
const (
	mostKept    = 16 << 20 // bytes, about
	mostKeptOne = 1 << 20  // bytes of one caller; of who has more, nothing is kept
)

// kept holds what was read about callers, opened, until something is written about them: the snapshot that briefings
// and prompts are made of, and their threads. What is held has the count of writes (Engine.Writes) that it was read at,
// and is handed out only while that is the count. What a write has made old is let go at once, so that nothing that was
// forgotten or erased stays in memory. The caller who was asked for longest ago leaves first. The zero value is ready.
// Safe for concurrent use.
type kept struct {
	mu      sync.Mutex // guards what follows
	callers map[recaller.TenantID]map[recaller.CallerID]*list.Element
	threads map[threadRef]recaller.CallerID // whose a thread is that is held
	order   list.List                       // of *keptOf, last asked for first
	bytes   int
}

// threadRef is by what a thread is asked for.
type threadRef struct {
	tenant recaller.TenantID
	ref    string
}

// keptOf is what is held of one caller, all of it read at the same count of writes.
type keptOf struct {
	tenant  recaller.TenantID
	caller  recaller.CallerID
	writes  uint64
	snap    *recaller.Snapshot // nil: only threads are held
	threads map[string]recaller.Thread
	bytes   int
}

// snapshot returns what is held of a caller if it was read at a count of writes.
func (k *kept) snapshot(tenant recaller.TenantID, caller recaller.CallerID, writes uint64) (recaller.Snapshot, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	of := k.of(tenant, caller, writes)
	if of == nil || of.snap == nil {
		return recaller.Snapshot{}, false
	}
	return ownSnapshot(of.snap), true
}

// version returns the content version of a caller if it is held, and was read at a count of writes.
func (k *kept) version(tenant recaller.TenantID, caller recaller.CallerID, writes uint64) (version int64, held bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	of := k.of(tenant, caller, writes)
	if of == nil || of.snap == nil {
		return 0, false
	}
	return of.snap.Caller.ContentVersion, true
}

// whose returns whose a thread is that is held.
func (k *kept) whose(tenant recaller.TenantID, ref string) (caller recaller.CallerID, held bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	caller, held = k.threads[threadRef{tenant, ref}]
	return caller, held
}

// thread returns a thread that is held if it was read at a count of writes.
func (k *kept) thread(
	tenant recaller.TenantID, caller recaller.CallerID, ref string, writes uint64,
) (t recaller.Thread, held bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if of := k.of(tenant, caller, writes); of != nil {
		t, held = of.threads[ref]
	}
	return ownThread(t), held
}

// of returns the caller's, as the last asked for. The lock is held.
func (k *kept) of(tenant recaller.TenantID, caller recaller.CallerID, writes uint64) *keptOf {
	el := k.callers[tenant][caller]
	if el == nil {
		return nil
	}
	of := el.Value.(*keptOf) //nolint:forcetypeassert // nothing else is in the list
	if of.writes != writes {
		return nil
	}
	k.order.MoveToFront(el)
	return of
}

// take adds to what is held of a caller, which put does and says how many bytes it takes. is tells whether the count of
// writes is still the one at which it was read: it is asked under the lock, so that what a write meanwhile has made old
// is either not taken, or let go by that write.
func (k *kept) take(
	tenant recaller.TenantID, caller recaller.CallerID, writes uint64, is func() bool, put func(*keptOf) int,
) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !is() {
		return
	}
	of := k.of(tenant, caller, writes)
	if of == nil {
		k.remove(k.callers[tenant][caller])
		of = &keptOf{tenant: tenant, caller: caller, writes: writes, threads: map[string]recaller.Thread{}}
		if k.callers == nil {
			k.callers, k.threads = map[recaller.TenantID]map[recaller.CallerID]*list.Element{}, map[threadRef]recaller.CallerID{}
		}
		if k.callers[tenant] == nil {
			k.callers[tenant] = map[recaller.CallerID]*list.Element{}
		}
		k.callers[tenant][caller] = k.order.PushFront(of)
	}
	n := put(of)
	of.bytes += n
	k.bytes += n
	for ref := range of.threads {
		k.threads[threadRef{tenant, ref}] = caller
	}
	if of.bytes > mostKeptOne {
		k.remove(k.callers[tenant][caller])
	}
	for k.bytes > mostKept {
		k.remove(k.order.Back())
	}
}

// drop lets go what is held of a caller; of an empty one, all of the tenant's.
func (k *kept) drop(tenant recaller.TenantID, caller recaller.CallerID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if caller != "" {
		k.remove(k.callers[tenant][caller])
		return
	}
	for _, el := range k.callers[tenant] {
		k.remove(el)
	}
}

// remove lets go one caller's; nil is nobody's. The lock is held.
func (k *kept) remove(el *list.Element) {
	if el == nil {
		return
	}
	of := k.order.Remove(el).(*keptOf) //nolint:forcetypeassert // nothing else is in the list
	k.bytes -= of.bytes
	for ref := range of.threads {
		delete(k.threads, threadRef{of.tenant, ref})
	}
	if delete(k.callers[of.tenant], of.caller); len(k.callers[of.tenant]) == 0 {
		delete(k.callers, of.tenant)
	}
}

// keepSnapshot keeps what was read of a caller at a count of writes.
func (s *Store) keepSnapshot(
	tenant recaller.TenantID, caller recaller.CallerID, writes uint64, snap recaller.Snapshot,
) {
	held := ownSnapshot(&snap)
	s.kept.take(tenant, caller, writes, s.unwritten(tenant, caller, writes), func(of *keptOf) int {
		if of.snap != nil {
			return 0
		}
		of.snap = &held
		return weight(&held)
	})
}

// unwritten returns what tells whether the count of writes about a caller is still the same.
func (s *Store) unwritten(tenant recaller.TenantID, caller recaller.CallerID, writes uint64) func() bool {
	return func() bool {
		now, known := s.engine.Writes(tenant, caller)
		return known && now == writes
	}
}

// keptThread returns a thread that is held. That its caller can be read is proven anew.
func (s *Store) keptThread(ctx context.Context, tenant recaller.TenantID, ref string) (t recaller.Thread, held bool) {
	caller, held := s.kept.whose(tenant, ref)
	if !held {
		return t, false
	}
	writes, known := s.engine.Writes(tenant, caller)
	if !known || s.opens(ctx, tenant, caller) != nil {
		return t, false
	}
	return s.kept.thread(tenant, caller, ref, writes)
}

// opens fails where what is stored of a caller, or of his tenant, does not open any more.
func (s *Store) opens(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) error {
	if _, err := s.unseal(ctx, tenant, ""); err != nil {
		return err
	}
	_, err := s.unseal(ctx, tenant, caller)
	return err
}

// keepThread keeps a thread that was found by a ref. before is the count of all writes of the tenant's from before it
// was read, because whose it is was not known then.
func (s *Store) keepThread(tenant recaller.TenantID, ref string, before uint64, t recaller.Thread) {
	writes, known := s.engine.Writes(tenant, t.Caller)
	if !known {
		return
	}
	held := ownThread(t)
	s.kept.take(tenant, t.Caller, writes, s.unwritten(tenant, "", before), func(of *keptOf) int {
		if _, twice := of.threads[ref]; twice {
			return 0
		}
		of.threads[ref] = held
		return 512 + len(ref) + len(t.ExternalID) + len(t.Title) + len(t.Persona.Text) + textOf(t.Summary)
	})
}

func textOf(s *recaller.ThreadSummary) int {
	if s == nil {
		return 0
	}
	return len(s.Text)
}

// Ahead reads what the next prompt of a thread is made of, to be kept until something is written about its caller. It
// reads nothing where nothing is kept.
func (s *Store) Ahead(ctx context.Context, tenant recaller.TenantID, ref string) error {
	if _, known := s.engine.Writes(tenant, ""); !known {
		return nil
	}
	t, err := s.Thread(ctx, tenant, ref)
	if err != nil {
		return err
	}
	_, err = s.Snapshot(ctx, tenant, t.Caller)
	return err
}

// ownThread returns a thread whose reader may change it.
func ownThread(t recaller.Thread) recaller.Thread {
	t.Summary = own(t.Summary)
	return t
}

// ownSnapshot returns a snapshot whose reader may change its lists, and what they list. What that points to is shared:
// nobody changes it in place.
func ownSnapshot(s *recaller.Snapshot) recaller.Snapshot {
	out := *s
	out.Caller.Identities = slices.Clone(s.Caller.Identities)
	out.Checkpoint, out.BrokenOff = own(s.Checkpoint), own(s.BrokenOff)
	if b := out.BrokenOff; b != nil {
		b.Turns = slices.Clone(b.Turns)
	}
	out.History, out.Open = slices.Clone(s.History), slices.Clone(s.Open)
	for i := range out.Open {
		out.Open[i].Turns = slices.Clone(out.Open[i].Turns)
	}
	out.Memories, out.Forgotten, out.Private = slices.Clone(s.Memories), slices.Clone(s.Forgotten), slices.Clone(s.Private)
	out.Said = maps.Clone(s.Said)
	out.Acts, out.Reminders, out.Pinned = slices.Clone(s.Acts), slices.Clone(s.Reminders), slices.Clone(s.Pinned)
	out.Reached = slices.Clone(s.Reached)
	return out
}

func own[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

// Rough sizes of what stands in a snapshot, without its words.
const (
	weightSnapshot = 4 << 10 // the settings and the caller
	weightItem     = 512
	weightTurn     = 160
)

// weight returns about how many bytes a snapshot takes.
func weight(s *recaller.Snapshot) int {
	n := weightSnapshot + weightItem*(len(s.History)+len(s.Memories)+len(s.Forgotten)+len(s.Private)+len(s.Acts)+len(s.Reminders)+len(s.Pinned))
	for _, p := range s.Tenant.Prompts {
		n += len(p)
	}
	for _, list := range [][]recaller.Memory{s.Memories, s.Forgotten, s.Private} {
		for _, m := range list {
			n += len(m.Key) + len(m.Value)
		}
	}
	for _, c := range s.History {
		n += wordsOf(c)
	}
	for _, b := range s.Open {
		n += wordsOf(b.Conversation) + weightTurns(b.Turns)
	}
	if b := s.BrokenOff; b != nil {
		n += wordsOf(b.Conversation) + weightTurns(b.Turns)
	}
	for _, turns := range s.Said {
		n += weightTurns(turns)
	}
	for _, a := range s.Acts {
		for _, say := range a.Said {
			n += len(say.Text)
		}
	}
	for _, r := range s.Reminders {
		n += len(r.Text) + len(r.Rule)
	}
	for _, d := range s.Pinned {
		n += len(d.Title) + len(d.Content) + len(d.State)
	}
	if c := s.Checkpoint; c != nil {
		n += weightItem*(1+len(c.Before)) + len(c.Intent) + len(c.Summary) + len(c.StagingData)
	}
	return n
}

func weightTurns(turns []recaller.Turn) (n int) {
	for _, t := range turns {
		n += weightTurn + len(t.Text)
	}
	return n
}

// wordsOf returns about how many bytes a conversation's summary and metadata take.
func wordsOf(c recaller.Conversation) int {
	n := weightItem + len(c.Metadata)
	if s := c.Summary; s != nil {
		n += len(s.Brief) + len(s.Next)
		for _, lines := range [][]string{s.Topics, s.Decisions, s.Actions, s.Facts} {
			for _, line := range lines {
				n += len(line)
			}
		}
	}
	return n
}
