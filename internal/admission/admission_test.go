package admission

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

// keys are those of the tests, by their secrets.
type keys map[string]recaller.APIKey

func (k keys) Authenticate(_ context.Context, secret string) (recaller.APIKey, error) {
	if key, known := k[secret]; known {
		return key, nil
	}
	return recaller.APIKey{}, recaller.Errorf(recaller.Unauthenticated, "the API key is not known")
}

// gate is a gate that logs into the buffer.
func gate(o Options) (*Gate, *bytes.Buffer) {
	var out bytes.Buffer
	return New(keys{
		"operator": {ID: "k1", Tenant: recaller.DefaultTenant, Scope: recaller.ScopeAdmin},
		"golf":     {ID: "k2", Tenant: "golf", Scope: recaller.ScopeAdmin},
		"reader":   {ID: "k3", Tenant: "golf", Scope: recaller.ScopeRead},
	}, slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})), o), &out
}

func TestAKeyIsHeldAgainstTheOperation(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		op     Operation
		secret string
		want   recaller.Kind // empty: it is let in
		tenant recaller.TenantID
	}{
		"open to anybody":            {op: Operation{}},
		"no key":                     {op: Operation{Scope: recaller.ScopeRead}, want: recaller.Unauthenticated},
		"an unknown key":             {op: Operation{Scope: recaller.ScopeRead}, secret: "x", want: recaller.Unauthenticated},
		"the scope itself":           {op: Operation{Scope: recaller.ScopeRead}, secret: "reader", tenant: "golf"},
		"a wider scope":              {op: Operation{Scope: recaller.ScopeAgent}, secret: "golf", tenant: "golf"},
		"too narrow a scope":         {op: Operation{Scope: recaller.ScopeAgent}, secret: "reader", want: recaller.Forbidden, tenant: "golf"},
		"the operator's, by another": {op: Operation{Scope: recaller.ScopeRead, Operator: true}, secret: "golf", want: recaller.Forbidden, tenant: "golf"},
		"the operator's, by him":     {op: Operation{Scope: recaller.ScopeRead, Operator: true}, secret: "operator", tenant: recaller.DefaultTenant},
	}
	for name, test := range tests {
		g, _ := gate(Options{})
		x := g.Open("", netip.Addr{})
		_, err := x.Admit(t.Context(), test.secret, &test.op)
		x.Done(t.Context(), false)
		if (err == nil) != (test.want == "") || err != nil && KindOf(err) != test.want || x.Tenant != test.tenant {
			t.Errorf("%s: got %v of tenant %q, want kind %q of tenant %q", name, err, x.Tenant, test.want, test.tenant)
		}
	}
}

func TestAnOperationHasItsTime(t *testing.T) {
	t.Parallel()
	g, _ := gate(Options{})
	for limit, want := range map[time.Duration]time.Duration{0: DefaultLimit, time.Hour: time.Hour, Lasting: 0} {
		x := g.Open("", netip.Addr{})
		ctx, err := x.Admit(t.Context(), "", &Operation{Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		end, bounded := ctx.Deadline()
		if left := time.Until(end); bounded != (want > 0) || bounded && (left > want || left < want-10*time.Second) {
			t.Errorf("a limit of %v: got %v left (bounded: %v), want %v", limit, left, bounded, want)
		}
		x.Done(t.Context(), false)
		if bounded && ctx.Err() == nil {
			t.Errorf("a limit of %v: what was begun goes on after the exchange", limit)
		}
	}
}

// A slot is held until the exchange is done. Who finds none is refused at once, or waits for as long as he has time.
func TestSlotsAreGivenBack(t *testing.T) {
	t.Parallel()
	g, _ := gate(Options{})
	for kind, slots := range map[recaller.Kind]*Slots{recaller.Exhausted: Cap(1, "full"), recaller.Unavailable: Queue(1, "full")} {
		op := &Operation{Slots: slots}
		first, second, third := g.Open("", netip.Addr{}), g.Open("", netip.Addr{}), g.Open("", netip.Addr{})
		if _, err := first.Admit(t.Context(), "", op); err != nil {
			t.Fatal(err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := second.Admit(gone, "", op); !errors.Is(err, kind) {
			t.Errorf("got %v, want %s", err, kind)
		}
		second.Done(t.Context(), false) // it holds none, and gives none back
		first.Done(t.Context(), false)
		if _, err := third.Admit(t.Context(), "", op); err != nil {
			t.Errorf("got %v, want the slot that was given back", err)
		}
		third.Done(t.Context(), false)
	}
}

func TestOneLineIsLoggedForAnExchange(t *testing.T) {
	t.Parallel()
	g, out := gate(Options{Now: func() time.Time { return time.Unix(0, 0) }})
	x := g.Open("an-id", netip.Addr{})
	_, err := x.Admit(t.Context(), "reader", &Operation{Name: "store-memory", Scope: recaller.ScopeAgent})
	x.Fail(err)
	x.Done(t.Context(), false, slog.Int("status", 403))
	want := "level=INFO msg=request request_id=an-id status=403 dur_ms=0 op=store-memory tenant=golf key=k3 kind=forbidden\n"
	if got := out.String(); !strings.HasSuffix(got, want) || strings.Count(got, "\n") != 1 {
		t.Errorf("got %s, want one line that ends with %s", got, want)
	}
}

func TestAnIdempotencyKeyBelongsToItsOperationAndRequest(t *testing.T) {
	t.Parallel()
	g, _ := gate(Options{})
	once := func(op Operation, key, target string, parts ...string) recaller.Once {
		x := g.Open("", netip.Addr{})
		defer x.Done(t.Context(), false)
		if _, err := x.Admit(t.Context(), "", &op); err != nil {
			t.Fatal(err)
		}
		x.Keyed(key, target)
		for _, part := range parts {
			x.Saw([]byte(part))
		}
		o, err := x.Once()
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	first := once(Operation{Name: "a"}, "k", "/x", "one", "two")
	if first.Token != "a:k" || once(Operation{Name: "a"}, "k", "/x", "onetwo") != first {
		t.Errorf("got %+v, want the same however the body came", first)
	}
	if got := once(Operation{Name: "b", OnceAs: "a"}, "k", "/x", "onetwo"); got != first {
		t.Errorf("got %+v for an operation whose keys are those of another, want %+v", got, first)
	}
	for name, other := range map[string]recaller.Once{
		"body":   once(Operation{Name: "a"}, "k", "/x", "one"),
		"target": once(Operation{Name: "a"}, "k", "/y", "onetwo"),
	} {
		if other.Token != first.Token || other.Request == first.Request {
			t.Errorf("another %s: got %+v, want another request under the same token as %+v", name, other, first)
		}
	}
	if got := once(Operation{Name: "a"}, "", "/x", "one"); got != (recaller.Once{}) {
		t.Errorf("got %+v without a key", got)
	}
}

func TestWhatLastsIsToldWhyItEnds(t *testing.T) {
	t.Parallel()
	g, _ := gate(Options{})
	told := make(chan string, 2)
	quick, stuck, over := g.Open("", netip.Addr{}), g.Open("", netip.Addr{}), g.Open("", netip.Addr{})
	over.Lasts(func(string) { t.Error("one that is over was told to end") })
	over.Done(t.Context(), false)
	quick.Lasts(func(why string) { told <- why; quick.Done(context.Background(), false) })
	stuck.Lasts(func(why string) { told <- why })
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if left := g.Drain(ctx, "closing time"); left != 1 {
		t.Errorf("got %d left, want the one that does not end", left)
	}
	if a, b := <-told, <-told; a != "closing time" || b != a {
		t.Errorf("got %q and %q, want the reason", a, b)
	}
	late := g.Open("", netip.Addr{})
	late.Lasts(func(why string) { told <- why })
	if why := <-told; why != "closing time" {
		t.Errorf("one that came late: got %q, want the reason at once", why)
	}
	stuck.Done(t.Context(), false)
}
