package worktest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// longestWord bounds a word, or a phrase, that is repeated.
const longestWord = 60

// known returns the words of the sources in some folders, "." for none: every literal of the code that is no test's,
// whole where it is short, and by its words. A table that is added tomorrow is in it.
func known(t testing.TB, dirs []string) []string {
	t.Helper()
	if len(dirs) == 0 {
		dirs = []string{"."}
	}
	all := map[string]bool{}
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no sources in %s: %v", dir, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			literals(t, src, func(s string) { add(all, s) })
		}
	}
	delete(all, "")
	out := make([]string, 0, len(all))
	for w := range all {
		out = append(out, w)
	}
	slices.Sort(out)
	return out
}

// literals yields the texts and the characters of a source, without what it imports.
func literals(t testing.TB, src []byte, yield func(string)) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.BasicLit:
			if s, err := strconv.Unquote(n.Value); err == nil && (n.Kind == token.STRING || n.Kind == token.CHAR) {
				yield(s)
			}
		}
		return true
	})
}

// add takes in a literal: whole, by the phrases that a table parts with signs, and by its words.
func add(all map[string]bool, literal string) {
	phrases := strings.FieldsFunc(literal, func(r rune) bool { return strings.ContainsRune("|\n\t", r) })
	for _, phrase := range append(phrases, literal) {
		if phrase = strings.TrimSpace(phrase); len(phrase) <= longestWord {
			all[phrase] = true
		}
		for w := range strings.FieldsSeq(phrase) {
			if len(w) <= longestWord {
				all[w] = true
			}
		}
	}
}
