package main

import (
	"strings"
	"testing"
)

func TestEachLineIsCutIntoItsTokens(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	if err := run(nil, strings.NewReader("Zoë's T-shirt, 1,800.50\n\n…\nlast"), &got); err != nil {
		t.Fatal(err)
	}
	if want := "zoe tshirt 1800.50\n\n\nlast\n"; got.String() != want {
		t.Errorf("got %q, want %q", got.String(), want)
	}
}

func TestALanguageHasItsTerms(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	if err := run([]string{"fr"}, strings.NewReader("les rendez-vous à l'hôpital\n"), &got); err != nil {
		t.Fatal(err)
	}
	if want := "- rend - - hopital\n"; got.String() != want {
		t.Errorf("got %q, want %q", got.String(), want)
	}
	if err := run([]string{"xx"}, strings.NewReader(""), &got); err == nil {
		t.Error("got no error, want one for a language that is not known")
	}
}
