package thread

import (
	"context"
	"errors"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/forgotten"
)

// Asking asks for the prompt of a thread's next message.
type Asking struct {
	Message   Message
	MaxTokens int // of all but the persona and the message; 0: the default of briefings
	// Persona is told in place of the thread's; nil: that one.
	Persona *string
	// Memory asks for what is remembered only, to stand in a prompt of somebody else's: no persona, no time, no last
	// messages, and the message is only searched for. Tags are taught unless NoTags.
	Memory bool
	NoTags bool
}

// Prompted is a prompt with the thread that it is for. Where only what is remembered is asked for, the thread is as it is
// stored, and may tell what was forgotten since.
type Prompted struct {
	Thread recaller.Thread
	Prompt recaller.Briefing
	Rights recaller.Rights // what may be told beside it: what is looked up
}

// patience is how long the store may take before a prompt does without it.
const patience = 2 * time.Second

// Prompt assembles the prompt for what the user says next (L1). It keeps nothing: Reply does.
//
// If what is known cannot be read in time, the prompt is degraded, and has what is left: persona, message, instructions.
// While the store is away that is the tenant's persona, whatever the thread is, unless the store still has it in memory. A
// prompt of what is remembered only is an error where it cannot be read.
func (s *Service) Prompt(
	ctx context.Context, tenant recaller.TenantID, ref string, in Asking,
) (out Prompted, err error) {
	whole, err := in.Message.whole()
	if err != nil {
		return out, err
	}
	t := &briefing.Thread{Message: whole, Quoted: in.Message.Quoted, Tags: !in.NoTags}
	timed, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if out.Thread, err = s.Store.Thread(timed, tenant, ref); err == nil {
		t.ID = out.Thread.ID
		if in.Memory {
			t.MemoryOnly()
		} else {
			err = s.toldWhole(timed, tenant, &out.Thread, in.Persona, t)
		}
	}
	switch {
	case err != nil && (in.Memory || ctx.Err() != nil || !away(err)):
		return out, err
	case err != nil:
		out.Prompt, err = s.toldAway(ctx, tenant, out.Thread.Persona, in, t)
		return out, err
	}
	t.Summary = out.Thread.Summary
	out.Prompt, err = s.Briefer.Briefing(ctx, tenant, out.Thread.Caller, briefing.Request{
		MaxTokens: in.MaxTokens, Thread: t, Trust: trustOf(out.Thread),
	})
	if err != nil {
		return out, err
	}
	if of, failed := s.Tenants.Tenant(ctx, tenant); failed == nil { // else nothing is looked up
		out.Rights = of.Rights(trustOf(out.Thread))
	}
	return out, nil
}

// trustOf is how sure it is who writes in a thread.
func trustOf(t recaller.Thread) recaller.Trust {
	return recaller.TrustAtStart(true, t.Verified, recaller.Attestation{})
}

// Ahead reads what the next prompt of a thread is made of, as far as the store keeps that until something is written
// about its caller. Call it when nobody waits: the prompt then has less to wait for.
func (s *Service) Ahead(ctx context.Context, tenant recaller.TenantID, ref string) error {
	return s.Store.Ahead(ctx, tenant, ref)
}

// away reports whether an error tells that the store is away, or does not answer.
func away(err error) bool {
	kind := recaller.KindOf(err)
	return kind == recaller.Unavailable || kind == recaller.Timeout || errors.Is(err, context.DeadlineExceeded)
}

// toldAway is a prompt of what is known without the store.
func (s *Service) toldAway(
	ctx context.Context, id recaller.TenantID, persona recaller.PersonaChoice, in Asking, t *briefing.Thread,
) (b recaller.Briefing, err error) {
	timed, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tenant, err := s.Tenants.Tenant(timed, id)
	if err != nil {
		return b, err
	}
	t.Clock, t.Persona = true, tenant.Profile.Personality
	if in.Persona != nil {
		t.Persona = *in.Persona
	} else if text, _, err := s.Personas.Resolve(timed, id, persona); err == nil {
		t.Persona = text
	}
	req := briefing.Request{MaxTokens: in.MaxTokens, Thread: t}
	return briefing.Degraded(recaller.Snapshot{Tenant: tenant}, s.Now(), req, briefing.ReasonStore), nil
}

// toldWhole reads what a whole prompt tells beside what is remembered.
func (s *Service) toldWhole(
	ctx context.Context, tenant recaller.TenantID, of *recaller.Thread, persona *string, t *briefing.Thread,
) error {
	gone, err := s.Store.Forgotten(ctx, tenant, of.Caller)
	if err != nil {
		return err
	}
	*of, t.Clock = s.without(ctx, tenant, *of, gone), true
	if t.Recent, err = s.last(ctx, tenant, *of, forgotten.New(gone), briefing.LatestTold); err != nil {
		return err
	}
	if persona != nil {
		t.Persona = *persona
		return nil
	}
	t.Persona, _, err = s.Personas.Resolve(ctx, tenant, of.Persona)
	return err
}
