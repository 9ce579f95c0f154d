package storetest

import (
	"fmt"

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
