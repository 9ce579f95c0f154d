package bridge

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/recallerhq/recaller/internal/conversation"
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

// told takes what the model sent.
func (t *talk) told(e event) {
	m := t.model
	if m == nil || e.session != m.n {
		return // of a session that is over
	}
	if e.err != nil {
		t.Log.Warn("the model's socket broke", "err", e.err)
		t.broke("socket", false)
		return
	}
	m.last = t.Time
	list, err := m.wire.read(e.raw, e.binary)
	if err != nil {
		t.Metrics.malforms.Inc()
		return
	}
	for _, told := range list {
		t.take(m, told, e.at)
	}
}

// take takes an event, while its session goes on.
func (t *talk) take(m *session, e realtime.Event, at time.Time) {
	if t.model != m {
		return
	}
	switch e.Kind {
	case realtime.Audio:
		t.sound(m, e, at)
	case realtime.SpeechStarted:
		m.speaking, m.paused, m.awaits, m.rounds = true, time.Time{}, time.Time{}, 0
		t.leaving = time.Time{}
		t.silence("caller")
		t.begins(m, e.ItemID)
	case realtime.ResponseDone:
		t.unsounded(m, e.Response)
	default:
	}
	t.derive(m, m.deriver.Take(e, t.Time))
	if t.model == m && e.Kind != realtime.Audio {
		t.follow(m, e)
	}
}

// follow does what an event asks for, once the turns and calls in it are known.
func (t *talk) follow(m *session, e realtime.Event) {
	switch e.Kind {
	case realtime.SessionReady:
		if !m.ready {
			t.ready(m)
		}
	case realtime.Failure:
		if !m.ready {
			t.broke("refused", false)
		}
	case realtime.Transcribed, realtime.TranscriptFailed:
		t.written(m, e.ItemID)
	case realtime.SpeechStopped:
		m.paused = t.Time
	case realtime.Committed:
		t.committed(m)
	case realtime.Saying:
		m.spoke = m.spoke || e.IsVoice
	case realtime.ResponseBegun:
		m.spoke, m.awaits, m.nudged = false, time.Time{}, false
		if m.active = ""; e.Response != nil {
			m.active = e.Response.ID
		}
		m.owes = m.owes && t.pending > 0
	case realtime.AudioDone:
		t.finish(e.ItemID)
	case realtime.OutputDone:
		if e.Item != nil {
			t.finish(e.Item.ID)
		}
	case realtime.ResponseDone:
		t.responded(m, e.Response)
	case realtime.CallCancelled:
		t.callOff(m, e.CallID)
	default:
	}
	t.respond()
}

// committed notes that the caller has paused, and is to be answered.
func (t *talk) committed(m *session) {
	if m.speaking = false; m.paused.IsZero() {
		m.paused = t.Time
	}
	switch {
	case !m.habits.answers:
		m.owes = true
	case m.active == "" && m.awaits.IsZero():
		m.awaits = t.Time
	}
}

// begins notes that the caller says something. Its audio is kept until its words are: a session that breaks before is
// followed by one that hears it again.
func (t *talk) begins(m *session, item string) {
	if len(m.unheard) == 0 {
		t.unsaid = slices.Clone(t.recent)
	}
	if !slices.Contains(m.unheard, item) {
		m.unheard = last(m.unheard, item, maxSounded)
	}
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
	if m.stale {
		t.send(m.wire.refresh(t.call.instructions()))
	}
	t.send(m.wire.resume(t.history)...)
	for _, payload := range slices.Concat(t.unsaid, t.early) {
		t.pass(payload, time.Time{})
	}
	t.unsaid, t.early = nil, nil
	switch {
	case len(t.history) == 0 && t.call.Greeting != "":
		t.ask(m, greet)
	case len(t.history) == 0 && t.call.SpeaksFirst:
		t.ask(m, begin)
	case t.busy:
		t.ask(m, goOn)
	}
	t.busy = false
}

// ask asks the model for a response.
func (t *talk) ask(m *session, c cue) {
	m.owes, m.awaits = false, t.Time
	t.send(m.wire.ask(c, t.opening()))
}

// owed notes that the model was told something that it has to speak of: when it is asked, or by itself.
func (t *talk) owed(m *session) {
	switch {
	case !m.habits.goesOn:
		m.owes = true
	case t.pending == 0:
		m.rounds++
		if m.active == "" && m.awaits.IsZero() {
			m.awaits = t.Time
		}
	}
}

// respond asks for a response where the model has results to speak of: one for all results, when nobody speaks.
func (t *talk) respond() {
	m := t.model
	if m == nil || !m.ready || !m.owes || m.speaking || m.active != "" || !m.awaits.IsZero() || t.pending > 0 {
		return
	}
	c := speak
	if m.rounds++; m.rounds > maxRounds {
		c = speakOnly
	}
	t.ask(m, c)
}

// responded takes the end of a response.
func (t *talk) responded(m *session, r *realtime.Response) {
	if r == nil {
		r = &realtime.Response{}
	}
	if m.active == r.ID || r.ID == "" {
		m.active = ""
	}
	if m.spoke {
		m.rounds = 0
	}
	for _, item := range r.Output {
		t.finish(item.ID)
	}
	switch r.Status {
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
func (t *talk) sound(m *session, e realtime.Event, at time.Time) {
	payload, item := e.Delta, e.ItemID
	switch {
	case !mediastream.IsPayload(payload):
		t.Metrics.malforms.Inc()
		return
	case t.play.refused(item):
		return
	case m.cut != "" && e.ResponseID == m.cut:
		t.cutOff(m, heard{item: item})
		return
	}
	m.spoke = true
	if !slices.Contains(m.sounded, item) {
		m.sounded = append(m.sounded[max(0, len(m.sounded)-maxSounded):], item)
	}
	for _, piece := range mediastream.Split(payload, pieceMS) {
		before, behind := t.play.add(item, mediastream.Len(piece), t.Time)
		t.mark(before)
		t.out.put(outgoing{payload: piece, at: at})
		t.mark(behind)
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
			t.derive(m, m.deriver.Played(item, t.Time))
		}
	}
}

// unsounded notes which items of a response had no audio: nobody heard them.
func (t *talk) unsounded(m *session, r *realtime.Response) {
	if r == nil {
		return
	}
	for _, item := range r.Output {
		if item.Type == "message" && !slices.Contains(m.sounded, item.ID) {
			t.notHeard(m, heard{item: item.ID})
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
		t.derive(m, m.deriver.Played(item, t.Time))
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
		if why == "backlog" || why == "caller" && !m.habits.interrupts {
			t.send(m.wire.stop())
		}
	}
}

// cutOff tells the model and the deriver how much of an item was heard.
func (t *talk) cutOff(m *session, h heard) {
	t.play.refuse(h.item)
	t.send(m.wire.cut(h.item, h.ms))
	t.notHeard(m, h)
}

// notHeard tells the deriver how much of an item was heard.
func (t *talk) notHeard(m *session, h heard) {
	t.derive(m, m.deriver.Take(realtime.Event{
		Kind: realtime.ItemTruncated, ItemID: h.item, AudioEndMS: float64(h.ms),
	}, t.Time))
}

// derive has turns kept and calls carried out.
func (t *talk) derive(m *session, out realtime.Output) {
	t.keepTurns(out.Turns)
	for _, c := range out.Calls {
		t.called(m, c)
	}
	for _, f := range out.Faults {
		t.Fault("model", cmp.Or(f.Code, f.Type))
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
		sure := turn.Confidence
		t.Keep.Add(strconv.Itoa(t.sessions)+" "+turn.Item, conversation.TurnInput{
			Speaker: turn.Speaker, Text: turn.Text, At: turn.At, Confidence: &sure, Interrupted: turn.Interrupted,
		})
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
