package tenant_test

import (
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/tenant"
)

// How calls are answered is checked with the rest of the settings, and kept as it is normalised.
func TestHowCallsAreAnswered(t *testing.T) {
	b := newBench(t)
	made, _, err := b.Create(t.Context(), recaller.Tenant{Name: "First", DefaultRegion: "DE", Numbers: []string{"030 901820"}})
	b.ok(err)
	set := func(p recaller.Telephone) (recaller.Telephone, error) {
		t.Helper()
		_, err := b.Update(t.Context(), made.ID, func(t *recaller.Tenant) error { t.Telephone = p; return nil })
		got, readErr := b.serve().Tenant(t.Context(), made.ID) // as another process finds it
		b.ok(readErr)
		return got.Telephone, err
	}
	for name, c := range map[string]struct{ in, want recaller.Telephone }{
		"a national number": {recaller.Telephone{Answer: "forward", ForwardTo: "030 901821"}, recaller.Telephone{Answer: "forward", ForwardTo: "+4930901821"}},
		"a SIP address":     {recaller.Telephone{Answer: "forward", ForwardTo: "SIPS:+4930901820@pbx.example.com:5061;transport=tls"}, recaller.Telephone{Answer: "forward", ForwardTo: "sips:+4930901820@pbx.example.com:5061;transport=tls"}},
		"a language":        {recaller.Telephone{Language: "de-at"}, recaller.Telephone{Answer: "greeting", Language: "de-AT"}},
		"an answer over a socket, where nobody says that there are none": {recaller.Telephone{Answer: "relay"}, recaller.Telephone{Answer: "relay"}},
	} {
		if c.in.Answer == "" {
			c.in.Answer = recaller.AnswerGreeting
		}
		if got, err := set(c.in); err != nil || got != c.want {
			t.Errorf("%s: got %+v, %v; want %+v", name, got, err, c.want)
		}
	}
	for field, list := range map[string][]recaller.Telephone{
		"telephone.answer": {{Answer: ""}, {Answer: "fax"}},
		"telephone.forward_to": {
			{Answer: "forward"},
			{Answer: "greeting", ForwardTo: "+4930901820"},
			{Answer: "greeting", ForwardTo: "tel"},
			{Answer: "greeting", ForwardTo: "sip:"},
			{Answer: "greeting", ForwardTo: "sip:a@"},
			{Answer: "greeting", ForwardTo: "sip:a@b/c"},
			{Answer: "greeting", ForwardTo: "sip:a@b c"},
			{Answer: "greeting", ForwardTo: "https://a@b"},
		},
		"telephone.language": {{Answer: "greeting", Language: "und"}, {Answer: "greeting", Language: "de DE"}},
		"telephone.voice":    {{Answer: "greeting", Voice: "a voice"}, {Answer: "greeting", Voice: `x"/>`}},
	} {
		for _, p := range list {
			_, err := set(p)
			b.is(err, recaller.Invalid, field)
		}
	}
}

// A server without sockets refuses what it could not give; what another one had stored stays, and other settings change.
func TestAnswersThatTheServerCannotGive(t *testing.T) {
	b := newBench(t)
	made, _ := b.made("First")
	_, err := b.Update(t.Context(), made.ID, func(t *recaller.Tenant) error { t.Telephone.Answer = recaller.AnswerBridge; return nil })
	b.ok(err)
	poor := tenant.New(tenant.Deps{
		Store: b.Place.Store, Now: b.Clock.Now, NewID: b.NewID, Answers: []recaller.TelephoneAnswer{recaller.AnswerGreeting, recaller.AnswerForward},
	})
	_, err = poor.Update(t.Context(), made.ID, func(t *recaller.Tenant) error { t.Name = "Second"; return nil })
	b.ok(err)
	_, err = poor.Update(t.Context(), made.ID, func(t *recaller.Tenant) error { t.Telephone.Answer = recaller.AnswerRelay; return nil })
	b.is(err, recaller.Invalid, "telephone.answer")
	_, _, err = poor.Create(t.Context(), recaller.Tenant{Name: "Third", Telephone: recaller.Telephone{Answer: recaller.AnswerRelay}})
	b.is(err, recaller.Invalid, "telephone.answer")
}
