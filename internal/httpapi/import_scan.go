package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/recallerhq/recaller"
)

// maxImported is how many bytes of JSON one imported conversation may have, so that memory for it is bounded. It is three
// times what the turns of a day of talking without a pause take.
const maxImported = 8 << 20

var errTooLong = errors.New("a value is too long")

// values reads the JSON values of a large body one by one, none larger than maxImported. Where one is, it fails with
// errTooLong.
type values struct {
	*json.Decoder
	bounded *bounded
}

func valuesOf(r io.Reader) *values {
	b := &bounded{r: r, until: maxImported}
	return &values{Decoder: json.NewDecoder(b), bounded: b}
}

// value decodes the next value. It counts from the end of the one before.
func (v *values) value(into any) error {
	v.bounded.until = v.InputOffset() + maxImported
	return v.Decode(into)
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
}

// scan reads a body to its end, and keeps none of it. It fails if the body is not JSON or if a conversation in it is too
// large, so that a batch is not carried out in part because of what it has further on.
func scan(body io.Reader) (head batchHead, err error) {
	v := valuesOf(body)
	defer func() { err = scanErr(err) }()
	if first, err := v.Token(); err != nil || first != json.Delim('{') {
		return head, nil // importOne says what is wrong with it
	}
	unknown, badWrapup := "", false
	for v.More() {
		v.bounded.until = v.InputOffset() + maxImported
		key, err := v.Token()
		if err != nil {
			return head, err
		}
		switch name, _ := key.(string); name {
		case "conversations":
			err = scanConversations(v)
			head.Batch = true
		case "wrapup":
			var raw json.RawMessage
			err = v.value(&raw)
			badWrapup = badWrapup || json.Unmarshal(raw, &head.Wrapup) != nil
		default:
			err = v.value(&skipped{})
			if unknown == "" || name < unknown {
				unknown = name
			}
		}
		if err != nil {
			return head, err
		}
	}
	if err := end(v); err != nil || !head.Batch {
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
func scanConversations(v *values) error {
	if first, err := v.Token(); err != nil || first != json.Delim('[') {
		return errors.Join(err, recaller.InvalidField("conversations", "expected array"))
	}
	for i := 0; v.More(); i++ {
		err := v.value(&skipped{})
		if errors.Is(err, errTooLong) {
			return recaller.InvalidField(fmt.Sprintf("conversations[%d]", i), "may have at most %d MiB of JSON", maxImported>>20)
		}
		if err != nil {
			return err
		}
	}
	_, err := v.Token()
	return err
}

// end reads the end of an object, after which there is to be nothing.
func end(v *values) error {
	if _, err := v.Token(); err != nil {
		return err
	}
	v.bounded.until = v.InputOffset() + maxImported
	_, err := v.Token()
	if errors.Is(err, io.EOF) {
		return nil
	}
	return errors.Join(notJSON(), err)
}

func notJSON() error { return simple(http.StatusBadRequest, "invalid", "the body is not valid JSON") }

// scanErr says in our words why a body cannot be read.
func scanErr(err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, errTooLong):
		return tooLong()
	case errors.As(err, &syntax) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return notJSON()
	}
	return err
}

func tooLong() error {
	return simple(http.StatusRequestEntityTooLarge, "invalid", fmt.Sprintf("one conversation may have at most %d MiB of JSON", maxImported>>20))
}
