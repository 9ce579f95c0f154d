package chatproxy

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"github.com/recallerhq/recaller/internal/admission"
	"github.com/recallerhq/recaller/internal/httpdoor"
	"github.com/recallerhq/recaller/internal/tag"
)

// answer hands the upstream's answer through: of one request, or of several where the model calls a tool of ours.
type answer struct {
	server *Server
	x      *admission.Exchange
	r      *http.Request
	w      *writer
	to     upstream
	keys   keys
	in     asked
	q      request // as it goes to the upstream
	offers bool    // our tool is offered

	over    chan struct{} // closed when the answer is out
	settled bool          // it is to be kept
	good    bool          // the upstream took the request
	broken  bool          // it, or the client, broke off
	theirs  bool          // the reply calls tools of the client's
	choices map[int64]*choice
	round   round
	spent   [len(usageFields)]int64 // in the rounds before
	id      string                  // of the first round, as JSON: all chunks have the same
	created string
	last    []byte // the last chunk with a choice
	held    int64  // bytes of the upstream's that room was taken for
	skip    bool   // the empty line behind a chunk that is held
}

// maxChoices is how many replies are told apart; a provider gives no more.
const maxChoices = 128

// choice is one of the replies that were asked for.
type choice struct {
	tags    tag.Reader
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
		res, err := a.server.send(ctx, a.r, a.to, a.keys, http.MethodPost, "/chat/completions", a.q.body)
		if err != nil {
			return a.failed(ctx, err)
		}
		err = a.take(ctx, res)
		_ = res.Body.Close() // it is read, or not wanted
		if err != nil || !a.round.again {
			return err
		}
		a.calledBack(ctx)
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
		return passOn(a.w, res)
	}
	a.good = true
	if streams {
		return a.stream(ctx, res)
	}
	return a.whole(ctx, res)
}

// failed tells of a failure: by a status, or in the stream where that is under way.
func (a *answer) failed(ctx context.Context, err error) error {
	a.broken = true
	if a.w.status == 0 || ctx.Err() != nil {
		return err
	}
	a.tail()
	a.put("data: ", errorBody(httpdoor.ProblemOf(err)), "\n\n")
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
	in := bufio.NewReaderSize(res.Body, 32<<10)
	for {
		line, err := a.readLine(in)
		if len(line) > 0 {
			a.line(ctx, line)
			if in.Buffered() == 0 || len(bytes.TrimSpace(line)) == 0 {
				a.w.Flush()
			}
		}
		switch {
		case a.w.gone != nil || ctx.Err() != nil:
			a.broken = true
			return nil //nolint:nilerr // who asked is away, and has what was delivered
		case errors.Is(err, io.EOF) && !a.round.again:
			a.tail()
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

// line hands one line through. What is no data, and what is no chunk, stays as it is.
func (a *answer) line(ctx context.Context, line []byte) {
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	payload := bytes.TrimSpace(data)
	switch {
	case !ok && a.skip && len(bytes.TrimSpace(line)) == 0:
		a.skip = false
	case !ok || !a.in.known:
		a.put("", line, "")
	case string(payload) == "[DONE]" && a.round.again:
		a.skip = true
	case string(payload) == "[DONE]":
		a.tail()
		a.server.settle(ctx, a)
		a.put("", line, "")
	default:
		before, out, keep := a.chunk(payload)
		for _, one := range before {
			a.put("data: ", one, "\n\n")
		}
		switch {
		case !keep:
			a.skip = true
		case bytes.Equal(out, payload):
			a.put("", line, "")
		default:
			a.put("data: ", out, "\n")
		}
	}
}

func (a *answer) put(before string, p []byte, after string) {
	if a.w.gone != nil {
		return
	}
	_, _ = io.WriteString(a.w, before) // the writer keeps why it failed
	_, _ = a.w.Write(p)
	_, _ = io.WriteString(a.w, after)
}

// chunk takes the tags, and calls of our tool, out of a chunk. What comes before it was held back until now.
func (a *answer) chunk(p []byte) (before [][]byte, out []byte, keep bool) {
	if !gjson.ValidBytes(p) {
		return nil, p, true
	}
	root := gjson.ParseBytes(p)
	list := root.Get("choices").Array()
	if len(list) == 0 {
		a.broken = a.broken || root.Get("error").Exists()
		return nil, a.oneAnswer(a.spending(p)), !a.round.again
	}
	a.last = append(a.last[:0], p...)
	keep = true
	for i, c := range list {
		var extra []byte
		p, extra, keep = a.piece(p, i, c)
		if extra != nil {
			before = append(before, a.oneAnswer(extra))
		}
	}
	return before, a.oneAnswer(a.spending(p)), keep
}

// piece takes in what a chunk has of one choice.
func (a *answer) piece(p []byte, i int, c gjson.Result) (out, extra []byte, keep bool) {
	at := "choices." + strconv.Itoa(i)
	ch := a.choice(c.Get("index").Int())
	p, keep = a.calls(p, at, c)
	if r := c.Get("delta.refusal"); r.Type == gjson.String && ch.refusal.Len() < maxReply {
		ch.refusal.WriteString(r.String())
	}
	content := c.Get("delta.content")
	clean, has := "", content.Type == gjson.String
	if has {
		clean = ch.write(a.apart(ch, content.String()))
	}
	if c.Get("finish_reason").Type == gjson.String && !a.round.again {
		rest := ch.close()
		switch {
		case has:
			clean += rest
		case rest != "":
			extra = pieceOf(p, c, rest)
		}
	}
	if has && clean != content.String() {
		p = set(p, at+".delta.content", quote(clean))
	}
	return p, extra, keep
}

// apart parts what a model says after a call of our tool from what it said before it.
func (a *answer) apart(ch *choice, piece string) string {
	before := ch.said.String()
	if a.round.n == 0 || a.round.parted || piece == "" {
		return piece
	}
	a.round.parted = true
	if before == "" || strings.HasSuffix(before, "\n") {
		return piece
	}
	return "\n\n" + piece
}

// pieceOf makes a chunk with a text like another chunk.
func pieceOf(p []byte, c gjson.Result, text string) []byte {
	index := c.Get("index").Raw
	if index == "" {
		index = "0"
	}
	out := set(p, "choices", `[{"index":`+index+`,"delta":{"content":`+quote(text)+`},"finish_reason":null}]`)
	if usage := gjson.GetBytes(out, "usage"); usage.Exists() {
		out = set(out, "usage", "null")
	}
	return out
}

// tail delivers what is held back where a stream ends without a reason.
func (a *answer) tail() {
	for index, c := range a.choices {
		if rest := c.close(); rest != "" {
			of := gjson.Parse(`{"index":` + strconv.FormatInt(index, 10) + `}`)
			a.put("data: ", a.oneAnswer(pieceOf(a.last, of, rest)), "\n\n")
		}
	}
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
		out = a.message(body)
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

// message takes the tags, and calls of our tool, out of an answer.
func (a *answer) message(p []byte) []byte {
	for i, c := range gjson.GetBytes(p, "choices").Array() {
		at := "choices." + strconv.Itoa(i)
		ch := a.choice(c.Get("index").Int())
		p = a.messageCalls(p, at, c)
		ch.refusal.WriteString(c.Get("message.refusal").String())
		content := c.Get("message.content")
		before := ch.out.String()
		if content.Type != gjson.String {
			if before != "" && !a.round.again {
				p = set(p, at+".message.content", quote(before+ch.close()))
			}
			continue
		}
		clean := ch.write(a.apart(ch, content.String()))
		if !a.round.again {
			clean += ch.close()
		}
		if before+clean != content.String() {
			p = set(p, at+".message.content", quote(before+clean))
		}
	}
	return a.oneAnswer(a.spending(p))
}
