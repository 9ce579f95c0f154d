package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The master key is exchanged while people talk; kill -9 in the middle of it loses nothing, and it goes on at the next
// start.
func TestTheMasterKeyIsExchangedWhileServing(t *testing.T) {
	t.Parallel()
	s := serve(t)
	p := phone{t, s.admin}
	before := p.call(number(), user("My cat is called Miso."))
	key := filepath.Join(s.dir, "master", "master.key")
	old, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	live := p.ring(number())
	rotate := func() {
		t.Helper()
		cmd := s.command("keys", "rotate", "--server", s.url)
		cmd.Env = append(cmd.Env, "RECALLER_API_KEY="+s.key)
		out, err := cmd.CombinedOutput()
		if err != nil || !regexp.MustCompile(`Rotated: \d+ data keys wrapped under master key`).Match(out) {
			t.Fatalf("rotate: %v\n%s", err, out)
		}
	}
	rotate()
	fresh, err := os.ReadFile(key)
	if err != nil || string(fresh) == string(old) {
		t.Fatalf("the key file did not change (%v)", err)
	}
	p.say(live.Conversation.ID, user("I have a dog called Max."))
	p.call(number(), user("A new caller, after the rotation."))
	holds(t, "the briefing", p.briefing(before.Caller.ID), "Miso")

	// Cut short: the next key lies beside the one in force, and wraps some of the data keys already.
	status, err := p.c.RotateEncryption(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.kill()
	s.start()
	p = phone{t, s.admin}
	holds(t, "the briefing after the crash", p.briefing(before.Caller.ID), "Miso")
	eventually(t, "the rotation has gone on to its end", func() bool {
		e, err := p.c.Encryption(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, waits := os.Stat(key + ".new")
		return len(e.DataKeysByMasterKey) == 1 && e.MasterKeyID == status.MasterKeyID && os.IsNotExist(waits)
	})
	s.stop()
	last, err := os.ReadFile(key)
	if err != nil || strings.TrimSpace(string(last)) == strings.TrimSpace(string(fresh)) {
		t.Errorf("the key file did not change the second time (%v)", err)
	}
	s.start()
	holds(t, "the briefing under the new key alone", phone{t, s.admin}.briefing(before.Caller.ID), "Miso")
}
