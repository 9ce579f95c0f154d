package app

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
	written "github.com/recallerhq/recaller/internal/exchange"
	"github.com/recallerhq/recaller/internal/llm/llmtest"
	"github.com/recallerhq/recaller/internal/telephony"
	"github.com/recallerhq/recaller/internal/telephony/telephonytest"
	"github.com/recallerhq/recaller/internal/texting"
)

// The model is away: it is asked again for a few minutes, then he is told so, once.
func TestTheModelIsAwayForATexter(t *testing.T) {
	t.Parallel()
	m := texted(t)
	m.model.Fail(endpointtest.Status(http.StatusServiceUnavailable))
	m.texts(marta, "Hallo, wann haben Sie heute eigentlich geöffnet?")
	m.eventually("he is told", func() bool { m.clock.turn(10 * time.Second); m.app.runner.Wake(); return len(m.carrier.Texts()) > 0 })
	m.settled()
	got := m.said(0)
	if len(got) != 2 || !strings.HasPrefix(got[1], "assistant: Entschuldigung") || len(m.carrier.Texts()) != 1 {
		t.Errorf("got %q, and %d texts", got, len(m.carrier.Texts()))
	}
}

// The store is away when a text comes: the platform is told to send it again, and it is held until then, so that it comes
// once whatever the platform does.
func TestTheStoreIsAwayWhenATextComes(t *testing.T) {
	t.Parallel()
	for name, state := range map[string]state{"away": away, "hangs": hangs} {
		for _, again := range []bool{false, true} {
			t.Run(fmt.Sprint(name, again), func(t *testing.T) {
				t.Parallel()
				onBoth(t, func(t *testing.T, env ...string) {
					m := texted(t, env...)
					m.texts(marta, "One?")
					m.goesOut(1, marta, "Yes, I am here.")
					m.settled()
					m.store.is(state)
					began := time.Now()
					a := m.Text(t, telephony.TextPath, "SM9", marta, lakeside, "Two?")
					if took := time.Since(began); a.Status != http.StatusServiceUnavailable || took > 5*time.Second {
						t.Fatalf("got %d %s after %s, want 503 soon", a.Status, a.Body, took)
					}
					m.store.is(well)
					if again {
						m.textsAs("SM9", marta, "Two?")
					}
					m.eventually("it is kept", func() bool {
						m.clock.turn(6 * time.Second)
						_ = m.app.telephone.Retry(t.Context())
						m.app.runner.Wake()
						return len(m.carrier.Texts()) == 2
					})
					m.settled()
					wantTurns(t, m.said(0), "user: One?", "assistant: Yes, I am here.", "user: Two?", "assistant: Yes, I am here.")
				})
			})
		}
	}
}

// answers is how many answers had a result, as the metrics tell it.
func (m *mailbox) answers(result string) (n int) {
	m.t.Helper()
	text, err := m.metrics()
	if err != nil {
		m.t.Fatal(err)
	}
	_, rest, _ := strings.Cut(text, `recaller_texting_answers_total{result="`+result+`"} `)
	value, _, _ := strings.Cut(rest, "\n")
	n, _ = strconv.Atoi(value) // none was counted yet
	return n
}

// later lets time pass until something is true.
func (m *mailbox) later(what string, is func() bool) {
	m.t.Helper()
	m.eventually(what, func() bool { m.clock.turn(10 * time.Second); m.app.runner.Wake(); return is() })
}

// The carrier is away: the answer is kept, and sent when it is back. Where it stays away, the answer is given up, and
// nothing else is said.
func TestTheCarrierIsAway(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		m := texted(t, env...)
		m.carrier.Fail(4, http.StatusServiceUnavailable, 0)
		m.texts(marta, "One?")
		m.later("it goes out", func() bool { return len(m.carrier.Texts()) == 1 })
		m.settled()
		m.carrier.Fail(100, http.StatusTooManyRequests, 20429)
		m.texts(marta, "Two?")
		m.later("it is given up", func() bool { return m.answers("failed") == 1 && m.waiting(recaller.JobText) == 0 })
		if n := len(m.carrier.Texts()); n != 1 {
			t.Errorf("%d texts went out, want 1", n)
		}
		wantTurns(t, m.said(0), "user: One?", "assistant: Yes, I am here.", "user: Two?", "assistant: Yes, I am here.", "assistant: "+written.NotDelivered)
	})
}

// The carrier takes a part, and its answer never comes: then it is sent again, and the parts before it are not.
func TestTheCarrierDoesNotSayThatItTookIt(t *testing.T) {
	t.Parallel()
	m := texted(t)
	m.mu.Lock()
	m.says = func(llmtest.Request) llmtest.Said {
		return llmtest.Said{Text: strings.Repeat("The boiler man comes on Tuesday between nine and eleven. ", 10)}
	}
	m.mu.Unlock()
	m.texts(marta, "Hello?")
	m.carrier.WaitTexts(t, 2)
	m.settled()
	m.carrier.BreakOff()
	m.texts(marta, "And?")
	m.later("all parts went out", func() bool { return len(m.carrier.Texts()) >= 5 && m.waiting(recaller.JobText) == 0 })
	got := m.carrier.Texts()
	if len(got) != 5 || got[2].Words != got[3].Words || got[3].Words == got[4].Words {
		t.Errorf("got %+v, want the first part twice, and the second once", got)
	}
}

// What cannot go to a number is not tried again.
func TestTheCarrierRefusesANumber(t *testing.T) {
	t.Parallel()
	m := texted(t)
	m.carrier.Fail(1, http.StatusBadRequest, 21614)
	m.texts(marta, "One?")
	m.eventually("it is refused", func() bool { return m.answers("refused") == 1 })
	m.settled()
	if m.carrier.Asked() != 1 {
		t.Errorf("the carrier was asked %d times", m.carrier.Asked())
	}
}

// A machine that answers our answers is not answered for ever.
func TestTwoMachinesTextEachOther(t *testing.T) {
	t.Parallel()
	m := texted(t)
	for i := range 42 {
		m.texts(marta, fmt.Sprintf("I am out of the office (%d).", i))
		m.settled()
	}
	if n := len(m.carrier.Texts()); n != 40 || m.answers("too_many") != 2 {
		t.Errorf("%d went out, and %d were too many; want 40 and 2", n, m.answers("too_many"))
	}
	m.clock.turn(59*time.Minute + 30*time.Second)
	m.texts(marta, "Now I am back.")
	m.settled()
	if n := len(m.carrier.Texts()); n != 41 {
		t.Errorf("an hour later %d went out, want 41", n)
	}
}

// Who stops while his answer is made gets none.
func TestSomebodyStopsWhileTheModelThinks(t *testing.T) {
	t.Parallel()
	m := texted(t)
	thinks, goOn := make(chan struct{}), make(chan struct{})
	m.mu.Lock()
	m.says = func(llmtest.Request) llmtest.Said { close(thinks); <-goOn; return llmtest.Said{Text: "Too late."} }
	m.mu.Unlock()
	m.texts(marta, "Hello?")
	<-thinks
	form := telephonytest.Texted("SM-stop", marta, lakeside, "STOP")
	m.wants(m.Post(t, telephony.TextPath, form), "")
	close(goOn)
	m.settled()
	m.carrier.WaitTexts(t, 1)
	if got := m.carrier.Texts(); len(got) != 1 || !strings.HasPrefix(got[0].Words, "You will get no more") {
		t.Errorf("got %+v, want the confirmation alone", got)
	}
}

// A thousand webhooks about five texts, in any order and at once: five turns, and one answer.
func TestAThousandRepeatedTexts(t *testing.T) {
	t.Parallel()
	m := texted(t)
	var together sync.WaitGroup
	for i := range 20 {
		together.Go(func() {
			for j := range 50 {
				form := telephonytest.Texted("SM"+strconv.Itoa((i+j)%5), marta, lakeside, "Thought "+strconv.Itoa((i+j)%5))
				if a, err := m.Try(t.Context(), telephony.TextPath, form); err != nil || a.Status != http.StatusOK {
					t.Errorf("got %d %s, %v", a.Status, a.Body, err)
				}
			}
		})
	}
	together.Wait()
	m.passes()
	m.goesOut(1, marta, "Yes, I am here.")
	m.settled()
	if got := m.said(0); len(got) != 6 || len(m.carrier.Texts()) != 1 || len(m.all(m.Client)) != 1 {
		t.Errorf("got %q, %d texts out", got, len(m.carrier.Texts()))
	}
	if n := m.counted("twilio", "message", "text"); n != 1000 {
		t.Errorf("%d were counted, want 1000", n)
	}
}

// A tenant that keeps no words, and one that archives them, have texts answered as others do.
func TestTextsOfTenantsThatKeepLess(t *testing.T) {
	t.Parallel()
	for _, retention := range []recaller.Retention{recaller.Ephemeral, recaller.Archive} {
		onBoth(t, func(t *testing.T, env ...string) {
			m := texted(t, env...)
			m.set(client.TenantSettings{Retention: &retention})
			m.texts(marta, "One?")
			m.goesOut(1, marta, "Yes, I am here.")
			m.settled()
			m.texts(marta, "Two?")
			m.goesOut(2, marta, "Yes, I am here.")
			m.settled()
			if n := len(m.carrier.Texts()); n != 2 {
				t.Errorf("%s: %d texts went out, want 2", retention, n)
			}
		})
	}
}

// With somebody who is erased goes that he stopped, and with him what waits to be said to him.
func TestAnErasedTexter(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		m := texted(t, env...)
		m.texts(marta, "Hello")
		m.goesOut(1, marta, "Yes, I am here.")
		m.settled()
		m.texts(marta, "Stop")
		m.carrier.WaitTexts(t, 2)
		m.settled()
		who, err := m.CallersByPhone(t.Context(), marta)
		if err != nil || len(who) != 1 {
			t.Fatalf("got %+v, %v", who, err)
		}
		if _, err := m.EraseCaller(t.Context(), who[0].ID); err != nil {
			t.Fatal(err)
		}
		peer := texting.Peer{Channel: recaller.ChannelSMS, Ours: lakeside, Theirs: marta}
		if got, err := m.app.texting.Stopped(t.Context(), "default", peer); err != nil || got {
			t.Errorf("got %v, %v; want nothing known of him", got, err)
		}
		m.texts(marta, "Hello again")
		m.goesOut(3, marta, "Yes, I am here.")
	})
}

// One person texts two tenants, with the same ids even: neither knows what he wrote to the other, and who is stopped at one
// is not at the other.
func TestTwoTenantsAreTexted(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		m := texted(t, env...)
		numbers, reply := []string{hillside}, recaller.ReplyAgent
		made, err := m.CreateTenant(t.Context(), client.NewTenant{Name: "Hillside", TenantSettings: client.TenantSettings{
			Numbers: &numbers, Texting: &client.TextingPatch{Reply: &reply},
		}})
		if err != nil {
			t.Fatal(err)
		}
		other, err := client.New(m.url, made.APIKey, client.WithRetries(0))
		if err != nil {
			t.Fatal(err)
		}
		m.texts(marta, "Please remember that I am allergic to penicillin.")
		m.goesOut(1, marta, "One moment. I have noted that.")
		m.texts(marta, "Stop")
		m.carrier.WaitTexts(t, 2)
		m.settled()
		m.wants(m.Post(t, telephony.TextPath, telephonytest.Texted("SM-other", marta, hillside, "Am I allergic to anything?")), "")
		m.passes()
		if got := m.carrier.WaitTexts(t, 3)[2]; got.From != hillside || got.Words != "I do not know of any allergy." {
			t.Errorf("got %+v, want an answer that knows nothing of the other tenant", got)
		}
		m.settled()
		if list := m.all(other); len(list) != 1 || len(m.all(m.Client)) != 1 {
			t.Errorf("got %d and %d conversations, want one each", len(list), len(m.all(m.Client)))
		}
	})
}
