package webchat

import (
	"encoding/json"
	"testing"

	"github.com/recallerhq/recaller"
)

// The id of a message names its conversation and its place, whatever the conversation's id is; what is none names nothing.
func TestTheIDOfAMessage(t *testing.T) {
	t.Parallel()
	for _, conv := range []recaller.ConversationID{"0199-a", "a:b"} {
		if got, n, ok := readPlace(placeOf(conv, 6)); !ok || got != conv || n != 6 {
			t.Errorf("got %q, %d, %t", got, n, ok)
		}
	}
	for _, id := range []string{"", ":", "a", "a:", ":1", "a:0", "a:-1", "a:x", "a:1.5", "a:99999999999999999999"} {
		if got, n, ok := readPlace(id); ok {
			t.Errorf("%q: got %q, %d", id, got, n)
		}
	}
}

// Whatever a visitor sends, what is kept of it is something short that can be kept.
func FuzzAsking(f *testing.F) {
	f.Add(`{"type":"message","ref":"a","text":" hello "}`)
	f.Add(`{"ref":"a b","text":"\u0000"}`)
	f.Fuzz(func(t *testing.T, raw string) {
		var a asking
		if json.Unmarshal([]byte(raw), &a) != nil {
			return
		}
		if code, _ := a.checked(); code == "" && (a.Text == "" || len(a.Text) > maxWords || len(a.Ref) > maxRef || a.Ref == "") {
			t.Errorf("%q is taken", raw)
		}
		_, n, ok := readPlace(a.Last)
		if ok && n < 0 {
			t.Errorf("%q: place %d", a.Last, n)
		}
	})
}

// What a visitor wrote amid an answer comes behind that answer, and else everything is in the order of its numbers.
func TestTheOrderOfWhatIsAnswered(t *testing.T) {
	t.Parallel()
	turns := []recaller.Turn{
		{Number: 0, Speaker: recaller.User}, {Number: 1, Speaker: recaller.User}, {Number: 2, Speaker: recaller.User}, {Number: 3, Speaker: recaller.Assistant},
	}
	for behind, want := range map[int][]int{-1: {0, 1, 2, 3}, 0: {0, 3, 1, 2}, 2: {0, 1, 2, 3}} {
		for i, turn := range inTheirOrder(turns, behind) {
			if turn.Number != want[i] {
				t.Errorf("behind %d: got turn %d at %d, want %d", behind, turn.Number, i, want[i])
			}
		}
	}
}
