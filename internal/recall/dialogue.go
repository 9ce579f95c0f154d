package recall

import (
	"context"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/embed/dialogue"
	"github.com/recallerhq/recaller/internal/recall/index"
	"github.com/recallerhq/recaller/internal/recall/token"
)

// This file is about the built-in model that reads turns in their dialogue (docs/adr/0023). It serves short histories alone, in English:
// it takes about half a millisecond for each word, so its vectors of turns are kept beside them as a configured embedder's are.

// builtIn is the Meaning that is part of the program.
type builtIn struct{}

// gain is how much the model's cosines count beside the table's. From 1.5 to 3 recall finds about as much.
const gain = 2.25

func (builtIn) Model() string { return dialogue.Model }

func (builtIn) Passages(ctx context.Context, passages []recaller.Passage) ([][]int8, error) {
	out := make([][]int8, len(passages))
	for i, p := range passages {
		if ctx.Err() != nil {
			return nil, recaller.Wrap(recaller.Timeout, ctx.Err(), "the turns were not read to the end")
		}
		out[i] = dialogue.Turn(p.Before, p.Text)
	}
	return out, nil
}

func (builtIn) Query(_ context.Context, text string) (recaller.QueryVector, error) {
	return recaller.QueryVector{Model: dialogue.Model, Data: dialogue.Question(text), Base: dialogue.Unlike, Gain: gain, Dialogue: true}, nil
}

// readable reports whether the model reads a text's language, or cannot tell that it does not.
func readable(text string) bool {
	var d token.Detector
	d.Add(text)
	l := d.Language()
	return l == token.English || l == token.Unknown
}

const (
	// readPatience is how long a search waits for the turns to be read that lack a vector. Those that are not yet are compared by the table.
	readPatience = time.Second
	// few is how many turns are read at once, so that what is there serves soon.
	few = 16
	// maxWarm is how many callers wait to be read ahead; of more, whoever rings is read when he is asked about.
	maxWarm = 1024
)

// compare has a query compared by the model as well, once there is something to compare it with.
func (s *Service) compare(ctx context.Context, e *entry, q Query, iq *index.Query) {
	if !s.dialogue || !q.Embed || iq.Vector.Model != "" || !readable(q.Text) {
		return
	}
	s.fill(e)
	e.awaitFilled(ctx, readPatience)
	if e.attached() == 0 {
		return
	}
	if v, err := s.meaning.Query(ctx, q.Text); err == nil {
		iq.Vector = v
	}
}

// Warm has a caller's turns read ahead, in the background, so that his next call need not wait for it. Where many are to be read some
// are left out: they are read when something is looked for. Without the built-in model, or vectors that are kept, it does nothing.
func (s *Service) Warm(t recaller.TenantID, c recaller.CallerID) {
	if !s.dialogue || s.vectors == nil {
		return
	}
	k := key{tenant: t, caller: c}
	s.warming.Lock()
	defer s.warming.Unlock()
	if s.closed.Err() != nil || s.warm[k] || len(s.warm) >= maxWarm {
		return
	}
	s.warm[k] = true
	if len(s.warm) == 1 {
		s.filling.Go(s.warmAll)
	}
}

// warmAll reads ahead until nobody waits for it any more.
func (s *Service) warmAll() {
	for s.closed.Err() == nil {
		k, ok := s.nextWarm()
		if !ok {
			return
		}
		_ = s.readAhead(s.closed, k) // what fails is tried again when something is looked for
		s.warming.Lock()
		delete(s.warm, k)
		s.warming.Unlock()
	}
}

func (s *Service) nextWarm() (key, bool) {
	s.warming.Lock()
	defer s.warming.Unlock()
	for k := range s.warm {
		return k, true
	}
	return key{}, false
}

// readAhead has the turns of a caller read that have no vector. An index is not put into the cache for it: those of who rings now stay.
func (s *Service) readAhead(ctx context.Context, k key) error {
	if s.cache.peek(k) != nil {
		return s.Fill(ctx, k.tenant, k.caller)
	}
	list, kept, err := s.vectors.TurnVectors(ctx, k.tenant, k.caller, s.meaning.Model())
	if err != nil || !kept {
		return err
	}
	corpus, err := s.src.Corpus(ctx, k.tenant, k.caller)
	if err != nil {
		return err
	}
	e := &entry{key: k, ix: index.Build(corpus, s.weights), version: corpus.Version}
	e.ix.Attach(list)
	return s.fillEntry(ctx, e, true)
}
