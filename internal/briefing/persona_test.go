package briefing_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/briefing"
)

func TestARequestMayHaveAPersonaOfItsOwn(t *testing.T) {
	t.Parallel()
	known := recaller.Tenant{Name: "Fox", Profile: recaller.Profile{Personality: "warm"}}
	answers := func(context.Context) (recaller.Snapshot, error) {
		return recaller.Snapshot{Tenant: known, Caller: recaller.Caller{Name: "Maria", Conversations: 2}}, nil
	}
	dry, none := "dry", ""
	for _, c := range []struct {
		name, want string
		persona    *string
		style      recaller.BriefingStyle
		answer     func(context.Context) (recaller.Snapshot, error)
	}{
		{"the tenant's", "Personality: warm\n", nil, "", answers},
		{"its own", "Personality: dry\n", &dry, "", answers},
		{"its own, in a system prompt", "PERSONALITY: Dry\n", &dry, recaller.StyleSystemPrompt, answers},
		{"none", "PERSONALITY: Friendly\n", &none, recaller.StyleSystemPrompt, answers},
		{"its own, while the store is away", "Personality: dry\n", &dry, "", fails(recaller.Unavailable)},
	} {
		s := briefing.New(&source{answers: []func(context.Context) (recaller.Snapshot, error){c.answer}}, briefing.Options{
			Now: time.Now, Tenant: func(recaller.TenantID) (recaller.Tenant, bool) { return known, true },
		})
		b, err := s.Briefing(t.Context(), "t", "c", briefing.Request{Persona: c.persona, Style: c.style})
		if err != nil || !strings.Contains(b.Text, c.want) {
			t.Errorf("%s: %v, want %q in\n%s", c.name, err, c.want, b.Text)
		}
	}
}

func TestAStrangerIsNobodyKnown(t *testing.T) {
	t.Parallel()
	s := briefing.New(&source{}, briefing.Options{Now: time.Now})
	dry := "dry"
	b, err := s.Stranger(recaller.Tenant{Name: "Fox"}, briefing.Request{Persona: &dry, Style: recaller.StyleSystemPrompt})
	if err != nil || b.Degraded || !strings.Contains(b.Text, "PERSONALITY: Dry\n") || !strings.Contains(b.Text, "Fox") {
		t.Errorf("got %v, %+v", err, b)
	}
	if _, err := s.Stranger(recaller.Tenant{}, briefing.Request{MaxTokens: -1}); recaller.KindOf(err) != recaller.Invalid {
		t.Errorf("got %v, want a budget below nothing to be refused", err)
	}
}
