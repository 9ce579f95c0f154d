package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
)

func FuzzVectors(f *testing.F) {
	f.Add(appendVectors(nil, recaller.TurnVectors{Width: 2, Numbers: []int{0, 3}, Data: []int8{1, -2, 3, -127}}))
	f.Add([]byte{1, 1, 0, 128})
	f.Fuzz(func(t *testing.T, src []byte) {
		var v, again recaller.TurnVectors
		if !readVectors(src, &v) {
			return
		}
		if len(v.Data) != v.Width*len(v.Numbers) {
			t.Fatalf("got %d numbers for %d vectors of %d", len(v.Data), len(v.Numbers), v.Width)
		}
		if !readVectors(appendVectors(nil, v), &again) {
			t.Fatal("what was read cannot be read again")
		}
		if diff := cmp.Diff(v, again); diff != "" {
			t.Errorf("the second reading differs: %s", diff)
		}
	})
}
