package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/embed/embedtest"
	"github.com/recallerhq/recaller/internal/embed/static"
)

// P16, scenario 4: the embedding is made after the call. The end waits for nothing, the next call knows of this one at
// once, and by and by the conversation is found by what it was about.
func TestTheEmbeddingComesAfterTheCall(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		s := house(t, on)
		p := tenantWith(t, s, recaller.Keep)
		from := number()
		call := p.ring(from)
		p.say(call.Conversation.ID, user("We are planning a wedding reception for ninety guests in June."), agent("How lovely. Shall I send you our menus?"))
		began := time.Now()
		p.hangUp(call.Conversation.ID)
		if took := time.Since(began); took > 5*time.Second { // a bound on waiting, not on speed
			t.Errorf("the end took %s", took)
		}
		holds(t, "the next briefing", p.ring(from).Briefing.Text, "1. ", "(voice, today)") // whatever is done of the write-up
		rec := p.writtenUp(call.Conversation.ID)
		holds(t, "the briefing after the write-up", p.ring(from).Briefing.Text, "wedding reception")
		last := rec.Wrapup.Steps[4]
		if last.Step != recaller.StepEmbed || last.State != recaller.StepDone || !strings.HasPrefix(last.By, static.Model) {
			t.Errorf("got the last step %+v, want the embedding done by the built-in embedder", last)
		}
		p.call(number(), user("My dishwasher leaks."), agent("We will send somebody."))
		found := p.search("wedding inquiries")
		if len(found) == 0 || found[0].ConversationID != call.Conversation.ID {
			t.Fatalf("got %+v, want the wedding first", found)
		}
		if f := found[0]; f.CallerID != call.Caller.ID || f.Similarity <= 0 || !strings.Contains(f.Excerpt, "wedding") || f.Summary == "" || f.StartedAt.IsZero() {
			t.Errorf("got %+v", f)
		}
	})
}

// P16, scenario 2: of ten calls the next one is told the last three; those before them are found by a search for what
// they were about, in other words with the built-in embedder, by what it means with a model that knows that.
func TestOlderCallsAreFoundByTheirMeaning(t *testing.T) {
	t.Parallel()
	things := []string{"umbrella", "saxophone", "greenhouse", "motorcycle", "telescope", "accordion", "wheelbarrow", "typewriter", "chandelier", "surfboard"}
	meanings := []string{"rain", "jazz", "tomatoes", "highway", "stars", "polka", "gardening", "letters", "ballroom", "waves"}
	onBothStores(t, func(t *testing.T, on backing) {
		t.Run("built in", func(t *testing.T) {
			t.Parallel()
			olderCallsAreFound(t, tenantWith(t, house(t, on), recaller.Keep), things, func(thing int) string { return "the broken " + things[thing] + "s" })
		})
		t.Run("by a model", func(t *testing.T) {
			t.Parallel()
			s := serveIn(t, on, "RECALLER_EMBEDDING_BASE_URL="+modelOf(t, things, meanings)+"/v1", "RECALLER_EMBEDDING_MODEL=m")
			olderCallsAreFound(t, phone{t, s.admin}, things, func(thing int) string { return meanings[thing] })
		})
	})
}

// olderCallsAreFound makes a call about each thing, and searches for those that the next call is not told of.
func olderCallsAreFound(t *testing.T, p phone, things []string, query func(thing int) string) {
	from := number()
	calls := make([]string, len(things))
	for i, thing := range things {
		calls[i] = p.call(from, user("I am calling because my "+thing+" has to be repaired."), agent("We will see to it.")).Conversation.ID
	}
	eleventh := p.ring(from)
	history := part(eleventh.Briefing, "history")
	for i, call := range calls {
		if i >= len(calls)-3 {
			holds(t, "the history", history, things[i])
			continue
		}
		holds(t, "the history", history, "!"+things[i])
		found, err := p.c.SearchConversations(t.Context(), client.SearchRequest{Query: query(i), Limit: 1})
		if err != nil || found.Degraded != "" || len(found.Results) != 1 {
			t.Errorf("call %d: got %+v, %v; want one found, by words and meaning", i+1, found, err)
			continue
		}
		if f := found.Results[0]; f.ConversationID != call || f.CallerID != eleventh.Caller.ID || f.Similarity <= 0 || !strings.Contains(f.Excerpt, things[i]) {
			t.Errorf("call %d: got %+v, want it first", i+1, f)
		}
	}
}

// modelOf serves an embedding model to which a meaning is the same as its thing.
func modelOf(t *testing.T, things, meanings []string) string {
	t.Helper()
	var pairs []string
	for i, meaning := range meanings {
		pairs = append(pairs, meaning, things[i])
	}
	provider, same := embedtest.New(1024), strings.NewReplacer(pairs...)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			return // the server went
		}
		r.Body = io.NopCloser(strings.NewReader(same.Replace(string(raw))))
		provider.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// P7: one tenant's search never finds another's conversations, whatever it asks for.
func TestASearchStaysInItsTenant(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		s := house(t, on)
		mine, theirs := tenantWith(t, s, recaller.Keep), tenantWith(t, s, recaller.Keep)
		theirs.writtenUp(theirs.call(number(), user("The zither lesson is on Thursday."), agent("Noted.")).Conversation.ID)
		mine.writtenUp(mine.call(number(), user("I need a plumber."), agent("Noted.")).Conversation.ID)
		for _, found := range mine.search("zither lesson on Thursday") {
			if strings.Contains(found.Excerpt+found.Summary, "zither") {
				t.Errorf("found %+v of the other tenant", found)
			}
		}
		if len(theirs.search("zither")) != 1 {
			t.Error("the tenant does not find its own")
		}
	})
}

func (p phone) search(query string) []client.SearchResult {
	p.t.Helper()
	out, err := p.c.SearchConversations(p.t.Context(), client.SearchRequest{Query: query})
	if err != nil {
		p.t.Fatal(err)
	}
	return out.Results
}
