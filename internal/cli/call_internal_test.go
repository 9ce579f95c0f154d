package cli

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// A call began while the store was away, so its start told no caller. Who calls is read once the store is back.
func TestWhoCallsIsReadAfterADegradedStart(t *testing.T) {
	answers := []string{
		`{"conversation": {"id": "conv-1"}}`,
		`{"conversation": {"id": "conv-1", "caller_id": "ann"}}`,
	}
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/conversations/conv-1" {
			t.Errorf("asked for %s, want the conversation", r.URL.Path)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(answers[asked]))
		asked++
	}))
	t.Cleanup(server.Close)
	api, err := client.New(server.URL, "key")
	if err != nil {
		t.Fatal(err)
	}
	call := &phoneCall{api: api, conv: "conv-1"} // without patience
	if id, err := call.callerID(t.Context()); recaller.KindOf(err) != recaller.Unavailable {
		t.Errorf("while the store is away: got %q, %v; want Unavailable", id, err)
	}
	asked, call.patience = 0, time.Minute
	for range 2 {
		if id, err := call.callerID(t.Context()); id != "ann" || err != nil {
			t.Errorf("once it is back: got %q, %v; want ann", id, err)
		}
	}
	if asked != len(answers) {
		t.Errorf("asked %d times, want %d: a caller that is known is not asked for again", asked, len(answers))
	}
}
