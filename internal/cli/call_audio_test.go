package cli_test

import (
	"context"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/cli"
	"github.com/recallerhq/recaller/internal/pgtest"
)

// onBothStores runs a story on SQLite and on Postgres; with are the flags that say where the data is.
func onBothStores(t *testing.T, story func(t *testing.T, b *bench, with ...string)) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		story(t, setup(t))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		b, db := setup(t), pgtest.Empty(t)
		migrating := &bench{t: t, data: b.data, env: append(b.env, "RECALLER_DATABASE_URL="+db.App, "RECALLER_OWNER_DATABASE_URL="+db.Owner, "MEMORY_ENCRYPTION_KEY="+strings.Repeat("5e0f", 16))}
		migrating.must("migrate")
		story(t, b, "--set", "database-url="+db.App, "--set", "encryption-key="+strings.Repeat("5e0f", 16))
	})
}

// spoken has a script spoken, hummed and fast.
func (b *bench) spoken(script string, args ...string) ran {
	b.t.Helper()
	r := b.typing(script, append([]string{"call", "--audio", "--fast", "--voice", "tones"}, args...)...)
	if r.code != cli.ExitOK {
		b.t.Fatalf("exit %d\n%s%s", r.code, r.out, r.err)
	}
	return r
}

// A call comes in by the real door, is spoken, and is kept as it was said. In the next one the agent knows who calls, what
// he said, and what he asks for.
func TestACallThatIsSpoken(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, b *bench, with ...string) {
		wav := filepath.Join(t.TempDir(), "call.wav")
		first := b.spoken("# the first call\nC: Hi, this is Ana Keller.\nA: hello\nMy greyhound is called Bruno.\n", append(with, "--out", wav)...).out
		want(t, "the first call", first,
			"● +15550100142 rings +15550100000", "signed as Twilio does", "Connect", "nobody is known by it", "- Name: Unknown",
			"agent  › Hello, this is the rehearsal line.", "caller › Hi, this is Ana Keller.",
			"store_memory · fact · name · Ana Keller → created", "→ created",
			"agent  › Nice to meet you, Ana Keller.", "the caller hangs up", "call ended", "hung up; 5 turns kept",
			"  caller › My greyhound is called Bruno.\n  agent  › Thank you for telling me.", "Summary", "+ greyhound: My greyhound is called Bruno.")
		if strings.Contains(first, "hello\n") {
			t.Error("a line of the agent's is said by the caller")
		}
		length(t, wav, first)

		second := b.spoken("What is my dog called?\nGoodbye.\nNobody hears this.\n", append(with, "-q")...).out
		want(t, "the second call", second, "Ana Keller calls for the 2nd time",
			"agent  › Hello Ana Keller, welcome back. Last time you told me: My greyhound is called Bruno.",
			"recall · What is my dog called? → ", "agent  › You told me", "greyhound is called Bruno.",
			"agent  › Goodbye Ana Keller. Take care.", "the agent has hung up", "1 line was not said", "ended; 5 turns kept")
		if strings.Contains(second, "Remembering") {
			t.Error("the briefing is shown although -q was given")
		}
	})
}

// length compares the length of a file of sound with what is said of the call.
func length(t *testing.T, path, out string) {
	t.Helper()
	wav, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	said := regexp.MustCompile(`after ([0-9.]+)s: `).FindStringSubmatch(out)
	if said == nil {
		t.Fatalf("the length is not told:\n%s", out)
	}
	seconds, err := strconv.ParseFloat(said[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	if got := float64(binary.LittleEndian.Uint32(wav[40:])) / 4 / 8000; got < seconds-0.06 || got > seconds+0.06 || len(wav) != 44+int(binary.LittleEndian.Uint32(wav[40:])) {
		t.Errorf("the file has %.2f s in %d bytes, the call %.1f s", got, len(wav), seconds)
	}
	loud := [2]bool{}
	for i := 44; i+4 <= len(wav); i += 4 {
		loud[0] = loud[0] || binary.LittleEndian.Uint16(wav[i:]) != 0
		loud[1] = loud[1] || binary.LittleEndian.Uint16(wav[i+2:]) != 0
	}
	if !loud[0] || !loud[1] {
		t.Errorf("a side is silent: caller %v, agent %v heard", loud[0], loud[1])
	}
}

// A line that is dropped is a call that broke off; who has an id of the application's own is known by it.
func TestASpokenCallThatIsDropped(t *testing.T) {
	t.Parallel()
	b := setup(t)
	want(t, "the call", b.spoken("The pipes are leaking under the sink.\n/drop\n", "ext:ana").out,
		"client:ana rings", "call broke off", "lost", "caller › The pipes are leaking under the sink.")
	again := b.spoken("/wait 0.1\n", "ext:ana").out
	want(t, "the next call", again, "calls for the 2nd time", "broke off", "The pipes are leaking under the sink.")
}

func TestWhatASpokenCallRefuses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	there := filepath.Join(t.TempDir(), "there.wav")
	if err := os.WriteFile(there, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		args  []string
		typed string
		code  int
		says  []string
	}{
		"no espeak-ng":              {nil, "", cli.ExitFailed, []string{"espeak-ng", "apt install espeak-ng", "--voice tones"}},
		"a server":                  {[]string{"--server", "http://" + nobody}, "", cli.ExitUsage, []string{"--server"}},
		"a name":                    {[]string{"--name", "Ana"}, "", cli.ExitUsage, []string{"--name", "--audio"}},
		"a file that is there":      {[]string{"--voice", "tones", "--out", there}, "", cli.ExitFailed, []string{"is there already", "--out"}},
		"a folder that is not":      {[]string{"--voice", "tones", "--out", there + "/x/y.wav"}, "", cli.ExitFailed, []string{"there.wav/x"}},
		"no script":                 {[]string{"--voice", "tones", "--script", there + "x"}, "", cli.ExitFailed, []string{"no such file"}},
		"a command that is none":    {[]string{"--voice", "tones"}, "Hello\n/sing\n", cli.ExitUsage, []string{"standard input, line 2", "/sing", "/wait"}},
		"a pause that is none":      {[]string{"--voice", "tones"}, "/wait long\n", cli.ExitUsage, []string{"line 1", "0 to 60"}},
		"a number that is no one's": {[]string{"--voice", "tones", "--fast", "call me"}, "", cli.ExitUsage, []string{`"call me" is no phone number`}},
	} {
		r := b.typing(c.typed, append([]string{"call", "--audio"}, c.args...)...)
		if r.code != c.code {
			t.Errorf("%s: exit %d, want %d\n%s", what, r.code, c.code, r.out)
		}
		want(t, what, r.err, c.says...)
	}
	r := b.run("call", maria, "--out", "x.wav")
	if r.code != cli.ExitUsage {
		t.Errorf("a typed call with a file of sound: exit %d", r.code)
	}
	want(t, "a typed call with a file of sound", r.err, "give --audio")
	if _, err := os.Stat(b.data); !os.IsNotExist(err) {
		t.Error("a data folder was made of what is refused")
	}
}

// tenant changes the settings of the tenant of the folder, by a server.
func (b *bench) tenant(p client.TenantSettings) {
	b.t.Helper()
	addr := unusedAddr(b.t)
	ctx, stop := context.WithCancel(b.t.Context())
	var out watched
	over := make(chan int, 1)
	go func() {
		over <- cli.Main(ctx, cli.Process{Args: []string{"serve", "--addr", addr}, Env: b.env, Stdin: strings.NewReader(""), Stdout: &out, Stderr: io.Discard})
	}()
	out.until(b.t, "model ")
	key, err := os.ReadFile(filepath.Join(b.data, "keys", "api.key"))
	if err != nil {
		b.t.Fatal(err)
	}
	api, err := client.New("http://"+addr, strings.TrimSpace(string(key)))
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := api.UpdateTenant(ctx, client.TenantPatch{TenantSettings: p}); err != nil {
		b.t.Fatal(err)
	}
	stop()
	<-over
}

// A folder whose tenant has a telephone of its own is left as it is.
func TestATenantsOwnTelephoneIsLeftAlone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	numbers, answer, to := []string{"+15550002222"}, recaller.AnswerForward, "+15550003333"
	b.tenant(client.TenantSettings{Numbers: &numbers, Telephone: &client.TelephonePatch{Answer: &answer, ForwardTo: &to}})
	r := b.run("call", "--audio", "--voice", "tones", "--data", b.data)
	if r.code != cli.ExitFailed {
		t.Errorf("exit %d\n%s", r.code, r.out)
	}
	want(t, "the refusal", r.err, "does not bridge their calls", "leave out --data")
	want(t, "without --data", b.spoken("Hello there.\n").out, "call ended", b.data+"/rehearsal")
}
