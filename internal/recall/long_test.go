package recall_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall"
)

// longStore is a store in memory that can read a caller in pieces.
type longStore struct {
	*memStore
	pieces  atomic.Int64 // turns that were read in pieces
	damaged recaller.TurnID
	failing atomic.Bool
}

func newLongStore() *longStore { return &longStore{memStore: newStore()} }

func (m *longStore) Outline(ctx context.Context, t recaller.TenantID, c recaller.CallerID, turns int) (recaller.Outline, bool, error) {
	corpus, err := m.memStore.Corpus(ctx, t, c)
	if err != nil {
		return recaller.Outline{}, false, err
	}
	n := 0
	o := recaller.Outline{Corpus: corpus}
	for i := range o.Conversations {
		conv := &o.Conversations[i]
		conv.Turns = len(corpus.Turns[conv.ID])
		n += conv.Turns
		o.Marks = append(o.Marks, fmt.Sprint(conv.Summary))
		conv.Summary, conv.ExternalID = nil, ""
	}
	o.Turns = nil
	return o, n > turns, nil
}

func (m *longStore) Words(ctx context.Context, t recaller.TenantID, c recaller.CallerID, turns []recaller.TurnRange, convs []recaller.ConversationID) (recaller.Words, error) {
	if m.failing.Load() {
		return recaller.Words{}, recaller.Errorf(recaller.Unavailable, "the store is away")
	}
	corpus, err := m.memStore.Corpus(ctx, t, c)
	if err != nil {
		return recaller.Words{}, err
	}
	out := recaller.Words{Turns: map[recaller.ConversationID][]recaller.Turn{}}
	for _, r := range turns {
		for _, turn := range corpus.Turns[r.Conversation] {
			if turn.Number >= r.From && turn.Number < r.To {
				if turn.ID == m.damaged {
					out.Damaged = append(out.Damaged, recaller.DamagedRow{Table: "turns", ID: string(turn.ID)})
					continue
				}
				out.Turns[r.Conversation] = append(out.Turns[r.Conversation], turn)
				m.pieces.Add(1)
			}
		}
	}
	for _, conv := range corpus.Conversations {
		if slices.Contains(convs, conv.ID) {
			out.Conversations = append(out.Conversations, conv)
		}
	}
	return out, nil
}

// inSegments are options by which a few hundred turns are many.
var inSegments = recall.Options{Longer: 100, Segment: 150}

// crowd fills a store with a caller who said some thousands of turns about many things, in English and German.
func crowd(st *memStore) {
	talk := newTalker()
	rng := rand.New(rand.NewPCG(1, 1))
	things := strings.Fields("kayak boiler dentist surgery wedding garden invoice parking violin allergy passport mortgage puppy marathon recipe")
	for c := range 240 {
		conv := fmt.Sprintf("c%03d", c)
		var texts []string
		for range 8 + rng.IntN(12) {
			text := talk.say(12 + rng.IntN(14))
			switch rng.IntN(6) {
			case 0:
				text = "I told you about my " + things[rng.IntN(len(things))] + " and the " + things[rng.IntN(len(things))] + ", " + text
			case 1:
				text = "Ich habe gestern mit der Werkstatt über die " + things[rng.IntN(len(things))] + " gesprochen und nicht mit dem Nachbarn."
			}
			texts = append(texts, text)
		}
		at := day(1).Add(time.Duration(c) * 30 * time.Hour)
		st.say("acme", "ann", conv, at, texts...)
		if c < 235 {
			st.summarise("acme", "ann", conv, at.Add(time.Hour), recaller.Summary{Brief: "Spoke of the " + things[c%len(things)] + ".", Facts: []string{talk.say(9)}})
		}
	}
	st.write("acme", "ann", func(c *recaller.Corpus) recaller.Change {
		for i := range c.Turns["c077"] {
			c.Turns["c077"][i].Name = "Brenda Miller"
		}
		return recaller.Change{Zone: true}
	})
	for i, thing := range things {
		st.remember("acme", "ann", thing, talk.say(5)+" "+thing, day(2+i))
	}
	st.remember("acme", "ann", "kayak", "red kayak now", day(90))
}

var longQueries = []recall.Query{
	{Text: "What did I say about the kayak?"},
	{Text: "dentist surgery allergy", Limit: 30, Neighbours: 3},
	{Text: "Was habe ich über die Werkstatt erzählt?"},
	{Text: "Remind me what you said about the wedding and the violin", Limit: 20},
	{Text: "what happened before the surgery?", Now: day(200)},
	{Text: "the mortgage in June 2024", Now: day(200)},
	{Text: "boats and water", Limit: 50},
	{Text: "What did we discuss three weeks ago about the garden?", Now: day(160)},
	{Text: "What did Brenda say about the recipe?"},
	{Text: "the boiler", AsOf: day(60)},
	{Text: "invoice", Kinds: []recaller.HitKind{recaller.HitSummary}},
	{Text: "passport", Kinds: []recaller.HitKind{recaller.HitMemory}},
	{Text: "parking", Exclude: "c030", Limit: 40, Neighbours: -1},
	{Text: "puppy", Written: true},
	{Text: "marathon recipe", Explain: true},
	{Text: "zzzqqq"},
}

// TestSegmentsFindWhatTheWholeFinds: what is found in segments, whose vectors are rough, is what is found where all is
// held.
func TestSegmentsFindWhatTheWholeFinds(t *testing.T) {
	t.Parallel()
	st := newLongStore()
	crowd(st.memStore)
	whole, parts := recall.New(st, recall.Options{}), recall.New(st, inSegments)
	same, all := 0, 0
	for _, q := range longQueries {
		want, err := whole.Recall(t.Context(), "acme", "ann", q)
		if err != nil {
			t.Fatal(err)
		}
		got, err := parts.Recall(t.Context(), "acme", "ann", q)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Hits) != len(want.Hits) || got.Version != want.Version {
			t.Errorf("%q: got %d hits of version %d, want %d of %d", q.Text, len(got.Hits), got.Version, len(want.Hits), want.Version)
		}
		by := make(map[string]recaller.Hit)
		for _, h := range want.Hits {
			by[string(h.Kind)+h.ID] = h
		}
		for i, h := range got.Hits {
			all++
			w, ok := by[string(h.Kind)+h.ID]
			if !ok {
				continue
			}
			same++
			if math.Abs(h.Score-w.Score) > 0.5 {
				t.Errorf("%q, hit %d: got the score %.2f, want about %.2f", q.Text, i, h.Score, w.Score)
			}
			if diff := cmp.Diff(w, h, cmpopts.IgnoreFields(recaller.Hit{}, "Score", "Why")); diff != "" {
				t.Errorf("%q, hit %d: %s", q.Text, i, diff)
			}
			if q.Explain && len(h.Why.Parts) != len(w.Why.Parts) || q.Explain && !cmp.Equal(h.Why.Terms, w.Why.Terms, cmpopts.EquateApprox(0, 0.001)) {
				t.Errorf("%q, hit %d: got the reasons %+v, want %+v", q.Text, i, h.Why, w.Why)
			}
		}
	}
	if share := float64(same) / float64(all); share < 0.95 {
		t.Errorf("got %d of %d hits that the whole finds, want 95 in 100", same, all)
	}
	if st.pieces.Load() == 0 {
		t.Error("nothing was read in pieces")
	}
}

// TestALongCallerIsKeptCurrent: what is said, summed up, remembered and forgotten is in the next search.
func TestALongCallerIsKeptCurrent(t *testing.T) {
	t.Parallel()
	st := newLongStore()
	crowd(st.memStore)
	s := recall.New(st, inSegments)
	told := func(c recaller.Change) { s.Apply(c) }
	if got := found(t, s, "acme", "ann", recall.Query{Text: "xylophone"}); len(got) != 0 {
		t.Fatalf("got %v, want nothing", got)
	}
	built := st.readCount()
	told(st.say("acme", "ann", "c239", day(400), "I play the xylophone."))
	if got := found(t, s, "acme", "ann", recall.Query{Text: "xylophone"}); len(got) != 1 {
		t.Errorf("a new turn: got %v, want one hit", got)
	}
	told(st.remember("acme", "ann", "instrument", "xylophone", day(401)))
	if got := found(t, s, "acme", "ann", recall.Query{Text: "xylophone", Kinds: []recaller.HitKind{recaller.HitMemory}}); len(got) != 1 {
		t.Errorf("a new memory: got %v, want one hit", got)
	}
	if st.readCount()-built > 4 {
		t.Errorf("got %d readings of the corpus, want those of the hits alone", st.readCount()-built)
	}
	told(st.summarise("acme", "ann", "c010", day(402), recaller.Summary{Brief: "They spoke of a glockenspiel."}))
	if got := found(t, s, "acme", "ann", recall.Query{Text: "glockenspiel"}); !slices.Equal(got, []string{"c010"}) {
		t.Errorf("a summary of an old conversation: got %v, want c010", got)
	}
	for i := range 40 {
		told(st.say("acme", "ann", "c238", day(403).Add(time.Duration(i)*time.Minute), strings.Split(strings.Repeat("More of it,", 20)+"the end", ",")...))
	}
	if got := found(t, s, "acme", "ann", recall.Query{Text: "xylophone", Kinds: []recaller.HitKind{recaller.HitTurn}}); len(got) != 1 {
		t.Errorf("after many more turns: got %v, want one hit", got)
	}
}

// TestWhatWasForgottenIsNotFoundInSegments: nor is a summary that tells of it, nor a turn beside a hit; brought back it
// is found again.
func TestWhatWasForgottenIsNotFoundInSegments(t *testing.T) {
	t.Parallel()
	st := newLongStore()
	crowd(st.memStore)
	st.say("acme", "ann", "c000", day(1), "My blood type is zebra positive.", "Noted.", "And I like figs.")
	st.summarise("acme", "ann", "c000", day(2), recaller.Summary{Brief: "Her blood type is zebra positive."})
	s := recall.New(st, inSegments)
	ask := func() []string { return found(t, s, "acme", "ann", recall.Query{Text: "zebra"}) }
	if got := ask(); len(got) != 2 {
		t.Fatalf("before: got %v, want the turn and the summary", got)
	}
	forget := func(on bool) {
		s.Apply(st.write("acme", "ann", func(c *recaller.Corpus) recaller.Change {
			m := recaller.Memory{ID: "m-blood", Version: 1, Key: "blood_type", Value: "zebra positive", Status: recaller.MemoryForgotten, CreatedAt: day(2), ClosedAt: day(300)}
			if !on {
				c.Forgotten = nil
				return recaller.Change{Zone: true}
			}
			c.Forgotten = []recaller.Memory{m}
			return recaller.Change{Memories: c.Forgotten, Forgotten: c.Forgotten}
		}))
	}
	forget(true)
	if got := ask(); len(got) != 0 {
		t.Errorf("forgotten: got %v, want nothing", got)
	}
	res, err := s.Recall(t.Context(), "acme", "ann", recall.Query{Text: "figs", Neighbours: 5})
	if err != nil || len(res.Hits) == 0 {
		t.Fatalf("got %d hits and %v", len(res.Hits), err)
	}
	for _, n := range res.Hits[0].Neighbours {
		if strings.Contains(n.Text, "zebra") {
			t.Error("a forgotten turn is shown beside a hit")
		}
	}
	if got := found(t, s, "acme", "ann", recall.Query{Text: "zebra", Forgotten: true}); len(got) < 2 {
		t.Errorf("for an audit: got %v, want the turn and the summary", got)
	}
	forget(false)
	if got := ask(); len(got) != 2 {
		t.Errorf("brought back: got %v, want the turn and the summary", got)
	}
}

// TestManySearchesOfALongCallerAtOnce find what each finds alone, whichever of them processors help.
func TestManySearchesOfALongCallerAtOnce(t *testing.T) {
	t.Parallel()
	st := newLongStore()
	crowd(st.memStore)
	s := recall.New(st, inSegments)
	var alone [][]string
	for _, q := range longQueries {
		alone = append(alone, found(t, s, "acme", "ann", q))
	}
	for n := range 4 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			for i, q := range longQueries {
				if got := found(t, s, "acme", "ann", q); !slices.Equal(got, alone[i]) {
					t.Errorf("%q: got %v, want %v", q.Text, got, alone[i])
				}
			}
		})
	}
}

// TestADamagedTurnIsMissing: all else is found, and the log names its row. Where the store is away the search says so.
func TestADamagedTurnIsMissing(t *testing.T) {
	t.Parallel()
	st := newLongStore()
	crowd(st.memStore)
	st.say("acme", "ann", "c000", day(1), "A quokka.", "A quokka indeed.")
	var log bytes.Buffer
	opts := inSegments
	opts.Log = slog.New(slog.NewTextHandler(&log, nil))
	s := recall.New(st, opts)
	q := recall.Query{Text: "quokka"}
	got := found(t, s, "acme", "ann", q)
	if len(got) != 2 {
		t.Fatalf("got %v, want both turns", got)
	}
	st.damaged = recaller.TurnID(got[0])
	if now := found(t, s, "acme", "ann", q); !slices.Equal(now, got[1:]) {
		t.Errorf("got %v, want %v", now, got[1:])
	}
	if want := "tenant=acme table=turns id=" + got[0] + "\n"; !strings.Contains(log.String(), want) || strings.Contains(log.String(), "quokka") {
		t.Errorf("got the log %q, want %q and nothing that was said", log.String(), want)
	}
	st.failing.Store(true)
	if _, err := s.Recall(t.Context(), "acme", "ann", q); recaller.KindOf(err) != recaller.Unavailable {
		t.Errorf("got %v, want unavailable", err)
	}
}

// drawer keeps segments in memory.
type drawer struct {
	mu   sync.Mutex
	kept map[string][]byte
	puts int
}

func (s *drawer) Segments(_ context.Context, _ recaller.TenantID, _ recaller.CallerID, wanted func(string) bool, take func(string, []byte)) (others []string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, body := range s.kept {
		if !wanted(name) {
			others = append(others, name)
			continue
		}
		take(name, slices.Clone(body))
	}
	return others, nil
}

func (s *drawer) PutSegment(_ context.Context, _ recaller.TenantID, _ recaller.CallerID, name string, body []byte, others []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range others {
		delete(s.kept, o)
	}
	s.puts++
	s.kept[name] = body
	return nil
}

// TestSegmentsThatAreKeptAreNotMadeAnew: but those that are damaged, or whose words changed.
func TestSegmentsThatAreKeptAreNotMadeAnew(t *testing.T) {
	t.Parallel()
	st, kept := newLongStore(), &drawer{kept: map[string][]byte{}}
	crowd(st.memStore)
	opts := inSegments
	opts.Segments = kept
	ask := func() (ids [][]string, made int) {
		before := kept.puts
		s := recall.New(st, opts) // as after a restart
		for _, q := range longQueries {
			ids = append(ids, found(t, s, "acme", "ann", q))
		}
		return ids, kept.puts - before
	}
	want, made := ask()
	if all := len(kept.kept); made != all || all < 10 {
		t.Fatalf("got %d segments made and %d kept, want as many and more than ten", made, all)
	}
	same := func(about string, wantMade int) {
		t.Helper()
		all := len(kept.kept)
		got, made := ask()
		if made != wantMade || len(kept.kept) != all {
			t.Errorf("%s: got %d segments made and %d kept, want %d and %d", about, made, len(kept.kept), wantMade, all)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: other hits: %s", about, diff)
		}
	}
	same("all are kept", 0)
	damaged := 0
	for name, body := range kept.kept {
		switch damaged++; damaged {
		case 1:
			kept.kept[name] = body[:len(body)/2]
		case 2:
			kept.kept[name] = append([]byte{9}, body...)
		}
	}
	same("two are damaged", 2)
	st.summarise("acme", "ann", "c020", day(1), recaller.Summary{Brief: "They spoke of a glockenspiel."})
	s := recall.New(st, opts)
	if got := found(t, s, "acme", "ann", recall.Query{Text: "glockenspiel"}); !slices.Equal(got, []string{"c020"}) {
		t.Errorf("a new summary: got %v, want c020", got)
	}
}
