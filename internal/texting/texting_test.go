package texting

import (
	"fmt"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/sms"
)

func TestAnOrderIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	o := order{"0199b7a2-6f1e", markOf(Incoming{Carrier: "twilio", ID: "SM1"}), toAnswer, recaller.CarrierTwilio}
	if got, ok := orderOf(o.subject()); !ok || got != o {
		t.Errorf("got %+v, %v", got, ok)
	}
	for _, s := range []string{"", "a.b", "a.b.answer.nobody", "a.b.sing.twilio", "a.b.answer.twilio.c"} {
		if _, ok := orderOf(s); ok {
			t.Errorf("%q is read as an order", s)
		}
	}
	if markOf(Incoming{Carrier: "twilio", ID: "SM1"}) == markOf(Incoming{Carrier: "telnyx", ID: "SM1"}) {
		t.Error("the same id at two carriers is one text")
	}
}

func TestAPeerIsReadOfItsChat(t *testing.T) {
	t.Parallel()
	p := Peer{recaller.ChannelWhatsApp, "+15550002222", "+15550001111"}
	if got, ok := peerOf(recaller.Thread{Channel: p.Channel, ExternalID: p.Chat()}); !ok || got != p {
		t.Errorf("got %+v, %v", got, ok)
	}
	for _, th := range []recaller.Thread{{Channel: "sms", ExternalID: "telegram:1"}, {Channel: "sms", ExternalID: "sms:+15550002222"}, {}} {
		if _, ok := peerOf(th); ok {
			t.Errorf("%+v is read as one of texts", th)
		}
	}
}

// What a number says itself goes in two segments at the most, says how to stop it, and names who it is of.
func TestWhatANumberSays(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, language := range []string{"", "en-GB", "de-AT", "es", "fr-CA", "it", "pt-BR", "nl", "pl"} {
		s := sentencesIn(language)
		who := s.whoWeAre(recaller.Profile{Business: "Zahnarztpraxis Dr. Müller-Lüdenscheidt", Phone: "+49 30 1234567"})
		for _, text := range []string{s.stopped, s.started, s.whoWeAre(recaller.Profile{}), who} {
			if n := sms.Segments(sms.Plain(text)); n < 1 || n > 3 {
				t.Errorf("%q: %d segments: %q", language, n, text)
			}
			seen[text] = true
		}
		if strings.Contains(who, "NAME") || strings.Contains(who, "PHONE") || !strings.Contains(who, "Müller") || !strings.Contains(who, "STOP") {
			t.Errorf("%q: got %q", language, who)
		}
		if !strings.Contains(s.stopped, "START") || !strings.Contains(s.started, "STOP") {
			t.Errorf("%q: got %q, %q", language, s.stopped, s.started)
		}
	}
	for _, word := range []string{"START", "STOP"} { // what we tell people to write is understood
		if sms.CommandOf(word, "fr", true) == sms.None || sms.CommandOf(word, "fr", false) == sms.None {
			t.Errorf("%s is not understood", word)
		}
	}
	if len(seen) != 4*7 {
		t.Errorf("there are %d sentences: %s", len(seen), fmt.Sprint(seen))
	}
}
