package llm_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/llm"
)

func TestReplyStreamsWhatTheModelSays(t *testing.T) {
	t.Parallel()
	var asked struct {
		Model    string `json:"model"`
		Stream   bool   `json:"stream"`
		Messages []struct{ Role, Content string }
	}
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != "Bearer secret" {
			t.Errorf("authorization %q", got)
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, piece := range []string{"Good ", "morning", "!"} {
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", piece)
		}
		fmt.Fprint(w, "data: {\"choices\":[]}\n\ndata: [DONE]\n\n")
	}, time.Second)

	var heard []string
	reply, err := client.Reply(t.Context(), "be kind", []llm.Message{
		{Speaker: recaller.User, Text: "hello"},
		{Speaker: recaller.Assistant, Text: "hi"},
		{Speaker: recaller.User, Text: "good morning"},
	}, func(piece string) { heard = append(heard, piece) })
	if err != nil || reply != "Good morning!" {
		t.Fatalf("got %q, %v", reply, err)
	}
	if got := strings.Join(heard, "|"); got != "Good |morning|!" {
		t.Errorf("heard %q", got)
	}
	var roles []string
	for _, m := range asked.Messages {
		roles = append(roles, m.Role+":"+m.Content)
	}
	if diff := cmp.Diff([]string{"system:be kind", "user:hello", "assistant:hi", "user:good morning"}, roles); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	if asked.Model != "m" || !asked.Stream {
		t.Errorf("asked model %q, stream %v", asked.Model, asked.Stream)
	}
}

func TestFailuresSayWhatKindTheyAre(t *testing.T) {
	t.Parallel()
	tests := []struct {
		status int
		want   recaller.Kind
	}{
		{http.StatusUnauthorized, recaller.Unauthenticated},
		{http.StatusNotFound, recaller.NotFound},
		{http.StatusBadRequest, recaller.Invalid},
	}
	for _, test := range tests {
		client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(test.status)
			fmt.Fprint(w, `{"error":{"message":"they said hush"}}`)
		}, time.Second)
		_, err := client.Reply(t.Context(), "", nil, nil)
		if got := recaller.KindOf(err); got != test.want {
			t.Errorf("status %d: got kind %q, want %q", test.status, got, test.want)
		}
	}
}

func TestASlowModelIsNotWaitedForLongerThanItsTimeout(t *testing.T) {
	t.Parallel()
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Well\"}}]}\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}, 100*time.Millisecond)
	said, err := client.Reply(t.Context(), "", nil, nil)
	if said != "Well" || recaller.KindOf(err) != recaller.Timeout {
		t.Errorf("got %q, %v; want what was heard and a timeout", said, err)
	}
}

func TestCheckKnowsAnEndpointThatDoesNotListModels(t *testing.T) {
	t.Parallel()
	client := serve(t, http.NotFound, time.Second)
	if err := client.Check(t.Context()); err != nil {
		t.Errorf("an endpoint without a list: %v", err)
	}
	gone := llm.New(llm.Settings{BaseURL: "http://127.0.0.1:1/v1", Model: "m"})
	if got := recaller.KindOf(gone.Check(t.Context())); got != recaller.Unavailable {
		t.Errorf("no endpoint: got kind %q", got)
	}
}

func serve(t *testing.T, handler http.HandlerFunc, timeout time.Duration) *llm.Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return llm.New(llm.Settings{BaseURL: server.URL + "/v1", APIKey: "secret", Model: "m", Timeout: timeout, HTTP: server.Client()})
}
