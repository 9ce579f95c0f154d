package briefing

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
)

// everything is a snapshot with all that a briefing can tell.
func everything() recaller.Snapshot {
	snap := checkpointed(26*time.Hour, "event_booking")
	snap.Memories = tenMemories()
	snap.BrokenOff = disconnection(2 * time.Minute).BrokenOff
	snap.Pinned = pinnedOnes()
	return snap
}

func TestABudgetIsNeverExceededAndNothingIsCutMidWord(t *testing.T) {
	for name, in := range map[string]material{
		"everything": {snap: everything()}, "returning": {snap: returning()}, "disconnection": {snap: disconnection(time.Minute)}, "nothing": {},
		"everything, and what fits": {snap: everything(), found: aboutTheTerrace()}, "only what fits": {found: aboutTheTerrace()},
	} {
		for _, style := range recaller.BriefingStyles() {
			t.Run(name+", "+string(style), func(t *testing.T) { checkBudgets(t, in, style) })
		}
	}
}

// checkBudgets composes a briefing for every small budget, and for every seventh up to what all of it needs and a little
// more.
func checkBudgets(t *testing.T, in material, style recaller.BriefingStyle) {
	t.Helper()
	told := func(budget int) recaller.Briefing {
		return compose(in, now, Request{MaxTokens: budget, Style: style, Query: "the terrace"}, newZones())
	}
	whole := told(MaxTokens)
	for budget := 1; budget < whole.Tokens+20; budget++ {
		if budget > 300 && budget < whole.Tokens-20 && budget%7 != 0 {
			continue
		}
		b := told(budget)
		if b.Tokens > budget || b.Tokens != Tokens(b.Text) {
			t.Fatalf("budget %d: Tokens %d, counted %d", budget, b.Tokens, Tokens(b.Text))
		}
		checkParts(t, b)
		checkWords(t, whole.Text, b.Text)
		if cut := slices.ContainsFunc(b.Parts, func(p recaller.BriefingPart) bool { return p.Cut }); budget >= whole.Tokens && (cut || b.Text != whole.Text) {
			t.Fatalf("budget %d of %d needed: cut %v", budget, whole.Tokens, cut)
		} else if budget >= compactBelow && b.Text != whole.Text && !cut {
			t.Fatalf("budget %d: something is missing and no part is marked cut", budget)
		}
	}
}

// checkParts holds that the parts make up the text.
func checkParts(t *testing.T, b recaller.Briefing) {
	t.Helper()
	var texts []string
	for _, p := range b.Parts {
		if p.Tokens != Tokens(p.Text) {
			t.Fatalf("part %s: Tokens %d, counted %d", p.Name, p.Tokens, Tokens(p.Text))
		}
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	if got := strings.Join(texts, "\n"); got != b.Text {
		t.Fatalf("the parts do not make up the text: %s", cmp.Diff(b.Text, got))
	}
}

// checkWords holds that every line is one of the whole text, or the beginning of one that ends with a word and "…".
func checkWords(t *testing.T, whole, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		begin, _, shortened := strings.Cut(strings.TrimSuffix(line, "\n"), "…")
		if !strings.Contains(whole, begin) || shortened && !strings.Contains(whole, begin+" ") && !strings.Contains(whole, begin+"…") {
			t.Fatalf("line %q is not of the whole text", line)
		}
	}
}

func TestWhatIsLeftOutIsTheOldestAndTheLeastSure(t *testing.T) {
	snap := returning()
	snap.Memories = nil
	for i := range 40 {
		snap.Memories = append(snap.Memories, memory(recaller.Fact, fmt.Sprintf("fact_%02d", i), "something about it", float64(i)/100+0.6, ago(day)))
	}
	b := composed(snap, now, Request{MaxTokens: 700})
	part := partNamed(t, b, "memories")
	if !part.Cut || !strings.Contains(part.Text, "fact_39") || strings.Contains(part.Text, "fact_00") {
		t.Errorf("the surest memories should stay and the least sure go, marked as cut: %v\n%s", part.Cut, part.Text)
	}
	history := partNamed(t, b, "history")
	if !strings.Contains(history.Text, "1. November 20") {
		t.Errorf("the last conversation is missing:\n%s", history.Text)
	}
}

func partNamed(t *testing.T, b recaller.Briefing, name string) recaller.BriefingPart {
	t.Helper()
	for _, p := range b.Parts {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("no part %q in:\n%s", name, b.Text)
	return recaller.BriefingPart{}
}

func TestPartsStandInTheirFixedOrder(t *testing.T) {
	for style, want := range map[recaller.BriefingStyle][]string{
		recaller.StyleBriefing: {"tenant", "guidance", "caller", "memories", "pinned", "history", "due", "now", "resume", "recalled"},
		recaller.StyleSystemPrompt: {
			"tenant", "personality", "business", "guidance", "caller", "history", "pinned", "memories", "due", "resume", "now", "recalled", "instructions",
			"greeting", "welcome", "closing",
		},
	} {
		var got []string
		for _, p := range asked(everything(), "the terrace", style, aboutTheTerrace()...).Parts {
			got = append(got, p.Name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestTheSameStateGivesTheSameBytesInWhateverOrderItWasRead(t *testing.T) {
	for _, style := range recaller.BriefingStyles() {
		checkOrderIsTheirOwn(t, Request{MaxTokens: 800, Style: style})
	}
}

func checkOrderIsTheirOwn(t *testing.T, req Request) {
	t.Helper()
	want := composed(everything(), now, req)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		snap := everything()
		rng.Shuffle(len(snap.Memories), func(i, j int) { snap.Memories[i], snap.Memories[j] = snap.Memories[j], snap.Memories[i] })
		rng.Shuffle(len(snap.History), func(i, j int) { snap.History[i], snap.History[j] = snap.History[j], snap.History[i] })
		before := slices.Clone(snap.Memories)
		if diff := cmp.Diff(want, composed(snap, now, req)); diff != "" {
			t.Fatal(diff)
		}
		if diff := cmp.Diff(before, snap.Memories); diff != "" {
			t.Fatalf("the snapshot was changed: %s", diff)
		}
	}
}

func TestAMinuteLaterOnlyTheEndOfTheTextDiffers(t *testing.T) {
	a, b := composed(everything(), now, Request{}), composed(everything(), now.Add(time.Minute), Request{})
	for i := range a.Parts {
		volatile := a.Parts[i].Name == "now" || a.Parts[i].Name == "resume"
		if same := a.Parts[i].Text == b.Parts[i].Text; !same && !volatile {
			t.Errorf("part %s changed with the minute: %s", a.Parts[i].Name, cmp.Diff(a.Parts[i].Text, b.Parts[i].Text))
		}
	}
}

func BenchmarkCompose(b *testing.B) {
	snap := everything()
	for i := range 50 - len(snap.Memories) {
		snap.Memories = append(snap.Memories, memory(recaller.MemoryTypes()[i%6], fmt.Sprintf("some_key_%d", i), "what was said about it, in a sentence of usual length", 0.9, ago(time.Duration(i)*time.Hour)))
	}
	zones := newZones()
	for _, budget := range []int{DefaultTokens, 4000} {
		for _, style := range recaller.BriefingStyles() {
			b.Run(fmt.Sprintf("%s, 50 memories, %d tokens", style, budget), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					compose(material{snap: snap}, now, Request{MaxTokens: budget, Style: style}, zones)
				}
			})
		}
	}
}

// Whatever was found, and however long it is, choosing from it takes less than a millisecond more.
func BenchmarkComposeOfLongWords(b *testing.B) {
	for name, say := range map[string]string{"all of it fits": "The roof leaks where room number %d is.", "none of it fits": "Somebody painted door number %d."} {
		var hits []recaller.Hit
		for i := range 100 {
			text := fmt.Sprintf(say, i) + strings.Repeat(" We walked to the harbour and counted the boats.", 64<<10/48)
			hits = append(hits, said(fmt.Sprintf("c%d", i), 1, recaller.User, time.Duration(i)*day, text))
		}
		in, zones := material{snap: everything(), found: ranked(hits...)}, newZones()
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				compose(in, now, Request{Query: "has the leaking roof been repaired?"}, zones)
			}
		})
	}
}
