package upstreamtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// messages answers as Anthropic does: texts and calls are blocks of one message. Pieces that begin with a line break begin
// another block of text.
func (u *Upstream) messages(w http.ResponseWriter, in Request, a Answer) {
	if in.Body.Get("stream").Bool() {
		u.events(w, in, a)
		return
	}
	if a.Hang {
		<-in.gone
		u.gone <- struct{}{}
		return
	}
	content := []any{}
	for _, text := range texts(a.Pieces) {
		content = append(content, map[string]any{"type": "text", "text": strings.Join(text, "")})
	}
	stop := "end_turn"
	for _, c := range a.Calls {
		stop = "tool_use"
		content = append(content, map[string]any{"type": "tool_use", "id": c.ID, "name": c.Name, "input": json.RawMessage(c.Arguments)})
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"id": fmt.Sprintf("msg_%d", in.N), "type": "message", "role": "assistant", "model": "m-1", "content": content,
		"stop_reason": stop, "stop_sequence": nil, "usage": map[string]any{"input_tokens": 9, "output_tokens": 3},
	})
}

// texts parts pieces into blocks.
func texts(pieces []string) (out [][]string) {
	for i, piece := range pieces {
		if i == 0 || strings.HasPrefix(piece, "\n") {
			out = append(out, nil)
			piece = strings.TrimPrefix(piece, "\n")
		}
		out[len(out)-1] = append(out[len(out)-1], piece)
	}
	return out
}

// events answers event by event.
func (u *Upstream) events(w http.ResponseWriter, in Request, a Answer) {
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w).Flush
	if a.Lines != "" {
		_, _ = io.WriteString(w, a.Lines)
		return
	}
	send := func(kind, rest string) {
		_, _ = fmt.Fprintf(w, "event: %s\ndata: {\"type\":%q%s}\n\n", kind, kind, rest)
		_ = flush() // who is away needs none
	}
	block, left := -1, len(a.Pieces)
	begin := func(is string) {
		block++
		send("content_block_start", fmt.Sprintf(`,"index":%d,"content_block":%s`, block, is))
	}
	delta := func(is string) { send("content_block_delta", fmt.Sprintf(`,"index":%d,"delta":%s`, block, is)) }
	end := func() { send("content_block_stop", fmt.Sprintf(`,"index":%d`, block)) }
	send("message_start", fmt.Sprintf(`,"message":{"id":"msg_%d","type":"message","role":"assistant","model":"m-1","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":1}}`, in.N))
	send("ping", "")
	for _, text := range texts(a.Pieces) {
		begin(`{"type":"text","text":""}`)
		for _, piece := range text {
			if left--; a.Wait != nil && left == 0 {
				<-a.Wait
			}
			said, _ := json.Marshal(piece) // of a text, which cannot fail
			delta(`{"type":"text_delta","text":` + string(said) + `}`)
		}
		if !a.Break && !a.Hang {
			end()
		}
	}
	if u.broke(a, in) {
		return
	}
	stop := "end_turn"
	for _, c := range a.Calls {
		stop = "tool_use"
		begin(fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%q,"input":{}}`, c.ID, c.Name))
		for _, piece := range c.halves() {
			delta(fmt.Sprintf(`{"type":"input_json_delta","partial_json":%q}`, piece))
		}
		end()
	}
	send("message_delta", fmt.Sprintf(`,"delta":{"stop_reason":%q,"stop_sequence":null},"usage":{"output_tokens":3}`, stop))
	send("message_stop", "")
}
