package conversation

import (
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

// A caller has the conversations of which it is known that they are his, in his tenant, as long as the ledger has them.
func TestConversationsOfACaller(t *testing.T) {
	t.Parallel()
	l := NewLedger(slog.New(slog.DiscardHandler))
	one, two := recaller.Tenant{ID: "one"}, recaller.Tenant{ID: "two"}
	conv := func(id recaller.ConversationID, caller recaller.CallerID) recaller.Conversation {
		return recaller.Conversation{ID: id, Caller: caller}
	}
	want := func(when string, tenant recaller.TenantID, caller recaller.CallerID, ids ...recaller.ConversationID) {
		t.Helper()
		var got []recaller.ConversationID
		for _, e := range l.ofCaller(tenant, caller) {
			got = append(got, e.id)
		}
		if !slices.Equal(got, ids) {
			t.Errorf("%s: %s of %s has %v, want %v", when, caller, tenant, got, ids)
		}
	}
	last := l.takeUp(one, conv("c9", "ana"), nil, time.Time{})
	l.takeUp(one, conv("c2", "bob"), nil, time.Time{})
	l.takeUp(two, conv("c3", "ana"), nil, time.Time{})
	held, _, err := l.hold(one, recaller.Opening{Conversation: conv("c1", "")}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	past, _ := l.keep(one, conv("c4", ""), []recaller.Turn{{Text: "words"}}, time.Time{})
	want("before it is known whose they are", "one", "ana", "c9")
	want("before it is known whose they are", "one", "")
	l.belongs(held, "ana")
	l.belongs(past, "ana")
	want("known", "one", "ana", "c1", "c4", "c9")
	want("known", "one", "bob", "c2")
	want("known", "two", "ana", "c3")
	for _, e := range []*entry{last, held} {
		l.remove(e)
		l.remove(e)
	}
	l.belongs(last, "ana") // the store answers too late
	want("removed", "one", "ana", "c4")
	l.remove(past)
	want("removed", "one", "ana")
	if _, _, err := l.hold(one, recaller.Opening{Conversation: conv("c5", "")}, time.Time{}); err != nil {
		t.Fatal(err)
	}
	if len(l.byCaller) != 3 {
		t.Errorf("the index has %d places, want those of bob, of the other ana, and of whom nobody knows", len(l.byCaller))
	}
}
