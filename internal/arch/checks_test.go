package arch

import (
	"fmt"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// The checks are checked on small sources that break one rule each: a check that finds nothing proves nothing.

func TestChecksFindWhatTheyAreFor(t *testing.T) {
	t.Parallel()
	const (
		useCaseImportsStore = "package memory\nimport _ \"" + module + "/internal/store/sqlite\"\n"
		ruleImportsUseCase  = "package when\nimport _ \"" + module + "/internal/memory\"\n"
		centreImportsRule   = "package recaller\nimport _ \"" + module + "/internal/when\"\n"
		upward              = "package memory\nimport _ \"" + module + "/internal/conversation\"\n"
		downward            = "package conversation\nimport _ \"" + module + "/internal/briefing\"\n"
		edgeImportsStore    = "package httpapi\nimport _ \"" + module + "/internal/store\"\n"
		edgeImportsEdge     = "package httpapi\nimport _ \"" + module + "/internal/telegram\"\n"
		importsApp          = "package x\nimport _ \"" + module + "/internal/app\"\n"
		renamedClock        = "package when\nimport clock \"time\"\nvar t = clock.Now()\n"
		timeTypes           = "package when\nimport \"time\"\nfunc F(now time.Time) time.Time { return now }\n"
		ruleReadsFiles      = "package identity\nimport _ \"os\"\n"
		hasInit             = "package memory\nfunc init() {}\n"
		goroutine           = "package when\nfunc f() { go f() }\n"
		once                = "package when\nimport \"sync\"\nvar o sync.Once\n"
		noDoc               = "// Package memory is.\npackage memory\n"
	)
	apart := func(sources []source) []string { return sharing(sources, []string{"when"}) }
	tests := []struct {
		name  string
		check func([]source) []string
		path  string
		text  string
		want  string // part of the fault; empty: no fault
	}{
		{"a use case does not reach into the store", directions, "internal/memory/a.go", useCaseImportsStore, "must not import store/sqlite"},
		{"its test may", directions, "internal/memory/a_test.go", useCaseImportsStore, ""},
		{"a rule does not use a use case", directions, "internal/when/a.go", ruleImportsUseCase, "must not import memory"},
		{"the centre imports nothing of ours", directions, "a.go", centreImportsRule, "must not import when"},
		{"memory does not call back to conversation", directions, "internal/memory/a.go", upward, "must not import conversation"},
		{"conversation asks briefing", directions, "internal/conversation/a.go", downward, ""},
		{"an edge does not reach past the use cases", directions, "internal/httpapi/a.go", edgeImportsStore, "must not import store"},
		{"an edge does not use another", directions, "internal/httpapi/a.go", edgeImportsEdge, "must not import telegram"},
		{"only the command line uses app", directions, "internal/httpapi/a.go", importsApp, "must not import app"},
		{"not even in a test", directions, "internal/httpapi/a_test.go", importsApp, "must not import app"},
		{"the command line uses app", directions, "internal/cli/a.go", importsApp, ""},
		{"a package has a layer", directions, "internal/helpers/a.go", "package helpers\n", "has no layer"},
		{"a rule does not look at the clock", impurities, "internal/when/a.go", renamedClock, "internal/when/a.go:3: time.Now"},
		{"a rule may speak of time", impurities, "internal/when/a.go", timeTypes, ""},
		{"a rule reads no files", impurities, "internal/identity/a.go", ruleReadsFiles, "must not import os"},
		{"nothing runs before main", inits, "internal/memory/a.go", hasInit, "a.go:2: func init"},
		{"what is unshared starts no goroutine", apart, "internal/when/a.go", goroutine, "a goroutine"},
		{"what is unshared makes nothing at its first use", apart, "internal/when/a.go", once, "an import of sync"},
		{"its tests may", apart, "internal/when/a_test.go", once, ""},
		{"others may", apart, "internal/jobs/a.go", once, ""},
		{"a package says what it is for", undocumented, "internal/memory/a.go", noDoc, "does not say"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			src, err := parse(token.NewFileSet(), test.path, test.text)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(test.check([]source{src}), "\n")
			if test.want == "" && got != "" {
				t.Errorf("got fault %q, want none", got)
			}
			if !strings.Contains(got, test.want) {
				t.Errorf("got %q, want a fault with %q", got, test.want)
			}
		})
	}
}

func TestRightsThatNothingUsesAreFound(t *testing.T) {
	t.Parallel()
	const (
		viaEdge  = "import _ \"" + module + "/internal/events\"\n"
		viaLayer = "import _ \"" + module + "/internal/when\"\n"
		edge     = "memory may import events and does not: take the edge out"
		right    = `the layer "use cases" may import "rules" and does not: take the right out`
	)
	tests := []struct {
		name, path, imports string
		want                []string
	}{
		{"all are used", "internal/memory/a.go", viaEdge + viaLayer, nil},
		{"the edge alone", "internal/memory/a.go", viaEdge, []string{right}},
		{"the layer alone", "internal/memory/a.go", viaLayer, []string{edge}},
		{"by a test alone", "internal/memory/a_test.go", viaEdge + viaLayer, []string{edge, right}},
		{"by another package", "internal/tool/a.go", viaEdge + viaLayer, []string{edge}},
	}
	for _, test := range tests {
		src, err := parse(token.NewFileSet(), test.path, "package a\n"+test.imports)
		if err != nil {
			t.Fatal(err)
		}
		got := needless([]source{src}, []layer{{name: "use cases", may: []string{"rules"}}}, map[string][]string{"memory": {"events"}})
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestSizesAreHeld(t *testing.T) {
	t.Parallel()
	statements := strings.Repeat("\tf()\n", maxFuncLines)
	long := "package memory\n\nfunc (s *Store[K, V]) Keep() {\n" + statements + "}\n"
	table := "package memory\n\nvar words = []string{\n" + strings.Repeat("\t\"word\",\n", maxFileLines+1) + "}\n"
	cases := "package memory\n\nfunc plain(s string) string {\n\tswitch s {\n" + strings.Repeat("\tcase \"a\":\n\t\treturn \"b\"\n", maxFuncLines) + "\t}\n\treturn s\n}\n"
	code := "package memory\n" + strings.Repeat("\ntype T struct{}\n", maxFileLines)
	tests := []struct {
		name, path, text string
		excuses          map[string]string
		want             string
	}{
		{"a long function", "internal/memory/a.go", long, nil, "internal/memory/a.go:Store.Keep has 62 lines"},
		{"a long function with a reason", "internal/memory/a.go", long, map[string]string{"internal/memory/a.go:Store.Keep": "why"}, ""},
		{"a long test function", "internal/memory/a_test.go", long, nil, ""},
		{"a long function of a suite", "internal/store/storetest/a.go", long, nil, ""},
		{"a long table", "internal/memory/a.go", table, nil, ""},
		{"a table as a switch", "internal/memory/a.go", cases, nil, ""},
		{"a long file", "internal/memory/a.go", code, nil, fmt.Sprintf("has %d lines", 2*maxFileLines+1)},
		{"a long generated file", "internal/memory/a.go", "// Code generated by hand. DO NOT EDIT.\n\n" + code, nil, ""},
		{"an excuse that is not needed", "internal/memory/a.go", "package memory\n", map[string]string{"internal/memory/a.go": "why"}, "no longer needs"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			src, err := parse(token.NewFileSet(), test.path, test.text)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(oversized([]source{src}, test.excuses), "\n")
			if (test.want == "") != (got == "") || !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
