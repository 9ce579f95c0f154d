package httpapi

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/search"
)

// findable imports a conversation and makes it findable, as its wrap-up does.
func (h *house) findable(t *testing.T, c *client.Client, tenant recaller.TenantID, phone, externalID, said string) client.Conversation {
	t.Helper()
	ctx := context.Background()
	noon := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	out, err := c.ImportConversation(ctx, client.ImportRequest{
		Caller: client.CallerRef{Phone: phone}, ExternalID: externalID, StartedAt: noon, EndedAt: noon.Add(time.Minute),
		Turns: []client.TurnInput{{Speaker: recaller.User, Text: said, At: noon}},
	})
	if err != nil {
		t.Fatal(err)
	}
	conv, err := h.deps.Conversations.Find(ctx, tenant, out.Conversation.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.deps.Search.(*search.Service).Index(ctx, tenant, conv); err != nil {
		t.Fatal(err)
	}
	return out.Conversation
}

func TestConversationsAreSearched(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	ctx := context.Background()
	made, err := h.admin.CreateTenant(ctx, client.NewTenant{Name: "Fox Hollow"})
	if err != nil {
		t.Fatal(err)
	}
	conv := h.findable(t, h.admin, recaller.DefaultTenant, "+4930901820", "CA1", "We look for a place for our wedding.")
	h.findable(t, h.admin, recaller.DefaultTenant, "+4930901821", "", "My tooth hurts.")
	theirs := h.client(t, made.APIKey)
	h.findable(t, theirs, recaller.TenantID(made.Tenant.ID), "+4930901820", "CA1", "Rosamund Featherstone plans a wedding.")

	found, err := h.withKey(t, recaller.ScopeRead).SearchConversations(ctx, client.SearchRequest{Query: "weddings of Rosamund Featherstone"})
	if err != nil {
		t.Fatal(err)
	}
	want := []client.SearchResult{{
		ConversationID: conv.ID, ConversationExternalID: "CA1", CallerID: conv.CallerID, Excerpt: "We look for a place for our wedding.",
		StartedAt: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC),
	}}
	if diff := cmp.Diff(want, found.Results, cmpopts.IgnoreFields(client.SearchResult{}, "Similarity", "Score", "Why"), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if r := found.Results[0]; r.Similarity <= 0 || r.Similarity >= 1 || r.Score <= 0 || found.TookMS < 0 || found.Degraded != "" {
		t.Errorf("got %+v in %v ms, degraded %q", r, found.TookMS, found.Degraded)
	}
	if found, err := theirs.SearchConversations(ctx, client.SearchRequest{Query: "tooth", Limit: 50}); err != nil || len(found.Results) != 0 {
		t.Errorf("another tenant: got %+v, %v; want nothing", found.Results, err)
	}
	if found, err := h.admin.SearchConversations(ctx, client.SearchRequest{
		Query: "wedding", CallerID: conv.CallerID, Channel: recaller.ChannelVoice, After: want[0].StartedAt, Before: want[0].StartedAt.Add(time.Second), Limit: 1,
	}); err != nil || len(found.Results) != 1 {
		t.Errorf("with every filter that fits: got %+v, %v", found.Results, err)
	}
	if found, err := h.admin.SearchConversations(ctx, client.SearchRequest{Query: "wedding", Intent: "complaint", Sentiment: "negative", Outcome: "unresolved"}); err != nil || len(found.Results) != 0 {
		t.Errorf("with labels that do not: got %+v, %v", found.Results, err)
	}
	if logs := h.logs.String(); strings.Contains(strings.ToLower(logs), "wedding") || strings.Contains(logs, "Rosamund") {
		t.Error("the log tells what was searched")
	}
}

func TestASearchIsDegradedWhileTheEmbedderIsAway(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	h.findable(t, h.admin, recaller.DefaultTenant, "+4930901820", "", "A wedding.")
	h.embedder.Before("Embed", func() error { return recaller.Errorf(recaller.Unavailable, "away") })
	found, err := h.admin.SearchConversations(context.Background(), client.SearchRequest{Query: "wedding"})
	if err != nil || len(found.Results) != 1 || found.Degraded != "embedder unavailable" {
		t.Errorf("got %+v, %v", found, err)
	}
	if status, _, body := h.call(t, "POST", "/v1/conversations/search", `{"query":"zebra"}`); status != 200 || !strings.Contains(body, `"results":[]`) {
		t.Errorf("nothing found: got %d %s, want an empty list", status, body)
	}
}

func TestASearchThatIsWrongNamesTheField(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	long := strings.Repeat("x", 101)
	for name, tt := range map[string]struct{ body, field string }{
		"no query":               {`{}`, "query"},
		"an empty query":         {`{"query":""}`, "query"},
		"a query of spaces":      {`{"query":"  "}`, "query"},
		"a query without end":    {`{"query":"` + strings.Repeat("SECRET", 200) + `"}`, "query"},
		"a query that is none":   {`{"query":7}`, "query"},
		"no results":             {`{"query":"a","limit":0}`, "limit"},
		"too many results":       {`{"query":"a","limit":51}`, "limit"},
		"half a result":          {`{"query":"a","limit":1.5}`, "limit"},
		"a caller without end":   {`{"query":"a","caller_id":"` + long + `"}`, "caller_id"},
		"an unknown channel":     {`{"query":"a","channel":"SECRET"}`, "channel"},
		"an intent without end":  {`{"query":"a","intent":"` + long + `"}`, "intent"},
		"an unknown sentiment":   {`{"query":"a","sentiment":"SECRET"}`, "sentiment"},
		"an outcome without end": {`{"query":"a","outcome":"` + long + `"}`, "outcome"},
		"a day for a time":       {`{"query":"a","after":"2026-03-02"}`, "after"},
		"a time that is none":    {`{"query":"a","before":"SECRET"}`, "before"},
		"a time past all years":  {`{"query":"a","after":"9999-12-31T23:59:59-12:00"}`, "after"},
		"before it begins":       {`{"query":"a","after":"2026-03-02T09:00:00Z","before":"2026-03-02T09:00:00Z"}`, "before"},
		"an unknown field":       {`{"query":"a","offset":1}`, "offset"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := h.refused(t, http.StatusUnprocessableEntity, "POST", "/v1/conversations/search", tt.body)
			if p.Field != tt.field || strings.Contains(p.Detail, "SECRET") {
				t.Errorf("got %+v, want the field %q and nothing of what was sent", p, tt.field)
			}
		})
	}
	h.refused(t, http.StatusBadRequest, "POST", "/v1/conversations/search", `SECRET`)
	h.refused(t, http.StatusUnauthorized, "POST", "/v1/conversations/search", `{"query":"a"}`, "Authorization", "")
}

// The lists in the description are those that the rules know.
func TestTheFiltersOfASearchAreClosedSets(t *testing.T) {
	t.Parallel()
	d, _ := described(t, setup(t, nil))
	fields := d.Components.Schemas["SearchRequest"].Properties
	channels := list(recaller.Channels(), func(c recaller.Channel) string { return string(c) })
	if !slices.Equal(fields["channel"].Enum, channels) || len(fields["sentiment"].Enum) != 3 {
		t.Errorf("got the channels %v and the sentiments %v", fields["channel"].Enum, fields["sentiment"].Enum)
	}
}

// unsearchable is a search whose store is away.
type unsearchable struct{}

func (unsearchable) Search(context.Context, recaller.TenantID, search.Query) (search.Result, error) {
	return search.Result{}, recaller.Wrap(recaller.Unavailable, errors.New("disk at /secret"), "the store is away")
}

func (unsearchable) SearchDocuments(context.Context, recaller.TenantID, search.DocumentQuery) (search.DocumentResult, error) {
	return search.DocumentResult{}, recaller.Wrap(recaller.Unavailable, errors.New("disk at /secret"), "the store is away")
}

func TestASearchTellsThatTheStoreIsAway(t *testing.T) {
	t.Parallel()
	h := setup(t, func(d *Deps, _ *Options) { d.Search = unsearchable{} })
	for path, body := range map[string]string{"/v1/conversations/search": `{"query":"a"}`, "/v1/query": `{"text":"a"}`} {
		if p := h.refused(t, http.StatusServiceUnavailable, "POST", path, body); strings.Contains(p.Detail, "secret") {
			t.Errorf("%s: got %+v", path, p)
		}
	}
}

// Nobody is to wait for an embedding that is left to the night.
func TestAWriteUpIsDoneWithoutItsEmbedding(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		last recaller.StepProgress
		want bool
	}{
		"not tried yet":      {recaller.StepProgress{Step: recaller.StepEmbed, State: recaller.StepPending}, false},
		"left to the night":  {recaller.StepProgress{Step: recaller.StepEmbed, State: recaller.StepPending, Reason: "embedder unavailable"}, true},
		"done":               {recaller.StepProgress{Step: recaller.StepEmbed, State: recaller.StepDone}, true},
		"given up on":        {recaller.StepProgress{Step: recaller.StepEmbed, State: recaller.StepFailed}, true},
		"another that waits": {recaller.StepProgress{Step: recaller.StepExtract, State: recaller.StepPending, Reason: "waiting"}, false},
	} {
		r := conversation.Record{Conversation: recaller.Conversation{Status: recaller.Completed}, Steps: []recaller.StepProgress{{Step: recaller.StepSummarise, State: recaller.StepDone}, tt.last}}
		if got := recordOut(r, nil).Wrapup.Done; got != tt.want {
			t.Errorf("%s: done is %v, want %v", name, got, tt.want)
		}
	}
}

func FuzzSearch(f *testing.F) {
	fuzzed(f, "POST", func(_, _ string) string { return "/v1/conversations/search" },
		`{"query":"wedding inquiries","limit":5,"caller_id":"c","channel":"voice","intent":"event","sentiment":"neutral","outcome":"resolved","after":"2026-03-02T09:30:00Z","before":"2026-03-03T09:30:00Z"}`)
}
