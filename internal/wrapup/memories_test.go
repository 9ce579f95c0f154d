package wrapup_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/wrapup"
)

// chat is a call from which a model may find several things.
var chat = []string{
	"assistant: Good morning, how are you today?",
	"user: Fine. I live alone since my wife died, and I love gardening.",
	"assistant: That is lovely. Your file says that you have a cat called Minka.",
	"user: I have a doctor's appointment tomorrow at three, and my daughter Sarah visits on Sundays.",
	"assistant: Shall I remind you of the appointment?",
	"user: Yes please. I was a teacher for thirty years.",
}

// find runs a conversation whose memories the model finds as told.
func find(t *testing.T, words []string, list ...claim) (*house, recaller.Conversation) {
	t.Helper()
	h := newHouseWith(t, recaller.Tenant{}, &asked{memories: claims(list...)})
	_, job := h.hold(past{words: words})
	return h, h.run(job)
}

func TestAModelFindsMemories(t *testing.T) {
	h, conv := find(t, chat,
		claim{Type: "context", Key: "living_situation", Value: "lives alone", Confidence: 0.8, Turns: []int{1}},
		claim{Type: "history", Key: "career", Value: "was a teacher for thirty years", Confidence: 0.9, Turns: []int{5}})
	if diff := cmp.Diff(map[string]string{"living_situation": "lives alone", "career": "was a teacher for thirty years"}, h.values(conv.Caller)); diff != "" {
		t.Errorf("memories (-want +got):\n%s", diff)
	}
	m := h.memories(conv.Caller)["living_situation"]
	if m.Type != recaller.Context || m.Source != recaller.SourceExtraction || m.PrivacyScope != recaller.LineOnly || m.Confidence != 0.8 || m.Version != 1 {
		t.Errorf("got %+v, want a context from extraction, for this line only, as sure as the model", m)
	}
	if diff := cmp.Diff(recaller.Provenance{Conversation: conv.ID, Turns: []int{1}}, m.Provenance); diff != "" {
		t.Errorf("provenance (-want +got):\n%s", diff)
	}
	if p := h.progress(conv, recaller.StepExtract); p.By != modelName || p.Prompt != "extraction/3" || p.Found < 2 || p.Stored < 2 || p.Dropped != 0 {
		t.Errorf("got %+v, want 2 found and stored by the model with our first prompt", p)
	}
}

// The rules find more in this call, and the living alone too.
func TestWhatTheRulesFindIsKeptBesideTheModelsButNotTwice(t *testing.T) {
	h, conv := find(t, chat, fact("home_life", "Caller lives alone", 1))
	alone, more := 0, 0
	for _, m := range h.memories(conv.Caller) {
		if strings.Contains(m.Value, "alone") {
			alone++
		} else if len(m.Provenance.Turns) > 0 && m.Source == recaller.SourceExtraction {
			more++
		}
	}
	if alone != 1 || more == 0 {
		t.Errorf("got %d of living alone and %d others in %v, want the model's once, and what only the rules found", alone, more, h.memories(conv.Caller))
	}
}

func TestWhatTheWordsDoNotCarryIsDroppedAndCounted(t *testing.T) {
	h, conv := find(t, chat,
		fact("living_situation", "lives alone", 1),
		fact("pet", "has a cat called Minka", 2),         // the agent said it
		fact("son", "son Zebediah lives in Winnipeg", 3), // nobody said it
		fact("hobby", "collects antique barometers", 1))  // nor this
	if diff := cmp.Diff(map[string]string{"living_situation": "lives alone"}, h.values(conv.Caller)); diff != "" {
		t.Errorf("memories (-want +got):\n%s", diff)
	}
	if p := h.progress(conv, recaller.StepExtract); p.Dropped != 3 {
		t.Errorf("got %d dropped, want 3", p.Dropped)
	}
	if n := h.metric("recaller_memories_unsupported_total"); n != 3 {
		t.Errorf("got %v counted, want 3", n)
	}
}

func TestKnownKeysAreToldAndSkippedWhateverTheirCase(t *testing.T) {
	m := &asked{memories: claims(fact("living_situation", "lives alone", 1), fact("loves_gardening", "loves gardening", 1), fact("career", "teacher for thirty years", 5))}
	h := newHouseWith(t, recaller.Tenant{}, m)
	conv, job := h.hold(past{words: chat})
	h.remember(conv, "Living_Situation", "lives alone since spring", h.now.Add(-time.Hour), false)
	h.remember(conv, "lovesGardening", "loves gardening", h.now, true)
	h.run(job)
	want := map[string]string{"Living_Situation": "lives alone since spring", "lovesGardening": "loves gardening", "career": "teacher for thirty years"}
	if diff := cmp.Diff(want, h.values(conv.Caller)); diff != "" {
		t.Errorf("memories (-want +got):\n%s", diff)
	}
	for key, held := range h.memories(conv.Caller) {
		if held.Version != 1 || held.Dispute != nil {
			t.Errorf("%s: got version %d, disputed by %+v; want it untouched", key, held.Version, held.Dispute)
		}
	}
	for _, key := range []string{"Living_Situation", "lovesGardening"} {
		if !strings.Contains(m.all[1].Text, "[STORED] "+key) {
			t.Errorf("the model was not told that %s is stored:\n%s", key, m.all[1].Text)
		}
	}
}

// What a later call takes back stands beside what it takes back, so that the agent does not tell it as it was; what
// only has the same matter has a key of its own.
func TestWhatALaterCallTakesBackIsADispute(t *testing.T) {
	h := newHouse(t, recaller.Tenant{})
	conv, job := h.hold(past{words: []string{
		"assistant: Do you run?", "user: I've got the half marathon on the seventeenth of May.", "assistant: Which insurance do you have?", "user: I'm insured with Lamp Mutual.",
		"assistant: May I take your name?", "user: Fiadh, F I A D H, Mulqueeny, M U L Q U E E N Y.",
	}})
	h.run(job)
	h.now = h.now.Add(24 * time.Hour)
	_, job = h.hold(past{words: []string{
		"assistant: Anything else?", "user: Oh, and I pulled out of the half marathon, by the way.", "user: My deductible's two fifty.",
		"assistant: Could you spell your first name?", "user: F, I, A, D, H.",
	}})
	h.run(job)
	disputed := map[string]string{}
	for _, m := range h.memories(conv.Caller) {
		if m.Dispute != nil {
			disputed[m.Value] = m.Dispute.Value
		}
	}
	for value, other := range disputed {
		if !strings.Contains(value, "half marathon") || !strings.Contains(other, "pulled out") {
			t.Errorf("%s is disputed by %s", value, other)
		}
	}
	if len(disputed) != 1 {
		t.Errorf("got %v, want the half marathon disputed, and nothing else", disputed)
	}
}

func TestAnotherValueUnderAKnownKeyIsADisputeAndOverwritesNothing(t *testing.T) {
	h := newHouseWith(t, recaller.Tenant{}, &asked{memories: claims(fact("living_situation", "lives alone since my wife died", 1))})
	conv, job := h.hold(past{words: chat})
	h.remember(conv, "living_situation", "shares a house with Otto", h.now.Add(-time.Hour), false)
	h.run(job)
	m := h.memories(conv.Caller)["living_situation"]
	if m.Value != "shares a house with Otto" || m.Version != 1 {
		t.Errorf("got %q in version %d, want what was stored before", m.Value, m.Version)
	}
	if m.Dispute == nil || m.Dispute.Value != "lives alone since my wife died" || !slices.Equal(m.Dispute.Provenance.Turns, []int{1}) {
		t.Errorf("got dispute %+v, want what was said against it, and where", m.Dispute)
	}
	if len(h.values(conv.Caller)) != 1 {
		t.Errorf("got %v, want the one memory", h.values(conv.Caller))
	}
}

func TestWhatWasToBeForgottenIsNotFoundAgain(t *testing.T) {
	for _, key := range []string{"living_situation", "lives_alone"} {
		h := newHouseWith(t, recaller.Tenant{}, &asked{memories: claims(fact(key, "lives alone", 1))})
		conv, job := h.hold(past{words: chat})
		m := h.remember(conv, "living_situation", "lives alone", h.now.Add(-time.Hour), false)
		_, err := h.store.ChangeMemory(h.ctx, "t1", recaller.Changing{ID: m.ID, Forget: true, Patch: recaller.MemoryPatch{Reason: recaller.ClosedForgotten, At: conv.StartedAt.Add(time.Minute)}})
		h.ok(err)
		h.run(job)
		if got := h.values(conv.Caller); len(got) != 0 {
			t.Errorf("found as %s: got %v, want it forgotten", key, got)
		}
	}
}

func TestNearDuplicatesAreSkippedAndMerged(t *testing.T) {
	h := newHouseWith(t, recaller.Tenant{}, &asked{memories: claims(
		fact("hobby", "loves gardening", 1),
		claim{Type: "fact", Key: "job", Value: "teacher for thirty years", Confidence: 0.5, Turns: []int{5}},
		claim{Type: "fact", Key: "profession", Value: "a teacher for thirty years", Confidence: 0.95, Turns: []int{5}},
	)})
	conv, job := h.hold(past{words: chat})
	h.remember(conv, "interests", "loves gardening", h.now.Add(-time.Hour), false)
	h.run(job)
	got := h.values(conv.Caller)
	if _, twice := got["hobby"]; twice || got["interests"] != "loves gardening" {
		t.Errorf("got %v, want the gardening once", got)
	}
	if m := h.memories(conv.Caller)["job"]; len(got) != 2 || m.Confidence != 0.95 || m.Version != 1 {
		t.Errorf("got %v, the job at %v; want the teaching once, as sure as the surer of the two", got, m.Confidence)
	}
}

func TestTwoDaughtersStayTwo(t *testing.T) {
	h, conv := find(t, []string{"assistant: Any family?", "user: My daughter Sarah lives in Boston and my daughter Emma lives in Boston too."},
		fact("daughter_sarah", "daughter Sarah lives in Boston", 1), fact("daughter_emma", "daughter Emma lives in Boston", 1))
	if got := h.values(conv.Caller); len(got) != 2 {
		t.Errorf("got %v, want both daughters", got)
	}
}

func TestAMemoryIsNoSurerThanItsWordsWereHeard(t *testing.T) {
	h := newHouseWith(t, recaller.Tenant{Retention: recaller.Ephemeral}, &asked{memories: claims(
		fact("living_situation", "lives alone", 1), fact("career", "teacher for thirty years", 5), fact("daughter", "daughter Sarah visits on Sundays", 3))})
	conv, job := h.hold(past{words: chat, ephemeral: true})
	h.held[conv.ID][1].Confidence = 0.7
	h.held[conv.ID][3].Confidence = 0.2
	h.held[conv.ID][5].Interrupted = true
	h.run(job)
	got := h.memories(conv.Caller)
	if c := got["living_situation"].Confidence; math.Abs(c-0.63) > 1e-9 || len(h.values(conv.Caller)) != 1 {
		t.Errorf("got confidence %v in %v, want 0.63, and nothing of the turns that were cut off or hardly heard", c, h.values(conv.Caller))
	}
}

func TestRecalledTextThatComesBackProvesNothing(t *testing.T) {
	words := []string{
		"assistant: Let me read my notes aloud: prefers window seats on long flights to Lisbon, and has a boat called Sundowner.",
		"user: Prefers window seats on long flights to Lisbon.",
		"assistant: Right. Anything else?",
		"user: I love gardening.",
	}
	m := &asked{memories: claims(fact("seat", "prefers window seats on long flights to Lisbon", 1), fact("boat", "has a boat called Sundowner", 0), fact("hobby", "loves gardening", 3))}
	h := newHouseWith(t, recaller.Tenant{}, m)
	conv, job := h.hold(past{words: words})
	h.remember(conv, "travel_habits", "prefers window seats on long flights to Lisbon", h.now.Add(-time.Hour), false)
	h.run(job)
	if diff := cmp.Diff(map[string]string{"travel_habits": "prefers window seats on long flights to Lisbon", "hobby": "loves gardening"}, h.values(conv.Caller)); diff != "" {
		t.Errorf("memories (-want +got):\n%s", diff)
	}
}

func TestWhatASummaryRecalledProvesNothing(t *testing.T) {
	h := newHouseWith(t, recaller.Tenant{}, &asked{summary: says(summaryJSON(modelWritten)), memories: claims()})
	_, job := h.hold(past{words: visit})
	h.run(job)
	h.now = h.now.Add(time.Hour)
	h.model.(*asked).memories = claims(fact("plumbing", "kitchen sink is leaking; a plumber comes on Friday", 1))
	conv, job := h.hold(past{words: []string{
		"assistant: My notes say: Rosa Klein's kitchen sink is leaking; a plumber comes on Friday.",
		"user: Rosa Klein's kitchen sink is leaking; a plumber comes on Friday.",
	}})
	h.run(job)
	if got := h.memories(conv.Caller); got["plumbing"].Value != "" {
		t.Errorf("got %v, want nothing of what was only read out", got)
	}
}

func TestAFollowUpComesDueWhenItWasSaid(t *testing.T) {
	appointment := func(value, due string) claim {
		return claim{Type: "follow_up", Key: "doctor_appointment", Value: value, Confidence: 0.9, Turns: []int{3}, Due: due}
	}
	three := time.Date(2026, 11, 23, 20, 0, 0, 0, time.UTC) // three in the afternoon of the day after, in New York
	tests := []struct {
		name  string
		claim claim
		want  *time.Time
		value string
	}{
		{"in its value", appointment("doctor's appointment tomorrow at three", ""), &three, "doctor's appointment tomorrow at three (23 November 2026 at 3:00 PM)"},
		{"beside its value, as it was said", appointment("doctor's appointment", "tomorrow at three"), &three, "doctor's appointment"},
		{"beside its value, as a date", appointment("doctor's appointment", "2026-11-23"), &three, "doctor's appointment"},
		{"on a day that nobody named", appointment("doctor's appointment", "2026-12-24"), nil, "doctor's appointment"},
		{"in words that nobody said", appointment("doctor's appointment", "next Friday at noon"), nil, "doctor's appointment"},
		{"not said", appointment("doctor's appointment", ""), nil, "doctor's appointment"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h, conv := find(t, chat, tt.claim)
			m := h.memories(conv.Caller)["doctor_appointment"]
			if m.Value != tt.value || m.DueDay {
				t.Errorf("got %q, a whole day %v; want %q", m.Value, m.DueDay, tt.value)
			}
			if diff := cmp.Diff(tt.want, m.DueAt, cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) })); diff != "" {
				t.Errorf("due (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnImportedConversationIsReadAsOfThen(t *testing.T) {
	h := newHouseWith(t, recaller.Tenant{}, &asked{memories: claims(
		claim{Type: "follow_up", Key: "doctor_appointment", Value: "doctor's appointment tomorrow at three", Confidence: 0.9, Turns: []int{3}})})
	then := h.now.AddDate(-1, 0, 0)
	conv, job := h.hold(past{startedAt: then, words: chat})
	h.run(job)
	m := h.memories(conv.Caller)["doctor_appointment"]
	if m.CreatedAt.Before(then) || m.CreatedAt.After(then.Add(2*time.Minute)) || !m.ConfirmedAt.Equal(m.CreatedAt) {
		t.Errorf("got a memory of %v, confirmed %v; want both during the call of %v", m.CreatedAt, m.ConfirmedAt, then)
	}
	if want := then.AddDate(0, 0, 1); m.DueAt == nil || m.DueAt.YearDay() != want.YearDay() || m.DueAt.Year() != want.Year() {
		t.Errorf("got due %v, want the day after the call a year ago", m.DueAt)
	}
}

func TestAtMostFortyMemoriesAreKeptTheSurest(t *testing.T) {
	var words []string
	var list []claim
	for i := range 60 {
		thing := fmt.Sprintf("%c%c%c", 'a'+i%26, 'b'+i/26, 'k'+i%7) + "ling"
		words = append(words, "assistant: What else?", "user: I have a "+thing+" machine.")
		list = append(list, claim{Type: "fact", Key: "machine_" + thing, Value: "has a " + thing + " machine", Confidence: 0.5 + float64(i)/200, Turns: []int{2*i + 1}})
	}
	h, conv := find(t, words, list...)
	got := h.memories(conv.Caller)
	if len(got) != 40 {
		t.Fatalf("got %d memories, want 40", len(got))
	}
	for _, m := range got {
		if m.Confidence < 0.6 {
			t.Errorf("got %s at %v, though surer ones were found", m.Key, m.Confidence)
		}
	}
}

func TestSecretsAreMaskedInAMemory(t *testing.T) {
	words := []string{"assistant: How do you pay?", "user: I have a card and its number is 4111 1111 1111 1111."}
	h, conv := find(t, words, fact("card", "has a card and its number is 4111 1111 1111 1111", 1))
	for key, value := range h.values(conv.Caller) {
		if strings.Contains(value, "4111") {
			t.Errorf("got %s: %s, want the number masked", key, value)
		}
	}
}

func TestPartsOfALongConversationOverlapWithoutDoublingMemories(t *testing.T) {
	m := &asked{}
	h := newHouseWith(t, recaller.Tenant{}, m)
	h.window = 2 << 10
	h.reopen()
	words := append(append([]string{"assistant: Hello.", "user: I love gardening."}, talk(60)...), "user: As I said, I love gardening. I live alone.")
	conv, job := h.hold(past{words: words})
	h.run(job)
	if _, e := m.count(); e < 3 {
		t.Fatalf("asked %d times, want one question a part", e)
	}
	got := h.memories(conv.Caller)
	if g := got["love_gardening"]; g.Version != 1 || g.Value != "loves gardening" || !slices.IsSorted(g.Provenance.Turns) || len(g.Provenance.Turns) == 0 {
		t.Errorf("got %+v, want the gardening once, with its turns", g)
	}
	if got["living_situation"].Value != "lives alone" {
		t.Errorf("got %v, want what only the last part tells", h.values(conv.Caller))
	}
}

func TestAModelIsNotAskedForMemoriesThatAreNotWanted(t *testing.T) {
	tests := []struct {
		name string
		past past
		want string
	}{
		{"a reminder call", past{words: chat, reminder: true}, "extract skipped (a reminder call)"},
		{"under half a minute", past{words: chat, lasted: 29 * time.Second}, "extract skipped (shorter than 30 seconds)"},
		{"a short text message", past{words: chat, channel: recaller.ChannelSMS, lasted: time.Second}, "extract done"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := &asked{}
			h := newHouseWith(t, recaller.Tenant{}, m)
			conv, job := h.hold(tt.past)
			h.run(job)
			_, e := m.count()
			if !strings.HasSuffix(h.steps(conv), tt.want) || (e > 0) != (tt.want == "extract done") {
				t.Errorf("got %s after %d questions for memories, want %s", h.steps(conv), e, tt.want)
			}
		})
	}
}

func TestACallerOfWhomNothingCanBeBelievedIsNoQuestionForAModel(t *testing.T) {
	m := &asked{}
	h := newHouseWith(t, recaller.Tenant{Retention: recaller.Ephemeral}, m)
	conv, job := h.hold(past{words: []string{"assistant: Hello?", "user: I live alone."}, ephemeral: true})
	h.held[conv.ID][1].Confidence = 0.1
	h.run(job)
	if _, e := m.count(); e != 0 {
		t.Errorf("asked %d times, want not at all", e)
	}
	if p := h.progress(conv, recaller.StepExtract); p.State != recaller.StepDone || p.By != wrapup.By || p.Found != 0 {
		t.Errorf("got %+v, want it done with nothing found", p)
	}
}

func TestWhatWasSaidLastUnderOneKeyHolds(t *testing.T) {
	words := []string{"assistant: Where do you live?", "user: I live in Boston.", "assistant: Boston?", "user: No, sorry, I live in Denver now."}
	m := &asked{}
	m.memories = func(q recaller.Ask) (string, error) { // the answer names it once; the parts of a long call name it one after the other
		if strings.Contains(q.Text, "Denver now") {
			return claimsJSON(fact("home", "lives in Denver", 83)), nil
		}
		return claimsJSON(fact("home", "lives in Boston", 1)), nil
	}
	h := newHouseWith(t, recaller.Tenant{}, m)
	h.window = 2 << 10
	h.reopen()
	conv, job := h.hold(past{words: append(append(words[:3:3], talk(40)...), words[3])})
	h.run(job)
	if got := h.memories(conv.Caller)["home"]; got.Value != "lives in Denver" || len(got.Provenance.Turns) != 1 {
		t.Errorf("got %q of turns %v, want where the caller lives now", got.Value, got.Provenance.Turns)
	}
}

func TestAPartInWhichOnlyTheAgentSpeaksIsNoQuestionForMemories(t *testing.T) {
	m := &asked{}
	h := newHouseWith(t, recaller.Tenant{}, m)
	h.window = 2 << 10
	h.reopen()
	words := []string{"user: I love gardening."}
	for range 100 {
		words = append(words, "assistant: Please hold the line, all our colleagues are talking to somebody else at the moment.")
	}
	_, job := h.hold(past{words: words})
	h.run(job)
	if s, e := m.count(); e != 1 || s < 4 {
		t.Errorf("asked %d times for a summary and %d times for memories, want every part summed up and only the first searched", s, e)
	}
}
