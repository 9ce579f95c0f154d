package forgotten_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
)

// pastCalls are two earlier calls of one who has much to do with money, jobs and numbers.
var pastCalls = map[recaller.ConversationID][]string{
	"spring": {
		"assistant: What number can we reach you on?", "user: 020 7946 0991, any time.", "assistant: And your address?", "user: 14 Sycamore Rise, round the back.",
		"assistant: What's the job?", "user: The job is a leaking tap, and it's not worth much money.", "assistant: The deposit is forty pounds.",
		"user: Forty pounds it is. My son Max lost his job at the garage.", "assistant: I'm sorry.", "user: The reference number was 55 1188.",
	},
	"summer": {
		"assistant: Do you have a dog?", "user: No, why would you ask?", "assistant: Any medication we should know of?", "user: I take lithium for my nerves.",
		"assistant: And the money?", "user: I owe my brother two thousand pounds.", "assistant: Did the job go well?", "user: The job went well, and the money came back.",
		"assistant: Do you have children?", "user: I'd rather not say.", "assistant: Good.", "user: Another job would be the roof, when there's money. My boss has a job for you too.",
	},
}

func TestWhatARequestMeansAmongManyTurns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		asks string // behind a bar what the caller said in the same call before
		want string
	}{
		{"Please forget what I told you about my brother and the money.", "summer 5"},
		{"Please forget that I take lithium, I said that in confidence, don't write it down.", "summer 3"},
		{"Forget what I told you about my son's garage.", "spring 7"},
		{"Please delete my address.", "spring 3"},
		{"Please delete my phone number.", "spring 1"},
		{"Delete that number.|My new one is 07700 900123.", "now 0"},
		{"Actually, delete that number.", "spring 9"},
		{"I don't want that written down.|I've been drinking again.", "now 0"},
		{"Forget what I said about children, would you.", ""}, // she would not say
		{"Please forget what I told you about the dog.", ""},  // a no to a question tells nothing
		{"Forget what I told you about Leopold.", ""},
		{"that reference number I gave Max, delete it", "spring 9"}, // it is not Max that is meant
	} {
		now := []recaller.Turn{}
		asks, before, told := strings.Cut(tt.asks, "|")
		if told {
			now = append(now, said(0, recaller.User, before, -time.Minute), said(1, recaller.Assistant, "I see.", -time.Minute))
		}
		now = append(now, said(len(now), recaller.User, asks, 0), said(len(now)+1, recaller.Assistant, "That's deleted.", time.Second))
		requests := forgotten.Requests(now)
		if len(requests) != 1 {
			t.Errorf("%q: got %d requests, want one", tt.asks, len(requests))
			continue
		}
		search := requests[0].Search()
		search.Read("now", now, true)
		for n, conv := range []recaller.ConversationID{"spring", "summer"} {
			var turns []recaller.Turn
			for i, line := range pastCalls[conv] {
				who, text, _ := strings.Cut(line, ": ")
				turns = append(turns, said(i, recaller.Speaker(who), text, time.Duration(n-90)*24*time.Hour))
			}
			search.Read(conv, turns, false)
		}
		got := ""
		for _, told := range search.Told(false) {
			got += fmt.Sprint(told.Conversation, " ", told.Number)
		}
		if got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.asks, got, tt.want)
		}
	}
}

// One word that is said of many things takes two turns at most with it, and none that becomes known later.
func TestACommonWordHidesHardlyAnything(t *testing.T) {
	t.Parallel()
	now := []recaller.Turn{said(0, recaller.User, "Forget what I told you about the job.", 0), said(1, recaller.Assistant, "It's forgotten.", time.Second)}
	search := forgotten.Requests(now)[0].Search()
	for conv, lines := range pastCalls {
		var turns []recaller.Turn
		for i, line := range lines {
			who, text, _ := strings.Cut(line, ": ")
			turns = append(turns, said(i, recaller.Speaker(who), text, -time.Hour))
		}
		search.Read(conv, turns, false)
	}
	if n := len(search.Told(false)); n == 0 || n > 2 {
		t.Errorf("got %d turns, want one or two", n)
	}
	if got := search.Request().Named(); len(got) != 0 {
		t.Errorf("got %q kept to know other turns by, want nothing", got)
	}
	gone := gone("taken_back", "The job is a leaking tap.", 5)
	gone.Forgetting.Named = []string{"job"}
	if forgotten.New([]recaller.Memory{gone}).Hides("other", said(3, recaller.User, "I start my new job at the bakery on Monday.", -time.Hour)) {
		t.Error("another job is hidden with it")
	}
}
