//go:build measure

package search

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/devdata"
	"github.com/recallerhq/recaller/internal/embed/static"
	"github.com/recallerhq/recaller/internal/eval"
	"github.com/recallerhq/recaller/internal/search/stems"
	"github.com/recallerhq/recaller/internal/usecasetest"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
	"github.com/recallerhq/recaller/internal/wrapup/summary"
)

// way ranks what the legs came up with.
type way struct {
	name string
	rank func(words []recaller.Near, cosines map[recaller.ConversationID]float64) []recaller.ConversationID
}

func ways() []way {
	out := []way{
		{"words alone", func(words []recaller.Near, _ map[recaller.ConversationID]float64) []recaller.ConversationID {
			return order(words)
		}},
		{"vectors alone", func(_ []recaller.Near, cosines map[recaller.ConversationID]float64) []recaller.ConversationID {
			return order(nearest(cosines))
		}},
	}
	for _, w := range []float64{1, 0.5, 0.25} {
		out = append(out, way{fmt.Sprintf("reciprocal ranks (60), words + %g × vectors", w), func(words []recaller.Near, cosines map[recaller.ConversationID]float64) []recaller.ConversationID {
			return reciprocal(words, nearest(cosines), w)
		}})
	}
	for _, w := range []float64{4, 2, 1, 0.5, 0.25} {
		out = append(out, way{fmt.Sprintf("share of the best match + %g × cosine", w), func(words []recaller.Near, cosines map[recaller.ConversationID]float64) []recaller.ConversationID {
			return sum(words, cosines, w)
		}})
	}
	return append(out, way{"**search**", func(words []recaller.Near, cosines map[recaller.ConversationID]float64) []recaller.ConversationID {
		var ids []recaller.ConversationID
		for _, c := range fuse(words, cosines, false) {
			ids = append(ids, c.id)
		}
		return ids
	}})
}

func order(list []recaller.Near) []recaller.ConversationID {
	ids := make([]recaller.ConversationID, len(list))
	for i, n := range list {
		ids[i] = n.Conversation
	}
	return ids
}

func nearest(scores map[recaller.ConversationID]float64) []recaller.Near {
	var list []recaller.Near
	for id, score := range scores {
		list = append(list, recaller.Near{Conversation: id, Score: score})
	}
	slices.SortFunc(list, func(a, b recaller.Near) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Conversation, b.Conversation))
	})
	return list
}

func reciprocal(words, vectors []recaller.Near, weight float64) []recaller.ConversationID {
	scores := map[recaller.ConversationID]float64{}
	for i, n := range words {
		scores[n.Conversation] += 1 / float64(61+i)
	}
	for i, n := range vectors {
		scores[n.Conversation] += weight / float64(61+i)
	}
	return order(nearest(scores))
}

func sum(words []recaller.Near, cosines map[recaller.ConversationID]float64, weight float64) []recaller.ConversationID {
	scores := map[recaller.ConversationID]float64{}
	for id, c := range cosines {
		scores[id] = weight * max(0, c)
	}
	for _, n := range words {
		scores[n.Conversation] += n.Score / words[0].Score
	}
	return order(nearest(scores))
}

// tally counts where the first conversation that holds the answer stands.
type tally struct{ n, at1, at5, at10 int }

func (c *tally) add(ranked, gold []recaller.ConversationID) {
	c.n++
	place := slices.IndexFunc(ranked, func(id recaller.ConversationID) bool { return slices.Contains(gold, id) })
	if place < 0 {
		place = math.MaxInt
	}
	for k, hits := range map[int]*int{1: &c.at1, 5: &c.at5, 10: &c.at10} {
		if place < k {
			*hits++
		}
	}
}

// form is a way to make a text of a conversation, and the name of the vectors that are made of it.
type form struct {
	name string
	text func(*recaller.Summary, []recaller.Turn) string
}

func forms() []form {
	return []form{
		{"the whole summary and 500 characters", document},
		{"the brief and 500 characters", func(s *recaller.Summary, turns []recaller.Turn) string {
			return s.Brief + "\n\n" + beginning(turns, opening)
		}},
		{"500 characters alone", func(_ *recaller.Summary, turns []recaller.Turn) string { return beginning(turns, opening) }},
		{"the brief alone", func(s *recaller.Summary, _ []recaller.Turn) string { return s.Brief }},
	}
}

// TestMeasureSearch holds the ways to put both legs together against each other, on the development questions and the
// embedded store: in each user's own conversations, and in all users' together.
func TestMeasureSearch(t *testing.T) {
	questions, err := eval.Load(devdata.Path(t, "longmemeval_s_dev.json.gz"), eval.LongMemEval)
	if err != nil {
		t.Fatal(err)
	}
	m := &measured{T: t, Place: usecasetest.Open(t), kept: map[recaller.TenantID]map[recaller.ConversationID]bool{}, own: map[string]*tally{}, all: map[string]*tally{}}
	m.MakeTenant(t, recaller.Tenant{ID: "all", Name: "all"})
	for i, q := range questions {
		own := recaller.TenantID(fmt.Sprintf("own-%03d", i))
		m.MakeTenant(t, recaller.Tenant{ID: own, Name: string(own)})
		m.fill(own, q)
		m.fill("all", q)
		m.ask(own, q, m.own)
	}
	for _, q := range questions {
		m.ask("all", q, m.all)
	}
	t.Logf("%d questions; together %d conversations", len(questions), len(m.kept["all"]))
	for _, f := range forms() {
		t.Log("\nembedded: " + f.name + "\n" + table("each user's own", f, m.own) + table("all together", f, m.all))
	}
}

// measured is a store with the questions' conversations, and what was counted.
type measured struct {
	*testing.T
	*usecasetest.Place
	kept     map[recaller.TenantID]map[recaller.ConversationID]bool
	own, all map[string]*tally
}

// fill keeps a question's conversations under a tenant, each once.
func (m *measured) fill(tenant recaller.TenantID, q eval.Case) {
	m.Helper()
	if m.kept[tenant] == nil {
		m.kept[tenant] = map[recaller.ConversationID]bool{}
	}
	for _, conv := range q.Corpus.Conversations {
		id := stored(tenant, q, conv.ID)
		if m.kept[tenant][id] {
			continue
		}
		m.kept[tenant][id] = true
		turns := q.Corpus.Turns[conv.ID]
		kept := conv
		kept.ID, kept.ExternalID, kept.Turns, kept.Direction, kept.Imported = id, "", 0, recaller.Inbound, true
		done, err := m.Store.ImportConversation(m.Context(), tenant, recaller.Importing{Opening: recaller.Opening{
			Identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: "+12125550123"}}, NewCaller: recaller.CallerID("p-" + tenant), Conversation: kept,
		}})
		if err != nil {
			m.Fatal(err)
		}
		sum := summary.Write(reading.Of(turns, conv.StartedAt, false), summary.Options{Typed: true})
		in := recaller.Indexing{Conversation: kept.ID, Caller: done.Caller.ID, Stems: stems.Count(append(written(&sum), said(turns)...)...), At: conv.EndedAt}
		for _, f := range forms() {
			in.Embeddings = []recaller.Embedding{{Model: f.name, Vector: static.Vector(f.text(&sum, turns))}}
			if err := m.Store.PutIndexing(m.Context(), tenant, in); err != nil {
				m.Fatal(err)
			}
			in.Stems = nil
		}
	}
}

// stored is the id of a session under a tenant: ids are the installation's. Sessions that the file gives to several
// users are one.
func stored(tenant recaller.TenantID, q eval.Case, id recaller.ConversationID) recaller.ConversationID {
	return recaller.ConversationID(string(tenant) + "-" + q.FileID(string(id)))
}

// ask asks a question of a tenant's conversations, each way.
func (m *measured) ask(tenant recaller.TenantID, q eval.Case, counts map[string]*tally) {
	m.Helper()
	var gold []recaller.ConversationID
	for _, id := range q.Questions[0].Sessions {
		gold = append(gold, stored(tenant, q, id))
	}
	limit := candidates
	words, err := m.Store.Matching(m.Context(), tenant, make(stemmer).termsOf(q.Questions[0].Text), recaller.SearchFilter{}, limit)
	if err != nil {
		m.Fatal(err)
	}
	for _, f := range forms() {
		e := recaller.Embedding{Model: f.name, Vector: static.Vector(q.Questions[0].Text)}
		similar, err := m.Store.Similar(m.Context(), tenant, e, recaller.SearchFilter{}, limit)
		if err != nil {
			m.Fatal(err)
		}
		cosines := map[recaller.ConversationID]float64{}
		for _, n := range similar {
			cosines[n.Conversation] = n.Score
		}
		more, err := m.Store.Similarities(m.Context(), tenant, e, missing(words, cosines))
		if err != nil {
			m.Fatal(err)
		}
		maps.Copy(cosines, more)
		for _, w := range ways() {
			key := f.name + w.name
			if counts[key] == nil {
				counts[key] = &tally{}
			}
			counts[key].add(w.rank(words, cosines), gold)
		}
	}
}

// BenchmarkEmbedding makes the vectors of the development data's conversations, as they are embedded.
func BenchmarkEmbedding(b *testing.B) {
	questions, err := eval.Load(devdata.Path(b, "longmemeval_s_dev.json.gz"), eval.LongMemEval)
	if err != nil {
		b.Fatal(err)
	}
	var texts []string
	bytes := 0
	for _, q := range questions[:10] {
		for _, conv := range q.Corpus.Conversations {
			turns := q.Corpus.Turns[conv.ID]
			sum := summary.Write(reading.Of(turns, conv.StartedAt, false), summary.Options{Typed: true})
			texts = append(texts, document(&sum, turns))
			bytes += len(texts[len(texts)-1])
		}
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		static.Vector(texts[i%len(texts)])
		i++
	}
	b.ReportMetric(float64(bytes)/float64(len(texts)), "bytes/text")
}

func table(name string, f form, counts map[string]*tally) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s | any@1 | any@5 | any@10 | n |\n", name)
	for _, w := range ways() {
		c := counts[f.name+w.name]
		share := func(hits int) float64 { return float64(hits) / float64(c.n) }
		fmt.Fprintf(&b, "| %s | %.3f | %.3f | %.3f | %d |\n", w.name, share(c.at1), share(c.at5), share(c.at10), c.n)
	}
	return b.String()
}
