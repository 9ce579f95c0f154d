package realtime

import "time"

// event has a Deriver take an event as it is written.
func (d *Deriver) event(raw []byte, at time.Time) (Output, error) {
	e, ok, err := Read(raw)
	if err != nil || !ok {
		return d.Tick(at), err
	}
	return d.Take(e, at), nil
}
