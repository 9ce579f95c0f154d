package vault_test

import (
	"bytes"
	"crypto/sha3"
	"encoding/hex"
	"testing"

	"github.com/recallerhq/recaller/internal/vault"
)

// The vectors of https://c2sp.org/XAES-256-GCM: one for each value of the bit that doubling carries out.
func TestXAESVectors(t *testing.T) {
	for _, test := range []struct {
		key                    byte
		plaintext, aad, sealed string
	}{
		{0x01, "XAES-256-GCM", "", "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271"},
		{0x03, "XAES-256-GCM", "c2sp.org/XAES-256-GCM", "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d"},
	} {
		x, err := vault.NewXAES(bytes.Repeat([]byte{test.key}, 32))
		if err != nil {
			t.Fatal(err)
		}
		sealed, err := hex.DecodeString(test.sealed)
		if err != nil {
			t.Fatal(err)
		}
		got, err := x.Open(nil, nil, append([]byte("ABCDEFGHIJKLMNOPQRSTUVWX"), sealed...), []byte(test.aad))
		if err != nil || string(got) != test.plaintext {
			t.Errorf("key %#x: got %q, %v; want %q", test.key, got, err, test.plaintext)
		}
	}
}

// Many keys, nonces, texts and additional data, from a stream, open to what was sealed.
func TestXAESRoundTrips(t *testing.T) {
	stream := sha3.NewSHAKE128()
	if _, err := stream.Write([]byte("recaller")); err != nil {
		t.Fatal(err)
	}
	take := func(n int) []byte {
		b := make([]byte, n)
		if _, err := stream.Read(b); err != nil {
			t.Fatal(err)
		}
		return b
	}
	for range 500 {
		x, err := vault.NewXAES(take(32))
		if err != nil {
			t.Fatal(err)
		}
		plain, aad := take(int(take(1)[0])), take(int(take(1)[0]))
		sealed := x.Seal([]byte("dst"), nil, plain, aad)
		got, err := x.Open(nil, nil, sealed[3:], aad)
		if err != nil || !bytes.Equal(got, plain) {
			t.Fatalf("%d bytes with %d: %v", len(plain), len(aad), err)
		}
	}
}
