package storetest

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

func steps(b *bench) {
	o := b.open("t1", opening{name: "B."})
	b.say("t1", o, "user: my name is Bob and I keep bees")
	b.close(o, recaller.Completed)
	write := func(r recaller.StepResult) recaller.StepWritten {
		r.Conversation, r.Caller, r.At, r.By = o.Conversation.ID, o.Caller.ID, b.later(time.Second), "rules"
		if r.State == "" {
			r.State = recaller.StepDone
		}
		out, err := b.Store.WriteStep(b.ctx, "t1", r)
		b.ok(err)
		b.own(out)
		return out
	}
	version := func() int64 {
		v, err := b.Store.ContentVersion(b.ctx, "t1", o.Caller.ID)
		b.ok(err)
		return v
	}
	for range 2 {
		open, err := b.Store.TryStep(b.ctx, "t1", o.Conversation, recaller.StepSummarise)
		b.ok(err)
		eq(b, "open", open, true)
	}
	summary := recaller.StepResult{Step: recaller.StepSummarise, Summary: &recaller.Summary{Brief: "Bob keeps bees.", Topics: []string{"bees"}, By: "rules"}}
	before := version()
	first := write(summary)
	eq(b, "the change has the summary", first.Changes[0].Conversation.Summary.Brief, "Bob keeps bees.")
	eq(b, "one change", version(), before+1)
	again := write(summary)
	eq(b, "again", again.Already, true)
	eq(b, "no change", version(), before+1)
	open, err := b.Store.TryStep(b.ctx, "t1", o.Conversation, recaller.StepSummarise)
	b.ok(err)
	eq(b, "needs no more doing", open, false)

	write(recaller.StepResult{Step: recaller.StepAnalyse, Analysis: &recaller.Analysis{
		Intent: "enquiry", Sentiment: "positive", Topics: []string{"bees", "honey"}, Outcome: "resolved", By: "rules",
	}})
	b.remember("t1", o.Caller.ID, "hobby", "bees")
	before = version()
	stored := write(recaller.StepResult{Step: recaller.StepExtract, Remembers: true, Name: "Bob", Dropped: 2, Prompt: "extraction/1", Memories: []recaller.Memory{
		b.memory(o.Caller.ID, "Hobby", "Bees"), b.memory(o.Caller.ID, "home", "Ely"), b.memory(o.Caller.ID, "HOME", " ely "),
	}})
	eq(b, "extraction never overwrites", fmt.Sprintln(stored.Stored[0].Action, stored.Stored[1].Action, stored.Stored[2].Action), "kept created kept\n")
	eq(b, "one memory, one change", version(), before+1)
	eq(b, "the change is told", len(stored.Changes), 1)

	got, err := b.Store.Conversation(b.ctx, "t1", string(o.Conversation.ID))
	b.ok(err)
	eq(b, "summary stays beside the analysis", got.Summary.Brief, "Bob keeps bees.")
	eq(b, "labels", fmt.Sprint(*got.Analysis), "{enquiry positive [bees honey] resolved rules}")
	c, err := b.Store.Caller(b.ctx, "t1", o.Caller.ID)
	b.ok(err)
	eq(b, "the name he said", c.Name, "Bob")
	write(recaller.StepResult{Step: recaller.StepEmbed})
	progress, err := b.Store.Steps(b.ctx, "t1", got)
	b.ok(err)
	eq(b, "steps", len(progress), len(planned()))
	eq(b, "attempts", progress[0].Attempts, 2)
	for _, p := range progress {
		eq(b, string(p.Step), p.State, recaller.StepDone)
	}
	eq(b, "rules have no prompt and find no memories", fmt.Sprint(progress[0].Prompt, progress[0].Found, progress[0].Dropped, progress[0].Stored), "0 0 0")
	eq(b, "what was found, dropped and new", fmt.Sprint(progress[2].Prompt, " ", progress[2].Found, progress[2].Dropped, progress[2].Stored), "extraction/1 5 2 1")
	_, err = b.Store.WriteStep(b.ctx, "t1", recaller.StepResult{Conversation: "none", Caller: "nobody", Step: recaller.StepExtract})
	b.fails(err, recaller.NotFound)
}

func fullerName(b *bench) {
	for _, said := range []struct{ name, want string }{
		{"Kirsty", "Kirsty"},
		{"Kirsty Abernathy", "Kirsty Abernathy"},
		{"Kirsty", "Kirsty Abernathy"},
		{"kirsty abernathy", "Kirsty Abernathy"},
		{"Christie", "Kirsty Abernathy"},
		{"Kirsty Abernethy", "Kirsty Abernethy"},
		{"Renata Purcell", "Kirsty Abernethy"},
		{"Fergus Abernethy", "Kirsty Abernethy"},
		{"Kirsty Ann Abernethy", "Kirsty Ann Abernethy"},
		{"Kirsty Abernethy", "Kirsty Ann Abernethy"},
		{"", "Kirsty Ann Abernethy"},
	} {
		o := b.open("t1", opening{})
		b.close(o, recaller.Completed)
		_, err := b.Store.WriteStep(b.ctx, "t1", recaller.StepResult{
			Conversation: o.Conversation.ID, Caller: o.Caller.ID, Step: recaller.StepSummarise, State: recaller.StepDone,
			Summary: &recaller.Summary{Brief: "She runs.", By: "rules"}, Name: said.name, At: b.later(time.Second),
		})
		b.ok(err)
		c, err := b.Store.Caller(b.ctx, "t1", o.Caller.ID)
		b.ok(err)
		eq(b, "the name", c.Name, said.want)
	}
}

// jobCount counts jobs without the second tenant's, and without those that follow a forgetting.
func (b *bench) jobCount() int {
	b.Helper()
	n, err := b.Store.JobCount(b.ctx)
	b.ok(err)
	return n - noiseJobs - b.reindexings()
}

// reindexings counts the jobs of making findable anew what a forgetting, or an undo of it, changed.
func (b *bench) reindexings() (n int) {
	b.Helper()
	b.ok(b.Store.WithSystem(b.ctx, store.Reading, func(tx store.Tx) error {
		return tx.QueryRow(b.ctx, `SELECT count(*) FROM jobs WHERE kind = $1`, []any{recaller.JobReindex}, &n)
	}))
	return n
}

func jobs(b *bench) {
	eq(b, "none at first", b.jobCount(), 0)
	due := b.now
	var subjects []string
	for i := range 3 {
		o := b.open("t1", opening{})
		closing := b.closing(o, recaller.Completed)
		closing.Job.RunAt = due.Add(time.Duration(i) * time.Hour)
		_, err := b.Store.CloseConversation(b.ctx, "t1", closing)
		b.ok(err)
		subjects = append(subjects, string(o.Conversation.ID))
	}
	claim := func(now time.Time, lease time.Duration) []recaller.Job {
		return b.claim(now, now.Add(lease), 10)
	}
	wake := func(what string, asked, want time.Time) {
		b.Helper()
		got, err := b.Store.NextJob(b.ctx, asked)
		b.ok(err)
		eq(b, what, got, want)
	}
	eq(b, "not before its time", len(claim(due.Add(-time.Second), time.Minute)), 0)
	wake("the first is next", due.Add(-time.Second), due)
	got := claim(due, time.Minute)
	eq(b, "due", len(got), 1)
	j := got[0]
	eq(b, "it is whole", fmt.Sprint(j.Tenant, j.Kind, j.Subject, j.Attempts), fmt.Sprint("t1", "wrapup", subjects[0], 1))
	eq(b, "claimed once", len(claim(due, time.Minute)), 0)
	wake("the lease is next", due, due.Add(time.Minute))

	b.ok(b.Store.RetryJob(b.ctx, j, due.Add(10*time.Minute), "timeout"))
	wake("the retry is next", due, due.Add(10*time.Minute))
	eq(b, "not at once", len(claim(due.Add(time.Minute), time.Minute)), 0)
	got = claim(due.Add(10*time.Minute), time.Minute)
	eq(b, "again", got[0].Attempts, 2)

	lost := got[0] // its worker dies; the lease runs out
	eq(b, "leased", len(claim(due.Add(10*time.Minute+59*time.Second), time.Minute)), 0)
	got = claim(due.Add(11*time.Minute), time.Minute)
	eq(b, "given back", got[0].Attempts, 3)
	b.ok(b.Store.RetryJob(b.ctx, lost, due, "late"))
	eq(b, "a worker that lost its lease takes nobody else's", len(claim(due.Add(11*time.Minute), time.Minute)), 0)
	b.ok(b.Store.ReleaseJobs(b.ctx))
	got = claim(due.Add(11*time.Minute), time.Minute)
	eq(b, "released", got[0].Attempts, 4)
	b.ok(b.Store.FinishJob(b.ctx, got[0]))
	eq(b, "done", b.jobCount(), 2)
	wake("the second is next", due.Add(11*time.Minute), due.Add(time.Hour))

	got = claim(due.Add(5*time.Hour), time.Minute)
	eq(b, "both", len(got), 2)
	same := got[0]
	same.ID = "another"
	b.ok(b.Store.FinishJob(b.ctx, same))
	eq(b, "a job is finished by its own id", b.jobCount(), 2)
	for _, j := range got {
		b.ok(b.Store.FinishJob(b.ctx, j))
	}
	got = claim(b.now.AddDate(2, 0, 0), time.Minute)
	eq(b, "the second tenant's jobs are there", len(got), noiseJobs)
	for _, j := range got {
		eq(b, "its", j.Tenant, b.noise.tenant)
		b.ok(b.Store.FinishJob(b.ctx, j))
	}
	next, err := b.Store.NextJob(b.ctx, b.now)
	b.ok(err)
	eq(b, "nothing next", next.IsZero(), true)
}

// claim takes what is due at a time, as the runner of jobs does.
func (b *bench) claim(now, until time.Time, limit int) (claimed []recaller.Job) {
	b.Helper()
	due, err := b.Store.DueJobs(b.ctx, now, "", limit)
	b.ok(err)
	for _, j := range due {
		j, ok, err := b.Store.LeaseJob(b.ctx, j, until)
		b.ok(err)
		if ok {
			claimed = append(claimed, j)
		}
	}
	return claimed
}

// dueTenants tells whose jobs are due, in turn.
func dueTenants(b *bench) {
	begun := b.now
	for i := range 4 {
		t := recaller.TenantID(fmt.Sprint("turn-", i))
		b.createTenant(t, string(t))
		closing := b.closing(b.open(t, opening{}), recaller.Completed)
		closing.Job.RunAt = begun.Add(time.Duration(i) * time.Hour)
		_, err := b.Store.CloseConversation(b.ctx, t, closing)
		b.ok(err)
	}
	due := func(hours int, after recaller.TenantID, limit int) string {
		b.Helper()
		list, err := b.Store.DueTenants(b.ctx, begun.Add(time.Duration(hours)*time.Hour), after, limit)
		b.ok(err)
		return fmt.Sprint(list)
	}
	eq(b, "none yet", due(-1, "", 10), "[]")
	eq(b, "two of them", due(1, "", 10), "[turn-0 turn-1]")
	eq(b, "the first", due(9, "", 1), "[turn-0]")
	eq(b, "in turn", due(9, "turn-1", 10), "[turn-2 turn-3]")
	of, err := b.Store.DueJobs(b.ctx, begun.Add(9*time.Hour), "turn-2", 10)
	b.ok(err)
	eq(b, "one tenant's", fmt.Sprint(len(of), " ", of[0].Tenant), "1 turn-2")
	for _, tenant := range []recaller.TenantID{"", "turn-2"} {
		of, err := b.Store.DueJobs(b.ctx, begun.Add(9*time.Hour), tenant, 10, of[0].Kind, "another")
		b.ok(err)
		eq(b, "without its kind", len(of), 0)
	}
	leased, ok, err := b.Store.LeaseJob(b.ctx, of[0], begun.Add(10*time.Hour))
	b.ok(err)
	eq(b, "leased", fmt.Sprint(ok, " ", leased.Attempts), "true 1")
	_, ok, err = b.Store.LeaseJob(b.ctx, of[0], begun.Add(10*time.Hour))
	b.ok(err)
	eq(b, "leased twice", ok, false)
	eq(b, "who has none that waits", due(9, "turn-1", 10), "[turn-3]")
	of, err = b.Store.DueJobs(b.ctx, begun.Add(10*time.Hour), "turn-2", 10)
	b.ok(err)
	eq(b, "its lease ran out", fmt.Sprint(len(of), of[0].Attempts), "1 1")
}

// manyWorkers claims from many sides at once: no job is had twice.
func manyWorkers(b *bench) {
	const total = 40
	for i := range total { // of as many callers
		number := recaller.Identity{Kind: recaller.IdentityPhone, Value: fmt.Sprintf("+1555000%04d", i)}
		b.close(b.open("t1", opening{identities: []recaller.Identity{number}}), recaller.Completed)
	}
	var mu sync.Mutex
	had := map[string]int{}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for {
				due, err := b.Store.DueJobs(b.ctx, b.now, "", 3)
				if err != nil {
					b.Error(err)
				}
				if len(due) == 0 {
					return
				}
				for _, j := range due {
					_, ok, err := b.Store.LeaseJob(b.ctx, j, b.now.Add(time.Minute))
					if err != nil {
						b.Error(err)
					}
					if ok {
						mu.Lock()
						had[j.Subject]++
						mu.Unlock()
					}
				}
			}
		})
	}
	wg.Wait()
	eq(b, "claimed", len(had), total)
	for subject, n := range had {
		eq(b, subject, n, 1)
	}
}

// plannedSteps has conversations ended with steps that the store has never heard of.
func plannedSteps(b *bench) {
	stands := func(conv recaller.Conversation) string {
		b.Helper()
		all, err := b.Store.Steps(b.ctx, "t1", conv)
		b.ok(err)
		var out []string
		for _, p := range all {
			out = append(out, fmt.Sprint(p.Step, " ", p.State, p.Reason, p.Attempts))
		}
		return strings.Join(out, ", ")
	}
	plan := []recaller.PlannedStep{
		{Step: "zeta", State: recaller.StepPending},
		{Step: "alpha", State: recaller.StepSkipped, Reason: "why"},
		{Step: "mu", State: recaller.StepPending},
	}
	const want = "zeta pending0, alpha skippedwhy0, mu pending0"
	closing := b.closing(b.open("t1", opening{}), recaller.Completed)
	closing.Steps = plan
	closed, err := b.Store.CloseConversation(b.ctx, "t1", closing)
	b.ok(err)
	eq(b, "a call that ends", stands(closed.Conversation), want)
	past := b.request(opening{})
	past.Conversation.Status, past.Conversation.EndedAt = recaller.Completed, b.now
	imported, err := b.Store.ImportConversation(b.ctx, "t1", recaller.Importing{Opening: past, Steps: plan})
	b.ok(err)
	eq(b, "an import", stands(imported.Conversation), want)
	b.ok(b.Store.ReopenStep(b.ctx, "t1", closed.Conversation, "beta"))
	open, err := b.Store.TryStep(b.ctx, "t1", closed.Conversation, "zeta")
	b.ok(err)
	eq(b, "it is open", open, true)
	eq(b, "one that came later", stands(closed.Conversation), "zeta pending1, alpha skippedwhy0, mu pending0, beta pending1")
	lacking := func(step recaller.Step) int {
		b.Helper()
		list, _, err := b.Store.Unembedded(b.ctx, "t1", recaller.Embeddable{Model: "m", Step: step, Limit: 10})
		b.ok(err)
		return len(list)
	}
	eq(b, "those whose step is open", lacking("mu"), 2)
	eq(b, "none whose step was left out", lacking("alpha"), 0)
	closing = b.closing(b.open("t1", opening{}), recaller.Completed)
	closing.Steps, closing.Job = nil, nil
	bare, err := b.Store.CloseConversation(b.ctx, "t1", closing)
	b.ok(err)
	eq(b, "nothing is to be done", stands(bare.Conversation), "")
	eq(b, "nor was it refused", lacking("alpha"), 1)
}

// reopened has the step of the embedding opened again, as it is for another model.
func reopened(b *bench) {
	conv := b.finished("t1", number)
	stands := func() string {
		b.Helper()
		all, err := b.Store.Steps(b.ctx, "t1", conv)
		b.ok(err)
		for _, p := range all {
			if p.Step == recaller.StepEmbed {
				return fmt.Sprintln(p.State, p.By, p.Reason, p.Attempts, p.FinishedAt.IsZero())
			}
		}
		return "none"
	}
	reopen := func() {
		b.Helper()
		b.ok(b.Store.ReopenStep(b.ctx, "t1", conv, recaller.StepEmbed))
	}
	leave := func(state recaller.StepState, attempts int) {
		b.Helper()
		_, err := b.Store.WriteStep(b.ctx, "t1", recaller.StepResult{
			Conversation: conv.ID, Caller: conv.Caller, Step: recaller.StepEmbed, State: state, By: "m-1", Reason: "why", Attempts: attempts, At: b.now,
		})
		b.ok(err)
	}
	reopen()
	eq(b, "one that is open stays as it is", stands(), fmt.Sprintln("pending", "", "", 0, true))
	leave(recaller.StepDone, 0)
	eq(b, "done", stands(), fmt.Sprintln("done", "m-1", "why", 0, false))
	reopen()
	eq(b, "one that was done", stands(), fmt.Sprintln("pending", "", "", 1, true))
	leave(recaller.StepFailed, 4)
	eq(b, "failed", stands(), fmt.Sprintln("failed", "m-1", "why", 4, false))
	reopen()
	eq(b, "one that failed", stands(), fmt.Sprintln("pending", "", "", 1, true))
	leave(recaller.StepSkipped, 0)
	reopen()
	eq(b, "one that was left out stays so", stands(), fmt.Sprintln("skipped", "m-1", "why", 1, false))
	b.ok(b.Store.WithTenant(b.ctx, "t1", store.Writing, func(tx store.Tx) error {
		_, err := tx.Exec(b.ctx, `DELETE FROM steps WHERE tenant_id = $1 AND conversation_id = $2 AND step = 'embed'`, "t1", conv.ID)
		return err
	}))
	reopen()
	eq(b, "one that there never was", stands(), fmt.Sprintln("pending", "", "", 1, true))
	going := b.open("t1", opening{})
	b.ok(b.Store.ReopenStep(b.ctx, "t1", going.Conversation, recaller.StepEmbed))
	all, err := b.Store.Steps(b.ctx, "t1", going.Conversation)
	b.ok(err)
	eq(b, "a conversation that goes on has none", len(all), 0)
}

// straightened has the queue of a clock that was ahead put right: leases, first attempts and retries, but nothing that is
// scheduled, and nothing that waits no longer than it may.
func straightened(b *bench) {
	const year = 365 * 24 * time.Hour
	may := recaller.Waits{
		Lease: time.Minute, First: 2 * time.Minute, Scheduled: []string{"reminder", "wrapup"},
		Retries: []time.Duration{2 * time.Minute, 5 * time.Minute},
		Kinds:   map[string]time.Duration{"brief": 10 * time.Minute, "reminder": time.Hour}, Longest: 2 * time.Hour,
		Patient: []string{"key missing"},
	}
	leased := b.queued("leased", 0, 0, "")
	_, ok, err := b.Store.LeaseJob(b.ctx, leased, b.now.Add(year/2))
	b.ok(err)
	eq(b, "leased", ok, true)
	after := map[string]time.Duration{}
	for _, j := range []struct {
		kind     string
		attempts int
		wait     time.Duration
		reason   string
		want     time.Duration
	}{
		{"never tried", 0, 20 * time.Minute, "", 0},
		{"never tried, soon", 0, 2 * time.Minute, "", 2 * time.Minute},
		{"reminder", 0, year / 2, "", year / 2},
		{"tried once", 1, 20 * time.Minute, "unavailable", 0},
		{"tried once, soon", 1, 2 * time.Minute, "unavailable", 2 * time.Minute},
		{"tried twice", 2, 20 * time.Minute, "unavailable", 0},
		{"tried twice, soon", 2, 5 * time.Minute, "unavailable", 5 * time.Minute},
		{"tried often", 3, 3 * time.Hour, "unavailable", 0},
		{"tried often, soon", 3, 2 * time.Hour, "unavailable", 2 * time.Hour},
		{"brief", 3, 20 * time.Minute, "unavailable", 0},
		{"without a key", 1, 2 * time.Hour, "key missing", 2 * time.Hour},
		{"without a key, late", 1, 3 * time.Hour, "key missing", 0},
	} {
		b.queued(j.kind, j.attempts, j.wait, j.reason)
		after[j.kind] = j.want
	}
	for range 2 { // once is as good as twice
		b.ok(b.Store.Straighten(b.ctx, b.now, may))
	}
	list, err := b.Store.DueJobs(b.ctx, b.now.Add(time.Minute), "t1", 100)
	b.ok(err)
	eq(b, "the lease ends, and comes first", list[0].Kind, "leased")
	list, err = b.Store.DueJobs(b.ctx, b.now.Add(year), "t1", 100)
	b.ok(err)
	for _, j := range list {
		if want, ok := after[j.Kind]; ok {
			eq(b, j.Kind+" waits", j.RunAt.Sub(b.now), want)
			delete(after, j.Kind)
		}
	}
	eq(b, "jobs that are not there", len(after), 0)
}

// queued leaves a job of a kind that was tried so often, and that runs after so long.
func (b *bench) queued(kind string, attempts int, wait time.Duration, reason string) recaller.Job {
	b.Helper()
	closing := b.closing(b.open("t1", opening{}), recaller.Completed)
	closing.Job.Kind, closing.Job.RunAt = kind, b.now.Add(wait)
	_, err := b.Store.CloseConversation(b.ctx, "t1", closing)
	b.ok(err)
	j := *closing.Job
	j.Tenant = "t1"
	for range attempts {
		leased, ok, err := b.Store.LeaseJob(b.ctx, j, b.now)
		b.ok(err)
		eq(b, "leased", ok, true)
		b.ok(b.Store.RetryJob(b.ctx, leased, b.now.Add(wait), reason))
		j = leased
	}
	return j
}
