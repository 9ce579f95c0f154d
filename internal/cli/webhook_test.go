package cli_test

import (
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/cli"
)

// Where a tenant is told what happens, from the command line: set, shown, given another secret, and taken away.
func TestTheWebhookFromTheCommandLine(t *testing.T) {
	t.Parallel()
	b := setup(t)
	want(t, "before there is one", b.run("webhook", "show").err, "no webhook is set")
	set := b.must("webhook", "set", "https://agent.example.com/hooks", "--events", "memory.created,reminder.due", "--content")
	want(t, "set", set, "https://agent.example.com/hooks is told of memory.created, reminder.due: what was said, too.", "Its secret: whsec_")
	_, secret, _ := strings.Cut(strings.TrimSpace(set), "Its secret: ")
	want(t, "its secret", b.must("webhook", "show", "--secret"), secret)
	if shown := b.must("webhook", "show"); strings.Contains(shown, "whsec_") {
		t.Errorf("the secret is shown unasked: %s", shown)
	}
	moved := b.must("webhook", "set", "https://agent.example.com/other", "--no-content")
	want(t, "elsewhere", moved, "/other is told of memory.created, reminder.due: ids, times and labels.")
	if strings.Contains(moved, "whsec_") {
		t.Errorf("a secret that stays is told: %s", moved)
	}
	want(t, "rotate", b.must("webhook", "rotate"), "signed with the secret before, too, until", "Its secret: whsec_")
	want(t, "all", b.must("webhook", "set", "https://agent.example.com/hooks", "--events", "all", "--json"), `"conversation.written_up"`, `"include_content": false`)
	want(t, "list", b.run("webhook", "list", "--dead").err, "nothing waits")
	want(t, "resend", b.must("webhook", "resend", "--dead"), "0 are tried again")
	for hint, args := range map[string]string{
		"give the id of one": "resend", "two secrets count already": "rotate", "there is no such delivery": "resend evt_none",
		"events": "set https://agent.example.com --events memory.made",
	} {
		r := b.run(append([]string{"webhook"}, strings.Fields(args)...)...)
		if r.code == cli.ExitOK {
			t.Errorf("%s: it worked", args)
		}
		want(t, args, r.err, hint)
	}
	want(t, "delete", b.must("webhook", "delete"), "There is no webhook any more.")
	want(t, "after that", b.run("webhook", "show").err, "no webhook is set")
}
