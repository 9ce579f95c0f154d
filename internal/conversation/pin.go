package conversation

import (
	"context"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/guard"
)

// pin is what this process knows of a PIN in a live conversation. None of it is kept.
type pin struct {
	has    bool   // the caller has one: until it is sure who speaks, rows of digits that may be one are masked
	spoken string // the digits that were masked last: agents that read what is kept see only the mask
	proven string // the PIN that proved who speaks: it is masked whenever it is said
}

// maskPINs masks what may be the caller's PIN, before anything else is masked.
func (s *Service) maskPINs(e *entry, turns []recaller.Turn) {
	e.mu.Lock()
	known := e.pin.proven
	open := e.pin.has && e.conv.Trust != recaller.TrustVerified
	e.mu.Unlock()
	if !open && known == "" {
		return
	}
	for i, t := range turns {
		if known == "" && t.Speaker != recaller.User {
			continue
		}
		text, rows := guard.PINs(t.Text, known)
		if text == t.Text {
			continue
		}
		turns[i].Text = text
		s.Masked(string(guard.Password))
		if len(rows) == 0 {
			continue
		}
		e.mu.Lock()
		e.pin.spoken = rows[len(rows)-1]
		e.mu.Unlock()
	}
}

// WithoutPIN masks in a text that is to be kept of a live conversation what is masked in its turns.
func (s *Service) WithoutPIN(tenant recaller.TenantID, conv recaller.ConversationID, text string) string {
	e := s.Ledger.get(tenant, string(conv))
	if e == nil {
		return text
	}
	e.mu.Lock()
	known, open := e.pin.proven, e.pin.has && e.conv.Trust != recaller.TrustVerified
	e.mu.Unlock()
	if known == "" && !open {
		return text
	}
	text, _ = guard.PINs(text, known)
	return text
}

func (e *entry) hasPIN(has bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.pin.has = has
}

// HasPIN notes whether a caller has a PIN now: what may be one is masked from here on in what he says, while it is not sure
// that it is he.
func (s *Service) HasPIN(tenant recaller.TenantID, caller recaller.CallerID, has bool) {
	for _, e := range s.Ledger.ofCaller(tenant, caller) {
		e.hasPIN(has)
	}
}

// SpokenPIN returns the digits that were masked last in what the caller of a live conversation said.
func (s *Service) SpokenPIN(tenant recaller.TenantID, conv recaller.ConversationID) string {
	e := s.Ledger.get(tenant, string(conv))
	if e == nil {
		return ""
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.pin.spoken
}

// Proven is Verify for who has told the PIN. A turn that says it may come later than the proof: it is masked all the same.
func (s *Service) Proven(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, told string) error {
	if e := s.Ledger.get(tenant, string(conv.ID)); e != nil {
		e.mu.Lock()
		e.pin.proven, e.pin.spoken = told, ""
		e.mu.Unlock()
	}
	if conv.Trust == recaller.TrustAnonymous {
		return recaller.Errorf(recaller.Conflict, "nobody is recognised in this conversation")
	}
	_, err := s.verified(ctx, tenant, conv)
	return err
}
