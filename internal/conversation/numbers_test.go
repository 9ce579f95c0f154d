package conversation_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
)

// meanwhile is long enough for what could happen at once to have happened.
const meanwhile = 50 * time.Millisecond

// A turn comes in the moment between the commit of what was held and its being told of: it has the next number all the
// same.
func TestTurnThatComesWhileHeldOnesAreToldOfHasTheNextNumber(t *testing.T) {
	for _, tenant := range tenants {
		t.Run(string(tenant), func(t *testing.T) {
			b := newBench(t)
			id := string(b.begin(tenant, conversation.Start{}).Conversation.ID)
			b.say(tenant, id, "user: zero")
			b.storeIsAway()
			b.holds(tenant, id, recaller.Once{}, 1, "user: one")
			b.holds(tenant, id, recaller.Once{}, 2, "user: two")
			b.holds(tenant, id, recaller.Once{}, 3, "user: three")
			answered, came := make(chan recaller.Turn, 1), make(chan struct{})
			b.told = func(c recaller.Change) {
				if len(c.Turns) != 2 || c.Turns[0].Text != "two" {
					return
				}
				go func() {
					defer close(came)
					turns, _, err := b.AddTurns(context.Background(), tenant, id, recaller.Once{}, said("user: four"))
					if err != nil {
						t.Error(err)
					}
					answered <- turns[0]
				}()
				select { // it may have to wait
				case <-came:
				case <-time.After(meanwhile):
				}
			}
			b.storeIsBack()
			if turn := <-answered; turn.Number != 4 {
				t.Errorf("got turn %d, want 4", turn.Number)
			}
			b.storeIsBack()
			b.say(tenant, id, "user: five", "user: six")
			b.wantHeard(tenant, id, "0 zero", "1 one", "2 two", "3 three", "4 four", "5 five", "6 six")
			if n, _ := b.LastTurn(tenant, recaller.ConversationID(id)); n != 6 {
				t.Errorf("got %d as the last turn of the user, want 6", n)
			}
		})
	}
}

// storeLoses takes the turns of a conversation from a number on out of the store: another one has taken its place,
// which did not have the last commits yet.
func (b *bench) storeLoses(id string, from int) {
	b.Helper()
	db, err := sql.Open("sqlite", filepath.Join(b.Dir, "recaller.db")+"?_pragma=busy_timeout(5000)")
	b.ok(err)
	defer db.Close()
	for _, query := range []string{`DELETE FROM turns WHERE conversation_id = $1 AND number >= $2`, `UPDATE conversations SET turns = $2 WHERE id = $1`} {
		_, err := db.ExecContext(b.Context(), query, id, from)
		b.ok(err)
	}
}

// The store lost its last commits: what is said then has the numbers that follow what the store has, one each. Words
// that are only in memory are all there still.
func TestTurnsAfterTheStoreLostSome(t *testing.T) {
	for _, tenant := range tenants {
		for name, held := range map[string]bool{"": false, " held": true} {
			t.Run(string(tenant)+name, func(t *testing.T) {
				b := newBench(t)
				id := string(b.begin(tenant, conversation.Start{}).Conversation.ID)
				b.say(tenant, id, "user: zero", "user: one", "user: two", "user: three")
				if held {
					b.storeIsAway()
					b.holds(tenant, id, recaller.Once{}, 4, "user: one again")
					b.storeLoses(id, 1)
					b.storeIsBack()
				} else {
					b.storeLoses(id, 1)
					if turns := b.say(tenant, id, "user: one again"); turns[0].Number != 1 {
						t.Errorf("got turn %d, want 1", turns[0].Number)
					}
				}
				if turns := b.say(tenant, id, "user: two again"); turns[0].Number != 2 {
					t.Errorf("got turn %d, want 2", turns[0].Number)
				}
				if conv, err := b.Find(t.Context(), tenant, id); err != nil || conv.Turns != 3 {
					t.Errorf("got %d turns, %v; want 3", conv.Turns, err)
				}
				if tenant == ephemeral {
					b.wantHeard(tenant, id, "0 zero", "1 one", "2 two", "3 three", "1 one again", "2 two again")
					return
				}
				want := []string{"0 zero", "1 one again", "2 two again"}
				b.wantHeard(tenant, id, want...)
				b.restart()
				b.wantHeard(tenant, id, want...)
			})
		}
	}
}

// A client repeats a request of long ago while the store is away, which only the store would know: it is heard once,
// and what comes after it is not lost.
func TestRequestOfLongAgoIsRepeatedWhileTheStoreIsAway(t *testing.T) {
	for _, tenant := range tenants {
		t.Run(string(tenant), func(t *testing.T) {
			b := newBench(t)
			started := b.begin(tenant, conversation.Start{})
			id := string(started.Conversation.ID)
			var want []string
			for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"} {
				turns, _, err := b.AddTurns(t.Context(), tenant, id, recaller.Once{Token: name, Request: "r"}, said("user: "+name))
				b.ok(err)
				want = append(want, lines(turns)...)
			}
			b.storeIsAway()
			b.holds(tenant, id, recaller.Once{Token: "a", Request: "r"}, 10, "user: a")
			b.storeIsBack()
			b.say(tenant, id, "user: k")
			b.wantHeard(tenant, id, append(want, "10 k")...)
			if !slices.Contains(b.stale, started.Caller.ID) {
				t.Error("who indexed the repeated words was not told that they are there once")
			}
		})
	}
}

// The end of a call of which something is held is answered with all of its turns.
func TestHeldEndCountsWhatIsHeld(t *testing.T) {
	b := newBench(t)
	id := string(b.begin(keep, conversation.Start{}).Conversation.ID)
	b.say(keep, id, "user: one")
	b.storeIsAway()
	b.holds(keep, id, recaller.Once{}, 1, "user: two")
	if conv, err := b.End(t.Context(), keep, id, conversation.End{}); err != nil || conv.Turns != 2 {
		t.Errorf("got %+v, %v; want two turns", conv, err)
	}
}

// The store answers just as a turn is held: whoever is told of both is told of the hold first.
func TestHeldTurnIsToldOfBeforeItIsStored(t *testing.T) {
	b := newBench(t)
	b.patience = 10 * time.Millisecond
	b.serve()
	id := string(b.begin(keep, conversation.Start{}).Conversation.ID)
	committed := make(chan struct{})
	b.faults.After("append", func() error { <-committed; return nil })
	stored := make(chan struct{})
	b.told = func(recaller.Change) { close(stored) }
	b.onHold = func(recaller.Change) {
		close(committed)
		select {
		case <-stored:
			t.Error("it was told of as stored before it was told of as held")
		case <-time.After(meanwhile):
		}
	}
	b.holds(keep, id, recaller.Once{}, 0, "user: one")
	<-stored
	b.Patience = conversation.DefaultPatience // what follows is read, however busy the machine is
	b.storeIsBack()
	b.wantHeard(keep, id, "0 one")
}
