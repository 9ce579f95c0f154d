package bridge

import (
	"sync"

	"github.com/recallerhq/recaller/internal/realtime"
)

// voices knows how fast voices speak, from all calls: a caller may speak over the first answer that he gets. Those are
// few: a server's models have one each. Safe for concurrent use.
type voices struct {
	mu    sync.Mutex
	paces map[voice]realtime.Pace
}

type voice struct {
	maker Maker
	name  string
}

// of returns what is known of a provider's voice.
func (v *voices) of(p Provider) realtime.Pace {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.paces[voice{p.Maker, p.Voice}]
}

// heard adds what a session has shown of it.
func (v *voices) heard(p Provider, pace realtime.Pace) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.paces == nil {
		v.paces = map[voice]realtime.Pace{}
	}
	name := voice{p.Maker, p.Voice}
	v.paces[name] = v.paces[name].Plus(pace)
}
