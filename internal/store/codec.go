package store

import (
	"encoding/binary"
	"math"

	"github.com/recallerhq/recaller"
)

// A turn's body is not JSON, unlike the others: an index is built from ten thousand of them while a caller waits. It is
// a byte of flags, the length of the name and the name, the confidence, and the text to the end.
const (
	turnNamed       = 1 << iota // a name follows
	turnDoubtful                // a confidence follows; without it, it is 1
	turnInterrupted             // it was cut off
	turnKnown       = turnNamed | turnDoubtful | turnInterrupted
)

func appendTurn(b []byte, t recaller.Turn) []byte {
	var flags byte
	if t.Name != "" {
		flags |= turnNamed
	}
	if t.Confidence != 1 {
		flags |= turnDoubtful
	}
	if t.Interrupted {
		flags |= turnInterrupted
	}
	b = append(b, flags)
	if flags&turnNamed != 0 {
		b = append(binary.AppendUvarint(b, uint64(len(t.Name))), t.Name...)
	}
	if flags&turnDoubtful != 0 {
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(t.Confidence))
	}
	return append(b, t.Text...)
}

// readTurn reads what appendTurn wrote. It keeps nothing of b.
func readTurn(b []byte, t *recaller.Turn) bool {
	if len(b) == 0 || b[0]&^turnKnown != 0 {
		return false
	}
	flags, b := b[0], b[1:]
	t.Name, t.Confidence, t.Interrupted = "", 1, flags&turnInterrupted != 0
	if flags&turnNamed != 0 {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > uint64(len(b)-size) {
			return false
		}
		b = b[size:]
		t.Name, b = string(b[:n]), b[n:]
	}
	if flags&turnDoubtful != 0 {
		if len(b) < 8 {
			return false
		}
		t.Confidence, b = math.Float64frombits(binary.BigEndian.Uint64(b)), b[8:]
	}
	t.Text = string(b)
	return true
}
