package thread

import (
	"context"

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
}

// Prompt assembles the prompt for what the user says next (L1). It keeps nothing: Reply does.
//
// If what is known cannot be read in time, the prompt is degraded, and has what is left: persona, message, instructions.
func (s *Service) Prompt(
	ctx context.Context, tenant recaller.TenantID, ref string, in Asking,
) (out Prompted, err error) {
	whole, err := in.Message.whole()
	if err != nil {
		return out, err
	}
	if out.Thread, err = s.Store.Thread(ctx, tenant, ref); err != nil {
		return out, err
	}
	t := &briefing.Thread{ID: out.Thread.ID, Message: whole, Quoted: in.Message.Quoted, Tags: !in.NoTags}
	if in.Memory {
		t.MemoryOnly()
	} else if err = s.toldWhole(ctx, tenant, &out.Thread, in.Persona, t); err != nil {
		return out, err
	}
	t.Summary = out.Thread.Summary
	out.Prompt, err = s.Briefer.Briefing(ctx, tenant, out.Thread.Caller, briefing.Request{MaxTokens: in.MaxTokens, Thread: t})
	return out, err
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
