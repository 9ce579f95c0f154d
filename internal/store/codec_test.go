package store

import (
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
)

func TestTurnComesBackAsItWas(t *testing.T) {
	t.Parallel()
	for _, want := range []recaller.Turn{
		{Confidence: 1},
		{Text: "hello", Confidence: 1},
		{Text: "hello", Name: "Bob", Confidence: 0.25, Interrupted: true},
		{Text: strings.Repeat("€", 20000), Name: strings.Repeat("n", 300), Confidence: 1},
		{Text: "\x00\xff", Name: "\x00", Confidence: 0},
	} {
		var got recaller.Turn
		if !readTurn(appendTurn(nil, want), &got) {
			t.Errorf("turn of %d bytes cannot be read", len(want.Text))
		}
		if got != want {
			t.Errorf("got %.40v, want %.40v", got, want)
		}
	}
}

func FuzzReadTurn(f *testing.F) {
	f.Add(appendTurn(nil, recaller.Turn{Text: "hello", Name: "Bob", Confidence: 0.25, Interrupted: true}))
	f.Add([]byte{1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1})
	f.Add([]byte{2, 0})
	f.Fuzz(func(t *testing.T, raw []byte) {
		var first, second recaller.Turn
		if !readTurn(raw, &first) {
			return
		}
		if first.Confidence != first.Confidence { // not a number, which equals nothing
			return
		}
		if !readTurn(appendTurn(nil, first), &second) || first != second {
			t.Errorf("%q reads as %v, and once more as %v", raw, first, second)
		}
	})
}
