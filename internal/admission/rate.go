package admission

import (
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/recallerhq/recaller"
)

// rates holds a token bucket for each key that was used lately.
type rates struct {
	rate  rate.Limit
	burst int

	mu   sync.Mutex // guards what follows
	keys map[recaller.KeyID]*rate.Limiter
}

// maxKeys bounds how many buckets are held. Past it, full buckets are dropped, which changes nothing for their keys.
const maxKeys = 10000

func newRates(perSecond float64, burst int) *rates {
	return &rates{rate: rate.Limit(perSecond), burst: burst, keys: map[recaller.KeyID]*rate.Limiter{}}
}

func (r *rates) allow(key recaller.KeyID, now time.Time) bool {
	if r.rate < 0 {
		return true
	}
	r.mu.Lock()
	bucket := r.keys[key]
	if bucket == nil {
		if len(r.keys) >= maxKeys {
			r.sweep(now)
		}
		bucket = rate.NewLimiter(r.rate, r.burst)
		r.keys[key] = bucket
	}
	r.mu.Unlock()
	return bucket.AllowN(now, 1)
}

// sweep drops full buckets, or all buckets if none is full. The lock is held.
func (r *rates) sweep(now time.Time) {
	for key, bucket := range r.keys {
		if bucket.TokensAt(now) >= float64(r.burst) {
			delete(r.keys, key)
		}
	}
	if len(r.keys) >= maxKeys {
		clear(r.keys)
	}
}
