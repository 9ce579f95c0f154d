package chatproxy

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"github.com/recallerhq/recaller/internal/httpdoor"
	"github.com/recallerhq/recaller/internal/tag"
)

// answer hands the upstream's answer through: of one request, or of several where the model calls a tool of ours.
type answer struct {
	server *Server
	x      *exchange
	r      *http.Request
	w      *writer
	to     upstream
	keys   keys
	in     asked
	q      request // as it goes to the upstream
	plain  request // the same without memory
	offers bool    // our tool is offered; calls of it are carried out here

	over    chan struct{} // closed when the answer is out
	settled bool          // it is to be kept
	good    bool          // the upstream took the request
	broken  bool          // it, or the client, broke off
	theirs  bool          // the reply calls tools of the client's
	choices map[int64]*choice
	round   round
	held    int64 // bytes of the upstream's that room was taken for
	reader  reader
}

// maxChoices is how many replies are told apart; a provider gives no more.
const maxChoices = 128

// choice is one of the replies that were asked for.
type choice struct {
	tags    tag.Reader
	before  []tag.Tag       // of texts that are over
	said    strings.Builder // as the model wrote it
	out     strings.Builder // as it was delivered
	refusal strings.Builder
	closed  bool
}

func (a *answer) choice(index int64) *choice {
	if a.choices == nil {
		a.choices = map[int64]*choice{}
	}
	c := a.choices[index]
	if c == nil {
		c = &choice{}
		if len(a.choices) < maxChoices {
			a.choices[index] = c
		}
	}
	return c
}

// write takes a piece of the reply, and returns what of it can be delivered.
func (c *choice) write(piece string) string {
	if c.said.Len() < maxReply {
		c.said.WriteString(piece)
	}
	return c.delivered(c.tags.Write(piece))
}

// close returns what is left to deliver.
func (c *choice) close() string {
	if c.closed {
		return ""
	}
	c.closed = true
	return c.delivered(c.tags.Close())
}

// open begins another text of the same reply. No tag goes on from one to the next.
func (c *choice) open() {
	if c.closed {
		c.before, c.tags, c.closed = append(c.before, c.tags.Tags()...), tag.Reader{}, false
	}
}

// taken returns the tags so far.
func (c *choice) taken() []tag.Tag { return slices.Concat(c.before, c.tags.Tags()) }

func (c *choice) delivered(text string) string {
	if c.out.Len() < maxReply {
		c.out.WriteString(text)
	}
	return text
}

// run asks the upstream, and again while the model calls our tool.
func (a *answer) run(ctx context.Context) error {
	for n := 0; ; n++ {
		a.round = round{n: n, from: a.choice(0).said.Len()}
		a.choice(0).open()
		res, err := a.server.send(ctx, a.x, a.r, a.to, a.keys, http.MethodPost, a.q.path(), a.q.body)
		if err != nil {
			return a.failed(ctx, err)
		}
		err = a.take(ctx, res)
		_ = res.Body.Close() // it is read, or not wanted
		if err != nil || !a.round.again {
			return err
		}
		a.goOn(ctx)
	}
}

// take hands one answer of the upstream through.
func (a *answer) take(ctx context.Context, res *http.Response) error {
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")) // what is no type is none that we know
	streams := kind == "text/event-stream"
	switch {
	case res.StatusCode/100 != 2 && a.round.n > 0 && a.w.status != 0:
		return a.failed(ctx, httpdoor.Simple(http.StatusBadGateway, "upstream_error", "the upstream refused to go on"))
	case res.StatusCode/100 != 2:
		if a.overflows(res) {
			a.round.again, a.round.bare = true, true
			return nil
		}
		return passOn(a.w, res)
	}
	a.good = true
	if streams {
		return a.stream(ctx, res)
	}
	return a.whole(ctx, res)
}

// overflows reports that the upstream refuses a request as too long for its model, where we made it longer. It is sent
// again without memory then: what the model can take of itself must not fail because of us.
func (a *answer) overflows(res *http.Response) bool {
	tooLong := res.StatusCode == http.StatusBadRequest || res.StatusCode == http.StatusRequestEntityTooLarge
	if !tooLong || a.round.n > 0 || len(a.q.body) == len(a.plain.body) {
		return false
	}
	head, err := io.ReadAll(io.LimitReader(res.Body, maxRefusal))
	res.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(head), res.Body), res.Body}
	said := bytes.ToLower(head)
	if err != nil || !slices.ContainsFunc(overflow, func(words string) bool { return bytes.Contains(said, []byte(words)) }) {
		return false
	}
	a.x.memory = statusDegraded
	a.w.Header().Set(statusHeader, statusDegraded)
	return true
}

// maxRefusal is how much of a refusal is looked at, and overflow how providers say that a request is too long.
const maxRefusal = 16 << 10

var overflow = []string{
	"context_length_exceeded", "exceed_context_size", "context length", "context size", "context window", "prompt is too long",
}

// failed tells of a failure: by a status, or in the stream where that is under way.
func (a *answer) failed(ctx context.Context, err error) error {
	a.broken = true
	if a.w.status == 0 || ctx.Err() != nil {
		return err
	}
	a.reader.tail()
	a.put("", []byte(a.q.event(a.q.failure(httpdoor.ProblemOf(err)))), "")
	a.w.Flush()
	return err
}

// maxLine bounds one line of a stream, and maxWhole an answer that is no stream.
const (
	maxLine  = 16 << 20
	maxWhole = 64 << 20
)

// stream hands a stream through, line by line, each event as soon as it is there.
func (a *answer) stream(ctx context.Context, res *http.Response) error {
	if a.round.n == 0 || a.w.status == 0 {
		answered(a.w, res, true)
		h := a.w.Header()
		h.Set("Cache-Control", "no-cache")
		h.Set("X-Accel-Buffering", "no")
		a.w.WriteHeader(res.StatusCode)
		a.w.Flush()
	}
	in := bufio.NewReader(res.Body)
	for {
		line, err := a.readLine(in)
		if len(line) > 0 {
			if !a.hand(ctx, line) {
				err = bufio.ErrTooLong
			}
			if in.Buffered() == 0 || len(bytes.TrimSpace(line)) == 0 {
				a.w.Flush()
			}
		}
		switch {
		case a.w.gone != nil || ctx.Err() != nil:
			a.broken = true
			return nil //nolint:nilerr // who asked is away, and has what was delivered
		case errors.Is(err, io.EOF) && !a.round.again:
			a.reader.tail()
			a.w.Flush()
			return nil
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return a.failed(ctx, httpdoor.Simple(http.StatusBadGateway, "upstream_broke_off", "the upstream broke off"))
		}
	}
}

func (a *answer) readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxLine || !a.room(len(line)):
			return nil, bufio.ErrTooLong
		case !errors.Is(err, bufio.ErrBufferFull):
			return line, err
		}
	}
}

// room reports whether so many bytes of the upstream's may be held at once: those of all requests have one budget.
func (a *answer) room(n int) bool {
	more := int64(n) - a.held
	if more <= 0 {
		return true
	}
	if !a.x.Holds(more) {
		return false
	}
	a.held += more
	return true
}

// hand hands one line of a stream through.
func (a *answer) hand(ctx context.Context, line []byte) bool {
	if a.in.known {
		return a.reader.line(ctx, line)
	}
	a.put("", line, "")
	return true
}

func (a *answer) put(before string, p []byte, after string) {
	if a.w.gone != nil {
		return
	}
	_, _ = a.w.Write([]byte(before)) // the writer keeps why it failed
	_, _ = a.w.Write(p)
	_, _ = a.w.Write([]byte(after))
}

// set sets a value of JSON that is known to be good.
func set(p []byte, path, raw string) []byte {
	out, err := sjson.SetRawBytes(p, path, []byte(raw))
	if err != nil {
		return p
	}
	return out
}

// whole hands an answer through that is no stream.
func (a *answer) whole(ctx context.Context, res *http.Response) error {
	body, err := a.readWhole(res.Body)
	if err != nil {
		return a.failed(ctx, httpdoor.Simple(http.StatusBadGateway, "upstream_broke_off", "the upstream broke off, or answered too much"))
	}
	out := body
	if a.in.known && gjson.ValidBytes(body) {
		out = a.reader.whole(body)
	}
	if a.round.again {
		return nil
	}
	a.server.settle(ctx, a)
	answered(a.w, res, true)
	a.w.Header().Set("Content-Length", strconv.Itoa(len(out)))
	a.w.WriteHeader(res.StatusCode)
	a.put("", out, "")
	a.w.Flush()
	a.broken = a.broken || a.w.gone != nil
	return nil
}

func (a *answer) readWhole(in io.Reader) ([]byte, error) {
	var out bytes.Buffer
	part := make([]byte, 32<<10)
	for {
		n, err := in.Read(part)
		out.Write(part[:n])
		switch {
		case out.Len() > maxWhole || !a.room(out.Len()):
			return nil, bufio.ErrTooLong
		case errors.Is(err, io.EOF):
			return out.Bytes(), nil
		case err != nil:
			return nil, err
		}
	}
}
