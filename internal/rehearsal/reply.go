package rehearsal

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/recallerhq/recaller/internal/mediastream"
	"github.com/recallerhq/recaller/internal/realtime"
)

// How long a model takes to begin to answer.
const thinks = 100 * time.Millisecond

// respond has the model answer.
func (s *speech) respond(asked, choice string) {
	s.responses++
	reply := s.Think(Heard{
		Session: s.n, N: s.responses, Audio: s.said, Results: s.results, Instructions: s.instructions, Asked: asked,
		Choice: choice, Items: s.items,
	})
	s.results = nil
	if reply.Silent {
		return
	}
	if reply.Fault != "" {
		s.fault(reply.Fault)
		return
	}
	id := s.id("resp")
	s.active = id
	s.later(thinks, id, func() {
		s.tell("response.created", `"response":{"id":"`+id+`","conversation_id":"conv_1","status":"in_progress","output":[]}`)
		if reply.Fail {
			s.end(id, "failed", nil, `,"status_details":{"type":"failed","error":{"type":"server_error","code":"overloaded"}}`)
			return
		}
		s.say(id, reply)
	})
}

// message is an item with what the model says.
func message(id, status, text string) string {
	content := ""
	if text != "" {
		quoted, err := json.Marshal(text)
		if err == nil { // as it always is
			content = `{"type":"output_audio","transcript":` + string(quoted) + `}`
		}
	}
	return `{"id":"` + id + `","type":"message","role":"assistant","status":"` + status + `","content":[` + content + `]}`
}

// say has the model speak: words and audio in pieces, faster than they are spoken.
func (s *speech) say(response string, reply Reply) {
	if reply.Say == "" {
		s.call(response, reply.Calls, nil)
		return
	}
	item := s.id("item")
	s.making = item
	s.tell("response.output_item.added", `"response_id":"`+response+`","item":`+message(item, "in_progress", ""))
	s.place(item, message(item, "in_progress", ""))
	audio := reply.Audio
	if audio == nil {
		audio = Tone(s.responses, time.Duration(len(reply.Say))*60*time.Millisecond)
	}
	size := int(s.Piece.Milliseconds()) * mediastream.BytesPerMS
	pieces := (len(audio) + size - 1) / size
	for i := range pieces {
		from, to := i*size, min(len(audio), (i+1)*size)
		part, words := audio[from:to], reply.Say[letter(reply.Say, from, len(audio)):letter(reply.Say, to, len(audio))]
		s.later(time.Duration(i)*s.Piece/time.Duration(s.Speed), response, func() {
			if reply.Break && i >= pieces/2 {
				s.broken = true
				return
			}
			s.delta(response, item, words, part)
		})
	}
	s.later(time.Duration(pieces)*s.Piece/time.Duration(s.Speed), response, func() { s.finish(response, item, reply) })
}

// letter returns where the letter begins at which a share of a text ends: so many of all.
func letter(text string, part, all int) int {
	at := len(text) * part / all
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return at
}

func (s *speech) delta(response, item, words string, audio []byte) {
	ids := fmt.Sprintf(`"response_id":%q,"item_id":%q,"output_index":0,"content_index":0`, response, item)
	text, err := json.Marshal(words)
	if err != nil {
		return // no text fails to be one
	}
	s.tell("response.output_audio_transcript.delta", ids+`,"delta":`+string(text))
	s.made[item] += len(audio)
	s.tell("response.output_audio.delta", ids+`,"delta":"`+base64.StdEncoding.EncodeToString(audio)+`"`)
}

// finish ends what the model says.
func (s *speech) finish(response, item string, reply Reply) {
	ids := fmt.Sprintf(`"response_id":%q,"item_id":%q,"output_index":0,"content_index":0`, response, item)
	text, err := json.Marshal(reply.Say)
	if err != nil {
		return // no text fails to be one
	}
	whole := message(item, "completed", reply.Say)
	s.tell("response.output_audio.done", ids)
	s.tell("response.output_audio_transcript.done", ids+`,"transcript":`+string(text))
	s.tell("response.output_item.done", `"response_id":"`+response+`","item":`+whole)
	s.tell("conversation.item.done", `"item":`+whole)
	s.making = ""
	s.call(response, reply.Calls, []string{whole})
}

// call has the model call functions, and ends the response.
func (s *speech) call(response string, calls []realtime.Call, output []string) {
	for _, c := range calls {
		item, id := s.id("item"), s.id("call")
		arguments, err := json.Marshal(string(c.Arguments))
		if err != nil {
			return // no text fails to be one
		}
		raw := func(status, arguments string) string {
			return fmt.Sprintf(`{"id":%q,"type":"function_call","status":%q,"call_id":%q,"name":%q,"arguments":%s}`, item, status, id, c.Name, arguments)
		}
		s.tell("response.output_item.added", `"response_id":"`+response+`","item":`+raw("in_progress", `""`))
		s.place(item, raw("in_progress", `""`))
		named := `,"name":"` + c.Name + `"`
		if s.Beta {
			named = "" // older servers leave it out
		}
		s.tell("response.function_call_arguments.done", fmt.Sprintf(`"response_id":%q,"item_id":%q,"call_id":%q%s,"arguments":%s`, response, item, id, named, arguments))
		s.tell("response.output_item.done", `"response_id":"`+response+`","item":`+raw("completed", string(arguments)))
		output = append(output, raw("completed", string(arguments)))
	}
	s.end(response, "completed", output, "")
}

func (s *speech) end(response, status string, output []string, more string) {
	s.active, s.making = "", ""
	s.tell("response.done", `"response":{"id":"`+response+`","conversation_id":"conv_1","status":"`+status+`","output":[`+
		strings.Join(output, ",")+`]`+more+`}`)
}

// cancel ends a response in the middle.
func (s *speech) cancel() {
	id, item := s.active, s.making
	s.forget(id)
	var output []string
	if item != "" {
		output = []string{message(item, "incomplete", "")}
		s.tell("response.output_item.done", `"response_id":"`+id+`","item":`+output[0])
	}
	s.end(id, "cancelled", output, `,"status_details":{"type":"cancelled","reason":"turn_detected"}`)
}

// forget has nothing done any more that belongs to a response.
func (s *speech) forget(id string) {
	s.todo = slices.DeleteFunc(s.todo, func(a action) bool { return a.of == id })
}
