// Package term is how the command line looks: colours where a person watches and none elsewhere, tables, wrapped text,
// a progress bar, and words of other people with everything taken out that a terminal would obey.
//
// It is not for what the command line says, only for how; it knows nothing of callers or conversations.
package term

import (
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

const (
	defaultWidth = 96  // of text that is not written to a terminal
	maxWidth     = 110 // longer lines are hard to read
)

// Out is one stream with what is known about who reads it. The zero value is not usable; call New.
type Out struct {
	io.Writer
	Terminal bool // a person watches
	Width    int  // columns to fill
	colour   bool
}

// New looks at where w goes. Colours are on for a terminal, unless NO_COLOR is set or TERM is "dumb"
// (https://no-color.org). getenv answers for the environment.
func New(w io.Writer, getenv func(string) string) Out {
	filter := &safe{to: w}
	out := Out{Writer: filter, Width: defaultWidth}
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return out
	}
	out.Terminal, filter.ours = true, true
	out.colour = getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
	if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
		out.Width = min(max(width, 40), maxWidth)
	}
	return out
}

// IsTerminal reports whether a person types what r reads.
func IsTerminal(r io.Reader) bool {
	file, ok := r.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

func (o Out) style(code, s string) string {
	if !o.colour || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// Bold makes s stand out.
func (o Out) Bold(s string) string { return o.style("1", s) }

// Dim makes s step back.
func (o Out) Dim(s string) string { return o.style("2", s) }

// Good colours what went well.
func (o Out) Good(s string) string { return o.style("32", s) }

// Warn colours what needs a look.
func (o Out) Warn(s string) string { return o.style("33", s) }

// Bad colours what failed.
func (o Out) Bad(s string) string { return o.style("31", s) }

// Accent colours what the eye should find first: prompts, speakers.
func (o Out) Accent(s string) string { return o.style("36", s) }

// Clean returns words of other people fit to be shown: no escape sequences, no control or direction characters, one
// line. Names, turns and file contents pass through it before they reach a terminal.
func Clean(s string) string {
	return strings.Join(strings.Fields(strings.Map(visible, s)), " ")
}

// CleanLines is Clean for text of several lines: line breaks and indents stay.
func CleanLines(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return visible(r)
	}, s)
}

// visible maps a character to what may be shown of it: itself, a space, or nothing.
func visible(r rune) rune {
	switch {
	case r == '\n' || r == '\t' || r == '\r' || r == '\u2028' || r == '\u2029':
		return ' '
	case unicode.IsControl(r), r == utf8.RuneError, unicode.Is(unicode.Bidi_Control, r):
		return -1
	default:
		return r
	}
}

// Short cuts s to width columns, at a space where there is one near, with an ellipsis.
func Short(s string, width int) string {
	if utf8.RuneCountInString(s) <= width || width < 2 {
		return s
	}
	cut := string([]rune(s)[:width-1])
	if space := strings.LastIndexByte(cut, ' '); space > len(cut)*3/4 {
		cut = cut[:space]
	}
	return strings.TrimRight(cut, " ,;:") + "…"
}

// Wrap breaks s into lines of at most width columns, each after the first begun with indent. Line breaks in s stay.
func Wrap(s string, width int, indent string) string {
	var b strings.Builder
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			b.WriteString("\n")
		}
		wrapLine(&b, line, width, indent)
	}
	return b.String()
}

func wrapLine(b *strings.Builder, line string, width int, indent string) {
	lead := line[:len(line)-len(strings.TrimLeft(line, " "))]
	column := 0
	for i, word := range strings.Fields(line) {
		size := utf8.RuneCountInString(word)
		switch {
		case i == 0:
			b.WriteString(lead)
			column = len(lead)
		case column+1+size > width:
			b.WriteString("\n" + lead + indent)
			column = len(lead) + len(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += size
	}
}
