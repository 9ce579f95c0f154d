package conversation_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/usecasetest"
)

// holds says turns that must be held: answered with their numbers, and not as durable.
func (b *bench) holds(tenant recaller.TenantID, ref string, once recaller.Once, first int, lines ...string) []recaller.Turn {
	b.Helper()
	turns, durable, err := b.AddTurns(b.Context(), tenant, ref, once, said(lines...))
	b.ok(err)
	if durable {
		b.Errorf("%s: turn %d is called durable", tenant, first)
	}
	for i, turn := range turns {
		if turn.Number != first+i || turn.ID == "" {
			b.Errorf("%s: got turn %d with id %q, want turn %d", tenant, turn.Number, turn.ID, first+i)
		}
	}
	return turns
}

// Spec section 5: the store goes away in the middle of a call, or loses its answers. The call goes on; what is said is
// written when it is back, once and in order.
func TestCallGoesOnWhenTheStoreGoesAwayDuringIt(t *testing.T) {
	for _, tenant := range tenants {
		for name, gone := range map[string]func(*bench){"away": (*bench).storeIsAway, "deaf": (*bench).storeIsDeaf} {
			t.Run(string(tenant)+" "+name, func(t *testing.T) {
				b := newBench(t)
				id := string(b.begin(tenant, conversation.Start{ExternalID: "CA1"}).Conversation.ID)
				b.say(tenant, id, "user: one", "assistant: two")
				b.changes.Take()
				gone(b)
				b.holds(tenant, "CA1", recaller.Once{}, 2, "user: three")
				b.holds(tenant, id, recaller.Once{Token: "t", Request: "r"}, 3, "assistant: four", "user: five")
				b.holds(tenant, id, recaller.Once{}, 5, "user: six")
				b.holds(tenant, id, recaller.Once{}, 6, "user: seven")
				if conv, err := b.Find(t.Context(), tenant, "CA1"); err != nil || conv.Turns != 7 || conv.Status != recaller.Active {
					t.Errorf("find: got %+v, %v; want the live call with 7 turns", conv, err)
				}
				if conversations, turns := b.Waiting(); conversations != 1 || turns != 5 {
					t.Errorf("%d turns of %d conversations wait, want 5 of 1", turns, conversations)
				}
				if n, ok := b.LastTurn(tenant, recaller.ConversationID(id)); !ok || n != 6 {
					t.Errorf("got %d, %v as the last turn of the user, want 6", n, ok)
				}
				b.storeIsBack()
				b.say(tenant, id, "user: eight")
				want := []string{"0 one", "1 two", "2 three", "3 four", "4 five", "5 six", "6 seven", "7 eight"}
				b.wantHeard(tenant, "CA1", want...)
				if conversations, _ := b.Waiting(); conversations != 0 {
					t.Errorf("%d conversations wait still", conversations)
				}
				conv, err := b.End(t.Context(), tenant, id, conversation.End{})
				if err != nil || conv.Turns != 8 || conv.Status != recaller.Completed {
					t.Errorf("got %+v, %v; want it completed with 8 turns", conv, err)
				}
				if tenant != ephemeral {
					b.restart()
					b.wantHeard(tenant, "CA1", want...)
				}
			})
		}
	}
}

// An ephemeral call has ended and is not written up yet, so this process still has its words. While the store is away it is
// told as it ended, by whichever way: it was told as active.
func TestAnEndedEphemeralCallIsToldAsEndedWhileTheStoreIsAway(t *testing.T) {
	for name, ends := range map[string]func(b *bench, id string){
		"ended": func(b *bench, id string) {
			b.hangUp(ephemeral, id)
		},
		"ended after an outage": func(b *bench, id string) {
			b.storeIsAway()
			b.hangUp(ephemeral, id)
			b.storeIsBack()
			b.FlushHeld(b.Context())
		},
		"idle": func(b *bench, _ string) {
			b.Clock.Advance(time.Hour)
			closed, err := b.CloseIdle(b.Context())
			b.ok(err)
			if closed != 1 {
				b.Errorf("closed %d idle conversations, want 1", closed)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			id := string(b.begin(ephemeral, conversation.Start{}).Conversation.ID)
			b.say(ephemeral, id, "user: one", "assistant: two")
			ends(b, id)
			there, err := b.Get(t.Context(), ephemeral, id, true)
			b.ok(err)
			b.storeIsAway()
			rec, err := b.Get(t.Context(), ephemeral, id, true)
			b.ok(err)
			got, want := rec.Conversation, there.Conversation
			if want.Status != recaller.Completed || got.Status != want.Status || got.EndReason != want.EndReason ||
				!got.EndedAt.Equal(want.EndedAt) || got.Turns != 2 || len(rec.Turns) != 2 {
				t.Errorf("got %+v with %d turns, want %+v with 2", got, len(rec.Turns), want)
			}
		})
	}
}

// hangUp ends a call.
func (b *bench) hangUp(tenant recaller.TenantID, id string) {
	b.Helper()
	_, err := b.End(b.Context(), tenant, id, conversation.End{Reason: "hangup"})
	b.ok(err)
}

// What is read of a live call while the store is away: itself and its briefing from memory; its words only where they
// are all in memory. Half of them would be taken for the whole.
func TestReadingALiveCallWhileTheStoreIsAway(t *testing.T) {
	for _, tenant := range tenants {
		t.Run(string(tenant), func(t *testing.T) {
			b := newBench(t)
			settings := b.settings[tenant]
			settings.Profile.Business = "Fox Hollow"
			b.settings[tenant] = settings
			started := b.begin(tenant, conversation.Start{Caller: conversation.CallerRef{Phone: phone, Name: "Ana"}})
			id := string(started.Conversation.ID)
			b.say(tenant, id, "user: one")
			b.storeIsAway()
			b.holds(tenant, id, recaller.Once{}, 1, "user: two")
			rec, err := b.Get(t.Context(), tenant, id, false)
			b.ok(err)
			if rec.Conversation.Turns != 2 || rec.Live == nil || len(rec.Live.Turns) != 2 {
				t.Errorf("got %+v, want the call with the two turns at a glance", rec)
			}
			if tenant == ephemeral {
				b.wantHeard(tenant, id, "0 one", "1 two")
			} else {
				_, err = b.Get(t.Context(), tenant, id, true)
				b.is(err, recaller.Unavailable, "")
			}
			told, err := b.Briefing(t.Context(), tenant, id, briefing.Request{})
			b.ok(err)
			if !told.Degraded || told.Reason != briefing.ReasonStore || !strings.Contains(told.Text, "- Name: Ana") || !strings.Contains(told.Text, "Fox Hollow") {
				t.Errorf("got %+v, want a degraded briefing with the names of caller and tenant", told)
			}
			held := b.HeldTurns(tenant, started.Caller.ID)[started.Conversation.ID]
			if !slices.Equal(lines(held), []string{"1 two"}) {
				t.Errorf("held: got %q, want what waits", lines(held))
			}
			if len(b.held) != 1 || !slices.Equal(lines(b.held[0].Turns), []string{"1 two"}) || b.held[0].Caller != started.Caller.ID {
				t.Errorf("told %+v, want the turn that is held", b.held)
			}
			b.faults.Clear() // the store is back, and nothing is written yet
			b.wantHeard(tenant, id, "0 one", "1 two")
		})
	}
}

// A store that hangs holds up one turn for the patience, and no other; that the write succeeds later does not double
// it.
func TestHangingStoreHoldsUpOneTurn(t *testing.T) {
	for _, tenant := range tenants {
		t.Run(string(tenant), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				id := string(b.begin(tenant, conversation.Start{}).Conversation.ID)
				b.say(tenant, id, "user: one")
				want := conversation.DefaultPatience
				if tenant == ephemeral { // nobody was promised that it is kept
					want = conversation.DefaultDeadline
				}
				goOn := b.storeHangs()
				began := time.Now()
				b.holds(tenant, id, recaller.Once{}, 1, "user: two")
				if took := time.Since(began); took != want {
					t.Errorf("the turn took %v, want %v", took, want)
				}
				b.holds(tenant, id, recaller.Once{}, 2, "user: three")
				_, err := b.End(t.Context(), tenant, id, conversation.End{})
				b.ok(err)
				if took := time.Since(began); took != want {
					t.Errorf("what came after it took %v", took-want)
				}
				if waiting := b.FlushHeld(t.Context()); waiting != 1 || time.Since(began) != want {
					t.Errorf("%d wait after %v, want 1, and no wait for what hangs", waiting, time.Since(began)-want)
				}
				goOn()
				synctest.Wait() // the late write goes on with what came after it
				if conversations, _ := b.Waiting(); conversations != 0 {
					t.Errorf("%d conversations wait still", conversations)
				}
				conv, err := b.Find(t.Context(), tenant, id)
				if err != nil || conv.Status != recaller.Completed || conv.Turns != 3 {
					t.Errorf("got %+v, %v; want it ended with 3 turns", conv, err)
				}
				b.wantHeard(tenant, id, "0 one", "1 two", "2 three")
			})
		})
	}
}

// Several requests wait behind a write that hangs: they are answered with it, in their order.
func TestWhatWaitsBehindAHangingWriteIsHeldWithIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		id := string(b.begin(keep, conversation.Start{}).Conversation.ID)
		goOn := b.storeHangs()
		began := time.Now()
		numbers := make(chan int, 5)
		for n := range 5 {
			go func() {
				turns, durable, err := b.AddTurns(context.Background(), keep, id, recaller.Once{}, said(fmt.Sprintf("user: %d", n)))
				if err != nil || durable || turns[0].Number != n {
					t.Errorf("turn %d: got %+v, durable %v, %v", n, turns, durable, err)
				}
				numbers <- n
			}()
			synctest.Wait()
			time.Sleep(100 * time.Millisecond) // of the bubble: nobody waits
		}
		for range 5 {
			<-numbers
		}
		if took := time.Since(began); took != conversation.DefaultPatience {
			t.Errorf("it took %v, want the patience of the first", took)
		}
		goOn()
		synctest.Wait()
		b.wantHeard(keep, id, "0 0", "1 1", "2 2", "3 3", "4 4")
	})
}

// A client that got no answer, or did not trust it, repeats its request during the outage and after it.
func TestRepeatedRequestsDuringAnOutage(t *testing.T) {
	for _, tenant := range tenants {
		for _, state := range []string{"live", "begun without the store"} {
			t.Run(string(tenant)+" "+state, func(t *testing.T) {
				b := newBench(t)
				first, stored := 0, []recaller.Turn(nil)
				before := recaller.Once{Token: "before", Request: "r"}
				if state == "live" {
					b.begin(tenant, conversation.Start{ExternalID: "CA1"})
					var err error
					stored, _, err = b.AddTurns(t.Context(), tenant, "CA1", before, said("user: zero"))
					b.ok(err)
					first = 1
					b.storeIsAway()
				} else {
					b.storeIsAway()
					b.goesOn(tenant, conversation.Start{ExternalID: "CA1"})
				}
				once := recaller.Once{Token: "t", Request: "r"}
				held := b.holds(tenant, "CA1", once, first, "user: one", "user: two")
				b.holds(tenant, "CA1", recaller.Once{}, first+2, "user: three")
				repeat := func(when string, once recaller.Once, want []recaller.Turn, in ...string) {
					t.Helper()
					got, _, err := b.AddTurns(t.Context(), tenant, "CA1", once, said(in...))
					b.ok(err)
					for i := range want {
						if got[i].ID != want[i].ID || got[i].Number != want[i].Number || got[i].Text != want[i].Text {
							t.Errorf("%s: got %+v, want the first answer %+v", when, got[i], want[i])
						}
					}
				}
				repeat("while away", once, held, "user: one", "user: two")
				if state == "live" {
					repeat("of before, while away", before, stored, "user: zero")
				}
				_, _, err := b.AddTurns(t.Context(), tenant, "CA1", recaller.Once{Token: "t", Request: "another"}, said("user: other"))
				b.is(err, recaller.Conflict, "")
				b.storeIsBack()
				repeat("afterwards", once, held, "user: one", "user: two")
				_, err = b.End(t.Context(), tenant, "CA1", conversation.End{})
				b.ok(err)
				repeat("after the end", once, held, "user: one", "user: two")
				want := []string{"0 zero", "1 one", "2 two", "3 three"}
				if state != "live" {
					want = []string{"0 one", "1 two", "2 three"}
				}
				b.wantHeard(tenant, "CA1", want...)
			})
		}
	}
}

// The call ends while the store is away: the end is noted, once, and carried out when it is back.
func TestLiveCallEndsWhileTheStoreIsAway(t *testing.T) {
	for _, tenant := range tenants {
		for name, gone := range map[string]func(*bench){"away": (*bench).storeIsAway, "deaf": (*bench).storeIsDeaf} {
			t.Run(string(tenant)+" "+name, func(t *testing.T) {
				b := newBench(t)
				start := b.Clock.Now()
				id := string(b.begin(tenant, conversation.Start{ExternalID: "CA1"}).Conversation.ID)
				b.say(tenant, id, "user: one")
				gone(b)
				b.holds(tenant, id, recaller.Once{}, 1, "user: two")
				b.Clock.Advance(time.Minute)
				for range 2 {
					got, err := b.End(t.Context(), tenant, id, conversation.End{Status: recaller.Failed, Reason: "dropped"})
					if err != nil || got.Status != recaller.Failed || got.Duration != time.Minute || got.EndReason != "dropped" {
						t.Errorf("got %+v, %v; want it failed after a minute", got, err)
					}
					b.Clock.Advance(time.Minute)
				}
				_, _, err := b.AddTurns(t.Context(), tenant, id, recaller.Once{}, said("user: too late"))
				b.is(err, recaller.Conflict, "")
				_, err = b.Start(t.Context(), tenant, conversation.Start{Caller: conversation.CallerRef{Phone: phone}, ExternalID: "CA1"})
				b.is(err, recaller.Conflict, "")
				if closed, err := b.CloseIdle(t.Context()); err != nil || closed != 0 {
					t.Errorf("closed %d, %v; want none: it has ended", closed, err)
				}
				b.storeIsBack()
				rec, err := b.Get(t.Context(), tenant, id, true)
				b.ok(err)
				c := rec.Conversation
				if c.Status != recaller.Failed || c.EndReason != "dropped" || !c.EndedAt.Equal(start.Add(time.Minute)) || len(rec.Steps) != planned || b.jobs == 0 {
					t.Errorf("got %+v with %d steps, want the end as it was told and a wrap-up", c, len(rec.Steps))
				}
				b.wantHeard(tenant, id, "0 one", "1 two")
				caller, err := b.Store.Caller(t.Context(), tenant, c.Caller)
				if err != nil || caller.Conversations != 1 {
					t.Errorf("got caller %+v, %v; want one conversation counted", caller, err)
				}
			})
		}
	}
}

// The platform sends its webhook again, or the client its request, for a call that is live: it is found without the
// store.
func TestRepeatedStartOfALiveCallFindsIt(t *testing.T) {
	for name, in := range map[string]conversation.Start{
		"by external id": {ExternalID: "CA1"}, "by request": {Once: recaller.Once{Token: "start", Request: "r"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			in.Caller = conversation.CallerRef{Phone: phone, Name: "Ana"}
			first := b.begin(keep, in)
			b.storeIsAway()
			for _, state := range []string{"nothing is held", "a turn is held"} {
				again := b.begin(keep, in)
				if again.Conversation.ID != first.Conversation.ID || !again.Existing || again.Caller.ID != first.Caller.ID || again.Caller.Name != "Ana" {
					t.Errorf("%s: got %+v with %+v, want the live call", state, again.Conversation, again.Caller)
				}
				if !again.Briefing.Degraded || !strings.Contains(again.Briefing.Text, "Ana") {
					t.Errorf("%s: got %+v, want a degraded briefing with what is known", state, again.Briefing)
				}
				b.say(keep, string(first.Conversation.ID), "user: hello")
			}
			b.storeIsBack()
			b.wantHeard(keep, string(first.Conversation.ID), "0 hello", "1 hello")
		})
	}
}

// "The Disconnection" (H6) within an outage: the call drops, the caller rings again, and the agent knows where they
// were.
func TestCallerRingsAgainDuringTheOutage(t *testing.T) {
	for _, known := range []bool{true, false} {
		t.Run(fmt.Sprint("known before ", known), func(t *testing.T) {
			b := newBench(t)
			in := conversation.Start{Caller: conversation.CallerRef{Phone: phone, Name: "Ana"}}
			var id string
			if known {
				id = string(b.begin(keep, in).Conversation.ID)
				b.storeIsAway()
			} else {
				b.storeIsAway()
				id = b.goesOn(keep, in)
			}
			b.say(keep, id, "user: my policy number is twelve")
			back := b.begin(keep, conversation.Start{ExternalID: "back"}) // before anybody ended it
			if text := back.Briefing.Text; !strings.Contains(text, "still open, last words") || !strings.Contains(text, "my policy number is twelve") {
				t.Errorf("what nobody has ended is not told:\n%s", text)
			}
			_, err := b.End(t.Context(), keep, id, conversation.End{Status: recaller.Failed})
			b.ok(err)
			b.Clock.Advance(time.Second)
			other := b.begin(keep, conversation.Start{Caller: conversation.CallerRef{Phone: "+12025550199"}})
			if text := other.Briefing.Text; strings.Contains(text, "Ana") || strings.Contains(text, "twelve") {
				t.Errorf("somebody else is told\n%s", text)
			}
			again := b.begin(keep, conversation.Start{})
			for _, want := range []string{"Name: Ana", "broke off", "my policy number is twelve"} {
				if !strings.Contains(again.Briefing.Text, want) {
					t.Errorf("the briefing lacks %q:\n%s", want, again.Briefing.Text)
				}
			}
			b.storeIsBack()
			b.wantHeard(keep, id, "0 my policy number is twelve")
		})
	}
}

// Each call on the store fails, before or after it was carried out, on the way to writing what a live call held.
func TestWritingWhatALiveCallHeldCanBeInterruptedAnywhere(t *testing.T) {
	for _, tenant := range tenants {
		for _, call := range []string{"append", "close", "find", "turns", "archive"} {
			if call == "turns" && tenant != keep || call == "archive" && tenant != archived {
				continue
			}
			for _, when := range []string{"before", "after"} {
				t.Run(strings.Join([]string{string(tenant), when, call}, " "), func(t *testing.T) {
					b := newBench(t)
					id := string(b.begin(tenant, conversation.Start{ExternalID: "CA1"}).Conversation.ID)
					b.say(tenant, id, "user: one")
					b.storeIsDeaf()
					b.holds(tenant, id, recaller.Once{}, 1, "user: two")
					b.storeIsAway()
					b.holds(tenant, id, recaller.Once{}, 2, "user: three", "user: four")
					b.holds(tenant, id, recaller.Once{Token: "t", Request: "r"}, 4, "user: five")
					_, err := b.End(t.Context(), tenant, id, conversation.End{})
					b.ok(err)
					b.faults.Clear()
					set := b.faults.Before
					if when == "after" {
						set = b.faults.After
					}
					set(call, usecasetest.Once(usecasetest.Away()))
					for passes := 0; b.FlushHeld(t.Context()) > 0; passes++ {
						if passes == 3 {
							t.Fatalf("it waits still\n%s", b.logged)
						}
					}
					b.faults.Clear()
					got, err := b.Find(t.Context(), tenant, "CA1")
					if err != nil || got.Status != recaller.Completed || got.Turns != 5 {
						t.Errorf("got %+v, %v; want it completed with 5 turns", got, err)
					}
					want := []string{"0 one", "1 two", "2 three", "3 four", "4 five"}
					b.wantHeard(tenant, id, want...)
					if tenant != ephemeral {
						b.restart()
						b.wantHeard(tenant, id, want...)
					}
				})
			}
		}
	}
}
