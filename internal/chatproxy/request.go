package chatproxy

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/httpdoor"
	"github.com/recallerhq/recaller/internal/thread"
)

// request is the body of a request, which is edited in place: what is not changed stays byte for byte. A body that is
// not what the wire has is not judged here: it goes on as it is, and the upstream says so.
type request struct {
	wire
	body   []byte
	root   gjson.Result
	list   []message // of its messages, in order
	newest int       // the user's newest message; -1: there is none
}

// message is where a message stands in the body.
type message struct {
	at, end int
	role    string
	content gjson.Result
}

// wire is how one kind of requests, and of answers, is read and edited.
type wire interface {
	path() string                                          // of its endpoint, below the base URL
	messages() string                                      // the field that they are in
	role(m gjson.Result) string                            // of a message: user, assistant, or any other
	remember(q request, block string) request              // puts a block into a body that has messages
	offer(q request) (out request, ok bool)                // adds our tool to the client's
	withdraw(q request) request                            // takes our tool away, so that the model comes to an end
	goOn(q request, said string, results []result) request // has the model go on behind what it said and called
	reader(a *answer) reader                               // of an answer
	failure(p *httpdoor.Problem) []byte                    // as clients read it
	event(failure []byte) string                           // that tells of a failure in a stream
	keys(h http.Header) keys
	sign(h http.Header, key string) // the key of the upstream
}

// reader edits the answers of one request, of all its rounds.
type reader interface {
	line(ctx context.Context, line []byte) bool // of a stream: hands it through; false: there is no room for it
	tail()                                      // delivers what is held back where a stream ends without a reason
	whole(body []byte) []byte
}

// parse reads a body.
func parse(w wire, body []byte) request {
	q := request{wire: w, body: body, newest: -1}
	if !gjson.ValidBytes(body) {
		return q
	}
	q.root = gjson.ParseBytes(body)
	if !q.root.IsObject() {
		return q
	}
	messages := q.root.Get(w.messages())
	if !messages.IsArray() || messages.Index == 0 {
		return q
	}
	messages.ForEach(func(_, m gjson.Result) bool {
		role := w.role(m)
		if role == "user" {
			q.newest = len(q.list)
		}
		q.list = append(q.list, message{m.Index, m.Index + len(m.Raw), role, m.Get("content")})
		return true
	})
	return q
}

// chat reports whether the body has messages.
func (q request) chat() bool { return len(q.list) > 0 }

// choices is how many answers are asked for.
func (q request) choices() int64 { return max(1, q.root.Get("n").Int()) }

// set returns the request with a value of JSON, which is known to be good.
func (q request) set(path, raw string) request { return parse(q.wire, set(q.body, path, raw)) }

// with returns a request with parts of the body replaced. Places are those of the body.
func (q request) with(from, to int, text string) request {
	return parse(q.wire, slices.Concat(q.body[:from], []byte(text), q.body[to:]))
}

// stripped takes blocks of ours out that came back in the history: whole messages, and what an agent repeated of one.
func (q request) stripped() request {
	if !bytes.Contains(q.body, []byte(markName)) {
		return q
	}
	var kept []string
	changed := false
	for _, m := range q.list {
		raw := string(q.body[m.at:m.end])
		switch {
		case m.role == "user" || m.content.Type != gjson.String:
		case m.role != "assistant" && isBlock(m.content.String()):
			changed = true
			continue
		default:
			if text := m.content.String(); unmarked(text) != text {
				raw, _ = sjson.SetRaw(raw, "content", quote(unmarked(text))) // of what was read: it cannot fail
				changed = true
			}
		}
		kept = append(kept, raw)
	}
	if !changed {
		return q
	}
	return q.with(q.list[0].at, q.list[len(q.list)-1].end, strings.Join(kept, ","))
}

// onward returns the request without what platforms added, for a model if one is configured.
func (q request) onward(model string) request {
	fields := platformFields
	if q.root.Get("call").IsObject() {
		fields = slices.Concat(fields, vapiFields)
	}
	for _, name := range fields {
		for q.root.Get(name).Exists() {
			out, err := sjson.DeleteBytes(q.body, name)
			if err != nil || len(out) >= len(q.body) {
				break
			}
			q = parse(q.wire, out)
		}
	}
	if model == "" || !q.root.IsObject() || q.root.Get("model").String() == model {
		return q
	}
	if out, err := sjson.SetRawBytes(q.body, "model", []byte(quote(model))); err == nil {
		q = parse(q.wire, out)
	}
	return q
}

// said returns what the user says now; ok is false if that has no words and no pictures.
func (q request) said() (m thread.Message, ok bool) {
	if q.newest < 0 {
		return m, false
	}
	content := q.list[q.newest].content
	if content.Type == gjson.String {
		m.Text = content.String()
	}
	if content.IsArray() {
		var texts []string
		content.ForEach(func(_, part gjson.Result) bool {
			if text := part.Get("text"); text.Type == gjson.String {
				texts = append(texts, text.String())
			} else if media, ok := mediaOf(part); ok && len(m.Media) < maxMedia {
				m.Media = append(m.Media, media)
			}
			return true
		})
		m.Text = strings.Join(texts, "\n")
	}
	m.Text = cut(plain(unmarked(m.Text)), maxMessage)
	return m, strings.TrimSpace(m.Text) != "" || len(m.Media) > 0
}

// Bounds of a message, which thread refuses to pass: the rest of a longer one is not kept.
const (
	maxMedia   = 16
	maxMessage = 24 << 10
	maxReply   = recaller.MaxTurnBytes - 4<<10
	maxRef     = 2000
)

// mediaOf returns a part that is no text as a reference.
func mediaOf(part gjson.Result) (thread.Media, bool) {
	switch part.Get("type").String() {
	case "image_url":
		at := part.Get("image_url")
		if at.IsObject() {
			at = at.Get("url")
		}
		return thread.Media{Kind: thread.MediaImage, Ref: reference(at.String())}, at.String() != ""
	case "input_audio":
		data := part.Get("input_audio.data").String()
		return thread.Media{Kind: thread.MediaFile, Ref: reference("data:audio/" + part.Get("input_audio.format").String() + ";base64," + data)}, data != ""
	case "image", "document": // of Anthropic's
		at, kind := part.Get("source"), thread.MediaFile
		if part.Get("type").String() == "image" {
			kind = thread.MediaImage
		}
		ref := at.Get("url").String() + at.Get("file_id").String()
		if data := at.Get("data").String(); data != "" {
			ref = "data:" + at.Get("media_type").String() + ";base64," + data
		}
		return thread.Media{Kind: kind, Ref: reference(ref), Name: reference(part.Get("title").String())}, ref != ""
	case "file":
		f := part.Get("file")
		ref := f.Get("file_id").String()
		if ref == "" {
			ref = reference(f.Get("file_data").String())
		}
		return thread.Media{Kind: thread.MediaFile, Ref: reference(ref), Name: reference(f.Get("filename").String())}, ref != ""
	}
	return thread.Media{}, false
}

// reference returns an address as a message can hold it. What is data itself, or too long, is told by its hash.
func reference(at string) string {
	sum := sha256.Sum256([]byte(at))
	short := hex.EncodeToString(sum[:8])
	if rest, ok := strings.CutPrefix(at, "data:"); ok {
		kind, _, _ := strings.Cut(rest, ";")
		return "data:" + oneLine(cut(kind, 100)) + ";sha256=" + short
	}
	if len(at) > maxRef/3 {
		return oneLine(cut(at, 200)) + "…sha256=" + short
	}
	return oneLine(at)
}

var bracketed = strings.NewReplacer("[", "%5B", "]", "%5D", "\n", "", "\r", "", "\x00", "")

func oneLine(s string) string { return bracketed.Replace(strings.ToValidUTF8(s, "")) }

// plain returns a text as it can be kept.
func plain(s string) string { return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "") }

// cut returns a text of at most so many bytes, whole runes.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// textOf returns what a message says, without what is no text.
func textOf(content gjson.Result) string {
	if content.Type == gjson.String {
		return content.String()
	}
	var texts []string
	for _, part := range content.Array() {
		if text := part.Get("text"); text.Type == gjson.String {
			texts = append(texts, text.String())
		}
	}
	return strings.Join(texts, "\n")
}

// before returns what the agent said already in the exchange that goes on: between calls of its tools.
func (q request) before() string {
	var said []string
	for _, m := range q.list[q.newest+1:] {
		if text := strings.TrimSpace(unmarked(textOf(m.content))); m.role == "assistant" && text != "" {
			said = append(said, text)
		}
	}
	return strings.Join(said, "\n")
}

// goesOn reports that the request continues an exchange: behind the user's message come calls of tools and their results.
func (q request) goesOn() bool { return q.newest >= 0 && q.newest < len(q.list)-1 }

// alone reports that nothing was said before the user's message, as far as the request tells.
func (q request) alone() bool {
	return q.newest >= 0 && !slices.ContainsFunc(q.list[:q.newest], func(m message) bool {
		return m.role == "user" || m.role == "assistant"
	})
}

// mark is a hash of the exchange: whose it is, all that was said before, and the message.
func (q request) mark(w whom) string {
	h := sha256.New()
	for _, part := range []string{w.user, w.session} {
		_, _ = io.WriteString(h, quote(part)) // a hash takes all
	}
	for _, m := range q.list[:q.newest+1] {
		if m.role == "user" || m.role == "assistant" {
			h.Write(q.body[m.at:m.end])
			h.Write([]byte{0})
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// quote writes a text as JSON, with its characters as they are.
func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // of a text, which cannot fail
	return strings.TrimRight(b.String(), "\n")
}
