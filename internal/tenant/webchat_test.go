package tenant_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/tenant"
)

// A tenant's visitors are signed by a secret of its own, which is there from when the chat is first on, and stays.
func TestVisitorsOfATenant(t *testing.T) {
	b := newBench(t)
	made, _ := b.made("First")
	_, _, err := b.SignVisitorIn(t.Context(), made.ID, tenant.SignIn{ExternalID: "a"})
	b.is(err, recaller.Conflict, "")
	on := func(r recaller.WebChatReply) recaller.Tenant {
		t.Helper()
		_, err := b.Update(t.Context(), made.ID, func(t *recaller.Tenant) error { t.WebChat.Reply = r; return nil })
		b.ok(err)
		got, err := b.serve().Tenant(t.Context(), made.ID) // as another process finds it
		b.ok(err)
		return got
	}
	first := on(recaller.WebChatNone)
	if len(first.WebChat.Secret) != 32 {
		t.Fatalf("got a secret of %d bytes", len(first.WebChat.Secret))
	}
	on(recaller.WebChatOff)
	if again := on(recaller.WebChatNone); !bytes.Equal(again.WebChat.Secret, first.WebChat.Secret) {
		t.Error("the secret is another one when the chat is turned on again")
	}

	token, who := b.NewVisitor(first)
	if got, renewed, err := b.Visitor(first, token); err != nil || renewed != "" || got != who {
		t.Errorf("got %+v, %q, %v", got, renewed, err)
	}
	b.Clock.Advance(tenant.AnonymousFor/2 + time.Hour)
	got, renewed, err := b.Visitor(first, token)
	if err != nil || renewed == "" || got.ExternalID != who.ExternalID || !got.Until.After(who.Until) {
		t.Errorf("got %+v, %q, %v; want it renewed", got, renewed, err)
	}
	b.Clock.Advance(tenant.AnonymousFor / 2)
	_, _, err = b.Visitor(first, token)
	b.is(err, recaller.Unauthenticated, "")
	if got, _, err := b.Visitor(first, renewed); err != nil || got.ExternalID != who.ExternalID {
		t.Errorf("got %+v, %v", got, err)
	}

	token, who, err = b.SignVisitorIn(t.Context(), made.ID, tenant.SignIn{ExternalID: " customer-7 ", Name: "Anna", For: time.Hour})
	if err != nil || who.ExternalID != "customer-7" || !who.SignedIn || who.Until.Sub(b.Clock.Now()) > time.Hour {
		t.Errorf("got %+v, %v", who, err)
	}
	if got, renewed, err := b.Visitor(first, token); err != nil || got != who || renewed != "" {
		t.Errorf("got %+v, %q, %v", got, renewed, err)
	}
	b.ok(b.SignVisitorsOut(t.Context(), made.ID))
	after, err := b.Tenant(t.Context(), made.ID)
	b.ok(err)
	_, _, err = b.Visitor(after, token)
	b.is(err, recaller.Unauthenticated, "")

	for field, in := range map[string]tenant.SignIn{
		"external_id": {ExternalID: recaller.VisitorPrefix + "x"}, "name": {ExternalID: "a", Name: "a\nb"}, "ttl_seconds": {ExternalID: "a", For: 25 * time.Hour},
	} {
		_, _, err := b.SignVisitorIn(t.Context(), made.ID, in)
		b.is(err, recaller.Invalid, field)
	}
	_, _, err = b.SignVisitorIn(t.Context(), made.ID, tenant.SignIn{ExternalID: "  "})
	if recaller.KindOf(err) != recaller.Invalid {
		t.Errorf("got %v", err)
	}
}

// Origins are kept as browsers write them; what is none is refused.
func TestOriginsOfPages(t *testing.T) {
	b := newBench(t)
	made, _ := b.made("First")
	set := func(origin string) (string, error) {
		got, err := b.Update(t.Context(), made.ID, func(t *recaller.Tenant) error { t.WebChat.Origins = []string{origin}; return nil })
		return strings.Join(got.WebChat.Origins, " "), err
	}
	for in, want := range map[string]string{
		"https://Shop.Example": "https://shop.example", "https://shop.example:443/": "https://shop.example", "http://shop.example:8080": "http://shop.example:8080",
		" http://10.0.0.7 ": "http://10.0.0.7", "http://[::1]:3000": "http://[::1]:3000", "HTTP://LOCALHOST:*": "http://localhost:*", "https://xn--bcher-kva.example": "https://xn--bcher-kva.example",
	} {
		if got, err := set(in); err != nil || got != want {
			t.Errorf("%q: got %q, %v; want %q", in, got, err, want)
		}
	}
	for _, in := range []string{
		"", "*", "https://*", "https://*.shop.example", "shop.example", "//shop.example", "https://", "ftp://shop.example", "https://shop.example/page", "https://shop.example?a",
		"https://shop.example#a", "https://a:b@shop.example", "https://shop.example:*", "https://shop.example:0", "https://shop.example:99999", "null", "https://bücher.example", "https://shop example",
		"https://" + strings.Repeat("a", 300) + ".example",
	} {
		_, err := set(in)
		b.is(err, recaller.Invalid, "web_chat.origins[0]")
	}
}
