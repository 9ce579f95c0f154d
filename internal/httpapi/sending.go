package httpapi

import (
	"bytes"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/recallerhq/recaller/internal/admission"
)

// sending is an answer that is sent piece by piece; err is the first thing that failed.
type sending struct {
	w       io.Writer
	control *http.ResponseController // nil: there is no connection
	held    []byte                   // waits until there is enough to write
	plain   bool                     // <, > and & are written as they are, as in all answers but exports
	err     error
}

// sends describes what a route sends so.
func (s *server) sends(path string, answer reflect.Type) {
	api := s.api.OpenAPI()
	schema := api.Components.Schemas.Schema(answer, true, "")
	api.Paths[path].Get.Responses["200"].Content = map[string]*huma.MediaType{"application/json": {Schema: schema}}
}

// sendingTo begins an answer in JSON.
func sendingTo(x *exchange) *sending {
	x.w.Header().Set("Content-Type", "application/json")
	return &sending{w: x.w, control: http.NewResponseController(x.w)}
}

// sent ends an answer. Where something of it failed it breaks the connection, so that nobody takes half of it for the
// whole.
func (s *server) sent(x *exchange, out *sending) {
	out.text("\n")
	out.flush()
	_ = out.control.SetWriteDeadline(time.Time{}) // the connection may serve another request
	if out.err == nil {
		return
	}
	x.Fail(out.err)
	s.Log.Warn("answer broke off", "request_id", x.ID, "kind", string(admission.KindOf(out.err)), "err", out.err)
	panic(http.ErrAbortHandler)
}

// sentAtOnce is how much of it is written at once: who reads must take that much within writeWait.
const sentAtOnce = 32 << 10

func (o *sending) text(s string) { o.bytes([]byte(s)) }

func (o *sending) bytes(b []byte) {
	if o.err != nil {
		return
	}
	if o.held = append(o.held, b...); len(o.held) >= sentAtOnce {
		o.flush()
	}
}

func (o *sending) flush() {
	for b := o.held; len(b) > 0 && o.err == nil; {
		n := min(len(b), sentAtOnce)
		// By the machine's clock; not every connection has deadlines.
		if o.control != nil {
			_ = o.control.SetWriteDeadline(time.Now().Add(writeWait))
		}
		_, o.err = o.w.Write(b[:n])
		b = b[n:]
	}
	o.held = o.held[:0]
}

// value writes a value.
func (o *sending) value(v any) { o.bytes(o.marshal(v)) }

// open writes an object, and leaves it open.
func (o *sending) open(v any) {
	raw := o.marshal(v)
	o.bytes(raw[:max(0, len(raw)-1)])
}

func (o *sending) marshal(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(!o.plain)
	o.fail(enc.Encode(v))
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// member writes a member of an object that is open.
func (o *sending) member(name string, v any) {
	o.text(`,"` + name + `":`)
	o.value(v)
}

func (o *sending) fail(err error) {
	if o.err == nil {
		o.err = err
	}
}

// members writes a list as a member of an object that is open, each of the list with write as it is read.
func members[T any](o *sending, name string, list iter.Seq2[T, error], write func(T)) {
	o.text(`,"` + name + `":[`)
	comma := ""
	for v, err := range list {
		if o.fail(err); o.err != nil {
			return
		}
		o.text(comma)
		write(v)
		comma = ","
	}
	o.text("]")
}

// rows writes a list of plain values.
func rows[T, U any](o *sending, name string, list iter.Seq2[T, error], out func(T) U) {
	members(o, name, list, func(v T) { o.value(out(v)) })
}
