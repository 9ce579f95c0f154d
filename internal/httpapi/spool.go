package httpapi

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
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
	stream io.Writer
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
	if _, err := b.stream.Write(p[n:]); err != nil {
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
	b.stream = cipher.StreamWriter{S: b.cipher(), W: file}
	return os.Remove(file.Name())
}

// cipher is the key stream from the file's beginning. The key serves one file, so the counter may begin at nought.
func (b *spool) cipher() cipher.Stream { return cipher.NewCTR(b.block, make([]byte, aes.BlockSize)) }

// Reader returns the body from its beginning.
func (b *spool) Reader() io.Reader {
	head := bytes.NewReader(b.head.Bytes())
	if b.file == nil {
		return head
	}
	rest := io.NewSectionReader(b.file, 0, b.size-int64(head.Len()))
	return io.MultiReader(head, cipher.StreamReader{S: b.cipher(), R: rest})
}

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
