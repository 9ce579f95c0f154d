package storetest

import "github.com/recallerhq/recaller"

// withheld: nobody is known by a number that is not shown. Each conversation has a caller of its own, who is found by
// that conversation and nothing else.
func withheld(b *bench) {
	nobody := []recaller.Identity{}
	first := b.open("t1", opening{identities: nobody, external: "CA1", name: "Zoe"})
	b.say("t1", first, "user: it stays between us")
	second := b.open("t1", opening{identities: nobody, external: "CA2"})
	eq(b, "another caller", second.Caller.ID == first.Caller.ID || second.Existing || !second.FirstTime, false)
	eq(b, "known by nothing", second.Caller.Withheld(), true)
	again := b.open("t1", opening{identities: nobody, external: "CA1"})
	eq(b, "the same conversation", again.Existing && again.Conversation.ID == first.Conversation.ID && again.Caller.ID == first.Caller.ID, true)
	snap, err := b.Store.Snapshot(b.ctx, "t1", second.Caller.ID)
	b.ok(err)
	eq(b, "nothing of the first", len(snap.History)+len(snap.Memories), 0)

	once := recaller.Once{Token: "k", Request: "r"}
	sent := b.open("t1", opening{identities: nobody, once: once})
	repeat := b.open("t1", opening{identities: nobody, once: once})
	eq(b, "a repeated request", repeat.Existing && repeat.Caller.ID == sent.Caller.ID, true)
}
