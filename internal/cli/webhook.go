package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/cli/term"
)

// webhookCmd is `recaller webhook`.
type webhookCmd struct {
	Show   webhookShowCmd   `cmd:"" help:"Show where it is, and what it is told of"`
	Set    webhookSetCmd    `cmd:"" help:"Set where it is, and what it is told of"`
	Rotate webhookRotateCmd `cmd:"" help:"Give it another secret"`
	List   webhookListCmd   `cmd:"" help:"List what it has not taken"`
	Resend webhookResendCmd `cmd:"" help:"Send again what it has not taken"`
	Delete webhookDeleteCmd `cmd:"" help:"Take it away"`
}

// Help says what it is.
func (*webhookCmd) Help() string {
	return "The webhook is an address of yours that is told what happens: that a conversation ended or was written up, memories, new callers, " +
		"and reminders that come due. Requests are signed as Standard Webhooks has it."
}

// webhookShowCmd is `recaller webhook show`.
type webhookShowCmd struct {
	Secret bool `help:"Print the secret alone"`
	JSON   bool `name:"json" help:"Print it as JSON, with the secret"`
}

// Examples are lines to try.
func (*webhookShowCmd) Examples() []string { return []string{"recaller webhook show"} }

// Run prints the webhook.
func (c *webhookShowCmd) Run(ctx context.Context, s *session) error {
	api, err := s.api(ctx)
	if err != nil {
		return err
	}
	w, err := api.Webhook(ctx)
	switch {
	case err != nil:
		return err
	case c.JSON:
		return s.json(w)
	case c.Secret:
		fmt.Fprintln(s.out, w.Secret)
		return nil
	}
	s.hooked(w)
	return nil
}

// hooked prints a webhook without its secret.
func (s *session) hooked(w client.Webhook) {
	events := make([]string, len(w.Events))
	for i, e := range w.Events {
		events[i] = string(e)
	}
	content := "ids, times and labels"
	if w.IncludeContent {
		content = "what was said, too"
	}
	fmt.Fprintf(s.out, "%s %s is told of %s: %s.\n", s.out.Good("●"), term.Clean(w.URL), strings.Join(events, ", "), content)
	if w.PreviousUntil != nil {
		fmt.Fprintf(s.out, "Requests are signed with the secret before, too, until %s.\n", w.PreviousUntil.Local().Format("2 Jan 2006 15:04"))
	}
}

// webhookSetCmd is `recaller webhook set`.
type webhookSetCmd struct {
	URL     string   `arg:"" name:"url" help:"Where to post; http or https"`
	Events  []string `placeholder:"TYPE" help:"What to be told of, with commas between; all: everything (else: as before, at first reminder.due)"`
	Content *bool    `negatable:"" help:"Be told what was said, too: summaries, memories, who the caller is (else: as before, at first not)"`
	JSON    bool     `name:"json" help:"Print it as JSON, with the secret"`
}

// Examples are lines to try.
func (*webhookSetCmd) Examples() []string {
	return []string{
		"recaller webhook set https://agent.example.com/hooks --events conversation.written_up,reminder.due",
		"recaller webhook set https://agent.example.com/hooks --events all --content",
	}
}

// Run sets the webhook, and prints the secret where it is a new one.
func (c *webhookSetCmd) Run(ctx context.Context, s *session) error {
	api, err := s.api(ctx)
	if err != nil {
		return err
	}
	before, err := api.Webhook(ctx)
	if err != nil && !client.IsNotFound(err) {
		return err
	}
	in := client.WebhookInput{URL: c.URL, IncludeContent: c.Content}
	if slices.Equal(c.Events, []string{"all"}) {
		in.Events = recaller.EventTypes()
	} else {
		for _, e := range c.Events {
			in.Events = append(in.Events, recaller.EventType(strings.TrimSpace(e)))
		}
	}
	w, err := api.SetWebhook(ctx, in)
	if err != nil {
		return err
	}
	if c.JSON {
		return s.json(w)
	}
	s.hooked(w)
	if w.Secret != before.Secret {
		fmt.Fprintf(s.out, "Its secret: %s\n", w.Secret)
	}
	return nil
}

// webhookRotateCmd is `recaller webhook rotate`.
type webhookRotateCmd struct {
	Overlap time.Duration `default:"24h" help:"For how long requests are signed with the old one, too; 0: not at all"`
	JSON    bool          `name:"json" help:"Print it as JSON"`
}

// Examples are lines to try.
func (*webhookRotateCmd) Examples() []string {
	return []string{"recaller webhook rotate", "recaller webhook rotate --overlap 0s"}
}

// Run makes another secret, and prints it.
func (c *webhookRotateCmd) Run(ctx context.Context, s *session) error {
	api, err := s.api(ctx)
	if err != nil {
		return err
	}
	seconds := int(c.Overlap.Seconds())
	w, err := api.RotateWebhook(ctx, client.RotateRequest{OverlapSeconds: &seconds})
	switch {
	case err != nil:
		return err
	case c.JSON:
		return s.json(w)
	}
	s.hooked(w)
	fmt.Fprintf(s.out, "Its secret: %s\n", w.Secret)
	return nil
}

// webhookListCmd is `recaller webhook list`.
type webhookListCmd struct {
	Dead bool `help:"Only what was given up on"`
	JSON bool `name:"json" help:"Print them as JSON"`
}

// Examples are lines to try.
func (*webhookListCmd) Examples() []string {
	return []string{"recaller webhook list", "recaller webhook list --dead"}
}

// mostDeliveries bounds how many are listed.
const mostDeliveries = 200

// Run lists the newest of what was not taken.
func (c *webhookListCmd) Run(ctx context.Context, s *session) error {
	api, err := s.api(ctx)
	if err != nil {
		return err
	}
	var status recaller.DispatchStatus
	if c.Dead {
		status = recaller.DispatchDead
	}
	list, err := api.WebhookDeliveries(ctx, status, client.Page{Limit: mostDeliveries})
	switch {
	case err != nil:
		return err
	case c.JSON:
		return s.json(list)
	case len(list.Deliveries) == 0:
		s.notef("nothing waits")
		return nil
	}
	rows := make([][]string, len(list.Deliveries))
	for i, d := range list.Deliveries {
		failed := ""
		if d.FailedTries > 0 || d.Reason != "" {
			failed = fmt.Sprintf("%d × %s", d.FailedTries, d.Reason)
		}
		rows[i] = []string{d.ID, string(d.Status), string(d.Type), d.At.Local().Format("2 Jan 15:04:05"), failed}
	}
	s.out.Table([]term.Column{{Title: "ID"}, {Title: "STATUS"}, {Title: "EVENT"}, {Title: "HAPPENED"}, {Title: "FAILED"}}, rows)
	if list.NextCursor != "" {
		s.notef("these are the newest %d; there are more", mostDeliveries)
	}
	return nil
}

// webhookResendCmd is `recaller webhook resend`.
type webhookResendCmd struct {
	ID   string `arg:"" optional:"" name:"id" help:"Which one"`
	Dead bool   `help:"All that was given up on"`
}

// Examples are lines to try.
func (*webhookResendCmd) Examples() []string {
	return []string{"recaller webhook resend evt_mfrggzdfmztwq2lknnwg23tpoa", "recaller webhook resend --dead"}
}

// Run has deliveries tried at once.
func (c *webhookResendCmd) Run(ctx context.Context, s *session) error {
	if (c.ID == "") == !c.Dead {
		return usagef("give the id of one, or --dead")
	}
	api, err := s.api(ctx)
	if err != nil {
		return err
	}
	if c.ID != "" {
		d, err := api.ResendWebhook(ctx, c.ID)
		if err == nil {
			fmt.Fprintf(s.out, "%s %s is tried again.\n", s.out.Good("●"), d.ID)
		}
		return err
	}
	n, err := api.ResendDeadWebhooks(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s %d are tried again.\n", s.out.Good("●"), n.Resent)
	if n.Resent == mostResent {
		s.notef("there may be more")
	}
	return nil
}

// mostResent is how many one request revives.
const mostResent = 500

// webhookDeleteCmd is `recaller webhook delete`.
type webhookDeleteCmd struct{}

// Examples are lines to try.
func (*webhookDeleteCmd) Examples() []string { return []string{"recaller webhook delete"} }

// Run takes the webhook away.
func (*webhookDeleteCmd) Run(ctx context.Context, s *session) error {
	api, err := s.api(ctx)
	if err == nil {
		err = api.DeleteWebhook(ctx)
	}
	if err == nil {
		fmt.Fprintf(s.out, "%s There is no webhook any more.\n", s.out.Good("●"))
	}
	return err
}
