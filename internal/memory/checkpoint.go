package memory

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
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
	in.Intent, in.Summary = mask.text(tidy(in.Intent), ""), mask.text(tidy(in.Summary), "")
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

// Checkpoint returns a caller's checkpoint without what was forgotten. If it is older than the tenant's resume window,
// Checkpoint fails with NotFound, but does not delete it (H3).
func (s *Service) Checkpoint(
	ctx context.Context, tenantID recaller.TenantID, caller recaller.CallerID,
) (recaller.Checkpoint, error) {
	tenant, err := s.Tenants.Tenant(ctx, tenantID)
	if err != nil {
		return recaller.Checkpoint{}, err
	}
	c, err := s.Deps.Store.Checkpoint(ctx, tenantID, caller)
	if err != nil {
		return recaller.Checkpoint{}, err
	}
	if c.Completed() || s.Now().Sub(c.LastActivity) > tenant.ResumeWindow {
		return recaller.Checkpoint{}, recaller.Errorf(recaller.NotFound,
			"the caller has no checkpoint within the resume window")
	}
	gone, err := s.Deps.Store.Forgotten(ctx, tenantID, caller)
	return forgotten.New(gone).Checkpoint(c), err
}

// CheckpointHistory returns the states that a caller's checkpoint had before the present one, newest first, without what
// was forgotten, and whatever their age. It fails with NotFound if the caller never had one.
func (s *Service) CheckpointHistory(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID,
) ([]recaller.CheckpointState, error) {
	c, err := s.Deps.Store.Checkpoint(ctx, tenant, caller)
	if err != nil {
		return nil, err
	}
	gone, err := s.Deps.Store.Forgotten(ctx, tenant, caller)
	if err != nil {
		return nil, err
	}
	view := forgotten.New(gone)
	for i, was := range c.Before {
		kept := view.Checkpoint(recaller.Checkpoint{
			Intent: was.Intent, Summary: was.Summary, StagingData: was.StagingData, LastActivity: was.At,
		})
		c.Before[i].Intent, c.Before[i].Summary, c.Before[i].StagingData = kept.Intent, kept.Summary, kept.StagingData
	}
	return c.Before, nil
}

// DeleteCheckpoint removes a caller's checkpoint with its history, whatever its age.
func (s *Service) DeleteCheckpoint(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) error {
	return s.Deps.Store.DeleteCheckpoint(ctx, tenant, caller)
}
