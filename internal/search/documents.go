package search

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/search/rank"
	"github.com/recallerhq/recaller/internal/search/stems"
)

// DocumentQuery asks for documents.
type DocumentQuery struct {
	Text   string                  // at most MaxQuery characters; with tags it may be empty: then the newest come
	Filter recaller.DocumentFilter // of a Caller and the House: both are searched
	Limit  int                     // 1 to MaxLimit; 0: DefaultLimit
}

// DocumentResult is what a search over documents found.
type DocumentResult struct {
	Found    []FoundDocument // best first
	Degraded string          // why it may be incomplete; empty: it is not
	Took     time.Duration
}

// FoundDocument is a document that a search came up with.
type FoundDocument struct {
	recaller.Document
	Snippet string  // the part that fits best, at most SnippetLength characters
	Score   float64 // what the results are ordered by, the newest of equals first
}

// SnippetLength is how many characters of a document a result shows, at most (V6).
const SnippetLength = 500

// named is the score of a document whose title, tags and source have all words of the query: it asks for that sort of
// document, and means the newest ("voice call summary").
const named = 100

// newest is how many of the newest documents are candidates, whatever they say.
const newest = 50

// SearchDocuments finds documents by words and by meaning, best first. One for which nothing of the query speaks is left out.
// While the embedder is away, it goes by words alone, and says so. A wrong field is Invalid, and named.
func (s *Service) SearchDocuments(
	ctx context.Context, tenant recaller.TenantID, q DocumentQuery,
) (r DocumentResult, err error) {
	began := s.Now()
	defer func() {
		r.Took = s.Now().Sub(began)
		s.Metrics.queried(len(r.Found), r.Degraded, err, r.Took)
	}()
	if q, err = q.checked(); err != nil {
		return r, err
	}
	if q.Filter, err = s.Documents.Aged(ctx, tenant, q.Filter); err != nil {
		return r, err
	}
	read := rank.Read(q.Text, nil)
	var list []recaller.Document
	cosines := map[recaller.DocumentID]float64{}
	for _, f := range apart(q.Filter) {
		q.Filter = f
		some, degraded, err := s.documents(ctx, tenant, q, read, cosines)
		if err != nil {
			return r, err
		}
		list, r.Degraded = append(list, some...), degraded
	}
	if list, err = s.Documents.Told(ctx, tenant, list); err != nil {
		return r, err
	}
	list = slices.DeleteFunc(list, func(d recaller.Document) bool { return d.Title == "" && d.Content == "" })
	r.Found = s.placed(q, read, list, cosines)
	return r, nil
}

func (q DocumentQuery) checked() (DocumentQuery, error) {
	q.Text = strings.TrimSpace(q.Text)
	switch n := utf8.RuneCountInString(q.Text); {
	case n == 0 && len(q.Filter.Tags) == 0:
		return q, recaller.InvalidField("text", "must say what to look for, unless tags do")
	case n > MaxQuery:
		return q, recaller.InvalidField("text", "must have at most %d characters", MaxQuery)
	case q.Limit < 0 || q.Limit > MaxLimit:
		return q, recaller.InvalidField("limit", "must be between 1 and %d", MaxLimit)
	}
	if q.Limit == 0 {
		q.Limit = DefaultLimit
	}
	return q, nil
}

// apart returns the filters of what is searched one after the other.
func apart(f recaller.DocumentFilter) []recaller.DocumentFilter {
	if f.Caller == "" || !f.House {
		return []recaller.DocumentFilter{f}
	}
	own, house := f, f
	own.House, house.Caller = false, ""
	return []recaller.DocumentFilter{own, house}
}

// documents returns the candidates: the newest, those that share words with the query, and those that mean alike, whose
// cosines it adds.
func (s *Service) documents(
	ctx context.Context, tenant recaller.TenantID, q DocumentQuery, read rank.Query,
	cosines map[recaller.DocumentID]float64,
) (list []recaller.Document, degraded string, err error) {
	latest := q.Filter
	latest.Page = recaller.Page{Limit: max(newest, q.Limit)}
	if list, _, err = s.Store.Documents(ctx, tenant, latest); err != nil || q.Text == "" {
		return list, "", err
	}
	var matching, similar []recaller.NearDocument
	var matchErr error
	var wg sync.WaitGroup
	if terms := read.Stems(); len(terms) > 0 {
		wg.Go(func() {
			matching, matchErr = s.Store.MatchingDocuments(ctx, tenant, terms, q.Filter, candidates)
		})
	}
	e, err := s.asked(ctx, read.Text(), read.Known())
	if err == nil {
		similar, err = s.Store.SimilarDocuments(ctx, tenant, e, q.Filter, candidates)
	}
	wg.Wait()
	var f *EmbedError
	if errors.As(err, &f) {
		degraded, err = DegradedEmbedder, nil
	}
	if err = errors.Join(err, matchErr); err != nil {
		return nil, "", err
	}
	var ids []recaller.DocumentID
	for _, n := range slices.Concat(similar, matching) {
		known := func(d recaller.Document) bool { return d.ID == n.Document }
		if !slices.Contains(ids, n.Document) && !slices.ContainsFunc(list, known) {
			ids = append(ids, n.Document)
		}
	}
	for _, n := range similar {
		cosines[n.Document] = n.Score
	}
	others, err := s.Store.DocumentsByID(ctx, tenant, ids)
	return append(list, others...), degraded, err
}

// placed returns the page of the best.
func (s *Service) placed(
	q DocumentQuery, read rank.Query, list []recaller.Document, cosines map[recaller.DocumentID]float64,
) []FoundDocument {
	slices.SortStableFunc(list, func(a, b recaller.Document) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
	asked := stems.Count(q.Text)
	talks := make([]rank.Talk, len(list))
	for i, d := range list {
		talks[i] = rank.Talk{Written: append([]string{d.Title, called(d)}, strings.Split(d.Content, "\n")...), Cosine: cosines[d.ID]}
	}
	s.compare(read, talks)
	scores := make([]float64, len(list))
	for _, r := range read.Rank(talks) {
		near := r.Near() || s.maker() == rank.Configured && talks[r.Talk].Cosine > 0
		switch {
		case q.Text == "" || names(list[r.Talk], asked):
			scores[r.Talk] = named
		case near:
			scores[r.Talk] = min(r.Score, named-1)
		}
	}
	var found []FoundDocument
	for i, d := range list {
		if scores[i] > 0 {
			found = append(found, FoundDocument{Document: d, Score: scores[i]})
		}
	}
	slices.SortStableFunc(found, func(a, b FoundDocument) int { return cmp.Compare(b.Score, a.Score) })
	found = found[:min(len(found), q.Limit)]
	of := stemmer{}
	for i := range found {
		found[i].Snippet = of.snippet(found[i].Content, read.Stems())
	}
	return found
}

// called is what a document is called beside its title.
func called(d recaller.Document) string { return strings.Join(append(d.Tags, d.Source), " ") }

// names reports whether a document's title, tags and source have all words of a query.
func names(d recaller.Document, asked map[string]int) bool {
	if len(asked) == 0 {
		return false
	}
	has := stems.Count(d.Title, called(d))
	for stem := range asked {
		if has[stem] == 0 {
			return false
		}
	}
	return true
}

// snippet returns the part of a text that fits terms best, from the beginning of a line on, at most SnippetLength
// characters. It is the beginning if nothing fits, or if what fits stands there.
func (s stemmer) snippet(text string, terms []string) string {
	var lines []recaller.Turn
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, recaller.Turn{Text: line})
	}
	rarity := s.rarities(lines, terms)
	at, best, place, characters := 0, 0.0, 0, 0
	for _, line := range lines {
		if fit, _ := s.fits(line.Text, rarity); fit > best {
			best, at = fit, place
			if characters+utf8.RuneCountInString(line.Text) <= SnippetLength {
				at = 0
			}
		}
		place += len(line.Text) + 1
		characters += utf8.RuneCountInString(line.Text) + 1
	}
	part, before := text[at:], ""
	if at > 0 {
		before = ellipsis
	}
	left := SnippetLength - utf8.RuneCountInString(before)
	if utf8.RuneCountInString(part) <= left {
		return before + part
	}
	part = first(part, left-1)
	if i := strings.LastIndexAny(part, " \n"); i > len(part)/2 {
		part = part[:i]
	}
	return before + strings.TrimSpace(part) + ellipsis
}
