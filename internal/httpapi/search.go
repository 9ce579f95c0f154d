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
	SearchDocuments(
		ctx context.Context, tenant recaller.TenantID, q search.DocumentQuery,
	) (search.DocumentResult, error)
}

func (s *server) searchRoutes() {
	add(s, route{
		id: "search-conversations", method: http.MethodPost, path: "/v1/conversations/search", tag: tagConversations,
		summary: "Search conversations",
		about: "Searches the ended conversations of all the tenant's callers by what they were about, in any words, " +
			"best first. Words that only frame the query (callers who asked about) weigh nothing, those that " +
			"describe the conversations (frustrated customers, text messages, last week) become filters, which " +
			"`understood` tells, and what nothing of the query speaks for is not returned. A conversation is found " +
			"when its write-up is done, a second after its end where there is no model to wait for. While the " +
			"embedder is away the words alone are searched, and `degraded` says so. To search what one caller said, " +
			"turn by turn, use recall. It changes nothing, so it may be repeated.",
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
	found, err := s.Search.Search(ctx, x.Tenant, search.Query{
		Text: b.Query, Limit: b.Limit,
		Filter: recaller.SearchFilter{
			Caller: recaller.CallerID(b.CallerID), Channel: b.Channel, Intent: b.Intent, Sentiment: b.Sentiment,
			Outcome: b.Outcome, After: after, Before: before,
		},
	})
	return body200(client.SearchResponse{
		Results: list(found.Found, foundOut), Understood: list(found.Understood, understoodOut),
		TookMS: milliseconds(found.Took), Degraded: found.Degraded, Unreadable: found.Unreadable,
	}, err)
}

func foundOut(f recaller.Found) client.SearchResult {
	c := f.Conversation
	out := client.SearchResult{
		ConversationID: string(c.ID), ConversationExternalID: c.ExternalID, CallerID: string(c.Caller),
		Excerpt: f.Excerpt, StartedAt: instant(c.StartedAt), Similarity: f.Similarity, Score: f.Score,
		Topics: []string{}, Why: client.SearchWhy{Terms: []client.TermWhy{}, Parts: []client.SearchPartWhy{}},
	}
	if c.Summary != nil {
		out.Summary = c.Summary.Brief
	}
	if c.Analysis != nil {
		out.Intent, out.Sentiment, out.Outcome = c.Analysis.Intent, c.Analysis.Sentiment, c.Analysis.Outcome
		out.Topics = append(out.Topics, c.Analysis.Topics...)
	}
	if f.Why != nil {
		out.Why.Terms = list(f.Why.Terms, func(t recaller.TermWhy) client.TermWhy { return client.TermWhy(t) })
		out.Why.Parts = list(f.Why.Parts, func(p recaller.PartWhy) client.SearchPartWhy {
			return client.SearchPartWhy(p)
		})
	}
	return out
}

func understoodOut(u search.Understood) client.SearchUnderstood {
	return client.SearchUnderstood{
		Words: u.Words, Field: string(u.Field), Value: u.Value, After: u.From, Before: u.Until, Applied: u.Applied,
	}
}
