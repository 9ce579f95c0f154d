package cli

import (
	"fmt"
	"strings"
	"sync"

	"github.com/recallerhq/recaller/internal/cli/term"
)

// screen shows a call. What happens meanwhile goes above the line that is being typed. Safe for concurrent use.
type screen struct {
	out  term.Out
	live bool // a person types at a prompt

	mu      sync.Mutex // guards all below, and the order of what is written
	waiting string     // the prompt that stands on the last line; empty if none does
	midline bool       // a reply is being spoken
}

// printf writes a line.
func (s *screen) printf(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := fmt.Sprintf(format, args...)
	switch {
	case s.midline:
		fmt.Fprintf(s.out, "\n%s\n", text)
		s.midline = false
	case s.waiting != "":
		fmt.Fprintf(s.out, "\r\x1b[K%s\n%s", text, s.waiting)
	default:
		fmt.Fprintln(s.out, text)
	}
}

// show lets write print several lines, with nothing in between.
func (s *screen) show(write func(out term.Out)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	write(s.out)
}

// prompt asks for a line.
func (s *screen) prompt(text string) {
	if !s.live {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = s.out.Accent(strings.TrimRight(text, " ")) + " "
	fmt.Fprint(s.out, s.waiting)
}

// entered notes that the line was ended.
func (s *screen) entered() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = ""
}

// leave ends the line at the prompt, because nobody else will.
func (s *screen) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting != "" {
		fmt.Fprintln(s.out)
	}
	s.waiting = ""
}

// begin opens a line that is spoken piece by piece.
func (s *screen) begin(lead string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprint(s.out, s.out.Accent(strings.TrimRight(lead, " "))+" ")
	s.midline = true
}

// piece adds to the line that begin opened.
func (s *screen) piece(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprint(s.out, strings.ReplaceAll(term.CleanLines(text), "\n", " "))
	s.midline = true
}

// end closes the line that begin opened.
func (s *screen) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.midline {
		fmt.Fprintln(s.out)
	}
	s.midline = false
}
