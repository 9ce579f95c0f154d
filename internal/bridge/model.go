package bridge

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/recallerhq/recaller/internal/mediastream"
	"github.com/recallerhq/recaller/internal/realtime"
)

const (
	maxHistory      = 20          // turns that a session is told which goes on where another broke
	maxHistoryBytes = 8 << 10     // of their words
	historyID       = "recaller_" // begins the ids of their items
	maxSounded      = 64          // items that are known to have had audio
	maxRounds       = 8           // responses, one after the other, that call and say nothing; then it may call no more
)

// told takes an event of the model's.
func (t *talk) told(e event) {
	m := t.model
	if m == nil || e.session != m.n {
		return // of a session that is over
	}
	if e.err != nil {
		t.log.Warn("the model's socket broke", "err", e.err)
		t.broke("socket", false)
		return
	}
	m.last = t.now
	r := gjson.ParseBytes(e.raw)
	name := r.Get("type").String()
	switch name {
	case "response.output_audio.delta", "response.audio.delta":
		t.sound(m, r, e.at)
		bytes := mediastream.Len(r.Get("delta").String())
		t.derive(m, m.deriver.Sound(r.Get("item_id").String(), r.Get("response_id").String(), bytes, t.now))
		return
	case "input_audio_buffer.speech_started":
		m.speaking, m.paused, m.awaits, m.rounds, t.leaving = true, time.Time{}, time.Time{}, 0, time.Time{}
		t.silence("caller")
		t.begins(m, r.Get("item_id").String())
	case "response.done":
		t.unsounded(m, r.Get("response.output"))
	}
	out, err := m.deriver.Event(e.raw, t.now)
	if err != nil {
		t.Metrics.malforms.Inc()
		return
	}
	t.derive(m, out)
	if t.model == m {
		t.follow(m, name, r)
	}
}

// follow does what an event asks for, once the turns and calls in it are known.
func (t *talk) follow(m *session, name string, r gjson.Result) {
	switch name {
	case "session.updated":
		if !m.ready {
			t.ready(m)
		}
	case "error":
		if !m.ready {
			t.broke("refused", false)
		}
	case "conversation.item.input_audio_transcription.completed", "conversation.item.input_audio_transcription.failed":
		t.written(m, r.Get("item_id").String())
	case "input_audio_buffer.speech_stopped":
		m.paused = t.now
	case "input_audio_buffer.committed":
		if m.speaking = false; m.paused.IsZero() {
			m.paused = t.now
		}
		switch {
		case !t.call.Provider.answers():
			m.owes = true
		case m.active == "" && m.awaits.IsZero():
			m.awaits = t.now
		}
	case "response.created":
		m.active, m.spoke, m.awaits, m.nudged = r.Get("response.id").String(), false, time.Time{}, false
		m.owes = m.owes && t.pending > 0
	case "response.output_audio.done", "response.audio.done":
		t.finish(r.Get("item_id").String())
	case "response.output_item.done":
		t.finish(r.Get("item.id").String())
	case "response.done":
		t.responded(m, r.Get("response"))
	}
	t.respond()
}

// What the model is told for one response.
const (
	greet = "\n\nBegin the call now with this greeting, in these words, and say nothing else: "
	goOn  = "\n\nThe line to you was away for a moment, in the middle of the conversation. " +
		"Go on where it was; answer the caller's last words if nobody has."

	formed = `{"type":"session.updated","session":{"audio":{"output":{"format":{"type":"audio/pcmu"}}}}}`
)

// begins notes that the caller says something. Its audio is kept until its words are: a session that breaks before is
// followed by one that hears it again.
func (t *talk) begins(m *session, item string) {
	if len(m.unheard) == 0 {
		t.unsaid = slices.Clone(t.recent)
	}
	m.unheard = last(m.unheard, item, maxSounded)
}

// written notes that the words of something that the caller said are known, or never will be.
func (t *talk) written(m *session, item string) {
	m.unheard = slices.DeleteFunc(m.unheard, func(id string) bool { return id == item })
	if len(m.unheard) == 0 {
		t.unsaid = nil
	}
}

// ready begins what the session is for, once the model has its instructions.
func (t *talk) ready(m *session) {
	m.ready = true
	// Whatever it said of the form of its audio, this is what was asked for, and what comes.
	if _, err := m.deriver.Event([]byte(formed), t.now); err != nil {
		t.log.Error("the form of the audio is not known", "err", err)
	}
	if m.stale {
		t.send(t.call.Provider.refresh(t.call.instructions()))
	}
	for i, turn := range t.history {
		t.send(t.call.Provider.said(fmt.Sprintf("%s%d_%d", historyID, m.n, i), turn.Speaker, turn.Text))
	}
	for _, payload := range slices.Concat(t.unsaid, t.early) {
		t.queue(message{text: appended(payload)})
	}
	t.unsaid, t.early = nil, nil
	switch {
	case len(t.history) == 0 && t.call.Greeting != "":
		t.ask(m, &responseWire{Instructions: t.call.instructions() + greet + t.call.Greeting})
	case len(t.history) == 0 && t.call.SpeaksFirst:
		t.ask(m, nil)
	case t.busy:
		t.ask(m, &responseWire{Instructions: t.call.instructions() + goOn})
	}
	t.busy = false
}

// ask asks the model for a response.
func (t *talk) ask(m *session, how *responseWire) {
	m.owes, m.awaits = false, t.now
	t.send(responseCreate{"response.create", how})
}

// respond asks for a response where the model has results to speak of: one for all results, when nobody speaks.
func (t *talk) respond() {
	m := t.model
	if m == nil || !m.ready || !m.owes || m.speaking || m.active != "" || !m.awaits.IsZero() || t.pending > 0 {
		return
	}
	var how *responseWire
	if m.rounds++; m.rounds > maxRounds {
		how = &responseWire{Choice: "none"}
	}
	t.ask(m, how)
}

// responded takes the end of a response.
func (t *talk) responded(m *session, r gjson.Result) {
	if id := r.Get("id").String(); m.active == id || id == "" {
		m.active = ""
	}
	if m.spoke {
		m.rounds = 0
	}
	for _, item := range r.Get("output.#.id").Array() {
		t.finish(item.String())
	}
	switch r.Get("status").String() {
	case "failed":
		if m.failures++; m.failures > 1 {
			t.broke("failed", false)
			return
		}
		m.owes = true
	case "completed":
		m.failures = 0
	}
}

// sound has audio played: what comes of a response that was spoken over is not.
func (t *talk) sound(m *session, r gjson.Result, at time.Time) {
	payload, item := r.Get("delta").String(), r.Get("item_id").String()
	switch {
	case !mediastream.IsPayload(payload) || item == "":
		t.Metrics.malforms.Inc()
		return
	case t.play.refused(item):
		return
	case m.cut != "" && r.Get("response_id").String() == m.cut:
		t.cutOff(m, heard{item: item})
		return
	}
	m.spoke = true
	if !slices.Contains(m.sounded, item) {
		m.sounded = append(m.sounded[max(0, len(m.sounded)-maxSounded):], item)
	}
	for _, piece := range mediastream.Split(payload, pieceMS) {
		name := t.play.add(item, mediastream.Len(piece), t.now)
		t.out.put(outgoing{payload: piece, at: at})
		t.mark(name)
	}
	if t.play.ahead() > t.opts.Ahead {
		t.silence("backlog")
	}
}

func (t *talk) mark(name string) {
	if name != "" {
		t.out.put(outgoing{mark: name})
	}
}

// finish notes that no more audio of an item comes.
func (t *talk) finish(item string) {
	name, _ := t.play.finish(item)
	t.mark(name)
	t.settle()
}

// settle tells the deriver what was played to its end.
func (t *talk) settle() {
	for _, item := range t.play.over() {
		if m := t.model; m != nil {
			t.derive(m, m.deriver.Played(item, t.now))
		}
	}
}

// unsounded notes which items of a response had no audio: nobody heard them.
func (t *talk) unsounded(m *session, output gjson.Result) {
	for _, item := range output.Array() {
		id := item.Get("id").String()
		if item.Get("type").String() == "message" && !slices.Contains(m.sounded, id) {
			t.notHeard(m, heard{item: id})
		}
	}
}

// silence takes back what is not played yet, and tells the model where it was cut off, unless it is away. why is empty
// at the end of the call, when nobody is told any more.
func (t *talk) silence(why string) {
	m := t.model
	isPlaying := t.play.ahead() > 0
	cut, over := t.play.cut()
	if why != "" && isPlaying {
		t.out.only(outgoing{})
		t.Metrics.cuts.WithLabelValues(why).Inc()
	}
	if m == nil {
		return
	}
	for _, item := range over {
		t.derive(m, m.deriver.Played(item, t.now))
	}
	for _, h := range cut {
		if why == "" || why == "break" {
			t.notHeard(m, h)
		} else {
			t.cutOff(m, h)
		}
	}
	if m.active != "" && m.active != m.cut {
		m.cut = m.active
		if why == "backlog" || why == "caller" && !t.call.Provider.interrupts() {
			t.send(stop)
		}
	}
}

// cutOff tells the model and the deriver how much of an item was heard.
func (t *talk) cutOff(m *session, h heard) {
	t.play.refuse(h.item)
	t.send(truncate{"conversation.item.truncate", h.item, 0, h.ms})
	t.notHeard(m, h)
}

// notHeard tells the deriver how much of an item was heard.
func (t *talk) notHeard(m *session, h heard) {
	id := mediastream.Quote(h.item)
	text := fmt.Appendf(nil, `{"type":"conversation.item.truncate","item_id":%s,"audio_end_ms":%d}`, id, h.ms)
	out, err := m.deriver.Event(text, t.now)
	if err != nil {
		t.Metrics.malforms.Inc()
		return
	}
	t.derive(m, out)
}

// derive has turns kept and calls carried out.
func (t *talk) derive(m *session, out realtime.Output) {
	t.keepTurns(out.Turns)
	for _, c := range out.Calls {
		t.called(m, c)
	}
	for _, f := range out.Faults {
		if t.faults++; t.faults <= maxFaults {
			t.log.Warn("the model reports a fault", "type", f.Type, "code", f.Code)
		}
	}
	if out.Ended && t.model == m {
		t.broke("expired", false)
	}
}

func (t *talk) keepTurns(turns []realtime.Turn) {
	for _, turn := range turns {
		if strings.HasPrefix(turn.Item, historyID) {
			continue // it was kept when it was said
		}
		t.keep.add(t.sessions, turn)
		t.history = append(t.history, turn)
		bytes := 0
		for i := len(t.history) - 1; i >= 0; i-- {
			if bytes += len(t.history[i].Text); bytes > maxHistoryBytes || len(t.history)-i > maxHistory {
				t.history = slices.Delete(t.history, 0, i+1)
				break
			}
		}
	}
}

// called has a call of the model's carried out.
func (t *talk) called(m *session, c realtime.Call) {
	switch {
	case c.Name == endCall:
		t.leaving = t.now
		t.send(answered(c.ID, endAnswer))
		m.owes = m.owes || !m.spoke // then the goodbye is still to be said
	case t.pending == maxCalls:
		t.send(answered(c.ID, tooFew))
		m.owes = true
	default:
		t.pending++
		t.jobs <- job{m.n, c} // has room for all that are under way
	}
}
