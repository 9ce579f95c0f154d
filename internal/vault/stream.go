package vault

import (
	"bufio"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/recallerhq/recaller"
)

// A sealed stream is a file that opens with the key-encryption key alone: a backup. It begins with streamMagic and the
// length of what follows, a key of its own, wrapped. Then come chunks of streamChunk bytes, the last one shorter, each
// sealed with AES-256-GCM under that key. A nonce is the chunk's number and whether it is the last, so chunks that are
// lost, repeated, swapped or cut off do not open.
const (
	streamMagic = "RCLS\x01"
	streamChunk = 64 << 10
)

// SealStream returns a writer that seals what it is given into w; Close writes the end, and leaves w open. kind says what
// it is; it opens as nothing else.
func (r *Ring) SealStream(w io.Writer, kind string) (io.WriteCloser, error) {
	key := make([]byte, keySize)
	rand.Read(key) // never fails (crypto/rand)
	aead, err := streamCipher(key)
	if err != nil {
		return nil, err
	}
	wrapped := r.wrap(key, "stream", kind)
	head := append([]byte(streamMagic), 0, 0)
	binary.BigEndian.PutUint16(head[len(streamMagic):], uint16(len(wrapped)))
	if _, err := w.Write(append(head, wrapped...)); err != nil {
		return nil, err
	}
	return &sealing{w: w, aead: aead, plain: make([]byte, 0, streamChunk)}, nil
}

// OpenStream returns a reader of what SealStream sealed. It fails with Unavailable where the ring lacks the key, and says
// which. A read fails where the stream is damaged or ends too early; what was read before that is what was sealed.
func (r *Ring) OpenStream(from io.Reader, kind string) (io.Reader, error) {
	head := make([]byte, len(streamMagic)+2)
	if _, err := io.ReadFull(from, head); err != nil || string(head[:len(streamMagic)]) != streamMagic {
		return nil, recaller.Errorf(recaller.Invalid, "is not a sealed backup")
	}
	wrapped := make([]byte, binary.BigEndian.Uint16(head[len(streamMagic):]))
	if _, err := io.ReadFull(from, wrapped); err != nil {
		return nil, errStream()
	}
	key, err := r.open(wrapped, "stream", kind)
	if err != nil {
		return nil, err
	}
	aead, err := streamCipher(key)
	if err != nil {
		return nil, err
	}
	return &opening{from: bufio.NewReaderSize(from, 2*streamChunk), aead: aead}, nil
}

func errStream() error {
	return recaller.Errorf(recaller.Internal, "the backup is damaged or cut short")
}

func streamCipher(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("make a cipher: %w", err)
	}
	return cipher.NewGCM(block)
}

// streamNonce is the nonce of a chunk.
func streamNonce(number uint64, last bool) []byte {
	nonce := make([]byte, 12)
	binary.BigEndian.PutUint64(nonce[3:], number)
	if last {
		nonce[11] = 1
	}
	return nonce
}

type sealing struct {
	w      io.Writer
	aead   cipher.AEAD
	plain  []byte // of the chunk under way
	number uint64
}

// Write implements io.Writer.
func (s *sealing) Write(p []byte) (n int, err error) {
	for len(p) > 0 {
		if len(s.plain) == streamChunk {
			if err := s.flush(false); err != nil {
				return n, err
			}
		}
		take := min(len(p), streamChunk-len(s.plain))
		s.plain = append(s.plain, p[:take]...)
		p, n = p[take:], n+take
	}
	return n, nil
}

// Close implements io.Closer.
func (s *sealing) Close() error { return s.flush(true) }

func (s *sealing) flush(last bool) error {
	_, err := s.w.Write(s.aead.Seal(nil, streamNonce(s.number, last), s.plain, nil))
	s.plain, s.number = s.plain[:0], s.number+1
	return err
}

type opening struct {
	from   *bufio.Reader
	aead   cipher.AEAD
	plain  []byte // opened and not read yet
	number uint64
	over   bool
}

// Read implements io.Reader.
func (o *opening) Read(p []byte) (int, error) {
	for len(o.plain) == 0 {
		if o.over {
			return 0, io.EOF
		}
		if err := o.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, o.plain)
	o.plain = o.plain[n:]
	return n, nil
}

func (o *opening) next() error {
	sealed := make([]byte, streamChunk+o.aead.Overhead())
	n, err := io.ReadFull(o.from, sealed)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return errStream()
	}
	_, err = o.from.Peek(1)
	o.over = errors.Is(err, io.EOF)
	if o.plain, err = o.aead.Open(sealed[:0], streamNonce(o.number, o.over), sealed[:n], nil); err != nil {
		return errStream()
	}
	o.number++
	return nil
}
