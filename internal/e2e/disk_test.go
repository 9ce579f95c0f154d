package e2e

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// secrets is what must not be found anywhere: words in any case, numbers in any grouping.
type secrets struct {
	words   []string
	numbers []string // digits only
	there   string   // an id that is on the disk, to prove that the search finds what there is
}

// findNothing greps every file of a data folder, every table of a database, and what the server logged and counted.
func findNothing(t *testing.T, s *server, when string, hide secrets) {
	t.Helper()
	files, found := 0, false
	err := filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		files, found = files+1, found || bytes.Contains(content, []byte(hide.there))
		rel, _ := filepath.Rel(s.dir, path)
		hide.search(t, when+": file "+rel, append(content, rel...))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if s.db.Super != "" {
		for name, content := range tables(t, s.db) {
			files, found = files+1, found || bytes.Contains(content, []byte(hide.there))
			hide.search(t, when+": table "+name, content)
		}
	}
	log := s.output.String()
	if files < 4 || !found || !strings.Contains(log, `"msg":"request"`) {
		t.Fatalf("%s: %d files under the data folder, what is there found: %v: this story looks in the wrong place", when, files, found)
	}
	hide.search(t, when+": the log", []byte(log))
}

// search fails the test where a text holds a secret. Numbers are looked for among all its digits, whatever is between.
func (hide secrets) search(t *testing.T, where string, text []byte) {
	t.Helper()
	lower := bytes.ToLower(text)
	for _, w := range hide.words {
		if bytes.Contains(lower, []byte(strings.ToLower(w))) {
			t.Errorf("%s has the word %q", where, w)
		}
	}
	digits := make([]byte, 0, len(text)/8)
	for _, b := range text {
		if b >= '0' && b <= '9' {
			digits = append(digits, b)
		}
	}
	for _, n := range hide.numbers {
		if bytes.Contains(digits, []byte(n)) {
			t.Errorf("%s has the number %s", where, n)
		}
	}
}
