package httpapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/httpdoor"
)

// maxImported is how many bytes of JSON one imported conversation may have, so that memory for it is bounded: more than a
// million words.
const maxImported = 8 << 20

// room is what so many bytes of JSON take of server.importing: of short turns much memory, for each byte.
func room(size int64) int64 { return min(2*size, maxImported) }

var errTooLong = errors.New("a value is too long")

// values reads a large body's JSON part by part, none larger than maxImported. Where one is, it fails with errTooLong.
// What it fails with else is in our words, too.
type values struct {
	dec     *json.Decoder
	bounded bounded
}

func valuesOf(r io.Reader) *values {
	v := &values{bounded: bounded{r: r}}
	v.dec = json.NewDecoder(&v.bounded)
	return v
}

// next lets the decoder read on, as far as the next part may reach with what separates it from the one before.
func (v *values) next() *json.Decoder {
	const separated = 1 << 10
	v.bounded.until = v.dec.InputOffset() + maxImported + separated
	return v.dec
}

// more reports whether an object or array goes on. Where it cannot be read on, the next part says why.
func (v *values) more() bool { return v.next().More() }

// token reads a key or a bracket.
func (v *values) token() (json.Token, error) {
	t, err := v.next().Token()
	return t, scanErr(err)
}

// value decodes the next value, and tells its size in bytes.
func (v *values) value(into any) (size int64, err error) {
	before := v.dec.InputOffset()
	err = v.next().Decode(into)
	return v.dec.InputOffset() - before, scanErr(err)
}

// end reads the end of the body, after which there is to be nothing.
func (v *values) end() error {
	_, err := v.next().Token()
	if errors.Is(err, io.EOF) {
		return nil
	}
	return cmp.Or(scanErr(err), notJSON())
}

// bounded reads up to a place in r, and fails with errTooLong there.
type bounded struct {
	r           io.Reader
	read, until int64
}

// Read reads on.
func (b *bounded) Read(p []byte) (int, error) {
	if b.read >= b.until && len(p) > 0 {
		return 0, errTooLong
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.until-b.read)])
	b.read += int64(n)
	return n, err
}

// batchHead is what a batch says beside its conversations.
type batchHead struct {
	Batch  bool // the body is one; else it is a conversation
	Wrapup *bool
	Rooms  []int32 // what its conversations take of server.importing
}

// scan reads a body to its end, and keeps none of it. It fails if the body is not JSON or if a conversation in it is too
// large, so that a batch is not carried out in part because of what it has further on.
func scan(body io.Reader) (head batchHead, err error) {
	v := valuesOf(body)
	if first, err := v.token(); err != nil || first != json.Delim('{') {
		return head, nil //nolint:nilerr // importOne says what is wrong with it
	}
	unknown, badWrapup := "", false
	for v.more() {
		key, err := v.token()
		if err != nil {
			return head, err
		}
		switch name, _ := key.(string); name {
		case "conversations":
			err = scanConversations(v, &head)
			head.Batch = true
		case "wrapup":
			var raw json.RawMessage
			_, err = v.value(&raw)
			badWrapup = badWrapup || json.Unmarshal(raw, &head.Wrapup) != nil
		default:
			_, err = v.value(&skipped{})
			if unknown == "" || name < unknown {
				unknown = name
			}
		}
		if err != nil {
			return head, err
		}
	}
	if _, err := v.token(); err != nil { // the object's end
		return head, err
	}
	if err := v.end(); err != nil || !head.Batch {
		return head, err
	}
	if unknown != "" {
		return head, recaller.InvalidField(printable(unknown), "is not a field of this request")
	}
	if badWrapup {
		return head, recaller.InvalidField("wrapup", "expected boolean")
	}
	return head, nil
}

// scanConversations reads the array of them.
func scanConversations(v *values, head *batchHead) error {
	first, err := v.token()
	if err != nil {
		return err
	}
	if first != json.Delim('[') {
		return recaller.InvalidField("conversations", "expected array")
	}
	for i := 0; v.more(); i++ {
		size, err := v.value(&skipped{})
		switch {
		case errors.Is(err, errTooLong):
			return recaller.InvalidField(fmt.Sprintf("conversations[%d]", i), "may have at most %d MiB of JSON", maxImported>>20)
		case err != nil:
			return err
		}
		head.Rooms = append(head.Rooms, int32(room(size)))
	}
	_, err = v.token()
	return err
}

func notJSON() error {
	return httpdoor.Simple(http.StatusBadRequest, "invalid", "the body is not valid JSON")
}

// scanErr says in our words why a body cannot be read.
func scanErr(err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, errTooLong):
		return errors.Join(tooLong(), errTooLong)
	case errors.As(err, &syntax) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return notJSON()
	}
	return err
}

func tooLong() error {
	return httpdoor.Simple(http.StatusRequestEntityTooLarge, "invalid", fmt.Sprintf("one conversation may have at most %d MiB of JSON", maxImported>>20))
}
