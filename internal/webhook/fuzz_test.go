package webhook

import (
	"encoding/base64"
	"testing"
)

func FuzzSecret(f *testing.F) {
	for _, s := range []string{"whsec_CQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJ", "whsec_", "whsec_AA==", "AA==", "whsec_A", "whsec_AA\n=="} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		key, err := secretKey(s)
		if err != nil {
			return
		}
		if again, err := secretKey("whsec_" + base64.StdEncoding.EncodeToString(key)); err != nil || string(again) != string(key) {
			t.Errorf("a key does not come back: %v", err)
		}
	})
}
