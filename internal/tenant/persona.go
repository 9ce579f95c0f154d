package tenant

import (
	"context"
	"strconv"
	"strings"

	"github.com/recallerhq/recaller"
)

// Versions of the persona (L7). The one that is active is Tenant.Profile.Personality, so whoever changes that makes a
// version, and a briefing needs no look at the others. To go back to an earlier one moves a pointer: a version has one
// number for ever, by which a thread may name it.

// maxPersona bounds a persona's text, in bytes, as any text of a profile's.
const maxPersona = maxText

// versionOf names a version of a tenant's persona.
type versionOf struct {
	tenant  recaller.TenantID
	version int
}

func (v versionOf) String() string { return string(v.tenant) + "/" + strconv.Itoa(v.version) }

// settle writes settings, and with them the version that a change of the personality makes. It is called by a label.
func (s *Service) settle(label string) func(context.Context, recaller.Tenant, *recaller.Tenant) error {
	return func(ctx context.Context, old recaller.Tenant, t *recaller.Tenant) error {
		var made []recaller.Persona
		moved, text := t.Persona != old.Persona, t.Profile.Personality
		if (moved || text != old.Profile.Personality) && old.Personas == 1 && old.Persona == 1 {
			// until now it was in the settings only; where it was stored before, it stays
			made = append(made, recaller.Persona{Version: 1, Text: old.Profile.Personality, CreatedAt: old.CreatedAt})
		}
		switch {
		case moved || text == old.Profile.Personality:
		case text == "":
			t.Persona = 0
		default:
			t.Personas++
			t.Persona = t.Personas
			made = append(made, recaller.Persona{Version: t.Persona, Text: text, Label: label, CreatedAt: s.Now()})
		}
		return s.Store.UpdateTenant(ctx, *t, made...)
	}
}

// Persona returns the version that is active; its number is 0 if none is. While the store is away, and where the version is
// damaged, it has no label and no time.
func (s *Service) Persona(ctx context.Context, tenant recaller.TenantID) (recaller.Persona, error) {
	t, err := s.Tenant(ctx, tenant)
	if err != nil || t.Persona == 0 {
		return recaller.Persona{}, err
	}
	return s.active(ctx, t), nil
}

// active returns the version that settings have active. Its text is theirs.
func (s *Service) active(ctx context.Context, t recaller.Tenant) recaller.Persona {
	p, _ := s.version(ctx, t.ID, t.Persona) // without it, the label and the time are not known
	p.Version, p.Text, p.Active = t.Persona, t.Profile.Personality, true
	return p
}

// SetPersona makes a version and activates it. The text that is active already stays as it is, with its label.
func (s *Service) SetPersona(
	ctx context.Context, tenant recaller.TenantID, text, label string,
) (recaller.Persona, error) {
	text, err := PersonaText("text", text)
	if err != nil {
		return recaller.Persona{}, err
	}
	if label = strings.TrimSpace(label); len(label) > maxName {
		return recaller.Persona{}, recaller.InvalidField("label", "must be at most %d bytes", maxName)
	}
	t, err := s.update(ctx, tenant, func(t *recaller.Tenant) error {
		t.Profile.Personality = text
		return nil
	}, s.settle(label))
	if err != nil {
		return recaller.Persona{}, err
	}
	return s.active(ctx, t), nil
}

// PersonaText checks the text of a persona that is in a field, and returns it without white space around it.
func PersonaText(field, text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > maxPersona {
		return "", recaller.InvalidField(field, "must be 1 to %d bytes", maxPersona)
	}
	return text, nil
}

// Personas lists the versions, newest first.
func (s *Service) Personas(
	ctx context.Context, tenant recaller.TenantID, page recaller.Page,
) (list []recaller.Persona, next string, err error) {
	return s.Store.Personas(ctx, tenant, page)
}

// ActivatePersona makes an earlier version the active one again.
func (s *Service) ActivatePersona(
	ctx context.Context, tenant recaller.TenantID, version int,
) (recaller.Persona, error) {
	p, err := s.Store.Persona(ctx, tenant, version)
	if err != nil {
		return p, err
	}
	_, err = s.update(ctx, tenant, func(t *recaller.Tenant) error {
		t.Persona, t.Profile.Personality = version, p.Text
		return nil
	}, s.settle(""))
	p.Active = true
	return p, err
}

// Resolve returns the text of a persona that was chosen: a text of its own, a version, or else the active one. The
// version is 0 for a text, and where there is no persona. A version that there is not is NotFound; what is known answers
// while the store is away.
func (s *Service) Resolve(
	ctx context.Context, tenant recaller.TenantID, choice recaller.PersonaChoice,
) (text string, version int, err error) {
	if choice.Text != "" {
		return choice.Text, 0, nil
	}
	t, err := s.Tenant(ctx, tenant)
	if err != nil || choice.Version == 0 || choice.Version == t.Persona {
		return t.Profile.Personality, t.Persona, err
	}
	p, err := s.version(ctx, tenant, choice.Version)
	return p.Text, p.Version, err
}

// version returns a version by what is known, else from the store.
func (s *Service) version(ctx context.Context, tenant recaller.TenantID, version int) (recaller.Persona, error) {
	return s.personas.get(ctx, versionOf{tenant, version}, func(ctx context.Context) (recaller.Persona, error) {
		return s.Store.Persona(ctx, tenant, version)
	})
}
