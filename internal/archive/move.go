package archive

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

// Copy copies the files of a caller's conversations to another caller, sealed for him; with no conversations named, all
// of them. It may be repeated. A file in which something does not open is copied by nobody: the error says so.
func (a *Archive) Copy(
	ctx context.Context, tenant recaller.TenantID, from, to recaller.CallerID, of ...recaller.ConversationID,
) error {
	there, err := a.list(tenant, from)
	if err != nil {
		return err
	}
	for _, conv := range there {
		if len(of) > 0 && !slices.Contains(of, conv) {
			continue
		}
		if err := a.copyOne(ctx, tenant, from, to, conv); err != nil {
			return mapped(err)
		}
	}
	return nil
}

// Drop deletes the files of a caller's conversations; with none named, all of them.
func (a *Archive) Drop(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, of ...recaller.ConversationID,
) error {
	if len(of) == 0 {
		_, err := a.DeleteCaller(ctx, tenant, caller)
		return err
	}
	for _, conv := range of {
		path, err := a.path(tenant, caller, conv)
		if err == nil {
			err = a.remove(path)
		}
		if err != nil {
			return mapped(err)
		}
	}
	return nil
}

// list returns the conversations of a caller that have a file.
func (a *Archive) list(tenant recaller.TenantID, caller recaller.CallerID) (out []recaller.ConversationID, err error) {
	sample, err := a.path(tenant, caller, "any")
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(filepath.Dir(sample))
	if err != nil {
		return nil, mapped(ignore(err, fs.ErrNotExist))
	}
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), ".rec"); ok {
			out = append(out, recaller.ConversationID(id))
		}
	}
	return out, nil
}

func (a *Archive) copyOne(
	ctx context.Context, tenant recaller.TenantID, from, to recaller.CallerID, conv recaller.ConversationID,
) error {
	r, err := a.reader(ctx, tenant, recaller.Conversation{ID: conv, Caller: from})
	if r == nil || err != nil {
		return err
	}
	defer r.close()
	s, err := a.vault.Sealer(ctx, vault.Scope{Tenant: tenant, Caller: to}) // which he may not have yet
	if err != nil {
		return err
	}
	path, err := a.path(tenant, to, conv)
	if err != nil {
		return err
	}
	if err := a.remove(path); err != nil { // of a copy that was cut short
		return err
	}
	t := a.take(path)
	defer a.give(t)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.open(); err != nil {
		return err
	}
	broken, err := r.frames(ctx, func(_ span, plain []byte) error {
		sealed, err := s.Seal(place(conv, t.frames), plain)
		if err != nil {
			return err
		}
		return t.append(sealed)
	})
	if err == nil && broken >= 0 {
		err = damaged()
	}
	if err != nil {
		return errors.Join(err, ignore(os.Remove(path), fs.ErrNotExist))
	}
	return a.aged(r, path)
}

// aged gives a copy the age of what it was copied from: it is deleted when that would be.
func (a *Archive) aged(r *reader, path string) error {
	info, err := r.file.Stat()
	if err != nil {
		return err
	}
	return ignore(os.Chtimes(path, info.ModTime(), info.ModTime()), fs.ErrNotExist)
}
