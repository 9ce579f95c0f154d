package rehearsal

import (
	"slices"
	"strings"
	"sync"
)

// Hearsay is the side door by which a Model knows words: it understands no speech. Whoever speaks leaves the words here
// with their sound; whoever has heard a piece of sound gets the words of that much. The sound goes through a call
// untouched, so what did not arrive is not known. Safe for concurrent use.
type Hearsay struct {
	mu    sync.Mutex
	lines []hearsayLine
	where map[[frameBytes]byte][]place
}

type hearsayLine struct {
	text   string
	frames int // with the last that is no silence
}

// place is a frame in a line.
type place struct{ line, frame int }

// Said leaves a line here: its words, and its sound in whole frames.
func (h *Hearsay) Said(text string, audio []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.where == nil {
		h.where = map[[frameBytes]byte][]place{}
	}
	line := hearsayLine{text: text}
	for i, frame := range frames(audio) {
		if !isSpeech(frame[:]) {
			continue
		}
		h.where[frame] = append(h.where[frame], place{len(h.lines), i})
		line.frames = i + 1
	}
	h.lines = append(h.lines, line)
}

// Words returns the words of a piece of sound; empty: none are known.
func (h *Hearsay) Words(audio []byte) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var order []int
	upTo := map[int]int{}
	now := -1
	for _, frame := range frames(audio) {
		p, ok := h.find(frame, now)
		if !ok {
			continue
		}
		if now = p.line; !slices.Contains(order, now) {
			order = append(order, now)
		}
		upTo[now] = max(upTo[now], p.frame+1)
	}
	var words []string
	for _, n := range order {
		if part := partOf(h.lines[n], upTo[n]); part != "" {
			words = append(words, part)
		}
	}
	return strings.Join(words, " ")
}

// find finds a frame, in the line that was heard before it if it is there, else in the newest. The lock is held.
func (h *Hearsay) find(frame [frameBytes]byte, now int) (place, bool) {
	places := h.where[frame]
	if i := slices.IndexFunc(places, func(p place) bool { return p.line == now }); i >= 0 {
		return places[i], true
	}
	if len(places) == 0 {
		return place{}, false
	}
	return places[len(places)-1], true
}

// partOf returns the words of a line that so many of its frames hold: whole words.
func partOf(l hearsayLine, frames int) string {
	if frames >= l.frames-1 {
		return l.text
	}
	words := strings.Fields(l.text)
	return strings.Join(words[:len(words)*frames/l.frames], " ")
}

// frames cuts sound into frames.
func frames(audio []byte) [][frameBytes]byte {
	out := make([][frameBytes]byte, 0, len(audio)/frameBytes)
	for len(audio) >= frameBytes {
		out = append(out, [frameBytes]byte(audio[:frameBytes]))
		audio = audio[frameBytes:]
	}
	return out
}
