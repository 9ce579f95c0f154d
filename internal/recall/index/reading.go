package index

import (
	"cmp"
	"slices"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/token"
	"github.com/recallerhq/recaller/internal/vector"
)

// This file is about what is read of segments. They rank by sketches, which are rough: of the best the texts are read,
// compared as exactly as if they had been held, and those left out that were forgotten. Then what is shown beside a hit
// is read.

// rough is by how much a sketch's cosine may be wrong and still find its text: two deviations.
const rough = 0.05

// Wanted is what a Ranking wants read.
type Wanted struct {
	Turns         []recaller.TurnRange
	Conversations []recaller.ConversationID // with their summaries
}

// given is what was read.
type given struct {
	turns         map[recaller.ConversationID][]recaller.Turn
	conversations map[recaller.ConversationID]recaller.Conversation
}

// take takes what was read to what was read before.
func (g *given) take(words recaller.Words) {
	if g.turns == nil {
		g.turns = make(map[recaller.ConversationID][]recaller.Turn)
		g.conversations = make(map[recaller.ConversationID]recaller.Conversation)
	}
	for _, c := range words.Conversations {
		g.conversations[c.ID] = c
	}
	for conv, turns := range words.Turns {
		if before := g.turns[conv]; len(before) > 0 {
			turns = append(turns, before...)
			slices.SortStableFunc(turns, func(a, b recaller.Turn) int { return cmp.Compare(a.Number, b.Number) })
			turns = slices.CompactFunc(turns, func(a, b recaller.Turn) bool { return a.Number == b.Number })
		}
		g.turns[conv] = turns
	}
}

func (g *given) turn(conv recaller.ConversationID, number int) (recaller.Turn, bool) {
	turns := g.turns[conv]
	at, ok := slices.BinarySearchFunc(turns, number, func(t recaller.Turn, n int) int { return cmp.Compare(t.Number, n) })
	if !ok {
		return recaller.Turn{}, false
	}
	return turns[at], true
}

// stage is what a ranking waits for.
type stage uint8

const (
	ready   stage = iota // nothing: it has its order
	reading              // the texts of the best
	showing              // what is shown beside them
)

// Wants tells what is to be read next; false where nothing is.
func (r *Ranking) Wants() (Wanted, bool) {
	var w Wanted
	switch r.stage {
	case reading:
		w = r.texts()
	case showing:
		w = r.beside()
	default:
		return w, false
	}
	w.Turns = joined(w.Turns)
	slices.Sort(w.Conversations)
	w.Conversations = slices.Compact(w.Conversations)
	return w, true
}

// Take goes on with what was read, and takes it over.
func (r *Ranking) Take(words recaller.Words) {
	r.given.take(words)
	if r.stage == showing {
		r.stage = ready
		return
	}
	r.compare()
	if len(r.cands) < r.q.Limit+spare && len(r.later) > 0 { // too many of them were forgotten
		r.sure = append(r.sure, r.cands...)
		r.cands, r.later = r.later, nil
		return
	}
	r.cands = append(r.cands, r.sure...)
	r.best(len(r.cands))
	r.settle(r.q.Limit + spare)
	r.stage = showing
}

// narrow leaves among the candidates only those that may be among the best though their cosines are rough.
func (r *Ranking) narrow() {
	n := r.q.Limit + spare
	if len(r.cands) <= n {
		return
	}
	all := slices.Clone(r.cands)
	r.settle(n)
	floor := r.cands[len(r.cands)-1].score - rough*(r.ix.weights.Meaning+r.ix.weights.SessionMeaning)
	at, _ := slices.BinarySearchFunc(all, floor, func(c candidate, floor float32) int { return cmp.Compare(floor, c.score) })
	r.cands, r.later = all[:at:at], all[at:]
}

// spare is how many more than are asked for have what is beside them read: a summary may turn out to tell only of what
// was forgotten.
const spare = 5

// texts are the turns and summaries of segments among the candidates.
func (r *Ranking) texts() (w Wanted) {
	for i := range r.cands {
		s, d := r.doc(&r.cands[i])
		switch {
		case s.lean == nil:
		case d.kind == text:
			w.Conversations = append(w.Conversations, s.sessions[d.session].id)
		default:
			n := s.number(d)
			w.Turns = append(w.Turns, recaller.TurnRange{Conversation: s.sessions[d.session].id, From: n, To: n + 1})
		}
	}
	return w
}

// text is what a segment's doc says; false where that is forgotten, or not there.
func (r *Ranking) text(s *search, d *doc) (string, bool) {
	conv := &s.sessions[d.session]
	if d.kind == text {
		c, ok := r.given.conversations[conv.id]
		return summaryText(c.Summary), ok && c.Summary != nil
	}
	t, ok := r.given.turn(conv.id, s.number(d))
	return t.Text, ok && !hides(r.ix.gone, conv, &t)
}

func (r *Ranking) doc(c *candidate) (*search, *doc) {
	s := r.parts[c.part]
	return s, &s.docs[c.doc]
}

// number is the number of a segment's turn.
func (s *search) number(d *doc) int { return int(s.lean.numbers[s.sessions[d.session].first+d.place]) }

// beside is what is shown beside the hits, and what tells whether a summary tells of what was forgotten.
func (r *Ranking) beside() (w Wanted) {
	for i := range r.cands {
		s, d := r.doc(&r.cands[i])
		if s.lean == nil {
			if d.session < 0 {
				if of := s.about(d); r.ix.older(of) {
					w.Conversations = append(w.Conversations, of)
				}
			}
			continue
		}
		conv := s.sessions[d.session].id
		w.Conversations = append(w.Conversations, conv)
		switch n := 0; {
		case d.kind == text && !r.ix.gone.Empty():
			w.Turns = append(w.Turns, recaller.TurnRange{Conversation: conv, To: maxTurns})
		case d.kind != text && r.q.Neighbours > 0:
			n = s.number(d)
			w.Turns = append(w.Turns, recaller.TurnRange{Conversation: conv, From: max(0, n-r.q.Neighbours), To: n + r.q.Neighbours + 1})
		}
	}
	return w
}

// maxTurns is more turns than a conversation has.
const maxTurns = 1 << 31

// joined are stretches without overlaps, in order.
func joined(list []recaller.TurnRange) []recaller.TurnRange {
	slices.SortFunc(list, func(a, b recaller.TurnRange) int {
		return cmp.Or(cmp.Compare(a.Conversation, b.Conversation), cmp.Compare(a.From, b.From))
	})
	out := list[:0]
	for _, s := range list {
		if n := len(out); n > 0 && out[n-1].Conversation == s.Conversation && s.From <= out[n-1].To {
			out[n-1].To = max(out[n-1].To, s.To)
			continue
		}
		out = append(out, s)
	}
	return out
}

// compare puts what the texts tell in place of what the sketches told, and leaves out what was forgotten and what is
// not there.
func (r *Ranking) compare() {
	kept := r.cands[:0]
	for _, c := range r.cands {
		s, d := r.doc(&c)
		if s.lean == nil {
			kept = append(kept, c)
			continue
		}
		says, ok := r.text(s, d)
		if !ok {
			continue
		}
		exact := s.exactly(d, says)
		if d.kind != text {
			s.likest[d.session].mend(s.cosines[c.doc], exact)
		}
		s.cosines[c.doc] = exact
		c.legs[legMeaning] = s.weights.Meaning * exact
		if s.found(&c, alike) {
			kept = append(kept, c)
		}
	}
	r.cands = kept
	for i := range r.cands {
		c := &r.cands[i]
		s, d := r.doc(c)
		if s.lean == nil {
			continue
		}
		_, c.legs[legSessionMeaning] = s.lift(d)
		c.score = 0
		for _, v := range c.legs {
			c.score += v
		}
	}
	r.best(len(r.cands))
}

// exactly is the cosine of a text with the query, as a plane of cosines has it.
func (s *search) exactly(d *doc, text string) float32 {
	l := s.language(s.sessions[d.session].told)
	if s.parsed.vector == nil {
		return 0
	}
	var sum vectorSum
	sc := token.Scanner{}
	for sc.Reset(text); sc.Next(); {
		sum.rows = rowsOf(l, sc.Word(l), sum.rows[:0])
		sum.add(sum.rows)
	}
	row, lengths := sum.take(nil, nil)
	var product [1]int32
	vector.Products(product[:], s.parsed.vector, row)
	if lengths[0] == 0 || product[0] <= 0 {
		return 0
	}
	return float32(product[0]) / (s.parsed.length * lengths[0]) * s.side(d)
}

// mend puts a likeness in place of a rough one, if that is among the likest.
func (l *likest) mend(rough, exact float32) {
	if at := slices.Index(l.top[:], rough); at >= 0 && rough > 0 {
		l.top[at] = exact
	}
}

// leanHit makes a result of what a segment holds.
func (r *Ranking) leanHit(s *search, d *doc, c *candidate) (recaller.Hit, bool) {
	conv, there := r.given.conversations[s.sessions[d.session].id]
	if !there {
		return recaller.Hit{}, false
	}
	h := recaller.Hit{
		Kind: s.kindOf(d), ID: string(conv.ID), Conversation: conv.ID, ExternalID: conv.ExternalID, At: s.at(d),
		Score: float64(c.score),
	}
	if d.kind == text {
		told := r.ix.gone.Summary(conv, r.given.turns[conv.ID])
		h.Text = summaryText(told)
		return h, h.Text != "" && (told == conv.Summary || h.Text == summaryText(conv.Summary))
	}
	t, ok := r.given.turn(conv.ID, s.number(d))
	if !ok || hides(r.ix.gone, &s.sessions[d.session], &t) {
		return h, false
	}
	h.ID, h.Turn, h.Speaker, h.Text, h.Confidence, h.Interrupted = string(t.ID), t.Number, t.Speaker, t.Text, t.Confidence, t.Interrupted
	for _, n := range r.given.turns[conv.ID] {
		near := n.Number >= t.Number-r.q.Neighbours && n.Number <= t.Number+r.q.Neighbours && n.Number != t.Number
		if near && r.earlier(n.At) && !hides(r.ix.gone, &s.sessions[d.session], &n) {
			h.Neighbours = append(h.Neighbours, n)
		}
	}
	return h, true
}
