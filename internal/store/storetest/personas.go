package storetest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// personas are the persona's versions of a tenant as a page lists them: number, text, and a star if it is active.
func (b *bench) personas(ctx context.Context, tenant recaller.TenantID, page recaller.Page) (versions, next string) {
	b.Helper()
	list, next, err := b.Store.Personas(ctx, tenant, page)
	b.ok(err)
	out := make([]string, len(list))
	for i, p := range list {
		out[i] = fmt.Sprint(p.Version, " ", p.Text)
		if p.Active {
			out[i] += "*"
		}
	}
	return strings.Join(out, ", "), next
}

// persona makes a version and activates it, as the use case does.
func (b *bench) persona(tenant recaller.TenantID, texts ...string) {
	b.Helper()
	t, err := b.Store.Tenant(b.ctx, tenant)
	b.ok(err)
	t = t.WithDefaults()
	var made []recaller.Persona
	for _, text := range texts {
		if t.Personas++; t.Personas == 2 {
			made = append(made, recaller.Persona{Version: 1, Text: t.Profile.Personality, CreatedAt: t.CreatedAt})
		}
		t.Persona, t.Profile.Personality = t.Personas, text
		made = append(made, recaller.Persona{Version: t.Personas, Text: text, Label: "of " + text, CreatedAt: b.later(time.Second)})
	}
	b.ok(b.Store.UpdateTenant(b.ctx, t, made...))
}

// personaVersions has versions kept beside the settings, the first of which may be in these alone.
func personaVersions(b *bench) {
	all := func() string {
		versions, next := b.personas(b.ctx, "t1", recaller.Page{})
		eq(b, "what follows", next, "")
		return versions
	}
	eq(b, "at first", all(), "")
	b.ok(b.change("t1", func(t *recaller.Tenant) { t.Profile.Personality = "warm" })) // as before there were versions
	eq(b, "the personality that was there", all(), "1 warm*")
	b.persona("t1", "brief", "dry")
	eq(b, "all", all(), "3 dry*, 2 brief, 1 warm")
	b.ok(b.change("t1", func(t *recaller.Tenant) { t.Persona, t.Profile.Personality = 1, "warm" }))
	eq(b, "an earlier one is active", all(), "3 dry, 2 brief, 1 warm*")
	b.ok(b.change("t1", func(t *recaller.Tenant) { t.Persona, t.Profile.Personality = 0, "" }))
	eq(b, "none is active", all(), "3 dry, 2 brief, 1 warm")

	first, next := b.personas(b.ctx, "t1", recaller.Page{Limit: 2})
	second, end := b.personas(b.ctx, "t1", recaller.Page{Limit: 2, Cursor: next})
	eq(b, "by pages", first+" | "+second+" | "+end, "3 dry, 2 brief | 1 warm | ")
	_, _, err := b.Store.Personas(b.ctx, "t1", recaller.Page{Cursor: "nonsense"})
	b.fails(err, recaller.Invalid)

	p, err := b.Store.Persona(b.ctx, "t1", 2)
	b.ok(err)
	eq(b, "one of them", p.Text+", "+p.Label, "brief, of brief")
	for _, none := range []int{-1, 0, 4} {
		_, err = b.Store.Persona(b.ctx, "t1", none)
		b.fails(err, recaller.NotFound)
	}
	_, _, err = b.Store.Personas(b.ctx, "nobody", recaller.Page{})
	b.fails(err, recaller.NotFound)
	other, _ := b.personas(b.ctx, "t2", recaller.Page{})
	eq(b, "the second tenant's", other, "")

	// Versions and settings are one commit, and a version that is there stays as it is.
	t, err := b.Store.Tenant(b.ctx, "t1")
	b.ok(err)
	again := recaller.Persona{Version: 2, Text: "another", CreatedAt: b.now}
	b.ok(b.Store.UpdateTenant(b.ctx, t, again))
	again.Version, t.Personas = 4, 4
	b.conflicts(b.Store.UpdateTenant(b.ctx, t, again), "") // it was read before
	eq(b, "after what was refused", all(), "3 dry, 2 brief, 1 warm")
}

// personasForged changes versions below the door: each that is changed is left out and named, and the others are read.
func personasForged(b *bench) {
	b.ok(b.change("t1", func(t *recaller.Tenant) { t.Profile.Personality = "warm" }))
	b.persona("t1", "brief", "dry")
	b.ok(b.change("t2", func(t *recaller.Tenant) { t.Profile.Personality = "loud" }))
	b.persona("t2", "louder")
	body := func(tenant, version string) spot {
		return spot{recaller.TenantID(tenant), "personas", "body", "version = " + version}
	}
	own := b.raw(body("t1", "2"))
	for _, c := range []struct {
		what     string
		do, undo func()
	}{
		{
			"a time is made up", func() {
				b.raws(`UPDATE personas SET created_at = created_at + 1 WHERE tenant_id = 't1' AND version = 2`)
			},
			func() {
				b.raws(`UPDATE personas SET created_at = created_at - 1 WHERE tenant_id = 't1' AND version = 2`)
			},
		},
		{"an earlier text is put in its place", func() { b.putRaw(body("t1", "2"), b.raw(body("t1", "1"))) }, func() { b.putRaw(body("t1", "2"), own) }},
		{"another tenant's text is", func() { b.putRaw(body("t1", "2"), b.raw(body("t2", "2"))) }, func() { b.putRaw(body("t1", "2"), own) }},
		{"it is deleted", func() { b.raws(`DELETE FROM personas WHERE tenant_id = 't1' AND version = 2`) }, func() {}},
	} {
		c.do()
		left := b.noted(func(ctx context.Context) error {
			versions, _ := b.personas(ctx, "t1", recaller.Page{})
			eq(b, c.what, versions, "3 dry*, 1 warm")
			_, err := b.Store.Persona(ctx, "t1", 2)
			WantKind(b, c.what, err, recaller.Unavailable)
			return nil
		})
		eq(b, c.what, fmt.Sprint(left), "[personas 2]")
		left = b.noted(func(ctx context.Context) error {
			_, err := b.Store.Examine(ctx)
			return err
		})
		eq(b, c.what+", examined", fmt.Sprint(left), "[personas 2]")
		c.undo()
	}
}
