package forgotten_test

import (
	"slices"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/agreement"
	"github.com/recallerhq/recaller/internal/forgotten"
)

var asked = time.Date(2026, 10, 14, 10, 5, 0, 0, time.UTC)

// gone is a memory that was forgotten in the conversation "now", whose turn 3 asked for it.
func gone(key, value string, from ...int) recaller.Memory {
	return recaller.Memory{
		ID: "m", Version: 1, Type: recaller.Fact, Key: key, Value: value, Status: recaller.MemoryForgotten, ClosedAt: asked,
		Provenance: recaller.Provenance{Conversation: "past", Turns: from},
		Forgetting: &recaller.Forgetting{At: asked, Asked: recaller.Provenance{Conversation: "now", Turns: []int{3}}},
	}
}

func said(number int, speaker recaller.Speaker, text string, after time.Duration) recaller.Turn {
	return recaller.Turn{Number: number, Speaker: speaker, Text: text, At: asked.Add(after)}
}

func TestTurnsThatSaidItAreHidden(t *testing.T) {
	t.Parallel()
	debt := gone("debt", "owes his brother two thousand pounds since the divorce", 2)
	name := gone("caller_name", "Ines Okafor")
	will := gone("name", "Will Baker")
	tests := []struct {
		name string
		of   recaller.Memory
		conv recaller.ConversationID
		turn recaller.Turn
		want bool
	}{
		{"the turn that it came from", debt, "past", said(2, recaller.User, "yes that too", -time.Hour), true},
		{"another of that conversation", debt, "past", said(4, recaller.User, "and a new tap for the kitchen", -time.Hour), false},
		{"the turn with that number elsewhere", debt, "other", said(2, recaller.User, "yes that too", -time.Hour), false},
		{"told in other words before", debt, "other", said(0, recaller.User, "i owe my brother two thousand", -time.Hour), true},
		{"an echo of the agent's", debt, "other", said(1, recaller.Assistant, "Right. So you owe your brother two thousand. And the tap?", -time.Hour), true},
		{"a word of it", debt, "other", said(1, recaller.User, "My brother will let the plumber in.", -time.Hour), false},
		{"said again later", debt, "other", said(1, recaller.User, "I owe my brother two thousand pounds", time.Hour), false},
		{"who asked for it", debt, "now", said(3, recaller.User, "that money business, strike it", 0), true},
		{"the agent's promise", debt, "now", said(4, recaller.Assistant, "I'll take out what you told me about the money.", time.Second), true},
		{"what comes next", debt, "now", said(4, recaller.Assistant, "Shall I book the plumber for Tuesday?", time.Second), false},
		{"a later echo of the agent's", debt, "now", said(9, recaller.Assistant, "So the debt to your brother, two thousand pounds since the divorce, is gone.", time.Minute), true},
		{"the caller asks once more", debt, "now", said(8, recaller.User, "you did forget about my debts did you", time.Minute), true},
		{"the caller says it anew", debt, "now", said(8, recaller.User, "I owe my brother two thousand pounds since the divorce.", time.Minute), false},
		{"a name that is said", name, "other", said(0, recaller.User, "Hi, this is Ines Okafor", -time.Hour), true},
		{"a name as a recogniser writes it", name, "other", said(0, recaller.User, "hi this is ines okafor", -time.Hour), true},
		{"the agent greets", name, "other", said(1, recaller.Assistant, "Good morning Ines, how are you?", -time.Hour), true},
		{"nobody is named", name, "other", said(1, recaller.Assistant, "Good morning, how are you?", -time.Hour), false},
		{"a name that is a word", will, "other", said(1, recaller.User, "Will you be there? I will.", -time.Hour), false},
		{"a name that is a word, said as one", will, "other", said(1, recaller.Assistant, "Thanks, Will.", -time.Hour), true},
		{"one plain word in an answer", gone("favorite_color", "blue"), "other", said(1, recaller.User, "blue", -time.Hour), true},
		{"one plain word with its key", gone("favorite_color", "blue"), "other", said(1, recaller.User, "my colour, the color I like, is blue", -time.Hour), true},
		{"one plain word for another thing", gone("favorite_color", "blue"), "other", said(1, recaller.User, "there is a blue van across our drive again", -time.Hour), false},
		{"an address said back", gone("address", "Ich wohne in der Lindenstraße 14 in Potsdam"), "other", said(1, recaller.Assistant, "Gut, Lindenstraße 14. Am Dienstag um neun?", -time.Hour), true},
		{"a number with another word", gone("address", "Ich wohne in der Lindenstraße 14 in Potsdam"), "other", said(1, recaller.Assistant, "Am Dienstag um 14 Uhr?", -time.Hour), false},
		{"a telephone number said back", gone("phone", "You can reach me on 0171 4455667 after six"), "other", said(1, recaller.Assistant, "Noted, 0171 4455667, and the tap on Friday.", -time.Hour), true},
		{"a year is no number", gone("wedding", "got married in Rome in spring 2019"), "other", said(1, recaller.User, "the boiler is from 2019", -time.Hour), false},
		{"a number", gone("gate_code", "4711"), "other", said(1, recaller.User, "the gate opens with 4711 and the dog is in the yard", -time.Hour), true},
		{"a yes", gone("has_dog", "yes"), "other", said(1, recaller.User, "well we have a dog", -time.Hour), true},
		{"another language", gone("alergia", "alérgica a la penicilina"), "other", said(1, recaller.User, "Soy alérgica a la penicilina", -time.Hour), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := forgotten.New([]recaller.Memory{tt.of})
			if got := v.Hides(tt.conv, tt.turn); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
			if left := v.Turns(tt.conv, []recaller.Turn{tt.turn}); (len(left) == 0) != tt.want {
				t.Errorf("%d turns are left", len(left))
			}
			if blank := v.Blank(tt.conv, []recaller.Turn{tt.turn}); (blank[0].Text == "") != tt.want || blank[0].Number != tt.turn.Number {
				t.Errorf("blanked to %+v", blank[0])
			}
		})
	}
}

func TestLinesOfSummariesAreHidden(t *testing.T) {
	t.Parallel()
	v := forgotten.New([]recaller.Memory{gone("debt", "owes his brother two thousand pounds", 1)})
	turns := []recaller.Turn{
		said(0, recaller.User, "I need a plumber on Tuesday.", -time.Hour),
		said(1, recaller.User, "Um, I lost my job, and I owe my brother two thousand pounds.", -time.Hour),
	}
	conv := recaller.Conversation{ID: "past", StartedAt: asked.Add(-time.Hour), Summary: &recaller.Summary{
		Brief: "“I need a plumber on Tuesday [Tuesday 20 October 2026].”", Facts: []string{"“I lost my job”", "Caller: “… I owe my brother two thousand pounds.”"},
		Decisions: []string{"The caller owes two thousand pounds to a brother. A plumber comes."}, Next: "Ask about his brother's two thousand pounds.", By: "rules",
	}}
	got := v.Summary(conv, turns)
	want := recaller.Summary{Brief: conv.Summary.Brief, Decisions: []string{"A plumber comes."}, By: "rules"}
	if got.Brief != want.Brief || got.Next != "" || len(got.Facts) != 0 || !slices.Equal(got.Decisions, want.Decisions) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if len(conv.Summary.Facts) != 2 {
		t.Error("what is stored was changed")
	}
	later := conv
	later.ID, later.StartedAt = "later", asked.Add(time.Hour)
	if got := v.Summary(later, nil); len(got.Facts) != 2 {
		t.Errorf("of a later conversation: got %+v, want all of it", got)
	}
	only := recaller.Conversation{ID: "past", StartedAt: conv.StartedAt, Summary: &recaller.Summary{Brief: "Owes his brother two thousand pounds.", By: "rules"}}
	if got := v.Summary(only, nil); got != nil {
		t.Errorf("nothing else: got %+v, want none", got)
	}
}

func TestWhatIsFoundAnewIsKnownAgain(t *testing.T) {
	t.Parallel()
	v := forgotten.New([]recaller.Memory{gone("dog_name", "Max", 1)})
	found := func(key, value string, after time.Duration, conv recaller.ConversationID, turn int) recaller.Memory {
		at := asked.Add(after)
		return recaller.Memory{ID: "n", Type: recaller.Fact, Key: key, Value: value, CreatedAt: at, Provenance: recaller.Provenance{Conversation: conv, Turns: []int{turn}}}
	}
	tests := []struct {
		name string
		m    recaller.Memory
		want bool
	}{
		{"its key", found("Dog_Name", "Rex", -time.Hour, "other", 1), true},
		{"another key for it", found("pet_dog", "a dog called Max", -time.Hour, "other", 1), true},
		{"its value under any key", found("household", "lives with Max", -time.Hour, "other", 1), true},
		{"something else", found("cat_name", "Mimi", -time.Hour, "other", 1), false},
		{"said later", found("dog_name", "Max", time.Hour, "other", 1), false},
		{"said before it in the same call", found("dog_name", "Max", time.Hour, "now", 2), true},
		{"said after it in the same call", found("dog_name", "Max", time.Hour, "now", 7), false},
	}
	for _, tt := range tests {
		if got := v.Retold(tt.m); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestSameIsForgottenWithIt(t *testing.T) {
	t.Parallel()
	told := func(id recaller.MemoryID, key, value string, turn int) recaller.Memory {
		return recaller.Memory{ID: id, Type: recaller.Fact, Key: key, Value: value, Provenance: recaller.Provenance{Conversation: "past", Turns: []int{turn}}}
	}
	known := []recaller.Memory{
		told("dog", "dog_name", "Max", 1), told("pet", "pet_dog", "dog called Max", 5), told("breath", "walks", "walks Max every day", 1),
		told("daughter", "daughter_name", "Max", 7), told("tea", "tea", "Assam", 1),
	}
	got := forgotten.Same(known[0], known)
	if want := []recaller.MemoryID{"pet", "breath"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestSnapshotTellsNothingOfIt(t *testing.T) {
	t.Parallel()
	open := recaller.BrokenOff{Conversation: recaller.Conversation{ID: "open", StartedAt: asked.Add(-time.Hour)}, Turns: []recaller.Turn{
		said(0, recaller.User, "the gate code is 4711", -time.Hour), said(1, recaller.User, "the tap drips", -time.Hour),
	}}
	broken := open
	snap := recaller.Snapshot{
		Forgotten: []recaller.Memory{gone("gate_code", "4711")}, Open: []recaller.BrokenOff{open}, BrokenOff: &broken,
		Checkpoint: &recaller.Checkpoint{Summary: "Plumber wanted. The gate opens with 4711.", StagingData: []byte(`{"gate":"4711","n":4711,"street":"Elm","list":["4711","ring"]}`), LastActivity: asked.Add(-time.Hour)},
	}
	forgotten.Snapshot(&snap)
	if len(snap.Open[0].Turns) != 1 || len(snap.BrokenOff.Turns) != 1 || snap.BrokenOff.Turns[0].Number != 1 {
		t.Errorf("last words: got %+v and %+v", snap.Open[0].Turns, snap.BrokenOff.Turns)
	}
	if got := snap.Checkpoint; got.Summary != "Plumber wanted." || string(got.StagingData) != `{"list":["ring"],"street":"Elm"}` {
		t.Errorf("checkpoint: got %q, %s", got.Summary, got.StagingData)
	}
	if len(open.Turns) != 2 {
		t.Error("the words themselves were changed")
	}
}

// What was agreed on in words that are forgotten is not told.
func TestAgreementsInForgottenWordsAreHidden(t *testing.T) {
	t.Parallel()
	settled := func(conv recaller.ConversationID, turn int, text string) recaller.Agreement {
		return recaller.Agreement{State: recaller.AgreementOpen, By: recaller.Act{
			Kind: recaller.ActSettled, Conversation: conv, SaidAt: asked.Add(-time.Hour),
			Said: []recaller.Saying{{Turn: turn, Speaker: recaller.User, Text: text}},
		}}
	}
	view := forgotten.New([]recaller.Memory{gone("debt", "owes his brother two thousand pounds since the divorce", 2)})
	got := view.Agreements([]recaller.Agreement{settled("past", 2, "Friday, then."), settled("past", 4, "The plumber on Monday, yes."), settled("other", 2, "Tuesday is fine.")})
	if len(got) != 2 || got[0].By.Said[0].Turn != 4 || got[1].By.Conversation != "other" {
		t.Errorf("got %+v, want all but what was said in the forgotten turn", got)
	}
}

// What was called off or moved in words that are forgotten does not stand: the act counts, without its words.
func TestWhatWasCalledOffInForgottenWordsDoesNotStand(t *testing.T) {
	t.Parallel()
	friday := asked.AddDate(0, 0, 2)
	settled := recaller.Act{
		Kind: recaller.ActSettled, Conversation: "past", At: friday, SaidAt: asked.AddDate(0, 0, -3),
		Said: []recaller.Saying{{Turn: 1, Speaker: recaller.Assistant, Text: "The plumber comes on Friday [16 October 2026]."}},
	}
	later := func(kind recaller.ActKind, at time.Time) recaller.Act {
		return recaller.Act{
			Kind: kind, Conversation: "call", At: at, SaidAt: asked.Add(-time.Hour), Of: []recaller.Stretch{{From: friday, To: friday.Add(time.Hour)}},
			Said: []recaller.Saying{{Turn: 2, Speaker: recaller.User, Text: "Cancel the plumber on Friday [16 October 2026], Callum lost his job."}},
		}
	}
	callum := gone("job", "Callum lost his job", 2)
	callum.Provenance.Conversation = "call"
	view := forgotten.New([]recaller.Memory{callum})
	folded := func(a recaller.Act) []recaller.Agreement {
		return view.Agreements(agreement.Fold([]recaller.Act{settled, a}, asked))
	}

	got := folded(later(recaller.ActCancelled, time.Time{}))
	if len(got) != 1 || got[0].State != recaller.AgreementCancelled || len(got[0].Ended.Said) != 0 || len(got[0].By.Said) != 1 {
		t.Errorf("called off: got %+v, want it cancelled, without the words that did it", got)
	}
	monday := friday.AddDate(0, 0, 3)
	got = folded(later(recaller.ActMoved, monday))
	if len(got) != 2 || got[0].State != recaller.AgreementMoved || !got[1].At.Equal(monday) || len(got[1].By.Said) != 0 {
		t.Errorf("moved: got %+v, want the other day, without words", got)
	}
}

// The turn that asks for something to be forgotten, and says something else besides, is hidden; what was agreed on in
// it is not, where another turn names the day, and neither is what a brief tells of other turns.
func TestWhatStandsBesideForgottenWordsIsTold(t *testing.T) {
	t.Parallel()
	act := func(day, answer string) recaller.Agreement {
		return recaller.Agreement{By: recaller.Act{Kind: recaller.ActSettled, Conversation: "past", SaidAt: asked.Add(-time.Hour), Said: []recaller.Saying{
			{Turn: 1, Speaker: recaller.Assistant, Text: day}, {Turn: 2, Speaker: recaller.User, Text: answer},
		}}}
	}
	view := forgotten.New([]recaller.Memory{gone("debt", "owes his brother two thousand pounds since the divorce", 2)})
	acts := view.Agreements([]recaller.Agreement{act("Wednesday at ten [25 November 2026] it is.", "Lovely."), act("Which day?", "Thursday [26 November 2026], then.")})
	if len(acts) != 1 || len(acts[0].By.Said) != 1 || acts[0].By.Said[0].Turn != 1 {
		t.Errorf("got %+v, want the first, in the agent's words", acts)
	}
	conv := recaller.Conversation{ID: "past", StartedAt: asked.Add(-time.Hour), Summary: &recaller.Summary{
		Brief: "Caller: “I owe my brother two thousand pounds since the divorce.” Agent: “Anything else?” Caller: “Lovely.” Agent: “Wednesday at ten it is.”",
	}}
	said := []recaller.Turn{
		{Number: 1, Speaker: recaller.Assistant, Text: "Anything else? Wednesday at ten it is.", At: asked.Add(-time.Hour)},
		{Number: 2, Speaker: recaller.User, Text: "I owe my brother two thousand pounds since the divorce. Lovely.", At: asked.Add(-time.Hour)},
	}
	if got := view.Summary(conv, said); got == nil || got.Brief != "Agent: “Wednesday at ten it is.”" {
		t.Errorf("got %+v, want what the agent settled, and no question without its answer", got)
	}
}
