package app

import (
	"context"
	"runtime"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/search"
)

// indexer makes a conversation findable once it is written up: for the search over a tenant's conversations, and for
// its caller's next call. Reading with a model takes a core for a while. So it uses half of the cores at most, and
// leaves the others to calls.
type indexer struct {
	recall *recall.Service
	search *search.Service
	slots  chan struct{}
}

func newIndexer(r *recall.Service, s *search.Service) indexer {
	return indexer{r, s, make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))}
}

// ahead bounds how long a caller's words are read ahead at the end of a call. That is enough for a call; of a long
// history that came at once, it is enough for a part.
const ahead = time.Second

// Index implements wrapup.Indexer. The search uses what was read for recall. If that failed, it reads for itself.
func (x indexer) Index(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) (string, error) {
	select {
	case x.slots <- struct{}{}:
		defer func() { <-x.slots }()
	case <-ctx.Done():
		return "", recaller.Wrap(recaller.Timeout, ctx.Err(), "the conversation was not made findable")
	}
	bounded, cancel := context.WithTimeout(ctx, ahead)
	defer cancel()
	_ = x.recall.ReadAhead(bounded, tenant, conv.Caller) // what it did not read is read when somebody searches
	return x.search.Index(ctx, tenant, conv)
}
