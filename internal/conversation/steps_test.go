package conversation_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
)

// Which steps a conversation has depends on what it is when it ends, and on the tenant. A job is only left where there
// is something to do.
func TestTheKindOfAConversationDecidesItsSteps(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	plan := func(tenant recaller.Tenant, c recaller.Conversation, asked bool) []recaller.PlannedStep {
		state := recaller.StepPending
		if !asked {
			state = recaller.StepSkipped
		}
		steps := []recaller.PlannedStep{
			{Step: recaller.Step(fmt.Sprintf("%s_%s_%t", tenant.Retention, c.Status, c.Imported)), State: state},
			{Step: recaller.Step(fmt.Sprintf("%s_%s", c.EndReason, c.Duration)), State: recaller.StepSkipped},
		}
		if c.Channel.Text() {
			return nil
		}
		return steps
	}
	serve := func() {
		b.Plan, b.Service.Deadline, b.Patience = plan, time.Minute, time.Minute // what is held has no job yet
	}
	serve()
	jobs := 0
	wants := func(what string, tenant recaller.TenantID, ref, steps string, more int) {
		t.Helper()
		rec, err := b.Get(t.Context(), tenant, ref, false)
		b.ok(err)
		var got []string
		for _, p := range rec.Steps {
			got = append(got, string(p.Step)+" "+string(p.State))
		}
		if s := strings.Join(got, ", "); s != steps {
			t.Errorf("%s: got steps %q, want %q", what, s, steps)
		}
		n, err := b.Store.JobCount(t.Context())
		if err != nil || n-jobs != more {
			t.Errorf("%s: got %d more jobs, %v; want %d", what, n-jobs, err, more)
		}
		jobs = n
	}
	start := func(tenant recaller.TenantID, ref string, channel recaller.Channel) {
		t.Helper()
		b.begin(tenant, conversation.Start{
			Caller: conversation.CallerRef{Phone: "+12125550123"}, ExternalID: ref, Channel: channel,
		})
		b.say(tenant, ref, "user: hello")
	}
	end := func(tenant recaller.TenantID, ref string, in conversation.End) {
		t.Helper()
		_, err := b.End(t.Context(), tenant, ref, in)
		b.ok(err)
	}
	start(ephemeral, "live", recaller.ChannelVoice)
	end(ephemeral, "live", conversation.End{Status: recaller.Failed, Reason: "dropped", Duration: 3e9})
	wants("a live call", ephemeral, "live", "ephemeral_failed_false pending, dropped_3s skipped", 1)
	start(keep, "chat", recaller.ChannelSMS)
	end(keep, "chat", conversation.End{})
	wants("a kind without steps", keep, "chat", "", 0)
	start(archived, "lost", recaller.ChannelVoice)
	b.restart()
	serve()
	b.Clock.Advance(time.Hour)
	_, _, err := b.TakeUp(t.Context())
	b.ok(err)
	wants("a silent one", archived, "lost", "archive_failed_false pending, silent since a restart_0s skipped", 1)
	in := past(b, "old", "user: hello")
	_, err = b.Import(t.Context(), keep, in)
	b.ok(err)
	wants("an import", keep, "old", "keep_completed_true pending, imported_1h0m0s skipped", 1)
	in = past(b, "older", "user: hello")
	in.NoWrapup = true
	_, err = b.Import(t.Context(), keep, in)
	b.ok(err)
	wants("an import as it is", keep, "older", "keep_completed_true skipped, imported_1h0m0s skipped", 0)
}
