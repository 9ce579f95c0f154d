package recall_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/recall/index"
)

// The corpus of the benchmarks: as many turns as spec section 6 asks for, of words whose frequencies fall as they do
// in speech: English words first, which have vectors, then names.
const (
	benchTurns        = 10_000
	benchWordsPerTurn = 25
	benchConversation = 50 // turns
	benchVocabulary   = 12_000
)

type talker struct {
	rng   *rand.Rand
	zipf  *rand.Zipf
	words []string
}

func newTalker() *talker {
	rng := rand.New(rand.NewPCG(7, 11))
	t := &talker{rng: rng, zipf: rand.NewZipf(rng, 1.07, 4, benchVocabulary-1)}
	t.words = append(t.words, "i", "the", "to", "and", "a", "you", "that", "it", "of", "is", "in", "my", "for", "have", "was")
	english, err := os.ReadFile(filepath.Join("..", "briefing", "words.txt"))
	if err != nil {
		panic(err)
	}
	for _, w := range strings.Fields(string(english)) {
		if len(w) > 2 && strings.ToLower(w) == w {
			t.words = append(t.words, w)
		}
	}
	rng.Shuffle(len(t.words)-15, func(i, j int) { t.words[15+i], t.words[15+j] = t.words[15+j], t.words[15+i] })
	syllables := []string{"ba", "cor", "den", "fi", "gul", "ham", "lo", "mer", "nit", "pos", "ra", "sun", "tev", "wil", "zan"}
	for len(t.words) < benchVocabulary {
		var w strings.Builder
		for range 1 + rng.IntN(4) {
			w.WriteString(syllables[rng.IntN(len(syllables))])
		}
		w.WriteString([]string{"", "s", "ing", "ed", "er"}[rng.IntN(5)])
		t.words = append(t.words, w.String())
	}
	return t
}

func (t *talker) say(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = t.words[t.zipf.Uint64()]
	}
	return strings.Join(words, " ") + "."
}

func benchCorpus() recaller.Corpus {
	t := newTalker()
	c := recaller.Corpus{Version: 1, Turns: make(map[recaller.ConversationID][]recaller.Turn)}
	for i := range benchTurns {
		id := recaller.ConversationID(fmt.Sprintf("conversation-%06d", i/benchConversation))
		at := day(1).Add(time.Duration(i) * time.Hour)
		if i%benchConversation == 0 {
			c.Conversations = append(c.Conversations, recaller.Conversation{ID: id, StartedAt: at, Summary: &recaller.Summary{Brief: t.say(30)}})
		}
		speaker := recaller.User
		if i%2 == 1 {
			speaker = recaller.Assistant
		}
		c.Turns[id] = append(c.Turns[id], recaller.Turn{
			ID: recaller.TurnID(fmt.Sprintf("turn-%026d", i)), Number: i % benchConversation, Speaker: speaker, Text: t.say(2 + t.rng.IntN(2*benchWordsPerTurn-3)), At: at,
		})
	}
	for i := range 500 {
		c.Memories = append(c.Memories, recaller.Memory{ID: recaller.MemoryID(fmt.Sprint("m", i)), Key: "key", Value: t.say(6), Status: recaller.MemoryActive, CreatedAt: day(1)})
	}
	return c
}

// fixed is a source that holds one corpus.
type fixed struct{ corpus recaller.Corpus }

func (f fixed) ContentVersion(context.Context, recaller.TenantID, recaller.CallerID) (int64, error) {
	return f.corpus.Version, nil
}

func (f fixed) Corpus(context.Context, recaller.TenantID, recaller.CallerID) (recaller.Corpus, error) {
	return f.corpus, nil
}

func BenchmarkRecall10k(b *testing.B) {
	s := recall.New(fixed{benchCorpus()}, recall.Options{})
	t := newTalker()
	queries := make([]string, 512)
	for i := range queries {
		queries[i] = "What did I say about " + t.say(3+i%10)
	}
	hits := 0
	ask := func(i int) {
		res, err := s.Recall(b.Context(), "acme", "ann", recall.Query{Text: queries[i%len(queries)]})
		if err != nil {
			b.Fatal(err)
		}
		hits += len(res.Hits)
	}
	ask(0)
	var took []time.Duration
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		began := time.Now()
		ask(i)
		took = append(took, time.Since(began))
		i++
	}
	b.ReportMetric(float64(hits)/float64(i+1), "hits/op")
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100])/float64(time.Millisecond), "p99-ms")
	b.ReportMetric(float64(took[len(took)/2])/float64(time.Millisecond), "p50-ms")
}

func BenchmarkBuild10k(b *testing.B) {
	c := benchCorpus()
	text := 0
	for _, turns := range c.Turns {
		for _, t := range turns {
			text += len(t.Text)
		}
	}
	var ix *index.Index
	b.ReportAllocs()
	b.SetBytes(int64(text))
	for b.Loop() {
		ix = index.Build(c, index.DefaultWeights())
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(time.Millisecond), "ms/build")
	b.ReportMetric(float64(ix.Bytes())/(1<<20), "MiB")
	b.ReportMetric(float64(ix.Bytes()-int64(text))/benchTurns, "B/turn-beside-text")
}

func BenchmarkApply(b *testing.B) {
	c := benchCorpus()
	s := recall.New(fixed{c}, recall.Options{MaxBytes: 1 << 40})
	if _, err := s.Recall(b.Context(), "acme", "ann", recall.Query{Text: "x"}); err != nil {
		b.Fatal(err)
	}
	t := newTalker()
	conv := recaller.Conversation{ID: "new", StartedAt: day(1)}
	version := c.Version
	for b.Loop() {
		version++
		n := int(version)
		s.Apply(recaller.Change{Tenant: "acme", Caller: "ann", Version: version, Conversation: &conv, Turns: []recaller.Turn{{Number: n, Text: t.words[n%len(t.words)] + " and so on", Speaker: recaller.User}}})
	}
}
