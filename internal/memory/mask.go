package memory

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/guard"
)

// masker masks the secrets in what is to be stored, and reports each by its kind (B11). The zero value changes nothing.
type masker struct{ told func(kind string) }

// masker returns the masker for a tenant: the zero value if the tenant turned masking off.
func (s *Service) masker(ctx context.Context, tenant recaller.TenantID) (masker, error) {
	t, err := s.Tenants.Tenant(ctx, tenant)
	if err != nil || t.Masking == recaller.MaskingOff {
		return masker{}, err
	}
	return masker{s.Masked}, nil
}

// text masks a text. asked is the question that it answers, or "".
func (m masker) text(text, asked string) string {
	if m.told == nil || text == "" {
		return text
	}
	masked, found := guard.Mask(text, asked)
	m.tell(found)
	return masked
}

// key masks a key. What it returns is a key again.
func (m masker) key(key string) string {
	words := spoken(key)
	if masked := m.text(words, ""); masked != words {
		return Key(masked)
	}
	return key
}

// value masks the value of a memory. Its key, such as "wifi_password", says what the value is.
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

// spoken returns a key as words.
func spoken(key string) string { return strings.ReplaceAll(key, "_", " ") }

// maskPatch masks the texts of a change. If the key does not change, it reads the memory to know what the value is.
func (s *Service) maskPatch(
	ctx context.Context, tenant recaller.TenantID, id recaller.MemoryID, p *recaller.MemoryPatch,
) error {
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
