package vault_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

// sealedStream is what SealStream makes of n bytes.
func sealedStream(t *testing.T, r *vault.Ring, n int) (plain, sealed []byte) {
	t.Helper()
	plain = bytes.Repeat([]byte("my roof leaks. "), n/15+1)[:n]
	var out bytes.Buffer
	w, err := r.SealStream(&out, "data")
	if err != nil {
		t.Fatal(err)
	}
	for rest := plain; len(rest) > 0; { // in pieces that fit no chunk
		k := min(len(rest), 1000)
		if _, err := w.Write(rest[:k]); err != nil {
			t.Fatal(err)
		}
		rest = rest[k:]
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return plain, out.Bytes()
}

func openStream(r *vault.Ring, sealed []byte, kind string) ([]byte, error) {
	from, err := r.OpenStream(bytes.NewReader(sealed), kind)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(from)
}

func TestASealedStreamComesBackWhole(t *testing.T) {
	t.Parallel()
	r := ring(t, keyA)
	for _, n := range []int{0, 1, 64<<10 - 1, 64 << 10, 64<<10 + 1, 128 << 10, 300_000} {
		plain, sealed := sealedStream(t, r, n)
		got, err := openStream(ring(t, keyB, keyA), sealed, "data") // after a rotation
		if err != nil || !bytes.Equal(got, plain) {
			t.Errorf("%d bytes: got %d, %v", n, len(got), err)
		}
		if n > 0 && bytes.Contains(sealed, []byte("roof")) {
			t.Errorf("%d bytes: the words can be read", n)
		}
	}
}

// A backup that was cut off, lengthened, swapped in itself or changed anywhere does not open, nor as another kind, nor
// under another key.
func TestADamagedStreamDoesNotOpen(t *testing.T) {
	t.Parallel()
	r := ring(t, keyA)
	_, sealed := sealedStream(t, r, 200_000)
	chunk := 64<<10 + 16
	head := len(sealed) - (200_000 + 4*16)
	swapped := bytes.Clone(sealed)
	copy(swapped[head:], sealed[head+chunk:head+2*chunk])
	copy(swapped[head+chunk:], sealed[head:head+chunk])
	bad := map[string][]byte{
		"cut at a chunk": sealed[:head+2*chunk], "cut within one": sealed[:head+chunk+100], "cut in the head": sealed[:9], "empty": nil,
		"the last repeated": append(bytes.Clone(sealed), sealed[head+3*chunk:]...), "swapped": swapped, "another file": []byte("SQLite format 3\x00"),
	}
	for at := 0; at < len(sealed); at += 997 {
		flipped := bytes.Clone(sealed)
		flipped[at] ^= 0x10
		bad["a bit at "+string(rune('a'+at%26))+string(rune(at))] = flipped
	}
	for name, in := range bad {
		if _, err := openStream(r, in, "data"); err == nil {
			t.Errorf("%s: it opens", name)
		}
	}
	if _, err := openStream(r, sealed, "keys"); err == nil {
		t.Error("it opens as another kind")
	}
	if _, err := openStream(ring(t, keyB), sealed, "data"); !errors.Is(err, recaller.Unavailable) {
		t.Errorf("another key: got %v, want it to say which is needed", err)
	}
}
