package archive

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"path/filepath"
	"sync"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/durable"
)

// A file holds frames. A frame is a header, then a sealed batch of turns, bound to tenant, caller, conversation and
// place. The header holds the length of what follows, and a checksum of that length, four bytes each. By it a frame
// that a crash cut short, at the end of the file, differs from a damaged length, after which nothing may be
// overwritten.
const headerSize = 8

// maxFrame bounds what is read into memory at once.
const maxFrame = 256 << 20

func appendHeader(b []byte, length int) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(length))
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[len(b)-4:]))
}

// length reads a header.
func length(head []byte) (n int64, ok bool) {
	n = int64(binary.BigEndian.Uint32(head))
	return n, binary.BigEndian.Uint32(head[4:]) == crc32.ChecksumIEEE(head[:4]) && n <= maxFrame
}

// errBroken says that what follows the frames that were read is none. It does not leave the package.
var errBroken = errors.New("an archive file does not go on")

func damaged() error { return recaller.Errorf(recaller.Internal, "an archive file is damaged") }

// tail is the end of a file that is being appended to.
type tail struct {
	path  string
	users int // guarded by the archive's lock

	mu     sync.Mutex // held over I/O: the frames of one file are in order
	frames int        // -1: not known
	size   int64      // their bytes
	failed bool       // behind them may be one whose writing failed
	named  bool       // the file's name is durable, and those of the folders above it
}

// open finds the end of the last whole frame, and cuts off what follows if it is one that was cut short. It fails with
// errBroken where it may be something else. The lock is held.
func (t *tail) open() error {
	if t.frames >= 0 {
		return nil
	}
	return t.find(false)
}

// cut is open, and cuts off what follows, whatever it is.
func (t *tail) cut() error { return t.find(true) }

func (t *tail) find(cut bool) error {
	frames, size := 0, int64(0)
	f, err := durable.Open(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		t.frames, t.size = 0, 0
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // what was cut off does not count, even if it is still on disk
	info, err := f.Stat()
	if err != nil {
		return err
	}
	err = walk(f, info.Size(), func(n int64) error {
		frames++
		size += headerSize + n
		_, err := f.Seek(n, io.SeekCurrent)
		return err
	})
	if cut && errors.Is(err, errBroken) {
		err = nil
	}
	if err == nil && size < info.Size() {
		err = f.Truncate(size)
	}
	if err != nil {
		return err
	}
	t.frames, t.size = frames, size
	return nil
}

// append writes a frame. The lock is held.
func (t *tail) append(sealed []byte) (err error) {
	f, err := t.file()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	// Where a sync failed before, the system may hold what was written for clean, and show what is not on the disk: it is
	// cut off and written again.
	if t.failed {
		if err := f.Truncate(t.size); err != nil {
			return err
		}
	}
	t.failed = true
	frame := append(appendHeader(make([]byte, 0, headerSize+len(sealed)), len(sealed)), sealed...)
	if _, err := f.WriteAt(frame, t.size); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if !t.named {
		if err := syncDirs(filepath.Dir(t.path), 4); err != nil {
			return err
		}
		t.named = true
	}
	t.frames, t.size, t.failed = t.frames+1, t.size+int64(len(frame)), false
	return nil
}

// file opens the file for writing. It makes the folder, which may just have been removed as empty.
func (t *tail) file() (f durable.File, err error) {
	for range 3 {
		if f, err = durable.Open(t.path); errors.Is(err, fs.ErrNotExist) {
			f, err = durable.New(t.path)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err := durable.Folder(filepath.Dir(t.path)); err != nil {
			return f, err
		}
	}
	return f, err
}

// syncDirs makes names durable: of the file, and of the folders above it.
func syncDirs(dir string, levels int) error {
	for range levels {
		if err := durable.Names(dir); err != nil {
			return err
		}
		dir = filepath.Dir(dir)
	}
	return nil
}

// walk reads the headers of the whole frames in the first size bytes. fn must read or skip the n bytes after each. walk
// stops at a frame that a crash cut short. It fails with errBroken where a header is none.
func walk(r io.Reader, size int64, fn func(n int64) error) error {
	var head [headerSize]byte
	for size >= headerSize {
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return err
		}
		size -= headerSize
		n, ok := length(head[:])
		if !ok {
			return torn(r, head[:])
		}
		if n > size {
			return nil
		}
		if err := fn(n); err != nil {
			return err
		}
		size -= n
	}
	return nil
}

// torn tells space that a crash left unwritten, which is zeros to the end, from a damaged header.
func torn(r io.Reader, head []byte) error {
	buf := append(make([]byte, 0, 4096), head...)
	for {
		for _, b := range buf {
			if b != 0 {
				return errBroken
			}
		}
		n, err := r.Read(buf[:cap(buf)])
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		buf = buf[:n]
	}
}
