package arch

import (
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestImportsPointToTheMiddle(t *testing.T) {
	report(t, directions(load(t)))
}

func TestNothingIsAllowedThatNothingUses(t *testing.T) {
	report(t, needless(load(t), layers(), edges()))
}

func TestRulesLookAtNoClockAndDoNoIO(t *testing.T) {
	report(t, impurities(load(t)))
}

func TestPackagesSayWhatTheyAreFor(t *testing.T) {
	report(t, undocumented(load(t)))
}

func TestNothingRunsBeforeMain(t *testing.T) {
	report(t, inits(load(t)))
}

func TestWhatRunsWithoutTheRaceDetectorSharesNothing(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(projectRoot(t), "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^UNSHARED := (.+)$`).FindSubmatch(makefile)
	if found == nil {
		t.Fatal("the Makefile does not name UNSHARED packages")
	}
	report(t, sharing(load(t), strings.Fields(string(found[1]))))
}

func report(t *testing.T, faults []string) {
	t.Helper()
	slices.Sort(faults)
	for _, fault := range slices.Compact(faults) {
		t.Error(fault)
	}
}

// layerOf finds the layer of a package; an exact name goes before a pattern.
func layerOf(pkg string) (layer, bool) {
	for _, l := range layers() {
		if slices.Contains(l.packages, pkg) {
			return l, true
		}
	}
	for _, l := range layers() {
		for _, p := range l.packages {
			if top, ok := strings.CutSuffix(p, "/..."); ok && (pkg == top || strings.HasPrefix(pkg, top+"/")) {
				return l, true
			}
		}
	}
	return layer{}, false
}

// directions finds imports that point the wrong way. Tests may import what they need to prove their point, but not app:
// what needs the whole program is an end-to-end test.
func directions(sources []source) []string {
	var faults []string
	for _, src := range sources {
		from, ok := layerOf(src.pkg)
		if !ok {
			faults = append(faults, fmt.Sprintf("package %s has no layer: give it one in internal/arch/layers_test.go", src.pkg))
			continue
		}
		for _, name := range judged(src) {
			if !allowed(from, src.pkg, name) {
				faults = append(faults, fmt.Sprintf("%s: %s (%s) must not import %s", src.path, src.pkg, from.name, name))
			}
		}
	}
	return faults
}

// judged lists the packages of ours that a file imports and needs a right to.
func judged(src source) []string {
	var names []string
	for _, imp := range src.imports() {
		if name, isOurs := ours(imp); isOurs && name != src.pkg && (!src.test || name == "app") {
			names = append(names, name)
		}
	}
	return names
}

// needless finds rights that no import needs: edges, and layers that a layer may import.
func needless(sources []source, layers []layer, edges map[string][]string) []string {
	used := map[[2]string]bool{} // packages, and names of layers: importer, imported
	for _, src := range sources {
		from, _ := layerOf(src.pkg)
		for _, name := range judged(src) {
			used[[2]string{src.pkg, name}] = true
			if !slices.Contains(edges[src.pkg], name) {
				to, _ := layerOf(name)
				used[[2]string{from.name, to.name}] = true
			}
		}
	}
	var faults []string
	for pkg, list := range edges {
		for _, name := range list {
			if !used[[2]string{pkg, name}] {
				faults = append(faults, fmt.Sprintf("%s may import %s and does not: take the edge out", pkg, name))
			}
		}
	}
	for _, l := range layers {
		for _, name := range l.may {
			if !used[[2]string{l.name, name}] {
				faults = append(faults, fmt.Sprintf("the layer %q may import %q and does not: take the right out", l.name, name))
			}
		}
	}
	return faults
}

func allowed(from layer, pkg, imported string) bool {
	to, ok := layerOf(imported)
	if !ok {
		return false
	}
	if slices.Contains(edges()[pkg], imported) {
		return true
	}
	if to.name == from.name {
		return from.own
	}
	return slices.Contains(from.may, to.name) || (to.name == "centre")
}

// impurities finds rules that look at the clock, throw dice, or touch the world.
func impurities(sources []source) []string {
	world := []string{
		"os", "net", "net/http", "database/sql", "log", "log/slog", "math/rand", "math/rand/v2", "crypto/rand", "syscall",
	}
	clock := []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}
	var faults []string
	for _, src := range sources {
		from, _ := layerOf(src.pkg)
		if src.test || !from.pure {
			continue
		}
		for _, imp := range src.imports() {
			if slices.Contains(world, imp) {
				faults = append(faults, fmt.Sprintf("%s: %s (%s) must not import %s: pass in what it needs", src.path, src.pkg, from.name, imp))
			}
		}
		ast.Inspect(src.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == timeName(src) && slices.Contains(clock, sel.Sel.Name) {
				faults = append(faults, fmt.Sprintf("%s:%d: time.%s in %s (%s): pass the time in",
					src.path, src.line(sel.Pos()), sel.Sel.Name, src.pkg, from.name))
			}
			return true
		})
	}
	return faults
}

// timeName is the name under which a file knows package time.
func timeName(src source) string {
	for _, spec := range src.file.Imports {
		if spec.Path.Value == `"time"` && spec.Name != nil {
			return spec.Name.Name
		}
	}
	return "time"
}

// sharing finds those of the packages that have something which goroutines could share, or a goroutine.
func sharing(sources []source, packages []string) []string {
	var faults []string
	for _, src := range sources {
		if src.test || !slices.Contains(packages, src.pkg) {
			continue
		}
		fault := func(what string) {
			faults = append(faults, fmt.Sprintf("%s has %s: take %s out of UNSHARED in the Makefile", src.path, what, src.pkg))
		}
		for _, imp := range src.imports() {
			if imp == "sync" || imp == "sync/atomic" {
				fault("an import of " + imp)
			}
		}
		ast.Inspect(src.file, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.GoStmt:
				fault("a goroutine")
			case *ast.ChanType:
				fault("a channel")
			}
			return true
		})
	}
	return faults
}

// undocumented finds packages without a doc comment of at least a sentence.
func undocumented(sources []source) []string {
	longest := map[string]int{}
	for _, src := range sources {
		if src.test {
			continue
		}
		words := len(strings.Fields(src.file.Doc.Text()))
		longest[src.pkg] = max(longest[src.pkg], words)
	}
	var faults []string
	for pkg, words := range longest {
		if words < 10 {
			faults = append(faults, fmt.Sprintf("package %s does not say what it is for and what it is not for", pkg))
		}
	}
	return faults
}

// inits finds init functions: nothing of ours runs before main.
func inits(sources []source) []string {
	var faults []string
	for _, src := range sources {
		for _, decl := range src.file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				faults = append(faults, fmt.Sprintf("%s:%d: func init: say it in New, or where main can see it", src.path, src.line(fn.Pos())))
			}
		}
	}
	return faults
}
