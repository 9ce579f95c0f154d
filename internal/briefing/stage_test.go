package briefing

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

// What is for the first words is told until they were said: first the tenant's greeting goes, then the welcome too. An
// agent that rings greets as it is told above all else, and has nobody's inquiry to help with.
func TestNobodyIsGreetedTwice(t *testing.T) {
	t.Parallel()
	const (
		greeting, welcome = "Thanks for calling Fox Hollow!", "Welcome back, Maria Lopez!"
		first, example    = "If this is their first conversation, greet them", `"Welcome back! Last time`
		closing           = "Now, help the customer"
	)
	rings := atTheCourse()
	rings.Reached = rung("").Reached
	texted := atTheCourse()
	texted.Reached = rung(recaller.MeansText).Reached
	withheld := recaller.Snapshot{Tenant: course(), Caller: recaller.Caller{ID: "c9"}} // without any identity
	for name, test := range map[string]struct {
		snap        recaller.Snapshot
		stage       Stage
		told, never []string
	}{
		"opening":       {atTheCourse(), Opening, []string{greeting, "say also", welcome, first, example, closing}, nil},
		"greeted":       {atTheCourse(), Greeted, []string{"They were greeted", welcome, example, closing}, []string{greeting, "GREETING", first}},
		"under way":     {atTheCourse(), Underway, []string{closing, "1. Reference conversation history naturally\n2. Always"}, []string{greeting, "elcome back", first, "GREETING"}},
		"greeted, new":  {recaller.Snapshot{Tenant: course()}, Greeted, []string{closing, example}, []string{greeting, welcome, first, "They "}},
		"withheld":      {withheld, Opening, []string{greeting, first, "1. Reference conversation history naturally\n"}, []string{"elcome back"}},
		"rings":         {rings, Opening, []string{"You are ringing them"}, []string{greeting, "elcome back", first, closing}},
		"has texted":    {texted, Greeted, []string{"You texted them", closing}, []string{greeting, welcome, first}},
		"rings, spoken": {rings, Underway, []string{"You are ringing them"}, []string{greeting, "elcome back", first, closing}},
	} {
		req := systemPrompt
		req.Stage, req.Exclude = test.stage, "c-live"
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			has(t, compose(material{snap: test.snap}, now, req, newZones()).Text, test.told, test.never)
		})
	}
}

// A conversation opens, is greeted by who speaks first, and is under way once something was answered.
func TestStages(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]Stage{
		"": Opening, "u": Opening, "uu": Opening, "a": Greeted, "au": Greeted, "auu": Greeted, "aau": Greeted, "ua": Underway, "uau": Underway, "aua": Underway,
	} {
		var turns []recaller.Turn
		for _, who := range said {
			turns = append(turns, recaller.Turn{Speaker: map[rune]recaller.Speaker{'a': recaller.Assistant, 'u': recaller.User}[who]})
		}
		if got := StageOf(turns); got != want {
			t.Errorf("%q: got %d, want %d", said, got, want)
		}
	}
}

// always is a source that has one snapshot.
type always recaller.Snapshot

func (a always) Snapshot(context.Context, recaller.TenantID, recaller.CallerID) (recaller.Snapshot, error) {
	return recaller.Snapshot(a), nil
}

func (a always) SnapshotAt(context.Context, recaller.TenantID, recaller.CallerID, time.Time) (recaller.Snapshot, error) {
	return recaller.Snapshot(a), nil
}

// The memory tools are the built-in agent's, whatever the tenant has set for his own: it is told how to use them, and that
// there is a PIN. A visitor's token is nobody's to read.
func TestWhatTheBuiltInAgentHas(t *testing.T) {
	t.Parallel()
	snap := atTheCourse()
	snap.Caller.HasPIN, snap.Tenant.MemoryTools = true, false
	snap.Caller.Identities = []recaller.Identity{{Kind: recaller.IdentityExternal, Value: recaller.VisitorPrefix + "aYFtXx"}}
	read := func(tools bool) recaller.Briefing {
		req := systemPrompt
		req.Tools = tools
		b, err := New(always(snap), Options{Now: func() time.Time { return now }}).Briefing(t.Context(), snap.Tenant.ID, snap.Caller.ID, req)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	b := read(true)
	has(t, b.Text, []string{"- store_memory, as soon", "The caller has a PIN"}, []string{"aYFtXx", "- Id:"})
	if len(b.Refused) != 0 {
		t.Errorf("refused: %v", b.Refused)
	}
	b = read(false)
	has(t, b.Text, nil, []string{"store_memory", "PIN"})
	if !slices.Equal(b.Refused, []recaller.Tool{recaller.ToolVerifyCaller}) {
		t.Errorf("refused: %v", b.Refused)
	}
}

// Whoever says hello is told nothing of former hellos: the words with which the tenant's side opens each conversation are
// no news. What else it said at the beginning is.
func TestGreetingsAreNotRecalled(t *testing.T) {
	t.Parallel()
	snap := returning()
	snap.Tenant.Profile.Greeting, snap.Tenant.Telephone.Greeting, snap.Tenant.WebChat.Greeting = "Weber workshop, hello!", "The garage line.", "Ask the garage anything."
	b := asked(snap, "hello, is that the garage workshop, the garage line of Weber, and may I ask the garage anything?", recaller.StyleSystemPrompt, ranked(
		said("g1", 0, recaller.Assistant, 3*day, "Weber workshop, hello!"), said("g2", 0, recaller.Assistant, 2*day, " The garage line."),
		said("g3", 0, recaller.Assistant, 2*day, "Ask the garage anything."), said("g4", 0, recaller.Assistant, day, "Weber workshop, your garage door is repaired."),
		said("g5", 1, recaller.User, day, "The garage line."),
	)...)
	has(t, partNamed(t, b, "recalled").Text, []string{"your garage door is repaired", `Caller: "The garage line."`}, []string{"hello!", `Agent: "The garage line."`, "Ask the garage"})
}
