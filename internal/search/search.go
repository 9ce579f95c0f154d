// Package search finds conversations of a tenant by what they were about (spec P6, P7). It makes ended conversations
// findable, by embeddings and by blind tokens of the stems that were said. It ranks them for a query by both.
//
// While the embedder is away, words alone answer. An embedding that fails when a conversation ends is made in one of
// the next nights (Retry).
//
// It does not search one caller's words turn by turn (recall), nor does it make vectors (embed) or keep them (store).
// The wrap-up and the HTTP edge use it; it knows neither.
package search

import (
	"context"
	"log/slog"
	"math"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/index"
)

// Store is what this package asks of the store.
type Store interface {
	// PutIndexing replaces what a conversation is found by. NotFound if its caller is gone or being erased.
	PutIndexing(ctx context.Context, tenant recaller.TenantID, in recaller.Indexing) error
	// Similar ranks by cosine, nearest first. It has only ended conversations of callers who are not being erased.
	Similar(
		ctx context.Context, tenant recaller.TenantID, e recaller.Embedding, f recaller.SearchFilter, limit int,
	) ([]recaller.Near, error)
	// Matching ranks the same conversations by stems, best first. If there are too many stems, the first count.
	Matching(
		ctx context.Context, tenant recaller.TenantID, stems []string, f recaller.SearchFilter, limit int,
	) ([]recaller.Near, error)
	// Similarities returns the cosine of each given conversation that has an embedding by the same model.
	Similarities(
		ctx context.Context, tenant recaller.TenantID, e recaller.Embedding, ids []recaller.ConversationID,
	) (map[recaller.ConversationID]float64, error)
	// Talks reads conversations at one moment, with their words and what is forgotten, in the order of the ids. It
	// leaves out missing ones.
	Talks(ctx context.Context, tenant recaller.TenantID, ids []recaller.ConversationID) ([]recaller.Talk, error)
	// Unembedded lists ended conversations that lack an embedding by the model and should have one, by id, after the
	// given one. more is where the next page begins; empty: there is none.
	Unembedded(
		ctx context.Context, tenant recaller.TenantID, in recaller.Embeddable,
	) (list []recaller.Conversation, more recaller.ConversationID, err error)
	// Forgotten returns every version of a caller's forgotten memories, whose words must not be shown.
	Forgotten(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) ([]recaller.Memory, error)
	// Regarded returns every version of the memories that a job of kind recaller.JobReindex is about. subject is the
	// job's.
	Regarded(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, subject string,
	) ([]recaller.Memory, error)
	Conversations(
		ctx context.Context, tenant recaller.TenantID, f recaller.ConversationFilter,
	) (list []recaller.Conversation, next string, err error)
	// PutDocumentIndexing replaces what a document is found by, unless it has another version by now, or is gone.
	PutDocumentIndexing(ctx context.Context, tenant recaller.TenantID, in recaller.DocumentIndexing) error
	// SimilarDocuments ranks by cosine, nearest first, MatchingDocuments by stems, best first.
	SimilarDocuments(
		ctx context.Context, tenant recaller.TenantID, e recaller.Embedding, f recaller.DocumentFilter, limit int,
	) ([]recaller.NearDocument, error)
	MatchingDocuments(
		ctx context.Context, tenant recaller.TenantID, stems []string, f recaller.DocumentFilter, limit int,
	) ([]recaller.NearDocument, error)
	// UnembeddedDocuments lists documents that lack an embedding by the model, by id, after the given one. more is where
	// the next page begins; empty: there is none.
	UnembeddedDocuments(
		ctx context.Context, tenant recaller.TenantID, model string, after recaller.DocumentID, limit int,
	) (list []recaller.Document, more recaller.DocumentID, err error)
	// DocumentsByID returns documents in the order of their ids, without those that are not there.
	DocumentsByID(
		ctx context.Context, tenant recaller.TenantID, ids []recaller.DocumentID,
	) ([]recaller.Document, error)
	Documents(
		ctx context.Context, tenant recaller.TenantID, f recaller.DocumentFilter,
	) (list []recaller.Document, next string, err error)
	TenantIDs(ctx context.Context) ([]recaller.TenantID, error)
	Steps(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) ([]recaller.StepProgress, error)
	// ReopenStep makes a step pending that is done, failed or missing.
	ReopenStep(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, step recaller.Step) error
	WriteStep(ctx context.Context, tenant recaller.TenantID, in recaller.StepResult) (recaller.StepWritten, error)
}

// Words reads a conversation's turns from wherever the retention keeps them; none is no error.
type Words interface {
	Turns(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) ([]recaller.Turn, error)
}

// Tenants gives the settings of a tenant, defaults filled in.
type Tenants interface {
	Tenant(ctx context.Context, id recaller.TenantID) (recaller.Tenant, error)
}

// Embedder makes vectors of texts. A failure of kind Invalid would recur with the same text; any other may pass.
type Embedder interface {
	// Embed returns one vector of length 1 for each text, in order. EmbedQueries does so for what is searched for.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	EmbedQueries(ctx context.Context, texts []string) ([][]float32, error)
	Model() string // recorded with each vector; those of different models are not compared
}

// Kept has vectors of turns that recall has made.
type Kept interface {
	// TurnVectors returns the vectors of a caller's turns by a model; false if nothing of him may be kept.
	TurnVectors(
		ctx context.Context, t recaller.TenantID, c recaller.CallerID, model string,
	) ([]recaller.TurnVectors, bool, error)
}

// Deps are what a Service needs; all are required but Kept.
type Deps struct {
	Store    Store
	Words    Words
	Tenants  Tenants
	Embedder Embedder
	Dialogue bool // the built-in model of dialogues reads the turns too; only with the built-in embedder
	Kept     Kept // vectors that recall has made; nil: none
	// Documents is required for documents only.
	Documents Documents
	Log       *slog.Logger
	Metrics   *Metrics
	Now       func() time.Time
}

// Service makes conversations findable, and finds them. Safe for concurrent use.
type Service struct {
	Deps
	pool index.Pool
}

// New returns a Service.
func New(deps Deps) *Service { return &Service{Deps: deps} }

// How long to wait for the embedder: while somebody searches, and after a conversation.
const (
	queryPatience = 1500 * time.Millisecond
	indexPatience = 30 * time.Second
)

// Why there is no embedding: the closed set of a step's Reason, and of a label of recaller_embeddings_total.
const (
	ReasonAway     = "embedder unavailable"
	ReasonRefused  = "embedder refused"
	ReasonUnusable = "embedder answer unusable"
)

// EmbedError says why a text has no embedding. Everything else was done.
type EmbedError struct {
	reason string
	err    error
}

// Error implements error.
func (f *EmbedError) Error() string { return f.reason + ": " + f.err.Error() }

// Unwrap returns the cause, which has the Kind.
func (f *EmbedError) Unwrap() error { return f.err }

// Reason is one of the Reason constants.
func (f *EmbedError) Reason() string { return f.reason }

// embed makes the vectors of texts within a bound. Its error is a *EmbedError, unless ctx ended.
func (s *Service) embed(
	ctx context.Context, by func(context.Context, []string) ([][]float32, error), texts []string,
	patience time.Duration,
) ([][]float32, error) {
	bounded, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	vectors, err := by(bounded, texts)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, recaller.Wrap(recaller.Timeout, err, "the embedding was not waited for")
	case err != nil && recaller.KindOf(err) == recaller.Invalid:
		return nil, &EmbedError{ReasonRefused, err}
	case err != nil:
		return nil, &EmbedError{ReasonAway, err}
	case len(vectors) != len(texts) || slices.ContainsFunc(vectors, unusable):
		return nil, &EmbedError{ReasonUnusable, recaller.Errorf(recaller.Internal,
			"the embedder gave not one vector of length 1 for each text")}
	}
	return vectors, nil
}

// widest is the widest vector that both stores take.
const widest = 4000

// unusable reports whether a vector is too wide, holds what is no number, or has a length that is not near 1.
func unusable(v []float32) bool {
	if len(v) > widest {
		return true
	}
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	return !(math.Abs(square-1) < 0.01) // NaN is not less
}
