package chatproxy

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// chatAnswer edits answers of chat completions. What is no data, and what is no chunk, stays as it is.
type chatAnswer struct {
	*answer
	spent   [len(usageFields)]int64 // in the rounds before
	id      string                  // of the first round, as JSON: all chunks have the same
	created string
	last    []byte // the last chunk with a choice
	skip    bool   // the empty line behind a chunk that is held
}

// line hands one line through. What is no data, and what is no chunk, stays as it is.
func (a *chatAnswer) line(ctx context.Context, line []byte) bool {
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	payload := bytes.TrimSpace(data)
	switch {
	case !ok && a.skip && len(bytes.TrimSpace(line)) == 0:
		a.skip = false
	case !ok:
		a.put("", line, "")
	case string(payload) == "[DONE]" && a.round.again:
		a.skip = true
	case string(payload) == "[DONE]":
		a.tail()
		a.server.settle(ctx, a.answer)
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
	return true
}

// chunk takes the tags, and calls of our tool, out of a chunk. What comes before it was held back until now.
func (a *chatAnswer) chunk(p []byte) (before [][]byte, out []byte, keep bool) {
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
func (a *chatAnswer) piece(p []byte, i int, c gjson.Result) (out, extra []byte, keep bool) {
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
		if c.Get("finish_reason").String() == "stop" && a.mute(ch) {
			p, keep = set(p, at+".finish_reason", "null"), clean != ""
		}
	}
	if has && clean != content.String() {
		p = set(p, at+".delta.content", quote(clean))
	}
	return p, extra, keep
}

// apart parts what a model says after a call of our tool from what it said before it.
func (a *chatAnswer) apart(ch *choice, piece string) string {
	before := ch.out.String()
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
func (a *chatAnswer) tail() {
	for index, c := range a.choices {
		if rest := c.close(); rest != "" {
			of := gjson.Parse(`{"index":` + strconv.FormatInt(index, 10) + `}`)
			a.put("data: ", a.oneAnswer(pieceOf(a.last, of, rest)), "\n\n")
		}
	}
}

// whole takes the tags, and calls of our tool, out of an answer.
func (a *chatAnswer) whole(p []byte) []byte {
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
		if c.Get("finish_reason").String() == "stop" && a.mute(ch) {
			return a.spending(p)
		}
		if before+clean != content.String() {
			p = set(p, at+".message.content", quote(before+clean))
		}
	}
	return a.oneAnswer(a.spending(p))
}

// calls takes calls of our tool out of a chunk. keep is false where nothing of the chunk is for the client.
func (a *chatAnswer) calls(p []byte, at string, c gjson.Result) (out []byte, keep bool) {
	pieces := c.Get("delta.tool_calls").Array()
	var passed []string
	changed := false
	for i, one := range pieces {
		k := a.call(one, int64(i))
		if k.ours {
			if k.arguments.Len() < maxArguments {
				k.arguments.WriteString(one.Get("function.arguments").String())
			}
			changed = true
			continue
		}
		raw := one.Raw
		if index := one.Get("index"); index.Exists() && index.Int() != k.index {
			raw, _ = sjson.SetRaw(raw, "index", strconv.FormatInt(k.index, 10)) // of what was read: it cannot fail
			changed = true
		}
		passed = append(passed, raw)
	}
	if c.Get("finish_reason").Type == gjson.String {
		a.ended()
	}
	if a.round.again && c.Get("finish_reason").Type == gjson.String && c.Get("delta.content").String() == "" {
		return p, false
	}
	switch {
	case a.round.again:
		p = set(p, at+".finish_reason", "null")
	case !changed:
	case len(passed) > 0:
		return set(p, at+".delta.tool_calls", "["+strings.Join(passed, ",")+"]"), true
	}
	if changed {
		out, err := sjson.DeleteBytes(p, at+".delta.tool_calls")
		left := gjson.GetBytes(out, at)
		empty := len(left.Get("delta").Map()) == 0 && left.Get("finish_reason").Type != gjson.String
		return out, err != nil || !empty
	}
	return p, true
}

// messageCalls is calls, for an answer that is no stream.
func (a *chatAnswer) messageCalls(p []byte, at string, c gjson.Result) []byte {
	var passed []string
	list := c.Get("message.tool_calls").Array()
	for i, one := range list {
		if k := a.call(one, int64(i)); k.ours {
			k.arguments.WriteString(one.Get("function.arguments").String())
		} else {
			passed = append(passed, one.Raw)
		}
	}
	a.ended()
	if len(passed) > 0 && len(passed) < len(list) {
		return set(p, at+".message.tool_calls", "["+strings.Join(passed, ",")+"]")
	}
	return p
}

// usageFields are summed over the rounds of one answer.
var usageFields = [...]string{"prompt_tokens", "completion_tokens", "total_tokens"}

// spending adds what the rounds before took to the usage of a chunk, or keeps it for the rounds that follow.
func (a *chatAnswer) spending(p []byte) []byte {
	usage := gjson.GetBytes(p, "usage")
	if !usage.IsObject() {
		return p
	}
	for i, name := range usageFields {
		switch {
		case a.round.again:
			a.spent[i] += usage.Get(name).Int()
		case a.spent[i] > 0:
			p = set(p, "usage."+name, strconv.FormatInt(usage.Get(name).Int()+a.spent[i], 10))
		}
	}
	return p
}

// oneAnswer makes chunks of all rounds look as they are: of one answer, which says its role once.
func (a *chatAnswer) oneAnswer(p []byte) []byte {
	if a.round.n == 0 {
		if a.id == "" {
			a.id, a.created = gjson.GetBytes(p, "id").Raw, gjson.GetBytes(p, "created").Raw
		}
		return p
	}
	if a.id != "" {
		p = set(p, "id", a.id)
	}
	if a.created != "" {
		p = set(p, "created", a.created)
	}
	if gjson.GetBytes(p, "choices.0.delta.role").Exists() {
		if out, err := sjson.DeleteBytes(p, "choices.0.delta.role"); err == nil {
			p = out
		}
	}
	return p
}
