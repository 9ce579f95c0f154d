package storetest

import (
	"bytes"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/recallerhq/recaller"
)

// pinTried tries PINs: each try is counted before it may be compared, however many come at once, and the count outlives all
// other changes of the caller.
func pinTried(b *bench) {
	o := b.open("t1", opening{external: "CA7"})
	base := b.now
	who, hash := o.Caller.ID, bytes.Repeat([]byte("h"), 48)
	try := func(conv recaller.ConversationID, after time.Duration) string {
		out, err := b.Store.TryPIN(b.ctx, "t1", recaller.PINTry{Caller: who, Conversation: conv, At: base.Add(after)})
		b.ok(err)
		pause := time.Duration(0)
		if !out.Until.IsZero() {
			pause = out.Until.Sub(base.Add(after))
		}
		return fmt.Sprint(out.Hash != nil, " ", out.Left, " ", pause)
	}
	_, err := b.Store.TryPIN(b.ctx, "t1", recaller.PINTry{Caller: who, Conversation: "a", At: b.now})
	b.fails(err, recaller.NotFound)
	c, _, err := b.Store.SetPIN(b.ctx, "t1", who, hash)
	b.ok(err)
	eq(b, "he has one", c.HasPIN, true)

	eq(b, "the first", try("a", 0), "true 2 0s")
	eq(b, "the second", try("a", 0), "true 1 0s")
	eq(b, "the third", try("a", 0), "true 0 0s")
	eq(b, "no more", try("a", 0), "false 0 0s")
	name := "Robert"
	c, _, err = b.Store.UpdateCaller(b.ctx, "t1", who, recaller.CallerPatch{Name: &name, NameSource: recaller.NameSet})
	b.ok(err)
	eq(b, "he has it under another name", c.HasPIN || b.caller(who).HasPIN, true)
	eq(b, "elsewhere", try("b", 0), "true 2 0s")
	eq(b, "the fifth in a row", try("b", 0), "true 1 1m0s")
	eq(b, "in the pause", try("c", 59*time.Second), "false 3 1s")
	eq(b, "after it", try("c", time.Minute), "true 2 5m0s")
	eq(b, "and longer", try("c", time.Hour), "true 1 30m0s")
	eq(b, "and longer", try("d", 2*time.Hour), "true 2 2h0m0s")
	eq(b, "at last a day", try("e", 5*time.Hour), "true 2 24h0m0s")
	b.ok(b.Store.RightPIN(b.ctx, "t1", who, hash))
	eq(b, "after a right one", try("a", 5*time.Hour), "true 2 0s")
	b.fails(b.Store.RightPIN(b.ctx, "t1", who, []byte("another")), recaller.Conflict)

	_, _, err = b.Store.SetPIN(b.ctx, "t1", who, hash)
	b.ok(err)
	for range 4 {
		again := recaller.PINTry{Once: recaller.Once{Token: "k", Request: "r"}, Caller: who, Conversation: "r", At: b.now}
		out, err := b.Store.TryPIN(b.ctx, "t1", again)
		b.ok(err)
		eq(b, "a repeat is the same try", fmt.Sprint(out.Hash != nil, " ", out.Left), "true 2")
		again.Once.Request = "other digits"
		_, err = b.Store.TryPIN(b.ctx, "t1", again)
		b.fails(err, recaller.Conflict)
	}
	_, _, err = b.Store.SetPIN(b.ctx, "t1", who, hash)
	b.ok(err)
	var allowed atomic.Int32
	var all sync.WaitGroup
	for i := range 24 {
		all.Add(1)
		go func() {
			defer all.Done()
			conv := recaller.ConversationID(fmt.Sprint("p", i%8))
			out, err := b.Store.TryPIN(b.ctx, "t1", recaller.PINTry{Caller: who, Conversation: conv, At: b.now})
			if err == nil && out.Hash != nil {
				allowed.Add(1)
			}
		}()
	}
	all.Wait()
	eq(b, "of many at once", allowed.Load(), 5)

	second := b.other("Second").Caller.ID
	_, _, err = b.Store.SetPIN(b.ctx, "t1", second, bytes.Repeat([]byte("s"), 48))
	b.ok(err)
	tried := func(caller recaller.CallerID) string {
		out, err := b.Store.TryPIN(b.ctx, "t1", recaller.PINTry{Caller: caller, Conversation: "merged", At: b.now})
		b.ok(err)
		return fmt.Sprint(string(out.Hash[:min(1, len(out.Hash))]), " ", out.Left)
	}
	_, _, err = b.Store.SetPIN(b.ctx, "t1", who, hash)
	b.ok(err)
	eq(b, "before a merge", tried(who), "h 2")
	moved := b.merge(second, who)
	eq(b, "merged, the PIN and its tries stay", tried(who), "h 1")
	eq(b, "he still has one", b.caller(who).HasPIN, true)
	b.unmove(moved.Move.ID)
	eq(b, "undone, they stay", tried(who), "h 0")
	eq(b, "the other has his again", tried(second), "s 2")

	_, err = b.Store.TryPIN(b.ctx, "t2", recaller.PINTry{Caller: who, Conversation: "a", At: b.now})
	b.fails(err, recaller.NotFound)
	_, _, err = b.Store.SetPIN(b.ctx, "t2", who, hash)
	b.fails(err, recaller.NotFound)
	c, _, err = b.Store.SetPIN(b.ctx, "t1", who, nil)
	b.ok(err)
	eq(b, "he has none", c.HasPIN, false)
}
