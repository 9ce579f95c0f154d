package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func zipped(t *testing.T, path, text string) {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestOnlyWordsOfBothKindsOfTalkAreCommon(t *testing.T) {
	dir := t.TempDir()
	zipped(t, filepath.Join(dir, "dialogue_text.txt.gz"), strings.Repeat("The taxi, please.\n", 10))
	zipped(t, filepath.Join(dir, "longmemeval_s_dev.json.gz"), `[{"haystack_session_ids":["a","a"],"haystack_sessions":[[{"role":"user","content":"`+
		strings.Repeat("The poem, please! ", 10)+`"},{"role":"assistant","content":"`+strings.Repeat("taxi ", 10)+`"}],[{"role":"user","content":"`+strings.Repeat("taxi ", 10)+`"}]]}]`)
	var first, second bytes.Buffer
	if err := run(dir, &first); err != nil {
		t.Fatal(err)
	}
	if err := run(dir, &second); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(first.String()), "\n")
	if got, want := lines[len(lines)-1], "18 please the"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if first.String() != second.String() {
		t.Error("two runs on the same data differ")
	}
}
