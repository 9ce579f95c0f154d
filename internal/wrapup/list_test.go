package wrapup_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/postgres"
	"github.com/recallerhq/recaller/internal/store/postgres/postgrestest"
	"github.com/recallerhq/recaller/internal/store/sqlite"
	"github.com/recallerhq/recaller/internal/store/sqlite/sqlitetest"
	"github.com/recallerhq/recaller/internal/wrapup"
)

func TestKindsOfConversationHaveTheirSteps(t *testing.T) {
	t.Parallel()
	const all = "summarise pending, analyse pending, extract pending, pin pending, embed pending"
	const none = "summarise skipped (not asked for), analyse skipped (not asked for), " +
		"extract skipped (not asked for), pin skipped (not asked for), embed skipped (not asked for)"
	failed := func(_ recaller.Tenant, c recaller.Conversation) bool { return c.Status == recaller.Failed }
	resumable := wrapup.PlanWith(failed, "checkpoint", recaller.StepSummarise)
	endless := wrapup.PlanWith(failed)
	for _, tt := range []struct {
		name    string
		plan    func(recaller.Tenant, recaller.Conversation, bool) []recaller.PlannedStep
		tenant  recaller.Tenant
		conv    recaller.Conversation
		unasked bool
		want    string
	}{
		{"a call", wrapup.Plan, recaller.Tenant{}, recaller.Conversation{Channel: recaller.ChannelVoice}, false, all + ", document pending"},
		{"a text message", wrapup.Plan, recaller.Tenant{}, recaller.Conversation{Channel: recaller.ChannelSMS}, false, all},
		{"a reminder call", wrapup.Plan, recaller.Tenant{}, recaller.Conversation{Reminder: true}, false, all},
		{"one that broke off", wrapup.Plan, recaller.Tenant{}, recaller.Conversation{Status: recaller.Failed}, false, all},
		{"words in archives", wrapup.Plan, recaller.Tenant{Retention: recaller.Archive}, recaller.Conversation{}, false, all},
		{"words in memory", wrapup.Plan, recaller.Tenant{Retention: recaller.Ephemeral}, recaller.Conversation{}, false, all},
		{"an import", wrapup.Plan, recaller.Tenant{}, recaller.Conversation{Imported: true}, false, all},
		{"an import as it is", wrapup.Plan, recaller.Tenant{}, recaller.Conversation{Imported: true}, true, none},
		{
			"a kind of its own", resumable,
			recaller.Tenant{},
			recaller.Conversation{Status: recaller.Failed},
			false,
			"checkpoint pending, summarise pending",
		},
		{
			"a kind of its own, as it is", resumable,
			recaller.Tenant{},
			recaller.Conversation{Status: recaller.Failed},
			true,
			"checkpoint skipped (not asked for), summarise skipped (not asked for)",
		},
		{"beside it", resumable, recaller.Tenant{}, recaller.Conversation{Status: recaller.Completed}, false, all},
		{"a kind without steps", endless, recaller.Tenant{}, recaller.Conversation{Status: recaller.Failed}, false, ""},
	} {
		var got []string
		for _, p := range tt.plan(tt.tenant, tt.conv, !tt.unasked) {
			s := string(p.Step) + " " + string(p.State)
			if p.Reason != "" {
				s += " (" + p.Reason + ")"
			}
			got = append(got, s)
		}
		if steps := strings.Join(got, ", "); steps != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, steps, tt.want)
		}
	}
	if missing := newHouse(t, recaller.Tenant{}).service.Unlisted(); len(missing) != 0 {
		t.Errorf("kinds of conversation have steps that nobody does: %v", missing)
	}
}

// onBothStores tells a story on the embedded database and on Postgres.
func onBothStores(t *testing.T, story func(*testing.T, *house)) {
	for name, open := range map[string]func(t *testing.T) (store.Engine, error){
		"sqlite": func(t *testing.T) (store.Engine, error) {
			return sqlitetest.Open(t.Context(), filepath.Join(t.TempDir(), "recaller.db"), sqlite.Options{})
		},
		"postgres": func(t *testing.T) (store.Engine, error) {
			return postgres.Open(t.Context(), postgrestest.Database(t).App, postgrestest.Secrets(), postgres.Options{Connections: 2})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engine, err := open(t)
			if err != nil {
				t.Fatal(err)
			}
			h := newHouseOn(t, engine, recaller.Tenant{})
			broken := func(_ recaller.Tenant, c recaller.Conversation) bool { return c.Status == recaller.Failed }
			h.plan = wrapup.PlanWith(broken, recaller.StepEmbed, checkpoint, recaller.StepSummarise)
			story(t, h)
		})
	}
}

// checkpoint is a step that Recaller does not have, of conversations that broke off.
const checkpoint recaller.Step = "checkpoint"

// stands tells the steps of a conversation in their order: "embed done by test, tried 1 | checkpoint pending, tried 0".
func (h *house) stands(conv recaller.Conversation) string {
	h.Helper()
	list, err := h.store.Steps(h.ctx, "t1", conv)
	h.ok(err)
	var out []string
	for _, p := range list {
		s := string(p.Step) + " " + string(p.State)
		if p.By != "" {
			s += " by " + p.By
		}
		if p.Reason != "" {
			s += " (" + p.Reason + ")"
		}
		out = append(out, fmt.Sprintf("%s, tried %d", s, p.Attempts))
	}
	return strings.Join(out, " | ")
}

// want wants the steps of a conversation to stand so.
func (h *house) want(when string, conv recaller.Conversation, steps ...string) {
	h.Helper()
	if diff := cmp.Diff(strings.Join(steps, " | "), h.stands(conv)); diff != "" {
		h.Errorf("%s (-want +got):\n%s", when, diff)
	}
}

// A step that is put on the list and given to a kind of conversation is queued, tried, retried and given up, and shown,
// like any other.
func TestAStepIsARowOfAList(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, h *house) {
		away := true
		h.service.Add(wrapup.Added{Name: checkpoint, Rules: func() (recaller.StepResult, error) {
			if away {
				return recaller.StepResult{}, recaller.Errorf(recaller.Unavailable, "away")
			}
			return recaller.StepResult{State: recaller.StepDone, By: "test"}, nil
		}})
		whole, _ := h.hold(past{words: visit})
		conv, job := h.hold(past{words: visit, status: recaller.Failed})
		lost, lostJob := h.hold(past{words: visit, status: recaller.Failed})
		h.want("another kind has not got it", whole, "summarise pending, tried 0", "analyse pending, tried 0",
			"extract pending, tried 0", "pin pending, tried 0", "embed pending, tried 0", "document pending, tried 0")
		h.want("queued", conv, "embed pending, tried 0", "checkpoint pending, tried 0", "summarise pending, tried 0")
		for range 2 {
			if err := h.service.Run(h.ctx, job); recaller.KindOf(err) != recaller.Unavailable {
				t.Fatalf("got %v, want to try again later", err)
			}
		}
		h.want("tried", conv, "embed skipped (not configured), tried 1", "checkpoint pending, tried 2",
			"summarise pending, tried 0")
		away = false
		h.ok(h.service.Run(h.ctx, job))
		h.want("retried", conv, "embed skipped (not configured), tried 1", "checkpoint done by test, tried 3",
			"summarise done by rules, tried 1")
		h.ok(h.service.GiveUp(h.ctx, lostJob, recaller.Errorf(recaller.Internal, "no more")))
		h.want("given up", lost, "embed pending (internal), tried 0", "checkpoint failed (internal), tried 0",
			"summarise failed (internal), tried 0")
		if !slices.Contains(h.discarded, conv.ID) || !slices.Contains(h.discarded, lost.ID) {
			t.Errorf("the words of %v were let go, want those of both", h.discarded)
		}
	})
}

// What a step does while a model is away, and when it is given up, stands on the list too.
func TestTheListSaysWhoDoesAStepAndWhoWaits(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, h *house) {
		m := &asked{}
		m.summary = func(recaller.Ask) (string, error) { return "", recaller.Errorf(recaller.Unavailable, "away") }
		h.model = m
		h.reopen()
		by := func(who string, state recaller.StepState) func() (recaller.StepResult, error) {
			return func() (recaller.StepResult, error) {
				return recaller.StepResult{State: state, By: who, Reason: "as " + who}, nil
			}
		}
		broken := func(_ recaller.Tenant, c recaller.Conversation) bool { return c.Status == recaller.Failed }
		h.plan = wrapup.PlanWith(broken, recaller.StepSummarise, checkpoint, recaller.StepAnalyse)
		h.service.Add(wrapup.Added{
			Name: checkpoint, Rules: by("rules", recaller.StepDone), Model: by("model", recaller.StepDone),
			Meanwhile: by("interim", recaller.StepPending),
		})
		waits, job := h.hold(past{words: visit, status: recaller.Failed})
		given, givenJob := h.hold(past{words: visit, status: recaller.Failed})
		for range 2 {
			if err := h.service.Run(h.ctx, job); recaller.KindOf(err) != recaller.Unavailable {
				t.Fatalf("got %v, want to wait for the model", err)
			}
		}
		h.want("it waits with the model's steps, and the labels do not", waits,
			"summarise pending by rules (waiting for the model), tried 2", "checkpoint pending by interim (as interim), tried 0",
			"analyse done by rules, tried 1")
		m.summary = parrotSummary
		h.ok(h.service.Run(h.ctx, job))
		h.want("the model is back", waits, "summarise done by "+modelName+", tried 3",
			"checkpoint done by model (as model), tried 1", "analyse done by rules, tried 1")
		h.ok(h.service.GiveUp(h.ctx, givenJob, recaller.Errorf(recaller.Timeout, "no more")))
		h.want("given up, the rules do the model's part", given, "summarise done by rules (tried too often), tried 1",
			"checkpoint done by rules (tried too often), tried 1", "analyse done by rules, tried 1")
	})
}

// A process that does not know a step yet, because another of a later version ended the conversation, leaves the step
// to that one. Nobody waits for ever.
func TestAStepOfALaterVersionIsLeftToIt(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, h *house) {
		conv, job := h.hold(past{words: visit, status: recaller.Failed})
		if err := h.service.Run(h.ctx, job); recaller.KindOf(err) != recaller.Unavailable {
			t.Fatalf("got %v, want somebody else to do it", err)
		}
		h.want("left to the other", conv, "embed skipped (not configured), tried 1", "checkpoint pending, tried 0",
			"summarise pending, tried 0")
		h.ok(h.service.GiveUp(h.ctx, job, recaller.Errorf(recaller.Unavailable, "no more")))
		h.want("nobody came", conv, "embed skipped (not configured), tried 1", "checkpoint failed (unavailable), tried 0",
			"summarise failed (unavailable), tried 0")
	})
}
