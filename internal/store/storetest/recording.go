package storetest

import (
	"time"

	"github.com/recallerhq/recaller"
)

// recorded has a platform tell of a recording before and after the end of a call. What is sealed beside it stays, and the
// first recording does.
func recorded(b *bench) {
	o := b.open("t1", opening{external: "CA7"})
	b.say("t1", o, "user: is this recorded?")
	const link = "https://recordings.example.com/7"
	b.fails(b.Store.SetRecording(b.ctx, "t1", o.Conversation.ID, link), recaller.Conflict)
	closing := b.closing(o, recaller.Completed)
	closing.RecordingURL, closing.Duration = "", time.Minute
	closed, err := b.Store.CloseConversation(b.ctx, "t1", closing)
	b.ok(err)
	for _, told := range []string{link, link, "https://recordings.example.com/8"} {
		b.ok(b.Store.SetRecording(b.ctx, "t1", o.Conversation.ID, told))
		got, err := b.Store.Conversation(b.ctx, "t1", "CA7")
		b.ok(err)
		b.own(got)
		eq(b, "the recording", got.RecordingURL, link)
		eq(b, "its end", got.EndReason, closed.Conversation.EndReason)
		eq(b, "its length", got.Duration, time.Minute)
		eq(b, "its ids", got.PlatformIDs["twilio"], "CACA7")
		turns, err := b.Store.Turns(b.ctx, "t1", got)
		b.ok(err)
		eq(b, "its words", len(turns), 1)
	}
	b.fails(b.Store.SetRecording(b.ctx, "t1", "nobody's", link), recaller.NotFound)
}
