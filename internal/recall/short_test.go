package recall_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall"
)

// plumbing is a short call of which few questions have a word.
var plumbing = []string{
	"Good morning, what can I do for you?", "There's water coming through the ceiling.", "And your name?", "Brenda.",
	"Is there anything our man should know?", "He'll have to come through the side gate, the bell has died.",
	"When would suit you?", "Thursday, after the school run.", "That will be ninety pounds.", "Fine by me.",
}

// called stores a call that the agent opens.
func called(st *memStore, words ...string) {
	st.say("acme", "ann", "c1", day(1), words...)
	st.write("acme", "ann", func(c *recaller.Corpus) recaller.Change {
		for i := range c.Turns["c1"] {
			c.Turns["c1"][i].Speaker = []recaller.Speaker{recaller.Assistant, recaller.User}[i%2]
		}
		return recaller.Change{}
	})
}

func TestOfAShortCallTheBestAreAlwaysGiven(t *testing.T) {
	t.Parallel()
	st := newStore()
	called(st, plumbing...)
	s := recall.New(st, recall.Options{})
	for _, query := range []string{"zzzqqq", "how does one get into the property", "¿quién es?", "…"} {
		res, err := s.Recall(t.Context(), "acme", "ann", recall.Query{Text: query, Weak: true})
		if err != nil || len(res.Hits) < 5 {
			t.Fatalf("%q: got %d hits and %v, want five at least", query, len(res.Hits), err)
		}
		for _, h := range res.Hits[5:] {
			if h.Weak {
				t.Errorf("%q: %q is weak and not among the first five", query, h.Text)
			}
		}
		if query == "zzzqqq" && !res.Hits[0].Weak {
			t.Errorf("a word that nobody said: %q is not marked as weak", res.Hits[0].Text)
		}
	}
	res, _ := s.Recall(t.Context(), "acme", "ann", recall.Query{Text: "the school run", Weak: true})
	if len(res.Hits) == 0 || res.Hits[0].Turn != 7 || res.Hits[0].Weak {
		t.Errorf("what was said in these words: got %+v, want turn 7 first, and not weak", res.Hits)
	}
	if got := found(t, s, "acme", "ann", recall.Query{Text: "zzzqqq"}); len(got) != 0 {
		t.Errorf("where weak ones are not wanted: got %v, want nothing", got)
	}
}

func TestInALongHistoryNothingIsFoundWhereNothingFits(t *testing.T) {
	t.Parallel()
	st := newStore()
	var words []string
	for i := range 450 {
		words = append(words, fmt.Sprintf("Parcel number %d is on its way.", i))
	}
	called(st, words...)
	if got := found(t, recall.New(st, recall.Options{}), "acme", "ann", recall.Query{Text: "zzzqqq", Weak: true}); len(got) != 0 {
		t.Errorf("got %d hits, want none", len(got))
	}
}

func TestAQuestionFindsTheAnswerThatFollowsItsLike(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		query string
		turn  int
	}{
		{"what is her name", 3},
		{"who called", 3},
		{"which day is best for her", 7},
		{"why should he not ring at the front", 5},
		{"what did we say it costs", 8},
	} {
		st := newStore()
		called(st, plumbing...)
		res, err := recall.New(st, recall.Options{}).Recall(t.Context(), "acme", "ann", recall.Query{Text: tt.query, Weak: true})
		if err != nil || len(res.Hits) == 0 || res.Hits[0].Turn != tt.turn {
			t.Errorf("%q: got %v, %+v; want first %q", tt.query, err, res.Hits[0].Text, plumbing[tt.turn])
		}
	}
}

func TestALittleWordIsNoReason(t *testing.T) {
	t.Parallel()
	st := newStore()
	called(st, "Fox Hollow.", "So, the cart girl never came round, so he had to stop.", "I'm sorry.", "It was so hot, too.")
	st.say("acme", "ann", "c2", day(9), "I have a lesson tonight and I've hurt my wrist.", "Would the tenth do?", "Fine.")
	if got := found(t, recall.New(st, recall.Options{}), "acme", "ann", recall.Query{Text: "Why was the lesson moved?", Weak: true}); got[0] != "c2/0" {
		t.Errorf("got %v, want the hurt wrist first", got)
	}
}

// A history is short by its words: six hundred turns of talk are read as a dialogue, as many essays of an assistant are
// not.
func TestHowLongAHistoryIsTellItsWords(t *testing.T) {
	t.Parallel()
	talk := func(pad string) *recall.Service {
		st := newStore()
		var words []string
		for i := range 600 {
			words = append(words, fmt.Sprintf("It was about number %d then.%s", i, pad))
		}
		words = append(words, "And your name?", "Brenda.")
		called(st, words...)
		return recall.New(st, recall.Options{})
	}
	query := recall.Query{Text: "what is her name", Weak: true, Explain: true}
	res, err := talk("").Recall(t.Context(), "acme", "ann", query)
	if err != nil || len(res.Hits) == 0 || res.Hits[0].Text != "Brenda." {
		t.Errorf("of talk: got %v and %d hits, want the answer first", err, len(res.Hits))
	}
	res, err = talk(strings.Repeat(" Boil the onions slowly, stir the pan, then add stock.", 12)).Recall(t.Context(), "acme", "ann", query)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range res.Hits {
		for _, p := range h.Why.Parts {
			if p.Name == "exchange" || p.Name == "form" || p.Name == "thing" {
				t.Errorf("of essays: %q has a part %q", h.Text[:20], p.Name)
			}
		}
	}
}

// Where both speakers are people with names, as in a chat of two, one answers the other.
func TestTwoPeopleWithNamesAnswerEachOther(t *testing.T) {
	t.Parallel()
	st := newStore()
	st.say("acme", "ann", "c1", day(1), "We went out.", "Lovely.", "What is the new cat called?", "Biscuit.", "It rained.", "It did.")
	st.write("acme", "ann", func(c *recaller.Corpus) recaller.Change {
		for i := range c.Turns["c1"] {
			c.Turns["c1"][i].Speaker, c.Turns["c1"][i].Name = recaller.User, []string{"Jo", "Sam"}[i%2]
		}
		return recaller.Change{}
	})
	res, err := recall.New(st, recall.Options{}).Recall(t.Context(), "acme", "ann", recall.Query{Text: "What is the cat's name?", Weak: true})
	if err != nil || len(res.Hits) < 2 || res.Hits[1].Text != "Biscuit." || res.Hits[1].Weak {
		t.Errorf("got %v, %+v; want the answer behind its question, and not weak", err, res.Hits)
	}
}

// A number or a code says nothing that a model or a table of meanings could tell, so it counts by itself: of twenty calls in
// which numbers are told, that with the one asked for is found first, alone or in a question.
func TestANumberThatWasToldIsFound(t *testing.T) {
	t.Parallel()
	const calls = 20
	for name, opts := range map[string]recall.Options{"by the table": {}, "by the model": {Dialogue: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := newStore()
			signs := map[string]string{} // by sign, the conversation
			for i := range calls {
				order, code := fmt.Sprint(4711000+37*i), fmt.Sprintf("KX%dRB", 17+i*3)
				conv := fmt.Sprintf("c%d", i)
				signs[order], signs[code] = conv, conv
				st.say("acme", "ann", conv, day(1+i), "I ring about the delivery.", "The order with "+order+", is it on its way?",
					"It came, thank you. And my code for the door is "+code+", if he asks.", "He should come before noon.")
			}
			s := recall.New(st, opts)
			t.Cleanup(s.Close)
			if opts.Dialogue {
				fillAfter(t, s)
			}
			for sign, conv := range signs {
				for _, query := range []string{sign, "what was it with " + sign + " again?"} {
					res, err := s.Recall(t.Context(), "acme", "ann", recall.Query{Text: query, Weak: true, Embed: true})
					if err != nil || len(res.Hits) == 0 || string(res.Hits[0].Conversation) != conv || !strings.Contains(res.Hits[0].Text, sign) {
						t.Errorf("%q: got %v and %+v first, want it of %s", query, err, res.Hits[:min(1, len(res.Hits))], conv)
					}
				}
			}
		})
	}
}

// Numbers in parts, two signs at once, and one that nobody said.
func TestSignsOfManyKinds(t *testing.T) {
	t.Parallel()
	st := newStore()
	called(st, "Northgate, how can I help?", "Two crates came broken, job 551-902, glass from Murano.", "Please send photographs, reference CLM60031.",
		"And invoice 20417 is billed twice.", "I'll credit it to your account.", "Ask for Hettie, her mobile ends 6652.", "Hettie, got it.")
	s := recall.New(st, recall.Options{Dialogue: true})
	t.Cleanup(s.Close)
	fillAfter(t, s)
	ask := func(query string) []recaller.Hit {
		t.Helper()
		res, err := s.Recall(t.Context(), "acme", "ann", recall.Query{Text: query, Weak: true, Embed: true})
		if err != nil || len(res.Hits) < 2 {
			t.Fatalf("%q: got %d hits and %v", query, len(res.Hits), err)
		}
		return res.Hits
	}
	if got := ask("551-902"); got[0].Turn != 1 {
		t.Errorf("a number in two parts: got %q first", got[0].Text)
	}
	if got := ask("20417 and CLM60031"); got[0].Turn+got[1].Turn != 5 {
		t.Errorf("two signs: got %q and %q first", got[0].Text, got[1].Text)
	}
	for _, h := range ask("99999") {
		if !h.Weak {
			t.Errorf("a number that nobody said: %q is not marked as weak", h.Text)
		}
	}
}
