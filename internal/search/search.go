// Package search finds conversations of a tenant by what they were about (spec P6, P7): it makes the ended ones
// findable, by an embedding and by blind tokens of the stems that were said, and it ranks them for a query by both.
//
// Words alone answer while the embedder is away; an embedding that could not be made at the end of a conversation is
// made in one of the next nights (Retry).
//
// It is not for searching one caller's words, turn by turn (recall), nor for making vectors (embed) or keeping them
// (store). The wrap-up and the HTTP edge use it; it knows neither.
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
	// PutIndexing replaces what a conversation is found by; NotFound if its caller is gone or being erased.
	PutIndexing(ctx context.Context, tenant recaller.TenantID, in recaller.Indexing) error
	// Similar ranks by cosine, nearest first: only ended conversations of callers who are not being erased.
	Similar(ctx context.Context, tenant recaller.TenantID, e recaller.Embedding, f recaller.SearchFilter, limit int) ([]recaller.Near, error)
	// Matching ranks the same conversations by stems, best first; of many the first count.
	Matching(ctx context.Context, tenant recaller.TenantID, stems []string, f recaller.SearchFilter, limit int) ([]recaller.Near, error)
	// Similarities tells the cosine of given conversations, as far as they have an embedding by the same model.
	Similarities(ctx context.Context, tenant recaller.TenantID, e recaller.Embedding, ids []recaller.ConversationID) (map[recaller.ConversationID]float64, error)
	// Talks reads conversations with what was said in them and what of it is forgotten, at one moment and in the order of
	// the ids; missing ones are left out.
	Talks(ctx context.Context, tenant recaller.TenantID, ids []recaller.ConversationID) ([]recaller.Talk, error)
	// Unembedded lists ended conversations that have no embedding by the model and are to have one, by id, after the given
	// one; more is where the next page begins, empty where there is none.
	Unembedded(
		ctx context.Context, tenant recaller.TenantID, in recaller.Embeddable,
	) (list []recaller.Conversation, more recaller.ConversationID, err error)
	// Forgotten returns every version of a caller's memories that are forgotten: what they said is not shown.
	Forgotten(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) ([]recaller.Memory, error)
	// Regarded returns every version of the memories that a job of kind recaller.JobReindex is about, by its subject.
	Regarded(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, subject string) ([]recaller.Memory, error)
	Conversations(ctx context.Context, tenant recaller.TenantID, f recaller.ConversationFilter) (list []recaller.Conversation, next string, err error)
	TenantIDs(ctx context.Context) ([]recaller.TenantID, error)
	Steps(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) ([]recaller.StepProgress, error)
	// ReopenStep makes a step that is done or failed, or that an older conversation does not have, one to be tried.
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

// Embedder makes vectors of texts. A failure has a Kind: Invalid where the same text would be refused again, any other
// where asking later may help.
type Embedder interface {
	// Embed returns one vector of length 1 for each text, in order; EmbedQueries does so for what is searched for.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	EmbedQueries(ctx context.Context, texts []string) ([][]float32, error)
	Model() string // recorded with each vector; those of different models are not compared
}

// Kept are vectors of turns that were made for recall.
type Kept interface {
	// TurnVectors returns those of a caller's turns by a model; false where nothing is to be kept of him.
	TurnVectors(ctx context.Context, t recaller.TenantID, c recaller.CallerID, model string) ([]recaller.TurnVectors, bool, error)
}

// Deps are what a Service needs; all are required but Kept.
type Deps struct {
	Store    Store
	Words    Words
	Tenants  Tenants
	Embedder Embedder
	Dialogue bool // the built-in model of dialogues reads what was said as well; only beside the built-in table
	Kept     Kept // what that model has made already; nil: nothing
	Log      *slog.Logger
	Metrics  *Metrics
	Now      func() time.Time
}

// Service makes conversations findable, and finds them. Safe for concurrent use.
type Service struct {
	Deps
	pool index.Pool
}

// New returns a Service.
func New(deps Deps) *Service { return &Service{Deps: deps} }

// How long the embedder is waited for: by somebody who searches, and after a conversation.
const (
	queryPatience = 1500 * time.Millisecond
	indexPatience = 30 * time.Second
)

// Why there is no embedding: the closed set of a step's Reason, and of the label of recaller_embeddings_total.
const (
	ReasonAway     = "embedder unavailable"
	ReasonRefused  = "embedder refused"
	ReasonUnusable = "embedder answer unusable"
)

// EmbedError is why a text has no embedding. What else there was to do is done.
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

// embed makes the vectors of texts, within a bound. Its error is a *EmbedError, unless ctx ended.
func (s *Service) embed(ctx context.Context, by func(context.Context, []string) ([][]float32, error), texts []string, patience time.Duration) ([][]float32, error) {
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
		return nil, &EmbedError{ReasonUnusable, recaller.Errorf(recaller.Internal, "the embedder gave not one vector of length 1 for each text")}
	}
	return vectors, nil
}

// widest is the widest vector that every store takes.
const widest = 4000

// unusable reports whether a vector is no direction: its numbers are no numbers, or too many, or its length is not near
// 1.
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
