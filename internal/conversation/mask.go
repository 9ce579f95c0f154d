package conversation

import (
	"encoding/json"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/guard"
)

// masks reports whether secrets of a tenant's callers are masked. A change of the setting counts for conversations that
// begin later. A running one keeps the setting that this process found when it took it up, so that turns are taken
// without reading settings.
func masks(tenant recaller.Tenant) bool { return tenant.Masking != recaller.MaskingOff }

// maskTurns masks the next turns of a conversation, and returns what was asked last, once they are said. Requests that
// come at the same time do not see each other's turns: each is masked after what was said before both.
func (s *Service) maskTurns(e *entry, turns []recaller.Turn) (talk guard.Dialogue) {
	s.maskPINs(e, turns)
	if !masks(e.tenant) {
		return talk
	}
	e.mu.Lock()
	talk = e.heard.talk
	e.mu.Unlock()
	return s.mask(talk, turns) // without a lock: a thousand long turns take a while
}

// mask masks turns that follow talk, and returns talk with them added.
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

// count reports what was masked. A request that is repeated is reported again.
func (s *Service) count(found []guard.Kind) {
	for _, kind := range found {
		s.Masked(string(kind))
	}
}
