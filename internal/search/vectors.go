package search

import (
	"context"
	"math"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/embed/dialogue"
	"github.com/recallerhq/recaller/internal/embed/static"
	"github.com/recallerhq/recaller/internal/search/rank"
)

// This file makes the vectors that conversations are found by. A configured embedder makes them of texts. What is built
// in makes one of two halves: the table's of the text, in six languages, and the dialogue model's of the turns, which
// knows more and reads English alone.

// builtIn is the model of the vectors of both halves; without the dialogue model it is the table's.
const builtIn = static.Model + "+" + dialogue.Model

// How much each half counts in the cosine of two vectors of builtIn; together 1.
const (
	ofTable    = 0.23
	ofDialogue = 1 - ofTable
)

// The places in a vector of builtIn: the table's numbers, the dialogue model's, and what keeps a vector at length 1
// whose second half is empty: one place where it is of a conversation, another where it is of a query.
const (
	emptyTalk  = static.Width + dialogue.Width
	emptyQuery = emptyTalk + 1
	width      = emptyTalk + 8 // the stores keep eight numbers together
)

// model names what makes the vectors, and is recorded with each.
func (s *Service) model() string {
	if s.Dialogue {
		return builtIn
	}
	return s.Embedder.Model()
}

// maker is who makes the vectors. Of a configured model nobody measured how alike what has nothing to do with each
// other is: what it puts among the candidates is near.
func (s *Service) maker() rank.Maker {
	switch {
	case s.Dialogue:
		return rank.Both
	case s.Embedder.Model() == static.Model:
		return rank.Table
	}
	return rank.Configured
}

// unlike is how alike query and conversation are to the dialogue model that have nothing to do with each other, in the
// mean.
const unlike = 0.1

// compare tells the conversations' cosines, without what the maker finds alike in everything. Of a query without a word
// that the table knows nothing is known.
func (s *Service) compare(q rank.Query, all []rank.Talk) {
	by := s.maker()
	read := by == rank.Both && dialogue.Reads(q.Text())
	for i := range all {
		t := &all[i]
		switch t.By = by; {
		case by != rank.Configured && !q.Known():
			t.Cosine = 0
		case read && t.Cosine > 0 && dialogue.Reads(strings.Join(t.Said, "\n")):
			t.Cosine = max(0, t.Cosine-ofDialogue*unlike)
		}
	}
}

// vectors makes one vector of each part of a conversation, within a bound. Its error is a *EmbedError, unless ctx
// ended.
func (s *Service) vectors(ctx context.Context, parts []part, patience time.Duration) (list []recaller.Embedding, err error) {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.text
	}
	made, err := s.embed(ctx, s.Embedder.Embed, texts, patience)
	if err != nil {
		return nil, err
	}
	for i, p := range parts {
		if s.Dialogue {
			read, err := p.direction(ctx)
			if err != nil {
				return nil, err
			}
			made[i] = joined(made[i], read, emptyTalk)
		}
		list = append(list, recaller.Embedding{Model: s.model(), Vector: made[i]})
	}
	return list, nil
}

// asked makes the vector of a query.
func (s *Service) asked(ctx context.Context, text string, known bool) (recaller.Embedding, error) {
	e := recaller.Embedding{Model: s.model()}
	list, err := s.embed(ctx, s.Embedder.EmbedQueries, []string{text}, queryPatience)
	if err != nil {
		return e, err
	}
	e.Vector = list[0]
	if s.Dialogue {
		var read []float64
		if known && dialogue.Reads(text) {
			read = added(nil, dialogue.Question(text))
		}
		e.Vector = joined(e.Vector, read, emptyQuery)
	}
	return e, nil
}

// recollect finds what the model of dialogues has made of a conversation's turns already. It serves only where nothing
// is forgotten of its caller: a vector is made of the turn before too. What cannot be had is made anew.
func (s *Service) recollect(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, parts []part) {
	if !s.Dialogue || s.Kept == nil {
		return
	}
	list, _, err := s.Kept.TurnVectors(ctx, tenant, conv.Caller, dialogue.Model)
	if err != nil {
		return
	}
	made := map[int][]int8{}
	for _, v := range list {
		for i, n := range v.Numbers {
			if v.Conversation == conv.ID && v.Width == dialogue.Width {
				made[n] = v.Data[i*v.Width:][:v.Width]
			}
		}
	}
	for i := range parts {
		parts[i].read = made
	}
}

// direction is where what was said in a part points to for the dialogue model: the sum of its turns, or of the
// summary's lines where the words are not kept. Of a part of very many turns some are read, from its beginning to its
// end, so that no conversation keeps the others waiting for long. It is nil where the model does not read the language.
func (p part) direction(ctx context.Context) (total []float64, err error) {
	if len(p.turns) == 0 {
		for _, line := range p.written {
			if dialogue.Reads(line) {
				total = added(total, dialogue.Turn("", line))
			}
		}
		return total, nil
	}
	if !dialogue.Reads(strings.Join(said(p.turns), "\n")) {
		return nil, nil
	}
	for k, n := 0, min(len(p.turns), stretch); k < n; k++ {
		if ctx.Err() != nil {
			return nil, recaller.Wrap(recaller.Timeout, ctx.Err(), "the conversation was not read to the end")
		}
		at, before := k*len(p.turns)/n, p.before
		if at > 0 {
			before = p.turns[at-1].Text
		}
		v := p.read[p.turns[at].Number]
		if v == nil {
			v = dialogue.Turn(before, p.turns[at].Text)
		}
		total = added(total, v)
	}
	return total, nil
}

// added adds a vector at length 1 to a sum.
func added(to []float64, v []int8) []float64 {
	if to == nil {
		to = make([]float64, len(v))
	}
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	for i, x := range v {
		to[i] += float64(x) / max(1e-9, math.Sqrt(square))
	}
	return to
}

// joined puts both halves together; empty is the place that is filled where there is no second one.
func joined(table []float32, read []float64, empty int) []float32 {
	out := make([]float32, width)
	for i, x := range table {
		out[i] = float32(math.Sqrt(ofTable)) * x
	}
	var square float64
	for _, x := range read {
		square += x * x
	}
	if square == 0 {
		out[empty] = float32(math.Sqrt(ofDialogue))
		return out
	}
	for i, x := range read {
		out[len(table)+i] = float32(math.Sqrt(ofDialogue/square) * x)
	}
	return out
}
