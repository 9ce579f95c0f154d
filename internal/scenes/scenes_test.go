package scenes

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

// TestLabelsHold reads every label of our own scenes against the words it is about.
func TestLabelsHold(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range append(Tune(t), Held(t)...) {
		if seen[p.ID] {
			t.Errorf("%s: two people bear this id", p.ID)
		}
		seen[p.ID] = true
		t.Run(p.ID, func(t *testing.T) {
			if n := len(p.Calls); n < 2 || n > 4 {
				t.Errorf("%d calls", n)
			}
			if n := len(p.Questions); n < 5 || n > 8 {
				t.Errorf("%d questions", n)
			}
			for i, c := range p.Calls {
				checkCall(t, p, i, c)
			}
			checkAfter(t, p)
		})
	}
}

func checkCall(t *testing.T, p Person, i int, c Call) {
	t.Helper()
	among(t, c.Status, "completed", "failed")
	among(t, c.Channel, "voice")
	among(t, c.Sentiment, "positive", "neutral", "negative")
	among(t, c.Outcome, "booking-made", "resolved", "question-answered", "callback-requested", "transferred", "cancelled",
		"unresolved")
	if c.Intent == "" || c.Wanted == "" || c.Seconds <= 0 {
		t.Errorf("call %d lacks its intent, what was wanted, or its length", i)
	}
	if i > 0 && !c.At.After(p.Calls[i-1].Ended()) {
		t.Errorf("call %d begins before the one before it ended", i)
	}
	for n, s := range c.Spoken {
		if s.Text == "" || !s.Speaker.Valid() {
			t.Errorf("call %d turn %d says nothing or has no speaker", i, n)
		}
	}
	for _, d := range append(slices.Clone(c.Dates), c.Unsure...) {
		if d.Turn >= len(c.Spoken) || !strings.Contains(c.Spoken[d.Turn].Text, d.Words) {
			t.Errorf("call %d turn %d does not say %q", i, d.Turn, d.Words)
		}
	}
	for _, d := range c.Dates {
		checkDay(t, p, c, d)
	}
}

// weekdays are as spoken, Sunday first as in package time.
var weekdays = map[string][]string{
	"en": {"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"},
	"de": {"sonntag", "montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag"},
	"es": {"domingo", "lunes", "martes", "miércoles", "jueves", "viernes", "sábado"},
	"pt": {"domingo", "segunda", "terça", "quarta", "quinta", "sexta", "sábado"},
}

var (
	near = map[string]int{
		"today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1, "last night": -1, "heute": 0, "gestern": -1, "übermorgen": 2,
		"hoy": 0, "mañana": 1, "ayer": -1, "hoje": 0, "amanhã": 1, "ontem": -1,
	}
	word = regexp.MustCompile(`\pL+`)
)

func checkDay(t *testing.T, p Person, c Call, d Date) {
	t.Helper()
	day, err := time.ParseInLocation(time.DateOnly, d.Day, p.Location())
	if err != nil {
		t.Errorf("%q: %v", d.Words, err)
		return
	}
	if _, err := time.Parse("15:04", d.Clock); d.Clock != "" && err != nil {
		t.Errorf("%q: %v", d.Words, err)
	}
	low := strings.ToLower(d.Words)
	said, agrees := "", false
	for _, w := range word.FindAllString(low, -1) {
		n := slices.Index(weekdays[p.Lang], w)
		if n < 0 {
			continue
		}
		said, agrees = w, agrees || time.Weekday(n) == day.Weekday()
	}
	if said != "" && !agrees {
		t.Errorf("%q: %s is a %s", d.Words, d.Day, day.Weekday())
	}
	if off, ok := near[low]; ok && c.At.AddDate(0, 0, off).Format(time.DateOnly) != d.Day {
		t.Errorf("%q is not %s", d.Words, d.Day)
	}
}

func checkAfter(t *testing.T, p Person) {
	t.Helper()
	there := func(call, turn int) bool { return call < len(p.Calls) && turn < len(p.Calls[call].Spoken) }
	for _, a := range p.After.Agreements {
		among(t, a.State, "open", "cancelled", "done")
		if len(a.Turns) == 0 {
			t.Errorf("%q is agreed nowhere", a.What)
		}
		for _, n := range a.Turns {
			if !there(a.Call, n) {
				t.Errorf("%q: no turn %d in call %d", a.What, n, a.Call)
			}
		}
		at, err := time.Parse(time.RFC3339, a.At)
		if err != nil {
			at, err = time.ParseInLocation(time.DateOnly, a.At, p.Location())
		}
		if err != nil {
			t.Errorf("%q: %v", a.What, err)
		}
		_, got := at.Zone()
		if _, want := at.In(p.Location()).Zone(); got != want {
			t.Errorf("%q: %s is not a time of %s", a.What, a.At, p.Zone)
		}
	}
	for _, f := range p.After.Facts {
		among(t, f.Type, "fact", "preference", "follow_up", "context", "history", "wellbeing")
		if !there(f.Call, f.Turn) || p.Calls[f.Call].Spoken[f.Turn].Speaker != recaller.User {
			t.Errorf("%q: the caller does not speak there", f.Value)
		}
	}
	for _, q := range p.Questions {
		if len(q.Answers) == 0 {
			t.Errorf("%q has no answer", q.Text)
		}
		for _, a := range q.Answers {
			if !there(a.Call, a.Turn) {
				t.Errorf("%q: no turn %d in call %d", q.Text, a.Turn, a.Call)
			}
		}
	}
}

func among(t *testing.T, got string, want ...string) {
	t.Helper()
	if !slices.Contains(want, got) {
		t.Errorf("got %q, want one of %q", got, want)
	}
}

func TestTurnsAreSpreadOverTheCall(t *testing.T) {
	c := Call{At: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), Seconds: 65, Spoken: []Spoken{
		{recaller.Assistant, "Hello."}, {recaller.User, "Hello."}, {recaller.Assistant, "Yes?"},
	}}
	for i, turn := range c.Turns() {
		if want := c.At.Add(time.Duration(i) * 21 * time.Second); !turn.At.Equal(want) || turn.Number != i {
			t.Errorf("turn %d: got %s as turn %d, want %s", i, turn.At, turn.Number, want)
		}
	}
}

func TestDevelopmentScenesAreRead(t *testing.T) {
	for _, p := range Dev(t) {
		if p.ID == "" || p.Location() == nil || len(p.Calls) == 0 {
			t.Errorf("%q is not whole", p.ID)
		}
	}
}
