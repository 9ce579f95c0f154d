package recall

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/index"
)

// This file is about long callers, who said more than can be held in memory. What they said long ago lies in segments,
// each of about as many turns. Segments follow the order in which conversations ended, so that later words move none of
// them. The latest turns, and conversations that go on, are held in memory, as everything of other callers is.

// The latest turns lie in no segment: about one segment's size divided by tailShare. So when a call has just ended, its
// turns are still there when its summary comes.
const tailShare = 4

// piece is a conversation, or a part of a long one. conv is its place in the outline.
type piece struct {
	conv     int
	from, to int // turns
}

// part divides what was said into segments of about size turns and summaries, and a rest that lies in no segment.
func part(o *recaller.Outline, size int) (segments [][]piece, rest []piece) {
	order := make([]int, len(o.Conversations))
	left := 0
	for i := range order {
		order[i] = i
		left += o.Conversations[i].Turns
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := &o.Conversations[a], &o.Conversations[b]
		return cmp.Or(x.EndedAt.Compare(y.EndedAt), cmp.Compare(x.ID, y.ID))
	})
	tail := size / tailShare
	var open []piece
	filled := 0
	for _, i := range order {
		c := &o.Conversations[i]
		from := 0
		for ; c.Turns-from > size && left-size >= tail; from += size { // a conversation that fills segments by itself
			segments = append(segments, []piece{{i, from, from + size}})
			left -= size
		}
		p := piece{i, from, c.Turns}
		if c.EndedAt.IsZero() || left-filled < tail {
			rest = append(rest, p)
			continue
		}
		open = append(open, p)
		if filled += p.to - p.from + 1; filled >= size {
			segments, open = append(segments, open), nil
			left -= filled
			filled = 0
		}
	}
	return segments, append(open, rest...)
}

// nameOf returns the name of a segment of these pieces. It differs if anything in them differs.
func nameOf(o *recaller.Outline, pieces []piece) string {
	h := sha256.New()
	add := func(s string) {
		h.Write(binary.AppendUvarint(nil, uint64(len(s))))
		h.Write([]byte(s))
	}
	add(index.SegmentFormat)
	if o.Zone != nil {
		add(o.Zone.String())
	}
	for _, p := range pieces {
		c := &o.Conversations[p.conv]
		add(string(c.ID))
		add(string(c.Channel))
		for _, n := range []int64{int64(p.from), int64(p.to), c.StartedAt.UnixMicro(), c.EndedAt.UnixMicro()} {
			h.Write(binary.AppendVarint(nil, n))
		}
		if p.to == c.Turns {
			add(o.Marks[p.conv])
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// madeOver makes the index of a long caller. It uses the segments that are there.
func (s *Service) madeOver(ctx context.Context, e *entry, o *recaller.Outline) (*index.Index, error) {
	turn := &turn{slot: s.builder}
	defer turn.give()
	if err := turn.take(ctx); err != nil {
		return nil, err
	}
	parts, rest := part(o, s.segment)
	var latest *index.Latest
	var corpus recaller.Corpus
	var failed error
	var reading sync.WaitGroup
	reading.Go(func() { latest, corpus, failed = s.latest(ctx, e.key, o, rest) })
	segments, err := s.segments(ctx, e, o, parts, nil, turn)
	reading.Wait()
	if err == nil {
		err = failed
	}
	if err != nil {
		return nil, err
	}
	ix := latest.Over(segments)
	main := ix.Main()
	if !slices.ContainsFunc(segments, func(g *index.Segment) bool { return g.Main() != main }) {
		return ix, nil
	}
	// Most conversations are in another language than the segments were made for.
	if segments, err = s.segments(ctx, e, o, parts, &main, turn); err != nil {
		return nil, err
	}
	return index.BuildOver(segments, corpus, s.weights, s.rows...), nil
}

// latest reads the words that lie in no segment, and indexes them with what else there is of a long caller.
func (s *Service) latest(
	ctx context.Context, k key, o *recaller.Outline, rest []piece,
) (*index.Latest, recaller.Corpus, error) {
	corpus, err := s.readBoth(ctx, k, o, rest)
	if err != nil {
		return nil, corpus, err
	}
	corpus.Memories, corpus.Forgotten, corpus.Texts = o.Memories, o.Forgotten, o.Texts
	return index.BuildLatest(corpus, s.weights, s.rows...), corpus, nil
}

// turn is the right to read much of a long caller. Who makes many segments gives it to who waits, segment by segment: so
// of what is made no more is in memory at once than one segment's words, and nobody waits for more than one segment of
// each of the others.
type turn struct {
	slot chan struct{}
	has  bool
}

func (t *turn) take(ctx context.Context) error {
	select {
	case t.slot <- struct{}{}:
		t.has = true
		return nil
	case <-ctx.Done():
		return recaller.Wrap(recaller.Timeout, ctx.Err(), "recall was given up")
	}
}

func (t *turn) give() {
	if t.has {
		t.has = false
		<-t.slot
	}
}

// next lets who waits longest go first.
func (t *turn) next(ctx context.Context) error {
	t.give()
	return t.take(ctx)
}

// segments returns a segment for each part. It makes those that are not there, one after the other. If main is given, a
// segment that is there serves only if it was made by the rules of main.
func (s *Service) segments(
	ctx context.Context, e *entry, o *recaller.Outline, parts [][]piece, main *index.Main, turn *turn,
) ([]*index.Segment, error) {
	names := make([]string, len(parts))
	for i, pieces := range parts {
		names[i] = nameOf(o, pieces)
	}
	had, others, err := s.opened(ctx, e, names)
	if err != nil {
		return nil, err
	}
	out, now := make([]*index.Segment, len(parts)), make(map[string]*index.Segment, len(parts))
	for i, pieces := range parts {
		g := had[names[i]]
		if g == nil || main != nil && g.Main() != *main {
			if err := turn.next(ctx); err != nil {
				return nil, err
			}
			corpus, err := s.read(ctx, e.key, o, pieces)
			if err != nil {
				return nil, err
			}
			if g, err = index.BuildSegment(corpus, s.weights, main); err != nil {
				return nil, err
			}
			s.keep(ctx, e.key, names[i], g, others)
			others = nil
		}
		if main == nil {
			first := g.Main()
			main = &first
		}
		out[i], now[names[i]] = g, g
	}
	e.keep(now)
	return out, nil
}

// opened returns the segments of these names that are in memory or kept, and the names of other kept ones.
func (s *Service) opened(
	ctx context.Context, e *entry, names []string,
) (had map[string]*index.Segment, others []string, err error) {
	had = maps.Clone(e.segmentsThere())
	if had == nil {
		had = make(map[string]*index.Segment, len(names))
	}
	wanted := make(map[string]bool)
	for _, name := range names {
		if had[name] == nil {
			wanted[name] = true
		}
	}
	if s.kept == nil || len(wanted) == 0 {
		return had, nil, nil
	}
	var mu sync.Mutex
	others, err = s.kept.Segments(ctx, e.key.tenant, e.key.caller,
		func(name string) bool { return wanted[name] },
		func(name string, body []byte) {
			if g, err := index.ReadSegment(body, s.weights); err == nil { // one that cannot be read is made anew
				mu.Lock()
				defer mu.Unlock()
				had[name] = g
			}
		})
	return had, slices.DeleteFunc(others, func(name string) bool { return slices.Contains(names, name) }), err
}

// keep keeps a new segment, and drops others. If that fails, nothing is lost: the segment is made again some time.
func (s *Service) keep(ctx context.Context, k key, name string, g *index.Segment, others []string) {
	if s.kept != nil {
		_ = s.kept.PutSegment(ctx, k.tenant, k.caller, name, g.Append(nil), others)
	}
}

// errElsewhere says that some turns of a caller are not in the store, because the retention was another one when they
// were said. Then his index is held whole, as if he were not long.
var errElsewhere = errors.New("some turns are kept elsewhere")

// words reads turns and conversations of a long caller. It leaves out what is damaged, and logs it.
func (s *Service) words(
	ctx context.Context, k key, turns []recaller.TurnRange, conversations []recaller.ConversationID,
) (recaller.Words, error) {
	words, err := s.long.Words(ctx, k.tenant, k.caller, turns, conversations)
	for _, d := range words.Damaged {
		s.log.Error("a stored value is damaged: recall leaves it out", "tenant", k.tenant, "table", d.Table, "id", d.ID)
	}
	return words, err
}

// readBoth is read, but reads both halves at once, because somebody waits for the latest turns.
func (s *Service) readBoth(ctx context.Context, k key, o *recaller.Outline, pieces []piece) (recaller.Corpus, error) {
	half := len(pieces) / 2
	if half == 0 {
		return s.read(ctx, k, o, pieces)
	}
	var second recaller.Corpus
	var failed error
	var reading sync.WaitGroup
	reading.Go(func() { second, failed = s.read(ctx, k, o, pieces[half:]) })
	c, err := s.read(ctx, k, o, pieces[:half])
	reading.Wait()
	if err = cmp.Or(err, failed); err != nil {
		return recaller.Corpus{}, err
	}
	c.Conversations = append(c.Conversations, second.Conversations...)
	maps.Copy(c.Turns, second.Turns)
	return c, nil
}

// read reads pieces of conversations. It fails with errElsewhere if the store has no turns of one of them.
func (s *Service) read(ctx context.Context, k key, o *recaller.Outline, pieces []piece) (recaller.Corpus, error) {
	turns := make([]recaller.TurnRange, 0, len(pieces))
	ids := make([]recaller.ConversationID, 0, len(pieces))
	for _, p := range pieces {
		id := o.Conversations[p.conv].ID
		if p.to > p.from {
			turns = append(turns, recaller.TurnRange{Conversation: id, From: p.from, To: p.to})
		}
		ids = append(ids, id)
	}
	words, err := s.words(ctx, k, turns, ids)
	if err != nil {
		return recaller.Corpus{}, err
	}
	for _, r := range turns {
		if len(words.Turns[r.Conversation]) == 0 && len(words.Damaged) == 0 {
			return recaller.Corpus{}, errElsewhere
		}
	}
	c := recaller.Corpus{Zone: o.Zone, Conversations: words.Conversations, Turns: words.Turns}
	whole := make(map[recaller.ConversationID]bool, len(pieces))
	for _, p := range pieces {
		whole[o.Conversations[p.conv].ID] = p.to == o.Conversations[p.conv].Turns
	}
	for i := range c.Conversations {
		if !whole[c.Conversations[i].ID] { // its summary belongs to its last piece
			c.Conversations[i].Summary = nil
		}
	}
	return c, nil
}
