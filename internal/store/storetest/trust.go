package storetest

import (
	"fmt"
	"time"

	"github.com/recallerhq/recaller"
)

// trusted raises the trust of conversations. It does not fall, and what is sealed beside it stays.
func trusted(b *bench) {
	req := b.request(opening{external: "CA7"})
	req.Conversation.Attestation, req.Conversation.Trust = recaller.Attestation{}, recaller.TrustClaimed
	o, err := b.Store.OpenConversation(b.ctx, "t1", req)
	b.ok(err)
	b.say("t1", o, "user: it is me")
	raise := func(to recaller.Trust) string {
		out, err := b.Store.RaiseTrust(b.ctx, "t1", recaller.Raising{Conversation: o.Conversation.ID, Trust: to})
		b.ok(err)
		return fmt.Sprint(out.Conversation.Trust, " ", out.Already, " ", out.Change.Surer)
	}
	version := func() int64 {
		v, err := b.Store.ContentVersion(b.ctx, "t1", o.Caller.ID)
		b.ok(err)
		return v
	}
	before := version()
	eq(b, "lower", raise(recaller.TrustAnonymous), "claimed true false")
	eq(b, "the same", raise(recaller.TrustClaimed), "claimed true false")
	eq(b, "nothing was written", version(), before)
	eq(b, "surer", raise(recaller.TrustVerified), "verified false true")
	eq(b, "the caller's version", version(), before+1)
	eq(b, "less sure again", raise(recaller.TrustAttested), "verified true false")
	got, err := b.Store.Conversation(b.ctx, "t1", "CA7")
	b.ok(err)
	b.own(got)
	eq(b, "as it is read", fmt.Sprintf("%s %s %d", got.Trust, got.PlatformIDs["twilio"], got.Turns), "verified CACA7 1")
	again, err := b.Store.OpenConversation(b.ctx, "t1", req)
	b.ok(err)
	eq(b, "begun again with less", again.Conversation.Trust, recaller.TrustVerified)

	_, err = b.Store.CloseConversation(b.ctx, "t1", b.closing(o, recaller.Completed))
	b.ok(err)
	got, err = b.Store.Conversation(b.ctx, "t1", "CA7")
	b.ok(err)
	eq(b, "after the end", got.Trust, recaller.TrustVerified)

	shown := b.open("t1", opening{external: "CA8"}) // with an attestation, and no tier told
	eq(b, "by what was shown", shown.Conversation.Trust, recaller.TrustAttested)
	_, err = b.Store.CloseConversation(b.ctx, "t1", b.closing(shown, recaller.Completed))
	b.ok(err)
	_, err = b.Store.RaiseTrust(b.ctx, "t1", recaller.Raising{Conversation: shown.Conversation.ID, Trust: recaller.TrustVerified})
	b.fails(err, recaller.Conflict)
	_, err = b.Store.RaiseTrust(b.ctx, "t1", recaller.Raising{Conversation: "nobody's", Trust: recaller.TrustVerified})
	b.fails(err, recaller.NotFound)
}

// keptPrivate has a caller mark memories as private. Readers learn every version of those that are private now, and the words
// of the history by which they know what tells of them.
func keptPrivate(b *bench) {
	o := b.open("t1", opening{external: "CA7"})
	b.say("t1", o, "user: my husband is in prison", "assistant: I see")
	_, err := b.Store.CloseConversation(b.ctx, "t1", b.closing(o, recaller.Completed))
	b.ok(err)
	husband := b.memory(o.Caller.ID, "husband", "in prison")
	b.ok(b.store(recaller.Storing{Memory: husband}))
	b.ok(b.store(recaller.Storing{Memory: b.memory(o.Caller.ID, "drink", "tea")}))
	seen := func() string {
		list, err := b.Store.Private(b.ctx, "t1", o.Caller.ID)
		b.ok(err)
		snap, err := b.Store.Snapshot(b.ctx, "t1", o.Caller.ID)
		b.ok(err)
		past, err := b.Store.SnapshotAt(b.ctx, "t1", o.Caller.ID, b.later(time.Hour))
		b.ok(err)
		left, err := b.Store.Resumable(b.ctx, "t1", o.Caller.ID)
		b.ok(err)
		return fmt.Sprint(len(list), len(snap.Private), len(past.Private), len(left.Private), len(snap.Said[o.Conversation.ID]), len(past.Said[o.Conversation.ID]))
	}
	scope := func(to recaller.PrivacyScope) {
		_, err := b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: husband.ID, Patch: recaller.MemoryPatch{PrivacyScope: &to, At: b.later(time.Minute)}})
		b.ok(err)
	}
	eq(b, "nothing is private", seen(), "0 0 0 0 0 0")
	scope(recaller.Private)
	eq(b, "both versions", seen(), "2 2 2 2 2 2")
	again := b.memory(o.Caller.ID, "husband", "released")
	again.CreatedAt = b.later(time.Hour)
	b.ok(b.store(recaller.Storing{Memory: again}))
	eq(b, "what is told under its key is private too", seen(), "3 3 3 3 2 2")
	contest := b.memory(o.Caller.ID, "husband", "a baker")
	contest.CreatedAt = b.later(2 * time.Hour)
	b.ok(b.store(recaller.Storing{Memory: contest, Mode: recaller.Contest}))
	list, err := b.Store.Private(b.ctx, "t1", o.Caller.ID)
	b.ok(err)
	eq(b, "it stands, with what was told beside it", fmt.Sprint(list[0].Value, ", ", list[0].Dispute.Value), "released, a baker")
	scope(recaller.LineOnly)
	eq(b, "it is private no more", seen(), "0 0 0 0 0 0")
}

func (b *bench) store(in recaller.Storing) error {
	_, err := b.Store.StoreMemory(b.ctx, "t1", in)
	return err
}
