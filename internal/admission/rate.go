package admission

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Rates holds a token bucket for each of those who asked lately: keys, addresses.
type Rates[K comparable] struct {
	rate  rate.Limit
	burst int

	mu      sync.Mutex // guards what follows
	buckets map[K]*rate.Limiter
}

// maxKeys bounds how many buckets are held. Past it, full buckets are dropped, which changes nothing for their keys.
const maxKeys = 10000

// NewRates returns buckets of so many a second; negative: no limit.
func NewRates[K comparable](perSecond float64, burst int) *Rates[K] {
	return &Rates[K]{rate: rate.Limit(perSecond), burst: burst, buckets: map[K]*rate.Limiter{}}
}

// Allow takes one of what a key has left; false: nothing is.
func (r *Rates[K]) Allow(key K, now time.Time) bool {
	if r.rate < 0 {
		return true
	}
	r.mu.Lock()
	bucket := r.buckets[key]
	if bucket == nil {
		if len(r.buckets) >= maxKeys {
			r.sweep(now)
		}
		bucket = rate.NewLimiter(r.rate, r.burst)
		r.buckets[key] = bucket
	}
	r.mu.Unlock()
	return bucket.AllowN(now, 1)
}

// spent reports whether a key has nothing left, and takes nothing.
func (r *Rates[K]) spent(key K, now time.Time) bool {
	if r.rate < 0 {
		return false
	}
	r.mu.Lock()
	bucket := r.buckets[key]
	r.mu.Unlock()
	return bucket != nil && bucket.TokensAt(now) < 1
}

// sweep drops full buckets, or all buckets if none is full. The lock is held.
func (r *Rates[K]) sweep(now time.Time) {
	for key, bucket := range r.buckets {
		if bucket.TokensAt(now) >= float64(r.burst) {
			delete(r.buckets, key)
		}
	}
	if len(r.buckets) >= maxKeys {
		clear(r.buckets)
	}
}
