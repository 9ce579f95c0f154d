package httpapi

import (
	"context"
	"net/http"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/recall"
)

func (s *server) recallRoute() {
	add(s, route{
		id: "recall", method: http.MethodPost, path: "/v1/callers/{id}/recall", tag: tagCallers,
		summary: "Recall what was said",
		about: "Searches the caller's turns, memories and summaries, best first: by words, in any of their forms; by " +
			"meaning, with vectors that are built in, so that a result may share no word with the query; and by " +
			"time, for a query that means one (yesterday, three weeks ago, last spring) puts what was said then " +
			"further up, and leaves nothing else out. Days are those of the caller's zone. Whatever was acknowledged " +
			"can be found at once. It changes nothing, so it may be repeated.",
	}, s.recall)
}

func (s *server) recall(ctx context.Context, x *exchange, in *struct {
	CallerPath
	Forgotten
	Body client.RecallRequest
},
) (*plain[client.RecallResponse], error) {
	b := in.Body
	in.IncludeForgotten = in.IncludeForgotten || b.IncludeForgotten
	if err := in.allowed(x); err != nil {
		return nil, err
	}
	// zero is now, and sets no bound: a client's clock that runs ahead must not hide what was just said
	asOf, err := told("as_of", b.AsOf)
	if err != nil {
		return nil, err
	}
	t, err := s.Tenants.Tenant(ctx, x.Tenant)
	if err != nil {
		return nil, err
	}
	rights := t.Rights(b.Trust)
	if !rights.Tells(recaller.TellAllButPrivate) {
		return &plain[client.RecallResponse]{client.RecallResponse{Results: []client.RecallResult{}}}, nil
	}
	began := s.opts.Now()
	found, err := s.Recall.Recall(ctx, x.Tenant, recaller.CallerID(in.ID), recall.Query{
		Text: b.Query, Limit: b.Limit, Kinds: b.Kinds, AsOf: asOf, Explain: b.Explain,
		Neighbours: neighbours(b.Neighbours), Forgotten: in.IncludeForgotten, Weak: true, Embed: true,
		Private: in.IncludeForgotten || rights.Tells(recaller.TellAll),
	})
	if err != nil {
		return nil, err
	}
	took := s.opts.Now().Sub(began)
	return &plain[client.RecallResponse]{client.RecallResponse{
		Results: list(found.Hits, hitOut), TookMS: milliseconds(took), Degraded: found.Degraded,
	}}, nil
}

// neighbours turns the request's number into recall's: 0 there is the default, and a negative number means none.
func neighbours(n *int) int {
	switch {
	case n == nil:
		return 0
	case *n == 0:
		return -1
	}
	return *n
}
