package livebuffer

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func say(n int, at time.Time, text string) recaller.Turn {
	return recaller.Turn{Number: n, At: at, Speaker: recaller.User, Text: text}
}

func TestTheOldestTurnsGoWhenThereAreTooMany(t *testing.T) {
	var b Buffer
	for i := range MaxTurns + 7 {
		b.Add(say(i, noon, "hello"))
	}
	got := b.Turns(noon)
	if len(got) != MaxTurns || got[0].Number != 7 {
		t.Errorf("got %d turns from number %d, want %d from 7", len(got), got[0].Number, MaxTurns)
	}
}

func TestTurnsGoWhenTheyAreTooOld(t *testing.T) {
	var b Buffer
	b.Add(say(0, noon, "early"), say(1, noon.Add(10*time.Minute), "later"))
	b.Add(say(2, noon.Add(MaxAge+time.Second), "now"))
	numbers := func(now time.Time) (out []int) {
		for _, turn := range b.Turns(now) {
			out = append(out, turn.Number)
		}
		return out
	}
	if got := numbers(noon.Add(MaxAge + time.Second)); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("after a new turn: got %v, want [1 2]", got)
	}
	if got := numbers(noon.Add(2 * MaxAge)); !slices.Equal(got, []int{2}) {
		t.Errorf("after silence: got %v, want [2]", got)
	}
}

func TestLongTurnsAreCutAtACharacter(t *testing.T) {
	var b Buffer
	b.Add(say(0, noon, strings.Repeat("é", MaxText+1)), say(1, noon, strings.Repeat("é", MaxText)))
	for _, turn := range b.Turns(noon) {
		if n := utf8.RuneCountInString(turn.Text); n != MaxText || !utf8.ValidString(turn.Text) {
			t.Errorf("turn %d: got %d characters, want %d", turn.Number, n, MaxText)
		}
	}
}

func TestStoredKeysAreLowerCasedAndToldOnce(t *testing.T) {
	var b Buffer
	b.AddKey("Preferred_Name")
	b.AddKey(" preferred_name ")
	b.AddKey("dog")
	if got := b.Keys(); !slices.Equal(got, []string{"preferred_name", "dog"}) {
		t.Errorf("got %v", got)
	}
}

func TestGlance(t *testing.T) {
	tests := []struct {
		speaker  recaller.Speaker
		text     string
		intent   Intent
		entities []string
	}{
		{recaller.User, "My daughter Ruth is visiting next Sunday.", Statement, []string{"next Sunday", "Ruth"}},
		{recaller.User, "Can you book a table for 4 tomorrow?", Question, []string{"tomorrow", "4"}},
		{recaller.User, "please send it to 742 Evergreen Terrace", Request, []string{"742", "Evergreen", "Terrace"}},
		{recaller.User, "can you book a table for 4 tomorrow", Request, []string{"tomorrow", "4"}},
		{recaller.User, "Ruth is visiting. She was ill. Then Bob came.", Statement, []string{"Ruth", "Bob"}},
		{recaller.User, "what are your hours on saturday", Question, []string{"on saturday"}},
		{recaller.User, "I pleased them all", Statement, nil},
		{recaller.User, "Is it open?", Question, nil},
		{recaller.Assistant, "How many people?", Question, nil},
		{recaller.Assistant, "I've noted that down.", Response, nil},
		{recaller.User, "", Statement, nil},
		{recaller.User, "It was Anna's idea. Then I'd met Bob and Bob's wife.", Statement, []string{"Anna", "Bob"}},
	}
	for _, tt := range tests {
		intent, entities := Glance(tt.speaker, tt.text, noon)
		if intent != tt.intent {
			t.Errorf("%q: got intent %s, want %s", tt.text, intent, tt.intent)
		}
		if diff := cmp.Diff(tt.entities, entities); diff != "" {
			t.Errorf("%q: entities (-want +got):\n%s", tt.text, diff)
		}
	}
}

func TestOnlyFiveNamesAreToldOfATurn(t *testing.T) {
	_, entities := Glance(recaller.User, "met Ann Bea Cid Dan Eve Flo", noon)
	if len(entities) != maxNames {
		t.Errorf("got %v, want %d names", entities, maxNames)
	}
}

func FuzzGlance(f *testing.F) {
	f.Add("My daughter Ruth is visiting next Sunday.")
	f.Add("\xff?\u202e 12")
	f.Fuzz(func(t *testing.T, text string) {
		var b Buffer
		b.Add(say(0, noon, text))
		for _, turn := range b.Turns(noon) {
			if utf8.RuneCountInString(turn.Text) > MaxText {
				t.Errorf("%d characters", utf8.RuneCountInString(turn.Text))
			}
			for _, e := range turn.Entities {
				if e == "" {
					t.Errorf("an empty entity in %q", text)
				}
			}
		}
	})
}
