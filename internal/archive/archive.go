// Package archive keeps the words of conversations of tenants with the retention `archive`: a sealed file for each,
// deleted when its days are over (spec 2.1, V4). A turn is on disk when Append returns.
//
// It does not search (recall), nor decide what is kept where (conversation).
package archive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/durable"
	"github.com/recallerhq/recaller/internal/vault"
)

// Archive keeps files under one folder: tenant/caller/conversation.rec, ids only, no names. It is safe for concurrent
// use by one process.
type Archive struct {
	root  string
	vault *vault.Vault
	mu    sync.Mutex // guards tails and their users; never held over I/O
	tails map[string]*tail
	large sync.Mutex // see reader.large
}

// maxTails is how many ends of files are remembered. To find an end again, the headers of the file's frames must be
// read.
const maxTails = 4096

// New returns an archive under root, which is made when it is needed.
func New(root string, v *vault.Vault) *Archive {
	return &Archive{root: root, vault: v, tails: map[string]*tail{}}
}

// path returns where a conversation's words are kept. Ids are ours and plain; any other names no file.
func (a *Archive) path(
	tenant recaller.TenantID, caller recaller.CallerID, conv recaller.ConversationID,
) (string, error) {
	for _, id := range []string{string(tenant), string(caller), string(conv)} {
		if id == "" || id[0] == '.' || strings.ContainsAny(id, "/\\\x00") {
			return "", recaller.Errorf(recaller.Internal, "an id cannot be the name of an archive file")
		}
	}
	return filepath.Join(a.root, string(tenant), string(caller), string(conv)+".rec"), nil
}

func place(conv recaller.ConversationID, frame int) vault.Place {
	return vault.Place{Table: "archive", Record: fmt.Sprintf("%s.%d", conv, frame)}
}

// Append adds numbered turns to a conversation's file. They are on disk when it returns. It comes before the store
// counts them, so the count may never follow. Then the next turns with those numbers take their place.
func (a *Archive) Append(
	ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, turns []recaller.Turn,
) error {
	if len(turns) == 0 {
		return nil
	}
	path, err := a.path(tenant, conv.Caller, conv.ID)
	if err != nil {
		return err
	}
	s, err := a.vault.Opener(ctx, vault.Scope{Tenant: tenant, Caller: conv.Caller})
	if err != nil {
		return err
	}
	return a.add(ctx, s, path, tenant, conv, turns)
}

// Begin is Append to a new file, in place of what there was, for a caller who may not be in the store yet.
func (a *Archive) Begin(
	ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, turns []recaller.Turn,
) error {
	path, err := a.path(tenant, conv.Caller, conv.ID)
	if err == nil {
		err = mapped(a.remove(path))
	}
	if err != nil || len(turns) == 0 {
		return err
	}
	s, err := a.vault.Sealer(ctx, vault.Scope{Tenant: tenant, Caller: conv.Caller})
	if err != nil {
		return err
	}
	return a.add(ctx, s, path, tenant, conv, turns)
}

func (a *Archive) add(
	ctx context.Context, s vault.Sealer, path string, tenant recaller.TenantID, conv recaller.Conversation,
	turns []recaller.Turn,
) error {
	plain, err := json.Marshal(turns)
	if err != nil {
		return recaller.Wrap(recaller.Internal, err, "archive turns")
	}
	t := a.take(path)
	defer a.give(t)
	t.mu.Lock()
	defer t.mu.Unlock()
	err = t.open()
	if errors.Is(err, errBroken) {
		err = a.mend(ctx, t, tenant, conv, turns[0].Number)
	}
	if err != nil {
		return mapped(err)
	}
	sealed, err := s.Seal(place(conv.ID, t.frames), plain)
	if err != nil {
		return err
	}
	return mapped(t.append(sealed))
}

// take returns the end of a file, which must be given back. Until then everybody gets the same one.
func (a *Archive) take(path string) *tail {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.tails[path]
	if t == nil {
		if len(a.tails) >= maxTails {
			a.prune()
		}
		t = &tail{path: path, frames: -1}
		a.tails[path] = t
	}
	t.users++
	return t
}

// prune forgets the ends that nobody uses. The lock is held.
func (a *Archive) prune() {
	for path, t := range a.tails {
		if t.users == 0 && !t.failed {
			delete(a.tails, path)
		}
	}
}

func (a *Archive) give(t *tail) {
	a.mu.Lock()
	defer a.mu.Unlock()
	t.users--
}

// mend cuts what a power cut left at the end of a file, if the words before the given number are all before it.
func (a *Archive) mend(
	ctx context.Context, t *tail, tenant recaller.TenantID, conv recaller.Conversation, number int,
) error {
	if number > 0 {
		conv.Turns = number
		if _, err := a.Turns(ctx, tenant, conv); err != nil {
			return err
		}
	}
	return t.cut()
}

// DeleteCaller deletes a caller's files.
func (a *Archive) DeleteCaller(
	_ context.Context, tenant recaller.TenantID, caller recaller.CallerID,
) (files int, err error) {
	sample, err := a.path(tenant, caller, "any")
	if err != nil {
		return 0, err
	}
	entries, err := os.ReadDir(filepath.Dir(sample))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, mapped(err)
	}
	for _, e := range entries {
		if err := a.remove(filepath.Join(filepath.Dir(sample), e.Name())); err != nil {
			return files, mapped(err)
		}
		files++
	}
	return files, mapped(removeEmpty(filepath.Dir(sample)))
}

// DeleteBefore deletes a tenant's files that were last written before the given time. It returns whose they were, each
// caller once, even with an error.
func (a *Archive) DeleteBefore(
	ctx context.Context, tenant recaller.TenantID, before time.Time,
) (of []recaller.CallerID, files int, err error) {
	sample, err := a.path(tenant, "any", "any")
	if err != nil {
		return nil, 0, err
	}
	root := filepath.Dir(filepath.Dir(sample))
	callers, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, mapped(err)
	}
	for _, c := range callers {
		n, err := a.deleteBefore(ctx, filepath.Join(root, c.Name()), before)
		if n > 0 {
			of, files = append(of, recaller.CallerID(c.Name())), files+n
		}
		if err != nil {
			return of, files, mapped(err)
		}
	}
	return of, files, nil
}

// deleteBefore is DeleteBefore for one caller's folder.
func (a *Archive) deleteBefore(ctx context.Context, dir string, before time.Time) (files int, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, ignore(err, fs.ErrNotExist) // erased meanwhile
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return files, recaller.Wrap(recaller.Timeout, err, "not all archive files were looked at")
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return files, err
		}
		if !info.ModTime().Before(before) {
			continue
		}
		if err := a.remove(filepath.Join(dir, e.Name())); err != nil {
			return files, err
		}
		files++
	}
	return files, removeEmpty(dir)
}

// remove deletes a file and what is remembered of its end, so that a later append begins a new file.
func (a *Archive) remove(path string) error {
	t := a.take(path)
	defer a.give(t)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.frames, t.failed, t.named = -1, false, false
	return ignore(durable.Unlink(path), fs.ErrNotExist)
}

// removeEmpty removes an empty folder, durably, as the files are that were removed from it.
func removeEmpty(dir string) error {
	if err := durable.Names(dir); err != nil { // of files that were removed, if another is left
		return ignore(err, fs.ErrNotExist)
	}
	err := ignore(durable.Delete(dir), fs.ErrNotExist)
	return ignore(ignore(err, syscall.ENOTEMPTY), syscall.EEXIST)
}

func ignore(err, known error) error {
	if errors.Is(err, known) {
		return nil
	}
	return err
}

// mapped gives an error of the file system its kind. An error that has one keeps it.
func mapped(err error) error {
	var known *recaller.Error
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT):
		return recaller.Wrap(recaller.Full, err, "the disk is full: nothing can be written until there is room")
	}
	return recaller.Wrap(recaller.Unavailable, err, "the archive is away")
}
