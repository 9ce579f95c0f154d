package store

import "testing"

func TestALongImportHasStatisticsBroughtUpToDateSeldom(t *testing.T) {
	t.Parallel()
	var b bulk
	if b.due(manyRows - 1) {
		t.Error("got it due before there are many rows")
	}
	if !b.due(1) || b.due(1) {
		t.Error("want it due once with the row that makes them many")
	}
	n := 0
	for range 10_000 {
		if b.due(100) {
			n++
		}
	}
	if n < 15 || n > 40 {
		t.Errorf("got it due %d times for a million rows, want some twenty", n)
	}
}
