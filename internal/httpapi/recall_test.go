package httpapi

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// said is a past call with one turn.
func (h *house) said(t *testing.T, phone, text string, at time.Time) client.Caller {
	t.Helper()
	done, err := h.admin.ImportConversation(t.Context(), client.ImportRequest{
		Caller: client.CallerRef{Phone: phone}, StartedAt: at, Turns: []client.TurnInput{{Speaker: recaller.User, Text: text}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return done.Caller
}

// B12: what a result's score is made of, the place that each part alone would give it, the query's words in it, and the
// time.
func TestAResultSaysWhyItWasFound(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	asked := time.Date(2026, time.March, 12, 10, 0, 0, 0, time.UTC)
	const phone, right, wrong = "+4930901820", "The plumber repaired the boiler.", "The plumber painted a door."
	h.said(t, phone, wrong, asked.AddDate(0, 0, -9))
	caller := h.said(t, phone, right, asked.AddDate(0, 0, -2))

	found, err := h.admin.Recall(t.Context(), caller.ID, client.RecallRequest{Query: "What did the plumber repair yesterday?", AsOf: asked, Explain: true})
	if err != nil || len(found.Results) != 2 || found.Results[0].Text != right {
		t.Fatalf("got %+v, %v; want first the boiler", found, err)
	}
	first, second := found.Results[0], found.Results[1]
	if first.Score <= second.Score {
		t.Errorf("got scores %v and %v, want the better one higher", first.Score, second.Score)
	}
	for _, r := range found.Results {
		var sum float64
		for _, p := range r.Why.Parts {
			sum += p.Value
			if (p.Rank > 0) != (p.Value > 0) {
				t.Errorf("%s: the part %+v; want a place for what adds to the score, and only for that", r.Text, p)
			}
		}
		if sum < r.Score-0.001 || sum > r.Score+0.001 {
			t.Errorf("%s: the parts come to %v, the score is %v", r.Text, sum, r.Score)
		}
	}
	part := func(why *client.Why, name string) client.PartWhy {
		i := slices.IndexFunc(why.Parts, func(p client.PartWhy) bool { return p.Name == name })
		if i < 0 {
			return client.PartWhy{}
		}
		return why.Parts[i]
	}
	if one, two := part(first.Why, "bm25").Rank, part(second.Why, "bm25").Rank; one != 1 || two != 2 {
		t.Errorf("by their words alone: got places %d and %d, want 1 and 2", one, two)
	}
	terms := func(r client.RecallResult) string {
		var all []string
		for _, w := range r.Why.Terms {
			all = append(all, w.Term)
		}
		return strings.Join(all, " ")
	}
	if one, two := terms(first), terms(second); one != "repair plumber" || two != "plumber" {
		t.Errorf("words: got %q and %q, want the rarer first, and only those that are in it", one, two)
	}
	yesterday := time.Date(2026, time.March, 11, 0, 0, 0, 0, time.UTC)
	for r, days := range map[*client.RecallResult]int{&first: -1, &second: -8} {
		want := []client.TimeWhy{{Phrase: "yesterday", From: yesterday, Until: yesterday.AddDate(0, 0, 1), Days: days, Value: part(r.Why, "time").Value}}
		if !slices.EqualFunc(r.Why.Times, want, func(a, b client.TimeWhy) bool {
			return a.From.Equal(b.From) && a.Until.Equal(b.Until) && a.Phrase == b.Phrase && a.Days == b.Days && math.Abs(a.Value-b.Value) < 0.001
		}) {
			t.Errorf("%s: got times %+v, want %+v", r.Text, r.Why.Times, want)
		}
	}
	if first.Why.Times[0].Value <= second.Why.Times[0].Value {
		t.Errorf("got %v for the nearer time and %v for the other", first.Why.Times[0].Value, second.Why.Times[0].Value)
	}
}

func TestListsOfAnExplanationAreNeverNull(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	caller := h.said(t, "+4930901820", "The plumber repaired the boiler.", time.Now().Add(-time.Hour))
	status, _, body := h.call(t, "POST", "/v1/callers/"+caller.ID+"/recall", `{"query":"plumber","explain":true}`)
	if status != 200 || !strings.Contains(body, `"times":[]`) || !strings.Contains(body, `"rank":1`) || strings.Contains(body, "null") {
		t.Errorf("got %d %s, want an empty list of times, and places", status, body)
	}
	if _, _, body = h.call(t, "POST", "/v1/callers/"+caller.ID+"/recall", `{"query":"plumber"}`); strings.Contains(body, `"why"`) {
		t.Errorf("got %s, want no reasons that nobody asked for", body)
	}
}

// The last day that JSON can tell ends in a year that it cannot.
func TestTheEndOfTheCalendarIsLeftOut(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	caller := h.said(t, "+4930901820", "The plumber repaired the boiler.", time.Now().Add(-time.Hour))
	status, _, body := h.call(t, "POST", "/v1/callers/"+caller.ID+"/recall",
		`{"query":"what did the plumber say today?","as_of":"9999-12-31T12:00:00Z","explain":true}`)
	if status != 200 || !strings.Contains(body, `"from":"9999-12-31T00:00:00Z"`) || strings.Contains(body, `"until"`) {
		t.Errorf("got %d %s, want the day without its end", status, body)
	}
}
