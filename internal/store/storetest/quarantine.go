package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/vaulttest"
)

// older opens the bench's database with the keys of a backup that is older than the data: those of the scopes are
// missing. It returns the vault's keys too.
func (b *bench) older(ring *vault.Ring, keys *vaulttest.Memory, lost ...vault.Scope) (*bench, *vaulttest.Memory) {
	had := keys.Without(lost...)
	with := *b
	with.Vault = vault.New(ring, had, vault.Options{})
	with.Store = store.New(b.Engine, with.Vault)
	return &with, had
}

// keyless has the keys restored from a backup that is older than the data. Whoever came since is quarantined.
func keyless(all *bench) {
	ring, err := vault.NewRing(vault.NewKey())
	all.ok(err)
	keys := vaulttest.NewMemory()
	b, _ := all.older(ring, keys)
	b.Vault = vault.New(ring, keys, vault.Options{})
	b.Store = store.New(b.Engine, b.Vault)
	b.tenant = "q1"
	b.createTenant("q1", "One")
	b.createTenant("q2", "Two")
	phones := []recaller.Identity{phone("+15551230001"), phone("+15551230002"), phone("+15551230003")}
	var talks []recaller.Conversation
	for _, id := range phones {
		o := b.open("q1", opening{identities: []recaller.Identity{id}})
		b.say("q1", o, "user: my roof leaks")
		b.remember("q1", o.Caller.ID, "roof", "it leaks")
		talks = append(talks, b.close(o, recaller.Completed).Conversation)
	}
	other := b.open("q2", opening{})
	ben, dan := vault.Scope{Tenant: "q1", Caller: talks[1].Caller}, vault.Scope{Tenant: "q1", Caller: talks[2].Caller}

	b, had := b.older(ring, keys, ben, vault.Scope{Tenant: "q2"})
	had.Damage(dan)
	quarantined := func() string {
		list, err := b.Store.Quarantined(b.ctx)
		b.ok(err)
		var out []string
		for _, k := range list {
			if strings.HasPrefix(string(k.Tenant), "q") {
				out = append(out, fmt.Sprint(k.Tenant, " ", k.Caller))
			}
		}
		return fmt.Sprint(out)
	}
	eq(b, "named", quarantined(), fmt.Sprint([]string{"q1 " + string(ben.Caller), "q1 " + string(dan.Caller), "q2 "}))
	b.quarantinedAlone(talks, phones)
	b.quarantinedTenant(other)
	for _, s := range []vault.Scope{ben, {Tenant: "q2"}} {
		if _, found, _ := had.Key(b.ctx, s); found {
			b.Errorf("%v was given another key", s)
		}
	}
	again, err := b.Store.OpenConversation(b.ctx, "q1", b.request(opening{identities: []recaller.Identity{phone("+15551230009")}}))
	b.ok(err) // a new caller gets a key
	eq(b, "a new caller", again.FirstTime, true)

	lost, _, err := keys.Key(b.ctx, ben)
	b.ok(err)
	_, err = had.PutKey(b.ctx, lost) // it is put back
	b.ok(err)
	back, err := b.Store.OpenConversation(b.ctx, "q1", b.request(opening{identities: phones[1:2]}))
	b.ok(err)
	eq(b, "whose key is back", back.Caller.ID, ben.Caller)
	b.ok(b.Store.BeginErasure(b.ctx, "q1", dan.Caller, recaller.Job{ID: "erase", Kind: "erase", Subject: string(dan.Caller), RunAt: b.now}))
	eq(b, "named afterwards", quarantined(), "[q2 ]")
	anew, err := b.Store.OpenConversation(b.ctx, "q1", b.request(opening{identities: phones[2:]}))
	b.ok(err)
	eq(b, "who was erased is somebody new", anew.Caller.ID != dan.Caller && anew.FirstTime, true)
}

func phone(number string) recaller.Identity {
	return recaller.Identity{Kind: recaller.IdentityPhone, Value: number}
}

// quarantinedAlone wants the second and third caller of q1 to be quarantined, and the first to notice nothing.
func (b *bench) quarantinedAlone(talks []recaller.Conversation, phones []recaller.Identity) {
	b.Helper()
	missing := func(what string, err error) {
		b.Helper()
		if !recaller.IsKeyMissing(err) || recaller.KindOf(err) != recaller.Unavailable {
			b.Errorf("%s: got %v, want it to say that the key is missing", what, err)
		}
	}
	for i, c := range talks[1:] {
		_, err := b.Store.OpenConversation(b.ctx, "q1", b.request(opening{identities: phones[i+1 : i+2]}))
		missing("a ring", err)
		_, err = b.Store.Caller(b.ctx, "q1", c.Caller)
		missing("the caller", err)
		_, err = b.Store.Conversation(b.ctx, "q1", string(c.ID))
		missing("a conversation", err)
		_, err = b.Store.StoreMemory(b.ctx, "q1", recaller.Storing{Memory: b.memory(c.Caller, "roof", "it is mended")})
		missing("a memory", err)
		_, err = b.Store.Snapshot(b.ctx, "q1", c.Caller)
		missing("what a briefing needs", err)
	}
	ana := b.open("q1", opening{identities: phones[:1]})
	eq(b, "who has a key", ana.Caller.ID, talks[0].Caller)
	b.say("q1", ana, "user: it is me")
	callers, _, err := b.Store.Callers(b.ctx, "q1", recaller.Page{})
	b.ok(err)
	eq(b, "callers listed", len(callers), len(talks))
	for _, c := range callers {
		eq(b, "marked", c.Unreadable, c.ID != talks[0].Caller)
		eq(b, "has its times", c.FirstSeen.IsZero(), false)
	}
	list, _, err := b.Store.Conversations(b.ctx, "q1", recaller.ConversationFilter{Status: recaller.Completed})
	b.ok(err)
	eq(b, "conversations listed", len(list), len(talks))
	for _, c := range list {
		eq(b, "marked", c.Unreadable, c.ID != talks[0].ID)
	}
	found, err := b.Store.Talks(b.ctx, "q1", []recaller.ConversationID{talks[0].ID, talks[1].ID, talks[2].ID})
	b.ok(err)
	eq(b, "what a search reads", fmt.Sprint(len(found), found[0].Locked, found[1].Locked, found[2].Locked), "3 false true true")
}

// quarantinedTenant wants the tenant q2 to be quarantined, and the tenant q1 to notice nothing.
func (b *bench) quarantinedTenant(other recaller.Opened) {
	b.Helper()
	t, err := b.Store.Tenant(b.ctx, "q1")
	b.ok(err)
	_, err = b.Store.Tenant(b.ctx, "q2")
	eq(b, "a tenant without a key", recaller.IsKeyMissing(err), true)
	_, err = b.Store.OpenConversation(b.ctx, "q2", b.request(opening{}))
	eq(b, "a ring of its caller", recaller.IsKeyMissing(err), true)
	_, err = b.Store.Conversation(b.ctx, "q2", "CA-other")
	eq(b, "what is looked up by a token", recaller.IsKeyMissing(err), true)
	eq(b, "its settings anew", recaller.IsKeyMissing(b.Store.UpdateTenant(b.ctx, recaller.Tenant{ID: "q2", Name: "New"})), true)
	eq(b, "made again", recaller.IsKeyMissing(b.Store.CreateTenant(b.ctx, recaller.Tenant{ID: "q2"}, recaller.APIKey{ID: "k", Tenant: "q2"}, []byte("k"))), true)
	b.ok(b.Store.UpdateTenant(b.ctx, t))
	list, _, err := b.Store.Tenants(b.ctx, recaller.Page{})
	b.ok(err)
	for _, t := range list {
		if t.ID == "q1" || t.ID == "q2" {
			eq(b, "marked "+string(t.ID), t.Unreadable, t.ID == "q2")
		}
	}
	_, err = b.Store.Caller(b.ctx, "q2", other.Caller.ID) // his own key is there
	b.ok(err)
	b.later(time.Second)
}
