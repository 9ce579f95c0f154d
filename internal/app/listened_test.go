package app

import (
	"context"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/bridge"
	"github.com/recallerhq/recaller/internal/mediastream"
	"github.com/recallerhq/recaller/internal/rehearsal"
	"github.com/recallerhq/recaller/internal/telephony"
	"github.com/recallerhq/recaller/internal/telephony/telephonytest"
)

// A call is forwarded to the tenant's own agent and listened to: what both sides say is kept, and what was said last is kept
// before the end that the platform tells.
func TestAForwardedCallIsListenedTo(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		var once sync.Once
		begins := make(chan struct{}) // when the recogniser hears the last words
		recogniser := rehearsal.NewRecogniser(rehearsal.RecogniserOptions{Now: time.Now, Listen: func(audio []byte) []string {
			switch audio[0] {
			case 11:
				return []string{"My greyhound", "is called Bruno."}
			case 51:
				return []string{"Good morning, Lakeside."}
			}
			once.Do(func() { close(begins) })
			return []string{"Goodbye then."}
		}})
		api := httptest.NewServer(recogniser)
		t.Cleanup(api.Close)
		s := &studio{exchange: connected(t, append(env, "DEEPGRAM_API_KEY=k", "RECALLER_DEEPGRAM_URL="+api.URL)...)}
		answer, to, language, listen := recaller.AnswerForward, "sip:agent@pbx.example.com", "en-GB", true
		s.set(client.TenantSettings{Telephone: &client.TelephonePatch{Answer: &answer, ForwardTo: &to, Language: &language, Listen: &listen}})
		var a telephonytest.Answer
		s.eventually("the call is forwarded, and streamed", func() bool {
			a = s.Post(t, telephony.VoicePath, telephonytest.Ringing("CA1", marta, lakeside))
			return a.XML.Names() == "Start Dial"
		})
		stream := a.XML.Find("Start").Find("Stream")
		if stream.Attr("url") != "wss://calls.example.test/webhook/listen" || stream.Attr("track") != "both_tracks" {
			t.Fatalf("got %s", a.Body)
		}
		header := telephonytest.Platform{Address: "wss://calls.example.test"}.Sign(telephony.ListenPath, "", nil)
		c, _, err := websocket.Dial(t.Context(), s.url+telephony.ListenPath, &websocket.DialOptions{HTTPHeader: header})
		if err != nil {
			t.Fatal(err)
		}
		phone := rehearsal.NewPhone(bridge.Socket(c, 1<<20), rehearsal.PhoneOptions{Both: true, Start: mediastream.Start{
			Stream: "MZ1", Call: "CA1", Parameters: map[string]string{telephony.TokenParameter: stream.Find("Parameter").Attr("value")},
		}})
		ctx, cancel := context.WithCancel(t.Context())
		t.Cleanup(cancel)
		if err := phone.Begin(ctx); err != nil {
			t.Fatal(err)
		}
		go func() { _ = phone.Run(ctx) }()
		phone.Tell(rehearsal.Tone(50, 500*time.Millisecond))
		s.kept("CA1", 1)
		phone.Say(rehearsal.Tone(10, 500*time.Millisecond))
		s.kept("CA1", 2)
		phone.Say(rehearsal.Tone(11, time.Minute))
		<-begins                                                    // and he is in the middle of it
		s.ends("CA1", marta, lakeside, "completed", 42*time.Second) // when the platform tells the end
		if rec, err := s.Conversation(t.Context(), "CA1"); err != nil || rec.Conversation.Status != recaller.Active {
			t.Errorf("got %s, %v: it ended before all that was said was kept", rec.Conversation.Status, err)
		}
		if err := phone.HangUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := s.ended("CA1", recaller.Completed, "completed"); got.DurationSeconds != 42 {
			t.Errorf("got %v s, want the platform's 42", got.DurationSeconds)
		}
		want := "assistant: Good morning, Lakeside.\nuser: My greyhound is called Bruno.\nuser: Goodbye then.\n"
		if got := s.said("CA1"); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		for _, q := range recogniser.Queries() {
			holds(t, "what is asked of Deepgram", q, "/v1/listen?")
			holds(t, "what is asked of Deepgram", q, "language=en")
		}
	})
}

// Without a key of Deepgram's nobody can listen, and the setting is refused.
func TestListeningNeedsARecogniser(t *testing.T) {
	t.Parallel()
	s := &studio{exchange: connected(t)}
	answer, to, listen := recaller.AnswerForward, "sip:agent@pbx.example.com", true
	_, err := s.UpdateTenant(t.Context(), client.TenantPatch{TenantSettings: client.TenantSettings{
		Telephone: &client.TelephonePatch{Answer: &answer, ForwardTo: &to, Listen: &listen},
	}})
	wantStatus(t, err, 422)
}
