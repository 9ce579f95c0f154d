package carrier_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/carrier"
	"github.com/recallerhq/recaller/internal/carrier/carriertest"
)

const (
	ours   = "+15550002222"
	theirs = "+15550001111"
	words  = "Your boiler is seen to on Tuesday: 9 o'clock & not later 🙂"
)

func sms(by recaller.Carrier) recaller.PhoneText {
	return recaller.PhoneText{Carrier: by, Channel: recaller.ChannelSMS, From: ours, To: theirs, Words: words, StatusTo: "https://mem.example.test/webhook/message-status"}
}

func TestATextGoesOut(t *testing.T) {
	t.Parallel()
	for _, by := range recaller.Carriers() {
		fake := carriertest.New(t)
		id, err := carrier.New(fake.Settings()).Text(t.Context(), sms(by))
		if err != nil || id == "" {
			t.Fatalf("%s: got %q, %v", by, id, err)
		}
		want := []carriertest.Text{{ID: id, From: ours, To: theirs, Words: words, StatusTo: "https://mem.example.test/webhook/message-status", By: by}}
		if got := fake.Texts(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", by, got, want)
		}
	}
}

func TestATextOfWhatsAppGoesFromAddressToAddress(t *testing.T) {
	t.Parallel()
	fake := carriertest.New(t)
	text := sms(recaller.CarrierTwilio)
	text.Channel, text.StatusTo = recaller.ChannelWhatsApp, ""
	if _, err := carrier.New(fake.Settings()).Text(t.Context(), text); err != nil {
		t.Fatal(err)
	}
	if got := fake.Texts()[0]; got.From != "whatsapp:"+ours || got.To != "whatsapp:"+theirs {
		t.Errorf("got from %s to %s", got.From, got.To)
	}
	text.Carrier = recaller.CarrierTelnyx
	if _, err := carrier.New(fake.Settings()).Text(t.Context(), text); recaller.KindOf(err) != recaller.Invalid {
		t.Errorf("by Telnyx: got %v, want invalid", err)
	}
}

func TestATelephoneRings(t *testing.T) {
	t.Parallel()
	fake := carriertest.New(t)
	id, err := carrier.New(fake.Settings()).Ring(t.Context(), recaller.PhoneRing{
		Carrier: recaller.CarrierTwilio, From: ours, To: theirs, AnswerAt: "https://mem.example.test/webhook/voice",
		StatusTo: "https://mem.example.test/webhook/call-ended", Events: []string{"answered", "completed"}, Ringing: 24500 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	got := fake.Rings()
	want := map[string][]string{
		"From": {ours}, "To": {theirs}, "Url": {"https://mem.example.test/webhook/voice"}, "Timeout": {"25"},
		"StatusCallback": {"https://mem.example.test/webhook/call-ended"}, "StatusCallbackEvent": {"answered", "completed"},
	}
	if len(got) != 1 || got[0].ID != id || !reflect.DeepEqual(map[string][]string(got[0].Form), want) {
		t.Errorf("got %+v, want %v", got, want)
	}
	if _, err := carrier.New(fake.Settings()).Ring(t.Context(), recaller.PhoneRing{Carrier: recaller.CarrierTelnyx}); err == nil {
		t.Error("Telnyx rang")
	}
}

func TestWhatIsAmissHasAKind(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		amiss func(*carriertest.Carrier, *carrier.Settings, *recaller.PhoneText)
		want  recaller.Kind
	}{
		"too many":   {func(f *carriertest.Carrier, _ *carrier.Settings, _ *recaller.PhoneText) { f.Fail(1, 429, 20429) }, recaller.Exhausted},
		"in trouble": {func(f *carriertest.Carrier, _ *carrier.Settings, _ *recaller.PhoneText) { f.Fail(1, 503, 0) }, recaller.Unavailable},
		"moved":      {func(f *carriertest.Carrier, _ *carrier.Settings, _ *recaller.PhoneText) { f.Fail(1, 307, 0) }, recaller.NotFound},
		"refused":    {func(f *carriertest.Carrier, _ *carrier.Settings, _ *recaller.PhoneText) { f.Fail(1, 400, 21614) }, recaller.Invalid},
		"no number":  {func(_ *carriertest.Carrier, _ *carrier.Settings, p *recaller.PhoneText) { p.To = "anonymous" }, recaller.Invalid},
		"no words":   {func(_ *carriertest.Carrier, _ *carrier.Settings, p *recaller.PhoneText) { p.Words = "" }, recaller.Invalid},
		"too many words": {func(_ *carriertest.Carrier, _ *carrier.Settings, p *recaller.PhoneText) {
			p.Words = strings.Repeat("é", carrier.MaxWords+1)
		}, recaller.Invalid},
		"no carrier": {func(_ *carriertest.Carrier, _ *carrier.Settings, p *recaller.PhoneText) { p.Carrier = "" }, recaller.Invalid},
		"stopped":    {func(f *carriertest.Carrier, _ *carrier.Settings, _ *recaller.PhoneText) { f.Stop(theirs) }, recaller.Forbidden},
		"another's key": {func(_ *carriertest.Carrier, s *carrier.Settings, _ *recaller.PhoneText) {
			s.TwilioTokens, s.TelnyxKey = []string{"x"}, "x"
		}, recaller.Unauthenticated},
		"no key": {func(_ *carriertest.Carrier, s *carrier.Settings, _ *recaller.PhoneText) {
			s.TwilioTokens, s.TelnyxKey = nil, ""
		}, recaller.Unauthenticated},
		"away":         {func(f *carriertest.Carrier, _ *carrier.Settings, _ *recaller.PhoneText) { f.Close() }, recaller.Unavailable},
		"it broke off": {func(f *carriertest.Carrier, _ *carrier.Settings, _ *recaller.PhoneText) { f.BreakOff() }, recaller.Timeout},
	} {
		for _, by := range recaller.Carriers() {
			fake, text := carriertest.New(t), sms(by)
			s := fake.Settings()
			test.amiss(fake, &s, &text)
			_, err := carrier.New(s).Text(t.Context(), text)
			if recaller.KindOf(err) != test.want {
				t.Errorf("%s, %s: got %v, want %s", name, by, err, test.want)
			}
			if errors.Is(err, recaller.ErrOptedOut) != (name == "stopped") {
				t.Errorf("%s, %s: got %v", name, by, err)
			}
			for _, secret := range []string{theirs, ours, words[:10], carriertest.Token, carriertest.TelnyxKey, fake.URL} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("%s, %s: the error tells %s: %v", name, by, secret, err)
				}
			}
		}
	}
}

// While one token replaces another, nobody can tell which of them the account takes.
func TestTheSecondTokenIsTriedWhereTheFirstIsNotTaken(t *testing.T) {
	t.Parallel()
	fake := carriertest.New(t)
	s := fake.Settings()
	s.TwilioTokens = []string{"not yet", carriertest.Token}
	if _, err := carrier.New(s).Text(t.Context(), sms(recaller.CarrierTwilio)); err != nil || len(fake.Texts()) != 1 {
		t.Errorf("got %v, %d texts", err, len(fake.Texts()))
	}
	fake.Fail(1, 503, 0)
	if _, err := carrier.New(s).Text(t.Context(), sms(recaller.CarrierTwilio)); recaller.KindOf(err) != recaller.Unavailable || fake.Asked() != 3 {
		t.Errorf("got %v after %d requests, want one more and no second try", err, fake.Asked())
	}
}

// Nobody knows whether a text was taken that nobody waited for: it may go out twice.
func TestWhoDoesNotAnswerMayHaveTakenIt(t *testing.T) {
	t.Parallel()
	came := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		close(came)
		<-r.Context().Done()
	}))
	defer slow.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-came; cancel() }()
	s := carrier.Settings{TwilioAccount: carriertest.Account, TwilioTokens: []string{"t"}, TwilioURL: slow.URL}
	if _, err := carrier.New(s).Text(ctx, sms(recaller.CarrierTwilio)); recaller.KindOf(err) != recaller.Timeout {
		t.Errorf("got %v, want a timeout", err)
	}
}

func TestWhatCanBeSentByWhom(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		s            carrier.Settings
		texts, rings []recaller.Carrier
	}{
		{carrier.Settings{}, nil, nil},
		{carrier.Settings{TwilioTokens: []string{"t"}}, nil, nil},
		{carrier.Settings{TwilioAccount: "AC", TwilioTokens: []string{"t"}}, []recaller.Carrier{"twilio"}, []recaller.Carrier{"twilio"}},
		{carrier.Settings{TelnyxKey: "k"}, []recaller.Carrier{"telnyx"}, nil},
	} {
		c := carrier.New(test.s)
		if got := c.Texts(); !reflect.DeepEqual(got, test.texts) {
			t.Errorf("texts: got %v, want %v", got, test.texts)
		}
		if got := c.Rings(); len(got) != len(test.rings) {
			t.Errorf("rings: got %v, want %v", got, test.rings)
		}
	}
}
