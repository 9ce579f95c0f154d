package rehearsal

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/recallerhq/recaller/internal/bridge"
	"github.com/recallerhq/recaller/internal/mediastream"
	"github.com/recallerhq/recaller/internal/realtime"
)

// Heard is what a Model thinks about when it answers.
type Heard struct {
	Session      int      // which of the connections that were made, from 1
	N            int      // which response of the session, from 1
	Audio        []byte   // what the caller said last
	Results      []string // of calls, since the last response
	Instructions string   // of the session
	Asked        string   // for this response; empty: nothing but the session's
	Choice       string   // of tools, for this response: "none"; empty: as usual
	Items        []string // texts that were put into the session, with their roles: "user: Hello"
}

// Reply is what a Model answers.
type Reply struct {
	Say    string
	Audio  []byte          // how Say sounds; nil: Tone, 60 ms a letter
	Calls  []realtime.Call // without ids: they get some
	Break  bool            // the connection breaks off in the middle of what is said
	Fail   bool            // the response fails
	Silent bool            // nothing comes at all
	Fault  string          // an error comes instead, with this code
	Takes  bool            // its calls are cancelled as soon as they are made; Deepgram only
}

// ModelOptions say how a Model behaves.
type ModelOptions struct {
	Maker bridge.Maker
	Beta  bool
	Now   func() time.Time
	// Think answers; nil: it says nothing. It is called from one goroutine a session.
	Think func(Heard) Reply
	// Listen writes down what the caller said, for the n-th time in a session, and says how long that takes. nil: "…",
	// at once.
	Listen func(session, n int, audio []byte) (words string, takes time.Duration)
	Pause  time.Duration // of silence that ends what the caller says; 0: 500 ms
	Piece  time.Duration // of audio in one event; 0: 200 ms
	Speed  int           // how much faster audio is made than it is spoken; 0: 4
	Refuse func(session int) error
	// Arrives is told of audio that arrives, before anything else is done with it; nil: nobody is.
	Arrives func(payload string)
}

// Model is the server's side of a realtime API. Safe for concurrent use.
type Model struct {
	ModelOptions

	sessions
	faults  []string // codes of the errors that it answered with
	cuts    []Cut
	updates []string // instructions, in the order in which they came
}

// Cut is where something that the model said was cut off.
type Cut struct {
	Item string
	MS   int
}

// NewModel returns a Model.
func NewModel(o ModelOptions) *Model {
	o.Pause = cmp.Or(o.Pause, 500*time.Millisecond)
	o.Piece = cmp.Or(o.Piece, 200*time.Millisecond)
	o.Speed = cmp.Or(o.Speed, 4)
	if o.Listen == nil {
		o.Listen = func(int, int, []byte) (string, time.Duration) { return "…", 0 }
	}
	if o.Think == nil {
		o.Think = func(Heard) Reply { return Reply{Say: "Yes."} }
	}
	m := &Model{ModelOptions: o}
	m.refuse, m.lead = o.Refuse, m.serve
	return m
}

// Faults returns the codes of the errors that the model answered with.
func (m *Model) Faults() []string { return locked(&m.sessions, &m.faults) }

// Cuts returns where the model was cut off.
func (m *Model) Cuts() []Cut { return locked(&m.sessions, &m.cuts) }

// Updates returns the instructions that came, in order.
func (m *Model) Updates() []string { return locked(&m.sessions, &m.updates) }

// speech is a session.
type speech struct {
	*Model
	n      int
	ctx    context.Context
	conn   bridge.Conn
	broken bool

	ids, responses int
	spoken         int    // how often the caller spoke
	last           string // the newest item
	instructions   string
	waits, goesOn  bool // it does not answer by itself, or stop when it is spoken over
	items, results []string

	speaking bool
	item     string // that the caller is saying
	said     []byte
	hush     time.Duration // since he spoke
	clock    time.Duration // of the audio

	todo   []action
	active string         // the response that is being made
	making string         // its item
	made   map[string]int // bytes of audio, by item
}

// action is something to be done later.
type action struct {
	at  time.Time
	of  string // the response that it belongs to; empty: none
	act func()
}

// side is the server's side of a maker's wire.
type side interface {
	begin()
	message(raw []byte, binary bool)
}

// packet is what comes from the client.
type packet struct {
	raw    []byte
	binary bool
}

// serve leads a session to its end.
func (m *Model) serve(ctx context.Context, conn bridge.Conn, n int) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &speech{Model: m, n: n, ctx: ctx, conn: conn, made: map[string]int{}, clock: 0}
	var speaks side = s
	if m.Maker == bridge.Deepgram {
		speaks = &deepgram{speech: s}
	}
	in := make(chan packet)
	m.running.Go(func() {
		defer close(in)
		for {
			raw, binary, err := conn.Read(ctx)
			if err != nil {
				return
			}
			select {
			case in <- packet{raw, binary}:
			case <-ctx.Done():
				return
			}
		}
	})
	speaks.begin()
	for !s.broken {
		timer := time.NewTimer(s.untilNext())
		select {
		case got, ok := <-in:
			timer.Stop()
			if !ok {
				_ = conn.Drop() // nothing more comes
				return
			}
			speaks.message(got.raw, got.binary)
		case <-timer.C:
			s.due()
		}
	}
	_ = conn.Drop() // as a server does that breaks off
}

// begin is what the server says first.
func (s *speech) begin() {
	s.tell("session.created", `"session":{}`)
	if s.Maker == bridge.XAI {
		s.tell("conversation.created", `"conversation":{"id":"conv_1"}`)
		s.later(5*time.Second, "", s.ping)
	}
}

// ping is what xAI sends now and then.
func (s *speech) ping() {
	s.tell("ping", `"timestamp":1`)
	s.later(5*time.Second, "", s.ping)
}

func (s *speech) untilNext() time.Duration {
	if len(s.todo) == 0 {
		return time.Hour
	}
	return max(0, s.todo[0].at.Sub(s.Now()))
}

// due does what is to be done by now.
func (s *speech) due() {
	for len(s.todo) > 0 && !s.todo[0].at.After(s.Now()) && !s.broken {
		a := s.todo[0]
		s.todo = s.todo[1:]
		a.act()
	}
}

// later has something done, after all that is to be done until then.
func (s *speech) later(d time.Duration, of string, act func()) {
	at := s.Now().Add(d)
	i := len(s.todo)
	for i > 0 && s.todo[i-1].at.After(at) {
		i--
	}
	s.todo = slices.Insert(s.todo, i, action{at, of, act})
}

// names are those of OpenAI's older generation, where they differ.
var names = strings.NewReplacer("response.output_audio", "response.audio", "response.output_text", "response.text",
	"conversation.item.added", "conversation.item.created")

// tell sends an event.
func (s *speech) tell(name, fields string) {
	if s.Beta {
		if name == "conversation.item.done" {
			return
		}
		name = names.Replace(name)
	}
	s.ids++
	text := fmt.Sprintf(`{"type":%q,"event_id":"event_%d"`, name, s.ids)
	if fields != "" {
		text += "," + fields
	}
	if err := s.conn.Write(s.ctx, []byte(text+"}")); err != nil {
		s.broken = true
	}
}

func (s *speech) id(kind string) string {
	s.ids++
	return fmt.Sprintf("%s_%d_%d", kind, s.n, s.ids)
}

// fault answers with an error, after which the session goes on.
func (s *speech) fault(code string) {
	note(&s.sessions, &s.faults, code)
	s.tell("error", `"error":{"type":"invalid_request_error","code":"`+code+`","message":"no"}`)
}

// message takes a message of the client's.
func (s *speech) message(raw []byte, _ bool) {
	r := gjson.ParseBytes(raw)
	name := r.Get("type").String()
	if name == "input_audio_buffer.append" {
		s.hear(r.Get("audio").String())
		return
	}
	note(&s.sessions, &s.got, name)
	switch name {
	case "session.update":
		s.update(r.Get("session"))
	case "response.create":
		if s.active != "" {
			s.fault("conversation_already_has_active_response")
			return
		}
		s.respond(r.Get("response.instructions").String(), r.Get("response.tool_choice").String())
	case "response.cancel":
		if s.active == "" {
			s.fault("response_cancel_not_active")
			return
		}
		s.cancel()
	case "input_audio_buffer.commit":
		if !s.speaking {
			s.fault("input_audio_buffer_commit_empty")
			return
		}
		s.commit(false)
	case "conversation.item.create":
		s.put(r.Get("item"))
	case "conversation.item.truncate":
		s.truncate(r.Get("item_id").String(), int(r.Get("audio_end_ms").Int()))
	default:
		s.fault("unknown_event")
	}
}

// update takes settings. Those that the first one needs must be in the form of the maker.
func (s *speech) update(r gjson.Result) {
	first := s.instructions == ""
	s.instructions = r.Get("instructions").String()
	note(&s.sessions, &s.updates, s.instructions)
	format, detection := "audio.output.format.type", "audio.input.turn_detection"
	switch {
	case s.Maker == bridge.XAI:
		detection = "turn_detection"
	case s.Beta:
		format, detection = "output_audio_format", "turn_detection"
	case r.Get("type").String() != "realtime":
		s.fault("missing_required_parameter")
		return
	}
	form := r.Get(format).String()
	if first && (form != "audio/pcmu" && form != "g711_ulaw" || !r.Get(detection).Exists() || len(r.Get("tools").Array()) == 0) {
		s.fault("invalid_value")
		return
	}
	if first {
		answers, stops := r.Get(detection+".create_response"), r.Get(detection+".interrupt_response")
		s.waits, s.goesOn = answers.Exists() && !answers.Bool(), stops.Exists() && !stops.Bool()
	}
	s.tell("session.updated", `"session":`+r.Raw)
}

// put puts an item into the conversation.
func (s *speech) put(item gjson.Result) {
	id := item.Get("id").String()
	if id == "" {
		id = s.id("item")
	}
	if item.Get("type").String() == "function_call_output" {
		s.results = append(s.results, item.Get("output").String())
	} else {
		s.items = append(s.items, item.Get("role").String()+": "+item.Get("content.0.text").String())
	}
	raw := strings.Replace(item.Raw, "{", `{"id":"`+id+`",`, 1)
	if item.Get("id").Exists() {
		raw = item.Raw
	}
	s.place(id, raw)
	s.tell("conversation.item.done", `"item":`+raw)
}

// place tells of an item at the end of the conversation.
func (s *speech) place(id, raw string) {
	previous := "null"
	if s.last != "" {
		previous = `"` + s.last + `"`
	}
	s.last = id
	s.tell("conversation.item.added", `"previous_item_id":`+previous+`,"item":`+raw)
}

func (s *speech) truncate(item string, ms int) {
	if ms < 0 || ms*mediastream.BytesPerMS > s.made[item] {
		s.fault("invalid_value") // it is longer than the audio
		return
	}
	note(&s.sessions, &s.cuts, Cut{item, ms})
	s.tell("conversation.item.truncated", fmt.Sprintf(`"item_id":%q,"content_index":0,"audio_end_ms":%d`, item, ms))
}

// hear listens for the beginning and the end of speech.
func (s *speech) hear(payload string) {
	if s.Arrives != nil {
		s.Arrives(payload)
	}
	audio, err := base64.StdEncoding.DecodeString(payload)
	if err != nil {
		s.fault("invalid_audio")
		return
	}
	took := time.Duration(len(audio)/mediastream.BytesPerMS) * time.Millisecond
	s.clock += took
	switch loud := isSpeech(audio); {
	case loud && !s.speaking:
		s.speaking, s.item, s.said, s.hush = true, s.id("item"), slices.Clone(audio), 0
		s.tell("input_audio_buffer.speech_started", fmt.Sprintf(`"audio_start_ms":%d,"item_id":%q`, s.clock.Milliseconds(), s.item))
		if s.active != "" && !s.goesOn {
			s.cancel()
		}
	case loud:
		s.said, s.hush = append(s.said, audio...), 0
	case s.speaking:
		if s.hush += took; s.hush >= s.Pause {
			s.commit(!s.waits)
		}
	}
}

// commit makes an item of what the caller said, and answers it if it should.
func (s *speech) commit(answers bool) {
	s.speaking = false
	id, audio := s.item, s.said
	s.tell("input_audio_buffer.speech_stopped", fmt.Sprintf(`"audio_end_ms":%d,"item_id":%q`, s.clock.Milliseconds(), id))
	previous := "null"
	if s.last != "" {
		previous = `"` + s.last + `"`
	}
	s.tell("input_audio_buffer.committed", fmt.Sprintf(`"previous_item_id":%s,"item_id":%q`, previous, id))
	raw := `{"id":"` + id + `","type":"message","role":"user","status":"completed","content":[{"type":"input_audio","transcript":null}]}`
	s.place(id, raw)
	s.tell("conversation.item.done", `"item":`+raw)
	s.spoken++
	words, takes := s.Listen(s.n, s.spoken, audio)
	s.later(takes, "", func() { s.transcribed(id, words) })
	if s.active == "" && answers {
		s.respond("", "")
	}
}

func (s *speech) transcribed(id, words string) {
	text, err := json.Marshal(words)
	if err != nil {
		return // no text fails to be one
	}
	if s.Maker == bridge.XAI {
		s.tell("conversation.item.input_audio_transcription.updated", fmt.Sprintf(`"item_id":%q,"content_index":0,"transcript":%s`, id, text))
	}
	s.tell("conversation.item.input_audio_transcription.completed",
		fmt.Sprintf(`"item_id":%q,"content_index":0,"transcript":%s,"logprobs":[{"token":"a","logprob":-0.1}]`, id, text))
}
