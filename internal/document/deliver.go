package document

import (
	"context"
	"errors"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
)

// Outside delivers documents to an outside document server (V11); *remem.Client does. It returns the document's id
// there.
type Outside interface {
	Deliver(ctx context.Context, remote string, d recaller.Document) (id string, err error)
}

// settling bounds writing down the result of a try, which is done even while the process stops.
const settling = 10 * time.Second

// The reasons why a delivery failed.
const (
	reasonRefused     = "refused"
	reasonUnreachable = "unreachable"
)

// delivers reports whether documents of conversations of a tenant go outside. The server is one, with one key: only the
// tenant default, whose installation it is, delivers there.
func (s *Service) delivers(tenant recaller.TenantID) bool {
	return s.Outside != nil && tenant == recaller.DefaultTenant
}

// jobs are those that a write of a document leaves.
func (s *Service) jobs(d recaller.Document) []recaller.Job {
	now, subject := s.Now(), recaller.SubjectOf(d.ID, d.Version+1)
	list := []recaller.Job{{ID: s.NewID(), Kind: recaller.JobDocument, Subject: subject, RunAt: now}}
	if d.Delivery.State == recaller.DeliveryPending {
		list = append(list, recaller.Job{ID: s.NewID(), Kind: recaller.JobDeliver, Subject: subject, RunAt: now})
	}
	return list
}

// pending has a document delivered, and tried as often as a new one.
func pending(v recaller.Delivery) recaller.Delivery {
	v.State, v.Reason, v.Tries = recaller.DeliveryPending, "", 0
	return v
}

// Deliver does a job of kind recaller.JobDeliver: it sends a document to the outside server, as it may be told. An error
// means that the job must run again.
func (s *Service) Deliver(ctx context.Context, j recaller.Job) error {
	d, err := s.Get(ctx, j.Tenant, recaller.DocumentOf(j.Subject))
	switch {
	case recaller.IsGone(err):
		return nil
	case err != nil:
		return err
	case d.Delivery.State != recaller.DeliveryPending || !s.delivers(j.Tenant) || outdated(j, d):
		return nil
	}
	remote, err := s.Outside.Deliver(ctx, d.Delivery.Remote, d)
	if err != nil && ctx.Err() != nil { // we shut down: no fault of the server's
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settling)
	defer cancel()
	d.Delivery.At = s.Now()
	if err == nil {
		d.Delivery = recaller.Delivery{State: recaller.DeliveryDone, Remote: remote, Version: d.Version, At: s.Now()}
		if err = s.Store.MarkDelivery(ctx, j.Tenant, d, d.Version); errors.Is(err, recaller.NotFound) {
			return nil
		}
		return err
	}
	d.Delivery.Tries, d.Delivery.Reason = d.Delivery.Tries+1, reasonUnreachable
	if errors.Is(err, recaller.Invalid) {
		d.Delivery.Reason = reasonRefused
	}
	if marked := s.Store.MarkDelivery(ctx, j.Tenant, d, d.Version); !errors.Is(marked, recaller.NotFound) {
		return errors.Join(err, marked)
	}
	return nil // it was deleted meanwhile
}

// outdated reports whether a job is about an earlier version of a document: the present one has a job of its own.
func outdated(j recaller.Job, d recaller.Document) bool {
	return j.Subject != recaller.SubjectOf(d.ID, d.Version)
}

// GiveUpDelivery marks a document as dead that could not be delivered: it is in the dead-letter list, and can be tried
// again.
func (s *Service) GiveUpDelivery(ctx context.Context, j recaller.Job, _ error) error {
	d, err := s.Store.Document(ctx, j.Tenant, recaller.DocumentOf(j.Subject))
	if recaller.IsGone(err) || err == nil && (d.Delivery.State != recaller.DeliveryPending || outdated(j, d)) {
		return nil
	}
	if err != nil {
		return err
	}
	d.Delivery.State = recaller.DeliveryDead
	if err = s.Store.MarkDelivery(ctx, j.Tenant, d, d.Version); errors.Is(err, recaller.NotFound) {
		return nil
	}
	return err
}

// Redeliver has a document delivered again, such as a dead one. It is a Conflict for one that is not to be delivered, or
// waits already.
func (s *Service) Redeliver(
	ctx context.Context, tenant recaller.TenantID, id recaller.DocumentID,
) (recaller.Document, error) {
	d, err := s.Store.Document(ctx, tenant, id)
	switch {
	case err != nil:
		return d, err
	case d.Delivery.State == "" || !s.delivers(tenant):
		return d, recaller.Errorf(recaller.Conflict, "the document is not to be delivered")
	case d.Delivery.State == recaller.DeliveryPending:
		return d, recaller.Errorf(recaller.Conflict, "the document waits to be delivered already")
	}
	d.Delivery = pending(d.Delivery)
	return s.file(ctx, tenant, recaller.Once{}, d)
}

// Forgetting has the documents of a caller delivered again of which something is hidden now that the outside server has.
// It is for when something of him was forgotten.
func (s *Service) Forgetting(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) error {
	if !s.delivers(tenant) {
		return nil
	}
	gone, err := s.Store.Forgotten(ctx, tenant, caller)
	if err != nil {
		return err
	}
	view := forgotten.New(gone)
	f := recaller.DocumentFilter{Caller: caller, Archived: true, Delivery: recaller.DeliveryDone}
	var hidden []recaller.DocumentID
	for {
		list, next, err := s.Store.Documents(ctx, tenant, f)
		if err != nil {
			return err
		}
		for _, d := range list {
			told, err := s.without(ctx, tenant, view, d)
			if err != nil {
				return err
			}
			if told.Content != d.Content || told.Title != d.Title {
				hidden = append(hidden, d.ID)
			}
		}
		if next == "" {
			break
		}
		f.Page.Cursor = next
	}
	for _, id := range hidden {
		if _, err := s.Redeliver(ctx, tenant, id); err != nil && !errors.Is(err, recaller.Conflict) && !errors.Is(err, recaller.NotFound) {
			return err
		}
	}
	return nil
}
