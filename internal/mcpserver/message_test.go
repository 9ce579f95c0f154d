package mcpserver

import (
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/httpdoor"
)

// What is no message is refused in our words, and nothing of it comes back.
func TestWhatIsNoMessageIsNotRepeated(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{my secret`:           "not valid JSON",
		`"my secret"`:          "not a message",
		`["my secret"]`:        "batches",
		`{"jsonrpc":"secret"}`: "not a message",
		`{"jsonrpc":"2.0","id":1,"method":{"my":"secret"}}`:                                             "not a message",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"my secret"}`:                           "not a message",
		`{"jsonrpc":"2.0","id":{"my":"secret"},"method":"tools/list"}`:                                  "id:",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7,"arguments":{"a":"secret"}}}`: "params.name:",
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":["secret"]}}`:                "params.uri:",
	} {
		_, err := message([]byte(body))
		if err == nil {
			t.Errorf("%s: it is taken", body)
			continue
		}
		if got := httpdoor.ProblemOf(err).Detail; !strings.Contains(got, want) || strings.Contains(got, "secret") {
			t.Errorf("%s: got %q, want %q in it and nothing of the body", body, got, want)
		}
	}
	for _, body := range []string{`{"jsonrpc":"2.0","id":"a","method":"tools/list"}`, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, ``} {
		if _, err := message([]byte(body)); err != nil {
			t.Errorf("%s: got %v, want it taken", body, err)
		}
	}
}
