package realtime

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"time"

	"github.com/recallerhq/recaller"
)

// added takes in an item of the conversation, whoever put it there.
func (d *Deriver) added(e Event, at time.Time, out *Output) {
	w := e.Item
	if w == nil || w.ID == "" || d.told.has(w.ID) {
		return
	}
	switch {
	case w.Type == "function_call":
		it := d.begin(w.ID, "", at)
		it.failed = true
		d.place(it, e.PreviousItemID)
		d.functionCall(*w, e.Kind == ItemDone, out)
	case w.Type == "message" && w.Role == string(recaller.User):
		it := d.begin(w.ID, recaller.User, at)
		d.place(it, e.PreviousItemID)
		d.typed(it, w.Content)
	case w.Type == "message" && w.Role == string(recaller.Assistant):
		isNew := d.items[w.ID] == nil
		it := d.begin(w.ID, recaller.Assistant, at)
		d.place(it, e.PreviousItemID)
		// The application put in what comes with its words: nobody said it in this conversation.
		it.failed = it.failed || isNew && e.Kind == ItemAdded && len(w.Content) > 0
		if e.Kind == ItemDone {
			d.finish(it, *w)
		}
	default:
		it := d.begin(w.ID, "", at)
		it.failed = true
		d.place(it, e.PreviousItemID)
	}
}

// typed takes the words of a user's item that was not spoken, or that comes with its transcript.
func (d *Deriver) typed(it *item, parts []content) {
	spoken := false
	for i, c := range parts {
		if c.Type == "input_audio" || c.Type == "audio" {
			spoken = spoken || c.Transcript == ""
		}
		if text := cmp.Or(c.Text, c.Transcript); text != "" && !it.done {
			d.set(it, i, text, false, true)
		}
	}
	it.done = it.done || !spoken && it.text() != ""
}

// transcript takes in what the recogniser made of what the caller said.
func (d *Deriver) transcript(e Event, at time.Time, out *Output) {
	if e.Kind == TranscriptFailed && e.Error != nil {
		out.Faults = append(out.Faults, fault(e.Error, e.ItemID))
	}
	if began, ok := d.late[e.ItemID]; ok && e.Kind == Transcribed {
		delete(d.late, e.ItemID)
		if text := clip(e.Transcript, recaller.MaxTurnBytes); trimmed(text) != "" {
			out.Turns = append(out.Turns, Turn{e.ItemID, recaller.User, trimmed(text), began, confidence(e.Logprobs), false})
		}
	}
	if d.told.has(e.ItemID) {
		return
	}
	it := d.begin(e.ItemID, recaller.User, at)
	d.place(it, nil)
	switch e.Kind {
	case Transcribing:
		d.set(it, e.ContentIndex, e.Delta, true, false)
	case TranscriptSoFar:
		if !it.done {
			d.set(it, e.ContentIndex, cmp.Or(e.Transcript, e.Text, e.Delta), false, false)
		}
	case Transcribed:
		d.set(it, e.ContentIndex, e.Transcript, false, true)
		it.done, it.confidence = it.complete(), confidence(e.Logprobs)
		d.heardBefore(it)
	case TranscriptFailed:
		it.failed = true
	default:
	}
}

// confidence returns the mean probability of a transcript's tokens; 1 if there are none.
func confidence(tokens []logprob) float64 {
	if len(tokens) == 0 {
		return 1
	}
	sum := 0.0
	for _, t := range tokens {
		sum += min(0, t.Logprob)
	}
	return math.Exp(sum / float64(len(tokens)))
}

// saying takes in what the agent says, in pieces or by parts.
func (d *Deriver) saying(e Event, at time.Time) {
	if d.told.has(e.ItemID) {
		return
	}
	it := d.begin(e.ItemID, recaller.Assistant, at)
	d.place(it, nil)
	it.response = cmp.Or(it.response, e.ResponseID)
	it.voice, it.ahead = it.voice || e.IsVoice, it.ahead || e.IsAhead
	if e.Kind == Saying {
		d.set(it, e.ContentIndex, e.Delta, true, false)
		return
	}
	if text := cmp.Or(e.Transcript, e.Text); text != "" || len(it.parts) <= e.ContentIndex {
		d.set(it, e.ContentIndex, text, false, true)
	}
}

// sound counts the audio of what the agent says.
func (d *Deriver) sound(e Event, bytes int, at time.Time) {
	if d.told.has(e.ItemID) {
		return
	}
	it := d.begin(e.ItemID, recaller.Assistant, at)
	d.place(it, nil)
	it.response, it.voice = cmp.Or(it.response, e.ResponseID), true
	it.audio += bytes
}

// truncate notes that the agent was cut off, and how much of it was played.
func (d *Deriver) truncate(e Event, at time.Time) {
	it := d.items[e.ItemID]
	if it == nil || it.speaker != recaller.Assistant {
		return
	}
	ms := max(0, e.AudioEndMS)
	if it.cut {
		ms = min(ms, it.heardMS)
	}
	it.cut, it.heardMS, it.last = true, ms, at
}

// output takes in an item of a response.
func (d *Deriver) output(e Event, at time.Time, out *Output) {
	w := e.Item
	if w == nil || w.ID == "" {
		return
	}
	if w.Type == "function_call" {
		d.functionCall(*w, e.Kind == OutputDone, out)
	}
	if d.told.has(w.ID) {
		return
	}
	speaker := recaller.Assistant
	if w.Type != "message" {
		speaker = ""
	}
	it := d.begin(w.ID, speaker, at)
	it.failed = speaker == ""
	d.place(it, nil)
	it.response = cmp.Or(it.response, e.ResponseID)
	if e.Kind == OutputDone && speaker != "" {
		d.finish(it, *w)
	}
}

// finish takes in the end of something that the agent says.
func (d *Deriver) finish(it *item, w Item) {
	for i, c := range w.Content {
		it.voice = it.voice || c.Transcript != "" || c.Type == "audio" || c.Type == "output_audio"
		if text := cmp.Or(c.Transcript, c.Text); text != "" {
			d.set(it, i, text, false, true)
		}
	}
	it.done = true
	it.interrupted = it.interrupted || w.Status == "incomplete"
}

// responded takes in the end of a response.
func (d *Deriver) responded(e Event, at time.Time, out *Output) {
	r := e.Response
	if r == nil {
		return
	}
	if r.StatusDetails != nil && r.StatusDetails.Error != nil {
		out.Faults = append(out.Faults, fault(r.StatusDetails.Error, ""))
	}
	isWhole := r.Status == "completed" || r.Status == ""
	messages := 0
	for _, w := range r.Output {
		done := Event{Kind: OutputDone, ResponseID: r.ID, Item: &w}
		switch {
		case w.Type == "function_call" && !isWhole && w.Status != "completed":
			done.Kind = OutputAdded
		case w.Type == "message":
			messages++
			if !isWhole && w.Status != "completed" {
				w.Status = "incomplete"
			}
		}
		d.output(done, at, out)
	}
	for _, it := range d.order {
		if r.ID == "" || it.response != r.ID || it.speaker != recaller.Assistant {
			continue
		}
		it.interrupted = it.interrupted || !isWhole && !it.done
		it.done = true
		if r.Usage != nil && messages == 1 {
			it.spokenMS = float64(r.Usage.OutputTokenDetails.AudioTokens) * msPerToken
		}
	}
}

// functionCall takes in a function call as an item. isWhole means that all of its arguments are there.
func (d *Deriver) functionCall(w Item, isWhole bool, out *Output) {
	c := Call{ID: w.CallID, Name: w.Name}
	if isWhole && w.Status != "incomplete" {
		c.Arguments = json.RawMessage(w.Arguments)
	}
	d.call(w.ID, c, out)
}

// call collects what is known of a function call, and returns it once it is complete. Older servers give the name with
// the item only, so the pieces may come in any order.
func (d *Deriver) call(item string, c Call, out *Output) {
	known := d.pending[item]
	c.ID, c.Name = cmp.Or(c.ID, known.ID), cmp.Or(c.Name, known.Name)
	if len(c.Arguments) == 0 {
		c.Arguments = known.Arguments
	}
	if d.calls.has(c.ID) {
		delete(d.pending, item)
		return
	}
	if c.ID == "" || c.Name == "" || len(c.Arguments) == 0 {
		if d.pending == nil {
			d.pending = map[string]Call{}
		}
		if len(d.pending) < maxItems {
			d.pending[item] = c
		}
		return
	}
	delete(d.pending, item)
	d.calls.add(c.ID)
	out.Calls = append(out.Calls, c)
}

// isAside reports whether an event belongs to a response outside the conversation: the application asked the model
// something for itself. Such a response has null for its conversation, where others have an id.
func (d *Deriver) isAside(e Event) bool {
	if e.Response != nil {
		switch id := bytes.TrimSpace(e.Response.ConversationID); {
		case len(id) == 0:
		case !bytes.Equal(id, []byte("null")):
			d.hasID = true
		case d.hasID:
			d.aside.add(e.Response.ID)
		}
		return d.aside.has(e.Response.ID)
	}
	return d.aside.has(e.ResponseID)
}

// format notes how many bytes a millisecond of the agent's audio has.
func (d *Deriver) format(s *session) {
	if s == nil || d.watched {
		return
	}
	switch f := s.Audio.Output.Format; {
	case f.Type == "audio/pcmu" || f.Type == "audio/pcma" || s.OutputAudioFormat == "g711_ulaw" ||
		s.OutputAudioFormat == "g711_alaw":
		d.rate = 8
	case f.Type == "audio/pcm" && f.Rate > 0:
		d.rate = float64(f.Rate) * 2 / 1000
	case f.Type == "audio/pcm" || s.OutputAudioFormat == "pcm16":
		d.rate = defaultRate
	}
}
