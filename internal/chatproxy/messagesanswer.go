package chatproxy

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// messagesAnswer edits answers of Anthropic's messages. An event is handed on once it is whole. A block of text that was
// nothing but tags is left out, with its number: clients may not send an empty one back.
type messagesAnswer struct {
	*answer
	event  []byte // its lines so far
	data   []byte // of it
	n      int    // the round that blocks are of
	blocks map[int64]*block
	next   int64    // number of the next block, as the client sees it
	id     string   // of the first round, as JSON
	parts  []string // of the rounds before, of an answer that is no stream
	spent  [len(messagesUsage)]int64
	input  int64 // tokens of the round
}

// block is a part of a reply.
type block struct {
	text    bool
	ours    bool // a call of our tool
	call    *call
	start   []byte // held back until there is something to deliver
	index   int64  // as the client sees it
	blank   string // white space that nothing followed yet
	started bool
}

// messagesUsage are summed over the rounds of one answer.
var messagesUsage = [...]string{"input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"}

// line takes in one line of a stream.
func (m *messagesAnswer) line(ctx context.Context, line []byte) bool {
	text := bytes.TrimRight(line, "\r\n")
	if len(m.event) == 0 && (len(text) == 0 || text[0] == ':') {
		m.put("", line, "")
		return true
	}
	if len(m.event) > maxLine || !m.room(len(m.event)+len(line)) {
		m.event = nil
		return false
	}
	m.event = append(m.event, line...)
	if data, ok := bytes.CutPrefix(text, []byte("data:")); ok {
		m.data = append(m.data, data...)
	}
	if len(text) > 0 {
		return true
	}
	p := bytes.TrimSpace(m.data)
	keep := true
	if gjson.ValidBytes(p) {
		var out []byte
		if out, keep = m.edit(ctx, p); keep && !bytes.Equal(out, p) {
			m.tell(out)
			keep = false
		}
	}
	if keep {
		m.put("", m.event, "")
	}
	m.event, m.data = m.event[:0], m.data[:0]
	return true
}

// tell tells an event.
func (m *messagesAnswer) tell(p []byte) {
	m.put("event: "+gjson.GetBytes(p, "type").String()+"\ndata: ", p, "\n\n")
}

// edit changes an event; keep is false where nothing of it is for the client.
func (m *messagesAnswer) edit(ctx context.Context, p []byte) (out []byte, keep bool) {
	if m.n != m.round.n || m.blocks == nil {
		m.n, m.blocks = m.round.n, map[int64]*block{}
	}
	root := gjson.ParseBytes(p)
	index := root.Get("index").Int()
	switch root.Get("type").String() {
	case "message_start":
		m.input = root.Get("message.usage.input_tokens").Int()
		return p, m.round.n == 0
	case "content_block_start":
		return m.begin(p, index, root.Get("content_block"))
	case "content_block_delta":
		return m.delta(p, index, root.Get("delta"))
	case "content_block_stop":
		return m.end(p, index)
	case "message_delta":
		m.reason(root.Get("delta.stop_reason").String())
		return m.spending(p), !m.round.again
	case "message_stop":
		if m.round.again {
			return p, false
		}
		m.server.settle(ctx, m.answer)
	case "error":
		m.broken = true
	}
	return p, true
}

// begin takes in the beginning of a block.
func (m *messagesAnswer) begin(p []byte, index int64, is gjson.Result) ([]byte, bool) {
	b := &block{text: is.Get("type").String() == "text"}
	if len(m.blocks) < maxCalls {
		m.blocks[index] = b
	}
	switch {
	case b.text:
		b.start = set(p, "content_block.text", `""`)
		m.choice(0).open()
		m.write(b, is.Get("text").String())
		return p, false
	case is.Get("type").String() == "tool_use":
		b.call = m.called(is, index)
		if b.ours = b.call.ours; b.ours {
			return p, false
		}
	}
	return m.number(b, p), true
}

// called takes in a call of a tool.
func (m *messagesAnswer) called(is gjson.Result, index int64) *call {
	named, _ := sjson.Set(`{}`, "function.name", is.Get("name").String()) // of texts, which cannot fail
	named, _ = sjson.Set(named, "id", is.Get("id").String())
	return m.call(gjson.Parse(named), index)
}

// number gives a block the next number.
func (m *messagesAnswer) number(b *block, p []byte) []byte {
	b.started, b.index = true, m.next
	m.next++
	return renumbered(p, b.index)
}

func renumbered(p []byte, index int64) []byte {
	if gjson.GetBytes(p, "index").Int() == index {
		return p
	}
	return set(p, "index", strconv.FormatInt(index, 10))
}

// delta takes in a piece of a block.
func (m *messagesAnswer) delta(p []byte, index int64, is gjson.Result) ([]byte, bool) {
	b := m.blocks[index]
	switch {
	case b == nil:
		return p, true
	case b.ours:
		if b.call.arguments.Len() < maxArguments {
			b.call.arguments.WriteString(is.Get("partial_json").String())
		}
		return p, false
	case b.text && is.Get("type").String() == "text_delta":
		clean := m.choice(0).write(is.Get("text").String())
		if b.started && clean == is.Get("text").String() {
			return renumbered(p, b.index), true
		}
		m.deliver(b, clean)
		return p, false
	case b.text && !b.started:
		return p, false // of a text that is not there yet
	}
	return renumbered(p, b.index), true
}

// write takes a piece of a text in, and delivers what of it can be.
func (m *messagesAnswer) write(b *block, piece string) {
	if piece != "" {
		m.deliver(b, m.choice(0).write(piece))
	}
}

// deliver delivers a piece of a block of text, which begins with its first words.
func (m *messagesAnswer) deliver(b *block, text string) {
	text = b.blank + text
	b.blank = ""
	switch {
	case text == "":
		return
	case !b.started && len(text) < maxReply && strings.TrimSpace(text) == "":
		b.blank = text
		return
	case !b.started:
		m.tell(m.number(b, b.start))
	}
	m.tell([]byte(`{"type":"content_block_delta","index":` + strconv.FormatInt(b.index, 10) + `,"delta":{"type":"text_delta","text":` + quote(text) + `}}`))
}

// end takes in the end of a block.
func (m *messagesAnswer) end(p []byte, index int64) ([]byte, bool) {
	b := m.blocks[index]
	if b == nil {
		return p, true
	}
	if b.text {
		m.deliver(b, m.choice(0).close())
		m.apart()
	}
	return renumbered(p, b.index), b.started
}

// apart parts texts in what is kept.
func (m *messagesAnswer) apart() {
	if c := m.choice(0); c.out.Len() > 0 && c.out.Len() < maxReply {
		c.out.WriteString("\n")
	}
}

// reason decides what follows a reply.
func (m *messagesAnswer) reason(why string) {
	switch why {
	case "tool_use":
		m.ended()
	case "end_turn":
		m.mute(m.choice(0))
	}
}

// spending adds what the rounds before took, or keeps it for those that follow.
func (m *messagesAnswer) spending(p []byte) []byte {
	usage := gjson.GetBytes(p, "usage")
	for i, name := range messagesUsage {
		is := usage.Get(name)
		took := is.Int()
		if i == 0 && !is.Exists() {
			took = m.input // it was told at the beginning
		}
		switch {
		case m.round.again:
			m.spent[i] += took
		case m.spent[i] > 0 && usage.IsObject():
			p = set(p, "usage."+name, strconv.FormatInt(took+m.spent[i], 10))
		}
	}
	return p
}

// tail delivers what is held back where a stream ends without a reason.
func (m *messagesAnswer) tail() {
	for _, b := range m.blocks {
		if b.text && !m.choice(0).closed {
			m.deliver(b, m.choice(0).close())
			break
		}
	}
	m.put("", m.event, "")
	m.event, m.data = nil, nil
}

// whole takes the tags, and calls of our tool, out of an answer that is no stream.
func (m *messagesAnswer) whole(p []byte) []byte {
	root := gjson.ParseBytes(p)
	if !root.Get("content").IsArray() {
		return p
	}
	if m.round.n == 0 {
		m.id = root.Get("id").Raw
	}
	parts, changed := m.parts, len(m.parts) > 0
	for i, one := range root.Get("content").Array() {
		raw := one.Raw
		switch one.Get("type").String() {
		case "text":
			ch := m.choice(0)
			ch.open()
			clean := ch.write(one.Get("text").String()) + ch.close()
			m.apart()
			if clean != one.Get("text").String() {
				changed = true
				raw, _ = sjson.SetRaw(raw, "text", quote(clean)) // of what was read: it cannot fail
			}
			if strings.TrimSpace(clean) == "" {
				changed = true
				continue
			}
		case "tool_use":
			if k := m.called(one, int64(i)); k.ours {
				k.arguments.WriteString(one.Get("input").Raw)
				changed = true
				continue
			}
		}
		parts = append(parts, raw)
	}
	m.reason(root.Get("stop_reason").String())
	p = m.spending(p)
	m.parts = parts
	if m.round.again {
		return p
	}
	if changed {
		p = set(p, "content", "["+strings.Join(parts, ",")+"]")
	}
	if m.round.n > 0 && m.id != "" {
		p = set(p, "id", m.id)
	}
	return p
}
