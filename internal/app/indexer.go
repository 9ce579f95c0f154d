package app

import (
	"context"
	"runtime"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/search"
)

// indexer makes a conversation that was written up findable: for whoever searches all of a tenant's, and for its
// caller's next call. What a model reads of it takes a core for a while, so that half of them are left to who rings
// meanwhile.
type indexer struct {
	recall *recall.Service
	search *search.Service
	slots  chan struct{}
}

func newIndexer(r *recall.Service, s *search.Service) indexer {
	return indexer{r, s, make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))}
}

// ahead is how long a caller is read ahead at the end of a call: a call is read in less, of a history that came at once
// the beginning.
const ahead = time.Second

// Index implements wrapup.Indexer. The search takes what was read for recall; where that fails it reads for itself.
func (x indexer) Index(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) (string, error) {
	select {
	case x.slots <- struct{}{}:
		defer func() { <-x.slots }()
	case <-ctx.Done():
		return "", recaller.Wrap(recaller.Timeout, ctx.Err(), "the conversation was not made findable")
	}
	bounded, cancel := context.WithTimeout(ctx, ahead)
	defer cancel()
	_ = x.recall.ReadAhead(bounded, tenant, conv.Caller) // what it could not read is read when something is looked for
	return x.search.Index(ctx, tenant, conv)
}
