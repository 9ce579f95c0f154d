package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/guard"
	"github.com/recallerhq/recaller/internal/identity"
	"github.com/recallerhq/recaller/internal/wrapup/unfinished"
)

// MaxStaging bounds a checkpoint's staging data.
const MaxStaging = 64 << 10

// CheckpointInput is a checkpoint as the edge was told it.
type CheckpointInput struct {
	Intent      string
	Summary     string
	StagingData json.RawMessage // a JSON object, or empty
	ContactID   string
}

// PutCheckpoint saves the state of an unfinished matter, in place of the one before (H1), whose state goes to the
// history. The intent "completed" clears it instead (H4): what is stored then is that the matter is settled, and when.
func (s *Service) PutCheckpoint(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, in CheckpointInput,
) (c recaller.Checkpoint, cleared bool, err error) {
	if cleared = (recaller.Checkpoint{Intent: in.Intent}).Completed(); cleared {
		in = CheckpointInput{Intent: recaller.CheckpointCompleted, StagingData: json.RawMessage("{}")}
	} else if in, err = s.checkpointOf(ctx, tenant, in); err != nil {
		return c, false, err
	}
	now := s.Now()
	c, err = s.Deps.Store.PutCheckpoint(ctx, tenant, recaller.Checkpoint{
		ID: recaller.CheckpointID(s.NewID()), Caller: caller, Intent: in.Intent, Summary: in.Summary,
		StagingData: in.StagingData, ContactID: in.ContactID, LastActivity: now, CreatedAt: now,
		Source: recaller.CheckpointSaved,
	})
	return c, cleared, err
}

// checkpointOf validates a checkpoint and masks the secrets in it.
func (s *Service) checkpointOf(
	ctx context.Context, tenant recaller.TenantID, in CheckpointInput,
) (CheckpointInput, error) {
	if err := in.validate(); err != nil {
		return in, err
	}
	return s.masked(ctx, tenant, in)
}

// masked masks the secrets in a checkpoint, which quotes what was said (B11). The contact's id stays as it is, because
// it links to something.
func (s *Service) masked(ctx context.Context, tenant recaller.TenantID, in CheckpointInput) (CheckpointInput, error) {
	mask, err := s.masker(ctx, tenant)
	if err != nil {
		return in, err
	}
	in.Intent, in.Summary = mask.text(guard.Tidy(in.Intent), ""), mask.text(guard.Tidy(in.Summary), "")
	in.StagingData = mask.object(in.StagingData)
	return in, nil
}

func (in *CheckpointInput) validate() error {
	if err := text("summary", in.Summary, MaxValue); err != nil {
		return err
	}
	if err := bounded("intent", in.Intent, MaxValue); err != nil {
		return err
	}
	if err := bounded("contact_id", in.ContactID, MaxValue); err != nil {
		return err
	}
	if len(in.StagingData) > MaxStaging {
		return recaller.InvalidField("staging_data", "must be at most %d bytes", MaxStaging)
	}
	var object map[string]json.RawMessage
	if len(in.StagingData) > 0 && json.Unmarshal(in.StagingData, &object) != nil {
		return recaller.InvalidField("staging_data", "must be a JSON object")
	}
	if object == nil { // none, or null
		in.StagingData = json.RawMessage("{}")
	}
	var compact bytes.Buffer // so that the same state is the same bytes
	if json.Compact(&compact, in.StagingData) == nil {
		in.StagingData = compact.Bytes()
	}
	return nil
}

// Checkpoint returns a caller's checkpoint without what was forgotten. Where no wrap-up has read the words of his last
// conversations yet, what they leave unfinished counts as it will then. If it is older than the tenant's resume window,
// Checkpoint fails with NotFound, but does not delete it (H3). What may not be told to
// a tier of trust it leaves out.
func (s *Service) Checkpoint(
	ctx context.Context, tenantID recaller.TenantID, caller recaller.CallerID, trust recaller.Trust,
) (recaller.Checkpoint, error) {
	tenant, err := s.Tenants.Tenant(ctx, tenantID)
	if err != nil {
		return recaller.Checkpoint{}, err
	}
	return s.CheckpointBeside(ctx, tenantID, caller, "", Sight{Rights: tenant.Rights(trust)})
}

// CheckpointBeside is Checkpoint for a conversation that goes on: its own words are nothing to come back to. Where nobody
// says which one that is, it is taken to be the latest, while it is open and somebody has just spoken in it.
func (s *Service) CheckpointBeside(
	ctx context.Context, tenantID recaller.TenantID, caller recaller.CallerID, live recaller.ConversationID, sight Sight,
) (recaller.Checkpoint, error) {
	c, err := s.resumable(ctx, tenantID, caller, live, sight)
	switch {
	case err != nil:
		return recaller.Checkpoint{}, err
	case c == nil:
		return recaller.Checkpoint{}, recaller.Errorf(recaller.NotFound,
			"the caller has no checkpoint within the resume window")
	}
	return *c, nil
}

// resumable returns the checkpoint that a caller can resume; nil: there is none.
func (s *Service) resumable(
	ctx context.Context, tenantID recaller.TenantID, caller recaller.CallerID, live recaller.ConversationID, sight Sight,
) (*recaller.Checkpoint, error) {
	if !sight.sees() && !sight.Rights.Tells(recaller.TellAllButPrivate) {
		return nil, nil //nolint:nilnil // none is no error
	}
	tenant, err := s.Tenants.Tenant(ctx, tenantID)
	if err != nil {
		return nil, err
	}
	c, gone, err := s.standing(ctx, tenant, caller, live, sight)
	if err != nil || c == nil || c.Completed() || s.Now().Sub(c.LastActivity) > tenant.ResumeWindow {
		return nil, err
	}
	told := gone.Checkpoint(*c)
	left := string(told.StagingData) != "{}" && (sight.sees() || c.Summary == "")
	if (told.Source == recaller.CheckpointFound || !sight.sees()) && told.Summary == "" && !left { // all was forgotten, or is private
		return nil, nil
	}
	return &told, nil
}

// standing returns the checkpoint that a caller has, with what conversations leave that no wrap-up has read yet, and what
// must not be told; nil: he has none.
func (s *Service) standing(
	ctx context.Context, tenant recaller.Tenant, caller recaller.CallerID, live recaller.ConversationID, sight Sight,
) (c *recaller.Checkpoint, gone forgotten.View, err error) {
	known, err := s.Deps.Store.Resumable(ctx, tenant.ID, caller)
	if err != nil {
		return nil, gone, err
	}
	if !sight.sees() {
		known.Forgotten = append(known.Forgotten, forgotten.AsIf(known.Private)...)
	}
	gone, c = forgotten.New(known.Forgotten), known.Checkpoint
	for i, conv := range known.Unread {
		if s.Words == nil || conv.ID == live || live == "" && i == len(known.Unread)-1 && s.goesOn(conv) {
			continue
		}
		if c, err = s.found(ctx, tenant, known.Caller, conv, gone, c); err != nil {
			return nil, gone, err
		}
	}
	return c, gone, nil
}

// quiet is how long nobody has spoken in a call that is taken to have dropped.
const quiet = 10 * time.Second

// goesOn reports whether a conversation most likely goes on. One in which nobody has spoken since this process began
// lost its line with the last one. An open chat does not drop.
func (s *Service) goesOn(conv recaller.Conversation) bool {
	if conv.Status != recaller.Active {
		return false
	}
	return conv.Channel.Text() || conv.LastActivityAt.After(s.began) && s.Now().Sub(conv.LastActivityAt) < quiet
}

// found returns what stands after a conversation whose words no wrap-up has read yet, given what stood. Words that
// cannot be read say nothing.
func (s *Service) found(
	ctx context.Context, tenant recaller.Tenant, caller recaller.Caller, conv recaller.Conversation, gone forgotten.View,
	stands *recaller.Checkpoint,
) (*recaller.Checkpoint, error) {
	turns, err := s.Words.Turns(ctx, tenant.ID, conv)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		s.Log.WarnContext(ctx, "a conversation could not be read for what it left unfinished", "conversation", conv.ID, "err", err)
		return stands, nil
	}
	set := unfinished.Setting{
		Zone: identity.ZoneIn(conv, caller, tenant), DayFirst: identity.DayFirst(caller, tenant),
		Window: tenant.ResumeWindow, Stands: stands,
	}
	if s.Packs != nil {
		set.Packs, _ = s.Packs(ctx, tenant) // without any it has no intent
	}
	return unfinished.After(conv, gone.Blank(conv.ID, turns), set), nil
}

// CheckpointHistory returns the states that a caller's checkpoint had before the present one, which Checkpoint returns,
// newest first, without what was forgotten, and whatever their age. It fails with NotFound if the caller never had one.
func (s *Service) CheckpointHistory(
	ctx context.Context, tenantID recaller.TenantID, caller recaller.CallerID,
) ([]recaller.CheckpointState, error) {
	tenant, err := s.Tenants.Tenant(ctx, tenantID)
	if err != nil {
		return nil, err
	}
	c, gone, err := s.standing(ctx, tenant, caller, "", Sight{})
	switch {
	case err != nil:
		return nil, err
	case c == nil:
		return nil, recaller.Errorf(recaller.NotFound, "the caller has no checkpoint")
	}
	before := slices.Clone(c.Before)
	for i, was := range before {
		kept := gone.Checkpoint(recaller.Checkpoint{
			Intent: was.Intent, Summary: was.Summary, StagingData: was.StagingData, LastActivity: was.At,
		})
		before[i].Intent, before[i].Summary, before[i].StagingData = kept.Intent, kept.Summary, kept.StagingData
	}
	return before, nil
}

// DeleteCheckpoint removes a caller's checkpoint with its history, whatever its age. If words that no wrap-up has read
// yet would bring one back, it is noted that their matter is settled.
func (s *Service) DeleteCheckpoint(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) error {
	err := s.Deps.Store.DeleteCheckpoint(ctx, tenant, caller)
	if err != nil && !errors.Is(err, recaller.NotFound) {
		return err
	}
	c, failed := s.resumable(ctx, tenant, caller, "", Sight{})
	if failed != nil || c == nil {
		return err
	}
	_, _, err = s.PutCheckpoint(ctx, tenant, caller, CheckpointInput{Intent: recaller.CheckpointCompleted})
	return err
}
