package forgotten_test

import (
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/pin"
)

// confided is a private memory that was said in turn 2 of the conversation "past".
func confided(key, value string) recaller.Memory {
	return recaller.Memory{
		ID: "m", Version: 1, Type: recaller.Fact, Key: key, Value: value, Status: recaller.MemoryActive, PrivacyScope: recaller.Private,
		CreatedAt: asked, Provenance: recaller.Provenance{Conversation: "past", Turns: []int{2}},
	}
}

func TestWhatTellsWhatIsPrivate(t *testing.T) {
	t.Parallel()
	debt := confided("debt", "owes his brother two thousand pounds since the divorce")
	other := func(change func(*recaller.Memory)) recaller.Memory {
		m := recaller.Memory{ID: "o", Type: recaller.Fact, Key: "dog", Value: "has a dog", Status: recaller.MemoryActive, CreatedAt: asked.Add(time.Hour)}
		change(&m)
		return m
	}
	for _, tt := range []struct {
		name    string
		private recaller.Memory
		m       recaller.Memory
		want    bool
	}{
		{"itself", debt, debt, true},
		{"another thing", debt, other(func(*recaller.Memory) {}), false},
		{"the same words under another key, and later", debt, other(func(m *recaller.Memory) {
			m.Key, m.Value = "money", "owes his brother two thousand pounds"
		}), true},
		{"what was found in the very words", debt, other(func(m *recaller.Memory) {
			m.Source, m.Provenance = recaller.SourceExtraction, debt.Provenance
		}), true},
		{"what was found in those and in others", debt, other(func(m *recaller.Memory) {
			m.Source, m.Provenance = recaller.SourceExtraction, recaller.Provenance{Conversation: "past", Turns: []int{2, 7}}
		}), false},
		{"what somebody stored in that turn", debt, other(func(m *recaller.Memory) { m.Provenance = debt.Provenance }), false},
		{"in Spanish", confided("salud", "es alérgica a la penicilina desde niña"), other(func(m *recaller.Memory) {
			m.Key, m.Value = "nota", "alérgica a la penicilina"
		}), true},
		{"in German", confided("adresse", "wohnt jetzt in der Lindenstraße 14 bei Jutta"), other(func(m *recaller.Memory) {
			m.Key, m.Value = "lieferung", "liefern an Lindenstraße 14"
		}), true},
	} {
		private := []recaller.Memory{tt.private}
		if got := forgotten.Tells(private, []recaller.Memory{tt.private, tt.m})(tt.m); got != tt.want {
			t.Errorf("%s: got %t, want %t", tt.name, got, tt.want)
		}
	}
	if forgotten.Tells(nil, []recaller.Memory{debt})(debt) || forgotten.Untold(nil, []recaller.Memory{debt}) != nil {
		t.Error("where nothing is private, something is kept back")
	}
}

// What is private is hidden in other words, too, and later, where a name tells it or half of it is said.
func TestOtherWordsThatTellWhatIsPrivate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		value, said string
		want        bool
	}{
		{"ist HIV-positiv seit 2015", "Ich bin HIV-positiv.", true},
		{"HIV positive since 2015", "my hiv pills are on the fridge", true},
		{"is having an affair with her boss Gregor", "Gregor and I meet every Thursday.", true},
		{"a une liaison avec sa voisine Camille", "Camille et moi, on se voit en secret.", true},
		{"lives in hiding at 14 Harbour Lane", "Bring it to my place on Harbour Lane.", true},
		{"has bipolar disorder and takes lithium", "I take my lithium with breakfast.", true},
		{"hat Schulden bei der Sparkasse", "Die Sparkasse hat wieder geschrieben.", true},
		{"owes 40,000 euros to the casino", "I paid forty euros for the cab.", false},
		{"is having an affair with her boss Gregor", "I'm seeing my boss behind my husband's back.", true},
		{"is having an affair with her boss Gregor", "My husband is away on Thursday.", false},
		{"has bipolar disorder and takes lithium", "The lithium makes my hands shake.", true},
		{"owes 40,000 euros to the casino", "I gambled away forty thousand.", true},
		{"is pregnant", "Ich bin schwanger.", true},
		{"has cancer and told nobody", "Desde el cáncer me canso mucho.", true},
		{"wohnt in der Lindenstraße im dritten Stock", "Der Termin am Montag passt, mein Mann holt das Auto.", false},
		{"meets her lover on Tuesdays", "Tuesday at nine is fine.", false},
		{"Has shingles since May", "He may come in the morning.", false},
	} {
		v := forgotten.New(forgotten.AsIf([]recaller.Memory{confided("note", tt.value)}))
		turn := recaller.Turn{Number: 4, Speaker: recaller.User, Text: tt.said, At: asked.Add(time.Hour)}
		if got := v.Hides("later", turn); got != tt.want {
			t.Errorf("%q, of which %q is said: hidden is %t, want %t", tt.value, tt.said, got, tt.want)
		}
	}
}

func TestHitsThatTellWhatIsPrivate(t *testing.T) {
	t.Parallel()
	debt := confided("debt", "owes his brother two thousand pounds since the divorce")
	hit := func(kind recaller.HitKind, conv recaller.ConversationID, turn int, text string) recaller.Hit {
		return recaller.Hit{Kind: kind, ID: "h", Conversation: conv, Turn: turn, Speaker: recaller.User, Text: text, At: asked}
	}
	house := hit(recaller.HitSummary, "past", 0, "owes his brother two thousand pounds since the divorce")
	house.House = true
	own := hit(recaller.HitMemory, "", 0, "a label")
	own.ID = string(debt.ID)
	for _, tt := range []struct {
		name string
		hit  recaller.Hit
		want bool
	}{
		{"the turn it came from", hit(recaller.HitTurn, "past", 2, "yes that too"), false},
		{"another turn of that conversation", hit(recaller.HitTurn, "past", 4, "and a new tap"), true},
		{"a turn that says it again, later", hit(recaller.HitTurn, "later", 0, "I owe my brother two thousand pounds"), false},
		{"the summary of that conversation", hit(recaller.HitSummary, "past", 0, "Wants a new tap."), false},
		{"the summary of another", hit(recaller.HitSummary, "later", 0, "Wants a new tap."), true},
		{"a summary that tells it", hit(recaller.HitSummary, "later", 0, "Owes his brother two thousand pounds."), false},
		{"the memory itself", own, false},
		{"what the business wrote", house, true},
	} {
		got := len(forgotten.New(forgotten.AsIf([]recaller.Memory{debt})).Hits([]recaller.Hit{tt.hit})) == 1
		if got != tt.want {
			t.Errorf("%s: told is %t, want %t", tt.name, got, tt.want)
		}
	}
	v := forgotten.New(forgotten.AsIf([]recaller.Memory{debt}))
	for turn, want := range map[int]bool{3: true, 5: false} { // 3 is the agent's answer to the turn that it came from
		if got := v.Hides("past", recaller.Turn{Number: turn, Speaker: recaller.Assistant, Text: "I will tell nobody.", At: asked}); got != want {
			t.Errorf("the agent's turn %d: hidden is %t, want %t", turn, got, want)
		}
	}
	near := hit(recaller.HitTurn, "past", 3, "and a new tap")
	near.Neighbours = []recaller.Turn{{Number: 2, Speaker: recaller.User, Text: "yes that too"}, {Number: 4, Speaker: recaller.User, Text: "by Friday", At: asked}}
	got := forgotten.New(forgotten.AsIf([]recaller.Memory{debt})).Hits([]recaller.Hit{near})
	if len(got) != 1 || len(got[0].Neighbours) != 1 || got[0].Neighbours[0].Number != 4 {
		t.Errorf("beside a turn: got %+v, want turn 4 alone", got)
	}
}

// Of a briefing's material goes what tells it, and its reminder; what is not private stays, and the material that was
// given is not changed.
func TestABriefingsMaterialWithoutWhatIsPrivate(t *testing.T) {
	t.Parallel()
	name := confided("caller_name", "Ines Okafor")
	dog := recaller.Memory{ID: "dog", Type: recaller.Fact, Key: "dog", Value: "has a dog called Biscuit", Status: recaller.MemoryActive, CreatedAt: asked}
	dog.Dispute = &recaller.Dispute{Value: "Ines Okafor has it"}
	given := []recaller.Memory{name, dog}
	snap := recaller.Snapshot{
		Caller: recaller.Caller{Name: "Ines Okafor", NameSource: recaller.NameSaid}, Private: []recaller.Memory{name}, Memories: given,
		Reminders: []recaller.Reminder{{Memory: "m", Text: "ring her"}, {Memory: "dog", Text: "walk the dog"}},
	}
	forgotten.Withhold(&snap)
	if len(snap.Memories) != 1 || snap.Memories[0].ID != "dog" || snap.Memories[0].Dispute != nil {
		t.Errorf("got memories %+v, want the dog without its dispute", snap.Memories)
	}
	if len(snap.Reminders) != 1 || snap.Reminders[0].Memory != "dog" {
		t.Errorf("got reminders %+v", snap.Reminders)
	}
	if snap.Caller.Name != "" || snap.Caller.NameSource != "" {
		t.Errorf("got the name %q", snap.Caller.Name)
	}
	if len(given) != 2 || given[0].ID != "m" {
		t.Errorf("what was given is changed: %+v", given)
	}
}

// The label of a conversation of which nothing may be told would say what it was about.
func TestALabelOfWhatIsPrivate(t *testing.T) {
	t.Parallel()
	call := func(id recaller.ConversationID, brief string) recaller.Conversation {
		return recaller.Conversation{ID: id, StartedAt: asked, Summary: &recaller.Summary{Brief: brief}, Analysis: &recaller.Analysis{Intent: "health-consultation"}}
	}
	given := []recaller.Conversation{call("past", "Takes lithium for her bipolar disorder."), call("other", "Asked for a plumber.")}
	snap := recaller.Snapshot{Private: []recaller.Memory{confided("health", "has bipolar disorder and takes lithium")}, History: given}
	forgotten.Withhold(&snap)
	if got := snap.History[0].Analysis.Intent + snap.History[1].Analysis.Intent; got != "health-consultation" || given[0].Analysis.Intent == "" {
		t.Errorf("got labels %q, and %q in what was given", got, given[0].Analysis.Intent)
	}
}

// What a topic is called is hidden with what called it so.
func TestATopicThatIsCalledByWhatIsPrivate(t *testing.T) {
	t.Parallel()
	quote := func(turn int, text string) pin.Quote {
		return pin.Quote{Conversation: "past", Turn: turn, Speaker: recaller.User, Text: text, At: asked}
	}
	v := forgotten.New(forgotten.AsIf([]recaller.Memory{confided("affair", "is having an affair with Marcus from work")}))
	for _, tt := range []struct {
		name, other string
		want        bool
	}{
		{"named by hidden words alone", "Has the pottery course been moved?", false},
		{"named by others, too", "A corner would be nice.", true},
	} {
		topic := pin.Topic{
			Title: "Corner table", Lead: []string{"corner"}, Pinned: true, First: asked, About: quote(4, "Marcus and I want the corner table for two."),
			Now: []pin.Quote{quote(6, tt.other)},
		}
		d := topic.Onto(recaller.Document{Origin: recaller.DocumentPin}, asked)
		if got := v.Document(d, nil).Content != ""; got != tt.want {
			t.Errorf("%s: told is %t, want %t", tt.name, got, tt.want)
		}
	}
}
