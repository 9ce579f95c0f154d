package events

import "github.com/recallerhq/recaller"

// wholeTenant stands for a conversation in the name of the stream of a tenant.
const wholeTenant recaller.ConversationID = ""

// SubscribeTenant listens to a tenant, as Subscribe does to a conversation. What is told is not durable, and is what
// this process committed.
func (b *Bus) SubscribeTenant(tenant recaller.TenantID, last uint64) (sub *Subscription, missed bool) {
	return b.Subscribe(tenant, wholeTenant, "", last)
}

// Listened reports whether somebody listens to a tenant, or did a moment ago and may come back.
func (b *Bus) Listened(tenant recaller.TenantID) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sweep(b.now())
	return b.streams[stream{tenant, wholeTenant}] != nil
}

// Tell hands events to who listens to a tenant. They are lost if nobody does, or did a moment ago. It never waits.
func (b *Bus) Tell(tenant recaller.TenantID, list ...recaller.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.streams[stream{tenant, wholeTenant}]
	if l == nil {
		return
	}
	now, left := b.now(), l.touched
	for _, e := range list {
		b.publish(l, Event{Type: Type(e.Type), Told: &e, At: now})
	}
	if len(l.listeners) == 0 { // it goes when its time is over, however much happens meanwhile
		l.touched = left
	}
}

// untell takes what was told of an erased caller out of what is kept for the tenant's listeners. The lock is held.
func (b *Bus) untell(tenant recaller.TenantID, with recaller.CallerID) {
	l := b.streams[stream{tenant, wholeTenant}]
	if l == nil {
		return
	}
	for i := range l.recent {
		if e := &l.recent[i]; e.Told != nil && e.Told.Caller == with {
			e.Told = nil
		}
	}
}
