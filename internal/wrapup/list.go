package wrapup

import (
	"context"
	"slices"

	"github.com/recallerhq/recaller"
)

// step is one row of the list of steps.
type step struct {
	name  recaller.Step
	rules part // does it without the model
	model part // does it with the model, where there is one; nil: the rules do
	// unless tells why the conditions of the step do not hold. It returns "" if they do. nil: it has none.
	unless func(w work) string
	// alone says that the step needs nothing that waits for the model. All others wait while the model is away.
	alone bool
	// meanwhile is done once while the step waits. What it returns as pending is written, and leaves the step open. nil:
	// nothing is done.
	meanwhile part
	// remembers says that the step finds memories. What the caller asked to forget is then forgotten in its commit.
	remembers bool
	// nightly leaves the step open when it is given up on: the nightly run does it, and needs no model and no job.
	nightly bool
}

// part does a step, and returns what is to be written. An error means: again later; nothing was written.
type part func(ctx context.Context, w work) (recaller.StepResult, error)

// list returns all the steps that there are.
func (s *Service) list() []step {
	r := rules{s}
	m := model{s, r}
	return []step{
		{name: recaller.StepSummarise, rules: r.summarise, model: m.summarise, unless: wordless},
		{name: recaller.StepAnalyse, rules: analyse, unless: wordless, alone: true},
		{
			name: recaller.StepExtract, rules: r.extract, model: m.extract, unless: unremembered,
			meanwhile: s.remembered, remembers: true,
		},
		{name: recaller.StepPin, rules: s.pin, model: m.pin, unless: s.unpinned, alone: true},
		{name: recaller.StepEmbed, rules: s.embed, meanwhile: s.findable, nightly: true},
		{
			name: recaller.StepDocument, rules: s.document, unless: func(work) string { return s.undocumented() },
			meanwhile: s.documented,
		},
	}
}

// find returns the step with a name. The conversation may have been ended by a later version, which knows more steps.
func (s *Service) find(name recaller.Step) (step, bool) {
	i := slices.IndexFunc(s.steps, func(st step) bool { return st.name == name })
	if i < 0 {
		return step{name: name}, false
	}
	return s.steps[i], true
}

// kind is a kind of conversation.
type kind struct {
	of    func(t recaller.Tenant, c recaller.Conversation) bool
	steps []recaller.Step // in the order in which they run
}

// kinds returns the kinds of conversation. A conversation is of the first that it is of.
func kinds() []kind {
	return []kind{
		{of: voice, steps: []recaller.Step{
			recaller.StepSummarise, recaller.StepAnalyse, recaller.StepExtract,
			recaller.StepPin, recaller.StepEmbed, recaller.StepDocument,
		}},
		{of: every, steps: []recaller.Step{
			recaller.StepSummarise, recaller.StepAnalyse, recaller.StepExtract,
			recaller.StepPin, recaller.StepEmbed,
		}},
	}
}

func voice(_ recaller.Tenant, c recaller.Conversation) bool { return !c.Channel.Text() }

func every(recaller.Tenant, recaller.Conversation) bool { return true }

// Plan returns the steps of a conversation that ends, or that ended before it was imported, in the order in which they
// run. asked says whether it is to be written up; otherwise its steps are skipped. The conversation is as it ends,
// except that its number of turns does not count.
func Plan(t recaller.Tenant, c recaller.Conversation, asked bool) []recaller.PlannedStep {
	return plan(kinds(), t, c, asked)
}

func plan(kinds []kind, t recaller.Tenant, c recaller.Conversation, asked bool) []recaller.PlannedStep {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.of(t, c) })
	if i < 0 {
		return nil
	}
	var out []recaller.PlannedStep
	for _, name := range kinds[i].steps {
		p := recaller.PlannedStep{Step: name, State: recaller.StepPending}
		if !asked {
			p.State, p.Reason = recaller.StepSkipped, recaller.NotAskedFor
		}
		out = append(out, p)
	}
	return out
}
