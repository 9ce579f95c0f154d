package agreement_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/agreement"
)

// past is three calls in which an appointment is made, moved and called off; another stands.
func past() []recaller.Act {
	calls := []string{`
		A: I've booked the plumber for Friday at nine.
		C: Great.
		A: And I'll call you on Thursday the 22nd about the invoice.
		C: Thanks.`, `
		C: Could the plumber come on Monday instead?
		A: I've moved the plumber to Monday at nine.
		C: Good.`, `
		C: Cancel the plumber on Monday, please.
		A: The plumber is cancelled.`}
	var acts []recaller.Act
	for i, words := range calls {
		for _, a := range agreement.Find(script(wednesday.AddDate(0, 0, i/2).Add(time.Duration(i)*time.Hour), words)) {
			a.Conversation = recaller.ConversationID(rune('a' + i))
			acts = append(acts, a)
		}
	}
	return acts
}

func TestFoldDoesNotDependOnTheOrderOfActs(t *testing.T) {
	acts := past()
	now := wednesday.AddDate(0, 0, 2)
	want := agreement.Fold(acts, now)
	if len(acts) < 4 || len(want) == 0 {
		t.Fatalf("got %d acts and %d agreements, want several", len(acts), len(want))
	}
	for seed := range uint64(200) {
		mixed := slices.Clone(acts)
		r := rand.New(rand.NewPCG(seed, 11))
		r.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		if diff := cmp.Diff(want, agreement.Fold(mixed, now)); diff != "" {
			t.Fatalf("seed %d (-in order +mixed):\n%s", seed, diff)
		}
	}
}

// As of a time, what was said later counts as not said.
func TestFoldAsOfATime(t *testing.T) {
	open := func(at time.Time) (out []string) {
		for _, g := range agreement.Fold(past(), at) {
			if g.State == recaller.AgreementOpen {
				out = append(out, g.At.Format("Mon 15:04"))
			}
		}
		return out
	}
	for _, step := range []struct {
		after time.Duration
		want  []string
	}{
		{0, nil},
		{30 * time.Minute, []string{"Fri 09:00", "Thu 00:00"}},
		{2 * time.Hour, []string{"Mon 09:00", "Thu 00:00"}},
		{48 * time.Hour, []string{"Thu 00:00"}},
		{30 * 24 * time.Hour, nil},
	} {
		if diff := cmp.Diff(step.want, open(wednesday.Add(step.after).Add(-time.Second))); diff != "" {
			t.Errorf("after %v (-want +got):\n%s", step.after, diff)
		}
	}
}

// Who rings after his hour is told of it while he may still be on the way, and not in the evening.
func TestAnHourThatIsPastIsOver(t *testing.T) {
	acts := agreement.Find(script(wednesday, "A: I have Friday at nine.\nC: Friday at nine is perfect."))
	if len(acts) != 1 || acts[0].Day {
		t.Fatalf("got %v, want one time with its hour", acts)
	}
	for after, want := range map[time.Duration]recaller.AgreementState{
		-time.Hour: recaller.AgreementOpen, time.Hour: recaller.AgreementOpen, 2 * time.Hour: recaller.AgreementOver, 9 * time.Hour: recaller.AgreementOver,
	} {
		if got := agreement.Fold(acts, acts[0].At.Add(after))[0].State; got != want {
			t.Errorf("%v after its hour: got %s, want %s", after, got, want)
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, d := range append(slices.Clone(dialogues), shapes...) {
		for _, c := range d.calls {
			f.Add(c.words)
		}
	}
	f.Add("A: \xff\xfe Friday")
	f.Add("C: cancel\nA: cancelled\nC: by by by Friday the the")
	f.Fuzz(func(t *testing.T, words string) {
		acts := agreement.Find(script(wednesday, words))
		for _, a := range acts {
			if len(a.Said) == 0 || a.SaidAt.IsZero() {
				t.Errorf("an act of nobody's words: %v", a.Kind)
			}
		}
		agreement.Fold(acts, wednesday.AddDate(0, 0, 1))
	})
}
