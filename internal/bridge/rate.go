package bridge

import (
	"time"

	"github.com/recallerhq/recaller/internal/mediastream"
)

// The telephone sends 50 frames a second, or those of both sides, and a few seconds of them at once after the network was
// away.
const (
	perSecond = 200
	burst     = 1000
	malformed = 20 // frames that one counts for which cannot be read
)

// Rate bounds how many frames a telephone may send. The zero value is full.
type Rate struct {
	used float64
	last time.Time
}

// Take reports whether a frame, or one that could not be read, is not too many.
func (r *Rate) Take(f mediastream.Frame, err error, now time.Time) bool {
	cost := 1 + float64(len(f.Payload))/4096
	if err != nil {
		cost = malformed
	}
	if !r.last.IsZero() {
		r.used = max(0, r.used-now.Sub(r.last).Seconds()*perSecond)
	}
	r.last = now
	r.used += cost
	return r.used <= burst
}
