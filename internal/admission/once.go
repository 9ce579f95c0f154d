package admission

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"

	"github.com/recallerhq/recaller"
)

// IdempotencyKey is what every door calls the key that has a request carried out only once.
const IdempotencyKey = "Idempotency-Key"

const maxIdempotencyKey = 255 // bytes

// Keyed says which idempotency key the request came with; empty: none. target is what the request says outside its
// body, such as its path. The same key with another body or target is another request. Call it before the body is read.
func (x *Exchange) Keyed(key, target string) {
	if key != "" {
		x.onceKey, x.target, x.digest = key, target, sha256.New()
	}
}

// Once returns the token by which the use case carries the request out at most once. Without an idempotency key it is
// the zero value. It fails with Invalid if the key is too long or has control characters. Call it after the body was
// read.
func (x *Exchange) Once() (recaller.Once, error) {
	if x.digest == nil {
		return recaller.Once{}, nil
	}
	if len(x.onceKey) > maxIdempotencyKey || strings.ContainsFunc(x.onceKey, unicode.IsControl) {
		return recaller.Once{}, recaller.InvalidField(IdempotencyKey,
			"must be at most %d bytes without control characters", maxIdempotencyKey)
	}
	x.digest.Write([]byte{0})
	x.digest.Write([]byte(x.target))
	return recaller.Once{
		Token:   cmp.Or(x.op.OnceAs, x.op.Name) + ":" + x.onceKey,
		Request: hex.EncodeToString(x.digest.Sum(nil)),
	}, nil
}
