package privacy_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/privacy"
)

// kept is a receipt as somebody has it in a file.
const kept = `{"id":"r1","tenant":"t1","caller_id":"c1","erased_at":"2026-11-21T09:00:00Z","erased":{"callers":1,"turns":2},` +
	`"key_fingerprint":"00ff","public_key":"AQ==","signature":"Ag=="}`

// Whatever says what was issued is read, and nothing that says anything else.
func TestAReceiptIsReadAsItWasIssued(t *testing.T) {
	t.Parallel()
	want := recaller.Receipt{
		ID: "r1", Tenant: "t1", Caller: "c1", ErasedAt: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC),
		Erased: map[string]int{"turns": 2, "callers": 1}, KeyFingerprint: "00ff", PublicKey: []byte{1}, Signature: []byte{2},
	}
	const unknown, doubled, rewritten = "it has a field that no receipt has", "is there more than once", "is not written as a receipt has it"
	for name, tt := range map[string]struct{ old, new, refused string }{
		"as it was":                       {},
		"with space":                      {`"id"`, " \n\t\"id\" ", ""},
		"its fields in another order":     {`"id":"r1","tenant":"t1"`, `"tenant":"t1","id":"r1"`, ""},
		"its counts in another order":     {`"callers":1,"turns":2`, `"turns":2,"callers":1`, ""},
		"letters escaped":                 {`"r1"`, `"\u00721"`, ""},
		"a line after it":                 {`"Ag=="}`, "\"Ag==\"}\n", ""},
		"a field more":                    {`"id"`, `"note":"all is well","id"`, unknown},
		"a field more that is an object":  {`"id"`, `"note":{"a":[1,{}]},"id"`, unknown},
		"a field twice":                   {`"id"`, `"caller_id":"somebody else","id"`, "caller_id: " + doubled},
		"a field twice, the same":         {`"id"`, `"id":"r1","id"`, "id: " + doubled},
		"a field again in another case":   {`"id"`, `"Caller_ID":"somebody else","id"`, unknown},
		"a field in another case":         {`"id"`, `"ID"`, unknown},
		"a count twice":                   {`"turns":2`, `"turns":0,"turns":2`, "erased: " + doubled},
		"its counts twice":                {`"id"`, `"erased":{"turns":2},"id"`, "erased: " + doubled},
		"a count as if it were a field":   {`"id"`, `"erased.turns":2,"id"`, unknown},
		"without a field":                 {`"key_fingerprint":"00ff",`, "", "key_fingerprint: is required"},
		"without a word":                  {`"00ff"`, `null`, "key_fingerprint: " + rewritten},
		"a count that is none":            {`"turns":2`, `"turns":null`, "erased: " + rewritten},
		"the time in another zone's form": {"09:00:00Z", "09:00:00.000Z", "erased_at: " + rewritten},
		"the key as a list":               {`"AQ=="`, `[1]`, "public_key: " + rewritten},
		"text after it":                   {`"Ag=="}`, `"Ag=="} and all is well`, "something follows the receipt"},
		"another one after it":            {`"Ag=="}`, `"Ag=="}{}`, "something follows the receipt"},
		"a count in words":                {`"turns":2`, `"turns":"two"`, "it is no receipt as JSON"},
		"cut short":                       {`"Ag=="}`, `"Ag=="`, "it is no receipt as JSON"},
		"nothing":                         {kept, "", "it is no receipt as JSON"},
		"a list":                          {kept, "[" + kept + "]", "it is no receipt as JSON"},
		"null":                            {kept, "null", "it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := privacy.ReadReceipt([]byte(strings.Replace(kept, tt.old, tt.new, 1)))
			if tt.refused == "" {
				if diff := cmp.Diff(want, got); err != nil || diff != "" {
					t.Errorf("got %v (-want +got)\n%s", err, diff)
				}
				return
			}
			if !errors.Is(err, recaller.Invalid) || !strings.Contains(err.Error(), tt.refused) || strings.Contains(err.Error(), "somebody") {
				t.Errorf("got %v, want it refused: %s", err, tt.refused)
			}
			if diff := cmp.Diff(recaller.Receipt{}, got); diff != "" {
				t.Errorf("what is refused is returned:\n%s", diff)
			}
		})
	}
}

// What is read says all that the text says: written again it has the same fields, as often, with the same values.
func FuzzReadReceipt(f *testing.F) {
	f.Add([]byte(kept))
	f.Add([]byte(`{"id":"r1","ID":"r2"}`))
	f.Add([]byte(`{"public_key":[1,2],"erased":{"":1,"":2}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := privacy.ReadReceipt(raw)
		if err != nil {
			if !errors.Is(err, recaller.Invalid) {
				t.Errorf("got %v, want it invalid", err)
			}
			return
		}
		again, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if told, issued := bytes.Count(raw, []byte(":")), bytes.Count(again, []byte(":")); bytes.IndexByte(raw, '\\') < 0 && told != issued {
			t.Errorf("%d colons were read as %d", told, issued)
		}
	})
}
