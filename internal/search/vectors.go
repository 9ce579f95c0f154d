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

// This file makes the vectors that conversations are found by. A configured embedder makes them of texts. The built-in
// vectors have two halves: the table's, of the text, in six languages, and the dialogue model's, of the turns, which
// knows more but reads English only.

// builtIn names vectors with both halves. Without the dialogue model they bear the table's name.
const builtIn = static.Model + "+" + dialogue.Model

// How much each half counts in the cosine of two vectors of builtIn. Together they make 1.
const (
	ofTable    = 0.23
	ofDialogue = 1 - ofTable
)

// The places in a vector of builtIn: the table's numbers, then the dialogue model's. If the second half is empty, one
// more place keeps the vector at length 1: one for conversations, another for queries, so that the two do not match.
const (
	emptyTalk  = static.Width + dialogue.Width
	emptyQuery = emptyTalk + 1
	width      = emptyTalk + 8 // the stores keep eight numbers together
)

// model names what makes the vectors. Each vector is stored with it.
func (s *Service) model() string {
	if s.Dialogue {
		return builtIn
	}
	return s.Embedder.Model()
}

// maker tells rank who makes the vectors. How alike unrelated texts are to a configured model was never measured, so
// whatever it puts among the candidates counts as near.
func (s *Service) maker() rank.Maker {
	switch {
	case s.Dialogue:
		return rank.Both
	case s.Embedder.Model() == static.Model:
		return rank.Table
	}
	return rank.Configured
}

// unlike is the mean cosine that the dialogue model gives to a query and an unrelated conversation.
const unlike = 0.1

// compare sets the conversations' cosines, less what the model finds alike in everything. If the table knows no word of
// the query, they are 0.
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

// vectors makes one vector for each part of a conversation, within a bound. Its error is a *EmbedError, unless ctx
// ended.
func (s *Service) vectors(
	ctx context.Context, parts []part, patience time.Duration,
) (list []recaller.Embedding, err error) {
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

// recollect finds vectors that the model of dialogues has already made of a conversation's turns. They serve only if
// nothing of the caller is forgotten, because a vector also tells of the turn before. Missing ones are made anew.
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

// direction returns what the dialogue model makes of a part: the sum over its turns, or over the summary's lines if the
// words are not kept. Of very many turns it reads only some, from beginning to end, so that no conversation holds up
// the others. It is nil if the model does not read the language.
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

// joined joins both halves. It sets the place empty if there is no second half.
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
