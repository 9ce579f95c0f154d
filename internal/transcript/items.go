package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"sort"
)

// An item is one JSON object of a file, with the line that it begins on.
type item struct {
	raw  json.RawMessage
	line int
}

// items reads the objects of a file one by one, whether they stand in an array, one a line, or simply after one
// another.
func items(r io.Reader) iter.Seq2[item, error] {
	return func(yield func(item, error) bool) {
		lines := &lineCounter{r: r}
		dec := json.NewDecoder(lines)
		inArray, err := enterArray(dec, lines)
		if err != nil {
			yield(item{}, err)
			return
		}
		for {
			if inArray && !dec.More() {
				if err := leaveArray(dec, lines); err != nil {
					yield(item{}, err)
				}
				return
			}
			var it item
			err := dec.Decode(&it.raw)
			if !inArray && errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(item{}, syntax(err, lines, dec.InputOffset()))
				return
			}
			it.line = lines.at(dec.InputOffset() - int64(len(it.raw)))
			lines.forget(dec.InputOffset())
			if !yield(it, nil) {
				return
			}
		}
	}
}

// enterArray steps into the array that a file consists of, if it does.
func enterArray(dec *json.Decoder, lines *lineCounter) (bool, error) {
	first, err := lines.peek()
	if err != nil {
		return false, unreadable(err)
	}
	if first != '[' {
		return false, nil
	}
	if _, err := dec.Token(); err != nil {
		return false, syntax(err, lines, dec.InputOffset())
	}
	return true, nil
}

// leaveArray checks that an array is closed, and nothing comes after it.
func leaveArray(dec *json.Decoder, lines *lineCounter) error {
	if _, err := dec.Token(); err != nil {
		return syntax(err, lines, dec.InputOffset())
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return at(lines.at(dec.InputOffset()), "", "expected the file to end with its array")
	}
	return nil
}

// syntax turns an error of the JSON decoder into one that names the line.
func syntax(err error, lines *lineCounter, offset int64) error {
	var bad *json.SyntaxError
	switch {
	case errors.As(err, &bad):
		return at(lines.at(max(bad.Offset-1, offset)), "", "is not valid JSON")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return at(lines.at(lines.read), "", "the JSON breaks off")
	default:
		return unreadable(err)
	}
}

// into decodes an item; an error names the line and the field.
func (it item) into(v any) error {
	err := json.Unmarshal(it.raw, v)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		line := it.line + bytes.Count(it.raw[:min(int(wrong.Offset), len(it.raw))], []byte("\n"))
		return at(line, wrong.Field, "expected %s, got %s", jsonName(wrong.Type.Kind().String()), wrong.Value)
	}
	if err != nil {
		return at(it.line, "", "is not as expected")
	}
	return nil
}

// jsonName says in the words of JSON what kind of Go value was expected.
func jsonName(kind string) string {
	switch kind {
	case "string":
		return "a string"
	case "bool":
		return "true or false"
	case "slice":
		return "an array"
	case "struct", "map":
		return "an object"
	default:
		return "a number"
	}
}

// A lineCounter knows on which line an offset of what was read through it lies.
type lineCounter struct {
	r        io.Reader
	read     int64   // how much was read
	newlines []int64 // offsets of line ends that are not forgotten
	before   int     // how many were forgotten
	peeked   []byte
}

// peek returns the first byte that is not white space, and leaves it to be read; 0 at the end.
func (c *lineCounter) peek() (byte, error) {
	buf := make([]byte, 1)
	for {
		n, err := c.r.Read(buf)
		c.peeked = append(c.peeked, buf[:n]...)
		switch {
		case n == 1 && !bytes.ContainsAny(buf, " \t\r\n"):
			return buf[0], nil
		case errors.Is(err, io.EOF):
			return 0, nil
		case err != nil:
			return 0, err
		}
	}
}

// Read reads on and takes note of line ends.
func (c *lineCounter) Read(p []byte) (int, error) {
	n, err := copy(p, c.peeked), error(nil)
	c.peeked = c.peeked[n:]
	if n == 0 {
		n, err = c.r.Read(p)
	}
	for i, b := range p[:n] {
		if b == '\n' {
			c.newlines = append(c.newlines, c.read+int64(i))
		}
	}
	c.read += int64(n)
	return n, err
}

// at returns the line, from 1, that an offset lies on.
func (c *lineCounter) at(offset int64) int {
	return c.before + 1 + sort.Search(len(c.newlines), func(i int) bool { return c.newlines[i] >= offset })
}

// forget drops the line ends before an offset; at must not be asked for earlier ones.
func (c *lineCounter) forget(offset int64) {
	n := sort.Search(len(c.newlines), func(i int) bool { return c.newlines[i] >= offset })
	c.newlines = append(c.newlines[:0], c.newlines[n:]...)
	c.before += n
}
