package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller/internal/cli"
)

func TestHelpIsAsWritten(t *testing.T) {
	t.Parallel()
	b := setup(t)
	golden(t, filepath.Join("testdata", "help.txt"), b.must("--help"))
	golden(t, filepath.Join("testdata", "recall.txt"), b.must("recall", "--help"))
	if got := b.must(); got != b.must("--help") {
		t.Error("recaller alone does not show its help")
	}
	if got := b.must("help", "recall"); got != b.must("recall", "--help") {
		t.Error("help recall is not recall --help")
	}
}

func TestTheReferenceIsTheHelp(t *testing.T) {
	t.Parallel()
	golden(t, filepath.Join("..", "..", "docs", "cli.md"), setup(t).must("help", "--markdown"))
}

func TestEveryVerbShowsAnExample(t *testing.T) {
	t.Parallel()
	b := setup(t)
	verbs := regexp.MustCompile(`(?m)^## recaller (.*)$`).FindAllStringSubmatch(b.must("help", "--markdown"), -1)
	if len(verbs) < 14 {
		t.Fatalf("the reference has %d verbs", len(verbs))
	}
	for _, verb := range verbs {
		help := b.must(append(strings.Fields(verb[1]), "--help")...)
		want(t, verb[1], help, "Usage", "Examples")
	}
}

// golden compares with a file, or writes it with -update.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	expected, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(expected), got); diff != "" {
		t.Errorf("%s is out of date; go test ./internal/cli -update writes it (-file +now):\n%s", path, diff)
	}
}

func TestDoctorFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	b := setup(t)
	want(t, "doctor on nothing", b.must("doctor"), "is not there yet", "none runs at")

	b.must("replay", "testdata/plumber.txt", "--phone", maria, "--no-wrapup")
	well := b.must("doctor")
	want(t, "doctor", well, "private and writable", "readable by their owner only", "the master key opens the data", "every page is sound")
	if strings.Contains(well, "fail") {
		t.Errorf("a sound installation fails:\n%s", well)
	}

	key := filepath.Join(b.data, "master", "master.key")
	if err := os.Chmod(key, 0o644); err != nil {
		t.Fatal(err)
	}
	r := b.run("doctor")
	if r.code != cli.ExitFailed {
		t.Errorf("a key that others can read: exit %d, want %d", r.code, cli.ExitFailed)
	}
	want(t, "doctor", r.out, "fail  key files", "chmod 600 "+key)

	if err := os.WriteFile(key, []byte(strings.Repeat("0a1b", 16)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(key, 0o600); err != nil {
		t.Fatal(err)
	}
	r = b.run("doctor", "--json")
	if r.code != cli.ExitFailed {
		t.Errorf("a wrong key: exit %d, want %d", r.code, cli.ExitFailed)
	}
	want(t, "doctor", r.out, `"check": "keys"`, `"verdict": "fail"`, "the data was sealed with key", `"well": false`)
}

func TestKeysRotate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if r := b.run("keys", "status"); r.code != cli.ExitFailed || !strings.Contains(r.err, "no key yet") {
		t.Errorf("status before the first start: exit %d, %q", r.code, r.err)
	}
	b.must("replay", "testdata/plumber.txt", "--phone", maria)
	before := b.must("keys", "status")
	want(t, "status", before, "Master key", "master.key", "Data keys    3", "the key opens the data")

	want(t, "rotate", b.must("keys", "rotate"), "Rotated: 3 data keys")
	after := b.must("keys", "status")
	id := regexp.MustCompile(`Master key   ([0-9a-f]{8})`)
	if id.FindString(before) == id.FindString(after) {
		t.Errorf("the master key is the same after the rotation:\n%s", after)
	}
	want(t, "briefing after the rotation", b.must("briefing", maria), "Maria Lopez")
	if _, err := os.Stat(filepath.Join(b.data, "master", "master.key.new")); !os.IsNotExist(err) {
		t.Error("the rotation left its new key file behind")
	}
}

func TestARotationThatWasCutShortGoesOn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.must("replay", "testdata/plumber.txt", "--phone", maria)
	b.must("keys", "rotate")
	// As if it had been killed just before the new key file took the old one's place.
	key := filepath.Join(b.data, "master", "master.key")
	if err := os.Rename(key, key+".new"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(key, []byte(strings.Repeat("0a1b", 16)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	want(t, "status in between", b.must("keys", "status"), "the key opens the data")
	want(t, "briefing in between", b.must("briefing", maria), "Maria Lopez")
	b.must("keys", "rotate")
	want(t, "briefing", b.must("briefing", maria), "Maria Lopez")
	if _, err := os.Stat(key + ".new"); !os.IsNotExist(err) {
		t.Error("the rotation left its new key file behind")
	}
}

func TestConfigShowsWhereValuesComeFrom(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.env = append(b.env, "RECALLER_API_KEY=very-secret-indeed-0123456789abcdef", "RECALLER_WORKERS=3")
	out := b.must("config", "--set", "briefing-tokens=800")
	for _, line := range []string{`workers +3 +environment`, `briefing-tokens +800 +flag`, `recall-cache-bytes .* default`, `api-key +\[redacted\] +environment`} {
		if !regexp.MustCompile(line).MatchString(out) {
			t.Errorf("config lacks %q:\n%s", line, out)
		}
	}
	if strings.Contains(out, "very-secret") {
		t.Error("config shows a secret")
	}
	want(t, "config --markdown", b.must("config", "--markdown"), "| `RECALLER_ADDR` |")
}

func TestVersion(t *testing.T) {
	t.Parallel()
	want(t, "version", setup(t).must("version"), "recaller v1.2.3 (go1")
	want(t, "--version", setup(t).must("briefing", "--version"), "recaller v1.2.3 (go1")
}

func TestTheDemoShowsOurOwnCalls(t *testing.T) {
	t.Parallel()
	b := setup(t)
	out := b.must("demo", "--own")
	want(t, "demo", out,
		"Eight calls of three people: 8 conversations", "Dana Reyes rings again", "The last call broke off 20 minutes ago.", "so I put a",
		"Priya Nair rings again", "? Which membership did they decide on?", "the caller, turn 7 of golf-3")
	if _, err := os.Stat(b.data); !os.IsNotExist(err) {
		t.Error("the demo touched the data folder")
	}
}
