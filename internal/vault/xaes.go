package vault

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
)

const (
	xaesNonceSize = 24
	gcmNonceSize  = 12
	gcmTagSize    = 16
)

// xaes is XAES-256-GCM (https://c2sp.org/XAES-256-GCM): a 192-bit nonce, whose first half derives, by NIST SP 800-108r1
// with CMAC, the AES-256-GCM key that its second half is used with. Like newGCM it makes its nonces itself.
type xaes struct {
	block cipher.Block
	k1    [aes.BlockSize]byte
}

func newXAES(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("make a cipher: %w", err)
	}
	x := &xaes{block: block}
	block.Encrypt(x.k1[:], x.k1[:])
	msb := 0
	for i := len(x.k1) - 1; i >= 0; i-- {
		msb, x.k1[i] = int(x.k1[i]>>7), x.k1[i]<<1|byte(msb)
	}
	x.k1[len(x.k1)-1] ^= byte(msb) * 0x87
	if _, err := x.subkey(make([]byte, xaesNonceSize)); err != nil {
		return nil, fmt.Errorf("make a cipher: %w", err)
	}
	return x, nil
}

func (x *xaes) NonceSize() int { return 0 }
func (x *xaes) Overhead() int  { return xaesNonceSize + gcmTagSize }

// Seal appends a random nonce and the sealed plaintext to dst. The nonce argument must be empty.
func (x *xaes) Seal(dst, _, plaintext, aad []byte) []byte {
	start := len(dst)
	dst = append(dst, make([]byte, xaesNonceSize)...)
	nonce := dst[start:]
	rand.Read(nonce)          // never fails (crypto/rand)
	gcm, _ := x.subkey(nonce) // newXAES saw it work
	return gcm.Seal(dst, nonce[gcmNonceSize:], plaintext, aad)
}

// Open is the reverse of Seal.
func (x *xaes) Open(dst, _, sealed, aad []byte) ([]byte, error) {
	if len(sealed) < xaesNonceSize+gcmTagSize {
		return nil, errors.New("sealed value is too short")
	}
	nonce := sealed[:xaesNonceSize]
	gcm, err := x.subkey(nonce)
	if err != nil {
		return nil, err
	}
	return gcm.Open(dst, nonce[gcmNonceSize:], sealed[xaesNonceSize:], aad)
}

// subkey returns AES-256-GCM under the key that the first half of the nonce derives.
func (x *xaes) subkey(nonce []byte) (cipher.AEAD, error) {
	var key [2 * aes.BlockSize]byte
	for i := range 2 {
		half := key[i*aes.BlockSize : (i+1)*aes.BlockSize]
		half[1], half[2] = byte(i+1), 'X'
		copy(half[4:], nonce[:gcmNonceSize])
		subtle.XORBytes(half, half, x.k1[:])
		x.block.Encrypt(half, half)
	}
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}
