package conversation

import (
	"encoding/json"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/guard"
)

// masks reports whether secrets of a tenant's callers are masked. A tenant that changes it does so for conversations
// that begin later: one that runs keeps what held when this process took it up, so that turns are taken without reading
// settings.
func masks(tenant recaller.Tenant) bool { return tenant.Masking != recaller.MaskingOff }

// maskTurns masks the next turns of a conversation. Requests that come at once are masked each after what came before
// both.
func (s *Service) maskTurns(e *entry, turns []recaller.Turn) {
	if !e.masks {
		return
	}
	e.mu.Lock()
	talk := e.talk
	e.mu.Unlock()
	talk = s.mask(talk, turns) // may take a while for a thousand long turns: nothing is locked
	e.mu.Lock()
	e.talk = talk
	e.mu.Unlock()
}

// mask masks turns that follow what was said in talk, and returns the talk with them.
func (s *Service) mask(talk guard.Dialogue, turns []recaller.Turn) guard.Dialogue {
	for i, t := range turns {
		masked, found := talk.Mask(t.Speaker, t.Text)
		turns[i].Text = masked
		s.count(found)
	}
	return talk
}

func (s *Service) maskText(text string) string {
	masked, found := guard.Mask(text, "")
	s.count(found)
	return masked
}

func (s *Service) maskObject(raw json.RawMessage) json.RawMessage {
	masked, found := guard.Object(raw)
	s.count(found)
	return masked
}

// count tells of what was masked, as it comes: a request that is repeated is told of again.
func (s *Service) count(found []guard.Kind) {
	for _, kind := range found {
		s.Masked(string(kind))
	}
}
