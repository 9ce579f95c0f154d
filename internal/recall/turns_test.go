package recall_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall"
)

// gated is a store that reads words of one caller only when it is let.
type gated struct {
	*longStore
	caller recaller.CallerID
	gate   chan struct{}
}

func (g *gated) Words(
	ctx context.Context, t recaller.TenantID, c recaller.CallerID,
	turns []recaller.TurnRange, convs []recaller.ConversationID,
) (recaller.Words, error) {
	if c == g.caller {
		<-g.gate
	}
	return g.longStore.Words(ctx, t, c, turns, convs)
}

// While the index of a caller of many segments is made, others who said much are not kept waiting until its end: they
// take turns with it, segment by segment. And whoever asks of the same caller meanwhile waits for the same index.
func TestALargeCallerDoesNotHoldUpOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &gated{longStore: newLongStore(), caller: "ann", gate: make(chan struct{})}
		crowd(st.memStore)
		for c := range 4 {
			var texts []string
			for i := range 70 {
				texts = append(texts, fmt.Sprintf("my canary number %d sings in the kitchen", i))
			}
			st.say("acme", "bob", fmt.Sprintf("b%d", c), day(1+c), texts...)
		}
		s := recall.New(st, inSegments)
		defer s.Close()
		ask := func(who recaller.CallerID, text string) chan error {
			done := make(chan error, 1)
			go func() {
				_, err := s.Recall(t.Context(), "acme", who, recall.Query{Text: text})
				done <- err
			}()
			return done
		}
		ann, again := ask("ann", "the kayak"), ask("ann", "the violin")
		synctest.Wait()
		bob := ask("bob", "the canary")
		reads := 0
		for over := false; !over; {
			synctest.Wait()
			select {
			case err := <-bob:
				over = true
				if err != nil {
					t.Errorf("bob: %v", err)
				}
			case st.gate <- struct{}{}:
				reads++
			}
		}
		const most = 6 // two of the latest turns, and one segment for each of his
		if reads > most {
			t.Errorf("bob waited for %d reads of ann's words, want at most %d", reads, most)
		}
		close(st.gate)
		for _, done := range []chan error{ann, again} {
			if err := <-done; err != nil {
				t.Errorf("ann: %v", err)
			}
		}
		if whole := st.pieces.Load(); whole > 2*st.turns("ann")+2*st.turns("bob") {
			t.Errorf("%d turns were read, want each at most twice: by one build, and to be shown", whole)
		}
	})
}

// turns is how many turns a caller has.
func (g *gated) turns(c recaller.CallerID) (n int64) {
	corpus, _ := g.memStore.Corpus(context.Background(), "acme", c)
	for _, turns := range corpus.Turns {
		n += int64(len(turns))
	}
	return n
}

// The index of a caller of many segments takes longer than anybody waits. His first question, and whoever asks meanwhile,
// is answered from the newest words, and told so; the index goes on being made, and a later question is answered whole.
func TestTheFirstQuestionOfALargeCallerIsAnsweredInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &sluggish{newLongStore()}
		crowd(st.memStore)
		s := recall.New(st, inSegments)
		defer s.Close()
		ask := func() recall.Result {
			t.Helper()
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			res, err := s.Recall(ctx, "acme", "ann", recall.Query{Text: "the kayak and the boiler", Limit: 50, Kinds: []recaller.HitKind{recaller.HitTurn}})
			if err != nil {
				t.Fatal(err)
			}
			return res
		}
		for range 2 {
			res := ask()
			if res.Degraded != recall.DegradedNewest || len(res.Hits) == 0 {
				t.Fatalf("got %d hits, %q; want some of the newest words", len(res.Hits), res.Degraded)
			}
			for _, h := range res.Hits {
				if h.Conversation < newest {
					t.Errorf("a hit of %s, want of the newest conversations alone", h.Conversation)
				}
			}
		}
		time.Sleep(2 * time.Minute) // of the bubble's
		res := ask()
		old := slices.ContainsFunc(res.Hits, func(h recaller.Hit) bool { return h.Conversation < newest })
		if res.Degraded != "" || res.Built || !old {
			t.Errorf("when it is made: got %q, %d hits, built anew %v; want it whole, as it was made meanwhile", res.Degraded, len(res.Hits), res.Built)
		}
	})
}

// sluggish is a store that takes three seconds for words that are not new.
type sluggish struct{ *longStore }

// newest is the first of the conversations that lie in no segment.
const newest = "c210"

func (g *sluggish) Words(
	ctx context.Context, t recaller.TenantID, c recaller.CallerID,
	turns []recaller.TurnRange, convs []recaller.ConversationID,
) (recaller.Words, error) {
	if slices.ContainsFunc(convs, func(id recaller.ConversationID) bool { return id < newest }) {
		time.Sleep(3 * time.Second)
	}
	return g.longStore.Words(ctx, t, c, turns, convs)
}
