package app

import "time"

// pace tells whether a clock that may be set jumps. One goroutine uses it.
type pace struct {
	now     func() time.Time
	elapsed func() time.Duration // never jumps; nil: by now

	at  time.Time // when it was last asked
	ran time.Duration
}

// jump is by how much a clock may be put right without being taken for one that jumped.
const jump = 5 * time.Minute

func paceOf(now func() time.Time, elapsed func() time.Duration) *pace {
	p := &pace{now: now, elapsed: elapsed}
	p.even()
	return p
}

// even reports whether the clock went on, since it was last asked, by as much as time passed.
func (p *pace) even() bool {
	if p.elapsed == nil {
		return true
	}
	at, ran := p.now(), p.elapsed()
	off := at.Sub(p.at) - (ran - p.ran)
	p.at, p.ran = at, ran
	return off.Abs() <= jump
}
