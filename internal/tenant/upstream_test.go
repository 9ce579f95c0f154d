package tenant_test

import (
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
)

// The key of an endpoint stays with the address that it is for.
func TestAnUpstreamKeepsItsKeyForItsAddressOnly(t *testing.T) {
	b := newBench(t)
	made, _ := b.made("First")
	other, _ := b.made("Second")
	set := func(address, model string, key ...string) recaller.Upstream {
		t.Helper()
		var given *string
		if len(key) > 0 {
			given = &key[0]
		}
		u, err := b.SetUpstream(t.Context(), made.ID, recaller.Upstream{BaseURL: address, Model: model}, given)
		b.ok(err)
		stored, err := b.serve().Upstream(t.Context(), made.ID) // as another process finds it
		if b.ok(err); stored != u {
			t.Errorf("got %+v, stored %+v", u, stored)
		}
		return u
	}
	is := func(what string, got, want recaller.Upstream) {
		t.Helper()
		if got != want {
			t.Errorf("%s: got %+v, want %+v", what, got, want)
		}
	}
	is("at first", set("https://one.example/v1/", "m", "sk-1"), recaller.Upstream{BaseURL: "https://one.example/v1", APIKey: "sk-1", Model: "m"})
	is("another model", set("https://one.example/v1", ""), recaller.Upstream{BaseURL: "https://one.example/v1", APIKey: "sk-1"})
	is("another path of the host", set("https://one.example/v2", ""), recaller.Upstream{BaseURL: "https://one.example/v2"})
	is("with a key", set("https://two.example/v1", "", "sk-2"), recaller.Upstream{BaseURL: "https://two.example/v1", APIKey: "sk-2"})
	is("no key any more", set("https://two.example/v1", "", ""), recaller.Upstream{BaseURL: "https://two.example/v1"})
	u, err := b.Upstream(t.Context(), other.ID)
	b.ok(err)
	is("another tenant", u, recaller.Upstream{})
	b.ok(b.DeleteUpstream(t.Context(), made.ID))
	b.ok(b.DeleteUpstream(t.Context(), made.ID))
	u, err = b.serve().Upstream(t.Context(), made.ID)
	b.ok(err)
	is("taken away", u, recaller.Upstream{})
	b.is(b.DeleteUpstream(t.Context(), "nobody"), recaller.NotFound, "")
}

func TestUpstreamsThatAreRefused(t *testing.T) {
	b := newBench(t)
	made, _ := b.made("First")
	s := b.serve()
	s.Reachable = func(host string) bool { return host != "10.0.0.1" }
	const good = "https://example.com/v1"
	for _, c := range []struct{ url, model, key, field string }{
		{"", "", "", "base_url"},
		{"example.com/v1", "", "", "base_url"},
		{"ftp://example.com", "", "", "base_url"},
		{"file:///etc/passwd", "", "", "base_url"},
		{"https://ann:secret@example.com", "", "", "base_url"},
		{good + "?key=1", "", "", "base_url"},
		{good + "#a", "", "", "base_url"},
		{good + "?", "", "", "base_url"},
		{good + "/chat/completions", "", "", "base_url"},
		{good + "/messages/", "", "", "base_url"},
		{"http://10.0.0.1/v1", "", "", "base_url"},
		{"https://" + strings.Repeat("a", 2000), "", "", "base_url"},
		{good, "", "sk 1", "api_key"},
		{good, "", "sk\r\nX-Evil: 1", "api_key"},
		{good, "", "sk-\u00e9", "api_key"},
		{good, "", strings.Repeat("a", 4001), "api_key"},
		{good, "a b", "", "model"},
		{good, strings.Repeat("m", 201), "", "model"},
		{good, "m\x00", "", "model"},
		{good, "m\xff", "", "model"},
	} {
		_, err := s.SetUpstream(t.Context(), made.ID, recaller.Upstream{BaseURL: c.url, Model: c.model}, &c.key)
		if b.is(err, recaller.Invalid, c.field); err != nil && c.key != "" && strings.Contains(err.Error(), c.key) {
			t.Errorf("the error %q holds the key", err)
		}
	}
	if u, err := s.Upstream(t.Context(), made.ID); err != nil || u.Set() {
		t.Errorf("got %+v, %v, want none", u, err)
	}
}
