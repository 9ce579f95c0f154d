// Package scenes holds people and their calls, with what is true of them, written by hand: what was said, which day
// each spoken day is, what was agreed, what a caller told of himself, and what only sounds so. It is for tests only.
//
// Tune is for working on the rules. Held is for checking figures: a rule that is changed for one miss there spoils it.
// Dev is the development data's file of the same kind, which is not part of the repository.
package scenes

import (
	"embed"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/devdata"
)

// A Person is a caller of one business, with the calls and what is true after the last one.
type Person struct {
	ID        string     `json:"id"`
	Zone      string     `json:"zone"` // IANA
	Business  string     `json:"business"`
	Trade     string     `json:"trade"`
	Lang      string     `json:"lang"`
	Name      string     `json:"name"` // as the caller gave it; empty where it was never given
	Calls     []Call     `json:"calls"`
	After     After      `json:"after"`
	Questions []Question `json:"questions"`

	place *time.Location
}

// A Call is one conversation with its labels.
type Call struct {
	At        time.Time `json:"at"` // in the person's zone
	Channel   string    `json:"channel"`
	Seconds   int       `json:"seconds"`
	Status    string    `json:"status"`
	Spoken    []Spoken  `json:"turns"`
	Dates     []Date    `json:"dates"`
	Unsure    []Date    `json:"unsure"` // without a day: no honest reader would pin these
	Intent    string    `json:"intent"`
	Sentiment string    `json:"sentiment"`
	Outcome   string    `json:"outcome"`
	Wanted    string    `json:"wanted"`
	Agreed    string    `json:"agreed"` // empty where nothing was settled
}

// Spoken is one turn as it is written in the file.
type Spoken struct {
	Speaker recaller.Speaker `json:"s"`
	Text    string           `json:"t"`
}

// A Date is a spoken time: the words as they stand in the turn, and what they mean at that moment in that zone.
type Date struct {
	Turn  int    `json:"turn"`
	Words string `json:"words"`
	Day   string `json:"date"` // 2006-01-02
	Clock string `json:"time"` // 15:04; empty where the words name no hour
}

// After is what is true after the last call.
type After struct {
	Agreements []Agreement `json:"agreements"`
	Facts      []Fact      `json:"facts"`
	NotFacts   []string    `json:"not_facts"` // tempting and false
	Open       []string    `json:"open"`
}

// An Agreement is a time that both sides settled on, as it last stood.
type Agreement struct {
	What  string `json:"what"`
	At    string `json:"at"`    // RFC 3339, or a day alone
	State string `json:"state"` // open, cancelled, done
	Call  int    `json:"call"`
	Turns []int  `json:"turns"`
}

// A Fact is what the caller said of himself or his matter.
type Fact struct {
	Value string `json:"value"`
	Type  string `json:"type"`
	Place
}

// A Question is what an agent would ask; any of its answers is right.
type Question struct {
	Text    string  `json:"q"`
	Answers []Place `json:"answers"`
}

// A Place is a turn of a call, both counted from 0.
type Place struct {
	Call int `json:"call"`
	Turn int `json:"turn"`
}

//go:embed testdata
var files embed.FS

// Tune returns the people to work with.
func Tune(t testing.TB) []Person { t.Helper(); return embedded(t, "tune.json") }

// Held returns the people kept for checking figures.
func Held(t testing.TB) []Person { t.Helper(); return embedded(t, "held.json") }

// Dev returns the people of the development data. Without that data the test is skipped, or fails, as devdata.Path
// decides.
func Dev(t testing.TB) []Person {
	t.Helper()
	raw, err := os.ReadFile(devdata.Path(t, "../scenes/dev.json"))
	if err != nil {
		t.Fatal(err)
	}
	return read(t, raw)
}

func embedded(t testing.TB, name string) []Person {
	t.Helper()
	raw, err := files.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, raw)
}

func read(t testing.TB, raw []byte) []Person {
	t.Helper()
	var file struct {
		People []Person `json:"people"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	for i := range file.People {
		p := &file.People[i]
		place, err := time.LoadLocation(p.Zone)
		if err != nil {
			t.Fatal(err)
		}
		p.place = place
		for j := range p.Calls {
			p.Calls[j].At = p.Calls[j].At.In(place)
		}
	}
	return file.People
}

// Location returns the person's zone.
func (p Person) Location() *time.Location { return p.place }

// Ended returns when the call was over.
func (c Call) Ended() time.Time { return c.At.Add(time.Duration(c.Seconds) * time.Second) }

// Turns returns what was said as a conversation keeps it, the times spread evenly over the call.
func (c Call) Turns() []recaller.Turn {
	step := time.Second * time.Duration(max(1, c.Seconds/max(1, len(c.Spoken))))
	out := make([]recaller.Turn, len(c.Spoken))
	for i, s := range c.Spoken {
		out[i] = recaller.Turn{
			Number: i, Speaker: s.Speaker, Text: s.Text, At: c.At.Add(step * time.Duration(i)), Confidence: 1,
		}
	}
	return out
}
