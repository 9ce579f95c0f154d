// Command scan cuts lines of text into tokens as recall does: one line in, its tokens parted by spaces out. With the
// tag of a language (de, es, fr, it, pt) it writes the terms of that language instead, "-" for a word that says
// nothing.
//
// It is for tools/distill, whose tables must know words as the server sees them. It is not for serving.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/recallerhq/recaller/internal/recall/token"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "scan:", err)
		os.Exit(1)
	}
}

func run(args []string, r io.Reader, w io.Writer) error {
	name := func(s *token.Scanner) string { return string(s.Bytes()) }
	if len(args) > 0 {
		l, err := language(args[0])
		if err != nil {
			return err
		}
		name = func(s *token.Scanner) string {
			if term := l.Term(string(s.Word(l))); term != "" {
				return term
			}
			return "-"
		}
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<24)
	out := bufio.NewWriter(w)
	var s token.Scanner
	for lines.Scan() {
		var words []string
		for s.Reset(lines.Text()); s.Next(); {
			words = append(words, name(&s))
		}
		if _, err := fmt.Fprintln(out, strings.Join(words, " ")); err != nil {
			return fmt.Errorf("write words: %w", err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read lines: %w", err)
	}
	return out.Flush()
}

func language(tag string) (token.Language, error) {
	for l := token.English; l <= token.Hindi; l++ {
		if l.String() == tag {
			return l, nil
		}
	}
	return token.Unknown, fmt.Errorf("no language has the tag %s", tag)
}
