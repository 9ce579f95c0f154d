package document_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/document"
)

// outside is a document server.
type outside struct {
	err  error
	held map[string]string // words by id
	puts int
}

func (o *outside) Deliver(_ context.Context, remote string, d recaller.Document) (string, error) {
	if o.err != nil {
		return "", o.err
	}
	if remote == "" {
		remote = "there-" + string(d.ID)
	}
	o.puts++
	o.held[remote] = d.Content
	return remote, nil
}

// newDelivering is a bench whose documents of conversations go outside, those of the tenant default.
func newDelivering(t *testing.T, of recaller.TenantID) (*bench, *outside, func(brief string) recaller.Document, func() recaller.Job) {
	b := newBench(t)
	o := &outside{held: map[string]string{}}
	b.settings[of] = b.MakeTenant(t, recaller.Tenant{ID: of, Name: "Of"})
	deps := b.Service.Deps
	deps.Outside = o
	b.Service = document.New(deps)
	opened, err := b.Place.Store.OpenConversation(t.Context(), of, recaller.Opening{
		Identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: "+12025550170"}}, NewCaller: "caller",
		Conversation: recaller.Conversation{ID: "conv", Channel: recaller.ChannelVoice, Direction: recaller.Inbound, Status: recaller.Active, StartedAt: b.Clock.Now(), LastActivityAt: b.Clock.Now()},
	})
	b.ok(err)
	file := func(brief string) recaller.Document {
		conv := opened.Conversation
		conv.Turns, conv.EndedAt, conv.Summary = 2, b.Clock.Now(), &recaller.Summary{Brief: brief}
		_, err := b.FileSession(t.Context(), b.settings[of], opened.Caller, conv)
		b.ok(err)
		d, err := b.Get(t.Context(), of, "conv")
		b.ok(err)
		return d
	}
	job := func() recaller.Job {
		d, err := b.Place.Store.Document(t.Context(), of, "conv")
		b.ok(err)
		return recaller.Job{Tenant: of, Kind: recaller.JobDeliver, Subject: recaller.SubjectOf(d.ID, d.Version), Caller: "caller"}
	}
	return b, o, file, job
}

func TestADocumentOfACallIsDeliveredOnceAndAsItChanges(t *testing.T) {
	b, o, file, job := newDelivering(t, recaller.DefaultTenant)
	if d := file("Tea."); d.Delivery.State != recaller.DeliveryPending {
		t.Fatalf("got %+v, want it pending", d.Delivery)
	}
	b.ok(b.Deliver(t.Context(), job()))
	b.ok(b.Deliver(t.Context(), job())) // the job is repeated after a crash
	if o.puts != 1 || !strings.Contains(o.held["there-conv"], "Tea.") {
		t.Errorf("delivered %d times: %v", o.puts, o.held)
	}
	if d := file("Tea."); d.Delivery.State != recaller.DeliveryDone || d.Delivery.Remote != "there-conv" {
		t.Errorf("got %+v, want it delivered, and not again", d.Delivery)
	}
	before := job()
	if d := file("Coffee, on second thoughts."); d.Delivery.State != recaller.DeliveryPending {
		t.Errorf("got %+v, want the change pending", d.Delivery)
	}
	b.ok(b.Deliver(t.Context(), before)) // was at work when the document changed
	b.ok(b.GiveUpDelivery(t.Context(), before, recaller.Unavailable))
	if o.puts != 1 {
		t.Error("the job of the version before delivered the change")
	}
	b.ok(b.Deliver(t.Context(), job()))
	if len(o.held) != 1 || !strings.Contains(o.held["there-conv"], "Coffee") {
		t.Errorf("there is %v, want the one document with its new words", o.held)
	}
	b.writes(document.Input{Title: "By hand", Content: "c"})
	if err := b.Deliver(t.Context(), recaller.Job{Tenant: recaller.DefaultTenant, Subject: "nothing"}); err != nil {
		t.Errorf("of one that is gone: %v", err)
	}
}

func TestADeliveryThatFailsIsTriedAndThenDead(t *testing.T) {
	b, o, file, job := newDelivering(t, recaller.DefaultTenant)
	file("Tea.")
	state := func() recaller.Delivery {
		d, err := b.Get(t.Context(), recaller.DefaultTenant, "conv")
		b.ok(err)
		return d.Delivery
	}
	for i, err := range []error{recaller.Unavailable, recaller.Invalid} {
		o.err = err
		if got := b.Deliver(t.Context(), job()); !errors.Is(got, err) {
			t.Errorf("got %v, want %v, so that it is tried again", got, err)
		}
		if v := state(); v.State != recaller.DeliveryPending || v.Tries != i+1 || v.Reason != []string{"unreachable", "refused"}[i] {
			t.Errorf("got %+v", v)
		}
	}
	b.ok(b.GiveUpDelivery(t.Context(), job(), o.err))
	list, _, err := b.List(t.Context(), recaller.DefaultTenant, recaller.DocumentFilter{Delivery: recaller.DeliveryDead})
	b.ok(err)
	if len(list) != 1 || list[0].Delivery.Tries != 2 {
		t.Errorf("the dead letters are %+v", list)
	}
	o.err = nil
	b.ok(b.Deliver(t.Context(), job())) // nobody asked
	if o.puts != 0 {
		t.Error("a dead one was delivered unasked")
	}
	d, err := b.Redeliver(t.Context(), recaller.DefaultTenant, "conv")
	b.ok(err)
	if d.Delivery.State != recaller.DeliveryPending || d.Delivery.Tries != 0 {
		t.Errorf("got %+v, want it pending anew", d.Delivery)
	}
	if _, err := b.Redeliver(t.Context(), recaller.DefaultTenant, "conv"); !errors.Is(err, recaller.Conflict) {
		t.Errorf("one that waits: got %v", err)
	}
	b.ok(b.Deliver(t.Context(), job()))
	if v := state(); v.State != recaller.DeliveryDone || o.puts != 1 {
		t.Errorf("got %+v after %d deliveries", v, o.puts)
	}
}

// One server with one key is one tenant's: of no other does anything go there.
func TestOnlyTheTenantDefaultDelivers(t *testing.T) {
	b, o, file, job := newDelivering(t, "other")
	if d := file("Tea."); d.Delivery.State != "" {
		t.Errorf("got %+v", d.Delivery)
	}
	b.ok(b.Deliver(t.Context(), job()))
	if _, err := b.Redeliver(t.Context(), "other", "conv"); !errors.Is(err, recaller.Conflict) || o.puts != 0 {
		t.Errorf("got %v, and %d deliveries", err, o.puts)
	}
}

// What a caller had forgotten is taken out of what was delivered, too.
func TestWhatIsForgottenIsDeliveredAnew(t *testing.T) {
	b, o, file, job := newDelivering(t, recaller.DefaultTenant)
	file("Caller: “My dog is called Pluto.”")
	b.ok(b.Deliver(t.Context(), job()))
	b.ok(b.Forgetting(t.Context(), recaller.DefaultTenant, "caller"))
	b.ok(b.Deliver(t.Context(), job()))
	if o.puts != 1 {
		t.Errorf("%d deliveries, though nothing was forgotten", o.puts)
	}
	m := recaller.Memory{
		ID: "m1", Caller: "caller", Type: recaller.Fact, Key: "dog_name", Value: "Pluto", Source: recaller.SourceAPI,
		PrivacyScope: recaller.LineOnly, CreatedAt: b.Clock.Now(), ConfirmedAt: b.Clock.Now(),
	}
	_, err := b.Place.Store.StoreMemory(t.Context(), recaller.DefaultTenant, recaller.Storing{Memory: m})
	b.ok(err)
	b.Clock.Advance(time.Hour)
	_, err = b.Place.Store.ChangeMemory(t.Context(), recaller.DefaultTenant, recaller.Changing{ID: "m1", Forget: true, Patch: recaller.MemoryPatch{At: b.Clock.Now()}})
	b.ok(err)
	b.ok(b.Forgetting(t.Context(), recaller.DefaultTenant, "caller"))
	b.ok(b.Deliver(t.Context(), job()))
	if o.puts != 2 || strings.Contains(o.held["there-conv"], "Pluto") {
		t.Errorf("after %d deliveries there is %q", o.puts, o.held)
	}
}
