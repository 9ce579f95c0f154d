package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/telephony"
	"github.com/recallerhq/recaller/internal/telephony/telephonytest"
	"github.com/recallerhq/recaller/internal/webchat/webchattest"
)

// standby is a second server on the same Postgres, on a machine of its own.
func (s *server) standby() *server {
	s.t.Helper()
	other := &server{t: s.t, dir: filepath.Join(s.t.TempDir(), "data"), env: s.env, db: s.db, output: &logbook{}}
	key := filepath.Join(other.dir, "keys", "api.key")
	if err := os.MkdirAll(filepath.Dir(key), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(key, []byte(s.key), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if other.exited != nil && other.running() {
			other.stop()
		}
	})
	return other
}

// takesOver has the server that serves killed, amid something, and this one let in, which it is not before.
func (s *server) takesOver(from *server, amid func()) {
	s.t.Helper()
	if out, err := s.command("serve").CombinedOutput(); err == nil || !strings.Contains(string(out), "in use by another") {
		s.t.Fatalf("two serve at once: %v, %s", err, out)
	}
	amid()
	from.kill()
	s.start()
}

// Of two servers on a Postgres one serves. A visitor writes, and somebody texts, while it is killed, and both come again to the
// other: each is one conversation, in which each message stands once.
func TestTheStandbyCarriesOnWithChats(t *testing.T) {
	t.Parallel()
	one := serveIn(t, onPostgres, "RECALLER_PUBLIC_URL="+telephonytest.Public, "TWILIO_AUTH_TOKEN="+telephonytest.Token)
	other := one.standby()
	reply, numbers := recaller.WebChatNone, []string{agents}
	_, err := one.admin.UpdateTenant(t.Context(), client.TenantPatch{TenantSettings: client.TenantSettings{
		Numbers: &numbers, WebChat: &client.WebChatPatch{Reply: &reply},
	}})
	if err != nil {
		t.Fatal(err)
	}
	visitor, texter := &webchattest.Visitor{Chat: one.url + "/chat/default"}, number()
	look, err := visitor.Stream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	look.Drop()
	write := func(n int) (kept bool) {
		_, err := visitor.Post(t.Context(), "m"+strconv.Itoa(n), "Message "+strconv.Itoa(n))
		return err == nil
	}
	text := func(n int) (kept bool) {
		form := telephonytest.Texted("SM"+strconv.Itoa(n), texter, agents, "Text "+strconv.Itoa(n))
		a, err := telephonytest.Platform{Server: strings.TrimSuffix(visitor.Chat, "/chat/default")}.Try(t.Context(), telephony.TextPath, form)
		return err == nil && a.Status == 200
	}
	for n := range 3 { // the first of them begin the conversations
		var together sync.WaitGroup
		other.takesOver(one, func() {
			for range 4 {
				together.Go(func() { write(n) })
				together.Go(func() { text(n) })
			}
		})
		together.Wait()
		one, other = other, one
		visitor.Chat = one.url + "/chat/default"
		if !write(n) || !text(n) {
			t.Fatalf("message %d is not taken by the other server", n)
		}
	}
	page, err := one.admin.Conversations(t.Context(), client.ConversationFilter{})
	if err != nil || len(page.Conversations) != 2 {
		t.Fatalf("got %d conversations, %v; want the visitor's and the texter's", len(page.Conversations), err)
	}
	for _, c := range page.Conversations {
		var said []string
		for _, turn := range (phone{t, one.admin}).read(c.ID).Turns {
			said = append(said, turn.Text[len(turn.Text)-1:])
		}
		if got := strings.Join(said, ""); got != "012" {
			t.Errorf("%s: got the messages %q, want each once, in order", c.Channel, got)
		}
	}
}
