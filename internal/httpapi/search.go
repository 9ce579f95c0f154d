package httpapi

import (
	"context"
	"net/http"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/search"
)

// Searcher searches a tenant's conversations; *search.Service has it.
type Searcher interface {
	Search(ctx context.Context, tenant recaller.TenantID, q search.Query) (search.Result, error)
}

func (s *server) searchRoutes() {
	add(s, route{
		id: "search-conversations", method: http.MethodPost, path: "/v1/conversations/search", tag: tagConversations, summary: "Search conversations",
		about: "Searches the ended conversations of all the tenant's callers by what they were about, in any words, best first. " +
			"A conversation is found when its write-up is done, a second after its end where there is no model to wait for. While the embedder is away the " +
			"words alone are searched, and `degraded` says so. To search what one caller said, turn by turn, use recall. It changes nothing, so it may be repeated.",
	}, s.searchConversations)
}

func (s *server) searchConversations(ctx context.Context, x *exchange, in *struct {
	Body client.SearchRequest
},
) (*plain[client.SearchResponse], error) {
	b := in.Body
	after, err := told("after", b.After)
	if err != nil {
		return nil, err
	}
	before, err := told("before", b.Before)
	if err != nil {
		return nil, err
	}
	found, err := s.Search.Search(ctx, x.key.Tenant, search.Query{
		Text: b.Query, Limit: b.Limit,
		Filter: recaller.SearchFilter{
			Caller: recaller.CallerID(b.CallerID), Channel: b.Channel, Intent: b.Intent, Sentiment: b.Sentiment, Outcome: b.Outcome,
			After: after, Before: before,
		},
	})
	return body200(client.SearchResponse{
		Results: list(found.Found, foundOut), TookMS: milliseconds(found.Took), Degraded: found.Degraded,
	}, err)
}

func foundOut(f recaller.Found) client.SearchResult {
	c := f.Conversation
	out := client.SearchResult{
		ConversationID: string(c.ID), ConversationExternalID: c.ExternalID, CallerID: string(c.Caller), Excerpt: f.Excerpt,
		StartedAt: instant(c.StartedAt), Similarity: f.Similarity, Score: f.Score,
	}
	if c.Summary != nil {
		out.Summary = c.Summary.Brief
	}
	if c.Analysis != nil {
		out.Intent, out.Sentiment = c.Analysis.Intent, c.Analysis.Sentiment
	}
	return out
}
