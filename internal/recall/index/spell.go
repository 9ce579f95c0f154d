package index

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/embed/static"
	"github.com/recallerhq/recaller/internal/recall/token"
	"github.com/recallerhq/recaller/internal/vector"
)

// This file is about how a segment is spelled, to be kept: numbers in variable lengths where they are few, and lists of
// fixed ones, least byte first, where they are many. What is told by something else is left out.

// SegmentFormat names what segments are made of and how they are spelled: another name for other ones.
const SegmentFormat = "2 " + static.Model

// Append appends the segment, spelled, to dst.
func (s *Segment) Append(dst []byte) []byte {
	ix, l := s.ix, s.ix.lean
	dst = slices.Grow(dst, int(ix.bytes))
	dst = appendText(dst, SegmentFormat)
	dst = appendLanguages(dst, ix)
	dst = binary.AppendUvarint(dst, uint64(ix.words))
	dst = binary.AppendUvarint(dst, uint64(len(ix.names)))
	for _, n := range ix.names {
		dst = appendText(dst, n.text)
	}
	dst = binary.AppendUvarint(dst, uint64(len(ix.sessions)))
	for i := range ix.sessions {
		dst = appendSession(dst, ix, int32(i))
	}
	dst = binary.AppendUvarint(dst, uint64(len(ix.docs)))
	for i := range ix.docs {
		d := &ix.docs[i]
		dst = append(dst, byte(l.kinds[i]))
		dst = binary.LittleEndian.AppendUint16(dst, l.sessions[i])
		dst = binary.LittleEndian.AppendUint16(dst, d.words)
		dst = binary.LittleEndian.AppendUint16(dst, d.name)
		dst = binary.LittleEndian.AppendUint32(dst, uint32(d.place))
		dst = binary.LittleEndian.AppendUint32(dst, uint32(d.day))
		dst = binary.LittleEndian.AppendUint32(dst, d.print)
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(l.scales[i]))
	}
	dst = append(dst, l.sketches...)
	dst = appendText(dst, l.words)
	dst = append32(dst, l.wordEnds)
	dst = append32(dst, l.docEnds)
	dst = append32(dst, l.more)
	dst = append32(dst, l.moreEnds)
	dst = binary.AppendUvarint(dst, uint64(len(l.docs)))
	for _, d := range l.docs {
		dst = binary.LittleEndian.AppendUint16(dst, d)
	}
	return dst
}

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func append32(dst []byte, list []uint32) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(list)))
	for _, n := range list {
		dst = binary.LittleEndian.AppendUint32(dst, n)
	}
	return dst
}

// appendLanguages spells by whose rules something was indexed, and how many conversations tell each language.
func appendLanguages(dst []byte, ix *Index) []byte {
	dst = binary.AppendUvarint(dst, uint64(ix.main))
	dst = binary.AppendUvarint(dst, uint64(len(ix.used)))
	for _, l := range ix.used {
		dst = binary.AppendUvarint(dst, uint64(l))
	}
	dst = binary.AppendUvarint(dst, uint64(len(ix.counts)))
	for _, l := range slices.Sorted(maps.Keys(ix.counts)) { // so that a segment is spelled in one way
		dst = binary.AppendUvarint(dst, uint64(l))
		dst = binary.AppendUvarint(dst, uint64(ix.counts[l]))
	}
	return dst
}

// appendSession spells a conversation with when its turns were said and their numbers, each as far as it is from the
// one before.
func appendSession(dst []byte, ix *Index, si int32) []byte {
	s, l := &ix.sessions[si], ix.lean
	dst = appendText(dst, string(s.id))
	dst = appendTime(dst, s.startedAt)
	dst = appendTime(dst, s.endedAt)
	voice := uint64(0)
	if s.voice {
		voice = 1
	}
	for _, n := range []uint64{voice, uint64(s.told), uint64(s.words[0]), uint64(s.words[1]), uint64(ix.turnsOf(si))} {
		dst = binary.AppendUvarint(dst, n)
	}
	at, number := int64(0), int32(0)
	for i := s.first; i < s.first+ix.turnsOf(si); i++ {
		dst = binary.AppendVarint(dst, l.at[i]-at) // which may wrap round, and does so back
		dst = binary.AppendVarint(dst, int64(l.numbers[i]-number))
		at, number = l.at[i], l.numbers[i]
	}
	return dst
}

// turnsOf returns how many turns a segment has of a conversation.
func (ix *Index) turnsOf(si int32) int32 {
	if int(si)+1 < len(ix.sessions) {
		return ix.sessions[si+1].first - ix.sessions[si].first
	}
	return int32(len(ix.lean.at)) - ix.sessions[si].first
}

func appendTime(dst []byte, t time.Time) []byte {
	if t.IsZero() {
		return binary.AppendVarint(dst, noTime)
	}
	return binary.AppendVarint(dst, t.UnixMicro())
}

// ReadSegment reads what Append spelled. It fails for anything else, and keeps nothing of src.
func ReadSegment(src []byte, w Weights) (*Segment, error) {
	r := &reader{src: src}
	if r.text() != SegmentFormat {
		return nil, recaller.Errorf(recaller.Internal, "a segment of an index has another format")
	}
	ix := &Index{weights: w, long: true, lean: &lean{}, byID: make(map[recaller.ConversationID]int32)}
	r.languages(ix)
	ix.words = int64(r.number())
	for n := r.count(1); n > 0; n-- {
		ix.names = append(ix.names, nameOf(r.text()))
	}
	for n := r.count(8); n > 0; n-- {
		r.session(ix)
	}
	r.docs(ix)
	l := ix.lean
	l.words = r.text()
	l.wordEnds, l.docEnds, l.more, l.moreEnds = r.list32(), r.list32(), r.list32(), r.list32()
	l.docs = make([]uint16, r.count(2))
	raw := r.take(2 * len(l.docs))
	for i := range l.docs {
		if len(raw) >= 2*i+2 {
			l.docs[i] = binary.LittleEndian.Uint16(raw[2*i:])
		}
	}
	if r.failed || len(r.src) > 0 || !ix.sound() {
		return nil, recaller.Errorf(recaller.Internal, "a segment of an index cannot be read")
	}
	ix.live = len(ix.docs)
	ix.bytes = ix.leanBytes()
	return &Segment{ix}, nil
}

// sound reports whether what refers to something in a segment refers to something that is there.
func (ix *Index) sound() bool {
	l := ix.lean
	terms := len(l.wordEnds)
	rising := func(ends []uint32, n int) bool {
		return len(ends) == terms && slices.IsSorted(ends) && (terms == 0 && n == 0 || terms > 0 && int(ends[terms-1]) == n)
	}
	if !rising(l.wordEnds, len(l.words)) || !rising(l.docEnds, len(l.docs)) || !rising(l.moreEnds, len(l.more)) || len(ix.names) == 0 {
		return false
	}
	for _, d := range l.docs {
		if int(d) >= len(ix.docs) {
			return false
		}
	}
	for t := range uint32(terms) {
		for _, m := range cut(l.more, l.moreEnds, t) {
			if int(m>>countBits) >= len(cut(l.docs, l.docEnds, t)) {
				return false
			}
		}
	}
	for i := range ix.docs {
		d := &ix.docs[i]
		if d.kind > text || int(d.session) >= len(ix.sessions) || int(d.name) >= len(ix.names) {
			return false
		}
		if d.kind < text && (d.place < 0 || d.place >= ix.turnsOf(d.session)) {
			return false
		}
	}
	return true
}

// reader reads what was spelled. Once something is missing it has failed, and reads zeros.
type reader struct {
	src    []byte
	failed bool
}

func (r *reader) number() uint64 {
	n, size := binary.Uvarint(r.src)
	return r.read(n, size)
}

func (r *reader) signed() int64 {
	n, size := binary.Varint(r.src)
	return int64(r.read(uint64(n), size))
}

func (r *reader) read(n uint64, size int) uint64 {
	if size <= 0 {
		r.failed = true
		return 0
	}
	r.src = r.src[size:]
	return n
}

// count reads how many things follow that take so many bytes each at least.
func (r *reader) count(each int) int {
	n := r.number()
	if n > uint64(len(r.src)/each) {
		r.failed = true
		return 0
	}
	return int(n)
}

func (r *reader) take(n int) []byte {
	if n > len(r.src) {
		r.failed = true
		return nil
	}
	out := r.src[:n]
	r.src = r.src[n:]
	return out
}

func (r *reader) text() string { return string(r.take(r.count(1))) }

func (r *reader) time() time.Time {
	if n := r.signed(); n != noTime {
		return time.UnixMicro(n).UTC()
	}
	return time.Time{}
}

func (r *reader) list32() []uint32 {
	out := make([]uint32, r.count(4))
	raw := r.take(4 * len(out))
	for i := range out {
		if len(raw) >= 4*i+4 {
			out[i] = binary.LittleEndian.Uint32(raw[4*i:])
		}
	}
	return out
}

func (r *reader) languages(ix *Index) {
	ix.main = token.Language(r.number())
	for n := r.count(1); n > 0; n-- {
		ix.used = append(ix.used, token.Language(r.number()))
	}
	ix.counts = make(map[token.Language]int)
	for n := r.count(2); n > 0; n-- {
		l := token.Language(r.number())
		ix.counts[l] = int(r.number())
	}
}

func (r *reader) session(ix *Index) {
	l := ix.lean
	s := session{id: recaller.ConversationID(r.text()), startedAt: r.time(), endedAt: r.time(), first: int32(len(l.at))}
	s.voice = r.number() == 1
	s.told = token.Language(r.number())
	s.words = [2]int32{int32(r.number()), int32(r.number())}
	at, number := int64(0), int64(0)
	for n := r.count(2); n > 0; n-- {
		at, number = at+r.signed(), number+r.signed()
		l.at, l.numbers = append(l.at, at), append(l.numbers, int32(number))
	}
	ix.byID[s.id] = int32(len(ix.sessions))
	ix.sessions = append(ix.sessions, s)
}

// docBytes is what a doc takes, but for its sketch.
const docBytes = 1 + 3*2 + 4*4

func (r *reader) docs(ix *Index) {
	l := ix.lean
	n := r.count(docBytes + vector.SketchBytes)
	raw := r.take(n * docBytes)
	l.sketches = slices.Clone(r.take(n * vector.SketchBytes))
	if r.failed {
		return
	}
	ix.docs = make([]doc, n)
	l.kinds, l.sessions, l.lengths, l.scales = make([]class, n), make([]uint16, n), make([]uint16, n), make([]float32, n)
	le := binary.LittleEndian
	for i := range n {
		b := raw[i*docBytes:][:docBytes]
		l.kinds[i], l.sessions[i], l.lengths[i] = class(b[0]), le.Uint16(b[1:]), le.Uint16(b[3:])
		l.scales[i] = math.Float32frombits(le.Uint32(b[19:]))
		ix.docs[i] = doc{
			session: int32(l.sessions[i]), words: l.lengths[i], name: le.Uint16(b[5:]), place: int32(le.Uint32(b[7:])), day: int32(le.Uint32(b[11:])),
			print: le.Uint32(b[15:]), kind: l.kinds[i] &^ echoed, echo: l.kinds[i]&echoed != 0,
		}
	}
}
