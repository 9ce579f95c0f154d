package arch

import (
	"fmt"
	"go/ast"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/recall/token"
	"github.com/recallerhq/recaller/internal/speech"
)

// Word lists lie in the code as what a reader will see. An entry that no reader makes of any words ("let's" where the
// apostrophe is folded away, "no." where the stop is cut off) never matches, and nobody notices.
func TestWordListsHoldWhatTheirReadersRead(t *testing.T) {
	report(t, deadWords(load(t)))
}

// wordLists are the functions that make a list of words of a text, how the words are read that are looked up in it, and
// how many of them one entry has at most.
var wordLists = map[string]struct {
	read func(string) []string
	most int
}{
	"Set": {spoken, 1}, "speech.Set": {spoken, 1}, "phrases": {spoken, 2},
	"table": {spoken, 3}, "ways": {spoken, 9}, "byFirst": {spoken, 9},
	"set": {folded, 3}, "stemSet": {folded, 1},
}

// otherReaders are the packages that cut words in a way of their own, and look at their lists themselves.
var otherReaders = []string{"guard", "when", "wrapup/name"}

func spoken(text string) (out []string) {
	for _, w := range speech.Words(text) {
		out = append(out, w.Text)
	}
	return slices.Compact(out) // who says a word twice says it once
}

func folded(text string) (out []string) {
	var scan token.Scanner
	for scan.Reset(text); scan.Next(); {
		out = append(out, string(scan.Bytes()))
	}
	return out
}

func deadWords(sources []source) []string {
	var faults []string
	for _, src := range sources {
		if src.test || slices.Contains(otherReaders, src.pkg) {
			continue
		}
		ast.Inspect(src.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return true
			}
			list, known := wordLists[called(call)]
			text, isText := literal(call.Args[0])
			if !known || !isText {
				return true
			}
			for _, entry := range entries(text) {
				if list.most == 1 && strings.Contains(entry, " ") {
					continue // keys of memories
				}
				at := fmt.Sprintf("%s:%d", src.path, src.line(call.Pos()))
				switch words := list.read(entry); {
				case strings.Join(words, " ") != entry:
					faults = append(faults, fmt.Sprintf("%s: %q is read as %q, and never matches", at, entry, words))
				case len(words) > list.most:
					faults = append(faults, fmt.Sprintf("%s: %q has more words than are looked up", at, entry))
				}
			}
			return true
		})
	}
	return faults
}

// called is the name of a function as it is called.
func called(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok {
			return x.Name + "." + f.Sel.Name
		}
	}
	return ""
}

func literal(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}

// entries are those of a list, parted by strokes or by spaces; an underscore is the space in a phrase.
func entries(text string) []string {
	parts := strings.Fields(text)
	if strings.Contains(text, "|") {
		parts = strings.Split(text, "|")
	}
	for i, p := range parts {
		parts[i] = strings.Join(strings.Fields(strings.ReplaceAll(p, "_", " ")), " ")
	}
	return parts
}
