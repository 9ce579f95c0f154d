package search

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/search/stems"
)

// How many characters are embedded at most: of the summary, and of the transcript (P6).
const (
	summing = 1400
	opening = 500
)

// Index makes an ended conversation findable, in place of what it was found by before. First come the stems of its
// summary and turns. Then comes an embedding of its summary and of the first 500 characters of its transcript (P6); a
// long conversation gets one for each of its parts. The built-in model of dialogues also reads the turns, or some of
// very many. by names the model; it is empty if there is nothing to be found by. After a *EmbedError the conversation
// is found by words only.
//
// If the tenant does not keep the words (`ephemeral`, `archive`), only the summary counts, even while the words are
// still there, because the index would outlast them. Nothing of a caller who is being erased goes to the embedder.
func (s *Service) Index(
	ctx context.Context, tenantID recaller.TenantID, conv recaller.Conversation,
) (by string, err error) {
	sum, turns, whole, err := s.kept(ctx, tenantID, conv)
	if err != nil {
		return "", err
	}
	words := append(written(sum), said(turns)...)
	in := recaller.Indexing{Conversation: conv.ID, Caller: conv.Caller, Stems: stems.Count(words...), At: s.Now()}
	if err := s.Store.PutIndexing(ctx, tenantID, in); err != nil || strings.TrimSpace(strings.Join(words, "")) == "" {
		return "", err
	}
	parts := split(sum, turns)
	if whole {
		s.recollect(ctx, tenantID, conv, parts)
	}
	list, err := s.vectors(ctx, parts, indexPatience)
	s.Metrics.embedded(err)
	if err != nil {
		return "", err
	}
	in.Stems, in.Embeddings, in.Only, in.At = nil, list, !whole, s.Now()
	return s.model(), s.Store.PutIndexing(ctx, tenantID, in)
}

// kept returns what a conversation may be found by, without what was forgotten. whole tells that nothing of the caller
// is forgotten.
func (s *Service) kept(
	ctx context.Context, tenantID recaller.TenantID, conv recaller.Conversation,
) (sum *recaller.Summary, turns []recaller.Turn, whole bool, err error) {
	tenant, err := s.Tenants.Tenant(ctx, tenantID)
	if err != nil {
		return nil, nil, false, err
	}
	gone, turns, err := s.words(ctx, tenantID, conv)
	if err != nil {
		return nil, nil, false, err
	}
	sum = gone.Summary(conv, turns)
	if tenant.Retention != recaller.Keep {
		return sum, nil, gone.Empty(), nil
	}
	return sum, gone.Turns(conv.ID, turns), gone.Empty(), nil
}

// part is a stretch of a conversation, which has a vector of its own.
type part struct {
	text    string   // what is embedded as a text
	written []string // the summary's lines
	turns   []recaller.Turn
	before  string         // what was said just before
	read    map[int][]int8 // vectors that the model of dialogues has made already, by turn
}

// How many turns one vector tells of, and how many vectors a conversation has at most. In a longer conversation each
// vector tells of more turns.
const (
	stretch  = 12
	maxParts = 16
)

// split cuts a conversation into stretches of about the same number of turns.
func split(sum *recaller.Summary, turns []recaller.Turn) []part {
	n := min(max(1, (len(turns)+stretch-1)/stretch), maxParts)
	out := make([]part, n)
	for i := range out {
		from, to := i*len(turns)/n, (i+1)*len(turns)/n
		out[i] = part{text: document(sum, turns[from:to]), written: written(sum), turns: turns[from:to]}
		if from > 0 {
			out[i].before = turns[from-1].Text
		}
	}
	return out
}

// document returns the text to embed. It has the whole summary, which finds more than its brief alone
// (docs/measurements/search.md).
func document(sum *recaller.Summary, turns []recaller.Turn) string {
	return strings.TrimSpace(first(strings.Join(written(sum), "\n"), summing) + "\n\n" + beginning(turns, opening))
}

// beginning returns the first characters of a transcript, one turn a line.
func beginning(turns []recaller.Turn, characters int) string {
	var b strings.Builder
	left := characters
	for _, t := range turns {
		if b.Len() > 0 {
			b.WriteByte('\n')
			left--
		}
		text := first(t.Text, left)
		b.WriteString(text)
		if left -= utf8.RuneCountInString(text); left <= 0 {
			break
		}
	}
	return b.String()
}

// first returns at most so many characters of a text.
func first(text string, characters int) string {
	n := 0
	for i := range text {
		if n == characters {
			return text[:i]
		}
		n++
	}
	return text
}

// written returns the lines of a summary.
func written(sum *recaller.Summary) []string {
	if sum == nil {
		return nil
	}
	lines := slices.Concat([]string{sum.Brief}, sum.Topics, sum.Decisions, sum.Actions, sum.Facts, []string{sum.Next})
	return slices.DeleteFunc(lines, func(line string) bool { return line == "" })
}

// said returns the texts of turns.
func said(turns []recaller.Turn) []string {
	out := make([]string, len(turns))
	for i, t := range turns {
		out[i] = t.Text
	}
	return out
}

// words reads what was said in a conversation, and what is forgotten of its caller.
func (s *Service) words(
	ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation,
) (gone forgotten.View, turns []recaller.Turn, err error) {
	versions, err := s.Store.Forgotten(ctx, tenant, conv.Caller)
	if recaller.KindOf(err) == recaller.NotFound {
		return gone, nil, err
	}
	if err != nil { // nothing becomes findable before it is known what is hidden
		return gone, nil, recaller.Wrap(recaller.Unavailable, err, "what was forgotten cannot be read")
	}
	turns, err = s.Words.Turns(ctx, tenant, conv)
	return forgotten.New(versions), turns, err
}
