package cli_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/cli"
)

func TestConversationsOfAllCallersAreSearched(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.must("replay", "testdata/plumber.txt", "--phone", maria, "--at", "2026-10-02T14:05")
	b.must("replay", "testdata/plumber.txt", "--phone", "ext:other", "--at", "2026-10-09T14:05")

	found := b.must("search", "noises", "of", "boilers")
	want(t, "search", found, " 1. ", " 2. ", "2 Oct 2026, replay-", "9 Oct 2026, replay-", "terrible noise")

	var answer client.SearchResponse
	if err := json.Unmarshal([]byte(b.must("search", "boiler", "--caller", maria, "--channel", "voice", "--before", "2026-10-05", "--json")), &answer); err != nil {
		t.Fatal(err)
	}
	if len(answer.Results) != 1 || answer.Results[0].Summary == "" || !strings.Contains(answer.Results[0].Excerpt, "boiler") {
		t.Errorf("got %+v, want Maria's call with its summary and words", answer.Results)
	}
	if r := b.run("search", "boiler", "--after", "2026-10-05", "--before", "2026-10-06"); r.code != cli.ExitOK || r.out != "" || !strings.Contains(r.err, "nothing found") {
		t.Errorf("nothing there: exit %d, %q, %q", r.code, r.out, r.err)
	}
	for name, tt := range map[string]struct {
		args []string
		code int
		says string
	}{
		"no words":        {[]string{"search"}, cli.ExitUsage, "<query>"},
		"no time":         {[]string{"search", "boiler", "--after", "soon"}, cli.ExitUsage, `--after: "soon" is no time`},
		"too many":        {[]string{"search", "boiler", "--limit", "51"}, cli.ExitUsage, "limit"},
		"no channel":      {[]string{"search", "boiler", "--channel", "fax"}, cli.ExitUsage, "channel"},
		"a stranger":      {[]string{"search", "boiler", "--caller", "+15550100199"}, cli.ExitFailed, "nobody is known as +15550100199"},
		"an empty caller": {[]string{"search", "boiler", "--caller", "ext:"}, cli.ExitUsage, "PHONE is empty"},
	} {
		if r := b.run(tt.args...); r.code != tt.code || !strings.Contains(r.err, tt.says) {
			t.Errorf("%s: exit %d and %q, want %d and %q", name, r.code, r.err, tt.code, tt.says)
		}
	}
}
