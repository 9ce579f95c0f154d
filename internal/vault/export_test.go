package vault

import "crypto/cipher"

// Cached counts the keys held in memory.
func (v *Vault) Cached() int {
	total := 0
	for i := range v.cache.shards {
		s := &v.cache.shards[i]
		s.mu.Lock()
		total += len(s.nodes)
		s.mu.Unlock()
	}
	return total
}

// NewXAES gives the tests of the published vectors the cipher itself.
func NewXAES(key []byte) (cipher.AEAD, error) { return newXAES(key) }
