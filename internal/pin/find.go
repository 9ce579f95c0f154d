package pin

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What makes a topic.
const (
	surely     = 1.5  // how surely a term is a noun, over all conversations
	verySurely = 2.2  // of one that is a little less specific
	ordinarily = 0.5  // how specific a word is of which one alone is no topic
	enough     = 0.95 // how specific a topic's terms are together
	everyday   = 0.6  // of the caller's conversations: what is in more of them is no topic of one
	fewTalks   = 8    // with fewer conversations that is not known
	mostWith   = 6
	mostWeak   = 40 // of which pairs are made
	mostSeen   = 60 // candidates that are looked at
)

// candidate is a term, or two, that several conversations share.
type candidate struct {
	lead  []string
	talks []int // of reader.find's list, in which the caller says it
	value float64
}

// find returns the topics that a conversation makes with earlier ones, beside those that are known.
func (r *reader) find(now talk, earlier []Conversation, topics []Topic) []Topic {
	if r.opts.After < 1 || len(earlier)+1 < r.opts.After || len(topics) >= MostTopics {
		return nil
	}
	var talks []talk
	for _, c := range earlier {
		if c.ID != now.ID && !c.StartedAt.After(now.StartedAt) {
			talks = append(talks, r.read(c))
		}
	}
	slices.SortStableFunc(talks, func(a, b talk) int {
		return cmp.Or(a.StartedAt.Compare(b.StartedAt), cmp.Compare(a.ID, b.ID))
	})
	talks = append(talks, now)
	found := group(r.candidates(talks, topics), talks)
	var out []Topic
	for _, g := range found {
		if len(out) == mostNew {
			break
		}
		if t, ok := r.make(g, talks); ok {
			out = append(out, t)
		}
	}
	return out
}

// candidates returns the terms of the last conversation that enough others share, and pairs of them, best first.
func (r *reader) candidates(talks []talk, topics []Topic) []candidate {
	now := talks[len(talks)-1]
	var out []candidate
	var weak []string
	for _, term := range slices.Sorted(maps.Keys(now.uses)) {
		if slices.ContainsFunc(topics, func(t Topic) bool { return t.has(term) }) {
			continue
		}
		in := with(talks, []string{term})
		if of(topics, term, in, talks) {
			continue
		}
		if len(in) < r.opts.After || len(talks) >= fewTalks && float64(len(in)) > everyday*float64(len(talks)) {
			continue
		}
		noun, worth, definite := 0.0, 1.0, 0
		for _, i := range in {
			if u := talks[i].uses[term]; u != nil {
				noun, worth = noun+u.noun, min(worth, u.worth)
				if u.noun >= definiteThing {
					definite++
				}
			}
		}
		if noun < surely || definite < 2 || r.scattered([]string{term}, in, talks) {
			continue
		}
		if worth >= enough || worth > ordinarily && noun >= verySurely {
			out = append(out, candidate{lead: []string{term}, talks: in, value: noun + float64(len(in))})
			continue
		}
		if len(weak) < mostWeak {
			weak = append(weak, term)
		}
	}
	for i, a := range weak {
		for _, b := range weak[i+1:] {
			if in := with(talks, []string{a, b}); len(in) >= r.opts.After && !r.scattered([]string{a, b}, in, talks) {
				out = append(out, candidate{lead: []string{a, b}, talks: in, value: float64(len(in))})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.value, a.value), slices.Compare(a.lead, b.lead))
	})
	return out[:min(len(out), mostSeen)]
}

// of reports whether a term is mostly said in one breath with a topic that is known.
func of(topics []Topic, term string, in []int, talks []talk) bool {
	return slices.ContainsFunc(topics, func(t Topic) bool {
		n := 0
		for _, i := range in {
			if len(talks[i].together(append([]string{term}, t.Lead...)...)) > 0 {
				n++
			}
		}
		return n > 0 && 2*n >= len(in)
	})
}

// with returns the conversations in which the caller says all of some terms in one turn.
func with(talks []talk, terms []string) []int {
	var out []int
	for i, t := range talks {
		if len(t.together(terms...)) > 0 {
			out = append(out, i)
		}
	}
	return out
}

// group joins candidates that are said in one breath in several conversations: they are of one topic. The best leads.
func group(list []candidate, talks []talk) [][]candidate {
	var out [][]candidate
	for _, c := range list {
		i := slices.IndexFunc(out, func(g []candidate) bool {
			return slices.ContainsFunc(g, func(o candidate) bool { return together(c, o, talks) })
		})
		if i < 0 {
			out = append(out, []candidate{c})
			continue
		}
		out[i] = append(out[i], c)
	}
	return out
}

// together reports whether two candidates are of one matter: the caller speaks of both in one turn, in at least two
// conversations, and in half of those of the rarer one.
func together(a, b candidate, talks []talk) bool {
	both := with(talks, union(a.lead, b.lead))
	return len(both) > 1 && 2*len(both) >= min(len(a.talks), len(b.talks))
}

// make makes a topic of candidates, told from the beginning.
func (r *reader) make(g []candidate, talks []talk) (Topic, bool) {
	t := Topic{Lead: g[0].lead}
	for _, c := range g[1:] {
		t.With = union(t.With, c.lead)
	}
	t.With = union(t.With, beside(g[0], talks))
	t.With = slices.DeleteFunc(t.With, func(term string) bool { return slices.Contains(t.Lead, term) })
	t.With = t.With[:min(mostWith, len(t.With))]
	t.Title = title(g[0], talks)
	for _, i := range g[0].talks {
		c := talks[i]
		lines := r.lines(c, Topic{Lead: t.Lead, With: t.With})
		if len(lines) == 0 {
			continue
		}
		if t.Seen == 0 {
			t.First, t.About = c.StartedAt, about(lines)
		}
		t.Seen, t.Last, t.Latest = t.Seen+1, append(t.Last, c.ID), c.StartedAt
		t = t.tell(lines, c)
	}
	return t, t.Seen >= r.opts.After
}

// beside returns the nouns that the caller says in one turn with a candidate in several conversations, the most frequent
// first.
func beside(c candidate, talks []talk) []string {
	count := map[string]int{}
	for _, i := range c.talks {
		for term, u := range talks[i].uses {
			if u.noun >= 0.3 && u.worth > 0 && len(talks[i].together(append([]string{term}, c.lead...)...)) > 0 {
				count[term]++
			}
		}
	}
	out := slices.DeleteFunc(slices.Sorted(maps.Keys(count)), func(term string) bool { return count[term] < 2 })
	slices.SortStableFunc(out, func(a, b string) int { return count[b] - count[a] })
	return out
}

// about is the first good sentence of the caller's that names a topic.
func about(lines []line) Quote {
	own := callers(lines)
	for _, l := range own {
		if !l.question && len(l.said) >= 5 {
			return short([]Quote{l.Quote})[0]
		}
	}
	if len(own) > 0 {
		return short([]Quote{own[0].Quote})[0]
	}
	return short([]Quote{lines[0].Quote})[0]
}

// title names a topic by the words that it has most often: two that stand side by side in several conversations, or
// its one.
func title(c candidate, talks []talk) string {
	forms, pairs, in := map[string]int{}, map[string]int{}, map[string]int{}
	for _, i := range c.talks {
		for _, term := range c.lead {
			u := talks[i].uses[term]
			if u == nil {
				continue
			}
			for f, n := range u.forms {
				forms[f] += n
			}
			for p, n := range u.pairs {
				pairs[p] += n
				in[strings.ToLower(p)]++
			}
		}
	}
	name := most(pairs, func(p string) bool { return in[strings.ToLower(p)] > 1 })
	if name == "" && len(c.lead) > 1 {
		a, b := most(forms, func(f string) bool { return true }), ""
		b = most(forms, func(f string) bool {
			return !strings.EqualFold(f, a) && !strings.HasPrefix(strings.ToLower(f), strings.ToLower(a))
		})
		name = strings.TrimSpace(a + ", " + b)
	}
	if name == "" {
		name = most(forms, func(string) bool { return true })
	}
	first, n := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(first)) + name[n:]
}

func most(count map[string]int, is func(string) bool) string {
	best := ""
	for _, w := range slices.Sorted(maps.Keys(count)) {
		if is(w) && (best == "" || count[w] > count[best]) {
			best = w
		}
	}
	return best
}
