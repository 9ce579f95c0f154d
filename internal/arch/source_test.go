package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A source is one Go file of ours.
type source struct {
	path string // from the project's root, with slashes
	pkg  string // the package's name in the layers: "httpapi", "store/sqlite", "/cmd/recaller"; "/" is the root
	test bool
	text string
	file *ast.File
	fset *token.FileSet
}

// load parses every Go file of the project's own module.
func load(t *testing.T) []source {
	t.Helper()
	root := projectRoot(t)
	fset := token.NewFileSet()
	var sources []source
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return enter(root, name, d.Name())
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		src, err := parse(fset, filepath.ToSlash(rel), string(text))
		sources = append(sources, src)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(sources) < 10 {
		t.Fatalf("found %d Go files under the project's root: this test looks in the wrong place", len(sources))
	}
	return sources
}

// enter says whether to look into a folder: not into hidden ones, test data, and modules of their own.
func enter(root, dir, base string) error {
	if dir == root {
		return nil
	}
	if strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata" || base == "node_modules" {
		return filepath.SkipDir
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
		return filepath.SkipDir
	}
	return nil
}

func parse(fset *token.FileSet, name, text string) (source, error) {
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	return source{
		path: name, pkg: packageOf(path.Dir(name)), test: strings.HasSuffix(name, "_test.go"),
		text: text, file: file, fset: fset,
	}, err
}

// packageOf turns a folder into the name that the layers use.
func packageOf(dir string) string {
	if dir == "." {
		return "/"
	}
	if in, ok := strings.CutPrefix(dir, "internal/"); ok {
		return in
	}
	return "/" + dir
}

func projectRoot(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the working directory")
		}
		dir = up
	}
}

// imports lists what a file imports, as import paths.
func (s source) imports() []string {
	var list []string
	for _, spec := range s.file.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			list = append(list, p)
		}
	}
	return list
}

// ours turns an import path into the name that the layers use; ok is false for other people's packages.
func ours(importPath string) (name string, ok bool) {
	if importPath == module {
		return "/", true
	}
	rel, ok := strings.CutPrefix(importPath, module+"/")
	if !ok {
		return "", false
	}
	return packageOf(rel), true
}

// line says where a position is.
func (s source) line(pos token.Pos) int { return s.fset.Position(pos).Line }
