package carrier_test

import (
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/carrier"
	"github.com/recallerhq/recaller/internal/carrier/carriertest"
)

// Who does not know whether a telephone was rung, or a text sent, looks: at those between the two numbers since then.
func TestWhatWasAskedForIsFound(t *testing.T) {
	t.Parallel()
	fake := carriertest.New(t)
	now := time.Date(2026, 3, 10, 12, 0, 0, 500, time.UTC)
	fake.Clock(func() time.Time { return now })
	c := carrier.New(fake.Settings())
	ring := func() string {
		t.Helper()
		id, err := c.Ring(t.Context(), recaller.PhoneRing{Carrier: recaller.CarrierTwilio, From: ours, To: theirs, AnswerAt: "https://a.test/", Detect: "Enable"})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	ring()
	then := now.Add(time.Hour)
	now = then
	first := ring()
	now = now.Add(time.Minute)
	second := ring()
	fake.Put(second, "busy")
	got, err := c.Calls(t.Context(), ours, theirs, then)
	if err != nil || len(got) != 2 || got[0].ID != second || !got[0].Over() || got[1].ID != first || got[1].Over() || !got[1].At.Equal(then.Truncate(time.Second)) {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := c.Calls(t.Context(), ours, "+15550007777", then); err != nil || len(got) != 0 {
		t.Errorf("of another number: got %+v, %v", got, err)
	}
	if got, err := c.Call(t.Context(), second); err != nil || got.Status != "busy" {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := c.Call(t.Context(), "CA0"); recaller.KindOf(err) != recaller.NotFound {
		t.Errorf("one that there is not: got %v", err)
	}
	id, err := c.Text(t.Context(), sms(recaller.CarrierTwilio))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := c.Sent(t.Context(), ours, theirs, then); err != nil || len(got) != 1 || got[0].ID != id {
		t.Errorf("texts: got %+v, %v", got, err)
	}
	if fake.Rings()[0].Form.Get("MachineDetection") != "Enable" {
		t.Error("the carrier was not asked whether a machine answers")
	}
	fake.Fail(1, 503, 0)
	if _, err := c.Calls(t.Context(), ours, theirs, then); recaller.KindOf(err) != recaller.Unavailable {
		t.Errorf("a carrier in trouble: got %v", err)
	}
	silent := carrier.New(carrier.Settings{TelnyxKey: "k"})
	if _, err := silent.Calls(t.Context(), ours, theirs, then); recaller.KindOf(err) != recaller.Unauthenticated {
		t.Errorf("without keys: got %v", err)
	}
}
