// Package archive keeps the words of conversations of tenants with the retention `archive`: a sealed file each, that is
// deleted when its days are over (spec 2.1, V4). A turn is on disk when Append returns.
//
// A file holds frames: four bytes of length, then a sealed batch of turns, bound to tenant, caller, conversation and
// place. A frame that a crash cut short is the file's end. It is not for searching (recall), nor for deciding what is
// kept where (conversation).
package archive

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

// Archive keeps files under one folder: tenant/caller/conversation.rec. Ids only, no names. Safe for concurrent use.
type Archive struct {
	root  string
	vault *vault.Vault
	mu    sync.Mutex // guards tails; never held over I/O
	tails map[string]*tail
}

// tail is a file being appended to.
type tail struct {
	mu     sync.Mutex // held over I/O: the frames of one file are in order
	frames int        // how many there are; -1: not known yet
	size   int64      // their bytes: what follows is a frame that was cut short
}

// maxFrame bounds what is read into memory at once.
const maxFrame = 256 << 20

// New returns an archive under root, which is made when it is needed.
func New(root string, v *vault.Vault) *Archive {
	return &Archive{root: root, vault: v, tails: map[string]*tail{}}
}

func (a *Archive) path(tenant recaller.TenantID, caller recaller.CallerID, conv recaller.ConversationID) string {
	return filepath.Join(a.root, string(tenant), string(caller), string(conv)+".rec")
}

func place(conv recaller.ConversationID, frame int) vault.Place {
	return vault.Place{Table: "archive", Record: fmt.Sprintf("%s.%d", conv, frame)}
}

// Append adds turns to a conversation's file, on disk when it returns.
func (a *Archive) Append(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, turns []recaller.Turn) error {
	if len(turns) == 0 {
		return nil
	}
	s, err := a.vault.Opener(ctx, vault.Scope{Tenant: tenant, Caller: conv.Caller})
	if err != nil {
		return err
	}
	plain, err := json.Marshal(turns)
	if err != nil {
		return recaller.Wrap(recaller.Internal, err, "archive turns")
	}
	path := a.path(tenant, conv.Caller, conv.ID)
	t := a.tail(path)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.frames < 0 {
		if err := t.measure(path); err != nil {
			return mapped(err)
		}
	}
	sealed, err := s.Seal(place(conv.ID, t.frames), plain)
	if err != nil {
		return err
	}
	return mapped(t.write(path, sealed))
}

func (a *Archive) tail(path string) *tail {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.tails[path]
	if t == nil {
		t = &tail{frames: -1}
		a.tails[path] = t
	}
	return t
}

// Release forgets that a conversation's file is being appended to; it may be again.
func (a *Archive) Release(tenant recaller.TenantID, conv recaller.Conversation) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.tails, a.path(tenant, conv.Caller, conv.ID))
}

// measure finds the end of the whole frames.
func (t *tail) measure(path string) error {
	t.frames, t.size = 0, 0
	err := readFrames(path, func(frame []byte) error {
		t.frames++
		t.size += int64(4 + len(frame))
		return nil
	})
	if err != nil {
		t.frames = -1
	}
	return err
}

func (t *tail) write(path string, sealed []byte) (err error) {
	isNew := t.size == 0
	if isNew {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600) //nolint:gosec // the path is made of ids
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, f.Close())
		if err != nil {
			t.frames = -1 // what is on disk is to be measured anew
		}
	}()
	frame := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(sealed)), uint32(len(sealed))) //nolint:gosec // bounded by the request size
	frame = append(frame, sealed...)
	if _, err := f.WriteAt(frame, t.size); err != nil {
		return err
	}
	if err := f.Truncate(t.size + int64(len(frame))); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if isNew {
		if err := syncDirs(filepath.Dir(path), 3); err != nil {
			return err
		}
	}
	t.frames++
	t.size += int64(len(frame))
	return nil
}

// syncDirs puts new names on disk: of the file, and of the folders above it.
func syncDirs(dir string, levels int) error {
	for range levels {
		d, err := os.Open(dir) //nolint:gosec // the path is made of ids
		if err != nil {
			return err
		}
		if err := errors.Join(d.Sync(), d.Close()); err != nil {
			return err
		}
		dir = filepath.Dir(dir)
	}
	return nil
}

// Turns returns the words of a conversation in order; none if there is no file. A turn is written here before it is
// counted in the store, so a crash or a repeated request may leave a turn that was never counted, or one twice: those
// beyond conv.Turns are no part of the conversation, and of two with one number the later holds.
func (a *Archive) Turns(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) ([]recaller.Turn, error) {
	s, err := a.vault.Opener(ctx, vault.Scope{Tenant: tenant, Caller: conv.Caller})
	if err != nil {
		return nil, err
	}
	var out []recaller.Turn
	n := 0
	err = readFrames(a.path(tenant, conv.Caller, conv.ID), func(frame []byte) error {
		plain, err := s.Open(place(conv.ID, n), frame)
		if err != nil {
			return err
		}
		n++
		var turns []recaller.Turn
		if json.Unmarshal(plain, &turns) != nil {
			return recaller.Errorf(recaller.Internal, "an archive file holds no readable turns")
		}
		out = append(out, turns...)
		return nil
	})
	return counted(out, conv.Turns), mapped(err)
}

// counted keeps one turn a number, the last, of the numbers below n.
func counted(turns []recaller.Turn, n int) []recaller.Turn {
	out := make([]recaller.Turn, 0, min(len(turns), n))
	for _, t := range turns {
		switch {
		case t.Number < 0 || t.Number >= n:
		case t.Number < len(out):
			out[t.Number] = t
		case t.Number == len(out):
			out = append(out, t)
		}
	}
	return out
}

// readFrames calls fn for each whole frame of a file; a missing file has none.
func readFrames(path string, fn func([]byte) error) error {
	f, err := os.Open(path) //nolint:gosec // the path is made of ids
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	r := bufio.NewReader(f)
	for {
		var head [4]byte
		if _, err := io.ReadFull(r, head[:]); cut(err) {
			return nil
		} else if err != nil {
			return err
		}
		n := binary.BigEndian.Uint32(head[:])
		if n > maxFrame {
			return recaller.Errorf(recaller.Internal, "an archive file is damaged")
		}
		frame := make([]byte, n)
		if _, err := io.ReadFull(r, frame); cut(err) {
			return nil
		} else if err != nil {
			return err
		}
		if err := fn(frame); err != nil {
			return err
		}
	}
}

// cut reports whether a read met the end: of the file, or of a frame that a crash cut short.
func cut(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// DeleteCaller deletes a caller's files.
func (a *Archive) DeleteCaller(_ context.Context, tenant recaller.TenantID, caller recaller.CallerID) (files int, err error) {
	dir := filepath.Join(a.root, string(tenant), string(caller))
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, mapped(err)
	}
	return len(entries), mapped(os.RemoveAll(dir))
}

// DeleteBefore deletes a tenant's files that were last written before the given time.
func (a *Archive) DeleteBefore(ctx context.Context, tenant recaller.TenantID, before time.Time) (files int, err error) {
	root := filepath.Join(a.root, string(tenant))
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() {
			return errors.Join(err, ctx.Err())
		}
		info, err := d.Info()
		if err != nil || !info.ModTime().Before(before) {
			return err
		}
		files++
		return os.Remove(path)
	})
	return files, mapped(err)
}

func mapped(err error) error {
	switch {
	case err == nil || recaller.KindOf(err) != recaller.Internal:
		return err
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT):
		return recaller.Wrap(recaller.Full, err, "the disk is full: nothing can be written until there is room")
	}
	return recaller.Wrap(recaller.Unavailable, err, "the archive is away")
}
