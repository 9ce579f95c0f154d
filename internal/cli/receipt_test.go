package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/cli"
)

// A receipt holds as it was issued. Of a file that says more, whatever it says, nothing is vouched for.
func TestAReceiptIsVouchedForAsAWhole(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.must("replay", "testdata/plumber.txt", "--phone", maria, "--no-wrapup")
	issued := b.must("erase", maria, "--yes", "--json")
	check := func(text string) ran {
		t.Helper()
		file := filepath.Join(t.TempDir(), "receipt.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return b.run("receipt", file)
	}
	if r := check(issued); r.code != cli.ExitOK || !strings.Contains(r.out, "Holds: not a word was changed") {
		t.Fatalf("as it was issued: exit %d\n%s%s", r.code, r.out, r.err)
	}
	if r := b.typing(issued, "receipt", "-"); r.code != cli.ExitOK {
		t.Errorf("on stdin: exit %d\n%s", r.code, r.err)
	}
	for _, tt := range []struct{ name, text, says string }{
		{"a field more", strings.Replace(issued, `"id"`, `"note": "all of the family", "id"`, 1), "it has a field that no receipt has"},
		{"a field twice", strings.Replace(issued, `"id"`, `"caller_id": "somebody", "id"`, 1), "caller_id: is there more than once"},
		{"text after it", issued + "and all of the family", "something follows the receipt"},
		{"more than a receipt can be", issued + strings.Repeat(" ", 1<<20) + "and all of the family", "is larger than any receipt"},
		{"no receipt", "Erased on 2 October", "it is no receipt as JSON"},
	} {
		r := check(tt.text)
		if r.code != cli.ExitUsage || r.out != "" {
			t.Errorf("%s: exit %d, want %d; printed %q, want nothing", tt.name, r.code, cli.ExitUsage, r.out)
		}
		want(t, tt.name, r.err, "receipt.json", tt.says)
	}
	changed := strings.Replace(issued, `"callers": 1`, `"callers": 2`, 1)
	if r := check(changed); changed == issued || r.code != cli.ExitFailed || !strings.Contains(r.err, "the receipt was changed") {
		t.Errorf("a count changed: exit %d\n%s%s", r.code, r.out, r.err)
	}
}
