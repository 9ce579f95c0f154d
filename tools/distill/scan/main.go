// Command scan cuts lines of text into tokens as recall does: one line in, its tokens parted by spaces out.
//
// It is for tools/distill, whose table must know words as the server sees them. It is not for serving.
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
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "scan:", err)
		os.Exit(1)
	}
}

func run(r io.Reader, w io.Writer) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<24)
	out := bufio.NewWriter(w)
	var s token.Scanner
	for lines.Scan() {
		var words []string
		for s.Reset(lines.Text()); s.Next(); {
			words = append(words, string(s.Bytes()))
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
