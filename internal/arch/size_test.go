package arch

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
	"testing"
)

// Limits of the house style. Over them an entry in the ratchet with a reason is needed.
const (
	maxFileLines = 600
	maxFuncLines = 60
)

func TestFilesAndFunctionsStaySmall(t *testing.T) {
	report(t, oversized(load(t), ratchet()))
}

// oversized finds files and functions past their limits that the ratchet does not excuse, and excuses that are not
// needed any more. Generated files and tables are exempt, and test functions may be long: they are tables too.
func oversized(sources []source, excuses map[string]string) []string {
	var faults []string
	used := map[string]bool{}
	over := func(what string, lines, limit int) {
		if lines <= limit {
			return
		}
		if reason := excuses[what]; reason != "" {
			used[what] = true
			return
		}
		faults = append(faults, fmt.Sprintf("%s has %d lines, more than %d: split it, or give the ratchet a reason", what, lines, limit))
	}
	for _, src := range sources {
		if ast.IsGenerated(src.file) {
			continue
		}
		over(src.path, strings.Count(src.text, "\n")-tableLines(src), maxFileLines)
		for _, decl := range src.file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && !proves(src) && !isTable(fn) {
				over(src.path+":"+funcName(fn), src.line(fn.End())-src.line(fn.Pos())+1, maxFuncLines)
			}
		}
	}
	for what := range excuses {
		if !used[what] {
			faults = append(faults, fmt.Sprintf("%s no longer needs its entry in the ratchet: remove it", what))
		}
	}
	return faults
}

// tableLines counts the lines of a file that are values of package variables: data, not code.
func tableLines(src source) int {
	lines := 0
	for _, decl := range src.file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.VAR {
			continue
		}
		for _, spec := range gen.Specs {
			value, ok := spec.(*ast.ValueSpec)
			if !ok {
				continue
			}
			for _, v := range value.Values {
				lines += src.line(v.End()) - src.line(v.Pos())
			}
		}
	}
	return lines
}

// proves reports whether a file is a test, or belongs to a suite of tests such as storetest.
func proves(src source) bool { return src.test || strings.HasSuffix(src.pkg, "test") }

// isTable reports whether a function is a table in the form of a switch: every case does nothing but return literals.
func isTable(fn *ast.FuncDecl) bool {
	if fn.Body == nil || len(fn.Body.List) == 0 {
		return false
	}
	table, ok := fn.Body.List[0].(*ast.SwitchStmt)
	if !ok || len(fn.Body.List) > 2 {
		return false
	}
	for _, clause := range table.Body.List {
		body := clause.(*ast.CaseClause).Body
		if len(body) != 1 || !returnsLiterals(body[0]) {
			return false
		}
	}
	return true
}

func returnsLiterals(stmt ast.Stmt) bool {
	ret, ok := stmt.(*ast.ReturnStmt)
	if !ok {
		return false
	}
	for _, value := range ret.Results {
		switch value.(type) {
		case *ast.BasicLit, *ast.Ident:
		default:
			return false
		}
	}
	return true
}

func funcName(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Name.Name
	}
	recv := fn.Recv.List[0].Type
	if star, ok := recv.(*ast.StarExpr); ok {
		recv = star.X
	}
	switch generic := recv.(type) {
	case *ast.IndexExpr:
		recv = generic.X
	case *ast.IndexListExpr:
		recv = generic.X
	}
	if id, ok := recv.(*ast.Ident); ok {
		return id.Name + "." + fn.Name.Name
	}
	return fn.Name.Name
}
