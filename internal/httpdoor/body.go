package httpdoor

import (
	"bytes"
	"errors"
	"io"
	"net/http"

	"github.com/recallerhq/recaller/internal/admission"
)

// leastPart is how much of a body is read at once, at least: most are small.
const leastPart = 4 << 10

// Body reads a request's body of at most so many bytes, as far as it may go, and shows admission what passes.
func Body(x *admission.Exchange, body io.Reader, most int64) ([]byte, error) {
	var out bytes.Buffer
	for {
		out.Grow(leastPart)
		part := out.AvailableBuffer()
		part = part[:cap(part)]
		n, err := body.Read(part)
		if !x.Saw(part[:n]) {
			return nil, x.Whole()
		}
		out.Write(part[:n])
		switch {
		case int64(out.Len()) > most:
			return nil, Simple(http.StatusRequestEntityTooLarge, "invalid", "the body is larger than this route takes")
		case errors.Is(err, io.EOF):
			return out.Bytes(), nil
		case err != nil:
			return nil, Simple(http.StatusBadRequest, "invalid", "the body broke off")
		}
	}
}
