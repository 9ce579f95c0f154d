package arch

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var decision = regexp.MustCompile(`^# (\d+)\. (.+)\n`)

// Each decision has a number of its own, which its file is named by, and stands in the index
// under its title, once.
func TestDecisionsAreInTheIndex(t *testing.T) {
	t.Parallel()
	const dir = "../../docs/adr"
	index, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "0*.md"))
	if err != nil || len(files) < 60 {
		t.Fatalf("%d decisions, %v", len(files), err)
	}
	seen := map[string]string{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		name, title := filepath.Base(f), decision.FindStringSubmatch(string(text))
		if title == nil || !strings.HasPrefix(name, fmt.Sprintf("%04s-", title[1])) {
			t.Errorf("%s: want its number as the heading has it", name)
			continue
		}
		if other := seen[title[1]]; other != "" {
			t.Errorf("%s and %s are both number %s", other, name, title[1])
		}
		seen[title[1]] = name
		if row := fmt.Sprintf("| %s | [%s](%s) |\n", title[1], title[2], name); strings.Count(string(index), row) != 1 || strings.Count(string(index), "("+name+")") != 1 {
			t.Errorf("the index wants one row %s", row)
		}
	}
	if rows := strings.Count(string(index), "](0"); rows != len(files) {
		t.Errorf("the index has %d rows for %d decisions", rows, len(files))
	}
}
