package wrapup

import (
	"context"

	"github.com/recallerhq/recaller"
)

// Added is a step of a test's own.
type Added struct {
	Name      recaller.Step
	Rules     func() (recaller.StepResult, error)
	Model     func() (recaller.StepResult, error) // nil: the rules do it
	Meanwhile func() (recaller.StepResult, error) // nil: nothing is done
	Nightly   bool
}

// Add puts a step of a test's own on the list.
func (s *Service) Add(a Added) {
	does := func(fn func() (recaller.StepResult, error)) part {
		if fn == nil {
			return nil
		}
		return func(context.Context, work) (recaller.StepResult, error) { return fn() }
	}
	s.steps = append(s.steps, step{
		name: a.Name, rules: does(a.Rules), model: does(a.Model), meanwhile: does(a.Meanwhile), nightly: a.Nightly,
	})
}

// PlanWith is Plan with one more kind of conversation: those that it is of have the steps.
func PlanWith(
	of func(recaller.Tenant, recaller.Conversation) bool, steps ...recaller.Step,
) func(recaller.Tenant, recaller.Conversation, bool) []recaller.PlannedStep {
	return func(t recaller.Tenant, c recaller.Conversation, asked bool) []recaller.PlannedStep {
		return plan(append([]kind{{of, steps}}, kinds()...), t, c, asked)
	}
}

// Unlisted returns the steps that a kind of conversation has and the list does not.
func (s *Service) Unlisted() (missing []recaller.Step) {
	for _, k := range kinds() {
		for _, name := range k.steps {
			if _, known := s.find(name); !known {
				missing = append(missing, name)
			}
		}
	}
	return missing
}
