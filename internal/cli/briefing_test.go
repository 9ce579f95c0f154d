package cli_test

import (
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/cli"
)

func TestABriefingIsPrintedAsNotesOrAsASystemPrompt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.must("replay", "testdata/plumber.txt", "--phone", maria)
	const whole, last = "You are an AI assistant.", "Now, help the customer with their inquiry!"
	want(t, "the system prompt", b.must("briefing", maria, "--style", "system_prompt"), whole, "CUSTOMER INFORMATION:", "Maria Lopez", last)
	if got := b.must("briefing", maria); strings.Contains(got, whole) || strings.Contains(got, last) {
		t.Errorf("got a system prompt, want notes:\n%s", got)
	}
	if r := b.run("briefing", maria, "--style", "poem"); r.code != cli.ExitUsage || !strings.Contains(r.err, "--style") {
		t.Errorf("a style that is none: exit %d, %q", r.code, r.err)
	}
}
