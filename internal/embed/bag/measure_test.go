//go:build measure

package bag

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/devdata"
	"github.com/recallerhq/recaller/internal/recall/evalset"
	"github.com/recallerhq/recaller/internal/wrapup/summary"
)

// asked is a question and the conversations that are searched for it, those of one user.
type asked struct {
	text  string
	among []string
	gold  []string // that hold the answer
}

// Search over conversations by the bag alone, as P6 embeds them: the summary's first part, or the whole of it, and the first 500
// characters. Ranked among one user's conversations, and among those of all users, as a tenant's search does. Where stems happen
// to meet is luck: the figures are means over six seeds, and those of the one that is served stand first.
//
//	go test -tags measure ./internal/embed/bag -run TestSearchOverConversations -v
func TestSearchOverConversations(t *testing.T) {
	questions, briefs, wholes := longMemEval(t)
	t.Logf("n = %d questions, %d conversations", len(questions), len(briefs))
	served, plain, once, alike := ours(), ours(), ours(), ours()
	plain.weigh = func(_ string, n int) int64 { return rareWeight * often(n) }
	once.places = 1
	alike.weigh = func(stem string, _ int) int64 { return weight(stem, 1) }
	narrow, wide := ours(), ours()
	narrow.width, wide.width = 128, 512
	for _, form := range []struct {
		name string
		docs map[string]string
	}{{"brief", briefs}, {"whole summary", wholes}} {
		counts := map[string]map[string]int{}
		for id, doc := range form.docs {
			counts[id] = count(doc)
		}
		got := ranks(questions, counts, served)
		t.Logf("%s, as served: %s", form.name, got)
		if got.own.within(5) < 0.8 {
			t.Errorf("%s: any@5 among one user's conversations is %.3f, want at least 0.8", form.name, got.own.within(5))
		}
		for _, v := range []struct {
			name string
			sketch
		}{
			{"256 wide", served},
			{"128 wide", narrow},
			{"512 wide", wide},
			{"one place for each stem", once},
			{"common stems in full", plain},
			{"how often does not matter", alike},
		} {
			var sum found
			for seed := range uint64(6) {
				v.seed = seed
				r := ranks(questions, counts, v.sketch)
				sum.own, sum.all = append(sum.own, r.own...), append(sum.all, r.all...)
			}
			t.Logf("%s, %s: %s", form.name, v.name, sum)
		}
	}
}

// longMemEval reads the development questions. A conversation is one user's; another user's with the same id is another.
func longMemEval(t *testing.T) (questions []asked, briefs, wholes map[string]string) {
	set, err := evalset.Load(devdata.Path(t, "longmemeval_s_dev.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	briefs, wholes = map[string]string{}, map[string]string{}
	for user, q := range set {
		own := func(id recaller.ConversationID) string { return fmt.Sprint(user, "/", id) }
		a := asked{text: q.Text}
		for _, id := range q.Sessions {
			a.gold = append(a.gold, own(id))
		}
		for _, c := range q.Corpus.Conversations {
			id, turns := own(c.ID), q.Corpus.Turns[c.ID]
			a.among = append(a.among, id)
			s, first := summary.Write(turns, summary.Options{}), beginning(turns)
			lines := slices.Concat([]string{s.Brief}, s.Topics, s.Decisions, s.Actions, s.Facts, []string{s.Next})
			briefs[id] = s.Brief + "\n\n" + first
			wholes[id] = strings.Join(lines, "\n") + "\n\n" + first
		}
		questions = append(questions, a)
	}
	return questions, briefs, wholes
}

// beginning is the first 500 characters of a conversation.
func beginning(turns []recaller.Turn) string {
	var said []rune
	for _, turn := range turns {
		if said = append(said, []rune(string(turn.Speaker)+": "+turn.Text+"\n")...); len(said) >= 500 {
			return string(said[:500])
		}
	}
	return string(said)
}

// found is where the first conversation that holds the answer stands, for each question: among the user's own conversations, and
// among all.
type found struct{ own, all places }

func (f found) String() string {
	return fmt.Sprintf("one user's any@1/5/10 %.3f %.3f %.3f, everybody's %.3f %.3f %.3f",
		f.own.within(1), f.own.within(5), f.own.within(10), f.all.within(1), f.all.within(5), f.all.within(10))
}

// places count from 1.
type places []int

// within is the share of places among the first k.
func (p places) within(k int) float64 {
	n := 0
	for _, at := range p {
		if at <= k {
			n++
		}
	}
	return float64(n) / float64(len(p))
}

// ranks searches for all questions. Equals of the right one stand before it.
func ranks(questions []asked, docs map[string]map[string]int, k sketch) found {
	vectors := map[string][]float32{}
	for id, counts := range docs {
		vectors[id] = k.of(counts)
	}
	everybody := slices.Collect(maps.Keys(docs))
	var f found
	for _, q := range questions {
		v := k.of(count(q.text))
		best := float32(-2)
		for _, id := range q.gold {
			best = max(best, dot(v, vectors[id]))
		}
		place := func(among []string) int {
			n := 1
			for _, id := range among {
				if dot(v, vectors[id]) >= best && !slices.Contains(q.gold, id) {
					n++
				}
			}
			return n
		}
		f.own, f.all = append(f.own, place(q.among)), append(f.all, place(everybody))
	}
	return f
}

func dot(a, b []float32) (sum float32) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}
