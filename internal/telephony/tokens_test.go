package telephony

import (
	"strconv"
	"sync"
	"testing"
	"time"
)

// ticker is a clock that is turned by hand.
type ticker struct{ at time.Time }

func (c *ticker) now() time.Time { return c.at }

func TestASocketTakesItsTokenOnce(t *testing.T) {
	t.Parallel()
	clock := &ticker{time.Unix(1_760_000_000, 0)}
	tokens := NewTokens(clock.now)
	call := Call{ID: "CA1", Tenant: "t1", Conversation: "c1"}
	token, ok := tokens.Issue(call)
	again, twice := tokens.Issue(call)
	if !ok || !twice || again != token || len(token) < 40 {
		t.Fatalf("got %q, %v, and again %q, %v, want one token", token, ok, again, twice)
	}
	if _, ok := tokens.Issue(Call{ID: "CA1", Tenant: "t2"}); ok {
		t.Error("another tenant got a token for the call")
	}
	for name, c := range map[string]struct{ id, token string }{
		"another call": {"CA2", token}, "another token": {"CA1", token[1:] + "A"}, "a part of it": {"CA1", token[:10]}, "none": {"CA1", ""},
	} {
		if got, ok := tokens.Take(c.id, c.token); ok {
			t.Errorf("%s: got %+v", name, got)
		}
	}
	clock.at = clock.at.Add(TokenTTL - time.Second)
	if got, ok := tokens.Take("CA1", token); !ok || got != call {
		t.Errorf("got %+v, %v, want the call", got, ok)
	}
	if _, ok := tokens.Take("CA1", token); ok {
		t.Error("the token was taken twice")
	}
	if _, ok := tokens.Issue(call); ok {
		t.Error("a webhook that came again got a token, though the socket is there")
	}
}

func TestATokenIsNoUseAfterItsTime(t *testing.T) {
	t.Parallel()
	clock := &ticker{time.Unix(1_760_000_000, 0)}
	tokens := NewTokens(clock.now)
	token, _ := tokens.Issue(Call{ID: "CA1"})
	clock.at = clock.at.Add(TokenTTL)
	if _, ok := tokens.Take("CA1", token); ok {
		t.Error("an old token was taken")
	}
}

func TestOfManySocketsOneTakesTheToken(t *testing.T) {
	t.Parallel()
	tokens := NewTokens(time.Now)
	token, _ := tokens.Issue(Call{ID: "CA1"})
	var wg sync.WaitGroup
	took := make(chan Call, 50)
	for range cap(took) {
		wg.Go(func() {
			if c, ok := tokens.Take("CA1", token); ok {
				took <- c
			}
		})
	}
	wg.Wait()
	if len(took) != 1 {
		t.Errorf("%d sockets took the token, want 1", len(took))
	}
}

func TestTokensAreBounded(t *testing.T) {
	t.Parallel()
	clock := &ticker{time.Unix(1_760_000_000, 0)}
	tokens := NewTokens(clock.now)
	first, _ := tokens.Issue(Call{ID: "0"})
	for i := 1; i < maxTokens; i++ {
		if _, ok := tokens.Issue(Call{ID: strconv.Itoa(i)}); !ok {
			t.Fatalf("call %d got no token", i)
		}
	}
	if _, ok := tokens.Issue(Call{ID: "more"}); ok {
		t.Error("one more got a token")
	}
	if _, ok := tokens.Take("0", first); !ok {
		t.Error("the first lost its token to the others")
	}
	clock.at = clock.at.Add(TokenTTL)
	if _, ok := tokens.Issue(Call{ID: "more"}); !ok {
		t.Error("there is no room, though all others are too old")
	}
}

func TestAShelfDropsTheOldest(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	s := newShelf[int](2, time.Minute)
	s.put("a", 1, now)
	s.put("b", 2, now.Add(time.Second))
	s.put("a", 3, now.Add(2*time.Second)) // is the youngest now
	s.put("c", 4, now.Add(3*time.Second))
	if _, ok := s.get("b", now); ok {
		t.Error("the oldest is still there")
	}
	if v, ok := s.get("a", now.Add(time.Minute)); !ok || v != 3 {
		t.Errorf("got %d, %v, want what was put last", v, ok)
	}
	if s.prune(now.Add(2*time.Second + time.Minute)); len(s.names()) != 1 || s.names()[0] != "c" {
		t.Errorf("got %v, want what is not too old", s.names())
	}
}
