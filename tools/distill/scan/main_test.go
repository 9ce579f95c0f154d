package main

import (
	"strings"
	"testing"
)

func TestEachLineIsCutIntoItsTokens(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	if err := run(strings.NewReader("Zoë's T-shirt, 1,800.50\n\n…\nlast"), &got); err != nil {
		t.Fatal(err)
	}
	if want := "zoe tshirt 1800.50\n\n\nlast\n"; got.String() != want {
		t.Errorf("got %q, want %q", got.String(), want)
	}
}
