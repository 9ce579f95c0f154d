package archive

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"sync"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

// Bounds of what EachPage holds in memory.
const (
	pageTurns  = 1000
	pageBytes  = 512 << 10 // of JSON; the turn that goes past it is still there
	largeFrame = 1 << 20   // of those that are larger there is one in memory, whoever reads: an import is one frame
)

// Turns returns the words of a conversation in order, as many as the conversation counts (all if it counts none); none
// if there is no file.
func (a *Archive) Turns(
	ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation,
) ([]recaller.Turn, error) {
	r, err := a.reader(ctx, tenant, conv)
	if r == nil || err != nil {
		return nil, err
	}
	defer r.close()
	out, err := r.turns(ctx)
	if err != nil {
		return nil, mapped(err)
	}
	if conv.Turns > 0 {
		out = below(out, conv.Turns)
	}
	return out, nil
}

// EachPage ranges over what Turns returns, a page at a time. It reads the file twice: which words count shows only at
// its end. An error ends it.
func (a *Archive) EachPage(
	ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation,
) iter.Seq2[[]recaller.Turn, error] {
	return func(yield func([]recaller.Turn, error) bool) {
		r, err := a.reader(ctx, tenant, conv)
		if err != nil {
			yield(nil, err)
			return
		}
		if r == nil {
			return
		}
		defer r.close()
		r.large = &a.large
		list, err := r.spans(ctx)
		if err != nil {
			yield(nil, mapped(err))
			return
		}
		for _, s := range list {
			if !r.each(ctx, s, yield) {
				return
			}
		}
	}
}

// reader reads the file of a conversation.
type reader struct {
	file   *os.File
	sealer vault.Sealer
	conv   recaller.Conversation
	large  *sync.Mutex // held while a large frame is in memory; nil: there may be many
}

// reader opens the file of a conversation. Without one it returns nil.
func (a *Archive) reader(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) (*reader, error) {
	path, err := a.path(tenant, conv.Caller, conv.ID)
	if err != nil {
		return nil, err
	}
	s, err := a.vault.Opener(ctx, vault.Scope{Tenant: tenant, Caller: conv.Caller})
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return &reader{file: f, sealer: s, conv: conv}, mapped(err)
}

func (r *reader) close() { _ = r.file.Close() } // it was only read

// span is the turns of a frame that count, from a number on and below another.
type span struct {
	at, n    int64 // where the sealed frame is, and how long
	frame    int   // its place among the frames
	from, to int
	gaps     bool // its numbers do not follow each other
}

// turns returns the words of the file, and at least as many as the conversation counts.
func (r *reader) turns(ctx context.Context) (out []recaller.Turn, err error) {
	var list []span
	broken, err := r.frames(ctx, func(s span, plain []byte) error {
		var turns []recaller.Turn
		if json.Unmarshal(plain, &turns) != nil { // its error may quote what it read
			return unreadable()
		}
		if len(turns) > 0 {
			out = append(below(out, turns[0].Number), turns...)
			list = counting(list, s, turns, func(t recaller.Turn) int { return t.Number })
		}
		return nil
	})
	if err == nil && broken >= 0 && !whole(list, r.conv.Turns, broken) {
		err = damaged()
	}
	return out, err
}

// spans returns where in the file the words are that turns returns.
func (r *reader) spans(ctx context.Context) (list []span, err error) {
	type numbered struct{ Number int }
	broken, err := r.frames(ctx, func(s span, plain []byte) error {
		var turns []numbered
		if json.Unmarshal(plain, &turns) != nil {
			return unreadable()
		}
		list = counting(list, s, turns, func(t numbered) int { return t.Number })
		return nil
	})
	if err == nil && broken >= 0 && !whole(list, r.conv.Turns, broken) {
		err = damaged()
	}
	return list, err
}

// counting adds the turns of a frame. They take the place of those with their numbers, and of what comes after these.
func counting[T any](list []span, s span, turns []T, number func(T) int) []span {
	if len(turns) == 0 {
		return list
	}
	s.from, s.to = number(turns[0]), number(turns[len(turns)-1])+1
	for i, t := range turns {
		s.gaps = s.gaps || number(t) != s.from+i
	}
	for len(list) > 0 && list[len(list)-1].from >= s.from {
		list = list[:len(list)-1]
	}
	if len(list) > 0 {
		last := &list[len(list)-1]
		last.to = min(last.to, s.from)
	}
	return append(list, s)
}

// whole reports whether the words that could be read are all that a conversation counts, though a frame could not be.
// Where it counts none that cannot be known.
func whole(list []span, counted, broken int) bool {
	if counted == 0 || len(list) == 0 || broken == 0 && list[0].from > 0 {
		return false
	}
	for i, s := range list {
		if s.gaps || i > 0 && s.from != list[i-1].to {
			return false
		}
	}
	return list[len(list)-1].to >= counted
}

// frames passes on the frames of a file that open, in order. fn must not keep plain. broken is the first that does not
// open, or -1. It was never acknowledged if all that is counted is in the others: a power cut leaves parts of what was
// being written.
func (r *reader) frames(ctx context.Context, fn func(s span, plain []byte) error) (broken int, err error) {
	info, err := r.file.Stat()
	if err != nil {
		return -1, err
	}
	in := bufio.NewReaderSize(io.NewSectionReader(r.file, 0, info.Size()), 64<<10)
	var frame, plain []byte
	s := span{frame: -1}
	broken = -1
	err = walk(in, info.Size(), func(n int64) error {
		if err := ctx.Err(); err != nil {
			return late(err)
		}
		s.at, s.frame = s.at+s.n+headerSize, s.frame+1
		s.n = n
		defer r.alone(n, &frame, &plain)()
		if int64(cap(frame)) < n {
			frame = make([]byte, n)
		}
		if _, err := io.ReadFull(in, frame[:n]); err != nil {
			return err
		}
		opened, err := r.sealer.AppendOpen(plain[:0], place(r.conv.ID, s.frame), frame[:n])
		if err != nil {
			if broken < 0 {
				broken = s.frame
			}
			return nil
		}
		plain = opened
		return fn(s, plain)
	})
	if errors.Is(err, errBroken) {
		err = nil
		if broken < 0 {
			broken = s.frame + 1
		}
	}
	return broken, err
}

// alone waits until no other large frame is in memory, if one of n bytes is large. What it returns ends that, and drops
// the buffers that had it.
func (r *reader) alone(n int64, buffers ...*[]byte) (done func()) {
	if r.large == nil || n <= largeFrame {
		return func() {}
	}
	r.large.Lock()
	return func() {
		for _, b := range buffers {
			*b = nil
		}
		r.large.Unlock()
	}
}

// each passes on the turns of a frame that count, page by page. A large one it opens anew for each page, so that a slow
// reader keeps nobody from his. It returns false once no more is wanted.
func (r *reader) each(ctx context.Context, s span, yield func([]recaller.Turn, error) bool) bool {
	for at, number := 1, s.from; number < s.to; { // after the bracket
		turns, next, err := r.page(ctx, s, at)
		if err == nil && len(turns) == 0 {
			return true
		}
		if err != nil {
			yield(nil, mapped(err))
			return false
		}
		at, number = next, turns[len(turns)-1].Number+1
		if turns = below(turns, s.to); len(turns) > 0 && !yield(turns, nil) {
			return false
		}
	}
	return true
}

// page reads turns of a frame, from a place in its JSON on, and returns the place behind them.
func (r *reader) page(ctx context.Context, s span, at int) (turns []recaller.Turn, next int, err error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, late(err)
	}
	defer r.alone(s.n)()
	frame := make([]byte, s.n)
	if _, err := r.file.ReadAt(frame, s.at); err != nil {
		return nil, 0, err
	}
	plain, err := r.sealer.Open(place(r.conv.ID, s.frame), frame)
	if err != nil || at > len(plain) {
		return nil, 0, damaged() // it opened a moment ago
	}
	in := json.NewDecoder(io.MultiReader(bytes.NewReader([]byte("[")), bytes.NewReader(plain[at:])))
	if _, err := in.Token(); err != nil {
		return nil, 0, unreadable()
	}
	for in.More() && len(turns) < pageTurns && in.InputOffset() < pageBytes {
		var t recaller.Turn
		if in.Decode(&t) != nil {
			return nil, 0, unreadable()
		}
		turns = append(turns, t)
	}
	return turns, at + int(in.InputOffset()), nil // less the bracket, and with the comma
}

func late(err error) error {
	return recaller.Wrap(recaller.Timeout, err, "the archive did not answer in time")
}

func unreadable() error {
	return recaller.Errorf(recaller.Internal, "an archive file holds no readable turns")
}

// below returns the turns before the given number.
func below(turns []recaller.Turn, number int) []recaller.Turn {
	for len(turns) > 0 && turns[len(turns)-1].Number >= number {
		turns = turns[:len(turns)-1]
	}
	return turns
}
