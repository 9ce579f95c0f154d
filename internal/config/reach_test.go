package config

import "testing"

func TestWhatWebhooksMayReach(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"": "", "10.1.2.3/16, 192.168.1.1": "10.1.0.0/16,192.168.1.1/32", "[fd00::1]": "fd00::1/128",
		"Hooks.Internal.,::ffff:10.0.0.1,": "hooks.internal,10.0.0.1/32",
	} {
		var r Reach
		v := reach(&r)
		if err := v.set(given); err != nil || v.get() != want {
			t.Errorf("%q: got %q, %v, want %q", given, v.get(), err, want)
		}
		if again := (Reach{}); reach(&again).set(v.get()) != nil || reach(&again).get() != want {
			t.Errorf("%q: what is shown is read as %q", want, reach(&again).get())
		}
	}
	for _, given := range []string{"10.0.0.0/33", "10.0.0", "http://hooks.internal", "hooks internal", "*.internal", "10.0.0.1:80"} {
		var r Reach
		if err := reach(&r).set(given); err == nil {
			t.Errorf("%q was taken", given)
		}
	}
}
