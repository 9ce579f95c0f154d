package forgotten

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

// hiding is the rule of Hides as it is written down: each thing that was forgotten is compared with the turn.
func hiding(t *thing, conv recaller.ConversationID, turn recaller.Turn) bool {
	said := words(turn.Text)
	if names(t.asked, conv, turn.Number) ||
		slices.ContainsFunc(t.from, func(p recaller.Provenance) bool { return names(p, conv, turn.Number) }) {
		return true
	}
	if t.before(conv, turn.Number, turn.At) {
		return t.carriedBy(said) || turn.Speaker == recaller.User && t.request.in(said)
	}
	if conv != t.asked.Conversation {
		return false
	}
	asks := said.asks()
	if after := turn.Number - last(t.asked); asks && len(t.asked.Turns) > 0 && after <= asking &&
		turn.Speaker == recaller.Assistant {
		return true
	}
	touched := slices.ContainsFunc(t.carried, func(c carried) bool {
		return slices.ContainsFunc(c.value, said.has) || slices.ContainsFunc(c.key, said.has)
	})
	return t.carriedBy(said) && (asks || turn.Speaker == recaller.Assistant) || asks && touched
}

// However much was forgotten, a turn or a line is hidden by the words that it shares with it exactly where it is when
// each thing is compared with it.
func TestWhatIsHiddenIsFoundByItsWords(t *testing.T) {
	t.Parallel()
	hidden, shown := 0, 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		v := New(randomVersions(r, 1+r.IntN(8)*r.IntN(8)))
		for range 60 {
			conv, turn := recaller.ConversationID(pick(r, convs)), randomTurn(r)
			want, line, said := false, false, words(turn.Text)
			f := v.filter(recaller.Conversation{ID: conv, StartedAt: turn.At})
			for i := range v.things {
				t := &v.things[i]
				want = want || hiding(t, conv, turn)
				line = line || f.counts(t) && (t.carriedBy(said) || t.request.in(said))
			}
			if got := v.Hides(conv, turn); got != want {
				t.Fatalf("seed %d, of %d things, turn %d of %q: got %v, want %v: %+v", seed, len(v.things), turn.Number, conv, got, want, turn)
			}
			if got := f.tells(turn.Text); got != line {
				t.Fatalf("seed %d, of %d things, as a line: got %v, want %v: %+v", seed, len(v.things), got, line, turn)
			}
			if want {
				hidden++
			} else {
				shown++
			}
		}
	}
	if hidden < 300 || shown < 300 {
		t.Errorf("%d turns were hidden and %d shown: too few of one to tell", hidden, shown)
	}
}

var (
	convs = []string{"", "now", "past", "other"}
	vocab = strings.Fields(`brother dog Biscuit owes two thousand pounds divorce Rose mark will 4711 29 Hallam Street 07700900123
		yes Zerstrittensein zerstritten zerstrittene penicilina alergia forget delete that written down told you about my the Max
		I. have? Tuesday plumber boiler kitchen number name called`)
)

func pick(r *rand.Rand, of []string) string { return of[r.IntN(len(of))] }

func phraseOf(r *rand.Rand, most int) string {
	out := make([]string, 1+r.IntN(most))
	for i := range out {
		out[i] = pick(r, vocab)
	}
	return strings.Join(out, " ")
}

func randomTurn(r *rand.Rand) recaller.Turn {
	speaker := recaller.User
	if r.IntN(2) == 0 {
		speaker = recaller.Assistant
	}
	return recaller.Turn{
		Number: r.IntN(12), Speaker: speaker, Text: phraseOf(r, 14),
		At: time.Unix(int64(r.IntN(100)), 0),
	}
}

func randomVersions(r *rand.Rand, n int) []recaller.Memory {
	var out []recaller.Memory
	from := func() recaller.Provenance {
		p := recaller.Provenance{Conversation: recaller.ConversationID(pick(r, convs))}
		for range r.IntN(3) {
			p.Turns = append(p.Turns, r.IntN(12))
		}
		return p
	}
	for i := range n {
		m := recaller.Memory{
			ID: recaller.MemoryID(fmt.Sprint("m", r.IntN(i+1))), Key: strings.ReplaceAll(phraseOf(r, 2), " ", "_"), Value: phraseOf(r, 8),
			Status: recaller.MemoryForgotten, ClosedAt: time.Unix(int64(r.IntN(100)), 0), Provenance: from(),
		}
		if r.IntN(4) == 0 {
			m.Key, m.Value = "caller_name", pick(r, []string{"Rose Baker", "will mark", "Max"})
		}
		if r.IntN(2) == 0 {
			m.Forgetting = &recaller.Forgetting{At: m.ClosedAt, Asked: from()}
			for range r.IntN(3) {
				m.Forgetting.Named = append(m.Forgetting.Named, strings.Join(words(phraseOf(r, 3)).content(), " "))
			}
		}
		out = append(out, m)
	}
	return out
}

// A turn takes no longer for each thing that was ever forgotten: what it does not speak of costs it nothing.
func TestHowMuchWasForgottenDoesNotSlowATurn(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	text := func(words int) string {
		var b strings.Builder
		for range words {
			fmt.Fprintf(&b, "w%c%c%c ", 'a'+r.IntN(26), 'a'+r.IntN(26), 'a'+r.IntN(5))
		}
		return b.String()
	}
	forgot := func(n int) View {
		var versions []recaller.Memory
		for i := range n {
			versions = append(versions, recaller.Memory{
				ID: recaller.MemoryID(fmt.Sprint(i)), Key: text(2), Value: text(50), Status: recaller.MemoryForgotten,
				ClosedAt: time.Unix(9, 0),
			})
		}
		return New(versions)
	}
	turn := recaller.Turn{Speaker: recaller.User, Text: text(15) + ". " + text(85), At: time.Unix(1, 0)}
	quickest := func(v View) time.Duration {
		best := time.Hour
		for range 20 {
			from := time.Now()
			v.Hides("c", turn)
			best = min(best, time.Since(from))
		}
		return best
	}
	one, many := quickest(forgot(1)), quickest(forgot(500))
	t.Logf("%v with one thing, %v with 500", one, many)
	if many > 20*one {
		t.Errorf("with 500 things %v, with one %v: each is compared with the turn", many, one)
	}
}
