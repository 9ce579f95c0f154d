package notify

import (
	"context"
	"errors"
	"time"

	"github.com/recallerhq/recaller"
)

// settling bounds writing down the result of a try, which is done even while the process stops.
const settling = 10 * time.Second

// Send does a job of kind recaller.JobDispatch: it sends an event to the tenant's webhook. An error means that the job
// must run again. Where no webhook asks for such events any more the dispatch is dead at once.
func (s *Service) Send(ctx context.Context, j recaller.Job) error {
	ctx, leave := s.underway.enter(ctx, who{j.Tenant, j.Caller}) // before it is seen whether he is there
	defer leave()
	d, err := s.Store.Dispatch(ctx, j.Tenant, recaller.EventID(j.Subject))
	if errors.Is(err, recaller.NotFound) || err == nil && d.Status != recaller.DispatchPending {
		return nil
	}
	if err != nil {
		return err
	}
	tenant, err := s.Tenants.Tenant(ctx, j.Tenant)
	if err != nil {
		return err
	}
	if !tenant.Webhook.Wants(d.Type) {
		return s.bury(ctx, j.Tenant, d, recaller.ReasonNoWebhook)
	}
	body, err := s.payload(ctx, tenant, d)
	if errors.Is(err, errOver) || errors.Is(err, recaller.NotFound) { // or it was erased with its caller
		s.Metrics.Add(resultOver)
		return s.Store.FinishDispatch(ctx, j.Tenant, d)
	}
	if err != nil {
		return err
	}
	return s.deliver(ctx, tenant, d, body)
}

// deliver sends an event and writes down the result.
func (s *Service) deliver(ctx context.Context, tenant recaller.Tenant, d recaller.Dispatch, body []byte) error {
	err := s.Sender.Send(ctx, tenant.Webhook, string(d.ID), s.Now(), body)
	if errors.Is(ctx.Err(), context.Canceled) && err != nil { // we shut down, or he is erased: no fault of the receiver's
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settling)
	defer cancel()
	if err != nil {
		s.Metrics.Add(resultFailed)
		return errors.Join(err, s.Store.TryDispatch(ctx, tenant.ID, d, reason(err)))
	}
	if err := s.Store.FinishDispatch(ctx, tenant.ID, d); err != nil {
		return err
	}
	s.Metrics.Add(resultDelivered)
	s.Metrics.Late(max(s.Now().Sub(d.At), 0))
	return nil
}

// reason is what the tenant is told of a failure: the class of the answer's status, and of no answer nothing more.
func reason(err error) string {
	var answered interface{ StatusCode() int }
	if !errors.As(err, &answered) {
		return recaller.ReasonUnreachable
	}
	switch code := answered.StatusCode(); {
	case code >= 500:
		return recaller.ReasonServerError
	case code >= 400:
		return recaller.ReasonRefused
	}
	return recaller.ReasonRedirected
}

// GiveUp ends a dispatch of which every try failed. It is dead: it is listed, and can be sent again.
func (s *Service) GiveUp(ctx context.Context, j recaller.Job, cause error) error {
	d, err := s.Store.Dispatch(ctx, j.Tenant, recaller.EventID(j.Subject))
	if errors.Is(err, recaller.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if d.Reason == "" { // no try came as far as the receiver
		d.Reason = reason(cause)
	}
	return s.bury(ctx, j.Tenant, d, d.Reason)
}

func (s *Service) bury(ctx context.Context, tenant recaller.TenantID, d recaller.Dispatch, reason string) error {
	err := s.Store.BuryDispatch(ctx, tenant, d, reason, s.Now())
	if err == nil {
		s.Metrics.Add(resultDead)
		s.Log.Warn("webhook delivery given up", "tenant", string(tenant), "event", string(d.ID), "type", string(d.Type),
			"failed_tries", d.Attempts, "reason", reason)
	}
	return err
}
