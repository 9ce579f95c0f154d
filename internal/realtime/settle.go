package realtime

import (
	"slices"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
)

// How long the agent speaks, if no audio shows it.
const (
	defaultRate = 48   // bytes per millisecond: 16 bits at 24 kHz, the APIs' default
	msPerToken  = 50   // of output audio, as OpenAI counts
	msPerChar   = 65   // about 15 characters a second, an unhurried English voice
	playSlack   = 1000 // milliseconds: for the audio to reach the caller, and news to come back
)

// settle returns what can be returned, from the first item of the conversation on.
func (d *Deriver) settle(at time.Time, out *Output) {
	for len(d.order) > 0 {
		isFull := len(d.order) > maxItems || d.bytes > maxHeld
		if !isFull && !d.ready(d.order[0], at) {
			return
		}
		d.tell(d.order[0], out)
	}
}

// ready reports whether the first item need not wait any longer.
func (d *Deriver) ready(it *item, at time.Time) bool {
	switch {
	case it.after != "" && at.Sub(it.last) < placeWait:
		return false // what precedes it is missing
	case it.speaker == "" || it.failed:
		return true
	case it.speaker == recaller.User && it.done:
		return true
	case it.speaker == recaller.Assistant && (it.done || it.heard && at.Sub(it.last) >= playSlack*time.Millisecond):
		return it.cut || it.heard || !it.voice || d.isOver(it, at)
	}
	return at.Sub(it.last) >= TranscriptWait &&
		slices.ContainsFunc(d.order[1:], func(o *item) bool { return o.done && o.text() != "" })
}

// isOver reports whether the audio of an item has ended.
func (d *Deriver) isOver(it *item, at time.Time) bool {
	if d.watched {
		return it.played
	}
	return !at.Before(d.playedAt(it))
}

// playedAt returns when the audio of an item must have ended.
func (d *Deriver) playedAt(it *item) time.Time {
	return it.at.Add(time.Duration(d.totalMS(it)+playSlack) * time.Millisecond)
}

// totalMS returns how long an item takes to speak.
func (d *Deriver) totalMS(it *item) float64 {
	rate := d.rate
	if rate == 0 {
		rate = defaultRate
	}
	switch {
	case it.ahead && (!it.done || it.interrupted): // more of it was to come
		return max(float64(it.audio)/rate, d.voice.of(it.text()))
	case it.audio > 0:
		return float64(it.audio) / rate
	case it.spokenMS > 0:
		return it.spokenMS
	}
	return d.voice.of(it.text())
}

// Pace is how fast a voice speaks, as far as it was heard. The zero value knows nothing.
type Pace struct{ ms, chars float64 }

// paceChars bounds how much of what was heard counts: what came before fades.
const paceChars = 20_000

// of returns how long it takes to say a text, in milliseconds.
func (p Pace) of(text string) float64 {
	n := float64(utf8.RuneCountInString(text))
	if p.chars == 0 {
		return n * msPerChar
	}
	return n * p.ms / p.chars
}

// Plus returns the pace of a voice of which more was heard.
func (p Pace) Plus(more Pace) Pace {
	out := Pace{p.ms + more.ms, p.chars + more.chars}
	if out.chars > paceChars {
		out.ms, out.chars = out.ms*paceChars/out.chars, paceChars
	}
	return out
}

// learn notes how long it took to say a text.
func (d *Deriver) learn(text string, ms float64) {
	heard := Pace{ms, float64(utf8.RuneCountInString(text))}
	d.voice, d.learnt = d.voice.Plus(heard), d.learnt.Plus(heard)
}

// Learnt returns the pace of the agent's voice, as far as this session has shown it.
func (d *Deriver) Learnt() Pace { return d.learnt }

// unheard reports whether an item was still being said, or made, at a time.
func (d *Deriver) unheard(it *item, at time.Time) bool {
	if it.heard || it.cut || !it.voice {
		return false
	}
	if d.watched {
		return !it.played
	}
	return at.Before(it.at.Add(time.Duration(d.totalMS(it)) * time.Millisecond))
}

// tell ends an item, and returns its turn if it has one.
func (d *Deriver) tell(it *item, out *Output) {
	d.remove(it)
	text := it.text()
	if it.speaker == recaller.User && !it.done && !it.failed && text == "" {
		d.lateFrom(it) // its transcript may come after all
	}
	if it.speaker == "" || it.failed {
		return
	}
	interrupted := it.interrupted
	if it.ahead && it.done && !interrupted && it.audio > 0 && text != "" {
		d.learn(text, d.totalMS(it))
	}
	if it.cut {
		text, interrupted = heardPart(text, it.heardMS, d.totalMS(it)), true
	}
	if it.speaker == recaller.Assistant && !it.done && !it.complete() {
		interrupted = true // its end never came
	}
	if text != "" {
		out.Turns = append(out.Turns, Turn{it.id, it.speaker, text, it.at, it.confidence, interrupted})
	}
}

// heardPart returns what was heard of a text after ms of total: whole words in proportion to the time.
func heardPart(text string, ms, total float64) string {
	if total <= 0 || ms >= total {
		return text
	}
	runes := []rune(text)
	n := int(float64(len(runes)) * max(0, ms) / total)
	if n < len(runes) && !unicode.IsSpace(runes[n]) {
		for n > 0 && !unicode.IsSpace(runes[n-1]) {
			n--
		}
	}
	for n > 0 && unicode.IsSpace(runes[n-1]) {
		n--
	}
	return string(runes[:n])
}

// heardBefore notes that the caller has spoken after what the agent said before an item, which can no longer be cut
// off. Who moves the audio knows better: some of it may still be to come.
func (d *Deriver) heardBefore(it *item) {
	for _, o := range d.order {
		if o == it {
			return
		}
		if o.speaker == recaller.Assistant && (!d.watched || o.audio == 0) {
			o.heard = true
		}
	}
}

// lateFrom remembers an item that was given up waiting for.
func (d *Deriver) lateFrom(it *item) {
	if d.late == nil {
		d.late = map[string]time.Time{}
	}
	if len(d.late) < maxItems {
		d.late[it.id] = it.at
	}
}
