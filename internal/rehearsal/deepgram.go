package rehearsal

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/recallerhq/recaller/internal/mediastream"
)

// deepgram is a session of Deepgram's voice agent: audio is binary, and what is said has no ids. What comes of a reply,
// and in which order, changes from one to the next, as far as the documentation leaves it open.
type deepgram struct {
	*speech
	settled bool
	calls   map[string]string // that wait for their results: the names, by the ids
	owes    bool              // a result came that it has not spoken of
	heard   time.Time         // when the client sent something last
}

// patience is how long the server waits for a message.
const patience = 12 * time.Second

// begin implements side.
func (s *deepgram) begin() {
	s.calls, s.heard = map[string]string{}, s.Now()
	s.event("Welcome", map[string]any{"request_id": "req_1"})
	s.later(patience, "", s.impatient)
}

// impatient ends the session where nothing comes.
func (s *deepgram) impatient() {
	if wait := patience - s.Now().Sub(s.heard); wait > 0 {
		s.later(wait, "", s.impatient)
		return
	}
	s.error("CLIENT_MESSAGE_TIMEOUT")
	s.broken = true
}

// event sends an event.
func (s *deepgram) event(name string, with map[string]any) {
	if with == nil {
		with = map[string]any{}
	}
	with["type"] = name
	text, err := json.Marshal(with)
	if err != nil {
		return // no text fails to be one
	}
	if err := s.conn.Write(s.ctx, text); err != nil {
		s.broken = true
	}
}

func (s *deepgram) error(code string) {
	note(&s.sessions, &s.faults, code)
	s.event("Error", map[string]any{"description": "no", "code": code})
}

func (s *deepgram) says(role, text string) {
	s.event("ConversationText", map[string]any{"role": role, "content": text})
}

// message implements side.
func (s *deepgram) message(raw []byte, binary bool) {
	s.heard = s.Now()
	if binary {
		if !s.settled {
			s.error("BINARY_MESSAGE_BEFORE_SETTINGS")
			return
		}
		s.hears(raw)
		return
	}
	r := gjson.ParseBytes(raw)
	name := r.Get("type").String()
	note(&s.sessions, &s.got, name)
	switch {
	case !s.settled && name != "Settings":
		s.error("SETTINGS_EXPECTED")
		return
	case s.settled && name == "Settings":
		s.error("SETTINGS_ALREADY_APPLIED")
		return
	}
	switch name {
	case "Settings":
		s.settle(r)
	case "UpdatePrompt":
		s.instructions = r.Get("prompt").String()
		note(&s.sessions, &s.updates, s.instructions)
		s.event("PromptUpdated", nil)
	case "InjectUserMessage":
		s.injected(r.Get("content").String())
	case "FunctionCallResponse":
		s.result(r)
	case "ForceEndTurn":
		if s.speaking {
			s.stops()
		}
	case "KeepAlive":
	default:
		s.error("UNPARSABLE_CLIENT_MESSAGE")
	}
}

// settle takes the settings, all of which must be in their places.
func (s *deepgram) settle(r gjson.Result) {
	want := map[string]string{
		"audio.input.encoding": "mulaw", "audio.input.sample_rate": "8000", "audio.output.encoding": "mulaw",
		"audio.output.sample_rate": "8000", "audio.output.container": "none", "agent.listen.provider.type": "deepgram",
		"agent.speak.provider.type": "deepgram", "agent.think.functions.0.parameters.type": "object",
	}
	for path, value := range want {
		if r.Get(path).String() != value {
			s.error("INVALID_SETTINGS")
			return
		}
	}
	for _, path := range []string{"agent.listen.provider.version", "agent.listen.provider.model", "agent.think.provider.type", "agent.think.provider.model", "agent.speak.provider.model"} {
		if r.Get(path).String() == "" {
			s.error("INVALID_SETTINGS")
			return
		}
	}
	s.settled = true
	s.instructions = r.Get("agent.think.prompt").String()
	note(&s.sessions, &s.updates, s.instructions)
	for _, m := range r.Get("agent.context.messages").Array() {
		s.items = append(s.items, m.Get("role").String()+": "+m.Get("content").String())
	}
	s.event("SettingsApplied", nil)
	if greeting := r.Get("agent.greeting").String(); greeting != "" {
		s.reply("", greeting)
	}
}

// injected takes something that is said in the caller's name. It is told again, as what he says is.
func (s *deepgram) injected(text string) {
	if s.speaking || s.active != "" {
		s.event("InjectionRefused", map[string]any{"message": "somebody speaks"})
		return
	}
	s.items = append(s.items, "user: "+text)
	s.says("user", text)
	s.reply(text, "")
}

// hears listens for the beginning and the end of speech.
func (s *deepgram) hears(audio []byte) {
	if s.Arrives != nil {
		s.Arrives(string(audio))
	}
	took := time.Duration(len(audio)/mediastream.BytesPerMS) * time.Millisecond
	switch loud := isSpeech(audio); {
	case loud && !s.speaking:
		s.speaking, s.said, s.hush = true, slices.Clone(audio), 0
		if s.active != "" { // what was being said, and is to be said, is not
			s.forget(s.active)
			s.active = ""
		}
		s.event("UserStartedSpeaking", nil)
	case loud:
		s.said, s.hush = append(s.said, audio...), 0
	case s.speaking:
		if s.hush += took; s.hush >= s.Pause {
			s.stops()
		}
	}
}

// stops ends what the caller says: it is written down, and then answered.
func (s *deepgram) stops() {
	s.speaking = false
	s.spoken++
	words, takes := s.Listen(s.n, s.spoken, s.said)
	s.later(takes, "", func() {
		if words != "" {
			s.says("user", words)
		}
		if !s.speaking && s.active == "" && words != "" {
			s.reply("", "")
		}
	})
}

// reply has the agent answer, or greet.
func (s *deepgram) reply(asked, greeting string) {
	s.responses++
	heard := Heard{
		Session: s.n, N: s.responses, Audio: s.said, Results: s.results, Instructions: s.instructions, Asked: asked, Items: s.items,
	}
	answer := s.Think(heard)
	s.results, s.owes = nil, false
	if greeting != "" {
		answer.Say, answer.Calls = greeting, nil
	}
	switch {
	case answer.Silent:
		return
	case answer.Fault != "" || answer.Fail:
		s.error(answer.Fault)
		return
	}
	id := s.id("reply")
	s.active = id
	if s.responses%2 == 0 {
		s.event("AgentThinking", map[string]any{"content": "…"})
	}
	s.later(thinks, id, func() { s.speak(id, answer) })
}

// speak has the agent say something: its words first, then their sound, faster than it is spoken. What it calls comes
// before the sound, or behind it.
func (s *deepgram) speak(id string, answer Reply) {
	early := s.responses%2 == 0 || answer.Say == ""
	for _, sentence := range strings.SplitAfter(answer.Say, ". ") {
		if sentence != "" {
			s.says("assistant", strings.TrimSpace(sentence))
		}
	}
	if early {
		s.request(answer)
	}
	if answer.Say == "" {
		s.over()
		return
	}
	if s.responses%3 > 0 {
		s.event("AgentStartedSpeaking", map[string]any{"total_latency": 0.5, "tts_latency": 0.1, "ttt_latency": 0.4})
	}
	audio := answer.Audio
	if audio == nil {
		audio = Tone(s.responses, time.Duration(len(answer.Say))*60*time.Millisecond)
	}
	size := int(s.Piece.Milliseconds()) * mediastream.BytesPerMS
	pieces := (len(audio) + size - 1) / size
	for i := range pieces {
		s.later(time.Duration(i)*s.Piece/time.Duration(s.Speed), id, func() {
			if answer.Break && i >= pieces/2 {
				s.broken = true
				return
			}
			if err := s.conn.WriteBinary(s.ctx, audio[i*size:min(len(audio), (i+1)*size)]); err != nil {
				s.broken = true
			}
		})
	}
	s.later(time.Duration(pieces)*s.Piece/time.Duration(s.Speed), id, func() {
		s.event("AgentAudioDone", nil)
		if !early {
			s.request(answer)
		}
		s.over()
	})
}

// request has the client carry out calls.
func (s *deepgram) request(answer Reply) {
	var list []map[string]any
	for _, c := range answer.Calls {
		id := s.id("call")
		if c.Name != "end_call" || answer.Say == "" { // who has said goodbye has nothing to add
			s.calls[id] = c.Name
		} else {
			s.calls[id] = ""
		}
		list = append(list, map[string]any{"id": id, "name": c.Name, "arguments": string(c.Arguments), "client_side": true})
	}
	if list == nil {
		return
	}
	s.event("FunctionCallRequest", map[string]any{"functions": list})
	if answer.Takes {
		for _, c := range list {
			delete(s.calls, c["id"].(string))
			delete(c, "arguments")
			delete(c, "client_side")
		}
		s.event("FunctionCallCancelled", map[string]any{"functions": list})
	}
}

// result takes the result of a call.
func (s *deepgram) result(r gjson.Result) {
	id := r.Get("id").String()
	name, ok := s.calls[id]
	if !ok || name != "" && name != r.Get("name").String() {
		s.error("UNKNOWN_FUNCTION_CALL")
		return
	}
	delete(s.calls, id)
	s.results = append(s.results, r.Get("content").String())
	s.owes = s.owes || name != ""
	s.goOn()
}

// over ends a reply.
func (s *deepgram) over() {
	s.active = ""
	s.goOn()
}

// goOn speaks of results, when all are there and nobody speaks.
func (s *deepgram) goOn() {
	if s.owes && len(s.calls) == 0 && s.active == "" && !s.speaking {
		s.reply("", "")
	}
}
