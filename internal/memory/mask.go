package memory

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/guard"
)

// masker takes secrets out of what is to be stored, and tells of each (B11). The zero value leaves everything as it is.
type masker struct{ told func(kind string) }

// masker returns the one that the tenant wants.
func (s *Service) masker(ctx context.Context, tenant recaller.TenantID) (masker, error) {
	t, err := s.Tenants.Tenant(ctx, tenant)
	if err != nil || t.Masking == recaller.MaskingOff {
		return masker{}, err
	}
	return masker{s.Masked}, nil
}

// text masks a text; asked is what it answers, or "".
func (m masker) text(text, asked string) string {
	if m.told == nil || text == "" {
		return text
	}
	masked, found := guard.Mask(text, asked)
	m.tell(found)
	return masked
}

// key masks a key, which stays one.
func (m masker) key(key string) string {
	words := spoken(key)
	if masked := m.text(words, ""); masked != words {
		return Key(masked)
	}
	return key
}

// value masks what is stored under a key, which says what the value is: "wifi_password".
func (m masker) value(value, key string) string { return m.text(value, spoken(key)+"?") }

// object masks a JSON object.
func (m masker) object(raw json.RawMessage) json.RawMessage {
	if m.told == nil {
		return raw
	}
	masked, found := guard.Object(raw)
	m.tell(found)
	return masked
}

func (m masker) tell(found []guard.Kind) {
	for _, kind := range found {
		m.told(string(kind))
	}
}

// spoken is a key in words.
func spoken(key string) string { return strings.ReplaceAll(key, "_", " ") }

// maskPatch takes secrets out of the texts of a change. What the memory's key is has to be looked up where it stays.
func (s *Service) maskPatch(ctx context.Context, tenant recaller.TenantID, id recaller.MemoryID, p *recaller.MemoryPatch) error {
	if p.Key == nil && p.Value == nil && p.Alias == "" {
		return nil
	}
	mask, err := s.masker(ctx, tenant)
	if err != nil || mask.told == nil {
		return err
	}
	if p.Value != nil {
		key := ""
		if p.Key != nil {
			key = *p.Key
		} else {
			m, err := s.Deps.Store.MemoryByID(ctx, tenant, id)
			if err != nil {
				return err
			}
			key = m.Key
		}
		*p.Value = mask.value(*p.Value, key)
	}
	if p.Key != nil {
		*p.Key = mask.key(*p.Key)
	}
	p.Alias = mask.key(p.Alias)
	return nil
}
