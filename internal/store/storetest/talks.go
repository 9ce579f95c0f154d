package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// talksRead tells that conversations of several callers are read at once, with their words and with what of them was
// forgotten.
func talksRead(b *bench) {
	ended := func(o recaller.Opened, lines ...string) recaller.Conversation {
		b.say("t1", o, lines...)
		b.later(time.Minute)
		return b.close(o, recaller.Completed).Conversation
	}
	first := ended(b.open("t1", opening{}), "user: tea", "user: with milk")
	second := ended(b.open("t1", opening{identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: "+15551230002"}}}), "user: coffee")
	active := b.open("t1", opening{})
	b.forget(b.remember("t1", first.Caller, "drink", "tea").Memory.ID)

	all, err := b.Store.Talks(b.ctx, "t1", []recaller.ConversationID{second.ID, "nobody's", b.noise.second, active.Conversation.ID, first.ID})
	b.ok(err)
	var got []string
	for _, t := range all {
		var words []string
		for _, turn := range t.Turns {
			words = append(words, turn.Text)
		}
		got = append(got, fmt.Sprintf("%s: %s, %d forgotten", t.Conversation.ID, strings.Join(words, "/"), len(t.Forgotten)))
	}
	eq(b, "in the order that is asked for", strings.Join(got, "; "), fmt.Sprintf("%s: coffee, 0 forgotten; %s: tea/with milk, 1 forgotten", second.ID, first.ID))
	none, err := b.Store.Talks(b.ctx, "t1", nil)
	b.ok(err)
	eq(b, "of no ids", len(none), 0)

	b.ok(b.Store.BeginErasure(b.ctx, "t1", second.Caller, b.eraseJob(second.Caller)))
	all, err = b.Store.Talks(b.ctx, "t1", []recaller.ConversationID{second.ID, first.ID})
	b.ok(err)
	eq(b, "while one is erased", len(all), 1)
}
