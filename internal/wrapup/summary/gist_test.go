package summary

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/agreement"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// chat is a conversation of small talk, with some turns in it that say more.
func chat(turns int, said map[int]string) reading.Reading {
	at := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	small := strings.Repeat("Well, yes, that is how it goes, I think so too, it is what it is. ", 5)
	out := make([]recaller.Turn, turns)
	for i := range out {
		out[i] = recaller.Turn{Number: i, Speaker: recaller.Assistant, Text: small, At: at.Add(time.Duration(i) * 5 * time.Second), Confidence: 1}
		if i%2 == 1 {
			out[i].Speaker = recaller.User
		}
		if text := said[i]; text != "" {
			out[i].Text = text
		}
	}
	return reading.Of(out, at, false)
}

// Of a conversation of a day no more is read at once than of one of five hours, and what matters is quoted wherever it was
// said: with the answer that it got, and never with another's.
func TestALongConversationIsSummarisedByItsParts(t *testing.T) {
	said := map[int]string{
		1: "Hello, my boiler is leaking and I need somebody to look at it.", 2: "Who is speaking, please?",
		800: "Could we come on Thursday the third of December at nine?", 801: "Thursday the third of December at nine is fine.",
		1200: "Do you have a dog?", 1599: "Goodbye.",
	}
	r := chat(1600, said)
	acts := agreement.Find(r)
	opts := Options{Acts: func() []recaller.Act { return acts }}
	short := gist(r, opts, spoken(r, opts))
	if n := weight(short.Turns); weight(r.Turns) < 2*longBytes || n > longBytes {
		t.Fatalf("%d bytes of %d are read at once, want at most %d", n, weight(r.Turns), longBytes)
	}
	for i, turn := range short.Turns {
		if i > 0 && turn.Text != "" && short.Turns[i-1].Text != "" && turn.Number != short.Turns[i-1].Number+1 {
			t.Errorf("turn %d stands behind turn %d", turn.Number, short.Turns[i-1].Number)
		}
	}
	s := Write(r, opts)
	all := fmt.Sprint(s)
	for _, want := range []string{"my boiler is leaking", "Thursday the third of December at nine"} {
		if !strings.Contains(all, want) {
			t.Errorf("the summary lacks %q:\n%s", want, all)
		}
	}
	if strings.Contains(s.Brief, "Do you have a dog") {
		t.Errorf("the brief quotes small talk:\n%s", s.Brief)
	}
}

func TestAConversationThatIsNotLongIsReadWhole(t *testing.T) {
	r := chat(700, nil)
	if n := weight(r.Turns); n > longBytes {
		t.Fatalf("it has %d bytes, want at most %d", n, longBytes)
	}
	if diff := cmp.Diff(len(r.Turns), len(gist(r, Options{}, nil).Turns)); diff != "" {
		t.Errorf("(-all +read) %s", diff)
	}
}
