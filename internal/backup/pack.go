package backup

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/durable"
	"github.com/recallerhq/recaller/internal/vault"
)

// The names in a backup of the data.
const (
	manifestName = "manifest.json"
	databaseName = "recaller.db"
	archiveName  = "archive"
)

// writeSealed writes a file that is either whole or not there.
func writeSealed(to string, ring *vault.Ring, kind string, content func(io.Writer) error) (err error) {
	tmp, release, err := partial(filepath.Dir(to))
	if err != nil {
		return err
	}
	defer func() { _ = errors.Join(durable.Unlink(tmp.Name()), release()) }() // unless it got its name
	sealed, err := ring.SealStream(tmp, kind)
	if err == nil {
		err = content(sealed)
	}
	if err == nil {
		err = sealed.Close()
	}
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return recaller.Wrap(recaller.Unavailable, err, "the backup cannot be written")
	}
	return recaller.Wrap(recaller.Unavailable, durable.Rename(tmp.Name(), to), "the backup cannot be written")
}

func whole(file []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(file)
		return err
	}
}

// pack is what a backup of the data has.
type pack struct {
	manifest *Manifest
	database string
	archive  string
}

func (p pack) write(w io.Writer) error {
	out := tar.NewWriter(w)
	if err := p.file(out, databaseName, p.database); err != nil {
		return err
	}
	err := filepath.WalkDir(p.archive, func(at string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // there is no archive, or a file whose days were over meanwhile
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		return p.archived(out, at)
	})
	if err != nil {
		return err
	}
	m, err := json.Marshal(p.manifest)
	if err != nil {
		return err
	}
	if err := p.entry(out, manifestName, int64(len(m)), bytes.NewReader(m)); err != nil {
		return err
	}
	return out.Close()
}

// archived adds a file of the archive, as long as it is now: more may be appended to it meanwhile.
func (p pack) archived(out *tar.Writer, at string) error {
	rel, err := filepath.Rel(p.archive, at)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(at)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	p.manifest.Files++
	return p.entry(out, path.Join(archiveName, filepath.ToSlash(rel)), int64(len(content)), bytes.NewReader(content))
}

func (p pack) file(out *tar.Writer, name, from string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil {
		err = p.entry(out, name, info.Size(), f)
	}
	return errors.Join(err, f.Close())
}

func (p pack) entry(out *tar.Writer, name string, size int64, content io.Reader) error {
	h := &tar.Header{Name: name, Mode: 0o600, Size: size, ModTime: p.manifest.MadeAt, Format: tar.FormatPAX}
	if err := out.WriteHeader(h); err != nil {
		return err
	}
	_, err := io.CopyN(out, content, size)
	return err
}

// extract writes what a backup of the data has into a folder, and returns its manifest.
func extract(from io.Reader, dir string) (m Manifest, err error) {
	in := tar.NewReader(from)
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return m, err
		}
		switch {
		case h.Name == manifestName:
			if err := json.NewDecoder(in).Decode(&m); err != nil {
				return m, err
			}
		case h.Name == databaseName || strings.HasPrefix(h.Name, archiveName+"/") && filepath.IsLocal(h.Name):
			if err := writeFile(filepath.Join(dir, filepath.FromSlash(h.Name)), in); err != nil {
				return m, err
			}
		default:
			return m, recaller.Errorf(recaller.Invalid, "the backup has a file that this version does not know")
		}
	}
	if _, err := io.Copy(io.Discard, from); err != nil { // to the end, so that all of it is proved
		return m, err
	}
	if m.Format != format {
		return m, recaller.Errorf(recaller.Invalid, "the backup is of format %d; this version knows %d", m.Format, format)
	}
	return m, nil
}

func writeFile(to string, from io.Reader) error {
	if err := durable.Folder(filepath.Dir(to)); err != nil {
		return unwritten(err)
	}
	f, err := durable.New(to)
	if err != nil {
		return unwritten(err)
	}
	_, err = io.Copy(f, from)
	return unwritten(errors.Join(err, f.Sync(), f.Close(), durable.Names(filepath.Dir(to))))
}

// unwritten gives an error of the file system its kind. What is wrong with what is read has one.
func unwritten(err error) error {
	var known *recaller.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return recaller.Wrap(recaller.Unavailable, err, "the data folder cannot be written to")
}
