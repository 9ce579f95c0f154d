package httpapi

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"syscall"

	"github.com/recallerhq/recaller"
)

// spoolInMemory is how much of a body is kept in memory. What follows goes to a file.
const spoolInMemory = 256 << 10

// spool keeps a body that may be larger than memory should be. A large one lies in a file without a name, encrypted with
// a key that only this process has, so nothing of it can be read once the process is gone. Write it, then read it as
// often as needed. It is not safe for concurrent use.
type spool struct {
	dir    string // where the file is made
	head   bytes.Buffer
	file   *os.File // nil: all is in head
	stream cipher.Stream
	sealed []byte // the last part, as it went to the file
	block  cipher.Block
	size   int64
}

// Write takes the next part. It fails with Full if the disk has no room.
func (b *spool) Write(p []byte) (int, error) {
	n := min(len(p), spoolInMemory-b.head.Len())
	b.head.Write(p[:n])
	b.size += int64(len(p))
	if n == len(p) {
		return n, nil
	}
	if b.file == nil {
		if err := b.open(); err != nil {
			return n, spoolErr(err)
		}
	}
	b.sealed = append(b.sealed[:0], p[n:]...)
	b.stream.XORKeyStream(b.sealed, b.sealed)
	if _, err := b.file.Write(b.sealed); err != nil {
		return n, spoolErr(err)
	}
	return len(p), nil
}

func (b *spool) open() error {
	key := make([]byte, 32)
	rand.Read(key) // never fails (crypto/rand)
	block, err := aes.NewCipher(key)
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(b.dir, ".import-*")
	if err != nil {
		return err
	}
	b.file, b.block = file, block
	b.stream = b.cipher(0)
	return os.Remove(file.Name())
}

// cipher is the key stream from a place in the file on. The key serves one file, so the counter may begin at nought.
func (b *spool) cipher(from int64) cipher.Stream {
	var counter, passed [aes.BlockSize]byte
	binary.BigEndian.PutUint64(counter[aes.BlockSize-8:], uint64(from)/aes.BlockSize)
	stream := cipher.NewCTR(b.block, counter[:])
	skip := passed[:from%aes.BlockSize]
	stream.XORKeyStream(skip, skip)
	return stream
}

// Reader returns the body from its beginning.
func (b *spool) Reader() io.Reader { return b.part(span{0, b.size}) }

// part returns what lies in a place of the body, from its beginning.
func (b *spool) part(at span) io.Reader {
	head := b.head.Bytes()
	kept := int64(len(head))
	within := bytes.NewReader(head[min(at.from, kept):min(at.until, kept)])
	if b.file == nil || at.until <= kept {
		return within
	}
	from := max(at.from-kept, 0)
	rest := io.NewSectionReader(b.file, from, at.until-kept-from)
	return io.MultiReader(within, cipher.StreamReader{S: b.cipher(from), R: rest})
}

// span is a place in a body.
type span struct{ from, until int64 }

func (s span) size() int64 { return s.until - s.from }

// discard gives back the room on the disk.
func (b *spool) discard() {
	if b.file != nil {
		_ = b.file.Close() // whatever came of it, the file has no name, and goes with the process at the latest
	}
}

func spoolErr(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return recaller.Wrap(recaller.Full, err, "the disk has no room for the body of the import")
	}
	return recaller.Wrap(recaller.Unavailable, err, "the body of the import cannot be kept while it comes")
}
