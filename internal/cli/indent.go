package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// indenter writes a JSON value for people and programs while it is read, as indented does of a whole one: two spaces a
// step, and the words as they are. It holds one string at a time, however large the value is.
type indenter struct {
	out    *bufio.Writer
	one    bytes.Buffer // the string, number or word that is written
	enc    *json.Encoder
	open   []json.Delim
	filled bool // something stands in what is open last
	key    bool // a key was written, and its value comes

	lists map[string]int // by key of the outermost object: how many values its list has
	in    string         // the key of it that was read last
}

// indent copies one JSON value, and returns how many values each list of its outermost object has. What ends before its
// end is an error.
func indent(to io.Writer, from io.Reader) (lists map[string]int, err error) {
	w := &indenter{out: bufio.NewWriterSize(to, 64<<10), lists: map[string]int{}}
	w.enc = json.NewEncoder(&w.one)
	w.enc.SetEscapeHTML(false)
	dec := json.NewDecoder(from)
	dec.UseNumber()
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("decode the answer: %w", err), w.out.Flush())
		}
		if err := w.token(token); err != nil {
			return nil, err
		}
		if len(w.open) == 0 {
			_ = w.text("\n") // an error stays, and Flush returns it
			return w.lists, w.out.Flush()
		}
	}
}

func (w *indenter) token(token json.Token) error {
	mark, isMark := token.(json.Delim)
	if mark == '}' || mark == ']' {
		w.open = w.open[:len(w.open)-1]
		if w.filled {
			w.line()
		}
		w.filled = true
		return w.text(mark.String())
	}
	key := len(w.open) > 0 && w.open[len(w.open)-1] == '{' && !w.key
	w.before(key)
	if isMark {
		w.open, w.filled = append(w.open, mark), false
		return w.text(mark.String())
	}
	w.one.Reset()
	if err := w.enc.Encode(token); err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	w.one.Truncate(w.one.Len() - 1) // the end of the line
	if key {
		w.key = true
		w.one.WriteString(": ")
	}
	if name, ok := token.(string); ok && key && len(w.open) == 1 {
		w.in = name
	}
	_, err := w.out.Write(w.one.Bytes())
	return err
}

// before writes what stands before a key or value.
func (w *indenter) before(key bool) {
	if w.key { // it stands behind its key
		w.key = false
		return
	}
	if len(w.open) == 0 {
		return
	}
	if w.filled {
		_ = w.text(",")
	}
	w.filled = true
	w.line()
	if !key && len(w.open) == 2 {
		w.lists[w.in]++
	}
}

func (w *indenter) line() {
	_ = w.text("\n" + strings.Repeat("  ", len(w.open)))
}

func (w *indenter) text(s string) error {
	_, err := w.out.WriteString(s)
	return err
}
